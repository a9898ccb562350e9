"""Plain measures of order and cart, which a model may learn from."""

import math
from typing import Any

import pytest

from gatehouse.sentry.features.catalogue import BY_CODE, measure_features
from gatehouse.sentry.features.feature import LEAST
from gatehouse.sentry.features.measures import CARTS, SPENDING
from gatehouse.sentry.scorecard import load_scorecard
from tests.sentry.visits import DAY, HOUR, NOW, Merchant, cart, measure, order, visit

CODES = {signal.code for signal in (*SPENDING.features, *CARTS.features)}


def spent(*amounts: float, merchant: Merchant | None = None, currency: str = "USD") -> Merchant:
    """A merchant at which the user has paid these amounts, one a day until yesterday."""
    made = merchant or Merchant()
    for number, amount in enumerate(amounts):
        days_ago = len(amounts) - number
        made.view(paying(amount, currency), NOW - days_ago * DAY)
    return made


def paying(amount: float, currency: str = "USD") -> dict[str, Any]:
    return {"account": {"userId": "u"}, **order(amount, currency)}


def found(merchant: Merchant, body: dict[str, Any], at_s: float = NOW) -> dict[str, float]:
    values = measure_features(merchant.view(body, at_s))
    return {code: value for code, value in values.items() if code in CODES}


# ---- Amounts -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("amount", "currency", "dollars"),
    [
        (59.9, "USD", 59.9),
        (59.9, None, 59.9),
        (59.9, "eur", 59.9),
        (6000, "JPY", 60.0),
        (1e300, "USD", 1_000_000),
        (1, "IRR", LEAST),
        (5e-324, "IRR", LEAST),
        (0, "USD", 0),
        (-5, "USD", 0),
        (None, "USD", 0),
    ],
)
def test_the_amount_is_told_in_about_dollars(
    amount: float | None, currency: str | None, dollars: float
) -> None:
    assert measure("ORDER_AMOUNT", order(amount, currency)) == dollars


def test_a_first_order_is_compared_with_nothing() -> None:
    assert set(found(Merchant(), paying(50))) == {"ORDER_AMOUNT"}


def test_the_second_is_compared_with_the_mean_alone() -> None:
    values = found(spent(20), paying(50))
    assert set(values) == {"ORDER_AMOUNT", "ORDER_AMOUNT_TO_MEAN"}
    assert values["ORDER_AMOUNT_TO_MEAN"] == pytest.approx(2.5)


def test_whoever_has_a_habit_is_compared_with_it() -> None:
    values = found(spent(10, 20, 30), paying(60))
    assert values["ORDER_AMOUNT_TO_MEAN"] == pytest.approx(3)
    assert values["ORDER_AMOUNT_TO_MEDIAN"] == pytest.approx(3)
    assert values["ORDER_AMOUNT_TO_LARGEST"] == pytest.approx(2)
    logarithms = [math.log(each) for each in (10, 20, 30)]
    usual = sum(logarithms) / 3
    deviation = math.sqrt(sum((each - usual) ** 2 for each in logarithms) / 3)
    expected = (math.log(60) - usual) / (deviation + 0.2)
    assert values["ORDER_AMOUNT_DEVIATIONS"] == pytest.approx(expected)


def test_less_than_usual_is_below_nothing_and_just_the_usual_is_not_unknown() -> None:
    assert found(spent(50, 50, 50), paying(5))["ORDER_AMOUNT_DEVIATIONS"] < -5
    assert found(spent(1, 1, 1), paying(1))["ORDER_AMOUNT_DEVIATIONS"] == LEAST


def test_only_the_last_month_makes_the_mean() -> None:
    merchant = Merchant()
    merchant.view(paying(10), NOW - 40 * DAY)
    merchant.view(paying(100), NOW - 20 * DAY)
    assert found(merchant, paying(50))["ORDER_AMOUNT_TO_MEAN"] == pytest.approx(0.5)
    late = Merchant()
    late.view(paying(10), NOW - 40 * DAY)
    assert "ORDER_AMOUNT_TO_MEAN" not in found(late, paying(50))


def test_amounts_in_another_currency_are_not_compared() -> None:
    merchant = spent(3_000, 4_000, 5_000, currency="JPY")
    merchant.view(paying(4_000, "JPY"), NOW - HOUR)
    assert set(found(merchant, paying(50))) == {"ORDER_AMOUNT"}


def test_other_users_make_no_habit() -> None:
    merchant = spent(10, 20, 30)
    assert set(found(merchant, {"account": {"userId": "v"}, **order(60)})) == {"ORDER_AMOUNT"}
    assert set(found(merchant, order(60))) == {"ORDER_AMOUNT"}


def test_spending_far_above_the_usual_is_remembered_for_two_weeks() -> None:
    merchant = spent(10, 10, 10, 10)
    merchant.view(paying(100), NOW - 6 * HOUR)
    assert found(merchant, paying(10))["ACCOUNT_HIGH_AMOUNTS"] == 1
    merchant.view(paying(100), NOW + HOUR)
    assert found(merchant, paying(10), NOW + DAY)["ACCOUNT_HIGH_AMOUNTS"] == 2
    assert "ACCOUNT_HIGH_AMOUNTS" not in found(merchant, paying(10), NOW + 20 * DAY)


def test_the_order_itself_is_no_earlier_one() -> None:
    assert "ACCOUNT_HIGH_AMOUNTS" not in found(spent(10, 10, 10, 10), paying(100))


@pytest.mark.parametrize("amount", [5e-324, 1e-300, 1.7976931348623157e308])
def test_absurd_amounts_are_measured_in_numbers(amount: float) -> None:
    for habit in ((amount,) * 4, (1.0,) * 4, (1e308,) * 4, (5e-324,) * 4):
        values = found(spent(*habit), paying(amount))
        assert all(math.isfinite(value) and value for value in values.values()), values


# ---- Carts -------------------------------------------------------------------------------------


def test_a_cart_is_counted_and_added_up() -> None:
    values = found(Merchant(), cart({"price": 30, "quantity": 2}, {"price": 20}, currency="USD"))
    assert values["CART_LINES"] == 2
    assert values["CART_TOTAL"] == 80
    assert values["CART_TOP_SHARE"] == 0.75


def test_a_cart_whose_total_is_unknown_has_lines_alone() -> None:
    for lines in ([{"itemId": "a"}], [{"price": 0}], [{"price": 5}, {"price": -9}]):
        assert set(found(Merchant(), cart(*lines))) == {"CART_LINES"}


def test_without_a_line_nothing_is_measured() -> None:
    assert found(Merchant(), cart()) == {}
    assert found(Merchant(), {"shoppingCart": {}}) == {}


def test_a_total_that_a_discount_leaves_next_to_nothing_of_is_no_endless_share() -> None:
    values = found(Merchant(), cart({"price": 1e6}, {"price": -999_999.9999999999}))
    assert values["CART_TOP_SHARE"] == 1_000_000
    assert values["CART_TOTAL"] == LEAST


# ---- What they are worth -----------------------------------------------------------------------


@pytest.mark.parametrize("code", sorted(CODES))
def test_alone_they_are_worth_nothing_and_their_sentences_take_no_side(code: str) -> None:
    assert not any(load_scorecard().effect(code, value) for value in (-5.0, 0.1, 1.0, 1e6))
    assert BY_CODE[code].says_in_favour is None


def test_a_usual_request_is_measured_by_them() -> None:
    merchant = spent(10, 20, 30)
    body = visit(user="u", amount=40, shoppingCart={"items": [{"itemId": "a", "price": 40}]})
    assert set(found(merchant, body)) == CODES - {"ACCOUNT_HIGH_AMOUNTS"}
