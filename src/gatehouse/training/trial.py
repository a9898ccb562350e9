"""Compares a model with the one in force on live traffic, before anybody promotes it.

Both score what was measured of each request when it came, so that no request pays for a second
model. Decisions differ where a score is on the other side of a threshold in use.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatehouse.sentry.score_mapping import PARTS, threshold_parts
from gatehouse.sentry.scorecard import Sheet
from gatehouse.training.examples import FRAUD, UNKNOWN, Examples
from gatehouse.training.metrics import measure
from gatehouse.training.report.report import ModelComparison, ThresholdInUse
from gatehouse.training.report.trial import NEAR_PARTS, ModelTrial, ThresholdTrial, TrialShift
from gatehouse.training.score_meaning import scores_of, told_as

_Scores = NDArray[np.int64]


def try_model(
    examples: Examples, live: Sheet, tried: Sheet, in_use: Sequence[ThresholdInUse]
) -> ModelTrial:
    """How a model would have scored these requests beside the one in force."""
    rows = np.arange(len(examples))
    own_before, own = scores_of(live, examples, rows), scores_of(tried, examples, rows)
    before, after = told_as(own_before, live.mapping), told_as(own, tried.mapping)
    outcomes = examples.outcomes(rows)
    thresholds = [_threshold(each, (before, after, own), outcomes) for each in in_use]
    known = outcomes != UNKNOWN
    fraud = outcomes[known] == FRAUD
    figures = ModelComparison(
        measure(fraud, 1 - own[known] / PARTS) if known.any() else None,
        measure(fraud, 1 - own_before[known] / PARTS) if known.any() else None,
    )
    cuts = sorted({threshold_parts(each.threshold) for each in in_use})
    places = [np.searchsorted(cuts, scores, side="right") for scores in (before, after)]
    return ModelTrial(
        requests=len(examples),
        labelled=int(known.sum()),
        frauds=int(fraud.sum()),
        agreement=_share(np.abs(before - after) <= NEAR_PARTS),
        stricter=_shift(places[1] < places[0], outcomes),
        milder=_shift(places[1] > places[0], outcomes),
        figures=figures,
        thresholds=tuple(thresholds),
    )


def _threshold(
    in_use: ThresholdInUse, scores: tuple[_Scores, _Scores, _Scores], outcomes: NDArray[Any]
) -> ThresholdTrial:
    """What a threshold does with both models, and where it would do with the new as before."""
    before, after, own = scores
    parts = threshold_parts(in_use.threshold)
    was, now = before < parts, after < parts
    return ThresholdTrial(
        in_use,
        before=_share(was),
        after=_share(now),
        newly_below=_shift(now & ~was, outcomes),
        no_longer_below=_shift(was & ~now, outcomes),
        equal_share=equal_share(after, int(was.sum())) / PARTS,
        equal_share_raw=equal_share(own, int(was.sum())) / PARTS,
    )


def equal_share(scores: _Scores, below: int) -> int:
    """The threshold below which nearest to so many of the scores are."""
    ordered = np.sort(scores)
    if below >= len(ordered):
        return int(ordered[-1]) + 1 if len(ordered) else 0
    at = int(ordered[below])
    less, more = (int(np.searchsorted(ordered, each)) for each in (at, at + 1))
    return at if below - less <= more - below else at + 1


def _shift(chosen: NDArray[np.bool_], outcomes: NDArray[Any]) -> TrialShift:
    labels = outcomes[chosen]
    frauds, known = int((labels == FRAUD).sum()), int((labels != UNKNOWN).sum())
    return TrialShift(int(chosen.sum()), frauds, known - frauds)


def _share(chosen: NDArray[np.bool_]) -> float:
    return round(float(chosen.mean()), 6) if len(chosen) else 0.0
