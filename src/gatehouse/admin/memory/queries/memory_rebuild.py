"""Fills Sentry's memory from the decision records of the time before this process.

A thread reads; the event loop decodes and notes what was read, a millisecond at a time, and gives
way to requests. Events after the start are noted by the requests themselves.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Any, Final

import sqlalchemy as sa

from gatehouse.core.errors import StoreUnavailable
from gatehouse.core.ids import first_id
from gatehouse.decisions.record import IMPORTED
from gatehouse.sentry.memory.memory import MemoryEvent
from gatehouse.sentry.records.event import past_event_in
from gatehouse.store.database import Database
from gatehouse.store.tables import ACCOUNTS, DECISIONS

_log: Final = logging.getLogger("gatehouse.store")

OPERATIONS: Final = ("sentry", "rules", "pipeline", IMPORTED)
"""Those whose records can hold an event."""
ROWS_AT_ONCE: Final = 256
_SLICE_S: Final = 0.001
# The most waits of a millisecond between two slices while requests are answered: it must get done.
_TURNS_GIVEN: Final = 10
_TURN_S: Final = 0.001
_RETRY_S: Final = 5.0


RecordText = tuple[str, str]
"""An account, and the text of one of its decision records."""


class DecisionHistory:
    """The records of a span of time, read once: account by account, oldest first.

    A step reads a range of the primary key in a short transaction of its own: servers and
    operators never wait for it, and after a failure the next step begins where the last one ended.
    """

    def __init__(self, database: Database, from_ms: int, before_ms: int) -> None:
        self._database = database
        self._from = first_id("req", from_ms)
        self._before = first_id("req", before_ms)
        self._accounts: list[str] | None = None
        """Those that are left to read; None before the first step."""
        self._after = self._from

    def read(self) -> list[RecordText] | None:
        """The records of the next step, which can be none at all; None at the end."""
        with self._database.reading() as connection:
            if self._accounts is None:
                wanted = sa.select(ACCOUNTS.c.id).order_by(ACCOUNTS.c.id)
                self._accounts = list(connection.scalars(wanted))
            if not self._accounts:
                return None
            account_id = self._accounts[0]
            last, rows, joined = connection.execute(self._step(account_id)).one()
        if rows < ROWS_AT_ONCE:
            del self._accounts[0]
            self._after = self._from
        else:
            self._after = last
        return [(account_id, text) for text in joined.split("\n")] if joined else []

    def _step(self, account_id: str) -> "sa.Select[Any, int, str]":
        """Where the step ends, how many rows it looked at, and the records in one text.

        They are returned as one row: each row releases the interpreter's lock, and a busy event
        loop is late to give it back. JSON as Gatehouse writes it has no line breaks.
        """
        step = (
            sa.select(
                DECISIONS.c.request_id,
                sa.case((DECISIONS.c.operation.in_(OPERATIONS), DECISIONS.c.record)).label("text"),
            )
            .where(
                DECISIONS.c.account_id == account_id,
                DECISIONS.c.request_id > self._after,
                DECISIONS.c.request_id < self._before,
            )
            .order_by(DECISIONS.c.request_id)
            .limit(ROWS_AT_ONCE)
            .subquery()
        )
        return sa.select(
            sa.func.max(step.c.request_id),
            sa.func.count(),
            sa.func.aggregate_strings(step.c.text, "\n"),
        ).select_from(step)


class MemoryRebuild:
    """Notes every event of a history once."""

    def __init__(
        self,
        read: Callable[[], list[RecordText] | None],
        note: Callable[[MemoryEvent], object],
        busy: Callable[[], bool],
        *,
        note_decline: Callable[[MemoryEvent], object] | None = None,
        retry_s: float = _RETRY_S,
        stopwatch: Callable[[], float] = time.perf_counter,
    ) -> None:
        """`read` gives the next records, the same ones again when it failed, None at the end."""
        self._note_decline = note_decline
        self._read = read
        self._note = note
        self._busy = busy
        self._retry_s = retry_s
        self._stopwatch = stopwatch
        self._events = 0

    async def run(self) -> None:
        """Go through the history to its end; where the store fails, try again until it answers."""
        started = self._stopwatch()
        while True:
            if await self._went_through():
                break
            await asyncio.sleep(self._retry_s)
        seconds = round(self._stopwatch() - started, 3)
        _log.info("remembered earlier events", extra={"events": self._events, "seconds": seconds})

    async def _went_through(self) -> bool:
        loop = asyncio.get_running_loop()
        try:
            while (records := await loop.run_in_executor(None, self._read)) is not None:
                await self._note_all(records)
        except StoreUnavailable as error:
            _log.warning("could not read earlier events", extra={"reason": str(error)})
            return False
        except Exception:
            # The server must go on serving; what can be read later still helps.
            _log.exception("could not remember earlier events")
            return False
        return True

    async def _note_all(self, records: list[RecordText]) -> None:
        # Decoded here and not by the thread, which would contend for the interpreter's lock with
        # every step of every request.
        until = self._stopwatch() + _SLICE_S
        for account_id, text in records:
            past = past_event_in(account_id, text)
            if past is not None and past.counted:
                self._note(past.event)
                self._events += 1
            if past is not None and past.declined and self._note_decline is not None:
                self._note_decline(past.event)
            if self._stopwatch() >= until:
                await self._give_way()
                until = self._stopwatch() + _SLICE_S

    async def _give_way(self) -> None:
        await asyncio.sleep(0)
        for _ in range(_TURNS_GIVEN):
            if not self._busy():
                break
            await asyncio.sleep(_TURN_S)
