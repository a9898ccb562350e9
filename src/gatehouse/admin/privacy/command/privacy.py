"""gatehouse privacy: what a person has a right to: export and erase."""

import sys
from typing import TYPE_CHECKING, Annotated, Final

import msgspec
import typer

from gatehouse.admin.identities.command.identity_options import Compact
from gatehouse.admin.identities.command.identity_output import new_file
from gatehouse.admin.opening import open_account
from gatehouse.cli.arguments import AccountOption, AsJson, DryRun, option
from gatehouse.cli.card_input import FROM_INPUT, NOT_TYPED, read_card
from gatehouse.cli.output import sheet, show, warn
from gatehouse.cli.progress import Progress
from gatehouse.core.errors import InvalidInput, WrongUsage
from gatehouse.core.files.lines import standard_input

if TYPE_CHECKING:
    from gatehouse.admin.privacy.use_cases.person import PersonNamed

_LONGEST_LINE: Final = 2048
_WARNED_OF: Final = {"waitingRequests", "indexComplete", "compacted", "archives", "archivesMissing"}
_FROM_INPUT: Final = "- reads it from standard input or asks."

app = typer.Typer(no_args_is_help=True)

User = Annotated[str | None, option(f"Your name for the user; {_FROM_INPUT}")]
Email = Annotated[str | None, option(f"E-mail address; {_FROM_INPUT}")]
Phone = Annotated[str | None, option(f"Phone number with country; {_FROM_INPUT}")]
Username = Annotated[
    str | None, option(f"Name the user chose, of requests without user id; {_FROM_INPUT}")
]
Device = Annotated[str | None, option(f"The deviceId of a device; {_FROM_INPUT}")]
Card = Annotated[
    str | None,
    option(
        "Card: its number, or its account's reference, is read as a line, or asked for.",
        metavar="-",
    ),
]


class _Named(msgspec.Struct, frozen=True):
    """The options that name a person, as they were given."""

    user: str | None
    email: str | None
    phone: str | None
    card: str | None
    username: str | None
    device: str | None


@app.command()
def export(  # noqa: PLR0913, PLR0917  # each option is one way to name the person
    user: User = None,
    email: Email = None,
    phone: Phone = None,
    card: Card = None,
    username: Username = None,
    device: Device = None,
    out: Annotated[
        str, option("File to write; - is standard output.", "--out", metavar="FILE")
    ] = "-",
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Write everything that an account has about a person, as JSON.

    Who is named in several ways is found by any of them. The file is for its owner alone.
    """
    from gatehouse.admin.privacy.use_cases.export import export_person

    person = _read(_Named(user, email, phone, card, username, device))
    session, account_id = open_account(account)
    with new_file(out) as file:
        counts = export_person(session, account_id, person, file.write)
    if out != "-":
        rows = [(_words(name), value) for name, value in msgspec.to_builtins(counts).items()]
        data = {"file": out, **msgspec.to_builtins(counts)}
        show(data, sheet([("file", out), *rows]), as_json)


@app.command()
def erase(  # noqa: PLR0913, PLR0917  # each option is one way to name the person, or one choice
    user: User = None,
    email: Email = None,
    phone: Phone = None,
    card: Card = None,
    username: Username = None,
    device: Device = None,
    lists: Annotated[
        bool, option("Make entries of lists name nobody, too; default: report.", "--lists")
    ] = False,
    dry_run: DryRun = False,
    yes: Annotated[bool, option("Do it without asking.", "--yes")] = False,
    compact_now: Compact = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Erase a person from everything that an account has; records stay, without the person.

    Fees, decisions and the names of rules stay for accounting and statistics. Archives that can be
    reached are written again. Backups must be aged out by their owner. See docs/privacy.md.
    """
    from gatehouse.admin.privacy.use_cases.erasure import ErasureOptions, erase_person

    named = _Named(user, email, phone, card, username, device)
    asked = FROM_INPUT in msgspec.structs.astuple(named)
    if asked and not yes and not dry_run and not sys.stdin.isatty():
        raise WrongUsage("standard input names the person, so nobody can be asked; add --yes")
    person = _read(named)
    session, account_id = open_account(account)
    options = ErasureOptions(lists=lists, dry_run=True, compact=compact_now)
    if not dry_run:
        if not yes:
            foreseen = erase_person(session, account_id, person, options)
            question = f"Erase a person from {foreseen.decisions} decisions of {account_id}?"
            typer.confirm(question, abort=True, err=True)
        options = msgspec.structs.replace(options, dry_run=False)
    done = erase_person(session, account_id, person, options)
    missing: list[str] = []
    if done.archives and not dry_run:
        from gatehouse.admin.archive.use_cases.archive import refresh_archives

        with Progress("bringing archives up to date", None) as progress:
            left = refresh_archives(session, account_id, progress.reached_record)
        done.archives, missing = left
    data = {**msgspec.to_builtins(done), "archivesMissing": missing}
    rows = [(_words(name), value) for name, value in data.items() if name not in _WARNED_OF]
    show(data, ("would be erased\n" if dry_run else "") + sheet(rows), as_json)
    warn(_warnings(data, dry_run=dry_run))


def _warnings(data: dict[str, object], *, dry_run: bool) -> list[str]:
    """What is left to do."""
    found = []
    if data["waiting"]:
        found.append(
            f"{data['waiting']} requests have an open review or a payment in doubt and are left as "
            "they are; resolve them (gatehouse reviews, gatehouse gateway) and erase again"
        )
    if data["listEntriesKept"]:
        found.append(
            f"{data['listEntriesKept']} entries of lists name the person and stay, as a block list "
            "may have to; with --lists they go on matching and name nobody"
        )
    if not data["indexComplete"]:
        found.append("decisions of an earlier version are still being indexed; erase again later")
    archives = data["archives"]
    if not dry_run and isinstance(archives, list) and archives:
        found.append(
            "these archives could not be written and may hold the person until you run gatehouse "
            f"decisions archive --to for each: {', '.join(archives)}"
        )
    missing = data["archivesMissing"]
    if isinstance(missing, list) and missing:
        found.append(
            "no archive is at these places as this machine sees them; one that is on another "
            "machine or on a disk that is not mounted may hold the person until you run gatehouse "
            f"decisions archive --to for it there: {', '.join(missing)}"
        )
    if not dry_run and not data["compacted"]:
        found.append(
            "copies of the person's data may remain in unused space of the database until you run: "
            "gatehouse identities compact"
        )
    return found


def _read(named: _Named) -> "PersonNamed":
    """The values that name the person; those that are secret come from standard input."""
    from gatehouse.admin.privacy.use_cases.person import PersonNamed

    user = _value("User", named.user)
    email = _value("E-mail address", named.email)
    phone = _value("Phone number", named.phone)
    if named.card is not None and named.card != FROM_INPUT:
        raise InvalidInput(NOT_TYPED)
    card = None if named.card is None else read_card()
    username, device = _value("Name", named.username), _value("Device", named.device)
    return PersonNamed(user, email, phone, card, username, device)


def _value(name: str, text: str | None) -> str | None:
    if text != FROM_INPUT:
        return text
    if sys.stdin.isatty():
        return str(typer.prompt(name, hide_input=True, err=True)).strip()
    return standard_input().readline(_LONGEST_LINE).decode("utf-8", "replace").strip()


def _words(name: str) -> str:
    """A field of the result in words."""
    return "".join(f" {char.lower()}" if char.isupper() else char for char in name)
