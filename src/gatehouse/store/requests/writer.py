"""The single writer of a process: takes all waiting settlements and commits them together.

How settlements are handed over and gathered is in `store.requests.batches`.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Any, Final

from gatehouse.core.errors import StoreUnavailable
from gatehouse.pipeline.settlement import AuthorizationResult, Authorize, Close, Closed, Release
from gatehouse.store.requests.batch_sql import BatchSession
from gatehouse.store.requests.batches import UNREACHABLE, BatchThread
from gatehouse.store.requests.settlement import Answer, Settlement, decide, wanted_by

_log: Final = logging.getLogger("gatehouse.store")

_MOST_PER_COMMIT: Final = 512
_QUIET_S: Final = 0.25
"""Without orders for so long, decisions are indexed."""
_INDEXED_AT_ONCE: Final = 100
"""Decisions; an order that comes meanwhile waits for some milliseconds."""
MOST_WAITING: Final = 20_000
"""Decisions that wait to be indexed while there is no quiet; a search looks at each of them."""

Observer = Callable[[int, float], None]
"""Takes how many orders were in a commit, and the seconds it took."""


class Writer(BatchThread[Settlement, BatchSession]):
    """Implements the engine's `Settlement` port on a thread of its own."""

    def __init__(
        self, open_batch_session: Callable[[], BatchSession], observe: Observer = lambda *_: None
    ) -> None:
        super().__init__("gatehouse-writer", open_batch_session, at_most=_MOST_PER_COMMIT)
        self._observe = observe
        self.commits = True
        """Whether the last commit succeeded."""
        self._unindexed = 1
        """Decisions that wait to be indexed; an earlier process may have left some."""

    def authorize(self, order: Authorize) -> "asyncio.Future[AuthorizationResult]":
        """Hold the fees, or answer why that is not possible."""
        return self.submit(order)

    def close(self, order: Close) -> "asyncio.Future[Closed]":
        """Charge, release and record in one commit."""
        return self.submit(order, certain=True)

    def release(self, order: Release) -> "asyncio.Future[None]":
        """End a hold without a charge, by its own request or because its process died."""
        return self.submit(order)

    def _answer(self, orders: list[Settlement]) -> list[Any]:
        started = time.perf_counter()
        answers = self._settle(orders)
        self._observe(len(orders), time.perf_counter() - started)
        return answers

    def _settle(self, orders: list[Settlement]) -> list[Any]:
        try:
            answers = self._commit(orders)
        except UNREACHABLE as error:
            self.commits = False
            self._drop_session()
            _log.error("the store did not take a batch", extra={"reason": str(error)})
            unavailable = StoreUnavailable("the database is not available")
            return [unavailable] * len(orders)
        except Exception as defect:
            self._abandon()
            if len(orders) == 1:
                _log.exception("a settlement failed")
                return [defect]
            # One order broke the batch: each is tried alone, so that only that one fails.
            return [answer for order in orders for answer in self._settle([order])]
        self.commits = True
        return answers

    def _commit(self, orders: list[Settlement]) -> list[Answer]:
        session = self._session()
        answers, changes = decide(orders, session.load(wanted_by(orders)))
        if changes:
            session.save(changes)
            self._unindexed += len(changes.search_waiting)
        else:
            session.abandon()
        return answers

    def _quiet_after_s(self) -> float | None:
        return _QUIET_S if self._unindexed else None

    def _use_quiet(self) -> None:
        self._index_until(0)

    def _after_batch(self) -> None:
        self._index_until(MOST_WAITING)

    def _index_until(self, left: int) -> None:
        """Index decisions until so many are left, or an order comes."""
        while self._unindexed > left:
            try:
                indexed = self._session().index(_INDEXED_AT_ONCE)
            except Exception as error:
                # They wait, and are found where they are.
                reason = str(error) if isinstance(error, UNREACHABLE) else type(error).__name__
                _log.warning("could not index decisions", extra={"reason": reason})
                self._drop_session()
                self._unindexed = min(self._unindexed, left)
                return
            # Other servers index, too: only what is left in the table tells when there is none.
            more = indexed == _INDEXED_AT_ONCE
            self._unindexed = max(self._unindexed - indexed, 1) if more else 0
            if not self._inbox.empty():
                return

    def _abandon(self) -> None:
        try:
            self._session().abandon()
        except Exception:
            self._drop_session()
