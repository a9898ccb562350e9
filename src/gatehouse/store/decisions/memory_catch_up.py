"""Tells Sentry's shared memory of the requests that it missed, from their decision records.

Every server does this, so it does not matter which one missed them. A row is deleted after the
memory has acknowledged its event. The memory knows each event by its request, so it counts once
however often it is told.
"""

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from typing import Final

from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.fingerprints import Fingerprints
from gatehouse.sentry.memory import SharedLog
from gatehouse.sentry.recorded_event import PastEvent, opened_event, past_event_in
from gatehouse.store.background import repeat
from gatehouse.store.database import Database
from gatehouse.store.decisions.missed_events import forget_told, some_missed

_log: Final = logging.getLogger("gatehouse.store")

_POLL_S: Final = 1.0
_ROWS_AT_ONCE: Final = 256
_EVENTS_AT_ONCE: Final = 16
_REST_S: Final = 0.005


class EventTeller:
    """Writes events out of records into a shared memory, and waits until it has them."""

    def __init__(self, memory: SharedLog, fingerprints: Fingerprints) -> None:
        self._memory = memory
        self._fingerprints = fingerprints

    async def tell(self, events: list[PastEvent]) -> int:
        """Write events; returns how many counted. `ConnectorFailed` when the memory is away."""
        opened = [
            past._replace(event=opened_event(past.event, self._fingerprints)) for past in events
        ]
        # An event that must not count may have been counted when its answer was lost. So it is
        # told as well, and taken back.
        told = [past for past in opened if past.counted or past.missed]
        answers = await asyncio.gather(
            *(self._memory.record_and_recall(past.event) for past in told), return_exceptions=True
        )
        for failure in answers:
            if isinstance(failure, BaseException):
                raise failure
        for past, history in zip(told, answers, strict=True):
            if not past.counted and not isinstance(history, BaseException) and history.counted:
                self._memory.retract(past.event)
        for past in opened:
            if past.declined:
                self._memory.note_decline(past.event)
        await self._memory.flush()
        return sum(past.counted for past in told)


class MemoryCatchUp:
    """Tells of missed requests whenever the memory can be reached."""

    def __init__(self, database: Database, teller: EventTeller, busy: Callable[[], bool]) -> None:
        self._database = database
        self._teller = teller
        self._busy = busy
        self.told = 0
        """How many requests this server has told of."""

    async def run(self) -> None:
        """Catch up until cancelled."""
        await repeat(self.catch_up, _POLL_S, "could not tell the memory what it missed")

    async def catch_up(self) -> None:
        """Tell of all that is missed by now, or of as much as the memory takes."""
        before = self.told
        try:
            while await self._tell_some() == _ROWS_AT_ONCE:
                pass
        except ConnectorFailed:
            # It is still away. The next attempt is soon, and the breaker keeps it cheap.
            pass
        if self.told > before:
            _log.info("told the memory what it missed", extra={"events": self.told - before})

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
