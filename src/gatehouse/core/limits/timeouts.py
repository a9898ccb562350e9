"""Time limits that cost nothing when there is nothing to wait for.

Most stages and bodies are complete at once. Arming and disarming a timer for each of them would
cost more than the work itself, so the timer is armed only when a coroutine really has to wait.
"""

import asyncio
import math
import time
import types
from collections.abc import Coroutine, Generator
from contextvars import ContextVar
from typing import Any, Final, TypeVar

from gatehouse.core.errors import ConnectorFailed

T = TypeVar("T")
SENDS_UNTIL_MS: Final = ContextVar("sends_until_ms", default=math.inf)
"""Until when a party may be sent what is asked of it now, in milliseconds since 1970."""


def refuse_late() -> None:
    """Refuse to send what others may have done while this process stood still."""
    if time.time() * 1000 > SENDS_UNTIL_MS.get():
        raise ConnectorFailed("it is too late to send this", sent=False)


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
