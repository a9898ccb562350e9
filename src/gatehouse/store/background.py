"""Repeats work in the background of a server."""

import asyncio
import contextlib
import logging
import threading
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final, NoReturn

from gatehouse.core.errors import StoreUnavailable

_log: Final = logging.getLogger("gatehouse.store")


async def repeat(
    work: Callable[[], Awaitable[object]],
    pause_s: float | Callable[[], float],
    failure: str,
    wake: asyncio.Event | None = None,
) -> NoReturn:
    """Do the work again and again until cancelled; `failure` is logged whenever it fails.

    `pause_s` may be asked anew before each pause, and `wake` ends one before its time.
    No defect ends it: payments must still be reversed, holds released and changes noticed.
    """
    while True:
        try:
            await work()
        except asyncio.CancelledError as error:
            if is_cancelled():
                raise
            # Something that the work waited for was cancelled, and not the work.
            _log.warning(failure, extra={"reason": type(error).__name__})
        except StoreUnavailable as error:
            _log.warning(failure, extra={"reason": str(error)})
        except Exception:
            _log.exception(failure)
        seconds = pause_s if isinstance(pause_s, int | float) else pause_s()
        if wake is None:
            await asyncio.sleep(seconds)
            continue
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await wake.wait()
        wake.clear()


class RepeatedLook(ABC):
    """Looks again and again, each time on a thread."""

    def __init__(self, pause_s: float, failure: str, *, first_s: float = 0.0) -> None:
        self._pause_s = pause_s
        self._failure = failure
        self._first_s = first_s
        self._stopped = threading.Event()

    @abstractmethod
    def look(self) -> object:
        """Look once; what takes long ends early when it was stopped."""

    async def run(self) -> None:
        """Look until cancelled."""
        try:
            # A server that has just begun has better things to do.
            await asyncio.sleep(self._first_s)
            await repeat(self._on_a_thread, self._pause_s, self._failure)
        finally:
            # The thread goes on to the end of what it is at.
            self._stopped.set()

    async def _on_a_thread(self) -> None:
        await asyncio.to_thread(self._turn)

    def _turn(self) -> None:
        self.look()


def is_cancelled() -> bool:
    """Whether the running task itself was cancelled, and not only something that it waits for."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


async def wholly(work: Coroutine[Any, Any, None]) -> None:
    """Do something to its end, also if this task is cancelled meanwhile."""
    task = asyncio.create_task(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise
