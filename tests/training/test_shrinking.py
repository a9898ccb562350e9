"""A fit on few frauds stays near the scorecard that it begins with."""

import numpy as np
import pytest

from gatehouse.sentry.scorecard import Prior, Sheet, Term
from gatehouse.training.binning import put_into_bins
from gatehouse.training.examples import Examples
from gatehouse.training.metrics import measure
from gatehouse.training.model_fitting import FitOptions, fit, totals
from gatehouse.training.sampling import take_sample
from gatehouse.training.shrinking import (
    WORTH_FRAUDS,
    bags_for,
    base_scores,
    share_of_base,
    summed,
)

NOISES = tuple(f"NOISE_{name}" for name in "ABCDEFGH")
CODES = ("KNOWN", "KIN", *NOISES)
BASE = Sheet(
    "base",
    Prior(0.6, "A test."),
    0.1,
    (
        Term("KNOWN", (0.0, 1.0), (0.5, 0.0, -2.0), "A test.", "kin"),
        Term("KIN", (0.0,), (0.0, -1.0), "A test.", "kin"),
        *(Term(code, (), (0.0,), "A test.") for code in NOISES),
    ),
)


def _examples(requests: int, seed: int) -> Examples:
    """Requests of which the scorecard knows the truth, among much that says nothing."""
    dice = np.random.default_rng(seed)
    examples = Examples(CODES)
    for row in range(requests):
        known, kin = dice.normal(), dice.normal()
        noises = dict(zip(NOISES, dice.normal(size=len(NOISES)), strict=True))
        examples.add(float(row), {"KNOWN": known, "KIN": kin, **noises})
        risk = 0.25 if known > 1 else 0.01
        examples.set_label(row, bool(dice.random() < risk))
    return examples


def test_the_fewer_frauds_there_are_the_more_the_scorecard_counts() -> None:
    shares = [share_of_base(frauds) for frauds in (10, 50, 500, 50_000)]
    assert shares == sorted(shares, reverse=True)
    assert share_of_base(int(WORTH_FRAUDS)) == 0.5
    assert shares[-1] < 0.01
    assert bags_for(60, 2) > bags_for(10_000, 2) == 2
    assert bags_for(60, 20) == 20


def test_a_bin_has_what_the_scorecard_says_about_its_rows() -> None:
    examples = _examples(2000, 1)
    sample = take_sample(examples, np.arange(2000), legitimate_per_fraud=10, most=10_000, seed=1)
    features = [
        put_into_bins(code, sample.matrix[:, place], sample.masses, 12)
        for place, code in enumerate(CODES[:2])
    ]
    scores = base_scores(features, BASE, CODES, sample, 1.0)
    # The order of the rows stays what it is, and the scale: families are met on average.
    exact = -totals(BASE, examples, sample.rows) + np.log(0.6 / 0.4)
    near = summed(features, scores, len(sample.rows))
    assert np.corrcoef(exact, near)[0, 1] > 0.9
    assert near.mean() == pytest.approx(exact.mean(), abs=0.05)
    half = base_scores(features, BASE, CODES, sample, 0.5)
    assert half[0] == pytest.approx(scores[0] / 2)


@pytest.mark.parametrize("seed", [3, 4, 5])
def test_on_few_frauds_it_is_hardly_worse_than_the_scorecard(seed: int) -> None:
    examples = _examples(12_000, seed)
    few, later = np.arange(900), np.arange(900, 12_000)
    fraud = examples.outcomes(later) == 1
    fitted = fit(examples, few, BASE, "test", FitOptions())
    found = measure(fraud, -totals(fitted.sheet, examples, later)).auc
    before = measure(fraud, -totals(BASE, examples, later)).auc
    assert found is not None
    assert before is not None
    assert found > before - 0.03
