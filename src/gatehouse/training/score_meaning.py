"""What thresholds in use mean with another model: which share of recent requests is below each.

The newest requests are scored by both models. The scores of the new one are mapped so that each
threshold that rules and pipelines compare the confidence with declines as many as before.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gatehouse.sentry.score_mapping import PARTS, ScoreMapping, make_mapping, threshold_parts
from gatehouse.sentry.scorecard import Sheet
from gatehouse.training.evaluation import risk_of
from gatehouse.training.examples import Examples
from gatehouse.training.model_fitting import totals
from gatehouse.training.report.report import ScoreMeaning, ThresholdInUse, ThresholdMeaning

MOST_RECENT: Final = 20_000
"""Requests on which both models are compared, the newest ones."""
_SHARE_DIGITS: Final = 6

_Scores = NDArray[np.int64]


def keep_meaning(
    examples: Examples, current: Sheet, new: Sheet, in_use: Sequence[ThresholdInUse]
) -> tuple[ScoreMapping | None, ScoreMeaning]:
    """How the new sheet's scores are to be told, and what becomes of thresholds in use.

    They are told as they are where no threshold is in use.
    """
    everything = np.arange(len(examples))
    recent = everything[np.argsort(examples.times(everything), kind="stable")][-MOST_RECENT:]
    before = told_as(scores_of(current, examples, recent), current.mapping)
    own = scores_of(new, examples, recent)
    wanted = [threshold_parts(each.threshold) for each in in_use]
    meaning = current.version if current.mapping is None else current.mapping.meaning
    mapping = make_mapping(np.sort(before).tolist(), np.sort(own).tolist(), wanted, meaning)
    told = told_as(own, mapping)
    crossing = np.zeros(len(recent), dtype=bool)
    crossing_own = crossing.copy()
    found = []
    for each, parts in zip(in_use, wanted, strict=True):
        moved, moved_own = (before < parts) != (told < parts), (before < parts) != (own < parts)
        crossing |= moved
        crossing_own |= moved_own
        found.append(
            ThresholdMeaning(
                each,
                before=_share(before < parts),
                unmapped=_share(own < parts),
                after=_share(told < parts),
                changed=int(moved.sum()),
                changed_unmapped=int(moved_own.sum()),
            )
        )
    report = ScoreMeaning(
        meaning, len(recent), int(crossing.sum()), int(crossing_own.sum()), tuple(found), mapping
    )
    return mapping, report


def scores_of(sheet: Sheet, examples: Examples, rows: NDArray[np.int64]) -> _Scores:
    """The confidence of a sheet itself, in ten-thousandths, as answers round it."""
    risk = risk_of(totals(sheet, examples, rows))
    parts: _Scores = np.rint((1 - risk) * PARTS).astype(np.int64)
    return parts


def told_as(own: _Scores, mapping: ScoreMapping | None) -> _Scores:
    """Scores as they are told."""
    if mapping is None:
        return own
    told = np.array([mapping.tell_parts(each) for each in range(PARTS + 1)], dtype=np.int64)
    chosen: _Scores = told[own]
    return chosen


def _share(chosen: NDArray[np.bool_]) -> float:
    return round(float(chosen.mean()), _SHARE_DIGITS)
