"""Bins: a feature's measurements in a few steps, the same for every way of fitting."""

from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from gatehouse.training.examples import Values

NOT_MEASURED: Final = 0
"""The bin of rows without a measurement; the bins between the cuts follow it."""

_LARGEST: Final = 1e300
_MOST_DIGITS: Final = 17


class Binned(msgspec.Struct, frozen=True):
    """One feature of a sample, in bins."""

    code: str
    cuts: tuple[float, ...]
    """Ascending: a measurement at a cut or above belongs to the bin after it."""
    bins: NDArray[np.int64]

    @property
    def size(self) -> int:
        """How many bins there are, including that of rows without a measurement."""
        return len(self.cuts) + 2


class Additive(msgspec.Struct, frozen=True):
    """What a fit gives back: the log-odds of fraud, as a score for every bin."""

    scores: list[Values]
    held_back: Values
    """What the features add for each row, by a fit that had not seen it; NaN without one."""


def put_into_bins(code: str, column: Values, masses: Values, most: int) -> Binned:
    """A column in at most `most` bins, each with about the same mass of rows."""
    measured = ~np.isnan(column)
    cuts = choose_cuts(column[measured], masses[measured], most)
    return Binned(code, cuts, bins_of(column, cuts))


def bins_of(column: Values, cuts: tuple[float, ...]) -> NDArray[np.int64]:
    """The bin of each row of a column."""
    measured = ~np.isnan(column)
    bins = np.zeros(len(column), np.int64)
    bins[measured] = np.searchsorted(np.array(cuts), column[measured], side="right") + 1
    return bins


def choose_cuts(measurements: Values, masses: Values, most: int) -> tuple[float, ...]:
    """Where to cut for at most `most` bins; equal measurements stay together."""
    distinct, which = np.unique(np.clip(measurements, -_LARGEST, _LARGEST), return_inverse=True)
    if len(distinct) <= most:
        after = np.arange(len(distinct) - 1)
    else:
        # The bin of each distinct value is where the middle of its share of the mass falls.
        shares = np.bincount(which, masses) / masses.sum()
        after = np.flatnonzero(np.diff(np.floor((np.cumsum(shares) - shares / 2) * most)))
    return tuple(_between(float(distinct[at]), float(distinct[at + 1])) for at in after)


def _between(low: float, high: float) -> float:
    """The shortest number about half way between two others."""
    middle = low / 2 + high / 2
    for digits in range(1, _MOST_DIGITS):
        short = float(f"{middle:.{digits}g}")
        if low < short <= high:
            return short
    return high
