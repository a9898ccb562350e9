"""Follows the messages about erased requests, and lets Sentry's memory forget their events.

A starting server begins when it has read back what was recorded before: only then is it certain
that nothing is noted after it was to be forgotten. It begins with what was said while it read;
where it reads nothing back, with all messages, which can come twice without harm, because an event
whose person is not known is left alone.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from gatehouse.core.clock import Clock
from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.secrets.keyring import KeyRing
from gatehouse.sentry.records.event import PastEvent, RecordedEvents
from gatehouse.store.background import repeat
from gatehouse.store.database import Database
from gatehouse.store.decisions import forgotten_events
from gatehouse.store.decisions.forgotten_events import ForgottenEvents
from gatehouse.store.state import lock_changes

_POLL_S: Final = 30.0
"""When nobody tells it that there are some."""
_DELETE_S: Final = 60.0
_AT_A_TURN: Final = 20
"""Events that are forgotten before requests get their turn, about a millisecond's worth."""


class Forgetter:
    """Forgets every event once."""

    def __init__(
        self,
        database: Database,
        ring: KeyRing,
        recorded: RecordedEvents,
        clock: Clock,
        *,
        flush: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """`flush` waits until a memory outside of the process has what it was told."""
        self._flush = flush
        self._waits = False
        self._wake = asyncio.Event()
        self._database = database
        self._messages = ForgottenEvents(ring)
        self._recorded = recorded
        self._clock = clock
        self._seq = 0
        self.since_ms = 0
        """Events of requests before this moment were never noted."""

    async def run(self, remembered: Callable[[], Awaitable[object]]) -> None:
        """Follow until cancelled, from when on everything is `remembered`."""
        await asyncio.gather(
            repeat(self.delete_old, _DELETE_S, "could not delete messages about erased requests"),
            self._follow(remembered),
        )

    async def _follow(self, remembered: Callable[[], Awaitable[object]]) -> None:
        await remembered()
        failure = "could not read which requests were erased"
        await repeat(self.catch_up, _POLL_S, failure, self._wake)

    async def pass_over(self) -> None:
        """Leave out the messages that are there: records that are read from now on know of them."""
        self._seq = await self._database.read_on_thread(forgotten_events.newest)

    def look_now(self) -> None:
        """Requests may have been erased: read soon."""
        self._wake.set()

    async def catch_up(self) -> None:
        """Forget what is to be forgotten by now."""
        while found := await self._database.read_on_thread(
            lambda c: self._messages.after(c, self._seq)
        ):
            for message in found:
                for number, each in enumerate(message.events, 1):
                    if each.received_ms < self.since_ms:
                        continue
                    if each.imported:
                        self._recorded.note(each.event)
                    else:
                        past = PastEvent(each.event, each.counted, each.declined)
                        self._recorded.forget(past, fraud=each.fraud)
                    if number % _AT_A_TURN == 0:
                        await asyncio.sleep(0)
                if not await self._arrived():
                    return
                self._seq = message.seq

    async def _arrived(self) -> bool:
        """Whether the memory has forgotten; one that is away is told the same message again."""
        self._waits = False
        if self._flush is not None:
            try:
                await self._flush()
            except ConnectorFailed:
                self._waits = True
        return not self._waits

    async def delete_old(self) -> None:
        """Delete the messages that every server has read."""
        now_ms = self._clock()
        if self._waits:
            return
        if await self._database.read_on_thread(lambda c: forgotten_events.any_old(c, now_ms)):
            await asyncio.to_thread(self._delete, now_ms)

    def _delete(self, now_ms: int) -> None:
        with self._database.writing() as connection:
            lock_changes(connection)
            forgotten_events.delete_old(connection, now_ms)
