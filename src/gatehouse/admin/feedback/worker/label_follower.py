"""Follows the rows of feedback and passes every label on to Sentry's memory, in their order.

Every server follows the rows of all servers and commands. A server that has just written some
reads them at once; of others it is told by what looks for all changes (`store.lookout`).
"""

import asyncio
import time
from collections.abc import Callable
from typing import Final, Protocol

import sqlalchemy as sa

from gatehouse.core.wording.labels import is_fraud
from gatehouse.sentry.memory.memory import MemoryEvent
from gatehouse.sentry.records.event import past_event_in
from gatehouse.store.background import repeat
from gatehouse.store.database import Database
from gatehouse.store.feedback import feedback, feedback_history
from gatehouse.store.feedback.feedback_history import LabelRow

POLL_S: Final = 30.0
"""When nobody tells it that there are some."""
_AT_ONCE: Final = 256
_SLICE_S: Final = 0.001


class NoteLabel(Protocol):
    """Takes the label of an event, in place of its previous label."""

    def __call__(
        self, event: MemoryEvent, *, fraud: bool | None, previous: bool | None = None
    ) -> None:
        """Note it."""


class LabelFollower:
    """Notes every label once."""

    def __init__(self, database: Database, note: NoteLabel, busy: Callable[[], bool]) -> None:
        self._database = database
        self._note = note
        self._busy = busy
        self._seq = 0
        self._newest = 0
        self._until: int | None = None
        self._one_at_a_time = asyncio.Lock()
        self._wake = asyncio.Event()
        self.current = asyncio.Event()
        """Set once all labels of the time before this process are known."""

    @property
    def behind(self) -> int:
        """How many rows were there at the last look and are not noted yet."""
        return max(0, self._newest - self._seq)

    async def run(self) -> None:
        """Keep following until cancelled."""
        await repeat(self._poll, POLL_S, "could not read labels", self._wake)

    def look_now(self) -> None:
        """Another server may have recorded labels: read soon."""
        self._wake.set()

    async def _poll(self) -> None:
        await self.catch_up()
        self.current.set()

    async def labels_recorded(self) -> None:
        """Note what was recorded just now, unless there is much before it to be noted."""
        if self.current.is_set():
            await self.catch_up()

    async def catch_up(self) -> None:
        """Note all labels that are there by now."""
        async with self._one_at_a_time:
            while rows := await self._database.read_on_thread(self._read):
                await self._note_all(rows)
                if len(rows) < _AT_ONCE and self._seq > (self._until or 0):
                    break

    def _read(self, connection: sa.Connection) -> list[LabelRow]:
        # Most polls find nothing, and read no record.
        newest = self._newest = feedback.newest(connection)
        if self._until is None:
            self._until = newest
        if newest <= self._seq:
            return []
        # Of the rows before the first poll, only the newest of each request counts. The very newest
        # row is always one of them, so `_seq` reaches `_until`.
        if self._seq < self._until:
            return feedback_history.rows_in_force(connection, self._seq, self._until, _AT_ONCE)
        return feedback_history.rows_after(connection, self._seq, _AT_ONCE)

    async def _note_all(self, rows: list[LabelRow]) -> None:
        until = time.perf_counter() + _SLICE_S
        for each in rows:
            # Before it is noted: a row that cannot be noted must not block those after it.
            self._seq = each.seq
            fraud, previous = is_fraud(each.label), is_fraud(each.previous)
            # A label that was withdrawn without ever counting is nothing to remember.
            if each.record is not None and (fraud, previous) != (None, None):
                past = past_event_in(each.account_id, each.record)
                if past is not None:
                    self._note(past.event, fraud=fraud, previous=previous)
            if time.perf_counter() >= until:
                await asyncio.sleep(0.001 if self._busy() else 0)
                until = time.perf_counter() + _SLICE_S
