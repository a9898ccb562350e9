"""Lists of an account: creating, filling, importing, showing and dropping them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import BinaryIO, Final, NamedTuple

import msgspec
import sqlalchemy as sa

from gatehouse.access.roles import Permission
from gatehouse.admin.approvals.use_cases.approvals import (
    ApprovalKind,
    check_allowed,
    check_approved,
)
from gatehouse.admin.lists.types import (
    UNFORCED,
    ListDropped,
    ListDropping,
    ListPage,
    ListShown,
    NewList,
    PathName,
)
from gatehouse.admin.lists.use_cases.list_files import (
    EntryTerms,
    ListFileContent,
    ListFormat,
    read_entries,
    read_typed,
    usual_format,
)
from gatehouse.core.clock import Moment
from gatehouse.core.errors import Conflict, InvalidInput
from gatehouse.core.files.lines import FileLimits
from gatehouse.core.wording.sentences import Phrase, row
from gatehouse.rules.list_entries import ListKind
from gatehouse.rules.ruleset import decode_program
from gatehouse.signals.fingerprinter import EntryFingerprinter
from gatehouse.store.admin.admin_session import AdminSession, Change, Reading
from gatehouse.store.admin.named_cards import NamedCards
from gatehouse.store.admin.use_case import ANY_VERSION, Precondition, Tagged, use_case
from gatehouse.store.configured import list_reading, lists
from gatehouse.store.configured.account_signature import check_account
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
__all__ = ["Added", "EntryPage", "ListedEntry"]

_ONE_LINE: Final = Phrase("refused.one_line", "a line")
_SEVERAL_LINES: Final = Phrase("refused.several_lines", "{count} lines")
_NOTHING_DONE: Final = {
    "added": Phrase("refused.nothing_added", "nothing was added: {lines} cannot be used\n{report}"),
    "removed": Phrase(
        "refused.nothing_removed", "nothing was removed: {lines} cannot be used\n{report}"
    ),
    "imported": Phrase(
        "refused.nothing_imported", "nothing was imported: {lines} cannot be used\n{report}"
    ),
}

_LIST_KINDS: Final = Phrase("refused.list_kinds", "a list holds {known} or {last}")
_LIST_USED: Final = Phrase(
    "refused.list_used",
    "rules look things up on list {name}: {users}; change them first",
)
_LIST_EXPIRES_IN: Final = Phrase(
    "refused.list_expires_in", "entries must expire later than at once, such as after 30 days"
)
_LIST_NOTHING_GIVEN: Final = Phrase(
    "refused.list_nothing_given", "give entries, or a file with them"
)
_RULE_OF: Final = Phrase("refused.rule_of", "{rule} of {rule_set}")

SCOPE: Final = "manage:lists"
SEE: Final = Permission.SEE
CHANGE: Final = Permission.CONFIGURE
MOST_AT_ONCE: Final = 1000
"""Entries that are added in one transaction; more go in turns, between which servers can write."""
_READ_AT_ONCE: Final = 1000


class ListFile(NamedTuple):
    """A file with entries: what it is called, how it is opened, and how it is written."""

    name: str
    open: Callable[[], AbstractContextManager[BinaryIO]]
    format: ListFormat | None = None
    limits: FileLimits | None = None
    """How much is read of it; None for a file on the machine itself."""


class GivenEntries(msgspec.Struct, frozen=True):
    """Entries that were typed, and a file with more of them."""

    values: Sequence[str] = ()
    file: ListFile | None = None
    expected: int | None = None
    """How often the list may have been changed before; 0 if there must be none."""


class NewEntries(msgspec.Struct, frozen=True):
    """What holds for all entries to add, unless a line of a file has its own."""

    kind: ListKind | None = None
    """With it, the list is created if it does not exist."""
    reason: str | None = None
    lifetime_ms: int | None = None
    expected: int | None = None
    """How often the list may have been changed before; 0 if there must be none."""


class ImportOptions(NewEntries, frozen=True):
    """The same for an import; how it treats bad lines, and whether it changes anything."""

    skip_bad: bool = False
    dry_run: bool = False


class UnusableLines(InvalidInput):
    """Lines of a file that cannot be used, so that nothing was done with any of them."""

    def __init__(self, content: ListFileContent, verb: str) -> None:
        which = _ONE_LINE() if content.bad == 1 else _SEVERAL_LINES(count=content.bad)
        super().__init__(_NOTHING_DONE[verb](lines=which, report=content.report()))
        self.content = content


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
        raise InvalidInput(_LIST_KINDS(known=", ".join(most), last=last)) from None


@use_case("GET /lists", scope=SCOPE, permission=SEE, operation="listLists", answers="listsResponse")
def overview(reading: Reading, account_id: str) -> ListPage:
    """List lists.

    The account's lists by name, and how many entries are in force.
    """
    check_account(reading.connection, reading.session.signer, account_id)
    found = list_reading.overview(reading.connection, account_id, reading.now_ms)
    return ListPage([_shown(each) for each in found])


@use_case(
    "POST /lists", scope=SCOPE, permission=CHANGE, operation="createList", answers="listResponse"
)
def create(change: Change, account_id: str, given: NewList) -> Tagged[ListShown]:
    """Create a list.

    Makes an empty list of a kind.
    """
    lists.create(change, account_id, given.name, given.kind, given.description)
    return _one(change, account_id, given.name)


@use_case(
    "GET /lists/{name}", scope=SCOPE, permission=SEE, operation="getList", answers="listResponse"
)
def get(reading: Reading, account_id: str, name: PathName) -> Tagged[ListShown]:
    """Show a list.

    What a list holds, and how many entries are in force. Its `ETag` is for `If-Match` of a change.
    """
    return _one(reading, account_id, name)


@use_case(
    "DELETE /lists/{name}",
    scope=SCOPE,
    permission=CHANGE,
    operation="dropList",
    answers="listDroppedResponse",
)
def drop(
    change: Change,
    account_id: str,
    name: PathName,
    how: ListDropping = UNFORCED,
    seen: Precondition = ANY_VERSION,
) -> ListDropped:
    """Drop a list.

    Removes a list with its entries. Refused while rules in force use it.
    """
    if seen.any_version:
        list_reading.kind_of(change.connection, account_id, name)
    check_approved(change, account_id, ApprovalKind.LISTS)
    list_reading.check_version(change.connection, ListKey(account_id, name), seen.expected)
    users = [] if how.force else _rules_with(change.connection, account_id, name)
    if users:
        raise Conflict(_LIST_USED(name=name, users=row(users)))
    return ListDropped(name, lists.drop(change, account_id, name))


def _one(opened: Change | Reading, account_id: str, name: str) -> Tagged[ListShown]:
    connection = opened.connection
    list_reading.kind_of(connection, account_id, name)
    check_account(connection, opened.session.signer, account_id)
    found = list_reading.overview(connection, account_id, opened.now_ms)
    return next(Tagged(_shown(each), each.changes) for each in found if each.name == name)


def _shown(each: ListInfo) -> ListShown:
    created_at = Moment(each.created_at_ms)
    return ListShown(each.name, each.kind, each.description, each.entries, created_at)


def add(
    session: AdminSession, account_id: str, name: str, given: GivenEntries, new: NewEntries
) -> Added:
    """Put entries on a list; one that is on it gets the new expiry, and the new reason if any."""
    key = ListKey(account_id, name)
    with entry_terms(session, key, new) as terms:
        found = _read(given, terms, "added")
    return _add(session, key, new, found)


def planned(
    session: AdminSession,
    account_id: str,
    name: str,
    given: GivenEntries,
    new: NewEntries | None = None,
) -> tuple[PlannedEntry, ...]:
    """The entries as a list keeps them, so that they can be proposed."""
    with entry_terms(session, ListKey(account_id, name), new or NewEntries()) as terms:
        return tuple(_read(given, terms, "added"))


def put(
    session: AdminSession,
    account_id: str,
    name: str,
    entries: Sequence[PlannedEntry],
    kind: ListKind | None = None,
) -> Added:
    """Put planned entries on a list; with `kind`, it is created if it does not exist."""
    return _add(session, ListKey(account_id, name), NewEntries(kind), entries)


def take(
    session: AdminSession,
    account_id: str,
    name: str,
    entries: Sequence[PlannedEntry],
    expected: int | None = None,
) -> int:
    """Take planned entries off a list: all of them, or none when one is not on it."""
    with session.account_change(account_id) as change:
        check_approved(change, account_id, ApprovalKind.LISTS)
        list_reading.check_version(change.connection, ListKey(account_id, name), expected)
        return lists.remove(change, account_id, name, entries)


def remove(session: AdminSession, account_id: str, name: str, given: GivenEntries) -> int:
    """Take entries off a list: all that are named, or none when one of them is not on it."""
    with entry_terms(session, ListKey(account_id, name), NewEntries()) as terms:
        found = _read(given, terms, "removed")
    return take(session, account_id, name, found, given.expected)


def import_file(
    session: AdminSession, account_id: str, name: str, file: ListFile, options: ImportOptions
) -> ImportedEntries:
    """Add the entries of a file; with a bad line nothing is added, unless bad ones are skipped."""
    key = ListKey(account_id, name)
    with entry_terms(session, key, options) as terms:
        content = _read_file(file, terms)
    if not options.skip_bad:
        _refuse_flaws(content, "imported")
    found = list(content.entries.values())
    if not options.dry_run:
        return ImportedEntries(_add(session, key, options, found), content)
    with session.account_reading(account_id) as connection:
        list_reading.check_version(connection, key, options.expected)
        planned = plan_adding(connection, key, found, session.clock())
    return ImportedEntries(planned.tally, content)


def entries(
    session: AdminSession, account_id: str, name: str, page: EntryPage
) -> list[ListedEntry]:
    """The entries of a list, by value, up to the limit of the page."""
    with session.account_reading(account_id) as connection:
        check_account(connection, session.signer, account_id)
        return list_reading.entries(connection, account_id, name, page, session.signer)


def export_entries(session: AdminSession, account_id: str, name: str) -> Iterator[ListedEntry]:
    """The entries in force, by value; an audit line says that they were taken along."""
    with session.account_change(account_id) as change:
        list_reading.kind_of(change.connection, account_id, name)
        change.audit("list.export", account_id, list=name)
    return _in_force(session, account_id, name)


def _in_force(session: AdminSession, account_id: str, name: str) -> Iterator[ListedEntry]:
    now_ms, after = session.clock(), None
    while True:
        found = entries(session, account_id, name, EntryPage(now_ms, _READ_AT_ONCE, after))
        yield from found
        if len(found) < _READ_AT_ONCE:
            return
        after = (found[-1].value, found[-1].added_at_ms)


def check_exists(session: AdminSession, account_id: str, name: str) -> None:
    """`NotFound` for a list that the account does not have."""
    with session.account_reading(account_id) as connection:
        list_reading.kind_of(connection, account_id, name)


@contextmanager
def entry_terms(session: AdminSession, key: ListKey, new: NewEntries) -> Iterator[EntryTerms]:
    """How entries for a list are read; at the end of the block, cards among them are counted."""
    with session.account_reading(key.account_id) as connection:
        kind = new.kind
        if kind is None or key.name in list_reading.kinds(connection, key.account_id):
            kind = list_reading.kind_as(connection, *key, new.kind)
    now_ms = session.clock()
    if new.lifetime_ms == 0:
        raise InvalidInput(_LIST_EXPIRES_IN())
    expires_at_ms = None if new.lifetime_ms is None else now_ms + new.lifetime_ms
    reason = reason_text(new.reason)
    with NamedCards(session, key.account_id, f"list {key.name}") as cards:
        hasher = EntryFingerprinter(session.ring, cards)
        yield EntryTerms(kind, hasher, now_ms, reason, expires_at_ms)


def _read(given: GivenEntries, terms: EntryTerms, verb: str) -> list[PlannedEntry]:
    """Typed entries and those of a file, each value once."""
    if given.file is None and not given.values:
        raise InvalidInput(_LIST_NOTHING_GIVEN())
    found = {entry.value: entry for entry in read_typed(given.values, terms)}
    if given.file is not None:
        content = _read_file(given.file, terms)
        _refuse_flaws(content, verb)
        found |= content.entries
    return list(found.values())


def _read_file(file: ListFile, terms: EntryTerms) -> ListFileContent:
    form = file.format or usual_format(file.name, terms.kind)
    with file.open() as stream:
        return read_entries(stream, form, terms, file.limits)


def _add(
    session: AdminSession, key: ListKey, new: NewEntries, found: Sequence[PlannedEntry]
) -> Added:
    if len(found) > MOST_AT_ONCE:
        with session.account_reading(key.account_id) as connection:
            check_allowed(connection, session.actor, key.account_id, ApprovalKind.LISTS)
        return lists.add_many(session, *key, new.kind, found)
    with session.account_change(key.account_id) as change:
        check_approved(change, key.account_id, ApprovalKind.LISTS)
        list_reading.check_version(change.connection, key, new.expected)
        return lists.add(change, *key, new.kind, found)


def _rules_with(connection: sa.Connection, account_id: str, name: str) -> list[str]:
    """The rules in force that look something up on a list."""
    return [
        _RULE_OF(rule=rule.name, rule_set=stored.name)
        for stored in active(connection, account_id, RULES)
        for rule in decode_program(stored.program).rules
        if any(looked_up == name for _, looked_up in rule.condition.lists)
    ]


def _refuse_flaws(content: ListFileContent, verb: str) -> None:
    if content.bad:
        raise UnusableLines(content, verb)
