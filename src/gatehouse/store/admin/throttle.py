"""Lets servers have their turn: a long change goes batch by batch and rests in between.

SQLite has one write lock and no queue for it: whoever waits looks again only now and then, at last
every tenth of a second. A change that took the lock again at once would keep servers out.
"""

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Final

from gatehouse.store.database import Database

_SHORT_S: Final = 0.05
_LOOKS_AGAIN_S: Final = 0.1
_LONGEST_S: Final = 1.0


class Pace:
    """Keeps the write lock free for at least as long as it was held, before it is taken again."""

    def __init__(
        self,
        database: Database,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._unfair = database.is_sqlite
        self._monotonic = monotonic
        self._sleep = sleep
        self._free_until = float("-inf")

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """Around one transaction; what is done between two turns counts as rest."""
        rest = self._free_until - self._monotonic()
        if rest > 0:
            self._sleep(rest)
        began = self._monotonic()
        try:
            yield
        finally:
            if self._unfair:
                ended = self._monotonic()
                self._free_until = ended + _rest_after(ended - began)


def _rest_after(held: float) -> float:
    if held < _SHORT_S:
        return _SHORT_S
    return min(max(held, _LOOKS_AGAIN_S), _LONGEST_S)
