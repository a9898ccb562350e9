"""Time limits that cost nothing when there is nothing to wait for.

Most stages and bodies are complete at once. Arming and disarming a timer for each of them would
cost more than the work itself, so the timer is armed only when a coroutine really has to wait.
"""

import asyncio
import types
from collections.abc import Coroutine, Generator
from typing import Any, TypeVar

T = TypeVar("T")


async def with_timeout(seconds: float, work: Coroutine[Any, Any, T]) -> T:
    """Await the work for at most that long; raises `TimeoutError` when it takes longer."""
    try:
        first_wait = work.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    async with asyncio.timeout(seconds):
        return await _resume(work, first_wait)


@types.coroutine
def _resume(work: Coroutine[Any, Any, T], waiting_for: Any) -> Generator[Any, Any, T]:
    """Go on awaiting a coroutine that has already been started."""
    while True:
        try:
            try:
                answer = yield waiting_for
            except BaseException as thrown:
                waiting_for = work.throw(thrown)
            else:
                waiting_for = work.send(answer)
        except StopIteration as done:
            result: T = done.value
            return result
