"""Indexes the decisions of earlier versions beside running servers, in short steps.

A migration leaves a mark when there are any. The mark says how far the work has come, so that any
server can go on with it; it is removed at the end.
"""

import asyncio
from typing import Any, Final

import sqlalchemy as sa

from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.throttle import Pace, batch_of
from gatehouse.store.background import repeat
from gatehouse.store.search.entries import SearchIndex
from gatehouse.store.state import clear_mark, read_mark, set_mark
from gatehouse.store.tables import DECISIONS

_MARK: Final = "search-index"
ROWS_AT_ONCE: Final = 200
_PAUSE_S: Final = 30.0


def is_complete(connection: sa.Connection) -> bool:
    """Whether every decision can be found."""
    return read_mark(connection, _MARK) is None


class EarlierDecisions:
    """The decisions that are not indexed yet."""

    def __init__(self, session: AdminSession) -> None:
        self._session = session
        self._index = SearchIndex(session.terms, session.fingerprints)
        self._pace = Pace(session.database)

    async def run(self) -> None:
        """Index them in the background of a server, and look now and then whether there are any."""
        await repeat(self._index_all, _PAUSE_S, "could not index earlier decisions")

    async def _index_all(self) -> None:
        while await asyncio.to_thread(self.index_some):
            pass

    def index_some(self) -> bool:
        """Do one step of the work; whether there is more to do."""
        with self._session.reading() as connection:
            if is_complete(connection):
                return False
        # Read and indexed in one transaction: what is erased meanwhile must not come back.
        with self._pace.turn(), batch_of(self._session) as connection:
            mark = read_mark(connection, _MARK)
            if mark is None:
                return False
            rows = connection.execute(_following(mark)).all()
            for row in rows:
                if row.terms is None:
                    self._index.add(connection, row.account_id, [row.record])
            if len(rows) < ROWS_AT_ONCE:
                clear_mark(connection, _MARK, mark)
                return False
            set_mark(connection, _MARK, f"{rows[-1].account_id} {rows[-1].request_id}")
            return True


def _following(mark: str) -> "sa.Select[Any]":
    key = (DECISIONS.c.account_id, DECISIONS.c.request_id)
    account_id, _, request_id = mark.partition(" ")
    return (
        sa.select(*key, DECISIONS.c.record, DECISIONS.c.terms)
        .where(sa.tuple_(*key) > sa.tuple_(account_id, request_id))
        .order_by(*key)
        .limit(ROWS_AT_ONCE)
    )
