"""How sure the figures of a report are: 95 % intervals, made of the counts that a report has.

They speak of chance alone: a shop that changes is not in them.
"""

import math
from typing import Final

from gatehouse.training.report.report import Figures

Interval = tuple[float, float]
_Z: Final = 1.959964
_FAR: Final = 700.0
"""Log-odds beyond which a number of this machine ends."""


def share_interval(share: float, count: int) -> Interval | None:
    """Of a share of so many (Wilson); None of nothing."""
    if count <= 0:
        return None
    spread = _Z * _Z / count
    middle = (share + spread / 2) / (1 + spread)
    half = _Z * math.sqrt(share * (1 - share) / count + spread / (4 * count)) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def area_interval(area: float, frauds: int, honest: int) -> Interval | None:
    """Of an area under the ROC curve (Hanley and McNeil)."""
    if frauds <= 0 or honest <= 0:
        return None
    one, two = area / (2 - area), 2 * area * area / (1 + area)
    variance = area * (1 - area)
    variance += (frauds - 1) * (one - area * area) + (honest - 1) * (two - area * area)
    half = _Z * math.sqrt(max(0.0, variance) / (frauds * honest))
    return max(0.0, area - half), min(1.0, area + half)


def precision_interval(average_precision: float, frauds: int) -> Interval | None:
    """Of an average precision, by its logit (Boyd, Eng and Page)."""
    inside = 0 < average_precision < 1
    if frauds <= 0 or not inside:
        return None
    middle = math.log(average_precision / (1 - average_precision))
    half = _Z / math.sqrt(frauds * average_precision * (1 - average_precision))
    return _logistic(middle - half), _logistic(middle + half)


def figure_interval(figures: Figures, name: str) -> Interval | None:
    """Of one of the figures; None where it has none."""
    value = getattr(figures, name)
    if value is None:
        return None
    if name == "auc":
        return area_interval(value, figures.frauds, figures.events - figures.frauds)
    if name == "average_precision":
        return precision_interval(value, figures.frauds)
    if name in ("recall_at_1", "recall_at_5"):
        return share_interval(value, figures.frauds)
    return None


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-max(-_FAR, value)))
