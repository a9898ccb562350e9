"""Use case: rebuild the memory that servers share from the decision records, while they serve.

Servers begin with new keys first, and what the former ones hold is deleted. They go on counting new
events meanwhile; of the moments around that, records and servers can tell the same event, and the
memory knows it again.
"""

import asyncio
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import msgspec
import sqlalchemy as sa

from gatehouse.admin.memory.queries.memory_rebuild import DecisionHistory
from gatehouse.admin.memory.use_cases.memory_check import check_memory
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import Conflict, ConnectorFailed, WrongUsage
from gatehouse.core.ids import first_id
from gatehouse.operations.shared_memory import OpenedMemory, new_generation, open_shared_memory
from gatehouse.sentry.memory.memory import DAY_S, MemoryEvent
from gatehouse.sentry.records.event import PastEvent, opened_event, past_event_in
from gatehouse.settings.settings import Settings
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.counting import count_rows
from gatehouse.store.tables import ACCOUNTS, DECISIONS, HOLDS, MISSED_EVENTS

_DAY_MS: Final = 86_400_000
_TIMEOUT_MS: Final = 10_000
_ENTITIES: Final = 20_000
"""Histories that are kept here; those that come again and again."""
_KNOWN_AGAIN_S: Final = 8 * DAY_S
"""Events older than this cannot be told by anybody else any more."""
_SAME_CALL_S: Final = 60
"""For so long the memory knows those again: a call is made twice if the connection is cut."""
_SETTLE_S: Final = 2.0
"""In which servers finish telling what the rebuild is going to tell."""
_LOOK_S: Final = 0.1
_MOST_OPEN_S: Final = 600
"""The memory knows a request again for a little longer than this."""
_MOST_AHEAD_MS: Final = 60_000
_ACCOUNTS_AT_ONCE: Final = 1000
"""The right to rebuild is kept between these."""

Reached = Callable[[int, int], object]
"""Told how many records of how many are read."""


class MemoryRebuilt(msgspec.Struct, rename="camel"):
    """What a rebuild did."""

    deleted_keys: int = 0
    records: int = 0
    events: int = 0
    refusals: int = 0
    days: int = 0
    seconds: float = 0.0


def rebuild_memory(
    session: AdminSession,
    settings: Settings,
    reached: Reached = lambda _done, _total: None,
    *,
    settle_s: float = _SETTLE_S,
) -> MemoryRebuilt:
    """Delete what the shared memory holds, and fill it from the records of the last days."""
    session.actor.check_installation()
    if not settings.memory_url:
        raise WrongUsage(
            "GATEHOUSE_MEMORY_URL is not set, so each server has a memory of its own, which it "
            "rebuilds from the decision records when it starts; there is nothing to rebuild here"
        )
    return asyncio.run(_rebuild(session, settings, reached, settle_s))


async def _rebuild(
    session: AdminSession, settings: Settings, reached: Reached, settle_s: float
) -> MemoryRebuilt:
    opened = open_shared_memory(settings, session.ring, entities=_ENTITIES, timeout_ms=_TIMEOUT_MS)
    try:
        # The keys of an installation that this one is a copy of must stay as they are.
        await check_memory(session, opened)
        run = _Rebuild(session, opened, reached)
        await run.lock()
        try:
            return await run.run(settings, settle_s)
        finally:
            await run.unlock()
    finally:
        await opened.store.close()


class _Rebuild:
    """One rebuild."""

    def __init__(self, session: AdminSession, opened: OpenedMemory, reached: Reached) -> None:
        self._session = session
        self._opened = opened
        self._reached = reached
        self._owner = secrets.token_hex(8)
        self._done = MemoryRebuilt()
        self._total = 0
        self._lost: list[MemoryEvent] = []
        opened.memory.on_lost = self._lost.append
        self._waiting: set[str] = set()
        """Requests that servers had begun before they went over to the new keys, until told."""

    async def lock(self) -> None:
        """Take the right to rebuild."""
        if not await self._opened.lock(self._owner):
            raise Conflict("another rebuild of the shared memory is running; wait until it is done")

    async def _keep_lock(self) -> None:
        # A store that lost it has lost what it was told as well.
        if not await self._opened.keeps_lock(self._owner):
            raise ConnectorFailed(
                "the shared memory was emptied or restarted meanwhile; rebuild it again"
            )

    async def unlock(self) -> None:
        """Let others rebuild. The right to it ends by itself if the store does not answer."""
        with suppress(ConnectorFailed):
            await self._opened.unlock(self._owner)

    async def run(self, settings: Settings, settle_s: float) -> MemoryRebuilt:
        """Delete and fill."""
        started, session, opened = time.monotonic(), self._session, self._opened
        days, open_ms = settings.memory_days, settings.authorization_ttl_s * 1000
        await opened.note_incomplete()
        self._begin(session.clock() - open_ms, days)
        await asyncio.sleep(settle_s)
        with session.reading() as connection:
            accounts = list(connection.scalars(sa.select(ACCOUNTS.c.id)))
        generation = await self._begin_anew(accounts)
        now_ms = session.clock()
        since_ms = max(0, now_ms - days * _DAY_MS)
        with session.reading() as connection:
            self._total = _count(connection, since_ms, now_ms)
            # What servers have counted of these is not recorded yet, and deleted.
            self._waiting |= _still_open(connection, now_ms)
        self._done.days = days
        # First what servers may be telling just now, as long as the memory knows it again. Their
        # clocks can be ahead of this one.
        recent_ms, until_ms = max(since_ms, now_ms - open_ms), now_ms + _MOST_AHEAD_MS
        await self._tell(recent_ms, until_ms)
        await self._wait_for(frozenset(self._waiting), min(open_ms / 1000, _MOST_OPEN_S))
        # Servers have counted what came later, and the memory may not know that again by now.
        await self._tell(recent_ms, until_ms, only=self._waiting)
        await self._delete_former(accounts, generation)
        await self._tell(since_ms, recent_ms)
        await self._keep_lock()
        await opened.note_rebuilt(iso_time(now_ms))
        self._done.seconds = round(time.monotonic() - started, 3)
        with session.change(unseen=True) as change:
            change.audit("memory.rebuilt", **msgspec.to_builtins(self._done))
        return self._done

    def _begin(self, before_ms: int, days: int) -> None:
        """Note in the audit trail what begins; missed events are told with all others."""
        with self._session.change(unseen=True) as change:
            older = MISSED_EVENTS.c.request_id < first_id("req", max(0, before_ms))
            change.connection.execute(MISSED_EVENTS.delete().where(older))
            change.audit("memory.rebuild", days=days, place=self._opened.shown)

    async def _begin_anew(self, accounts: list[str]) -> bytes:
        generation = new_generation()
        for start in range(0, len(accounts), _ACCOUNTS_AT_ONCE):
            some = accounts[start : start + _ACCOUNTS_AT_ONCE]
            await self._opened.begin_anew(some, generation)
            await self._keep_lock()
        return generation

    async def _delete_former(self, accounts: list[str], generation: bytes) -> None:
        async for deleted in self._opened.delete_former(accounts, generation):
            self._done.deleted_keys += deleted
            await self._keep_lock()

    async def _wait_for(self, requests: frozenset[str], most_s: float) -> None:
        """Wait until requests are recorded, or were given up."""
        until_s = time.monotonic() + most_s
        while requests and time.monotonic() < until_s:
            with self._session.reading() as connection:
                requests &= _still_open(connection, self._session.clock())
            await self._keep_lock()
            await asyncio.sleep(_LOOK_S if requests else 0)

    async def _tell(self, from_ms: int, before_ms: int, only: set[str] | None = None) -> None:
        """Tell of the requests of a span, or of some of them only."""
        history = DecisionHistory(self._session.database, from_ms, before_ms)
        while (records := history.read()) is not None:
            for record in records:
                past = past_event_in(*record)
                if past is None or (only is not None and past.event.request_id not in only):
                    continue
                self._waiting.discard(past.event.request_id)
                self._tell_event(past, before_ms)
            await self._opened.memory.flush()
            if self._lost:
                raise ConnectorFailed("the shared memory did not take all events; rebuild it again")
            await self._keep_lock()
            self._reached(min(self._done.records, self._total), self._total)

    def _tell_event(self, past: PastEvent, now_ms: int) -> None:
        self._done.records += 1
        event = opened_event(past.event, self._session.fingerprints)
        is_old = event.at_s < now_ms / 1000 - _KNOWN_AGAIN_S
        known_s = _SAME_CALL_S if is_old and not past.missed else None
        if past.counted:
            self._opened.memory.note(event, known_s=known_s)
            self._done.events += 1
        if past.declined:
            self._opened.memory.note_decline(event, known_s=known_s)
            self._done.refusals += 1


def _count(connection: sa.Connection, from_ms: int, before_ms: int) -> int:
    ids = DECISIONS.c.request_id
    span = sa.and_(ids > first_id("req", from_ms), ids < first_id("req", before_ms))
    return count_rows(connection, DECISIONS, span)


def _still_open(connection: sa.Connection, now_ms: int) -> frozenset[str]:
    """The requests that are being answered. Nobody answers one whose hold is over."""
    held = sa.select(HOLDS.c.request_id).where(HOLDS.c.expires_at_ms > now_ms)
    return frozenset(connection.scalars(held))
