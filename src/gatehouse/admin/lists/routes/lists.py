"""Lists over HTTP: made, filled in bulk, searched, and what was done to them."""

import csv
import io
from contextlib import closing
from typing import Any, Final

from gatehouse.admin.audit import use_cases as audit_log
from gatehouse.admin.lists.routes.list_messages import (
    EntriesAdded,
    EntriesRemoved,
    EntriesToAdd,
    EntriesToRemove,
    EntrySearch,
    EntryShown,
    EntryShownPage,
    ListDropped,
    ListOperation,
    ListOperationPage,
    ListPage,
    ListShown,
    NewList,
)
from gatehouse.admin.lists.use_cases import lists
from gatehouse.admin.lists.use_cases.lists import (
    EntryPage,
    GivenEntries,
    ImportOptions,
    ListedEntry,
    ListFile,
    ListInfo,
)
from gatehouse.api.manage.endpoints import (
    DRY_RUN,
    LIMIT,
    ManageCall,
    ManageEndpoint,
    Parameter,
    after,
    read_flag,
)
from gatehouse.api.problems import Problem
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import NotFound
from gatehouse.core.files.csv_output import plain_cell
from gatehouse.store.admin.use_case import MOST_DOCUMENT_BYTES, Tagged

_SCOPE: Final = "manage:lists"
_NAME: Final = {"name": "Name of the list."}
_EXAMPLE: Final = {"name": "bad-networks"}
_ONE: Final = "/lists/{name}"
_FORCE: Final = Parameter(
    "force", "`true` drops it although rules use it.", {"type": "boolean"}, read_flag, False
)


def _overview(call: ManageCall) -> ListPage:
    return ListPage([_shown(each) for each in lists.overview(call.session, call.account_id)])


def _shown(each: ListInfo) -> ListShown:
    return ListShown(
        each.name, each.kind, each.description, each.entries, iso_time(each.created_at_ms)
    )


def _create(call: ManageCall) -> Tagged[Any]:
    new: NewList = call.body
    lists.create(call.session, call.account_id, new.name, new.kind, new.description)
    return _tagged(call, new.name)


def _get(call: ManageCall) -> Tagged[Any]:
    return _tagged(call, call.path["name"])


def _tagged(call: ManageCall, name: str) -> Tagged[Any]:
    found = lists.get(call.session, call.account_id, name)
    return Tagged(_shown(found), found.changes)


def _expected(call: ManageCall) -> int | None:
    """How often the list may have been changed before, as the preconditions say it."""
    seen = call.precondition
    if seen.any_version:
        lists.check_exists(call.session, call.account_id, call.path["name"])
    return seen.expected


def _drop(call: ManageCall) -> ListDropped:
    name = call.path["name"]
    force, expected = call.query["force"], _expected(call)
    count = lists.drop(call.session, call.account_id, name, force=force, expected=expected)
    return ListDropped(name, count)


def _entries(call: ManageCall) -> EntryShownPage:
    wanted: EntrySearch = call.body
    name, limit, now_ms = call.path["name"], wanted.limit, call.session.clock()
    page = EntryPage(now_ms, limit + 1, _read_cursor(wanted.cursor), wanted.gone)
    if wanted.value is not None:
        found = lists.find_entry(call.session, call.account_id, name, wanted.value, page)
    else:
        found = lists.entries(call.session, call.account_id, name, page)
    more = len(found) > limit
    cursor = _cursor(found[limit - 1]) if more else None
    return EntryShownPage([_shown_entry(each, now_ms) for each in found[:limit]], more, cursor)


def _cursor(entry: ListedEntry) -> str:
    return f"{entry.added_at_ms}.{entry.value}"


def _read_cursor(text: str | None) -> tuple[str, int] | None:
    if text is None:
        return None
    moment, _, value = text.partition(".")
    if not (moment.isascii() and moment.isdigit() and len(moment) < 16 and value):
        raise Problem("invalid_request", fields={"cursor": ["must be the cursor of an answer"]})
    return value, int(moment)


def _shown_entry(entry: ListedEntry, now_ms: int) -> EntryShown:
    return EntryShown(
        entry.shown,
        entry.status(now_ms),
        entry.reason,
        entry.actor,
        iso_time(entry.added_at_ms),
        None if entry.expires_at_ms is None else iso_time(entry.expires_at_ms),
        None if entry.removed_at_ms is None else iso_time(entry.removed_at_ms),
    )


def _as_file(rows: list[tuple[str, str, str]]) -> ListFile:
    """Entries as a file of CSV, which may also hold card numbers and terms of each entry."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerows([("value", "expires", "reason"), *(map(plain_cell, row) for row in rows)])
    content = text.getvalue().encode()
    return ListFile("entries.csv", lambda: closing(io.BytesIO(content)), "csv")


def _add(call: ManageCall) -> EntriesAdded:
    given: EntriesToAdd = call.body
    rows = [(one.value, one.expires or "", one.reason or "") for one in given.entries]
    lifetime_ms = None if given.expires_in_s is None else given.expires_in_s * 1000
    expected, dry_run = _expected(call), call.dry_run
    options = ImportOptions(given.kind, given.reason, lifetime_ms, expected, dry_run=dry_run)
    _refuse_line_ends(given)
    name, file = call.path["name"], _as_file(rows)
    try:
        added = lists.import_file(call.session, call.account_id, name, file, options).added
    except NotFound as missing:
        hint = f"{str(missing).partition(';')[0]}; create it, or send its kind"
        raise NotFound(hint) from None
    except lists.UnusableLines as unusable:
        # The first line is the header.
        wrong = {f"entries[{flaw.line - 2}]": [flaw.message] for flaw in unusable.content.flaws}
        raise Problem("invalid_request", fields=wrong) from None
    return EntriesAdded(name, added.added, added.changed, added.unchanged, call.dry_run)


def _refuse_line_ends(given: EntriesToAdd) -> None:
    """A line end inside a value would be read as another entry."""
    wrong = {
        f"entries[{number}].value": ["must be on one line"]
        for number, one in enumerate(given.entries)
        if any(char in one.value + (one.reason or "") for char in "\r\n")
    }
    if wrong:
        raise Problem("invalid_request", fields=wrong)


def _remove(call: ManageCall) -> EntriesRemoved:
    given: EntriesToRemove = call.body
    name = call.path["name"]
    file = _as_file([(value, "", "") for value in given.values])
    wanted = GivenEntries((), file, _expected(call))
    removed = lists.remove(call.session, call.account_id, name, wanted)
    return EntriesRemoved(name, removed)


def _operations(call: ManageCall) -> ListOperationPage:
    name, limit = call.path["name"], call.query["limit"]
    lists.check_exists(call.session, call.account_id, name)
    before = _read_number(call.query["startingAfter"])
    wanted = audit_log.LineSearch(before, limit + 1, "list.", {"list": name})
    found = audit_log.search(call.session, call.account_id, wanted)
    more = len(found) > limit
    shown = [
        ListOperation(
            each.action,
            each.actor,
            iso_time(each.at_ms),
            _counts(each.details),
        )
        for each in found[:limit]
    ]
    return ListOperationPage(shown, more, str(found[limit - 1].seq) if more else None)


def _read_number(text: str | None) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        told = {"startingAfter": ["must be the cursor of an answer"]}
        raise Problem("invalid_request", fields=told)
    return int(text)


def _counts(details: dict[str, Any]) -> dict[str, int]:
    return {name: value for name, value in details.items() if type(value) is int}


LIST_ENDPOINTS: Final = (
    ManageEndpoint(
        method="GET",
        path="/lists",
        scope=_SCOPE,
        operation="listLists",
        field="listsResponse",
        summary="List lists",
        about="The account's lists by name, and how many entries are in force.",
        answer=ListPage,
        run=_overview,
    ),
    ManageEndpoint(
        method="POST",
        path="/lists",
        scope=_SCOPE,
        operation="createList",
        field="listResponse",
        summary="Create a list",
        about="Makes an empty list of a kind.",
        body=NewList,
        answer=ListShown,
        run=_create,
        tagged=True,
    ),
    ManageEndpoint(
        method="GET",
        path=_ONE,
        scope=_SCOPE,
        operation="getList",
        field="listResponse",
        summary="Show a list",
        about="What a list holds, and how many entries are in force. Its `ETag` is for `If-Match` "
        "of a change.",
        path_about=_NAME,
        path_examples=_EXAMPLE,
        answer=ListShown,
        run=_get,
        tagged=True,
    ),
    ManageEndpoint(
        method="POST",
        path=f"{_ONE}/entries",
        scope=_SCOPE,
        operation="addEntries",
        field="entriesAddedResponse",
        summary="Add entries",
        about="Puts up to 1,000 entries on a list. One that is on it already gets the new "
        "expiry and reason. All are added, or none if one cannot be used.",
        body=EntriesToAdd,
        query=(DRY_RUN,),
        path_about=_NAME,
        path_examples=_EXAMPLE,
        answer=EntriesAdded,
        run=_add,
        names_cards=True,
        guarded=True,
        most_bytes=MOST_DOCUMENT_BYTES,
    ),
    ManageEndpoint(
        method="POST",
        path=f"{_ONE}/entries/search",
        scope=_SCOPE,
        operation="searchEntries",
        field="entriesResponse",
        summary="Search entries of a list",
        about="Entries by value, page by page; with `value`, only that one. A POST, because "
        "values may be personal. Cards, mailboxes and phones are shown as fingerprints.",
        body=EntrySearch,
        path_about=_NAME,
        path_examples=_EXAMPLE,
        answer=EntryShownPage,
        run=_entries,
        names_cards=True,
        reads=True,
    ),
    ManageEndpoint(
        method="POST",
        path=f"{_ONE}/removals",
        scope=_SCOPE,
        operation="removeEntries",
        field="entriesRemovedResponse",
        summary="Remove entries",
        about="Takes up to 1,000 entries off a list: all of them, or none if one is not on it.",
        body=EntriesToRemove,
        path_about=_NAME,
        path_examples=_EXAMPLE,
        answer=EntriesRemoved,
        run=_remove,
        names_cards=True,
        guarded=True,
        most_bytes=MOST_DOCUMENT_BYTES,
    ),
    ManageEndpoint(
        method="GET",
        path=f"{_ONE}/operations",
        scope=_SCOPE,
        operation="listOperations",
        field="operationsResponse",
        summary="Operation log of a list",
        about="What was done to a list, newest first: by whom, when, and how many entries.",
        query=(LIMIT, after("The `cursor` of the page before.")),
        path_about=_NAME,
        path_examples=_EXAMPLE,
        answer=ListOperationPage,
        run=_operations,
    ),
    ManageEndpoint(
        method="DELETE",
        path=_ONE,
        scope=_SCOPE,
        operation="dropList",
        field="listDroppedResponse",
        summary="Drop a list",
        about="Removes a list with its entries. Refused while rules in force use it.",
        query=(_FORCE,),
        path_about=_NAME,
        path_examples=_EXAMPLE,
        answer=ListDropped,
        run=_drop,
        guarded=True,
    ),
)
