"""A cache by text for what callers send: it keeps short texts only, so that its memory has a bound
which no caller can reach with long ones.
"""

from collections.abc import Callable
from typing import Final, Generic, TypeVar

T = TypeVar("T")

LONGEST: Final = 256


def cache_short(
    maxsize: int, longest: int = LONGEST
) -> Callable[[Callable[[str], T]], Callable[[str], T]]:
    """Remember the results for this many texts of at most this many characters."""

    def decorate(work: Callable[[str], T]) -> Callable[[str], T]:
        return _TextCache(work, maxsize, longest).__getitem__

    return decorate


class _TextCache(dict[str, T], Generic[T]):
    """Results by text. One that is there is found without a step in Python: a request looks thirty
    times. When it is full it begins anew, which costs the texts that are still wanted once.
    """

    def __init__(self, work: Callable[[str], T], most: int, longest: int) -> None:
        super().__init__()
        self._work = work
        self._most = most
        self._longest = longest

    def __missing__(self, text: str) -> T:
        found = self._work(text)
        if len(text) <= self._longest:
            if len(self) >= self._most:
                self.clear()
            self[text] = found
        return found
