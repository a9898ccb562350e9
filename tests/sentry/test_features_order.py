"""Features of the order."""

from typing import Any

import msgspec
import pytest

from gatehouse.core.cards.numbers import KeptCard
from gatehouse.intel.places import minor_digits
from gatehouse.sentry.amounts import _CURRENCIES_BY_MAGNITUDE
from gatehouse.sentry.scorecard import load_scorecard
from tests.sentry.visits import (
    CARD,
    DAY,
    HOME,
    MINUTE,
    NOW,
    PHONE,
    Merchant,
    cart,
    measure,
    order,
    visit,
)


@pytest.mark.parametrize(
    ("amount", "currency", "expected"),
    [
        (59.9, "USD", 0),
        (0.01, "USD", 0),
        (0, "USD", 1),
        (-5, "USD", 1),
        (59.999, "USD", 1),
        (59.5, "JPY", 1),
        (5_990, "JPY", 0),
        (1.234, "KWD", 0),
        (1.2345, "KWD", 1),
        (20_000_000, "USD", 1),
        (20_000_000, "IDR", 0),
        (20_000_000, None, 0),
        (1e300, None, 1),
        (1_234_567.89, "EUR", 0),
        (59.999, "???", 0),
        (None, "USD", 0),
    ],
)
def test_an_amount_that_cannot_be_paid(
    amount: float | None, currency: str | None, expected: float
) -> None:
    assert measure("ORDER_AMOUNT_INVALID", order(amount, currency)) == expected


@pytest.mark.parametrize(
    "body",
    [
        order(0, discountCodes=["FREE"]),
        order(0) | {"event": {"type": "RECURRING_PURCHASE"}},
        cart({"itemId": "sample", "price": 0}, amount=0),
        cart({"itemId": "a", "price": 20}, {"itemId": "discount", "price": -20}, amount=0),
    ],
)
def test_a_free_order_that_something_explains_is_valid(body: dict[str, Any]) -> None:
    assert measure("ORDER_AMOUNT_INVALID", body) == 0


@pytest.mark.parametrize(
    "body",
    [
        order(0, discountCodes=[]),
        order(-1, discountCodes=["FREE"]),
        cart({"itemId": "a", "price": 20}, amount=0),
    ],
)
def test_an_order_that_is_free_for_no_reason_is_not(body: dict[str, Any]) -> None:
    assert measure("ORDER_AMOUNT_INVALID", body) == 1


@pytest.mark.parametrize(
    ("currency", "expected"), [("USD", 0), (" usd ", 0), ("XYZ", 1), ("", 1), (None, 0)]
)
def test_a_currency_that_does_not_exist(currency: str | None, expected: float) -> None:
    assert measure("CURRENCY_INVALID", order(1, currency)) == expected


@pytest.mark.parametrize(
    ("amount", "currency", "expected"),
    [
        (59.9, "USD", 1),
        (59.999, "USD", 0),
        (59.9, "XYZ", 0),
        (59.9, None, 0),
        (None, "USD", 0),
    ],
)
def test_an_order_that_is_in_order(
    amount: float | None, currency: str | None, expected: float
) -> None:
    assert measure("ORDER_PLAUSIBLE", order(amount, currency)) == expected


def _merchant_with_amounts(*amounts: float) -> Merchant:
    merchant = Merchant()
    for number, amount in enumerate(amounts):
        merchant.view(
            visit(f"other-{number}", f"24.1.{number % 200}.9", amount=amount), NOW - 10 * DAY
        )
    return merchant


def test_an_amount_far_above_the_shop_s_others_is_high() -> None:
    merchant = _merchant_with_amounts(*[20.0, 40.0, 60.0, 80.0] * 10)
    high = merchant.measure("ORDER_AMOUNT_HIGH", visit(amount=5_000))
    assert high > 4
    assert merchant.measure("ORDER_AMOUNT_HIGH", visit(amount=10)) == 0


def test_a_shop_that_sells_one_thing_has_a_spread_too() -> None:
    merchant = _merchant_with_amounts(*[20.0] * 40)
    twice = merchant.measure("ORDER_AMOUNT_HIGH", visit(amount=40))
    assert 2 < twice < 3


def test_what_is_usual_for_the_user_is_not_high() -> None:
    merchant = _merchant_with_amounts(*[20.0, 40.0, 60.0, 80.0] * 10)
    for turn in range(4):
        merchant.view(visit(amount=4_000), NOW - (5 - turn) * DAY)
    assert merchant.measure("ORDER_AMOUNT_HIGH", visit(amount=5_000)) == 0


def test_a_shop_without_a_past_has_no_high_amounts() -> None:
    assert Merchant().measure("ORDER_AMOUNT_HIGH", visit(amount=1e6)) == 0
    assert measure("ORDER_AMOUNT_HIGH", visit(amount=1e6)) == 0


def _after(*amounts: float) -> Merchant:
    merchant = Merchant()
    for turn, amount in enumerate(amounts):
        merchant.view(visit(amount=amount), NOW - (30 - turn) * DAY)
    return merchant


@pytest.mark.parametrize(
    ("amount", "above", "usual"),
    [(50, 1, 1), (30, 1, 1), (20, 1, 0), (105, 1, 0), (500, 10, 0), (1e7, 1_000, 0)],
)
def test_an_amount_is_compared_with_the_user_s_own(
    amount: float, above: float, usual: float
) -> None:
    earlier = (40.0, 50.0, 100.0)
    found = _after(*earlier).measure("ORDER_AMOUNT_ABOVE_USER", visit(amount=amount))
    assert found == pytest.approx(above)
    assert _after(*earlier).measure("ORDER_AMOUNT_USUAL", visit(amount=amount)) == usual


def test_an_amount_that_is_repeated_within_minutes_is_no_habit() -> None:
    merchant = Merchant()
    found = [
        merchant.measure("ORDER_AMOUNT_USUAL", visit(amount=50), NOW + days * DAY)
        for days in (0, 0.01, 0.02, 0.03, 3.5, 7)
    ]
    assert found[:3] == [0, 0, 0]
    assert found[3:] == pytest.approx([0.03 / 7, 0.5, 1])
    effect = load_scorecard().effect
    assert [effect("ORDER_AMOUNT_USUAL", each) for each in found[3:]] == [0, 0.1, 0.2]


@pytest.mark.parametrize("code", ["ORDER_AMOUNT_ABOVE_USER", "ORDER_AMOUNT_USUAL"])
def test_two_orders_are_no_habit(code: str) -> None:
    assert _after(40, 50).measure(code, visit()) == 0
    assert _after(40, 50, 60).measure(code, visit(amount=-1)) == 0


def _tests(amount: float, times: int, ip: str = HOME, card: KeptCard | None = CARD) -> float:
    merchant, found = Merchant(), 0.0
    for turn in range(times):
        at_s = NOW + turn * MINUTE
        found = merchant.measure("ORDER_AMOUNT_TESTING", visit(None, ip, amount=amount), at_s, card)
    return found


@pytest.mark.parametrize("currency", ["INR", "RUB", "PHP", "THB", "MXN", "TRY", "CZK", "SEK"])
def test_half_a_dollar_is_tiny_in_every_currency(currency: str) -> None:
    rate = {"INR": 85, "RUB": 90, "PHP": 57, "THB": 34, "MXN": 18, "TRY": 40, "CZK": 22, "SEK": 10}
    for dollars, expected in ((0.5, True), (10.0, False)):
        amount = round(dollars * rate[currency])
        found = Merchant().measure("ORDER_AMOUNT_TESTING", visit(None) | order(amount, currency))
        assert bool(found) is expected


def test_no_currency_has_two_magnitudes_and_all_of_them_exist() -> None:
    listed = [name for _, names in _CURRENCIES_BY_MAGNITUDE for name in names.split()]
    assert len(listed) == len(set(listed))
    assert [name for name in listed if minor_digits(name) is None] == []


def test_a_renewal_is_no_test_of_a_card_wherever_it_is_sent_from() -> None:
    merchant, found = Merchant(), 0.0
    for turn in range(6):
        event = {"type": "RECURRING_PURCHASE"}
        body = visit(f"user-{turn}", amount=1.0, session="batch", event=event)
        found = merchant.measure("ORDER_AMOUNT_TESTING", body, NOW + turn)
    assert found == 0


def test_a_card_that_is_tried_with_tiny_amounts_is_counted() -> None:
    assert _tests(1.0, 6) == 6
    assert _tests(25.0, 6) == 0


def test_an_address_from_which_tiny_amounts_come_is_counted_unless_it_is_shared() -> None:
    assert _tests(1.0, 6, card=None) == 6
    assert _tests(1.0, 6, ip=PHONE, card=None) == 0


def test_what_is_tiny_depends_on_the_currency() -> None:
    merchant = Merchant()
    for currency, amount, expected in (("JPY", 150, 1), ("JPY", 300, 0), ("KWD", 1.5, 1)):
        body = visit(None, "24.9.9.9") | order(amount, currency)
        found = merchant.measure("ORDER_AMOUNT_TESTING", body, NOW, None)
        assert (found or 0) >= expected
        assert bool(found) is bool(expected)


def test_without_a_memory_nothing_is_a_test() -> None:
    assert measure("ORDER_AMOUNT_TESTING", order(1.0)) == 0


def _small_orders(
    ip: str, *, known_days: float = 20, user: str | None = None, currency: str = "USD"
) -> float | None:
    """What the last of sixty small orders within half an hour says, each with a card of its own."""
    merchant, found = Merchant(), None
    merchant.view(visit("earlier", "70.9.9.9", amount=3.0), NOW - known_days * DAY)
    merchant.view(visit(user, "70.8.8.8"), NOW - 3 * DAY)
    for number in range(60):
        card = msgspec.structs.replace(CARD, fingerprint=f"card-{number}")
        body = visit(user, ip.format(number)) | order(4.0, currency)
        found = merchant.measure("ORDER_SMALL_BURST", body, NOW + number * MINUTE / 2, card)
    return found


def test_a_burst_of_small_orders_is_noticed_wherever_they_come_from() -> None:
    from_few = _small_orders("24.1.2.3")
    assert from_few is not None
    assert from_few > 20
    assert _small_orders("24.{0}.2.3") == 7.9, "each from an address of its own, as for an offer"
    assert _small_orders("24.1.2.3", user="known") == 7.9, "a customer of earlier days"


def test_a_burst_of_small_orders_needs_a_past_to_be_compared_with() -> None:
    assert _small_orders("24.1.2.3", known_days=5) == 0
    assert _small_orders("24.1.2.3", currency="EUR") == 0, "small orders in euros are new"


def test_who_tries_another_card_in_the_same_visit_is_one_buyer() -> None:
    merchant, found = Merchant(), None
    merchant.view(visit("earlier", "70.9.9.9", amount=3.0), NOW - 20 * DAY)
    for number in range(60):
        merchant.view(visit(None, f"24.{number}.2.3", amount=3.0), NOW + number)
    for number in range(3):
        card = msgspec.structs.replace(CARD, fingerprint=f"card-{number}")
        body = visit(None, "70.1.1.1", amount=3.0, session="visit")
        found = merchant.measure("ORDER_SMALL_BURST", body, NOW + 60 + number * MINUTE, card)
    assert found == 7.9


def test_only_small_orders_of_customers_are_part_of_a_burst() -> None:
    merchant = Merchant()
    assert merchant.measure("ORDER_SMALL_BURST", visit(amount=5.01)) == 0
    renewal = visit(amount=1.0, event={"type": "RECURRING_PURCHASE"})
    assert merchant.measure("ORDER_SMALL_BURST", renewal) == 0
    assert measure("ORDER_SMALL_BURST", order(1.0)) == 0


@pytest.mark.parametrize(("codes", "expected"), [(["A", "B", "B"], 2), ([], 0), (None, 0)])
def test_discount_codes_are_counted(codes: list[str] | None, expected: float) -> None:
    assert measure("DISCOUNT_STACKING", order(discountCodes=codes)) == expected


def _users_of_a_code(users: int, ip: str = "24.{}.1.1") -> float:
    merchant, found = Merchant(), 0.0
    for number in range(users):
        body = visit(f"user-{number}", ip.format(number)) | order(discountCodes=["SALE"])
        found = merchant.measure("DISCOUNT_CODE_BURST", body, NOW + number)
    return found


def test_a_code_that_leaks_is_noticed_late_because_codes_are_for_many() -> None:
    assert _users_of_a_code(8) == 0
    many = _users_of_a_code(30)
    assert many > 3
    assert Merchant().measure("DISCOUNT_CODE_BURST", visit()) == 0


def test_a_code_that_was_announced_brings_people_from_everywhere() -> None:
    assert (_users_of_a_code(60) or 0) < 8 <= (_users_of_a_code(60, "24.1.1.{}") or 0)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://www.example.com/shoes", 0),
        ("javascript:alert(1)", 1),
        ("http://203.0.113.9/x", 1),
        ("", 0),
        (None, 0),
    ],
)
def test_a_referrer_that_leads_nowhere(url: str | None, expected: float) -> None:
    assert measure("REFERRER_SUSPICIOUS", order(referrerUrl=url)) == expected


@pytest.mark.parametrize(
    ("timestamp", "expected"),
    [
        ("2026-11-15T11:59:00Z", 0),
        ("2026-11-10T11:59:00Z", 0),
        ("2026-10-10T11:59:00Z", 1),
        ("2026-11-16T12:00:00Z", 1),
        (None, 0),
    ],
)
def test_a_time_that_cannot_be(timestamp: str | None, expected: float) -> None:
    body = {"event": {"timestamp": timestamp}}
    assert measure("EVENT_TIME_INVALID", body) == expected


@pytest.mark.parametrize(
    ("event", "expected"),
    [({"type": "RECURRING_PURCHASE"}, 1), ({"type": "PURCHASE"}, 0), ({}, 0)],
)
def test_a_renewal_is_one(event: dict[str, Any], expected: float) -> None:
    assert measure("EVENT_RENEWAL", {"event": event}) == expected
