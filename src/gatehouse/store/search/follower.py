"""Follows the log of decisions and writes what they are found by into the index, in bulk.

Ids of requests grow with time, but requests do not end in the order in which they began. So the
follower first says how far it will go. From then on a decision behind that is told to
`search_waiting` by those who commit it. Transactions ask how far that is after they have written
their decisions: when all have ended that had written some before it was said, nothing is missing up
to there. What comes after is read by searches themselves.
"""

import asyncio
import contextlib
import threading
import time
from typing import Final

from gatehouse.core.clock import Clock
from gatehouse.core.errors import StoreUnavailable
from gatehouse.core.ids import first_id
from gatehouse.store.admin.throttle import Pace
from gatehouse.store.background import repeat
from gatehouse.store.database import Database
from gatehouse.store.exclusive import exclusive
from gatehouse.store.requests.batches import UNREACHABLE
from gatehouse.store.search.index_sessions import (
    MOVED_AT_ONCE,
    IndexSession,
    open_index_session,
)

_PAUSE_S: Final = 1.0
_LONGEST_REST: Final = 4
"""How many more pauses there are between two looks when nothing is decided."""
_BEHIND_MS: Final = 1000
"""So long ago a request must have come to be followed: most of them have ended by then."""

_COMMIT_S: Final = 0.01
"""About how long a commit takes."""
_TRIES: Final = 10


class SearchFollower:
    """Keeps the index up to date, beside servers or in one; of several, one works at a time."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._pace = Pace(database)
        self._session: IndexSession | None = None
        self._reached: str | None = None
        """How far decisions are followed, until all transactions have ended that may not have heard
        of that."""
        self._unaware: set[str] = set()
        self._rest = 0
        self._at_work = threading.Lock()
        """Held while the connection is used: one that is closed meanwhile ends the process."""
        self._ends = False

    async def run(self) -> None:
        """Follow until cancelled."""
        self._ends = False
        try:
            await repeat(self._follow_and_rest, _PAUSE_S, "could not index decisions")
        finally:
            # The thread of a cancelled look goes on, and has to come to its end first.
            self._ends = True
            await asyncio.to_thread(self.close)

    async def _follow_and_rest(self) -> None:
        found = await asyncio.to_thread(self.follow)
        self._rest = 0 if found else min(self._rest + 1, _LONGEST_REST)
        await asyncio.sleep(self._rest * _PAUSE_S)

    def close(self) -> None:
        """Close the connection, once nobody uses it."""
        with self._at_work:
            self._close()

    def _close(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            with contextlib.suppress(*UNREACHABLE):
                session.close()

    def follow(self) -> bool:
        """Index what was decided more than a moment ago; whether there was anything to do."""
        with self._at_work:
            try:
                if self._session is None:
                    self._session = open_index_session(self._database)
                return self._follow(self._session)
            except UNREACHABLE as error:
                self._close()
                raise StoreUnavailable(str(error)) from error
            except Exception:
                self._close()
                raise

    def _follow(self, session: IndexSession) -> bool:
        progress = session.look()
        if progress.indexed is not None and not (progress.more or progress.waiting):
            return False
        with exclusive(self._database, "search") as is_mine:
            if is_mine and progress.indexed is None:
                session.begin(first_id("req", self._clock()))
            if is_mine and progress.more:
                self._index(session)
            while is_mine and progress.waiting and not self._ends:
                with self._pace.turn():
                    progress = progress._replace(waiting=session.move_waiting() == MOVED_AT_ONCE)
        return True

    def _index(self, session: IndexSession) -> None:
        until = self._reached
        if until is None:
            until = first_id("req", self._clock() - _BEHIND_MS)
            session.reach(until)
            self._unaware = session.committing()
            self._reached = until
        if not self._all_aware(session):
            # The next look goes on here: who always waited for the newest would never get there.
            return
        self._reached = None
        progress = session.look()
        while progress.indexed is not None and progress.indexed < until and not self._ends:
            if not session.index_some(progress, until, self._pace):
                break
            progress = session.look()

    def _all_aware(self, session: IndexSession) -> bool:
        """Whether all transactions have ended that may not have heard how far decisions are
        followed, also after some more time than a commit takes.
        """
        for _ in range(_TRIES):
            if not self._unaware:
                break
            time.sleep(_COMMIT_S)
            self._unaware &= session.committing()
        return not self._unaware
