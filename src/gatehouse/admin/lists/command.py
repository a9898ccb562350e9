"""gatehouse lists: create, add, remove, import, show, drop."""

import os
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import msgspec
import typer

from gatehouse.admin.opening import Opened, open_account
from gatehouse.cli.arguments import (
    AccountOption,
    AsJson,
    DryRun,
    argument,
    open_file,
    option,
    span_argument,
)
from gatehouse.cli.completing import list_names
from gatehouse.cli.output import columns, show
from gatehouse.core.clock import iso_time, time_or_none
from gatehouse.settings.settings import load_settings

if TYPE_CHECKING:
    from gatehouse.admin.lists.types import ListShown
    from gatehouse.admin.lists.use_cases.lists import (
        Added,
        GivenEntries,
        ListedEntry,
        NewEntries,
    )

app = typer.Typer(no_args_is_help=True)

_KINDS: Final = "cards, bins, networks, emails, domains, phones, users, devices, countries or words"

ListName = Annotated[str, argument("NAME", "Name of the list.", autocompletion=list_names)]
ValuesArgument = Annotated[
    list[str] | None, argument("VALUE", "Entries. Card numbers only by --file.")
]
KindOption = Annotated[
    str | None, option(f"What it holds: {_KINDS}. Makes the list if needed.", "--kind")
]
ReasonOption = Annotated[
    str | None, option("Why; kept with each entry as it is written. No personal data, please.")
]
ExpiresIn = Annotated[str | None, option("How long it counts, such as 30d.")]
EntryFile = Annotated[
    str | None, option("File with one entry in each line; - is the input.", "--file")
]


@app.command()
def create(
    name: ListName,
    kind: Annotated[str, option(f"What it holds: {_KINDS}.", "--kind")],
    description: Annotated[str | None, option("What it is for; kept as it is written.")] = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Make an empty list."""
    from gatehouse.admin.lists.types import NewList
    from gatehouse.admin.lists.use_cases import lists

    new = NewList(name, lists.read_kind(kind), description)
    made = lists.create(*open_account(account), new).answer
    show(_shown(made), f"list {name} holds {made.kind}", as_json)


@app.command()
def drop(
    name: ListName,
    force: Annotated[bool, option("Even if rules look things up on it.", "--force")] = False,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Remove a list with all its entries. Rules that name it find nothing on it any more."""
    from gatehouse.admin.lists.types import ListDropping
    from gatehouse.admin.lists.use_cases import lists

    removed = lists.drop(*open_account(account), name, ListDropping(force)).entries
    text = f"list {name} is dropped; it had {_entries(removed)}"
    show({"list": name, "removed": removed}, text, as_json)


@app.command()
def add(  # noqa: PLR0913, PLR0917 - each option is one property of an entry
    name: ListName,
    values: ValuesArgument = None,
    kind: KindOption = None,
    reason: ReasonOption = None,
    expires_in: ExpiresIn = None,
    file: EntryFile = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Have entries on a list, from the command line or from a file.

    An entry that is on it gets the new expiry, and the new reason if there is one.
    """
    from gatehouse.admin.lists.use_cases import lists

    new = _new_entries(kind, reason, expires_in)
    added = lists.add(*open_account(account), name, given_entries(values, file), new)
    _show_added(added, name, as_json=as_json)


@app.command()
def remove(
    name: ListName,
    values: ValuesArgument = None,
    file: EntryFile = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Take entries off a list: all that are named, or none when one of them is not on it."""
    from gatehouse.admin.lists.use_cases import lists

    removed = lists.remove(*open_account(account), name, given_entries(values, file))
    text = f"{_entries(removed)} removed from {name}"
    show({"list": name, "removed": removed}, text, as_json)


@app.command("import")
def import_entries(  # noqa: PLR0913, PLR0917 - each option is one property of an import
    name: ListName,
    file: Annotated[str, argument("FILE", "File; - is standard input.")],
    kind: KindOption = None,
    reason: ReasonOption = None,
    expires_in: ExpiresIn = None,
    file_format: Annotated[
        Literal["csv", "lines"] | None,
        option(
            "csv: value, reason, expires. lines: the whole line is the entry. "
            "Default: lines for words and users unless the file is called .csv, otherwise csv.",
            "--format",
        ),
    ] = None,
    skip_bad: Annotated[
        bool, option("Import the good lines even if others are bad.", "--skip-bad")
    ] = False,
    dry_run: DryRun = False,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Import entries from a file in UTF-8: CSV with value[,reason[,expires]], or one in each line.

    Lines that begin with # are comments. Reasons are kept as they are written. When a line cannot
    be used, nothing is imported and all such lines are reported. It can be repeated at will.
    """
    from gatehouse.admin.lists.use_cases import lists

    new = _new_entries(kind, reason, expires_in)
    options = lists.ImportOptions(**msgspec.structs.asdict(new), skip_bad=skip_bad, dry_run=dry_run)
    source = lists.ListFile(file, partial(open_file, file), file_format)
    done = lists.import_file(*open_account(account), name, source, options)
    content = done.content
    if content.bad:
        typer.echo(f"{content.bad} lines are left out:\n{content.report()}", err=True)
    more = {"lines": content.read, "bad": content.bad, "dryRun": dry_run}
    _show_added(done.added, name, more, as_json=as_json)


@app.command("show")
def show_list(
    name: Annotated[
        str | None, argument("NAME", "Name of the list.", autocompletion=list_names)
    ] = None,
    gone: Annotated[
        bool, option("Also what was removed, replaced or has expired.", "--gone")
    ] = False,
    limit: Annotated[int, option("Entries to show.", min=1, max=1_000_000)] = 100,
    matches: Annotated[
        bool, option("Count what each matched in the last 30 days.", "--matches")
    ] = False,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Show the lists, or the entries of one.

    Matches are counted in the copy of the decisions that the console keeps. Where it does not run,
    a copy is made and removed afterwards.
    """
    from gatehouse.admin.lists.use_cases import lists

    session, account_id = open_account(account)
    if name is None:
        data = [_shown(one) for one in lists.overview(session, account_id).lists]
        columns_shown = ("list", "kind", "entries", "description")
        text = columns(("NAME", "KIND", "ENTRIES", "DESCRIPTION"), data, columns_shown)
        show(data, text if data else "there are no lists", as_json)
        return
    at_ms = session.clock()
    page = lists.EntryPage(at_ms, limit, include_gone=gone)
    found = lists.entries(session, account_id, name, page)
    data = [_data(one, at_ms) for one in found]
    headings: tuple[str, ...] = ("ENTRY", "STATUS", "ADDED", "EXPIRES", "BY", "REASON")
    fields: tuple[str, ...] = ("shown", "status", "addedAt", "expiresAt", "actor", "reason")
    if matches:
        matched = _matches((session, account_id), name, found)
        data = [{**one, **more} for one, more in zip(data, matched, strict=True)]
        headings += ("MATCHED IN 30 DAYS", "LAST MATCH")
        fields += ("matched30Days", "lastMatchAt")
    text = columns(headings, data, fields) if data else f"list {name} is empty"
    if len(found) == limit:
        text += f"\nthe first {limit}; more with --limit"
    show(data, text, as_json)


def _matches(opened: Opened, name: str, found: "list[ListedEntry]") -> list[dict[str, Any]]:
    from gatehouse.admin.figures.use_cases.list_figures import list_matches
    from gatehouse.admin.figures.use_cases.opening import columns_for_now

    with columns_for_now(*opened, load_settings(os.environ).home) as copied:
        matched = list_matches(opened[0], copied, name, found)
    return [
        {"matched30Days": each.recent, "lastMatchAt": time_or_none(each.last_ms)}
        for each in matched.entries
        if each is not None
    ]


def _shown(one: "ListShown") -> dict[str, Any]:
    return {"list": one.name, **msgspec.to_builtins(one, enc_hook=str)}


def given_entries(values: list[str] | None, file: str | None) -> "GivenEntries":
    """Entries that were typed, and those of a file."""
    from gatehouse.admin.lists.use_cases.lists import GivenEntries, ListFile

    source = None if file is None else ListFile(file, partial(open_file, file))
    return GivenEntries(values or (), source)


def _new_entries(kind: str | None, reason: str | None, expires_in: str | None) -> "NewEntries":
    from gatehouse.admin.lists.use_cases.lists import NewEntries, read_kind

    return NewEntries(
        kind=None if kind is None else read_kind(kind),
        reason=reason,
        lifetime_ms=None if expires_in is None else span_argument(expires_in),
    )


def _show_added(
    added: "Added", name: str, more: dict[str, Any] | None = None, *, as_json: bool
) -> None:
    counts = msgspec.structs.asdict(added)
    text = ", ".join(f"{count} {word}" for word, count in counts.items())
    if more and more["dryRun"]:
        text = f"would be: {text}"
    show({"list": name, **counts, **(more or {})}, f"{name}: {text}", as_json)


def _entries(count: int) -> str:
    return "1 entry" if count == 1 else f"{count} entries"


def _data(one: "ListedEntry", at_ms: int) -> dict[str, Any]:
    return {
        "value": one.value,
        "shown": one.shown,
        "status": one.status(at_ms),
        "reason": one.reason,
        "actor": one.actor,
        "addedAt": iso_time(one.added_at_ms),
        "expiresAt": time_or_none(one.expires_at_ms),
        "removedAt": time_or_none(one.removed_at_ms),
    }
