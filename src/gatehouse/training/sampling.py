"""Which requests a fit uses: the frauds, and enough of the legitimate ones beside them.

Legitimate requests are a hundred times as many, and a part of them says nearly as much as all. The
ones that are taken stand for the others by their weight, so that rates stay what they were.
"""

from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from gatehouse.training.examples import FRAUD, LEGITIMATE, Examples, Rows, Values

LEAST_LEGITIMATES: Final = 20_000
"""The least that are taken where there are as many, even with very few frauds."""
LEAST_ROWS: Final = 20
LEAST_EVIDENCE: Final = 3.0
"""Frauds that there were, or that there would be if the rows were like all others."""


class Sample(msgspec.Struct, frozen=True):
    """Some rows in their order, each with its weight."""

    rows: Rows
    fraud: Values
    """1 for fraud, 0 for legitimate."""
    weights: Values
    matrix: Values

    def part(self, chosen: NDArray[Any]) -> "Sample":
        """Some of the rows, by their places or by a mask."""
        each = (self.rows, self.fraud, self.weights, self.matrix)
        return Sample(*(values[chosen] for values in each))

    @property
    def rate(self) -> float:
        """The share of fraud among what the rows stand for."""
        return float(self.weights @ self.fraud / self.weights.sum())

    @property
    def masses(self) -> Values:
        """How much each row counts for choosing cuts: all frauds as much as all others."""
        frauds = float(self.fraud.sum())
        legitimates = len(self.fraud) - frauds
        return self.fraud * (0.5 / frauds) + (1 - self.fraud) * (0.5 / legitimates)


def take_sample(
    examples: Examples, rows: Rows, *, legitimate_per_fraud: int, most: int, seed: int
) -> Sample:
    """The frauds among the rows and some legitimate ones for each; at most `most` of a kind."""
    outcomes = examples.outcomes(rows)
    frauds, legitimates = rows[outcomes == FRAUD], rows[outcomes == LEGITIMATE]
    dice = np.random.default_rng(seed)
    wanted = max(LEAST_LEGITIMATES, legitimate_per_fraud * len(frauds))
    some_frauds = _some(frauds, most, dice)
    some_legitimates = _some(legitimates, min(wanted, most), dice)
    taken = np.concatenate([some_frauds, some_legitimates])
    weights = np.concatenate(
        [
            np.full(len(some_frauds), len(frauds) / max(len(some_frauds), 1)),
            np.full(len(some_legitimates), len(legitimates) / max(len(some_legitimates), 1)),
        ]
    )
    order = np.argsort(taken, kind="stable")
    taken = taken[order]
    fraud = (examples.outcomes(taken) == FRAUD).astype(np.float64)
    return Sample(taken, fraud, weights[order], examples.matrix(taken))


def has_evidence(chosen: NDArray[np.bool_], sample: Sample) -> bool:
    """Whether these rows are enough to say how much fraud there is among such requests."""
    if np.count_nonzero(chosen) < LEAST_ROWS:
        return False
    seen = float(sample.fraud[chosen].sum())
    expected = sample.rate * float(sample.weights[chosen].sum())
    return max(seen, expected) >= LEAST_EVIDENCE


def _some(rows: Rows, most: int, dice: np.random.Generator) -> Rows:
    if len(rows) <= most:
        return rows
    chosen: Rows = dice.choice(rows, most, replace=False, shuffle=False)
    return chosen
