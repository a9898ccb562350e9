"""gatehouse lists: create, add, remove, import, show, drop."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import msgspec
import typer

from gatehouse.cli.common import (
    AccountOption,
    AsJson,
    open_session,
    resolve_account,
    show,
    span_argument,
    table,
)
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import Conflict, InvalidInput
from gatehouse.core.redaction import recordable

if TYPE_CHECKING:
    import sqlalchemy as sa

    from gatehouse.cli.configured.list_files import ListFileContent, ListFormat, Terms
    from gatehouse.rules.list_entries import EntryKeeper, ListEntry, ListKind
    from gatehouse.store.admin.admin_session import AdminSession
    from gatehouse.store.configured.list_plans import Added, PlannedEntry

app = typer.Typer(
    help="Lists of cards, networks, mailboxes and the like, for rules to look things up on.",
    no_args_is_help=True,
)

_KINDS: Final = "cards, bins, networks, emails, domains, phones, users, countries or words"
_FEW: Final = 1000
_PAGE: Final = 5000

ListName = Annotated[str, typer.Argument(metavar="NAME", help="Name of the list.")]
ValuesArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="[VALUE]...", help="Entries. Card numbers only by --file."),
]
KindOption = Annotated[
    str | None, typer.Option("--kind", help=f"What it holds: {_KINDS}. Makes the list if needed.")
]
ReasonOption = Annotated[
    str | None,
    typer.Option(help="Why; kept with each entry as it is written. No personal data, please."),
]
ExpiresIn = Annotated[str | None, typer.Option(help="How long it counts, such as 30d.")]
EntryFile = Annotated[
    str | None, typer.Option("--file", help="File with one entry in each line; - is the input.")
]


@app.command()
def create(
    name: ListName,
    kind: Annotated[str, typer.Option("--kind", help=f"What it holds: {_KINDS}.")],
    description: Annotated[
        str | None, typer.Option(help="What it is for; kept as it is written.")
    ] = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Make an empty list."""
    from gatehouse.store.configured import lists

    found = _kind(kind)
    place = open_session()
    account_id = resolve_account(place, account)
    with place.change() as change:
        lists.create(change, account_id, name, found, description)
    show({"list": name, "kind": found}, f"list {name} holds {found}", as_json=as_json)


@app.command()
def drop(
    name: ListName,
    force: Annotated[
        bool, typer.Option("--force", help="Even if rules look things up on it.")
    ] = False,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Remove a list with all its entries. Rules that name it find nothing on it any more."""
    from gatehouse.store.configured import lists

    place = open_session()
    account_id = resolve_account(place, account)
    with place.change() as change:
        users = [] if force else _rules_with(change.connection, account_id, name)
        if users:
            raise Conflict(
                f"rules look things up on list {name}: {', '.join(users)}; change them first, or "
                "add --force"
            )
        removed = lists.drop(change, account_id, name)
    text = f"list {name} is dropped; it had {_entries(removed)}"
    show({"list": name, "removed": removed}, text, as_json=as_json)


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
    job = _Job(open_session(), name, kind, account)
    terms = job.terms(reason, expires_in)
    found = {one.value: _listed(one, terms) for one in job.entries(values or [])}
    if file is not None:
        gathered = _read(file, None, terms, job.keeper)
        _refuse_flaws(gathered, "added")
        found |= gathered.listings
    elif not values:
        raise InvalidInput("give entries, or a file with them: --file FILE, or --file - to type")
    _show_added(job.add(list(found.values())), name, as_json=as_json)


@app.command()
def remove(
    name: ListName,
    values: ValuesArgument = None,
    file: EntryFile = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Take entries off a list: all that are named, or none when one of them is not on it."""
    from gatehouse.rules.list_entries import ListEntry
    from gatehouse.store.configured import lists

    job = _Job(open_session(), name, None, account)
    found = job.entries(values or [])
    if file is not None:
        gathered = _read(file, None, job.terms(None, None), job.keeper)
        _refuse_flaws(gathered, "removed")
        found += [ListEntry(one.value, one.shown) for one in gathered.listings.values()]
    elif not values:
        raise InvalidInput("give entries, or a file with them: --file FILE, or --file - to type")
    with job.place.change() as change:
        removed = lists.remove(change, job.account_id, name, found)
    text = f"{_entries(removed)} removed from {name}"
    show({"list": name, "removed": removed}, text, as_json=as_json)


@app.command("import")
def import_entries(  # noqa: PLR0913, PLR0917 - each option is one property of an import
    name: ListName,
    file: Annotated[str, typer.Argument(metavar="FILE", help="File; - is standard input.")],
    kind: KindOption = None,
    reason: ReasonOption = None,
    expires_in: ExpiresIn = None,
    file_format: Annotated[
        Literal["csv", "lines"] | None,
        typer.Option(
            "--format",
            help="csv: value, reason, expires. lines: the whole line is the entry. "
            "Default: lines for words and users unless the file is called .csv, otherwise csv.",
        ),
    ] = None,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Import the good lines even if others are bad.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would happen.")] = False,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Import entries from a file in UTF-8: CSV with value[,reason[,expires]], or one in each line.

    Lines that begin with # are comments. Reasons are kept as they are written. When a line cannot
    be used, nothing is imported and all such lines are reported. It can be repeated at will.
    """
    job = _Job(open_session(), name, kind, account)
    gathered = _read(file, file_format, job.terms(reason, expires_in), job.keeper)
    if not skip_bad:
        _refuse_flaws(gathered, "imported")
    elif gathered.bad:
        typer.echo(f"{gathered.bad} lines are left out:\n{gathered.report()}", err=True)
    listings = list(gathered.listings.values())
    added = job.rehearse(listings) if dry_run else job.add(listings)
    more = {"lines": gathered.read, "bad": gathered.bad, "dryRun": dry_run}
    _show_added(added, name, more, as_json=as_json)


@app.command("show")
def show_list(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Name of the list.")] = None,
    gone: Annotated[
        bool, typer.Option("--gone", help="Also what was removed, replaced or has expired.")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, max=1_000_000, help="Entries to show.")] = 100,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Show the lists, or the entries of one."""
    from gatehouse.store.configured import lists

    place = open_session()
    account_id = resolve_account(place, account)
    at_ms = place.clock()
    if name is None:
        _show_lists(place, account_id, at_ms, as_json=as_json)
        return
    found: list[lists.ListedEntry] = []
    with place.reading() as connection:
        while len(found) < limit:
            page = lists.entries(
                connection,
                account_id,
                name,
                at_ms,
                include_gone=gone,
                limit=min(_PAGE, limit - len(found)),
                after=(found[-1].value, found[-1].added_at_ms) if found else None,
            )
            if not page:
                break
            found += page
    rows = [
        (
            one.shown,
            one.status(at_ms),
            iso_time(one.added_at_ms),
            _time(one.expires_at_ms) or "-",
            one.actor,
            one.reason or "-",
        )
        for one in found
    ]
    headings = ("ENTRY", "STATUS", "ADDED", "EXPIRES", "BY", "REASON")
    text = table(headings, rows) if rows else f"list {name} is empty"
    if len(found) == limit:
        text += f"\nthe first {limit}; more with --limit"
    show([_data(one, at_ms) for one in found], text, as_json=as_json)


def _show_lists(place: "AdminSession", account_id: str, at_ms: int, *, as_json: bool) -> None:
    from gatehouse.store.configured import lists

    with place.reading() as connection:
        every = lists.overview(connection, account_id, at_ms)
    data = [
        {
            "list": one.name,
            "kind": one.kind,
            "entries": one.entries,
            "description": one.description,
            "createdAt": iso_time(one.created_at_ms),
        }
        for one in every
    ]
    rows = [(one.name, one.kind, one.entries, one.description or "-") for one in every]
    text = table(("NAME", "KIND", "ENTRIES", "DESCRIPTION"), rows)
    show(data, text if rows else "there are no lists", as_json=as_json)


class _Job:
    """One list of one account, opened for entries to be read and written."""

    def __init__(
        self, place: "AdminSession", name: str, kind: str | None, account: str | None
    ) -> None:
        from gatehouse.signals.fingerprinter import open_fingerprinter
        from gatehouse.store.configured import lists

        self.place = place
        self.name = name
        self.account_id = resolve_account(place, account)
        self.asked = None if kind is None else _kind(kind)
        with place.reading() as connection:
            there = lists.kinds(connection, self.account_id)
            self.kind: ListKind
            if self.asked is not None and name not in there:
                self.kind = self.asked
            else:
                self.kind = lists.kind_of(connection, self.account_id, name, self.asked)
        self.keeper: EntryKeeper = open_fingerprinter(place.ring)

    def terms(self, reason: str | None, expires_in: str | None) -> "Terms":
        """What counts for all entries of the command."""
        from gatehouse.cli.configured.list_files import Terms
        from gatehouse.store.configured.list_plans import reason_text

        now_ms = self.place.clock()
        expires_at_ms = None if expires_in is None else now_ms + span_argument(expires_in)
        if expires_at_ms == now_ms:
            raise InvalidInput("--expires-in must be more than nothing, such as 30d")
        return Terms(self.kind, now_ms, reason_text(reason), expires_at_ms)

    def entries(self, values: Sequence[str]) -> "list[ListEntry]":
        """Entries that were typed; all that is wrong with them at once."""
        from gatehouse.cli.configured.list_files import typed

        found, flaws = [], []
        for place, value in enumerate(values, 1):
            try:
                found.append(typed(value, self.kind, self.keeper))
            except ValueError as error:
                flaws.append(f"value {place} {error}")
        if flaws:
            raise InvalidInput("; ".join(flaws))
        return found

    def rehearse(self, listings: "Sequence[PlannedEntry]") -> "Added":
        """What adding would do."""
        from gatehouse.store.configured import lists

        now_ms = self.place.clock()
        with self.place.reading() as connection:
            return lists.rehearse_add(connection, self.account_id, self.name, listings, now_ms)

    def add(self, listings: "Sequence[PlannedEntry]") -> "Added":
        """Have entries on the list: few at once, many in turns."""
        from gatehouse.store.configured import lists

        if len(listings) > _FEW:
            return lists.add_many(self.place, self.account_id, self.name, self.asked, listings)
        with self.place.change() as change:
            return lists.add(change, self.account_id, self.name, self.asked, listings)


def _rules_with(connection: "sa.Connection", account_id: str, name: str) -> list[str]:
    """The rules in force that look something up on a list."""
    from gatehouse.rules.ruleset import decode_program
    from gatehouse.store.configured import configurations

    return [
        f"{rule.name} of {kept.name}"
        for kept in configurations.active(connection, account_id, "rules")
        for rule in decode_program(kept.program).rules
        if any(looked_up == name for _, looked_up in rule.condition.lists)
    ]


def _kind(text: str) -> "ListKind":
    from gatehouse.rules.list_entries import ListKind

    try:
        return ListKind(text.lower())
    except ValueError:
        raise InvalidInput(f"a list holds {_KINDS}") from None


def _listed(entry: "ListEntry", terms: "Terms") -> "PlannedEntry":
    from gatehouse.store.configured.list_plans import PlannedEntry

    return PlannedEntry(entry.value, entry.shown, terms.reason, terms.expires_at_ms)


def _read(
    file: str, form: "ListFormat | None", terms: "Terms", keeper: "EntryKeeper"
) -> "ListFileContent":
    from gatehouse.cli.configured.list_files import gather, usual_format
    from gatehouse.core.files.lines import standard_input

    form = form or usual_format(file, terms.kind)
    if file == "-":
        return gather(standard_input(), form, terms, keeper)
    try:
        with Path(file).open("rb") as stream:
            return gather(stream, form, terms, keeper)
    except OSError as error:
        raise InvalidInput(f"cannot read {recordable(file)}: {error.strerror}") from None


def _refuse_flaws(gathered: "ListFileContent", verb: str) -> None:
    if gathered.bad:
        lines = "a line" if gathered.bad == 1 else f"{gathered.bad} lines"
        raise InvalidInput(f"nothing was {verb}: {lines} cannot be used\n{gathered.report()}")


def _show_added(
    added: "Added", name: str, more: dict[str, Any] | None = None, *, as_json: bool
) -> None:
    counts = msgspec.structs.asdict(added)
    text = ", ".join(f"{count} {word}" for word, count in counts.items())
    if more and more["dryRun"]:
        text = f"would be: {text}"
    show({"list": name, **counts, **(more or {})}, f"{name}: {text}", as_json=as_json)


def _entries(count: int) -> str:
    return "1 entry" if count == 1 else f"{count} entries"


def _time(at_ms: int | None) -> str | None:
    return None if at_ms is None else iso_time(at_ms)


def _data(one: Any, at_ms: int) -> dict[str, Any]:
    return {
        "value": one.value,
        "shown": one.shown,
        "status": one.status(at_ms),
        "reason": one.reason,
        "actor": one.actor,
        "addedAt": iso_time(one.added_at_ms),
        "expiresAt": _time(one.expires_at_ms),
        "removedAt": _time(one.removed_at_ms),
    }
