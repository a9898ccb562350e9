"""The background process itself: it works until its server is gone, and reports how it is."""

import asyncio
import contextlib
import gc
import os
import secrets
import signal
import socket
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from typing import Final

import msgspec

from gatehouse.api.logs import log_lost_failure
from gatehouse.api.metrics.metrics import Metrics
from gatehouse.core.ids import new_id
from gatehouse.settings.settings import Settings
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.database import Database
from gatehouse.store.exclusive import BACKGROUND, exclusive
from gatehouse.workers.background.notices import BackgroundNotice, BackgroundReport
from gatehouse.workers.background.work import BackgroundWork
from gatehouse.workers.supervisor import TaskSupervisor

_REPORT_S: Final = 1.0
_ALIVE_EVERY: Final = 10
"""So many looks without news, and it reports all the same."""
_FREE_S: Final = 0.05
_SWITCH_S: Final = 0.0005
_ENDING_S: Final = 15.0
"""After the server; work that does not end must not keep the process alive."""
_STANDARD_INPUT: Final = 0
_encode: Final = msgspec.json.Encoder().encode


class BackgroundProcess:
    """The work, its supervisor, and the socket to the server."""

    def __init__(self, settings: Settings, session: AdminSession) -> None:
        self._session = session
        self._metrics = Metrics()
        self._tasks = TaskSupervisor()
        self._ended = asyncio.Event()
        self._channel = socket.socket(fileno=os.dup(_STANDARD_INPUT))
        owner = new_id("srv", session.clock(), secrets.token_bytes)
        # A SQLite file has one server, and so one such process.
        alone = session.database.is_sqlite
        self._work = BackgroundWork(settings, session, owner, self._metrics.called, alone=alone)

    async def run(self) -> None:
        """Work until the server is gone."""
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(log_lost_failure)
        # A service manager may tell all processes of a service to end. This one delivers until its
        # server has drained.
        for ignored in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(ignored, lambda: None)
        _listen(self._channel, lambda said: loop.call_soon_threadsafe(self._hear, said))
        gc.freeze()
        # A thread that writes to SQLite keeps the server's requests waiting while it waits for the
        # interpreter.
        sys.setswitchinterval(_SWITCH_S)
        async with _turn(self._session.database, self._ended) as is_ours:
            if is_ours:
                self._tasks.start(*self._work.tasks())
                await self._report_until_the_end()
                await self._tasks.stop()
        await loop.shutdown_default_executor()

    def _hear(self, said: bytes) -> None:
        """What the server says; nothing when it has ended."""
        if not said:
            self._ended.set()
            return
        self._work.tell(BackgroundNotice(said.decode().rstrip()))

    async def _report_until_the_end(self) -> None:
        told, silent = b"", 0
        while not self._ended.is_set():
            line = _encode(self._report()) + b"\n"
            silent = 0 if line != told else silent + 1
            if silent % _ALIVE_EVERY == 0:
                told = line
                with contextlib.suppress(OSError):
                    # On a thread: a server that stands still holds up nothing here.
                    await asyncio.to_thread(self._channel.sendall, line)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_REPORT_S):
                    await self._ended.wait()

    def _report(self) -> BackgroundReport:
        return BackgroundReport(
            self._tasks.died,
            self._tasks.degraded,
            self._metrics.given_calls(),
            self._work.backlog,
            self._work.months_ahead,
        )


@contextlib.asynccontextmanager
async def _turn(database: Database, ended: asyncio.Event) -> AsyncIterator[bool]:
    """Wait for the end of the process of an earlier server on a SQLite file.

    It may still send for a moment when that server was killed. False when this server has ended.
    """
    while not ended.is_set():
        turn = (
            exclusive(database, BACKGROUND) if database.is_sqlite else contextlib.nullcontext(True)
        )
        with turn as is_ours:
            if is_ours:
                yield True
                return
        await asyncio.sleep(_FREE_S)
    yield False


def _listen(channel: socket.socket, heard: Callable[[bytes], object]) -> None:
    """Pass on what the server says, on a thread, and make sure that the process ends after it."""

    def listen() -> None:
        with contextlib.suppress(OSError), channel.makefile("rb") as lines:
            for line in lines:
                heard(line)
        with contextlib.suppress(RuntimeError):  # the loop has closed
            heard(b"")
        time.sleep(_ENDING_S)
        os._exit(1)

    threading.Thread(target=listen, name="gatehouse-server", daemon=True).start()
