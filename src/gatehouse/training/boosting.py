"""Boosting: an explainable boosting machine without interactions, for when there is enough fraud.

It adds up small steps, one feature at a time, and stops when held-back rows say so. Each bag holds
back other rows; its scores of those show how sure the whole may be.
"""

import warnings
from collections.abc import Sequence
from typing import Final

import numpy as np

from gatehouse.sentry.features.catalogue import BY_CODE
from gatehouse.sentry.features.feature import Group
from gatehouse.training.binning import Additive, Binned
from gatehouse.training.examples import Values
from gatehouse.training.sampling import Sample

MOST_BINS: Final = 128
_FEWEST_BINS: Final = 16
_FRAUDS_PER_BIN: Final = 25
"""With fewer frauds, steps show accidents."""
MOST_ROWS: Final = 150_000
"""The most rows of each kind, so that a fit ends in time."""
_HELD_BACK: Final = 0.15
_EITHER_WAY: Final = "AFFILIATE_REPUTATION"
"""Other features measure the same labels; what is left for this one can go either way."""
WORSE_WITH_MORE: Final = frozenset(
    feature.code
    for feature in BY_CODE.values()
    if feature.group is Group.REPUTATION and feature.says_in_favour and feature.code != _EITHER_WAY
)
"""Reputations: a worse one never speaks for an order."""
_SETTINGS: Final = {
    "interactions": 0,
    "n_jobs": 1,
    "inner_bags": 0,
    "learning_rate": 0.1,
    "max_bins": MOST_BINS + 2,
    "early_stopping_rounds": 50,
    # It mostly stops after 50 to 300. With very little fraud, what is held back can go on for
    # thousands to find next to nothing.
    "max_rounds": 1000,
    "missing": "gain",
    # Where there is next to no fraud, one more would be worth a step of any size. Without these
    # two bounds a fit to rare fraud can run away from the truth and never come back.
    "max_delta_step": 1.0,
    "min_hessian": 1.0,
}


def bins_for(frauds: int) -> int:
    """How many bins of a feature this number of frauds can tell apart."""
    return min(max(frauds // _FRAUDS_PER_BIN, _FEWEST_BINS), MOST_BINS)


def boost(
    sample: Sample, features: Sequence[Binned], offset: Values, *, bags: int, seed: int
) -> Additive:
    """Fit the features to the frauds of the sample, beside what the offset says already.

    Each of the bags holds back other rows.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from interpret.glassbox import ExplainableBoostingClassifier

        machine = ExplainableBoostingClassifier(
            **_SETTINGS,
            feature_names=[feature.code for feature in features],
            # The bins are chosen already: their numbers are cut between every two.
            feature_types=[list(np.arange(1.5, feature.size - 1)) for feature in features],
            monotone_constraints=[int(feature.code in WORSE_WITH_MORE) for feature in features],
            outer_bags=bags,
            random_state=seed,
        )
        numbers = np.column_stack([feature.bins for feature in features]).astype(np.float64)
        numbers[numbers == 0] = np.nan
        held = _hold_back(sample.fraud, bags, seed)
        machine.fit(
            numbers,
            sample.fraud.astype(np.int64),
            sample_weight=sample.weights,
            bags=np.where(held, -1, 1).astype(np.int8),
            init_score=offset,
        )
    # The last bin of each is for values that are neither a number nor missing; it is empty.
    scores = [
        np.asarray(each, np.float64)[: feature.size]
        for each, feature in zip(machine.term_scores_, features, strict=True)
    ]
    said = np.full(len(sample.fraud), np.nan)
    for bag in range(bags):
        rows = held[:, bag]
        said[rows] = sum(
            each[bag][feature.bins[rows]]
            for each, feature in zip(machine.bagged_scores_, features, strict=True)
        )
    return Additive(scores, said)


def _hold_back(
    fraud: Values, bags: int, seed: int
) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """Which rows each bag holds back: of both kinds the same share, no row twice."""
    dice = np.random.default_rng([seed, bags])
    held = np.zeros((len(fraud), bags), bool)
    for kind in (0, 1):
        rows = dice.permutation(np.flatnonzero(fraud == kind))
        share = min(_HELD_BACK, 1 / bags) * len(rows)
        edges = np.rint(share * np.arange(bags + 1)).astype(int)
        for bag in range(bags):
            held[rows[edges[bag] : edges[bag + 1]], bag] = True
    return held
