"""Calibration: finds the rate and the certainty that the latest requests show."""

import numpy as np
import pytest

from gatehouse.training.calibrating import doubt_about, find_constant, find_slope, latest


def test_the_constant_makes_the_mean_the_rate() -> None:
    odds = np.random.default_rng(1).normal(-5, 2, 5000)
    constant = find_constant(odds, 0.02)
    assert (1 / (1 + np.exp(-(odds + constant)))).mean() == pytest.approx(0.02, abs=1e-9)


@pytest.mark.parametrize("truth", [0.7, 1.0, 1.3])
def test_the_slope_is_found_where_there_is_much_fraud(truth: float) -> None:
    dice = np.random.default_rng(2)
    odds, offset = dice.normal(0, 2, 40_000), dice.normal(0, 1, 40_000)
    fraud = dice.random(40_000) < 1 / (1 + np.exp(-(truth * odds + offset - 2)))
    found = find_slope(odds, offset, fraud.astype(float), np.ones(40_000))
    assert found == pytest.approx(truth, abs=0.06)


def test_the_slope_is_left_alone_where_there_is_little_fraud() -> None:
    odds = np.linspace(-3, 3, 1000)
    fraud = (np.arange(1000) > 970).astype(float)
    assert find_slope(odds, np.zeros(1000), fraud, np.ones(1000)) == 1.0


def test_the_slope_stays_within_reason_when_the_two_kinds_are_apart() -> None:
    odds = np.linspace(-3, 3, 1000)
    assert 1 < find_slope(odds, np.zeros(1000), (odds > 2).astype(float), np.ones(1000)) <= 1.5


def test_the_latest_rows_are_a_quarter_when_that_has_fraud_enough() -> None:
    times = np.arange(1000.0)[::-1]
    chosen = latest(times, (np.arange(1000) % 4 == 0).astype(float))
    assert sorted(chosen) == list(range(250))


def test_the_latest_rows_reach_back_until_there_is_fraud_enough() -> None:
    fraud = np.zeros(1000)
    fraud[100:160] = 1
    assert sorted(latest(np.arange(1000.0), fraud)) == list(range(110, 1000))


def test_the_latest_rows_are_all_when_there_is_too_little_fraud() -> None:
    fraud = (np.arange(1000) < 20).astype(float)
    assert len(latest(np.arange(1000.0), fraud)) == 1000


@pytest.mark.parametrize(
    ("before", "newest", "says"),
    [
        ((0.02, 9000), (0.02, 3000), None),
        ((0.02, 9000), (0.04, 3000), None),
        (
            (0.02, 9000),
            (0.3, 3000),
            "30.0% of the newest 3,000 requests are fraud, and 9.0% of all",
        ),
        ((0.2, 9000), (0.02, 3000), "2.0% of the newest 3,000 requests are fraud, and 15.5% of"),
        ((0.5, 9000), (0.97, 3000), "of the newest 3,000 requests 90 are legitimate"),
    ],
    ids=["as ever", "twice as much", "a wave", "a silence", "hardly anything legitimate"],
)
def test_the_latest_rows_are_doubted_when_they_are_not_like_the_others(
    before: tuple[float, int], newest: tuple[float, int], says: str | None
) -> None:
    parts = [np.arange(count) < rate * count for rate, count in (before, newest)]
    fraud = np.concatenate(parts).astype(float)
    doubt = doubt_about(np.arange(before[1], len(fraud)), fraud)
    if says is None:
        assert doubt is None
    else:
        assert doubt is not None
        assert says in doubt
    assert doubt_about(np.arange(len(fraud)), fraud) is None
