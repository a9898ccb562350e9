"""A model that is made in a moment, to compare times and identifiers with: nobody is scored by it.

Each feature is replaced by the log-odds of fraud in its bin, and a ridge-regularised logistic
regression weighs them.
"""

from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from gatehouse.training.binning import choose_cuts
from gatehouse.training.examples import Values

_BINS: Final = 10
_PRIOR_ROWS: Final = 20.0
"""How many usual requests are added to each bin, so that few rows say little."""
_RIDGE: Final = 1.0
_ROUNDS: Final = 12


class QuickModel(msgspec.Struct, frozen=True):
    """Cuts and log-odds of each feature, and how much each of them counts."""

    cuts: list[Values]
    odds: list[Values]
    weights: Values

    def risks(self, matrix: Values) -> Values:
        """A higher number for a riskier row; it is no probability."""
        risks: Values = _as_odds(matrix, self.cuts, self.odds) @ self.weights[1:]
        return risks


def fit_quickly(matrix: Values, fraud: NDArray[np.bool_]) -> QuickModel:
    """Learn from these rows; both kinds must be among them."""
    masses = np.where(fraud, 0.5 / fraud.sum(), 0.5 / (~fraud).sum())
    cuts, odds = [], []
    for column in matrix.T:
        measured = ~np.isnan(column)
        some = choose_cuts(column[measured], masses[measured], _BINS) if measured.any() else ()
        cuts.append(np.array(some))
        odds.append(_log_odds(_bins(column, cuts[-1]), len(some) + 2, fraud))
    design = np.hstack([np.ones((len(fraud), 1)), _as_odds(matrix, cuts, odds)])
    return QuickModel(cuts, odds, _solve(design, fraud.astype(np.float64)))


def _bins(column: Values, cuts: Values) -> NDArray[np.int64]:
    measured = ~np.isnan(column)
    bins = np.zeros(len(column), np.int64)
    bins[measured] = np.searchsorted(cuts, column[measured], side="right") + 1
    return bins


def _log_odds(bins: NDArray[np.int64], size: int, fraud: NDArray[np.bool_]) -> Values:
    rate = fraud.mean()
    counts = np.bincount(bins, minlength=size) + _PRIOR_ROWS
    frauds = np.bincount(bins, fraud, minlength=size) + _PRIOR_ROWS * rate
    odds: Values = np.log(frauds / (counts - frauds)) - np.log(rate / (1 - rate))
    return odds


def _as_odds(matrix: Values, cuts: list[Values], odds: list[Values]) -> Values:
    columns = [
        values[_bins(column, borders)]
        for column, borders, values in zip(matrix.T, cuts, odds, strict=True)
    ]
    return np.stack(columns, axis=1)


def _solve(design: Values, fraud: Values) -> Values:
    """Newton's method; the ridge keeps every step small enough."""
    penalty = np.full(design.shape[1], _RIDGE)
    weights = np.zeros(design.shape[1])
    weights[0] = np.log(fraud.mean() / (1 - fraud.mean()))
    for _ in range(_ROUNDS):
        risk = 1 / (1 + np.exp(-np.clip(design @ weights, -30, 30)))
        gradient = design.T @ (risk - fraud) + penalty * weights
        bend = np.maximum(risk * (1 - risk), 1e-6)
        weights -= np.linalg.solve((design * bend[:, None]).T @ design + np.diag(penalty), gradient)
    return weights
