"""Threads with a connection each that answer all waiting orders together.

Callers hand over one list per turn of the event loop. While one batch is being worked on, the next
one collects, so no order waits on purpose. Threads take turns: one works on a batch, and what is
left to do without the others waiting is done after its turn.
"""

import asyncio
import contextlib
import queue
import sqlite3
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar

import psycopg

from gatehouse.core.errors import StoreUnavailable

# What the drivers raise when the database cannot be reached, and for some things that are treated
# alike. A row that others keep locked is none of them: catch `LOCKED` before.
UNREACHABLE: Final = (
    sqlite3.OperationalError,
    psycopg.OperationalError,
    psycopg.InterfaceError,
    psycopg.errors.ReadOnlySqlTransaction,  # a primary that has become a standby
    psycopg.errors.IdleInTransactionSessionTimeout,  # this process stood still for too long
    StoreUnavailable,
)
LOCKED: Final = psycopg.errors.LockNotAvailable


class DriverSession:
    """What a batch thread asks of its connection, which is one of the driver itself."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


class CertainFuture(asyncio.Future[Any]):
    """An answer that comes even when the task that waits for it is cancelled.

    The task learns of it with the answer. `asyncio.shield` does the same for 2.6 µs more and one
    more turn of the event loop.
    """

    def cancel(self, msg: Any = None) -> bool:
        """Nothing: the batch is on its way."""
        return False


Work = TypeVar("Work")
Session = TypeVar("Session", bound=DriverSession)
Ordered = list[tuple[Work, "asyncio.Future[Any]"]]
"""Orders, each with the future of its answer."""


class BatchThread(ABC, Generic[Work, Session]):
    """Takes orders from an event loop and answers them in batches on threads of its own."""

    def __init__(
        self, name: str, open_session: Callable[[], Session], *, at_most: int, threads: int = 1
    ) -> None:
        self._open_session = open_session
        self._own = threading.local()
        self._last_loss = object()
        self._at_most = at_most
        self._inbox: queue.SimpleQueue[Ordered[Work] | None] = queue.SimpleQueue()
        self._next_orders: Ordered[Work] = []
        self._turn = threading.Lock()
        self._left: Ordered[Work] = []
        """Orders that were too many for the last batch."""
        self._submitted = 0
        self._answered = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._threads = [
            threading.Thread(target=self._work, name=name, daemon=True) for _ in range(threads)
        ]

    def start(self) -> None:
        """Start the threads for the running event loop."""
        self._loop = asyncio.get_running_loop()
        for thread in self._threads:
            thread.start()

    @property
    def alive(self) -> bool:
        """Whether all threads run."""
        return all(thread.is_alive() for thread in self._threads)

    @property
    def waiting(self) -> int:
        """How many orders have no answer yet."""
        return self._submitted - self._answered

    async def stop(self) -> None:
        """Finish the orders handed over, then close the connections and end the threads."""
        await asyncio.sleep(0)
        self._inbox.put(None)
        for thread in self._threads:
            await asyncio.to_thread(thread.join)

    def submit(self, order: Work, *, certain: bool = False) -> "asyncio.Future[Any]":
        """Hand an order over; its answer comes when its batch is done."""
        assert self._loop is not None, "the threads have not been started"
        loop = self._loop
        future = CertainFuture(loop=loop) if certain else loop.create_future()
        if not self._next_orders:
            self._loop.call_soon(self._hand_over)
        self._next_orders.append((order, future))
        self._submitted += 1
        return future

    @abstractmethod
    def _answer_all(self, batch: Ordered[Work]) -> Callable[[], None] | None:
        """Answer the orders, or return what is left to do after this turn; it never raises."""

    def _session(self) -> Session:
        """The session of this thread, which is opened when it is needed.

        When another thread lost its own, the database was away: this one is opened again, too.
        """
        opened: Session | None = getattr(self._own, "session", None)
        if opened is not None and self._own.opened_after is self._last_loss:
            return opened
        _close(opened)
        self._own.session = None
        self._own.opened_after = self._last_loss
        self._own.session = opened = self._open_session()
        return opened

    def _drop_session(self) -> None:
        self._last_loss = object()
        _close(getattr(self._own, "session", None))
        self._own.session = None

    def _hand_over(self) -> None:
        self._inbox.put(self._next_orders)
        self._next_orders = []

    @property
    def _others_wait(self) -> bool:
        """Whether there are orders beside those of the batch that is being worked on."""
        return bool(self._left) or not self._inbox.empty()

    def _work(self) -> None:
        while (finish := self._take_turn()) is not None:
            finish()
        self._drop_session()

    def _take_turn(self) -> Callable[[], None] | None:
        """Answer batches until there is something to finish without the others; None at the end."""
        with self._turn:
            while True:
                batch = self._next_batch()
                if batch is None:
                    self._inbox.put(None)  # for the other threads
                    return None
                finish = self._answer_all(batch)
                if finish is not None:
                    return finish

    def _next_batch(self) -> Ordered[Work] | None:
        batch = self._left or self._inbox.get()
        # Only the thread whose turn it is takes from the inbox, so what is there stays there.
        while batch is not None and not self._inbox.empty():
            more = self._inbox.get()
            if more is None:
                # This batch is finished first; the next call finds the end again.
                self._inbox.put(None)
                break
            batch = batch + more
        if batch is None:
            return None
        self._left = batch[self._at_most :]
        return batch[: self._at_most]

    def _deliver(self, batch: Ordered[Work], answers: list[Any]) -> None:
        assert self._loop is not None
        if not batch:
            return
        with contextlib.suppress(RuntimeError):  # the loop has closed: no caller waits
            self._loop.call_soon_threadsafe(self._resolve, batch, answers)

    def _resolve(self, batch: Ordered[Work], answers: list[Any]) -> None:
        self._answered += len(batch)
        for (_, future), answer in zip(batch, answers, strict=True):
            if future.cancelled():
                continue
            if isinstance(answer, Exception):
                future.set_exception(answer)
            else:
                future.set_result(answer)


def _close(session: DriverSession | None) -> None:
    if session is not None:
        with contextlib.suppress(Exception):
            session.close()
