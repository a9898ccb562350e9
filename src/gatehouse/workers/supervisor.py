"""Starts what runs beside requests, notices when a task of it dies, and starts it again."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Final

import msgspec

from gatehouse.core.defects import blanked
from gatehouse.store.background import is_cancelled

_FIRST_PAUSE_S: Final = 1.0
_LONGEST_PAUSE_S: Final = 60.0
STEADY_S: Final = 120.0
"""A task that has run for so long is well again."""
_IN_VAIN: Final = 3
"""So many deaths in a row: starting the task again does not help."""
_log: Final = logging.getLogger("gatehouse.workers")


class BackgroundTask(msgspec.Struct, frozen=True):
    """What runs beside requests until the server stops."""

    name: str
    run: Callable[[], Awaitable[object]]
    is_needed: bool = False
    """Whether requests should go to other servers while it does not run."""
    may_end: bool = False
    """Whether it is done when it returns; otherwise that is a death."""


class _Watched:
    """A task, and how it went."""

    def __init__(self, task: BackgroundTask) -> None:
        self.task = task
        self.died = 0
        self.in_a_row = 0
        """Deaths since it last ran for long."""
        self.runs_since: float | None = None


class TaskSupervisor:
    """The tasks of one server."""

    def __init__(
        self,
        pause_s: Callable[[int], float] | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._pause_s = pause_s or pause_after
        self._monotonic = monotonic
        self._watched: list[_Watched] = []
        self._running: list[asyncio.Task[None]] = []

    def start(self, *tasks: BackgroundTask) -> None:
        """Run these until `stop`."""
        for task in tasks:
            watched = _Watched(task)
            self._watched.append(watched)
            self._running.append(asyncio.create_task(self._keep(watched), name=task.name))

    async def stop(self) -> None:
        """End all tasks."""
        for each in self._running:
            each.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    @property
    def died(self) -> dict[str, int]:
        """How often each task has died."""
        return {each.task.name: each.died for each in self._watched}

    @property
    def degraded(self) -> list[str]:
        """The tasks that have died and not run for long since."""
        return [each.task.name for each in self._watched if self._is_degraded(each)]

    @property
    def serves(self) -> bool:
        """Whether every task runs without which requests should not come here."""
        return not any(
            each.task.is_needed and each.in_a_row >= _IN_VAIN and self._is_degraded(each)
            for each in self._watched
        )

    def _is_degraded(self, watched: _Watched) -> bool:
        return watched.in_a_row > 0 and not self._is_steady(watched)

    def _is_steady(self, watched: _Watched) -> bool:
        since = watched.runs_since
        return since is not None and self._monotonic() - since >= STEADY_S

    async def _keep(self, watched: _Watched) -> None:
        task = watched.task
        while True:
            watched.runs_since = self._monotonic()
            error = await _end_of(task)
            if error is None and task.may_end:
                watched.in_a_row = 0
                return
            if self._is_steady(watched):
                watched.in_a_row = 0
            watched.runs_since = None
            watched.died += 1
            watched.in_a_row += 1
            pause_s = self._pause_s(watched.in_a_row)
            reason = "returned" if error is None else type(error).__name__
            _log.error(
                "a task died and will be started again",
                extra={"task": task.name, "reason": reason, "pauseS": pause_s},
                exc_info=None if error is None else blanked(error, task.name),
            )
            await asyncio.sleep(pause_s)


def pause_after(deaths: int) -> float:
    """How long to wait before a start after so many deaths in a row, in seconds."""
    return min(_FIRST_PAUSE_S * 2.0 ** min(deaths - 1, 10), _LONGEST_PAUSE_S)


async def _end_of(task: BackgroundTask) -> BaseException | None:
    """Run a task to its end; what it raised, unless the server stops."""
    try:
        await task.run()
    except asyncio.CancelledError as error:
        if is_cancelled():
            raise
        # Something that it waited for was cancelled, and not the task.
        return error
    except Exception as error:
        return error
    return None
