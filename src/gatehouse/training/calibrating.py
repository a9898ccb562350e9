"""Calibration: makes a confidence mean what it says for current requests.

The rate of fraud changes with time, and a fit can be too sure or not sure enough. One factor for
all learned effects and one constant correct that, measured on the latest requests.
"""

from typing import Final

import numpy as np

from gatehouse.training.examples import Rows, Values
from gatehouse.training.report.phrases import FEW_LEGITIMATE, OTHER_RATE, percent_text

LATEST_SHARE: Final = 0.25
FRAUDS_FOR_CONSTANT: Final = 50
"""The latest rows reach back until they hold this many frauds, or all rows are taken."""
FRAUDS_FOR_SLOPE: Final = 50
LEGITIMATES_FOR_CONSTANT: Final = 100
FARTHEST_RATE: Final = 3.0
"""When the fraud rate of the latest rows differs by this factor, the reporting has more likely
changed than the fraud."""
_EXPECTED_DEVIATION: Final = 0.1
"""How far from 1 the factor is expected."""
_SLOPES: Final = (0.5, 1.5)
_ROUNDS: Final = 60
_WIDEST: Final = 60.0


def latest(times: Values, fraud: Values) -> Rows:
    """Places of the latest rows: a share of all, or more until there are enough frauds."""
    order = np.argsort(times, kind="stable")
    count = int(np.ceil(len(times) * LATEST_SHARE))
    reached = np.flatnonzero(np.cumsum(fraud[order][::-1]) >= FRAUDS_FOR_CONSTANT)
    count = max(count, int(reached[0]) + 1) if len(reached) else len(times)
    chosen: Rows = order[-count:]
    return chosen


def doubt_about(recent: Rows, fraud: Values) -> str | None:
    """Why the latest rows do not stand for current requests; None if they do."""
    frauds = fraud[recent]
    if len(recent) == len(fraud):
        return None
    legitimates = len(frauds) - int(frauds.sum())
    if legitimates < LEGITIMATES_FOR_CONSTANT:
        return FEW_LEGITIMATE(count=len(frauds), legitimates=legitimates)
    rate, usual = float(frauds.mean()), float(fraud.mean())
    if not usual / FARTHEST_RATE <= rate <= usual * FARTHEST_RATE:
        rates = {"rate": percent_text(rate, 1), "usual": percent_text(usual, 1)}
        return OTHER_RATE(**rates, count=len(frauds), all=len(fraud))
    return None


def find_slope(odds: Values, offset: Values, fraud: Values, weights: Values) -> float:
    """The factor for the odds, beside an offset that stands as it is, that fits rows best."""
    if fraud.sum() < FRAUDS_FOR_SLOPE:
        return 1.0
    # Rows that stand for many others are no more evidence than they are rows.
    weights = weights * (weights.sum() / (weights**2).sum())
    rate = float(np.average(fraud, weights=weights))
    constant, slope = find_constant(odds + offset, rate, weights), 1.0
    for _ in range(_ROUNDS):
        risk = _risk(constant + slope * odds + offset)
        missed = weights * (risk - fraud)
        bend = weights * risk * (1 - risk)
        pull = 1 / _EXPECTED_DEVIATION**2
        gradient = np.array([missed.sum(), missed @ odds + pull * (slope - 1)])
        across = float(bend @ odds)
        curvature = np.array([[bend.sum(), across], [across, bend @ odds**2 + pull]])
        step = np.linalg.solve(curvature + np.eye(2) * 1e-9, gradient)
        step = np.clip(step, -1, 1)
        constant, slope = constant - float(step[0]), slope - float(step[1])
        if np.abs(step).max() < 1e-8:
            break
    return float(np.clip(slope, *_SLOPES))


def find_constant(odds: Values, rate: float, weights: Values | None = None) -> float:
    """What to add to log-odds so that on average they say the rate.

    A scorecard takes no sum for more than a bound. That is left aside here: to make up for it would
    lower the risk of the risky for the sake of those who have next to none.
    """
    low, high = -_WIDEST, _WIDEST
    for _ in range(_ROUNDS):
        middle = (low + high) / 2
        if np.average(_risk(odds + middle), weights=weights) < rate:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _risk(odds: Values) -> Values:
    risk: Values = 1 / (1 + np.exp(-np.clip(odds, -_WIDEST, _WIDEST)))
    return risk
