"""Which entities each example is about, for what is asked of the data and not of its features.

Only hashes of this process are held, so nothing here can be told to anybody.
"""

from array import array
from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gatehouse.sentry import kinds

Keys = NDArray[np.int64]

_PERSONAL: Final = frozenset(
    (
        *(kinds.SESSION, kinds.USER, kinds.CARD, kinds.CUSTOM),
        *(kinds.EMAIL, kinds.PHONE, kinds.DEVICE_ID),
    )
)
"""What names a customer, and not a crowd such as a country or a browser."""


class EntityRows:
    """The entities of rows, one row after the other."""

    __slots__ = ("_keys", "_kinds", "_starts")

    def __init__(self) -> None:
        self._kinds: Final = array("b")
        self._keys: Final = array("q")
        self._starts: Final = array("q", [0])

    def add(self, entities: Iterable[tuple[object, str]]) -> None:
        """Append a row; kinds that the checks do not ask for are left out."""
        for kind, value in entities:
            if isinstance(kind, int) and (kind in _PERSONAL or kind == kinds.TRANSACTION):
                self._kinds.append(kind)
                self._keys.append(hash((int(kind), value)))
        self._starts.append(len(self._keys))

    def forget(self, count: int) -> None:
        """Drop the first rows."""
        first = self._starts[count]
        del self._kinds[:first], self._keys[:first]
        self._starts[:] = array("q", [start - first for start in self._starts[count:]])

    def of(self, rows: Keys, *, transactions: bool) -> tuple[Keys, Keys]:
        """Transactions of some rows, or else everything personal: place among the rows, and key."""
        if not len(self._keys):
            return np.empty(0, np.int64), np.empty(0, np.int64)
        starts = np.array(self._starts)
        first = starts[rows]
        counts = starts[rows + 1] - first
        here = np.repeat(np.arange(len(rows)), counts)
        there = np.arange(len(here)) - (np.cumsum(counts) - counts)[here] + first[here]
        wanted = (np.array(self._kinds)[there] == kinds.TRANSACTION) == transactions
        return here[wanted], np.array(self._keys)[there[wanted]]
