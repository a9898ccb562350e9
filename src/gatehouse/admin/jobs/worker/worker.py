"""Takes jobs on a running server, and has each done by a process of its own.

The process has its own interpreter and a low priority, so that no request waits for it. It ends
when its server does: its standard input is then closed.
"""

import asyncio
import contextlib
import logging
import sys
from collections.abc import Callable
from functools import partial
from typing import Final

from gatehouse.access.actors import Actor
from gatehouse.core.errors import StoreUnavailable
from gatehouse.core.job_state import JobState
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store import jobs
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.background import repeat
from gatehouse.store.jobs import StoredJob

_JOB_LONG: Final = Phrase("refused.job_long", "it took longer than four hours")

_LOOK_S: Final = 10.0
"""When nobody tells it that one waits."""
_RENEW_S: Final = 2.0
_LONGEST_S: Final = 4 * 3600.0
_TIDY_EVERY: Final = 360
"""Looks between two deletions of old jobs."""
_log: Final = logging.getLogger("gatehouse.jobs")

Command = Callable[[str, str], list[str]]
"""The command line that runs a job for an owner."""


def _own_command(job_id: str, owner: str) -> list[str]:
    return [sys.executable, "-m", "gatehouse", "jobs", "run", job_id, "--owner", owner]


class JobWorker:
    """The jobs that this server works on."""

    def __init__(
        self, session: AdminSession, owner: str, at_once: int, command: Command = _own_command
    ) -> None:
        self._session = session.acting_as(Actor.system("jobs"))
        self._owner = owner
        self._at_once = at_once
        self._command = command
        self._running: set[asyncio.Task[None]] = set()
        self._wake = asyncio.Event()
        self._looks = 0

    def look_now(self) -> None:
        """Take a job at once if one waits."""
        self._wake.set()

    async def run(self) -> None:
        """Look for jobs until cancelled; those that run then are queued again."""
        if not self._at_once:
            return
        try:
            await repeat(self._look, 0.0, "could not look for jobs")
        finally:
            for task in self._running:
                task.cancel()
            await asyncio.gather(*self._running, return_exceptions=True)
            # A job may have been taken at the very moment of the end, before its task began.
            await self._write(partial(jobs.release, owner=self._owner))

    async def _look(self) -> None:
        # In Python 3.11, wait_for loses a cancellation that comes together with its result.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LOOK_S):
                await self._wake.wait()
        self._wake.clear()
        database, clock = self._session.database, self._session.clock
        if self._looks % _TIDY_EVERY == 0:
            await database.write_on_thread(lambda c: jobs.delete_old(c, clock()))
        self._looks += 1
        if len(self._running) >= self._at_once:
            return
        if not await database.read_on_thread(lambda c: jobs.needs_a_server(c, clock())):
            return
        job = await database.write_on_thread(lambda c: jobs.claim(c, self._owner, clock()))
        if job is not None:
            task = asyncio.create_task(self._supervise(job))
            self._running.add(task)
            task.add_done_callback(self._ended)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        self._running.discard(task)
        self._wake.set()
        if not task.cancelled() and task.exception() is not None:
            _log.error("a job could not be looked after", exc_info=task.exception())

    async def _supervise(self, job: StoredJob) -> None:
        """Have a job done, keep its lease, and end it if that is asked for."""
        process = None
        try:
            process = await asyncio.create_subprocess_exec(
                *self._command(job.id, self._owner),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.DEVNULL,
            )
            _log.info("job began", extra={"jobId": job.id, "kind": job.kind})
            ended = await self._watch(job, process)
        except asyncio.CancelledError:
            if process is not None:
                await _kill(process)
            await self._write(partial(jobs.release, owner=self._owner, job_id=job.id))
            raise
        await _kill(process)
        if ended is not None:
            await asyncio.to_thread(self._finish, job, *ended)
            return
        now_ms = self._session.clock()
        await self._write(partial(jobs.give_back, job_id=job.id, owner=self._owner, now_ms=now_ms))

    async def _watch(
        self, job: StoredJob, process: asyncio.subprocess.Process
    ) -> tuple[JobState, str] | None:
        """Wait for the end of a process; how the job ends if it must be ended before."""
        loop = asyncio.get_running_loop()
        latest = loop.time() + _LONGEST_S
        waiting = asyncio.create_task(process.wait())
        try:
            while True:
                done, _ = await asyncio.wait([waiting], timeout=_RENEW_S)
                if done:
                    return None
                kept = await self._renew(job)
                if kept is not None and kept.canceled:
                    return JobState.CANCELED, ""
                if loop.time() > latest:
                    return JobState.FAILED, _JOB_LONG()
        finally:
            waiting.cancel()

    async def _renew(self, job: StoredJob) -> StoredJob | None:
        clock = self._session.clock
        with contextlib.suppress(StoreUnavailable):
            # Without the database the process gets no further either; its lease may end.
            return await self._session.database.write_on_thread(
                lambda c: jobs.renew(c, job.id, self._owner, clock())
            )
        return None

    def _finish(self, job: StoredJob, state: JobState, error: str) -> None:
        told = {"error": error} if error else {}
        with self._session.change(unseen=True) as change:
            jobs.finish(change, job, self._owner, state, **told)

    async def _write(self, work: "Callable[..., None]") -> None:
        try:
            await self._session.database.write_on_thread(work)
        except StoreUnavailable as error:
            _log.warning("a job waits for its lease to end", extra={"reason": str(error)})


async def _kill(process: asyncio.subprocess.Process) -> None:
    """End a process, if it has not ended, and what it may have started."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
