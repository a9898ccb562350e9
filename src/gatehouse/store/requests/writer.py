"""The writer of a process: takes all waiting settlements and commits them together.

How settlements are handed over and gathered is in `store.requests.batches`.
"""

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from gatehouse.core.errors import StoreUnavailable
from gatehouse.pipeline.settlement import (
    AuthorizationResult,
    Authorize,
    Close,
    Closed,
    KeyReused,
    Redirect,
    Release,
    Replay,
)
from gatehouse.store.requests.batch_sql import BatchSession
from gatehouse.store.requests.batches import LOCKED, UNREACHABLE, BatchThread, Ordered
from gatehouse.store.requests.locked_accounts import LockedAccounts
from gatehouse.store.requests.settlement import Answer, Changes, Settlement, decide, wanted_by

_log: Final = logging.getLogger("gatehouse.store")

_MOST_PER_COMMIT: Final = 512

Observer = Callable[[int, float], None]
"""Takes how many orders were in a commit, and the seconds it took."""


def must_last(order: Settlement, answer: Answer = None) -> bool:
    """Whether an order is answered only when no crash can undo what its answer says.

    An authorization or a release may be lost: nothing is charged then, and the request is refused
    or comes to nothing. It must not be with a payment, which is sent next, nor with an answer that
    repeats an earlier one or compares with it.
    """
    if isinstance(order, Authorize):
        return order.intent is not None or isinstance(answer, Replay | KeyReused)
    return isinstance(order, Close | Redirect)


class _Settled(NamedTuple):
    """The answers to orders, and the session that must flush before the lasting ones are given."""

    answers: list[Any]
    to_flush: BatchSession | None = None


class Writer(BatchThread[Settlement, BatchSession]):
    """Implements the engine's `Settlement` port on threads of its own.

    What a crash may undo is answered after the commit, all else when the commit is durable.
    """

    def __init__(
        self,
        open_batch_session: Callable[[], BatchSession],
        observe: Observer = lambda *_: None,
        *,
        threads: int = 1,
    ) -> None:
        """With two threads, one commits while the other waits until its commit is durable."""
        super().__init__(
            "gatehouse-writer", open_batch_session, at_most=_MOST_PER_COMMIT, threads=threads
        )
        self._observe = observe
        self._observing = threading.Lock()
        self._under_way: dict[int, float] = {}
        """When the commit of each thread began, while it is not durable yet."""
        self.commits = True
        """Whether the last commit succeeded."""
        self._locked = LockedAccounts()

    @property
    def under_way_s(self) -> float:
        """For how long the oldest commit that has not ended is under way."""
        began = list(self._under_way.values())
        return time.perf_counter() - min(began) if began else 0.0

    def authorize(self, order: Authorize) -> "asyncio.Future[AuthorizationResult]":
        """Hold the fees, or answer why that is not possible."""
        return self.submit(order)

    def close(self, order: Close) -> "asyncio.Future[Closed]":
        """Charge, release and record in one commit."""
        return self.submit(order, certain=True)

    def redirect(self, order: Redirect) -> "asyncio.Future[None]":
        """Note another party of an open payment."""
        return self.submit(order)

    def release(self, order: Release) -> "asyncio.Future[None]":
        """End a hold without a charge, by its own request or because its process died."""
        return self.submit(order)

    def _answer_all(self, batch: Ordered[Settlement]) -> Callable[[], None] | None:
        finish = None
        for part in self._parts(self._refuse_locked(batch)):
            finish = self._answer_part(part)
        return finish

    def _refuse_locked(self, batch: Ordered[Settlement]) -> Ordered[Settlement]:
        """Refuse the orders of accounts that others were found to lock; the rest."""
        if not self._locked:
            return batch
        try:
            locked = self._locked.known(
                [_account_of(order) for order, _ in batch], self._session().locked_of
            )
        except Exception:
            self._drop_session()  # who settles them meets it again, and says so
            return batch
        refused = [each for each in batch if _account_of(each[0]) in locked]
        self._deliver(refused, _refused_locked(len(refused)))
        return [each for each in batch if _account_of(each[0]) not in locked]

    def _parts(self, batch: Ordered[Settlement]) -> list[Ordered[Settlement]]:
        """The commits of a batch: where each waits for the disk or not, some need not wait."""
        if not batch:
            return []
        with contextlib.suppress(Exception):  # who settles them meets it again, and says so
            if not self._session().flushes:
                quick = [each for each in batch if _is_quick(each[0])]
                rest = [each for each in batch if not _is_quick(each[0])]
                return [part for part in (quick, rest) if part]
        return [batch]

    def _answer_part(self, part: Ordered[Settlement]) -> Callable[[], None] | None:
        started = time.perf_counter()
        self._under_way[threading.get_ident()] = started
        settled = self._settle([order for order, _ in part])
        session = settled.to_flush
        if session is None:
            self._note_commit(len(part), started)
            self._deliver(part, settled.answers)
            return None
        pairs = list(zip(part, settled.answers, strict=True))
        given = [(each, answer) for each, answer in pairs if not must_last(each[0], answer)]
        kept = [(each, answer) for each, answer in pairs if must_last(each[0], answer)]
        self._deliver([each for each, _ in given], [answer for _, answer in given])

        def finish() -> None:
            answers = [answer for _, answer in kept]
            flushed = self._flush(session)
            self._note_commit(len(part), started)
            orders = [each for each, _ in kept]
            self._deliver(orders, answers if flushed else _unavailable(len(kept)))

        return finish

    def _note_commit(self, orders: int, started: float) -> None:
        self._under_way.pop(threading.get_ident(), None)
        with self._observing:
            self._observe(orders, time.perf_counter() - started)

    def _flush(self, session: BatchSession) -> bool:
        """Make what the session committed durable; whether that is certain."""
        try:
            session.flush()
        except Exception as error:
            self._lose_session("commits may be lost", error)
            return False
        return True

    def _settle(self, orders: list[Settlement], *, again: bool = True) -> _Settled:
        try:
            settled = self._commit(orders)
        except UNREACHABLE as error:
            if isinstance(error, LOCKED) and again:
                return self._settle_unlocked(orders)
            self._lose_session("the store did not take a batch", error)
            return _Settled(_unavailable(len(orders)))
        except Exception as defect:
            self._abandon()
            if len(orders) == 1:
                _log.exception("a settlement failed")
                return _Settled([defect])
            # One order broke the batch: each is tried alone, so that only that one fails.
            answers = []
            for order in orders:
                alone = self._settle([order])
                flushed = alone.to_flush is None or self._flush(alone.to_flush)
                answers += alone.answers if flushed else _unavailable(1)
            return _Settled(answers)
        self.commits = True
        return settled

    def _settle_unlocked(self, orders: list[Settlement]) -> _Settled:
        """Settle what can be, after something was locked for too long, and refuse the rest.

        If no account is locked any more all are tried once more: the lock may be gone.
        """
        try:
            self._session().abandon()
            locked = self._locked.find(map(_account_of, orders), self._session().locked_of)
        except Exception as error:
            self._lose_session("the store did not take a batch", error)
            return _Settled(_unavailable(len(orders)))
        others = [order for order in orders if _account_of(order) not in locked]
        settled = self._settle(others, again=False) if others else _Settled([])
        answers, refusals = iter(settled.answers), iter(_refused_locked(len(orders)))
        return _Settled(
            [next(refusals if _account_of(order) in locked else answers) for order in orders],
            settled.to_flush,
        )

    def _commit(self, orders: list[Settlement]) -> _Settled:
        session = self._session()
        durable = any(map(must_last, orders))
        wanted, records = wanted_by(orders), _records_of(orders)
        answers, changes = decide(orders, session.load(wanted, records, durable=durable))
        if len(changes.decisions) < len(records.decisions):
            # A close was refused. Its record must not stay, so nothing is written before the end.
            session.abandon()
            answers, changes = decide(orders, session.load(wanted, durable=durable))
        waiting = [must_last(*each) for each in zip(orders, answers, strict=True)]
        at_once = all(waiting) and not self._others_wait
        if changes:
            session.save(changes, flush=at_once)
        else:
            session.abandon()
            at_once = False
        flushed = at_once or not session.flushes or not any(waiting)
        return _Settled(answers, None if flushed else session)

    def _lose_session(self, message: str, error: Exception) -> None:
        self.commits = False
        self._drop_session()
        _log.error(message, extra={"reason": str(error)})

    def _abandon(self) -> None:
        try:
            self._session().abandon()
        except Exception:
            self._drop_session()


def _is_quick(order: Settlement) -> bool:
    return isinstance(order, Authorize) and not must_last(order)


def _account_of(order: Settlement) -> str:
    return order.hold.account_id if isinstance(order, Authorize) else order.account_id


def _records_of(batch: list[Settlement]) -> Changes:
    """The records of all that is closed, which are written if no close is refused."""
    return Changes(decisions=[order.decision for order in batch if isinstance(order, Close)])


def _unavailable(count: int) -> list[Any]:
    unavailable = StoreUnavailable("the database is not available")
    return [unavailable] * count


def _refused_locked(count: int) -> list[Any]:
    return [StoreUnavailable("another transaction keeps the account locked")] * count
