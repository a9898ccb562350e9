"""The background process as its server sees it: started, told of changes, heard, ended.

Both ends of a socket pair are all that the two have in common. The process has one as its standard
input, and ends when the other one is gone, however its server ended. A process that ends before is
the death of a task for the server, whose supervisor starts it again; so is one that is silent.
"""

import asyncio
import contextlib
import logging
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Final

import msgspec

from gatehouse.admin.installation.queries import Backlog
from gatehouse.api.metrics.metrics import Metrics
from gatehouse.workers.background.notices import BackgroundNotice, BackgroundReport
from gatehouse.workers.supervisor import BackgroundTask

_log: Final = logging.getLogger("gatehouse.workers")

COMMAND: Final = (sys.executable, "-m", "gatehouse", "serve", "--place", "background")
_SILENT_S: Final = 60.0
"""It reports every few seconds."""
_STOP_S: Final = 15.0
"""For messages that are being sent, and for jobs to be given back."""
_MOST_BYTES: Final = 1 << 20
_decode: Final = msgspec.json.Decoder(BackgroundReport).decode


class BackgroundEnded(Exception):
    """The process has ended or stands still, although its server goes on."""


class BackgroundChild:
    """The process beside one server, or none where another server has it."""

    def __init__(
        self, metrics: Metrics, begin: Callable[[], Awaitable[object]], *, runs: bool = True
    ) -> None:
        """It starts when `begin` has returned; without `runs`, not at all."""
        self._metrics = metrics
        self._begin = begin
        self._runs = runs
        self._channel: asyncio.StreamWriter | None = None
        self._report = BackgroundReport()
        self._has_begun = False

    def tasks(self) -> Iterator[BackgroundTask]:
        """To be run by the server."""
        if self._runs:
            yield BackgroundTask("background", self.run)

    def tell(self, notice: BackgroundNotice) -> None:
        """Tell the process; one that is not there yet looks at everything when it starts."""
        if self._channel is not None and not self._channel.is_closing():
            self._channel.write(f"{notice}\n".encode())

    @property
    def backlog(self) -> Backlog | None:
        """What waits in the database; None while nobody has told."""
        return self._report.backlog

    @property
    def months_ahead(self) -> int | None:
        """How many months after this one have partitions; None without any partitions."""
        return self._report.months_ahead

    @property
    def died(self) -> dict[str, int]:
        """How often each of its tasks has died."""
        return self._report.died

    @property
    def degraded(self) -> list[str]:
        """Its tasks that have died and not run for long since."""
        return self._report.degraded

    async def run(self) -> None:
        """Have the process run until cancelled, and wait for its end; or `BackgroundEnded`."""
        await self._begin()
        async with self._started() as (process, reader):
            try:
                await self._hear(reader)
            except TimeoutError:
                _log.warning("the background process is silent", extra={"pid": process.pid})
        about = {"pid": process.pid, "exitCode": process.returncode}
        _log.warning("the background process ended", extra=about)
        raise BackgroundEnded

    async def _hear(self, reader: asyncio.StreamReader) -> None:
        while True:
            async with asyncio.timeout(_SILENT_S):
                line = await reader.readline()
            if not line:
                return
            self._report, self._has_begun = _decode(line), True
            self._metrics.take_calls(self._report.calls)

    @contextlib.asynccontextmanager
    async def _started(
        self,
    ) -> AsyncIterator[tuple[asyncio.subprocess.Process, asyncio.StreamReader]]:
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                # In a session of its own, or Ctrl+C would reach it before its server has drained.
                process = await asyncio.create_subprocess_exec(
                    *COMMAND, stdin=theirs.fileno(), start_new_session=True
                )
            except BaseException:
                ours.close()
                raise
        self._has_begun = False
        reader, self._channel = await asyncio.open_connection(sock=ours, limit=_MOST_BYTES)
        _log.info("the background process starts", extra={"pid": process.pid})
        try:
            yield process, reader
        finally:
            channel, self._channel = self._channel, None
            channel.close()
            # What it counted last is not known any more, and nothing of it is degraded.
            self._report = BackgroundReport(died=self._report.died)
            await _end(process, at_once=not self._has_begun)


async def _end(process: asyncio.subprocess.Process, *, at_once: bool) -> None:
    """Wait for the end of a process that was told of it, but not for ever.

    One that has not begun to work would be told only when it has loaded everything.
    """
    if not at_once:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_STOP_S):
                await process.wait()
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
