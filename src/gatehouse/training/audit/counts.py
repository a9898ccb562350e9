"""Features in bins, with how much fraud is in each: what most checks look at."""

from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from gatehouse.training.binning import NOT_MEASURED, put_into_bins
from gatehouse.training.examples import Values
from gatehouse.training.sampling import Sample

_BINS: Final = 20
AMOUNT: Final = "amount"
"""Stands among the codes of features: what an order is about, in its most frequent currency."""


class FeatureCounts(msgspec.Struct, frozen=True):
    """One feature: frauds and legitimate requests by bin; the first bin is of those without it."""

    code: str
    cuts: tuple[float, ...]
    frauds: Values
    legitimates: Values
    """As many as the sampled ones stand for."""

    @property
    def rates(self) -> Values:
        """The share of fraud in each bin; 0 for an empty one."""
        both = self.frauds + self.legitimates
        return np.divide(self.frauds, both, out=np.zeros(len(both)), where=both > 0)

    @property
    def area(self) -> float:
        """The area under the curve of a score that knows the share of fraud of each bin."""
        order = np.argsort(self.rates, kind="stable")
        frauds, legitimates = self.frauds[order], self.legitimates[order]
        below = np.cumsum(legitimates) - legitimates / 2
        return float(frauds @ below / (frauds.sum() * legitimates.sum()))


def count_features(codes: tuple[str, ...], sample: Sample) -> list[FeatureCounts]:
    """Every feature that was measured at all, in bins."""
    masses, found = sample.masses, []
    for place, code in enumerate(codes):
        column = sample.matrix[:, place]
        if np.isnan(column).all():
            continue
        binned = put_into_bins(code, column, masses, _BINS)
        fraud, size = sample.fraud, binned.size
        frauds: Values = np.zeros(size)
        legitimates: Values = np.zeros(size)
        np.add.at(frauds, binned.bins, fraud * sample.weights)
        np.add.at(legitimates, binned.bins, (1 - fraud) * sample.weights)
        found.append(FeatureCounts(code, binned.cuts, frauds, legitimates))
    return found


def area_of(fraud: NDArray[np.bool_], risk: Values) -> float:
    """The area under the ROC curve; draws count half."""
    _, which, counts = np.unique(risk, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - (counts - 1) / 2
    frauds = int(np.count_nonzero(fraud))
    won = float(ranks[which][fraud].sum()) - frauds * (frauds + 1) / 2
    return won / (frauds * (len(fraud) - frauds))


__all__ = ["AMOUNT", "NOT_MEASURED", "FeatureCounts", "area_of", "count_features"]
