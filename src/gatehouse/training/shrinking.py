"""Draws a fit on few frauds towards the scorecard that it begins with.

A few dozen frauds agree on accidents. What is known about fraud in general is worth as much as some
dozens of them: a fit begins with a share of what the scorecard says, learns what the frauds say
beside it, and both are added up. The share falls as the frauds become more.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from gatehouse.sentry.scorecard import Sheet, Term
from gatehouse.training.binning import Binned
from gatehouse.training.examples import Values
from gatehouse.training.sampling import Sample

WORTH_FRAUDS: Final = 60.0
"""So many frauds are worth as much as the scorecard."""
_MANY_BAGS: Final = 8
_FEW_FRAUDS: Final = 500


def share_of_base(frauds: int) -> float:
    """How much of the scorecard a fit on so many frauds begins with."""
    return WORTH_FRAUDS / (WORTH_FRAUDS + frauds)


def bags_for(frauds: int, wanted: int) -> int:
    """How many times to boost: which rows are held back matters the more the fewer there are."""
    return max(wanted, _MANY_BAGS) if frauds < _FEW_FRAUDS else wanted


def base_scores(
    features: Sequence[Binned], base: Sheet, codes: Sequence[str], sample: Sample, share: float
) -> list[Values]:
    """What the scorecard says about each bin of the features, as log-odds of fraud.

    Of a family only the strongest that lowers the score counts, so a bin has the mean of what
    counted in its rows.
    """
    terms = {term.code: term for term in base.terms}
    places = {code: place for place, code in enumerate(codes)}
    effects = [_effects(sample.matrix[:, places[each.code]], terms[each.code]) for each in features]
    strongest: dict[str, Values] = {}
    for feature, found in zip(features, effects, strict=True):
        family = terms[feature.code].family
        if family is not None:
            known = strongest.setdefault(family, np.zeros(len(found)))
            np.minimum(known, found, out=known)
    scores = []
    for feature, found in zip(features, effects, strict=True):
        family = terms[feature.code].family
        counts = found if family is None else _counted(found, strongest[family])
        rows = np.bincount(feature.bins, minlength=feature.size)
        sums = np.bincount(feature.bins, counts, minlength=feature.size)
        mean = sums / np.maximum(rows, 1)
        mean[0] = 0.0
        scores.append(-share * mean)
    return scores


def summed(features: Sequence[Binned], scores: Sequence[Values], rows: int) -> Values:
    """What the scores of all features come to for each row."""
    total = np.zeros(rows)
    for feature, each in zip(features, scores, strict=True):
        total += each[feature.bins]
    return total


def _counted(found: Values, strongest: Values) -> Values:
    """What counts of a term whose family has others: all that raises, and the strongest else."""
    counted: Values = np.where((found > 0) | (found == strongest), found, 0.0)
    return counted


def _effects(column: Values, term: Term) -> Values:
    """What a term adds for each row; nothing where it was not measured."""
    found = np.zeros(len(column))
    measured = ~np.isnan(column)
    places = np.searchsorted(np.array(term.cuts), column[measured], side="right")
    found[measured] = np.array(term.effects)[places]
    return found
