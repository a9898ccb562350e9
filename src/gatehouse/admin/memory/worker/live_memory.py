"""The shared memory of a running server: tells it what it missed, sees how it is, and mends it."""

import asyncio
import logging
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

import msgspec
import sqlalchemy as sa

from gatehouse.access.actors import Actor
from gatehouse.admin.memory.queries.memory_catch_up import MemoryCatchUp, MissedEventTeller
from gatehouse.admin.memory.queries.memory_told import may_rebuild, read_told
from gatehouse.admin.memory.use_cases.memory_check import check_memory
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import ConnectorFailed, StoreUnavailable
from gatehouse.operations.shared_memory import Observe, OpenedMemory, open_shared_memory
from gatehouse.sentry.memory.memory import MemoryState
from gatehouse.settings.settings import Settings
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.background import repeat
from gatehouse.store.tables import DECISIONS

_log: Final = logging.getLogger("gatehouse.memory")

_LOOK_S: Final = 2.0
_RINGS_S: Final = 0.25
"""So late a server knows what others have linked, if it serves the account just now."""
_RINGS_OF_ALL: Final = 20
"""Every so many-th time it asks for all accounts that it has served lately."""
_REBUILD_EVERY_MS: Final = 600_000
"""A store that loses its data again and again must not keep servers busy with it."""
_REBUILD: Final = (sys.executable, "-m", "gatehouse", "sentry", "rebuild", "--beside-server")


class LiveSharedMemory:
    """Looks after the memory that this server shares with others."""

    def __init__(
        self,
        session: AdminSession,
        opened: OpenedMemory,
        busy: Callable[[], bool],
        rebuild: Sequence[str] = _REBUILD,
    ) -> None:
        """`rebuild` is the command that rebuilds it; nothing if this server leaves it to others."""
        self._session = session.acting_as(Actor.system("memory"))
        self._opened = opened
        self._rebuild = rebuild
        self.memory = opened.memory
        self.keys = opened.keys
        teller = MissedEventTeller(opened.memory, session.fingerprints)
        self._catch_up = MemoryCatchUp(session.database, teller, busy)
        opened.memory.on_lost = self._catch_up.note_lost
        # Until the first look it could be the memory of an installation that this one is a copy of.
        opened.store.is_held = True
        self._was_away = False
        self._followed = 0
        self._is_being_rebuilt = False
        self._rebuilding: asyncio.subprocess.Process | None = None

    @property
    def is_away(self) -> bool:
        """Whether it failed so often that it is not asked for a while."""
        return self._opened.breaker.is_open

    def state(self) -> MemoryState:
        """How it is, for those who watch the service."""
        return msgspec.structs.replace(
            self.memory.state(),
            is_shared=True,
            is_away=self.is_away or self._opened.store.is_held,
            is_being_rebuilt=self._is_being_rebuilt,
        )

    async def start(self) -> None:
        """Look for the first time, so that the first requests can be told."""
        with suppress(StoreUnavailable):
            await self._look()

    async def run(self) -> None:
        """Look after it until cancelled."""
        await asyncio.gather(
            self._catch_up.run(),
            repeat(self._look, _LOOK_S, "could not look at the shared memory"),
            repeat(self._follow_rings, _RINGS_S, "could not follow the rings of other servers"),
        )

    async def stop(self) -> None:
        """Tell what waits to be told, close the connection, and keep what could not be told."""
        if self._rebuilding is not None and self._rebuilding.returncode is None:
            # Another server begins again.
            self._rebuilding.kill()
            await self._rebuilding.wait()
        await self._follow_rings()
        await self._opened.store.close()
        with suppress(StoreUnavailable):
            await self._catch_up.keep_lost()

    async def _follow_rings(self) -> None:
        """Exchange new links with other servers; while the store is away, they wait."""
        if not self._opened.store.is_held:
            self._followed += 1
            with suppress(ConnectorFailed):
                await self.memory.follow_rings(all_served=self._followed % _RINGS_OF_ALL == 0)

    async def _look(self) -> None:
        """See whether it is there, and whether it holds what was recorded."""
        with suppress(ConnectorFailed):
            await check_memory(self._session, self._opened)
            self._opened.store.is_held = False
            await self._see_whether_whole()
        if self.is_away is not self._was_away:
            self._was_away = self.is_away
            if self.is_away:
                _log.warning("the shared memory does not answer; Sentry scores without it")
            else:
                _log.info("the shared memory answers again")

    async def _see_whether_whole(self) -> None:
        known = await self._opened.rebuilt_at() is not None
        self._is_being_rebuilt = not known and await self._opened.is_being_rebuilt()
        if not known and not await self._session.database.read_on_thread(_any_decision):
            # Nothing was ever decided, so there is nothing to be remembered.
            await self._opened.note_rebuilt(iso_time(self._session.clock()))
            known = True
        if self.memory.rebuilt and not known:
            _log.warning("the shared memory does not hold all decisions that are recorded")
        self.memory.rebuilt = known
        if not known and not self._is_being_rebuilt and self._rebuild:
            await self._begin_rebuild()

    async def _begin_rebuild(self) -> None:
        """Rebuild it in a process of its own, unless another server has begun."""
        now_ms = self._session.clock()
        database = self._session.database
        if await database.write_on_thread(lambda c: may_rebuild(c, now_ms, _REBUILD_EVERY_MS)):
            _log.warning("the shared memory is rebuilt from the decision records")
            self._rebuilding = await asyncio.create_subprocess_exec(
                *self._rebuild,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.DEVNULL,
            )


def open_live_memory(
    settings: Settings, session: AdminSession, observe: Observe, busy: Callable[[], bool]
) -> LiveSharedMemory:
    """The memory that the settings name, under the name that this database has there."""
    with session.installation_reading() as connection:
        name = read_told(connection).installation
    opened = open_shared_memory(settings, session.ring, installation=name, observe=observe)
    # A server without jobs leaves long work to others.
    return LiveSharedMemory(session, opened, busy, _REBUILD if settings.jobs_at_once else ())


def _any_decision(connection: sa.Connection) -> bool:
    return connection.scalar(sa.select(DECISIONS.c.request_id).limit(1)) is not None
