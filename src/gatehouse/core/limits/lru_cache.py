"""A bounded cache: at its limit it forgets one value, not all of them at once."""

from collections import OrderedDict
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class LruCache(OrderedDict[K, V]):
    """Values by key; the least recently used one is forgotten first. Threads may share it."""

    def __init__(self, most: int) -> None:
        """Keep at most so many values."""
        super().__init__()
        self._most = most

    def find(self, key: K) -> V | None:
        """The value, which counts as used now."""
        value = self.get(key)
        if value is not None:
            try:
                self.move_to_end(key)
            except KeyError:
                # Another thread has removed it meanwhile.
                return value
        return value

    def put(self, key: K, value: V) -> None:
        """Keep a value, and forget another one if there are too many."""
        self[key] = value
        if len(self) > self._most:
            self.popitem(last=False)
