"""Regression: a ridge-regularised logistic one in few steps, for when there is little fraud.

Each feature has one weight for being measured and one for each step upwards. All are drawn towards
zero, so that a handful of frauds moves only what they agree on.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from gatehouse.training.binning import Additive, Binned
from gatehouse.training.examples import Values
from gatehouse.training.sampling import Sample

BINS: Final = 12
MOST_ROWS: Final = 10_000
"""The most rows of each kind; more would be slower and, with so few weights, hardly better."""
_EXPECTED_WEIGHT: Final = 0.25
"""How far from zero a weight is expected, in log-odds: much is known before a fit begins."""
_MOST_ROUNDS: Final = 50
_CLOSE_ENOUGH: Final = 1e-6


def regress(sample: Sample, features: Sequence[Binned], offset: Values) -> Additive:
    """Fit the features to the frauds of the sample, beside what the offset says already."""
    # One column is for the constant; then, for each feature, bin by bin, whether it is reached.
    reached = [
        (feature.bins[:, None] >= np.arange(1, feature.size)[None, :]).astype(np.float64)
        for feature in features
    ]
    design = np.hstack([np.ones((len(offset), 1)), *reached])
    weights = _solve(design, sample, offset)
    scores = []
    at = 1
    for feature in features:
        steps = weights[at : at + feature.size - 1]
        scores.append(np.concatenate([[0.0], np.cumsum(steps)]))
        at += feature.size - 1
    return Additive(scores, np.full(len(offset), np.nan))


def _solve(design: Values, sample: Sample, offset: Values) -> Values:
    """Newton's method; a step that makes it worse is halved."""
    penalty = np.full(design.shape[1], 1 / _EXPECTED_WEIGHT**2)
    penalty[0] = 1e-6
    weights = np.zeros(design.shape[1])
    weights[0] = np.log(sample.rate / (1 - sample.rate)) - float(np.mean(offset))
    loss = _loss(design @ weights + offset, weights, penalty, sample)
    for _ in range(_MOST_ROUNDS):
        risk = 1 / (1 + np.exp(-np.clip(design @ weights + offset, -30, 30)))
        gradient = design.T @ (sample.weights * (risk - sample.fraud)) + penalty * weights
        bend = sample.weights * risk * (1 - risk)
        curvature = (design * bend[:, None]).T @ design + np.diag(penalty)
        step = np.linalg.solve(curvature, gradient)
        for _ in range(_MOST_ROUNDS):
            tried = weights - step
            new_loss = _loss(design @ tried + offset, tried, penalty, sample)
            if new_loss <= loss:
                break
            step = step / 2
        else:
            return weights
        weights, gained, loss = tried, loss - new_loss, new_loss
        if gained <= _CLOSE_ENOUGH:
            return weights
    return weights


def _loss(odds: Values, weights: Values, penalty: Values, sample: Sample) -> float:
    likelihood = np.logaddexp(0, odds) - sample.fraud * odds
    return float(sample.weights @ likelihood + penalty @ weights**2 / 2)
