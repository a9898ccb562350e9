"""The single writer of a process: takes all waiting settlements and commits them together.

Requests hand over one list per turn of the event loop; while one commit is under way the next
batch gathers by itself, so nothing ever waits on purpose.
"""

import asyncio
import contextlib
import logging
import queue
import sqlite3
import threading
from collections.abc import Callable
from typing import Any, Final

import psycopg

from gatehouse.core.errors import GatehouseError, StoreUnavailable
from gatehouse.pipeline.desk import Authorization, Authorize, Close, Closed, Release
from gatehouse.store.doors import Door
from gatehouse.store.settlement import Expire, Settlement, decide, wanted_by

_log: Final = logging.getLogger("gatehouse.store")

_MOST_PER_COMMIT: Final = 512
# What the drivers raise when the database, not the work, is at fault.
_UNREACHABLE: Final = (
    sqlite3.OperationalError,
    psycopg.OperationalError,
    psycopg.InterfaceError,
    StoreUnavailable,
)

_Waiting = tuple[Settlement, "asyncio.Future[Any]"]
Observer = Callable[[int], None]


class Writer:
    """Implements the engine's `Desk` on a thread of its own."""

    def __init__(self, open_door: Callable[[], Door], observe: Observer = lambda _: None) -> None:
        self._open_door = open_door
        self._observe = observe
        self._door: Door | None = None
        self._inbox: queue.SimpleQueue[list[_Waiting] | None] = queue.SimpleQueue()
        self._turn: list[_Waiting] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._work, name="gatehouse-writer", daemon=True)

    def start(self) -> None:
        """Begin to serve the running event loop."""
        self._loop = asyncio.get_running_loop()
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether settlements are being worked on."""
        return self._thread.is_alive()

    async def stop(self) -> None:
        """Finish what was handed over, then give the connection up."""
        await asyncio.sleep(0)
        self._inbox.put(None)
        await asyncio.to_thread(self._thread.join)

    def authorize(self, order: Authorize) -> "asyncio.Future[Authorization]":
        """Hold the fees, or say why not."""
        return self._submit(order)

    def close(self, order: Close) -> "asyncio.Future[Closed]":
        """Charge, release and record in one commit."""
        return self._submit(order)

    def release(self, order: Release) -> "asyncio.Future[None]":
        """End a hold without a charge."""
        return self._submit(order)

    def expire(self, order: Expire) -> "asyncio.Future[None]":
        """End the hold of a process that is gone."""
        return self._submit(order)

    def _submit(self, order: Settlement) -> "asyncio.Future[Any]":
        assert self._loop is not None, "the writer has not been started"
        future = self._loop.create_future()
        if not self._turn:
            self._loop.call_soon(self._hand_over)
        self._turn.append((order, future))
        return future

    def _hand_over(self) -> None:
        self._inbox.put(self._turn)
        self._turn = []

    def _work(self) -> None:
        while (batch := self._next_batch()) is not None:
            for start in range(0, len(batch), _MOST_PER_COMMIT):
                part = batch[start : start + _MOST_PER_COMMIT]
                answers = self._settle([order for order, _ in part])
                self._observe(len(part))
                self._deliver([future for _, future in part], answers)
        self._drop_door()

    def _next_batch(self) -> list[_Waiting] | None:
        first = self._inbox.get()
        if first is None:
            return None
        batch = first
        while True:
            try:
                more = self._inbox.get_nowait()
            except queue.Empty:
                return batch
            if more is None:
                # Finish this batch first; the next look finds the end again.
                self._inbox.put(None)
                return batch
            batch = batch + more

    def _settle(self, orders: list[Settlement]) -> list[Any]:
        try:
            return self._commit(orders)
        except _UNREACHABLE as error:
            self._drop_door()
            _log.error("the store did not take a batch", extra={"reason": str(error)})
            gone = StoreUnavailable("the database is not available")
            return [gone] * len(orders)
        except Exception as defect:
            self._abandon()
            if len(orders) == 1:
                _log.exception("a settlement failed")
                return [defect]
            # One order spoilt the batch: each is tried alone, so that only that one fails.
            return [answer for order in orders for answer in self._settle([order])]

    def _commit(self, orders: list[Settlement]) -> list[Any]:
        if self._door is None:
            self._door = self._open_door()
        loaded = self._door.load(wanted_by(orders))
        answers, changes = decide(orders, loaded)
        if changes:
            self._door.save(changes)
        else:
            self._door.abandon()
        return list(answers)

    def _abandon(self) -> None:
        if self._door is not None:
            try:
                self._door.abandon()
            except Exception:
                self._drop_door()

    def _drop_door(self) -> None:
        if self._door is not None:
            with contextlib.suppress(Exception):
                self._door.close()
            self._door = None

    def _deliver(self, futures: "list[asyncio.Future[Any]]", answers: list[Any]) -> None:
        assert self._loop is not None
        with contextlib.suppress(RuntimeError):  # the loop is gone: nobody waits any more
            self._loop.call_soon_threadsafe(_resolve, futures, answers)


def _resolve(futures: "list[asyncio.Future[Any]]", answers: list[Any]) -> None:
    for future, answer in zip(futures, answers, strict=True):
        if future.cancelled():
            continue
        if isinstance(answer, GatehouseError | Exception):
            future.set_exception(answer)
        else:
            future.set_result(answer)
