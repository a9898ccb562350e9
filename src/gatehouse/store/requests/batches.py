"""A thread with a connection of its own that answers all waiting orders together.

Callers hand over one list per turn of the event loop. While one batch is being worked on, the next
one collects, so no order waits on purpose.
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

# What the drivers raise when the database cannot be reached.
UNREACHABLE: Final = (
    sqlite3.OperationalError,
    psycopg.OperationalError,
    psycopg.InterfaceError,
    psycopg.errors.ReadOnlySqlTransaction,  # a primary that has become a standby
    StoreUnavailable,
)


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


class BatchThread(ABC, Generic[Work, Session]):
    """Takes orders from an event loop and answers them in batches on a thread of its own."""

    def __init__(self, name: str, open_session: Callable[[], Session], *, at_most: int) -> None:
        self._open_session = open_session
        self._opened: Session | None = None
        self._at_most = at_most
        self._inbox: queue.SimpleQueue[list[tuple[Work, asyncio.Future[Any]]] | None]
        self._inbox = queue.SimpleQueue()
        self._turn: list[tuple[Work, asyncio.Future[Any]]] = []
        self._submitted = 0
        self._answered = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)

    def start(self) -> None:
        """Start the thread for the running event loop."""
        self._loop = asyncio.get_running_loop()
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether the thread runs."""
        return self._thread.is_alive()

    @property
    def waiting(self) -> int:
        """How many orders have no answer yet; each of the two counts has one thread that adds."""
        return self._submitted - self._answered

    async def stop(self) -> None:
        """Finish the orders handed over, then close the connection and end the thread."""
        await asyncio.sleep(0)
        self._inbox.put(None)
        await asyncio.to_thread(self._thread.join)

    def submit(self, order: Work, *, certain: bool = False) -> "asyncio.Future[Any]":
        """Hand an order over; its answer comes when its batch is done."""
        assert self._loop is not None, "the thread has not been started"
        loop = self._loop
        future = CertainFuture(loop=loop) if certain else loop.create_future()
        if not self._turn:
            self._loop.call_soon(self._hand_over)
        self._turn.append((order, future))
        self._submitted += 1
        return future

    def _quiet_after_s(self) -> float | None:
        """After how long without orders the thread turns to `_use_quiet`; None for never."""
        return None

    def _use_quiet(self) -> None:
        """Do what can wait until there are no orders; it never raises."""

    def _after_batch(self) -> None:
        """Do what cannot wait longer, once a batch is answered; it never raises."""

    @abstractmethod
    def _answer(self, orders: list[Work]) -> list[Any]:
        """One answer or exception for each order; it never raises."""

    def _session(self) -> Session:
        """The thread's session, which is opened when it is needed."""
        if self._opened is None:
            self._opened = self._open_session()
        return self._opened

    def _drop_session(self) -> None:
        if self._opened is not None:
            with contextlib.suppress(Exception):
                self._opened.close()
            self._opened = None

    def _hand_over(self) -> None:
        self._inbox.put(self._turn)
        self._turn = []

    def _work(self) -> None:
        while (batch := self._next_batch()) is not None:
            for start in range(0, len(batch), self._at_most):
                part = batch[start : start + self._at_most]
                answers = self._answer([order for order, _ in part])
                self._answered += len(part)
                self._deliver([future for _, future in part], answers)
                self._after_batch()
        self._drop_session()

    def _next_batch(self) -> list[tuple[Work, "asyncio.Future[Any]"]] | None:
        batch = self._wait()
        # Only this thread takes from the inbox, so what is there stays there.
        while batch is not None and not self._inbox.empty():
            more = self._inbox.get()
            if more is None:
                # This batch is finished first; the next call finds the end again.
                self._inbox.put(None)
                break
            batch = batch + more
        return batch

    def _wait(self) -> list[tuple[Work, "asyncio.Future[Any]"]] | None:
        while True:
            try:
                return self._inbox.get(timeout=self._quiet_after_s())
            except queue.Empty:
                self._use_quiet()

    def _deliver(self, futures: "list[asyncio.Future[Any]]", answers: list[Any]) -> None:
        assert self._loop is not None
        with contextlib.suppress(RuntimeError):  # the loop has closed: no caller waits
            self._loop.call_soon_threadsafe(_resolve, futures, answers)


def _resolve(futures: "list[asyncio.Future[Any]]", answers: list[Any]) -> None:
    for future, answer in zip(futures, answers, strict=True):
        if future.cancelled():
            continue
        if isinstance(answer, Exception):
            future.set_exception(answer)
        else:
            future.set_result(answer)
