"""How well scores tell fraud from honest requests: the usual figures and the points of curves.

Risk is one minus the confidence. Requests with the same risk cannot be told apart, so a threshold
takes all of them or none, as scikit-learn has it. Figures that a set of requests cannot have, such
as the area under the curve without a single fraud, are None.
"""

from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from gatehouse.training.examples import Values
from gatehouse.training.report.report import CalibrationPoint, Figures, RecallPoint

ECE_BINS: Final = 15
MOST_POINTS: Final = 200
"""Of a curve of precision and recall."""
CALIBRATION_EDGES: Final = (
    *(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
    *(0.95, 0.975, 0.99, 0.995, 0.999),
)
"""Shares of the requests, the least risky first; finer at the top, where fraud is looked for."""
LEAST_IN_BIN: Final = 25


class _Steps(msgspec.Struct, frozen=True):
    """What is at or above each risk that occurs, the highest first."""

    thresholds: Values
    frauds: Values
    legitimates: Values

    @property
    def precision(self) -> Values:
        shares: Values = self.frauds / (self.frauds + self.legitimates)
        return shares

    @property
    def recall(self) -> Values:
        shares: Values = self.frauds / self.frauds[-1]
        return shares


def measure(fraud: NDArray[Any], risk: NDArray[Any]) -> Figures:
    """The figures of requests, of which it is known what they were."""
    actual, predicted = np.asarray(fraud, dtype=bool), np.asarray(risk, dtype=np.float64)
    events, frauds = len(actual), int(actual.sum())
    if not events:
        return Figures(0, 0, None, None, None, None, None, None)
    ece, loss = _ece(actual, predicted), _log_loss(actual, predicted)
    if frauds in (0, events):
        return Figures(events, frauds, None, None, None, None, ece, loss)
    steps = _steps(actual, predicted)
    rises = np.diff(steps.recall, prepend=0.0)
    return Figures(
        events,
        frauds,
        _area(steps),
        float(np.sum(rises * steps.precision)),
        _recall_at(steps, 0.01),
        _recall_at(steps, 0.05),
        ece,
        loss,
    )


def calibration(fraud: NDArray[Any], risk: NDArray[Any]) -> list[CalibrationPoint]:
    """What was predicted beside what was observed, for groups of requests by rising risk."""
    actual, predicted = np.asarray(fraud, dtype=bool), np.asarray(risk, dtype=np.float64)
    if not len(actual):
        return []
    order = np.argsort(predicted, kind="stable")
    actual, predicted = actual[order], predicted[order]
    begins = [0]
    for share in CALIBRATION_EDGES:
        # Requests of the same risk belong to the same group.
        begin = int(np.searchsorted(predicted, predicted[int(share * len(predicted))]))
        if begin - begins[-1] >= LEAST_IN_BIN and len(predicted) - begin >= LEAST_IN_BIN:
            begins.append(begin)
    parts = [slice(*ends) for ends in zip(begins, [*begins[1:], len(predicted)], strict=True)]
    return [
        (float(predicted[part].mean()), float(actual[part].mean()), part.stop - part.start)
        for part in parts
    ]


def precision_recall(fraud: NDArray[Any], risk: NDArray[Any]) -> list[RecallPoint]:
    """What each threshold catches, the highest first; thinned to points of even recall."""
    actual, predicted = np.asarray(fraud, dtype=bool), np.asarray(risk, dtype=np.float64)
    if not actual.any():
        return []
    steps = _steps(actual, predicted)
    wanted = np.linspace(0.0, 1.0, MOST_POINTS)
    chosen = np.unique(np.searchsorted(steps.recall, wanted))
    return [
        (float(threshold), float(precision), float(recall))
        for threshold, precision, recall in zip(
            steps.thresholds[chosen], steps.precision[chosen], steps.recall[chosen], strict=True
        )
    ]


def _steps(actual: NDArray[np.bool_], predicted: Values) -> _Steps:
    order = np.argsort(-predicted, kind="stable")
    ordered = predicted[order]
    ends = np.append(np.flatnonzero(np.diff(ordered)), len(ordered) - 1)
    frauds = np.cumsum(actual[order], dtype=np.float64)[ends]
    return _Steps(ordered[ends], frauds, ends + 1.0 - frauds)


def _area(steps: _Steps) -> float:
    caught = np.concatenate(([0.0], steps.recall))
    alarms = np.concatenate(([0.0], steps.legitimates / steps.legitimates[-1]))
    return float(np.sum(np.diff(alarms) * (caught[1:] + caught[:-1]) / 2))


def _recall_at(steps: _Steps, most: float) -> float:
    allowed = int(np.searchsorted(steps.legitimates, most * steps.legitimates[-1], side="right"))
    return float(steps.recall[allowed - 1]) if allowed else 0.0


def _ece(actual: NDArray[np.bool_], predicted: Values) -> float:
    bins = np.clip((predicted * ECE_BINS).astype(np.int64), 0, ECE_BINS - 1)
    risks = np.bincount(bins, weights=predicted, minlength=ECE_BINS)
    frauds = np.bincount(bins, weights=actual, minlength=ECE_BINS)
    return float(np.abs(risks - frauds).sum() / len(predicted))


def _log_loss(actual: NDArray[np.bool_], predicted: Values) -> float:
    least = np.finfo(np.float64).eps
    sure = np.clip(np.where(actual, predicted, 1.0 - predicted), least, 1.0)
    return float(-np.log(sure).mean())
