"""The shared memory of a running server: tells it what it missed, and sees how it is."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import msgspec
import sqlalchemy as sa

from gatehouse.core.clock import iso_time
from gatehouse.core.errors import ConnectorFailed, StoreUnavailable
from gatehouse.operations.shared_memory import OpenedMemory
from gatehouse.sentry.memory import MemoryState
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.background import repeat
from gatehouse.store.decisions.memory_catch_up import MemoryCatchUp, MissedEventTeller
from gatehouse.store.tables import DECISIONS

_log: Final = logging.getLogger("gatehouse.memory")

_LOOK_S: Final = 2.0


class LiveSharedMemory:
    """Looks after the memory that this server shares with others."""

    def __init__(
        self, session: AdminSession, opened: OpenedMemory, busy: Callable[[], bool]
    ) -> None:
        self._session = session
        self._opened = opened
        self.memory = opened.memory
        teller = MissedEventTeller(opened.memory, session.fingerprints)
        self._catch_up = MemoryCatchUp(session.database, teller, busy)
        opened.memory.on_lost = self._catch_up.note_lost
        self._was_away = False

    @property
    def is_away(self) -> bool:
        """Whether it failed so often that it is not asked for a while."""
        return self._opened.breaker.is_open

    def state(self) -> MemoryState:
        """How it is, for those who watch the service."""
        state = self.memory.state()
        return msgspec.structs.replace(state, is_shared=True, is_away=self.is_away)

    async def run(self) -> None:
        """Look after it until cancelled."""
        await asyncio.gather(
            self._catch_up.run(),
            repeat(self._look, _LOOK_S, "could not look at the shared memory"),
        )

    async def stop(self) -> None:
        """Tell what waits to be told, close the connection, and keep what could not be told."""
        await self._opened.store.close()
        with suppress(StoreUnavailable):
            await self._catch_up.keep_lost()

    async def _look(self) -> None:
        """See whether it is there, and whether it holds what was recorded."""
        with suppress(ConnectorFailed):
            known = await self._opened.rebuilt_at() is not None
            if not known and not await self._session.database.read_on_thread(_any_decision):
                # Nothing was ever decided, so there is nothing to be remembered.
                await self._opened.note_rebuilt(iso_time(self._session.clock()))
                known = True
            if self.memory.rebuilt and not known:
                _log.warning(
                    "the shared memory knows nothing of the decisions that are recorded; "
                    "run: gatehouse sentry rebuild"
                )
            self.memory.rebuilt = known
        if self.is_away is not self._was_away:
            self._was_away = self.is_away
            if self.is_away:
                _log.warning("the shared memory does not answer; Sentry scores without it")
            else:
                _log.info("the shared memory answers again")


def _any_decision(connection: sa.Connection) -> bool:
    return connection.scalar(sa.select(DECISIONS.c.request_id).limit(1)) is not None
