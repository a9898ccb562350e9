"""A table of thresholds says what each would decline, and what that is worth."""

import msgspec
import numpy as np
import pytest

from gatehouse.training.examples import Examples
from gatehouse.training.report.report import OrderValue, Threshold
from gatehouse.training.report.text import thresholds_text
from gatehouse.training.thresholds import OrderValues, histogram, thresholds
from tests.training.material import report

Order = tuple[float, bool, tuple[float, str] | None]
"""Confidence, whether it is fraud, amount and currency."""

ORDERS: list[Order] = [
    (0.10, True, (100.0, "USD")),
    (0.10, False, (10.1, "USD")),
    (0.20, True, (0.2, "USD")),
    *[(0.55, True, (5000.0, "JPY"))] * 2,
    *[(0.90 + place / 1000, False, (20.0, "USD")) for place in range(15)],
]


def _table(orders: list[Order]) -> tuple[Threshold, ...]:
    examples = Examples(("PACE",))
    for _, fraud, paid in orders:
        examples.set_label(examples.add(0.0, {}, paid=paid), fraud)
    risk = np.array([1 - confidence for confidence, _, _ in orders])
    return thresholds(examples, np.arange(len(orders)), risk)


def _worth(currency: str, amount: str) -> OrderValue:
    return OrderValue(currency, msgspec.Raw(amount.encode()))


def test_each_threshold_says_what_it_declines_and_what_that_is_worth() -> None:
    found = {one.below: one for one in _table(ORDERS)}
    assert found[0.2] == Threshold(
        below=0.2,
        declined=2,
        declined_share=0.1,
        precision=0.5,
        recall=0.25,
        false_positive_rate=0.0625,
        fraud_stopped=(_worth("USD", "100"), _worth("JPY", "0")),
        legitimate_refused=(_worth("USD", "10.1"), _worth("JPY", "0")),
        frauds_stopped=(1, 0),
    )
    # Any number up to 0.55 would do the same.
    assert found[0.5].declined == 3
    assert found[0.901].recall == 1.0
    assert found[0.901].fraud_stopped[1] == _worth("JPY", "10000")


def test_thresholds_rise_and_never_part_requests_that_score_alike() -> None:
    table = _table(ORDERS)
    assert [one.below for one in table] == sorted({one.below for one in table})
    assert [one.declined for one in table] == [2, 3, 6]


def test_money_has_the_form_that_it_has_everywhere() -> None:
    refused = _table(ORDERS)[0].legitimate_refused[0]
    assert msgspec.json.encode(refused) == b'{"currency":"USD","amount":10.1}'


def test_sums_are_exact_however_large() -> None:
    [one] = _table([*[(0.1, True, (999_999_999_999.0, "VND"))] * 30, *[(0.9, False, None)] * 70])
    assert one.fraud_stopped == (_worth("VND", str(999_999_999_999 * 30)),)


@pytest.mark.parametrize("orders", [[], [(0.5, True, None)] * 9])
def test_without_two_scores_there_is_no_threshold(orders: list[Order]) -> None:
    assert _table(orders) == ()


def test_without_amounts_or_frauds_the_rest_is_still_told() -> None:
    [one, *_] = _table([(0.1, False, None), (0.9, False, None), (0.95, False, None)])
    assert (one.precision, one.recall, one.fraud_stopped) == (0.0, None, ())


def test_only_the_commonest_currencies_are_shown() -> None:
    examples = Examples(())
    for currency, count in (("AAA", 1), ("BBB", 4), ("CCC", 3), ("DDD", 2)):
        for _ in range(count):
            examples.add(0.0, {}, paid=(1.0, currency))
    values = OrderValues(examples, np.arange(10))
    assert [each.currency for each in values.of(np.ones(10, bool))] == ["BBB", "CCC", "DDD"]
    assert values.left_out == ("AAA",)


def test_amounts_that_nobody_pays_count_for_nothing() -> None:
    examples = Examples(())
    for units in (float("nan"), float("inf"), -1.0, 1e300, 2.5):
        examples.add(0.0, {}, paid=(units, "USD"))
    assert list(examples.amounts(np.arange(5))[0]) == [0, 0, 0, 0, 2_500_000]


def test_a_histogram_counts_honest_requests_and_frauds_by_confidence() -> None:
    bins = histogram(np.array([True, False, False, False]), np.array([1.0, 0.05, 0.05, 0.0]))
    assert bins[0] == (0.0, 0, 1)
    assert bins[19] == (0.95, 3, 0)
    assert sum(honest + frauds for _, honest, frauds in bins) == 4


def test_people_read_amounts_with_the_decimals_of_their_currency() -> None:
    curves = msgspec.structs.replace(report().candidate, thresholds=_table(ORDERS))
    said = thresholds_text(
        report(
            candidate=curves,
            holdout_fraud=(_worth("USD", "100.2"), _worth("JPY", "10000")),
            holdout_legitimate=(_worth("USD", "310.1"), _worth("JPY", "0")),
        )
    )
    _, headings, first, *_, last = said.splitlines()
    assert len(first) == len(headings)  # figures stand on the right
    assert "FRAUD STOPPED (USD)" in headings
    assert " ".join(first.split()) == "0.2 2 (10.00%) 50.0% 25.0% 6.25% 100.00 10.10 0 0"
    assert last == (
        "in all there was fraud of 100.20 and good orders of 310.10 USD; "
        "fraud of 10,000 and good orders of 0 JPY"
    )
    assert thresholds_text(report()) == ""
