"""Waiting until a job of the management API has ended: once blocking, once for asyncio."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final

from gatehouse_client._calls import Answer, CallOptions
from gatehouse_client.errors import JobFailed, JobUnfinished
from gatehouse_client.models import JobResponse, JobState

Progress = Callable[[JobResponse], object]
"""Told of a job each time that it was looked at."""
_UNFINISHED: Final = (JobState.QUEUED, JobState.RUNNING)
_FIRST_PAUSE_S: Final = 0.1
_LONGEST_PAUSE_S: Final = 2.0


class _Wait:
    """One wait: what follows from each look at the job."""

    def __init__(self, patience_s: float, on_progress: Progress | None) -> None:
        self._ends_at = time.monotonic() + patience_s
        self._tell = on_progress or (lambda _: None)
        self._pause_s = _FIRST_PAUSE_S

    def pause_s(self, job: JobResponse) -> float | None:
        """How long to pause before the next look; None when the job has succeeded."""
        self._tell(job)
        if job.state == JobState.SUCCEEDED:
            return None
        if job.state not in _UNFINISHED:
            raise JobFailed(job)
        left_s = self._ends_at - time.monotonic()
        if left_s <= 0:
            raise JobUnfinished(job)
        self._pause_s = min(self._pause_s * 1.5, _LONGEST_PAUSE_S)
        return min(self._pause_s, left_s)


class JobWaiting:
    """What the blocking client adds to the calls about jobs."""

    def get(self, job_id: str, *, options: CallOptions | None = None) -> Answer[JobResponse]:
        """How far a job is."""
        raise NotImplementedError

    def wait(
        self,
        job_id: str,
        *,
        patience_s: float = 600,
        on_progress: Progress | None = None,
        options: CallOptions | None = None,
    ) -> Answer[JobResponse]:
        """Wait until a job has succeeded.

        `JobFailed` when it failed or was canceled, `JobUnfinished` when it takes longer than the
        patience. `on_progress` is told of the job again and again: `done`, `total`, `step`.
        """
        wait = _Wait(patience_s, on_progress)
        while True:
            answer = self.get(job_id, options=options)
            pause_s = wait.pause_s(answer.result)
            if pause_s is None:
                return answer
            time.sleep(pause_s)


class AsyncJobWaiting:
    """What the asynchronous client adds to the calls about jobs."""

    async def get(self, job_id: str, *, options: CallOptions | None = None) -> Answer[JobResponse]:
        """How far a job is."""
        raise NotImplementedError

    async def wait(
        self,
        job_id: str,
        *,
        patience_s: float = 600,
        on_progress: Progress | None = None,
        options: CallOptions | None = None,
    ) -> Answer[JobResponse]:
        """Wait until a job has succeeded, as the blocking client does."""
        wait = _Wait(patience_s, on_progress)
        while True:
            answer = await self.get(job_id, options=options)
            pause_s = wait.pause_s(answer.result)
            if pause_s is None:
                return answer
            await asyncio.sleep(pause_s)
