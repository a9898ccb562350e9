"""Lists of an account: creating, filling, importing, showing and dropping them."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import BinaryIO, Final, NamedTuple

import msgspec
import sqlalchemy as sa

from gatehouse.admin.list_files import (
    EntryTerms,
    ListFileContent,
    ListFormat,
    read_entries,
    read_typed,
    usual_format,
)
from gatehouse.admin.scopes import account_change, account_reading
from gatehouse.core.errors import Conflict, InvalidInput
from gatehouse.rules.list_entries import EntryKeeper, ListEntry, ListKind
from gatehouse.rules.ruleset import decode_program
from gatehouse.signals.fingerprinter import open_fingerprinter
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured import list_reading, lists
from gatehouse.store.configured.configurations import RULES, active
from gatehouse.store.configured.list_plans import (
    Added,
    ListKey,
    PlannedEntry,
    plan_adding,
    reason_text,
)
from gatehouse.store.configured.list_reading import EntryPage, ListedEntry, ListInfo

# What the store takes and returns, for faces.
__all__ = ["Added", "EntryPage", "ListInfo", "ListedEntry"]

MOST_AT_ONCE: Final = 1000
"""Entries that are added in one transaction; more go in turns, between which servers can write."""
_PAGE: Final = 5000


class ListFile(NamedTuple):
    """A file with entries: what it is called, how it is opened, and how it is written."""

    name: str
    open: Callable[[], AbstractContextManager[BinaryIO]]
    format: ListFormat | None = None


class GivenEntries(msgspec.Struct, frozen=True):
    """Entries that were typed, and a file with more of them."""

    values: Sequence[str] = ()
    file: ListFile | None = None


class NewEntries(msgspec.Struct, frozen=True):
    """What holds for all entries to add, unless a line of a file has its own."""

    kind: ListKind | None = None
    """With it, the list is created if it does not exist."""
    reason: str | None = None
    lifetime_ms: int | None = None


class ImportOptions(NewEntries, frozen=True):
    """The same for an import; how it treats bad lines, and whether it changes anything."""

    skip_bad: bool = False
    dry_run: bool = False


class ImportedEntries(msgspec.Struct, frozen=True):
    """What an import did, and the lines that it left out."""

    added: Added
    content: ListFileContent


def read_kind(text: str) -> ListKind:
    """The kind of a list by its name."""
    try:
        return ListKind(text.lower())
    except ValueError:
        *most, last = (kind.value for kind in ListKind)
        raise InvalidInput(f"a list holds {', '.join(most)} or {last}") from None


def create(
    session: AdminSession, account_id: str, name: str, kind: ListKind, description: str | None
) -> None:
    """Create an empty list."""
    with account_change(session, account_id) as change:
        lists.create(change, account_id, name, kind, description)


def drop(session: AdminSession, account_id: str, name: str, *, force: bool = False) -> int:
    """Remove a list with its entries; how many were in force. `force` ignores rules that use it."""
    with account_change(session, account_id) as change:
        users = [] if force else _rules_with(change.connection, account_id, name)
        if users:
            raise Conflict(
                f"rules look things up on list {name}: {', '.join(users)}; change them first, or "
                "add --force"
            )
        return lists.drop(change, account_id, name)


def add(
    session: AdminSession, account_id: str, name: str, given: GivenEntries, new: NewEntries
) -> Added:
    """Put entries on a list; one that is on it gets the new expiry, and the new reason if any."""
    job = _EntryJob(session, ListKey(account_id, name), new)
    return job.add(list(job.read(given, "added").values()))


def remove(session: AdminSession, account_id: str, name: str, given: GivenEntries) -> int:
    """Take entries off a list: all that are named, or none when one of them is not on it."""
    job = _EntryJob(session, ListKey(account_id, name), NewEntries())
    found = job.read(given, "removed").values()
    with account_change(session, account_id) as change:
        named = [ListEntry(entry.value, entry.shown) for entry in found]
        return lists.remove(change, account_id, name, named)


def import_file(
    session: AdminSession, account_id: str, name: str, file: ListFile, options: ImportOptions
) -> ImportedEntries:
    """Add the entries of a file; with a bad line nothing is added, unless bad ones are skipped."""
    job = _EntryJob(session, ListKey(account_id, name), options)
    content = job.read_file(file)
    if not options.skip_bad:
        _refuse_flaws(content, "imported")
    entries = list(content.entries.values())
    return ImportedEntries(job.preview(entries) if options.dry_run else job.add(entries), content)


def overview(session: AdminSession, account_id: str) -> list[ListInfo]:
    """All lists of an account, by name."""
    with account_reading(session, account_id) as connection:
        return list_reading.overview(connection, account_id, session.clock())


def entries(
    session: AdminSession, account_id: str, name: str, page: EntryPage
) -> list[ListedEntry]:
    """The entries of a list, by value, up to the limit of the page."""
    found: list[ListedEntry] = []
    with account_reading(session, account_id) as connection:
        while len(found) < page.limit:
            following = msgspec.structs.replace(
                page,
                limit=min(_PAGE, page.limit - len(found)),
                after=(found[-1].value, found[-1].added_at_ms) if found else page.after,
            )
            more = list_reading.entries(connection, account_id, name, following)
            if not more:
                break
            found += more
    return found


class _EntryJob:
    """Entries to be read for one list, and to be written to it."""

    def __init__(self, session: AdminSession, key: ListKey, new: NewEntries) -> None:
        self._session = session
        self._key = key
        self._new_kind = new.kind
        with account_reading(session, key.account_id) as connection:
            known = list_reading.find_kind(connection, *key)
            if new.kind is not None and known is None:
                kind = new.kind
            else:
                kind = list_reading.kind_of(connection, *key, new.kind)
        self._keeper: EntryKeeper = open_fingerprinter(session.ring)
        now_ms = session.clock()
        expires_at_ms = None if new.lifetime_ms is None else now_ms + new.lifetime_ms
        if new.lifetime_ms == 0:
            raise InvalidInput("--expires-in must be more than nothing, such as 30d")
        self._terms = EntryTerms(kind, now_ms, reason_text(new.reason), expires_at_ms)

    def read(self, given: GivenEntries, verb: str) -> dict[str, PlannedEntry]:
        """Typed entries and those of a file, by value."""
        found = {entry.value: entry for entry in self._typed(given.values)}
        if given.file is not None:
            content = self.read_file(given.file)
            _refuse_flaws(content, verb)
            found |= content.entries
        elif not given.values:
            raise InvalidInput(
                "give entries, or a file with them: --file FILE, or --file - to type"
            )
        return found

    def read_file(self, file: ListFile) -> ListFileContent:
        """The entries of a file, and its bad lines."""
        form = file.format or usual_format(file.name, self._terms.kind)
        with file.open() as stream:
            return read_entries(stream, form, self._terms, self._keeper)

    def preview(self, entries: Sequence[PlannedEntry]) -> Added:
        """What adding would do."""
        with account_reading(self._session, self._key.account_id) as connection:
            return plan_adding(connection, self._key, entries, self._session.clock()).tally

    def add(self, entries: Sequence[PlannedEntry]) -> Added:
        """Put entries on the list."""
        if len(entries) > MOST_AT_ONCE:
            return lists.add_many(self._session, *self._key, self._new_kind, entries)
        with account_change(self._session, self._key.account_id) as change:
            return lists.add(change, *self._key, self._new_kind, entries)

    def _typed(self, values: Sequence[str]) -> list[PlannedEntry]:
        found, flaws = [], []
        for number, value in enumerate(values, 1):
            try:
                entry = read_typed(value, self._terms.kind, self._keeper)
            except ValueError as error:
                flaws.append(f"value {number} {error}")
                continue
            terms = self._terms
            found.append(PlannedEntry(entry.value, entry.shown, terms.reason, terms.expires_at_ms))
        if flaws:
            raise InvalidInput("; ".join(flaws))
        return found


def _rules_with(connection: sa.Connection, account_id: str, name: str) -> list[str]:
    """The rules in force that look something up on a list."""
    return [
        f"{rule.name} of {stored.name}"
        for stored in active(connection, account_id, RULES)
        for rule in decode_program(stored.program).rules
        if any(looked_up == name for _, looked_up in rule.condition.lists)
    ]


def _refuse_flaws(content: ListFileContent, verb: str) -> None:
    if content.bad:
        lines = "a line" if content.bad == 1 else f"{content.bad} lines"
        raise InvalidInput(f"nothing was {verb}: {lines} cannot be used\n{content.report()}")
