"""A cache by text for what callers send: it keeps short texts only, so that its memory has a bound
which no caller can reach with long ones.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final, TypeVar

T = TypeVar("T")

LONGEST: Final = 256


def cache_short(
    maxsize: int, longest: int = LONGEST
) -> Callable[[Callable[[str], T]], Callable[[str], T]]:
    """Remember the results for this many texts of at most this many characters."""

    def decorate(work: Callable[[str], T]) -> Callable[[str], T]:
        remembered = lru_cache(maxsize)(work)

        def answer(text: str) -> T:
            return remembered(text) if len(text) <= longest else work(text)

        return answer

    return decorate
