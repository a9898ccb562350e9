"""Fills Sentry's memory from the decision records of the time before this process.

A thread reads; the event loop decodes and notes what was read, a millisecond at a time, and gives
way to requests. Events after the start are noted by the requests themselves.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Final

from gatehouse.core.errors import StoreUnavailable
from gatehouse.sentry.memory import MemoryEvent
from gatehouse.sentry.recorded_event import past_event_in
from gatehouse.store.decisions.history import RecordText

_log: Final = logging.getLogger("gatehouse.store")

_SLICE_S: Final = 0.001
# The most waits of a millisecond between two slices while requests are answered: it must get done.
_TURNS_GIVEN: Final = 10
_TURN_S: Final = 0.001
_RETRY_S: Final = 5.0


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
