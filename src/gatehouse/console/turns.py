"""Turns that requests of the console wait for, and of which no asker takes all."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from gatehouse.console.refusals import PageRefused


class Turns:
    """So many at a time for all askers together, and fewer for each."""

    def __init__(self, most: int, most_of_asker: int, wait_s: float) -> None:
        self._all = asyncio.Semaphore(most)
        self._most_of_asker = most_of_asker
        self._wait_s = wait_s
        self._own: dict[str, asyncio.Semaphore] = {}
        self._present: dict[str, int] = {}
        """How many requests of an asker wait or run."""

    @contextlib.asynccontextmanager
    async def take(self, asker: str) -> AsyncIterator[None]:
        """A turn until the end of the block; the request is refused when it waits too long."""
        own = self._own.setdefault(asker, asyncio.Semaphore(self._most_of_asker))
        self._present[asker] = self._present.get(asker, 0) + 1
        async with contextlib.AsyncExitStack() as stack:
            stack.callback(self._leave, asker)
            try:
                async with asyncio.timeout(self._wait_s):
                    await stack.enter_async_context(own)
                    await stack.enter_async_context(self._all)
            except TimeoutError:
                raise PageRefused(503, "problems.busy") from None
            yield

    def _leave(self, asker: str) -> None:
        self._present[asker] -= 1
        if not self._present[asker]:
            del self._present[asker], self._own[asker]
