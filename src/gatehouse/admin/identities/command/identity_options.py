"""The options of `gatehouse identities` that say which records are meant."""

from typing import Annotated

import typer

from gatehouse.admin.identities.types import IdentitySearch
from gatehouse.admin.identities.use_cases.selection import EVERYONE
from gatehouse.cli.arguments import option
from gatehouse.cli.card_input import read_card_number
from gatehouse.core.errors import WrongUsage

OfAccount = Annotated[
    str | None,
    option(
        "Account whose own records are meant. Default: those for all accounts.",
        "--account",
        metavar="ACCOUNT",
    ),
]
Card = Annotated[
    str | None,
    option(
        "Number of a card; - reads it from standard input or asks, which keeps it out of "
        "the shell's history.",
        metavar="NUMBER",
    ),
]
PersonId = Annotated[str | None, option("Id (idn_...).", "--id", metavar="ID")]
Reference = Annotated[str | None, option("Reference given at the import.")]
EveryAccount = Annotated[
    bool,
    option("Wherever it is on record: for any account and for all accounts.", "--every-account"),
]
Compact = Annotated[
    bool | None,
    option(
        "Clear unused space now; --no-compact leaves that to: gatehouse identities compact. "
        "Default: now, unless it is a SQLite file of 64 MiB or more.",
        "--compact/--no-compact",
        show_default=False,
    ),
]


def read_scope(account: str | None) -> str:
    """The scope that is meant; a blank account is a mistake, never all of them."""
    if account is None:
        return EVERYONE
    if not account.strip() or account == EVERYONE:
        raise typer.BadParameter("must be the id of an account", param_hint="--account")
    return account


def read_query(
    card: str | None,
    person_id: str | None,
    reference: str | None,
    account: str | None,
    every_account: bool,
) -> tuple[str | None, IdentitySearch]:
    """The scope, None for every one, and which of its records are meant."""
    scope = read_scope(account)
    if every_account and account is not None:
        raise WrongUsage("--every-account and --account exclude each other")
    if [card, person_id, reference].count(None) != 2:
        raise WrongUsage("say which record: --card, --id or --reference, one of them")
    number = None if card is None else read_card_number(card)
    return None if every_account else scope, IdentitySearch(number, person_id, reference)
