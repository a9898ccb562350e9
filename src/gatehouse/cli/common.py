"""What all commands share: opening the data, the usual arguments, and printing."""

import getpass
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
import typer

from gatehouse.access.actors import Actor
from gatehouse.core.errors import InvalidInput
from gatehouse.core.money import format_amount, parse_amount
from gatehouse.core.redaction import recordable
from gatehouse.settings import ACCOUNT, Settings, load_settings, unknown_variables
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession

AccountId = Annotated[str, typer.Argument(metavar="ACCOUNT", help="Id of the account.")]
AccountOption = Annotated[
    str | None,
    typer.Option(
        "--account",
        envvar=ACCOUNT,
        metavar="ACCOUNT",
        help="Id of the account. Default: the only one, or the sandbox's demo account.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]

_SPANS: Final = {"s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}


def read_settings() -> Settings:
    """The settings; variables that look misspelt are pointed out."""
    settings = load_settings(os.environ)
    for warning in unknown_variables(os.environ):
        typer.echo(f"gatehouse: warning: {warning}", err=True)
    return settings


def open_session() -> AdminSession:
    """The data, opened for the person at the keyboard."""
    from gatehouse.installation import open_admin_session

    return open_admin_session(read_settings(), Actor.operator(_user()))


def resolve_account(place: AdminSession, given: str | None) -> str:
    """The account a command is about: the given one, the only one, or the sandbox's demo."""
    from gatehouse.installation import DEMO_ACCOUNT, ensure_demo

    with place.reading() as connection:
        if given is not None:
            return accounts.get(connection, given).account_id
        known = [account.account_id for account, _ in accounts.everyone(connection)]
    if len(known) == 1:
        return known[0]
    if place.environment == "sandbox" and DEMO_ACCOUNT in known:
        return DEMO_ACCOUNT
    if not known and place.environment == "sandbox":
        ensure_demo(place, load_settings(os.environ))
        return DEMO_ACCOUNT
    if not known:
        raise InvalidInput("there is no account yet; make one: gatehouse accounts create NAME")
    raise InvalidInput(
        f"there are {len(known)} accounts; say which one with --account or GATEHOUSE_ACCOUNT, "
        "see: gatehouse accounts list"
    )


def read_file(path: str, most: int) -> bytes:
    """The content of a file that an operator named, - for standard input; one byte over `most`
    is enough to be refused as too long by whoever reads it.
    """
    try:
        if path == "-":
            return sys.stdin.buffer.read(most + 1)
        with Path(path).open("rb") as source:
            return source.read(most + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a path"
        raise InvalidInput(f"cannot read {recordable(path)}: {reason}") from None


def show(data: Any, text: str, *, as_json: bool) -> None:
    """Print data for scripts or text for people."""
    if as_json:
        typer.echo(msgspec.json.format(msgspec.json.encode(data), indent=2).decode())
    else:
        typer.echo(text)


def table(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Rows in aligned columns."""
    cells = [[str(cell) for cell in row] for row in (headings, *rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(headings))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]
    return "\n".join(lines)


def exact(micros: int) -> msgspec.Raw:
    """Millionths as an exact JSON number."""
    return msgspec.Raw(format_amount(micros).encode())


def amount_argument(text: str) -> int:
    """An amount typed by an operator."""
    try:
        return parse_amount(text)
    except ValueError as error:
        raise InvalidInput(str(error)) from None


def span_argument(text: str) -> int:
    """A span of time such as 90d, 24h or 15m, in milliseconds."""
    match = re.fullmatch(r"(\d{1,6})([smhd])", text)
    if match is None:
        raise InvalidInput("a span of time is a number with s, m, h or d, such as 24h or 90d")
    return int(match.group(1)) * _SPANS[match.group(2)]


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"uid-{os.getuid()}"
