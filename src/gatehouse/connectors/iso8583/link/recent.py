"""What is remembered for a while: bounded in number and in time, the oldest is forgotten first."""

import asyncio
from typing import Generic, TypeVar

T = TypeVar("T")


class Recent(Generic[T]):
    """Values by key, each for the same time."""

    def __init__(self, *, most: int, kept_s: float) -> None:
        self._most = most
        self._kept_s = kept_s
        self._values: dict[str, tuple[float, T]] = {}
        """With the time when each is forgotten, which grows."""
        self._timer: asyncio.TimerHandle | None = None

    def __contains__(self, key: object) -> bool:
        return key in self._values

    def __len__(self) -> int:
        return len(self._values)

    def put(self, key: str, value: T) -> None:
        """Remember a value from now on."""
        loop = asyncio.get_running_loop()
        self._values.pop(key, None)
        self._values[key] = (loop.time() + self._kept_s, value)
        if len(self._values) > self._most:
            del self._values[next(iter(self._values))]
        if self._timer is None:
            self._timer = loop.call_later(self._kept_s, self._forget, loop)

    def get(self, key: str) -> T | None:
        """The value, if it is remembered."""
        found = self._values.get(key)
        return None if found is None else found[1]

    def pop(self, key: str) -> None:
        """Forget a value."""
        self._values.pop(key, None)

    def clear(self) -> None:
        """Forget everything."""
        self._values.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _forget(self, loop: asyncio.AbstractEventLoop) -> None:
        now_s = loop.time()
        for key, (until_s, _value) in list(self._values.items()):
            if until_s > now_s:
                self._timer = loop.call_at(until_s, self._forget, loop)
                return
            del self._values[key]
        self._timer = None
