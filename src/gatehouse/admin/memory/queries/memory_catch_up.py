"""Tells Sentry's shared memory of the requests that it missed, from their decision records.

Every server does this, so it does not matter which one missed them. A row is deleted after the
memory has acknowledged its event. The memory knows each event by its request, so it counts once
however often it is told.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final

from gatehouse.core.cards.fingerprints import Fingerprints
from gatehouse.core.errors import ConnectorFailed
from gatehouse.sentry.memory.memory import MemoryEvent
from gatehouse.sentry.memory.port import SharedLog
from gatehouse.sentry.records.event import PastEvent, opened_event, past_event_in
from gatehouse.store.background import repeat
from gatehouse.store.database import Database
from gatehouse.store.decisions.missed_events import add_missed, forget_told, some_missed

_log: Final = logging.getLogger("gatehouse.store")

_POLL_S: Final = 1.0
_ROWS_AT_ONCE: Final = 256
_EVENTS_AT_ONCE: Final = 16
_REST_S: Final = 0.005
_MOST_LOST: Final = 10_000


class MissedEventTeller:
    """Tells a shared memory what it missed of single events."""

    def __init__(self, memory: SharedLog, fingerprints: Fingerprints) -> None:
        self._memory = memory
        self._fingerprints = fingerprints

    async def tell(self, events: Iterable[PastEvent]) -> None:
        """Tell of events, and wait until the memory has them; `ConnectorFailed` if it has not."""
        memory = self._memory
        for past in events:
            event = opened_event(past.event, self._fingerprints)
            if past.missed and past.counted:
                memory.note(event)
            elif past.missed:
                # Its answer was lost, and it can have been counted before.
                memory.take_back(event)
            elif past.retracted:
                memory.retract(event)
            if past.declined:
                memory.note_decline(event)
        await memory.flush()


class MemoryCatchUp:
    """Tells of missed requests whenever the memory can be reached."""

    def __init__(
        self, database: Database, teller: MissedEventTeller, busy: Callable[[], bool]
    ) -> None:
        self._database = database
        self._teller = teller
        self._busy = busy
        self._lost: dict[tuple[str, str], None] = {}
        self.told = 0
        """How many requests this server has told of."""

    async def run(self) -> None:
        """Catch up until cancelled."""
        await repeat(self.catch_up, _POLL_S, "could not tell the memory what it missed")

    def note_lost(self, event: MemoryEvent) -> None:
        """Hear that the memory was not told what became of an event that it has counted."""
        if event.request_id and len(self._lost) < _MOST_LOST:
            self._lost[event.account_id, event.request_id] = None

    async def catch_up(self) -> None:
        """Tell of all that is missed by now, or of as much as the memory takes."""
        await self.keep_lost()
        before = self.told
        try:
            while await self._tell_some() == _ROWS_AT_ONCE:
                pass
        except ConnectorFailed:
            # It is still away. The next attempt is soon, and the breaker keeps it cheap.
            pass
        if self.told > before:
            _log.info("told the memory what it missed", extra={"events": self.told - before})

    async def keep_lost(self) -> None:
        """Write down what was lost, so that it is told even if this process ends."""
        lost = list(self._lost)
        if lost:
            await self._database.write_on_thread(partial(add_missed, requests=lost))
        for each in lost:
            del self._lost[each]

    async def _tell_some(self) -> int:
        rows = await self._database.read_on_thread(lambda c: some_missed(c, _ROWS_AT_ONCE))
        for start in range(0, len(rows), _EVENTS_AT_ONCE):
            some = rows[start : start + _EVENTS_AT_ONCE]
            found = [past_event_in(row.account_id, row.record) for row in some if row.record]
            await self._teller.tell([past for past in found if past is not None])
            await self._database.write_on_thread(partial(forget_told, told=some))
            self.told += len(some)
            await asyncio.sleep(_REST_S if self._busy() else 0)
        return len(rows)
