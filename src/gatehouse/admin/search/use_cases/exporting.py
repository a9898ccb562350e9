"""Use case: take along what a search found, a page at a time, in files of a limited size.

A search that finds more than one file holds is taken along in parts, so that nothing is left off
without being told.
"""

from collections.abc import Iterator
from typing import Final

import msgspec

from gatehouse.admin.search.queries.sources import OtherSource
from gatehouse.admin.search.use_cases.decisions import DecisionFinder, cursor_after
from gatehouse.admin.search.use_cases.filters import (
    LARGEST_PAGE,
    DecisionSearchRequest,
    WrongFilters,
)
from gatehouse.core.ids import is_id
from gatehouse.core.wording.sentences import Phrase
from gatehouse.decisions.record import DecisionRecord
from gatehouse.store.admin.admin_session import AdminSession

_EXPORT_END: Final = Phrase("refused.export_end", "must be the id of a request")

MOST_EXPORTED: Final = 10_000
"""Decisions in one file."""
_IDS_AT_ONCE: Final = 1_000


class ExportPart(msgspec.Struct, frozen=True):
    """What one file holds of what a search found, from its newest decision to its oldest."""

    count: int
    newest: str
    oldest: str
    next_cursor: str | None
    """Where the next part begins; None when this is the last one."""


def next_part(
    session: AdminSession,
    account_id: str,
    search: DecisionSearchRequest,
    columns: OtherSource | None = None,
) -> ExportPart | None:
    """The part that begins where the search does; None when nothing is found."""
    found = found_ids(session, account_id, search, MOST_EXPORTED + 1, columns)
    if not found:
        return None
    held = found[:MOST_EXPORTED]
    more = cursor_after(held[-1]) if len(found) > len(held) else None
    return ExportPart(len(held), held[0], held[-1], more)


def found_ids(
    session: AdminSession,
    account_id: str,
    search: DecisionSearchRequest,
    most: int,
    columns: OtherSource | None = None,
) -> list[str]:
    """The ids of the newest decisions that a search finds, up to a number."""
    found: list[str] = []
    find, cursor = DecisionFinder(session, account_id, search, columns), search.cursor
    while len(found) < most:
        page = find.ids(cursor, min(_IDS_AT_ONCE, most - len(found)))
        found += page.request_ids
        cursor = page.next_cursor
        if cursor is None:
            break
    return found


def export_found(
    session: AdminSession,
    account_id: str,
    search: DecisionSearchRequest,
    oldest: str | None = None,
    columns: OtherSource | None = None,
) -> Iterator[DecisionRecord]:
    """The decisions that a search finds, newest first; an audit line says that they were taken.

    `oldest` is where a part ends. It is an id and not a count, because decisions that came in since
    the part was offered would push its last ones out, and no part would hold them.
    """
    if oldest is not None and not is_id(oldest, "req"):
        raise WrongFilters({"oldest": _EXPORT_END()})
    find = DecisionFinder(session, account_id, search, columns)
    with session.account_change(account_id) as change:
        # What was searched for may be personal, so that the line names no values.
        given = [
            name
            for name in search.__struct_fields__
            if getattr(search, name) is not None and name not in ("limit", "cursor")
        ] + ["conditions"] * (columns is not None)
        change.audit("decisions.export", account_id, filters=given)
    return _pages(find, search.cursor, oldest or "")


def _pages(find: DecisionFinder, cursor: str | None, oldest: str) -> Iterator[DecisionRecord]:
    while True:
        found = find.decisions(cursor, LARGEST_PAGE)
        for record in found.records:
            if record.request_id < oldest:
                return
            yield record
        cursor = found.next_cursor
        if cursor is None:
            return
