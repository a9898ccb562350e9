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

    def authorize(self, order: Authorize) -> "asyncio.Future[AuthorizationResult]":
        """Hold the fees, or answer why that is not possible."""
        return self.submit(order)

    def close(self, order: Close) -> "asyncio.Future[Closed]":
        """Charge, release and record in one commit."""
        return self.submit(order)

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
        else:
            session.abandon()
        return answers

    def _abandon(self) -> None:
        try:
            self._session().abandon()
        except Exception:
            self._drop_session()
