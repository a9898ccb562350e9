"""Turns that requests wait for, and of which no asker, such as an account, takes all."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable


class Turns:
    """So many at a time for all askers together, and fewer for each."""

    def __init__(
        self,
        most: int,
        most_of_asker: int,
        wait_s: float,
        refusal: Callable[[], Exception],
        most_present: int = 1000,
    ) -> None:
        """`refusal` is raised when a turn does not come in time, or too many of an asker wait."""
        self._all = asyncio.Semaphore(most)
        self._most_of_asker = most_of_asker
        self._wait_s = wait_s
        self._refusal = refusal
        self._most_present = most_present
        self._own: dict[str, asyncio.Semaphore] = {}
        self._present: dict[str, int] = {}
        """How many requests of an asker wait or run."""

    @contextlib.asynccontextmanager
    async def take(self, asker: str) -> AsyncIterator[None]:
        """A turn until the end of the block; the request is refused when it waits too long."""
        if self._present.get(asker, 0) >= self._most_present:
            raise self._refusal()
        own = self._own.setdefault(asker, asyncio.Semaphore(self._most_of_asker))
        self._present[asker] = self._present.get(asker, 0) + 1
        async with contextlib.AsyncExitStack() as stack:
            stack.callback(self._leave, asker)
            try:
                async with asyncio.timeout(self._wait_s):
                    await stack.enter_async_context(own)
                    await stack.enter_async_context(self._all)
            except TimeoutError:
                raise self._refusal() from None
            yield

    def _leave(self, asker: str) -> None:
        self._present[asker] -= 1
        if not self._present[asker]:
            del self._present[asker], self._own[asker]
