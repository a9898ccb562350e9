"""Judges how long frauds take to be reported: the last week beside the weeks before."""

from collections.abc import Sequence
from statistics import fmean, median
from typing import Final, NamedTuple

from gatehouse.admin.drift.types.comparing import LEAST_WEEKS, DriftJudgement, DriftKind

LEAST_LABELS: Final = 30
"""Of a week; below, the median moves by days from chance alone."""
LARGEST_CHANGE: Final = 1.5
"""Of the median: models are trained on requests that have waited as long as labels used to take."""
LEAST_CHANGE_DAYS: Final = 1.0
NEARLY_NONE: Final = 0.1
"""Of the usual number of labels: they have stopped, or take much longer from now on."""
_CALM: Final = 0.5
DELAY: Final = "delay"
NUMBER: Final = "number"


class WeekOfLabels(NamedTuple):
    """The frauds that became known in one week: how long each took, in days."""

    days: Sequence[float]

    @property
    def is_enough(self) -> bool:
        """Whether its median means something."""
        return len(self.days) >= LEAST_LABELS


def judge_labels(now: WeekOfLabels, before: Sequence[WeekOfLabels]) -> list[DriftJudgement]:
    """Whether labels come later or sooner than usual, or hardly any more."""
    weeks = [each for each in before if each.is_enough]
    if len(weeks) < LEAST_WEEKS:
        return []
    return [_number(now, weeks), *([_delay(now, weeks)] if now.is_enough else [])]


def _number(now: WeekOfLabels, weeks: Sequence[WeekOfLabels]) -> DriftJudgement:
    """Whether there are hardly any; that is what labels that come later begin with."""
    count, least = len(now.days), min(len(each.days) for each in weeks)
    usual = fmean(len(each.days) for each in weeks)
    drifts, is_calm = count < NEARLY_NONE * least, count >= _CALM * least
    return DriftJudgement(DriftKind.LABELS, NUMBER, count, usual, count, drifts, is_calm)


def _delay(now: WeekOfLabels, weeks: Sequence[WeekOfLabels]) -> DriftJudgement:
    took = median(now.days)
    medians = [median(each.days) for each in weeks]
    low, high = min(medians), max(medians)
    is_later = took > LARGEST_CHANGE * high and took - high >= LEAST_CHANGE_DAYS
    is_sooner = LARGEST_CHANGE * took < low and low - took >= LEAST_CHANGE_DAYS
    is_calm = took <= high * (1 + (LARGEST_CHANGE - 1) * _CALM) and took >= low / LARGEST_CHANGE
    drifts = is_later or is_sooner
    return DriftJudgement(
        DriftKind.LABELS, DELAY, took, fmean(medians), len(now.days), drifts, is_calm
    )
