"""Entries of a list as programs put them on, take them off and find them, and its log."""

import csv
import io
from contextlib import closing
from typing import Any, Final

from gatehouse.admin.audit import use_cases as audit_log
from gatehouse.admin.lists.types import (
    EntriesAdded,
    EntriesRemoved,
    EntriesToAdd,
    EntriesToRemove,
    EntrySearch,
    EntryShown,
    EntryShownPage,
    ListOperation,
    ListOperationPage,
    OperationSearch,
    PathName,
)
from gatehouse.admin.lists.use_cases import lists
from gatehouse.admin.lists.use_cases.lists import (
    CHANGE,
    SCOPE,
    SEE,
    GivenEntries,
    ImportOptions,
    ListFile,
    NewEntries,
    UnusableLines,
    entry_terms,
)
from gatehouse.core.clock import Moment, moment
from gatehouse.core.errors import InvalidFields, InvalidInput, NotFound
from gatehouse.core.files.csv_output import plain_cell
from gatehouse.core.wording.sentences import Phrase, said_by
from gatehouse.rules.list_entries import canonical
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.use_case import ANY_VERSION, MOST_DOCUMENT_BYTES, Precondition, use_case
from gatehouse.store.configured.list_plans import ListKey
from gatehouse.store.configured.list_reading import EntryPage, ListedEntry

_LIST_ONE_VALUE: Final = Phrase("refused.list_one_value", "the value {why}")
_OR_SEND_KIND: Final = Phrase("refused.list_or_kind", "{missing}; create it, or send its kind")
_NO_CURSOR: Final = "must be the cursor of an answer"


@use_case(
    "POST /lists/{name}/entries",
    scope=SCOPE,
    permission=CHANGE,
    answers="entriesAddedResponse",
    names_cards=True,
    most_bytes=MOST_DOCUMENT_BYTES,
)
def add_entries(
    session: AdminSession,
    account_id: str,
    name: PathName,
    given: EntriesToAdd,
    seen: Precondition = ANY_VERSION,
    dry_run: bool = False,
) -> EntriesAdded:
    """Add entries.

    Puts up to 1,000 entries on a list. One that is on it already gets the new expiry and reason.
    All are added, or none if one cannot be used.
    """
    lifetime_ms = None if given.expires_in_s is None else given.expires_in_s * 1000
    expected = _expected(session, ListKey(account_id, name), seen)
    options = ImportOptions(given.kind, given.reason, lifetime_ms, expected, dry_run=dry_run)
    _refuse_line_ends(given)
    file = _as_file([(one.value, one.expires or "", one.reason or "") for one in given.entries])
    try:
        added = lists.import_file(session, account_id, name, file, options).added
    except NotFound as missing:
        raise NotFound(_OR_SEND_KIND(missing=said_by(missing))) from None
    except UnusableLines as unusable:
        # The first line is the header.
        flaws = unusable.content.flaws
        raise InvalidFields({f"entries[{one.line - 2}]": [one.message] for one in flaws}) from None
    return EntriesAdded(name, added.added, added.changed, added.unchanged, dry_run)


@use_case(
    "POST /lists/{name}/entries/search",
    scope=SCOPE,
    permission=SEE,
    answers="entriesResponse",
    names_cards=True,
    reads=True,
)
def search_entries(
    session: AdminSession, account_id: str, name: PathName, given: EntrySearch
) -> EntryShownPage:
    """Search entries of a list.

    Entries by value, page by page; with `value`, only that one. A POST, because values may be
    personal. Cards, mailboxes and phones are shown as fingerprints.
    """
    limit, now_ms, value = given.limit, session.clock(), None
    after = _read_cursor(given.cursor)
    if given.value is not None:
        value = _kept(session, ListKey(account_id, name), given.value)
    page = EntryPage(now_ms, limit + 1, after, given.gone, value)
    found = lists.entries(session, account_id, name, page)
    more = len(found) > limit
    last = found[limit - 1] if more else None
    cursor = None if last is None else f"{last.added_at_ms}.{last.value}"
    return EntryShownPage([_shown(each, now_ms) for each in found[:limit]], more, cursor)


@use_case(
    "POST /lists/{name}/removals",
    scope=SCOPE,
    permission=CHANGE,
    answers="entriesRemovedResponse",
    names_cards=True,
    most_bytes=MOST_DOCUMENT_BYTES,
)
def remove_entries(
    session: AdminSession,
    account_id: str,
    name: PathName,
    given: EntriesToRemove,
    seen: Precondition = ANY_VERSION,
) -> EntriesRemoved:
    """Remove entries.

    Takes up to 1,000 entries off a list: all of them, or none if one is not on it.
    """
    file = _as_file([(value, "", "") for value in given.values])
    wanted = GivenEntries((), file, _expected(session, ListKey(account_id, name), seen))
    return EntriesRemoved(name, lists.remove(session, account_id, name, wanted))


@use_case(
    "GET /lists/{name}/operations",
    scope=SCOPE,
    permission=SEE,
    codes=frozenset({"conflict"}),
    answers="operationsResponse",
)
def list_operations(
    session: AdminSession, account_id: str, name: PathName, wanted: OperationSearch
) -> ListOperationPage:
    """Operation log of a list.

    What was done to a list, newest first: by whom, when, and how many entries.
    """
    lists.check_exists(session, account_id, name)
    before, limit = _read_number(wanted.starting_after), wanted.limit
    search = audit_log.LineSearch(before, limit + 1, "list.", {"list": name})
    found = audit_log.search(session, account_id, search)
    more = len(found) > limit
    shown = [
        ListOperation(each.action, each.actor, Moment(each.at_ms), _counts(each.details))
        for each in found[:limit]
    ]
    return ListOperationPage(shown, more, str(found[limit - 1].seq) if more else None)


def _expected(session: AdminSession, key: ListKey, seen: Precondition) -> int | None:
    """How often a list may have been changed before, as the preconditions say it."""
    if seen.any_version:
        lists.check_exists(session, *key)
    return seen.expected


def _as_file(rows: list[tuple[str, str, str]]) -> ListFile:
    """Entries as a file of CSV, which may also hold card numbers and terms of each entry."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerows([("value", "expires", "reason"), *(map(plain_cell, row) for row in rows)])
    content = text.getvalue().encode()
    return ListFile("entries.csv", lambda: closing(io.BytesIO(content)), "csv")


def _refuse_line_ends(given: EntriesToAdd) -> None:
    """A line end inside a value would be read as another entry."""
    wrong = {
        f"entries[{number}].value": ["must be on one line"]
        for number, one in enumerate(given.entries)
        if any(char in one.value + (one.reason or "") for char in "\r\n")
    }
    if wrong:
        raise InvalidFields(wrong)


def _kept(session: AdminSession, key: ListKey, value: str) -> str:
    """A value as its list keeps it."""
    with entry_terms(session, key, NewEntries()) as terms:
        try:
            return canonical(terms.kind, value, terms.hasher).value
        except ValueError as error:
            raise InvalidInput(_LIST_ONE_VALUE(why=said_by(error))) from None


def _read_cursor(text: str | None) -> tuple[str, int] | None:
    if text is None:
        return None
    added_at, _, value = text.partition(".")
    if not (added_at.isascii() and added_at.isdigit() and len(added_at) < 16 and value):
        raise InvalidFields({"cursor": [_NO_CURSOR]})
    return value, int(added_at)


def _read_number(text: str | None) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise InvalidFields({"startingAfter": [_NO_CURSOR]})
    return int(text)


def _shown(entry: ListedEntry, now_ms: int) -> EntryShown:
    return EntryShown(
        entry.shown,
        entry.status(now_ms),
        entry.reason,
        entry.actor,
        Moment(entry.added_at_ms),
        moment(entry.expires_at_ms),
        moment(entry.removed_at_ms),
    )


def _counts(details: dict[str, Any]) -> dict[str, int]:
    return {name: value for name, value in details.items() if type(value) is int}
