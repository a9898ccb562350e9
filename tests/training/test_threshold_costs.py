"""A table of thresholds says what each would have cost, and for which preset it is the best."""

from typing import Any

import msgspec

from gatehouse.sentry.costs import CostPreset, CostTerms
from gatehouse.training.report.report import ModelReport, OrderValue, Threshold
from gatehouse.training.report.text import summary, thresholds_text
from gatehouse.training.report.threshold_costs import threshold_costs
from tests.training.material import report

TERMS = CostTerms("USD", 3000, CostPreset.BALANCE, 1500, 200)


def worth(amount: str) -> tuple[OrderValue, ...]:
    return (OrderValue("USD", msgspec.Raw(amount.encode())),)


def threshold(below: float, stopped: tuple[str, int], refused: str) -> Threshold:
    money = worth(stopped[0]), worth(refused)
    return Threshold(below, 40, 0.02, 0.75, 0.5, 0.005, *money, (stopped[1],))


def measured(**changes: Any) -> ModelReport:
    made = report(
        holdout_fraud=worth("1000.00"), holdout_legitimate=worth("9000"), holdout_frauds=(10,)
    )
    rows = (
        threshold(0.1, ("100", 2), "50"),
        threshold(0.4, ("700", 6), "1500"),
        threshold(0.7, ("990", 9), "5000.55"),
    )
    curves = msgspec.structs.replace(made.candidate, thresholds=rows)
    return msgspec.structs.replace(made, candidate=curves, **changes)


def test_a_threshold_costs_what_it_lets_through_and_what_it_turns_away() -> None:
    found = threshold_costs(measured(), TERMS)
    # 900 with 2 % and eight fees of 15, and 30 % of 50.
    assert found[0].micros == (918 + 120 + 15) * 1_000_000
    assert found[1].micros == (306 + 60 + 450) * 1_000_000
    # 10.20 + 15 + 1500.165, rounded to the cent with halves up.
    assert found[2].micros == 1_525_370_000


def test_each_preset_has_one_best_threshold() -> None:
    found = threshold_costs(measured(), TERMS)
    # Weighed: 2091, 1182, 1550 to protect; 1053, 816, 1525 in balance; 534, 633, 1513 for revenue.
    assert [each.best_for for each in found] == [("revenue",), ("protect", "balance"), ()]


def test_the_table_has_the_costs_of_an_account_that_has_set_them() -> None:
    text = thresholds_text(measured(), TERMS)
    assert "COST (USD)" in text
    assert "816.00  protect, balance" in text
    assert "COST" not in thresholds_text(measured())
    assert summary(measured(), TERMS).count("BEST FOR") == 1


def test_a_report_of_an_earlier_version_has_no_costs() -> None:
    old = measured(holdout_frauds=())
    assert threshold_costs(old, TERMS) == ()
    assert "COST" not in thresholds_text(old, TERMS)


def test_orders_in_other_currencies_have_no_costs() -> None:
    euros = msgspec.structs.replace(TERMS, currency="EUR")
    assert threshold_costs(measured(), euros) == ()
