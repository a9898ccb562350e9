"""Use case: take along what a search found, a page at a time and within a limit."""

from collections.abc import Iterator
from typing import Final

import msgspec

from gatehouse.admin.scopes import account_change
from gatehouse.admin.search.decisions import search_decisions
from gatehouse.admin.search.filters import LARGEST_PAGE, DecisionSearchRequest
from gatehouse.decisions.record import DecisionRecord
from gatehouse.store.admin.admin_session import AdminSession

MOST_EXPORTED: Final = 10_000


def export_found(
    session: AdminSession, account_id: str, search: DecisionSearchRequest
) -> Iterator[DecisionRecord]:
    """The decisions that a search finds, newest first; an audit line says that they were taken."""
    with account_change(session, account_id) as change:
        # What was searched for may be personal, so that the line names no values.
        given = [
            name
            for name in search.__struct_fields__
            if getattr(search, name) is not None and name not in ("limit", "cursor")
        ]
        change.audit("decisions.export", account_id, filters=given)
    return _pages(session, account_id, search)


def _pages(
    session: AdminSession, account_id: str, search: DecisionSearchRequest
) -> Iterator[DecisionRecord]:
    session.actor.check_account(account_id)
    left, cursor = MOST_EXPORTED, search.cursor
    while left > 0:
        page = msgspec.structs.replace(search, limit=min(LARGEST_PAGE, left), cursor=cursor)
        found = search_decisions(session, account_id, page)
        yield from found.records
        left -= len(found.records)
        cursor = found.next_cursor
        if cursor is None:
            return
