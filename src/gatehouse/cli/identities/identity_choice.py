"""Which identity records a command is about: the scope, and the card, person or reference."""

import sys
from collections.abc import Sequence
from typing import NamedTuple

import sqlalchemy as sa
import typer

from gatehouse.cli.identities.identity_views import records
from gatehouse.core.cards import CardNumber
from gatehouse.core.errors import InvalidInput, NotFound
from gatehouse.core.keyring import CARD_FINGERPRINTS
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.identities import identities, imports
from gatehouse.store.identities.identities import Selector
from gatehouse.store.identities.identity_sealer import EVERYONE, IdentitySealer

_SCOPES_NAMED = 5


class Which(NamedTuple):
    """What was given to say which records are meant: exactly one of them."""

    card: str | None
    person_id: str | None
    reference: str | None


class Target(NamedTuple):
    """Records of one scope, and how many they are."""

    scope: str
    selector: Selector
    number: int


def scope_of(account: str | None) -> str:
    """The scope that is meant; a blank account is a mistake, never all of them."""
    if account is None:
        return EVERYONE
    if not account.strip() or account == EVERYONE:
        raise typer.BadParameter("must be the id of an account", param_hint="--account")
    return account


def name_of(scope: str) -> str:
    """A scope in words."""
    return "all accounts" if scope == EVERYONE else scope


def in_words(targets: Sequence[Target]) -> str:
    """How many records of which scopes."""
    if len(targets) == 1:
        return f"{records(targets[0].number)} of {name_of(targets[0].scope)}"
    named, others = targets[:_SCOPES_NAMED], targets[_SCOPES_NAMED:]
    parts = [f"{one.number} of {name_of(one.scope)}" for one in named]
    if others:
        parts.append(f"{sum(one.number for one in others)} of {len(others)} other accounts")
    return f"{records(sum(one.number for one in targets))} ({', '.join(parts)})"


def chosen(
    place: AdminSession,
    safe: IdentitySealer,
    account: str | None,
    which: Which,
    *,
    everywhere: bool,
) -> list[Target]:
    """The records of a card, person or reference in a scope, or in every scope."""
    scope = scope_of(account)
    if everywhere and account is not None:
        raise InvalidInput("--every-account and --account exclude each other")
    if which.count(None) != 2:
        raise InvalidInput("say which record: --card, --id or --reference, one of them")
    cards = None if which.card is None else _fingerprints(place, _card_number(which.card))

    def selector(one: str) -> Selector:
        if which.reference is not None:
            return Selector(references=safe.reference_marks(one, which.reference))
        return Selector(cards=cards, person_id=which.person_id)

    with place.reading() as connection:
        imports.check_scope(scope, connection)
        if not everywhere:
            found = _counted(connection, [(scope, selector(scope))])
            if found:
                return found
        all_scopes = identities.scopes(connection)
        found = _counted(connection, [(one, selector(one)) for one in all_scopes])
    if everywhere and found:
        return found
    raise _not_found(scope, sum(one.number for one in found), everywhere=everywhere)


def all_of(place: AdminSession, selector: Selector, scope: str | None) -> list[Target]:
    """What is meant of a whole scope, or of every scope."""
    with place.reading() as connection:
        if scope is not None:
            imports.check_scope(scope, connection)
        scopes = identities.scopes(connection) if scope is None else [scope]
        found = _counted(connection, [(one, selector) for one in scopes])
    if not found:
        raise NotFound("there is no such record; see: gatehouse identities count")
    return found


def _counted(connection: sa.Connection, meant: Sequence[tuple[str, Selector]]) -> list[Target]:
    targets = [
        Target(scope, selector, identities.how_many(scope, selector, connection))
        for scope, selector in meant
    ]
    return [one for one in targets if one.number]


def _not_found(scope: str, elsewhere: int, *, everywhere: bool) -> NotFound:
    if everywhere or not elsewhere:
        return NotFound("there is no such record; see: gatehouse identities count")
    return NotFound(
        f"there is no such record of {name_of(scope)}, but {records(elsewhere)} elsewhere; "
        "add --account, or --every-account"
    )


def _card_number(text: str) -> CardNumber:
    if text == "-":
        from gatehouse.cli.record_files import standard_input

        stream = standard_input()
        if sys.stdin.isatty():
            text = typer.prompt("Card number", hide_input=True, err=True)
        else:
            text = stream.readline(200).decode("ascii", "replace")
    try:
        return CardNumber.parse(text.strip().replace(" ", "").replace("-", ""))
    except ValueError as error:
        raise InvalidInput(f"the card number {error}") from None


def _fingerprints(place: AdminSession, number: CardNumber) -> list[str]:
    """A card's fingerprints under every key there ever was, so that old records are found."""
    from gatehouse.intel.bins import load_bins
    from gatehouse.intel.cards import CardMasker

    bins = load_bins()
    versions = [v for purpose, v in place.ring.versions() if purpose == CARD_FINGERPRINTS]
    keys = [(version, place.ring.key(CARD_FINGERPRINTS, version)) for version in versions]
    return [CardMasker(bins, key).fingerprint(number) for key in keys]
