"""What simpler and unexplained ways make of the same requests, in the same order of time.

On what Sentry measured of each request, a logistic regression and gradient boosted trees are fitted
every week, with the labels that were known by then; neither has to explain itself. The plain sum of
reputations fits nothing: it adds up the log-odds of the smoothed rate of fraud of everything that a
request names, with the labels known by then.
"""

import math
import warnings
from collections import defaultdict
from heapq import heappop, heappush
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from gatehouse.sentry import kinds
from gatehouse.sentry.memory.reputation_store import SMOOTHING
from gatehouse.sentry.stage import ScoredRequest
from gatehouse.training.replay.lines import ReplayLine
from scripts.eval_sentry.converting import Known
from scripts.eval_sentry.measuring import DAYS

DELAY_DAYS: Final = 7
DAY_S: Final = 86_400
SMOOTHED_BY: Final = 5.0
_USUAL_WEIGHT: Final = 200.0
_MOST_ROWS: Final = 200_000
_FEWEST_FRAUDS: Final = 10
_FARTHEST: Final = 5.0

Values = NDArray[np.float64]


class PlainSum:
    """Adds up what is known of everything that a request names; nothing is ever forgotten."""

    def __init__(self) -> None:
        self._counts: defaultdict[object, list[int]] = defaultdict(lambda: [0, 0])
        self._all = [0, 0]
        self._pending: list[tuple[float, int, list[object], bool]] = []
        self._number = 0

    def score(self, at_s: float, named: list[object], fraud: bool) -> float:
        """The sum for a request; its own label is known a week later."""
        while self._pending and self._pending[0][0] <= at_s:
            _, _, keys, was_fraud = heappop(self._pending)
            for counts in (self._all, *(self._counts[key] for key in keys)):
                counts[0] += was_fraud
                counts[1] += 1
        frauds, labels = self._all
        base = (frauds + _USUAL_WEIGHT * 0.005) / (labels + _USUAL_WEIGHT)
        total = 0.0
        for key in named:
            seen, known = self._counts.get(key, (0, 0))
            rate = (seen + SMOOTHED_BY * base) / (known + SMOOTHED_BY)
            total += math.log(rate * (1 - base) / (base * (1 - rate)))
        self._number += 1
        heappush(self._pending, (at_s + DELAY_DAYS * DAY_S, self._number, named, fraud))
        return total


def named(line: ReplayLine, scored: ScoredRequest) -> list[object]:
    """What a request names: what Sentry remembers, and what stands in its custom inputs."""
    wanted = [each for each in scored.event.entities if each[0] in SMOOTHING]
    named: dict[object, None] = dict.fromkeys(
        [each for each in wanted if each[0] not in (kinds.SHELF, kinds.CUSTOM)]
    )
    for name, value in (line.request.custom_inputs or {}).items():
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, str):
                named[name, each] = None
    return list(named)


def fitted_risks(
    name: str, matrix: NDArray[np.float32], known: Known, weeks: range, seed: int = 0
) -> Values:
    """The risk of every request of some weeks, by a model fitted before each; others have none."""
    risks = np.full(len(known.fraud), np.nan)
    of_week = known.days // DAYS + 1
    dice = np.random.default_rng(seed)
    first_s = known.at_s[0] - known.at_s[0] % DAY_S
    for week in weeks:
        here = np.flatnonzero(of_week == week)
        begins_s = first_s + (week - 1) * DAYS * DAY_S
        before = np.flatnonzero(known.at_s < begins_s - DELAY_DAYS * DAY_S)
        if not len(here):
            continue
        if known.fraud[before].sum() < _FEWEST_FRAUDS:
            risks[here] = 0.0
            continue
        rows, weights = _some(before, known.fraud, dice)
        model = _MODELS[name]()
        # What was not measured before the week cannot have been learned from.
        used = ~np.isnan(matrix[rows]).all(axis=0)
        # On one thread: several wait for each other on a busy machine, and add up in another order.
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore")
            model.fit(matrix[np.ix_(rows, used)], known.fraud[rows], sample_weight=weights)
            risks[here] = model.predict_proba(matrix[np.ix_(here, used)])[:, 1]
    return risks


def _some(
    rows: NDArray[np.int64], fraud: NDArray[np.bool_], dice: np.random.Generator
) -> tuple[NDArray[np.int64], Values]:
    """All frauds, and so many of the others that a fit ends in time, with their weights."""
    frauds, others = rows[fraud[rows]], rows[~fraud[rows]]
    if len(others) <= _MOST_ROWS:
        return rows, np.ones(len(rows))
    chosen = dice.choice(others, _MOST_ROWS, replace=False)
    weights = np.ones(len(frauds) + len(chosen))
    weights[len(frauds) :] = len(others) / len(chosen)
    return np.concatenate([frauds, chosen]), weights


class _Regression:
    """Logistic regression on scaled measurements; whether one is missing counts by itself."""

    def fit(self, matrix: Any, fraud: Any, sample_weight: Any) -> None:
        from sklearn.linear_model import LogisticRegression

        with np.errstate(all="ignore"):
            self._middle = np.nanmean(matrix, axis=0)
            self._spread = np.nanstd(matrix, axis=0)
        self._model = LogisticRegression(max_iter=300)
        self._model.fit(self._scaled(matrix), fraud, sample_weight=sample_weight)

    def predict_proba(self, matrix: Any) -> Any:
        return self._model.predict_proba(self._scaled(matrix))

    def _scaled(self, matrix: Any) -> Any:
        scaled = (matrix - np.nan_to_num(self._middle)) / (np.nan_to_num(self._spread) + 1e-6)
        scaled = np.clip(np.nan_to_num(scaled), -_FARTHEST, _FARTHEST)
        return np.hstack([scaled, np.isnan(matrix)])


def _boosting() -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(
        max_iter=150, learning_rate=0.06, max_leaf_nodes=15, l2_regularization=1.0, random_state=1
    )


REGRESSION: Final = "logistic regression"
BOOSTING: Final = "gradient boosted trees"
_MODELS: Final[dict[str, Any]] = {REGRESSION: _Regression, BOOSTING: _boosting}
