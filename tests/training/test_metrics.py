"""Figures agree with scikit-learn and with what can be worked out by hand."""

import numpy as np
import pytest
from scripts.eval_sentry.measuring import card_precision

from gatehouse.training.metrics import (
    LEAST_IN_BIN,
    MOST_POINTS,
    calibration,
    measure,
    precision_recall,
)
from gatehouse.training.report.report import Figures


def _requests(seed: int, *, digits: int, events: int = 4000) -> tuple[np.ndarray, np.ndarray]:
    """Risks that mean what they say; with few digits many of them are the same."""
    dice = np.random.default_rng(seed)
    risk = dice.beta(0.4, 6.0, events)
    return dice.random(events) < risk, risk.round(digits)


@pytest.mark.parametrize("digits", [1, 2, 12])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_figures_are_those_of_scikit_learn_with_ties_and_without(seed: int, digits: int) -> None:
    # Only the worker that runs this needs the second and a half of this import.
    from sklearn.metrics import average_precision_score, log_loss, roc_auc_score, roc_curve

    fraud, risk = _requests(seed, digits=digits)
    found = measure(fraud, risk)
    assert (found.events, found.frauds) == (4000, int(fraud.sum()))
    assert found.auc == pytest.approx(roc_auc_score(fraud, risk), abs=1e-12)
    assert found.average_precision == pytest.approx(average_precision_score(fraud, risk), abs=1e-12)
    assert found.log_loss == pytest.approx(log_loss(fraud, risk), abs=1e-9)
    alarms, caught, _ = roc_curve(fraud, risk, drop_intermediate=False)
    assert found.recall_at_1 == pytest.approx(caught[alarms <= 0.01].max(), abs=1e-12)
    assert found.recall_at_5 == pytest.approx(caught[alarms <= 0.05].max(), abs=1e-12)


def test_requests_that_all_have_the_same_risk_are_told_apart_by_chance() -> None:
    fraud = np.array([True, False, False, False])
    found = measure(fraud, np.full(4, 0.25))
    assert found.auc == 0.5
    assert found.average_precision == 0.25
    # Any threshold that catches the fraud alarms at everybody.
    assert found.recall_at_1 == found.recall_at_5 == 0.0
    assert found.ece == 0.0


@pytest.mark.parametrize("fraud", [True, False])
def test_one_class_alone_has_no_curve_but_can_be_calibrated(fraud: bool) -> None:
    found = measure(np.full(3, fraud), np.array([0.2, 0.3, 0.4]))
    assert found.auc is found.average_precision is found.recall_at_1 is found.recall_at_5 is None
    assert found.ece == pytest.approx(0.7 if fraud else 0.3)
    assert found.log_loss is not None


def test_no_requests_have_no_figures() -> None:
    nothing = np.array([])
    assert measure(nothing, nothing) == Figures(0, 0, None, None, None, None, None, None)
    assert calibration(nothing, nothing) == []
    assert precision_recall(nothing, nothing) == []
    assert card_precision(nothing, nothing, nothing, nothing) == 0.0


def test_the_calibration_error_weighs_each_bin_by_its_requests() -> None:
    # Three at 0.1, of which none is fraud, and one at 0.9, which is.
    found = measure(np.array([0, 0, 0, 1]), np.array([0.1, 0.1, 0.1, 0.9]))
    assert found.ece == pytest.approx(0.75 * 0.1 + 0.25 * 0.1)
    # A risk of one is in the last bin.
    assert measure(np.array([1, 0]), np.array([1.0, 0.0])).ece == 0.0


def test_a_certainty_that_was_wrong_costs_much_but_not_everything() -> None:
    found = measure(np.array([1, 0]), np.array([0.0, 0.5]))
    assert found.log_loss is not None
    assert 10 < found.log_loss < 40


def test_groups_of_calibration_hold_all_requests_in_order_and_none_is_small() -> None:
    fraud, risk = _requests(4, digits=3)
    points = calibration(fraud, risk)
    predicted, observed, events = map(np.array, zip(*points, strict=True))
    assert events.sum() == len(fraud)
    assert events.min() >= LEAST_IN_BIN
    assert (np.diff(predicted) > 0).all()
    assert (predicted * events).sum() == pytest.approx(risk.sum())
    assert (observed * events).sum() == pytest.approx(fraud.sum())
    assert len(points) > 8


def test_requests_of_the_same_risk_are_in_the_same_group_of_calibration() -> None:
    risk = np.repeat([0.1, 0.6], [700, 300])
    fraud = np.tile([True, False], 500)
    low, high = calibration(fraud, risk)
    assert low == pytest.approx((0.1, 0.5, 700))
    assert high == pytest.approx((0.6, 0.5, 300))


def test_few_requests_are_one_group() -> None:
    [group] = calibration(np.array([1, 0]), np.array([0.5, 0.1]))
    assert group == pytest.approx((0.3, 0.5, 2))


def test_the_curve_of_precision_and_recall_is_what_thresholds_do() -> None:
    fraud, risk = _requests(5, digits=4)
    points = precision_recall(fraud, risk)
    assert 50 < len(points) <= MOST_POINTS
    for threshold, precision, recall in points:
        above = risk >= threshold
        assert precision == pytest.approx(fraud[above].mean())
        assert recall == pytest.approx(fraud[above].sum() / fraud.sum())
    thresholds = [threshold for threshold, _, _ in points]
    assert thresholds == sorted(thresholds, reverse=True)
    assert points[0][0] == risk.max()
    assert points[-1][2] == 1.0


def test_a_curve_without_fraud_has_no_points() -> None:
    assert precision_recall(np.zeros(5), np.linspace(0, 1, 5)) == []


def test_card_precision_follows_customers_from_day_to_day() -> None:
    rows = [
        # Day 1: A and B are looked at. A is caught. C has a fraud and is not among the two.
        (1, "A", True, 0.9),
        (1, "A", False, 0.1),
        (1, "B", False, 0.8),
        (1, "C", True, 0.2),
        # Day 2: A is blocked, so C and B are looked at, for the highest of their risks.
        (2, "A", True, 0.99),
        (2, "C", True, 0.1),
        (2, "C", False, 0.7),
        (2, "B", False, 0.6),
        (2, "D", True, 0.5),
        # Day 3: only C, which is blocked by now, and D: one of two.
        (3, "C", True, 0.9),
        (3, "D", True, 0.3),
        # Day 4: B alone, without a fraud.
        (4, "B", False, 0.9),
    ]
    days, users, fraud, risk = (np.array(column) for column in zip(*rows, strict=True))
    assert card_precision(days, users, fraud, risk, k=2) == pytest.approx(
        (1 / 2 + 1 / 2 + 1 / 2 + 0) / 4
    )
    # The order in which the requests are handed over says nothing.
    mixed = np.random.default_rng(1).permutation(len(rows))
    assert card_precision(
        days[mixed], users[mixed], fraud[mixed], risk[mixed], k=2
    ) == pytest.approx(1.5 / 4)


def test_card_precision_divides_by_k_even_if_fewer_customers_came() -> None:
    assert card_precision(np.array([1]), np.array([7]), np.array([1]), np.array([0.5])) == 0.01
