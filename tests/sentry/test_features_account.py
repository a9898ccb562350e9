"""Features of the account that orders, and of its earlier orders."""

import math
from typing import Any

import pytest

from gatehouse.sentry.entities import EntityHasher, event_of
from gatehouse.sentry.policy import SentryPolicy
from tests.sentry.visits import (
    CHROME,
    DAY,
    GERMAN,
    HOME,
    HOUR,
    IPHONE,
    NIGERIAN,
    NOW,
    OTHER_HOME,
    PHONE,
    RELAY,
    TOR,
    VPN,
    Merchant,
    first_view,
    measure,
    visit,
)


def _account(**fields: Any) -> dict[str, Any]:
    return {"account": fields}


def _busy_merchant(users: int = 12, orders: int = 5) -> Merchant:
    """A merchant whose users each have a home and come again and again."""
    merchant = Merchant()
    for number in range(users):
        for turn in range(orders):
            at_s = NOW - 30 * DAY + turn * DAY + number * HOUR
            agent = CHROME if number % 2 else IPHONE
            merchant.view(visit(f"other-{number}", f"24.{number}.9.9", agent), at_s)
    return merchant


def _with_past(merchant: Merchant, days: float = 20, orders: int = 10, **user: Any) -> Merchant:
    """The same merchant after the user's earlier orders, the last of them a day ago."""
    for turn in range(orders):
        at_s = NOW - DAY - days * DAY * (orders - 1 - turn) / max(orders - 1, 1)
        merchant.view(visit(**user), at_s)
    return merchant


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (_account(userId="u"), 1),
        (_account(userId=7), 1),
        (_account(username="ann"), 1),
        (_account(userId=""), 0),
        (_account(userId="guest"), 0),
        (_account(userId=0, username="anonymous"), 0),
        (_account(userId="null", username="ann"), 1),
        (_account(), 0),
    ],
)
def test_a_buyer_with_an_account(body: dict[str, Any], expected: float) -> None:
    assert measure("ACCOUNT_NAMED", body) == expected


def test_who_is_new_where_others_come_again_is_noticed() -> None:
    merchant = _busy_merchant()
    assert merchant.measure("ACCOUNT_NEW", visit("newcomer"), NOW) == 0.001
    assert merchant.measure("ACCOUNT_NEW", visit("newcomer"), NOW + 2 * HOUR) == 2


def test_at_a_shop_that_has_just_opened_everybody_is_new() -> None:
    merchant = Merchant()
    found = [merchant.measure("ACCOUNT_NEW", visit(f"user-{number}")) for number in range(100)]
    assert found == [0] * 100
    assert Merchant().measure("ACCOUNT_NEW", visit(None)) == 0


def test_an_event_unlike_its_user_is_measured() -> None:
    merchant = _with_past(_busy_merchant())
    unlike = merchant.measure("ACCOUNT_RBA", visit(ip=NIGERIAN, agent=IPHONE))
    assert unlike > 1
    alike = _with_past(_busy_merchant()).view(visit())
    assert alike.unlikeness is not None
    assert _with_past(_busy_merchant()).measure("ACCOUNT_RBA", visit()) == 0


def test_a_user_at_home_is_measured_as_usual() -> None:
    at_home = _with_past(_busy_merchant()).measure("ACCOUNT_USUAL", visit())
    assert at_home > 2
    abroad = _with_past(_busy_merchant()).measure("ACCOUNT_USUAL", visit(ip=GERMAN, agent=IPHONE))
    assert abroad == 0


def test_where_nobody_else_is_known_times_count() -> None:
    merchant = _with_past(Merchant(), orders=5)
    assert merchant.measure("ACCOUNT_USUAL", visit()) == pytest.approx(math.log(6))


def test_habits_take_days_to_speak_for_a_user() -> None:
    whole = _with_past(Merchant(), orders=5).measure("ACCOUNT_USUAL", visit())
    half = _with_past(Merchant(), days=2.5, orders=5).measure("ACCOUNT_USUAL", visit())
    assert half == pytest.approx(whole / 2)
    at_once = _with_past(Merchant(), days=0, orders=5)
    assert at_once.measure("ACCOUNT_USUAL", visit(), NOW - DAY) == 0


@pytest.mark.parametrize("code", ["ACCOUNT_USUAL", "ACCOUNT_TRUSTED", "ORDER_AMOUNT_USUAL"])
def test_trust_is_lost_with_a_fraud_and_comes_back_when_that_is_taken_back(code: str) -> None:
    merchant = _with_past(Merchant())
    assert merchant.measure(code, visit()) > 0
    event = event_of(
        "shop", first_view(visit(), NOW - DAY), SentryPolicy(), EntityHasher(b"k" * 32)
    )
    merchant.memory.note_label(event, fraud=True)
    assert merchant.measure(code, visit()) == 0
    merchant.memory.note_label(event, fraud=None, previous=True)
    assert merchant.measure(code, visit()) > 0


def test_ordering_often_does_not_make_a_strange_network_usual() -> None:
    merchant = _with_past(_busy_merchant(), orders=60)
    view = merchant.view(visit(ip=GERMAN, agent=CHROME))
    assert (view.unlikeness or 0) < 0
    assert _with_past(_busy_merchant(), orders=60).measure("ACCOUNT_USUAL", visit(ip=GERMAN)) == 0


@pytest.mark.parametrize("code", ["ACCOUNT_RBA", "ACCOUNT_USUAL"])
def test_strangers_have_no_habits(code: str) -> None:
    assert _with_past(Merchant(), orders=1).measure(code, visit()) == 0
    assert measure(code, visit()) == 0


@pytest.mark.parametrize(
    ("ip", "expected"), [(HOME, 0), (GERMAN, 1), (RELAY, 0), (VPN, 0), ("10.0.0.1", 0)]
)
def test_a_country_that_is_new_for_the_user(ip: str, expected: float) -> None:
    assert _with_past(Merchant()).measure("ACCOUNT_COUNTRY_NEW", visit(ip=ip)) == expected


def test_a_new_country_with_a_new_device_is_told_apart() -> None:
    abroad = visit(ip=GERMAN, agent=IPHONE)
    assert _with_past(Merchant()).measure("ACCOUNT_COUNTRY_NEW", abroad) == 2
    at_home = visit(agent=IPHONE)
    assert _with_past(Merchant()).measure("ACCOUNT_COUNTRY_NEW", at_home) == 0
    nothing_of_a_device = {"device": {"ipAddress": GERMAN}, "account": {"userId": "user-1"}}
    assert _with_past(Merchant()).measure("ACCOUNT_COUNTRY_NEW", nothing_of_a_device) == 1


def test_whoever_has_hardly_ordered_has_no_countries() -> None:
    assert _with_past(Merchant(), orders=1).measure("ACCOUNT_COUNTRY_NEW", visit(ip=GERMAN)) == 0


def _travel(ip: str, hours: float) -> float:
    merchant = Merchant()
    merchant.view(visit(), NOW)
    return merchant.measure("ACCOUNT_IMPOSSIBLE_TRAVEL", visit(ip=ip), NOW + hours * HOUR)


def test_nobody_is_in_two_countries_within_an_hour() -> None:
    fast, slow = _travel(GERMAN, 1), _travel(GERMAN, 48)
    assert fast > 2_000
    assert slow < 900
    assert fast == pytest.approx(48 * slow)


def test_staying_is_no_travel() -> None:
    assert _travel(OTHER_HOME, 0.1) == 0


@pytest.mark.parametrize("ip", [PHONE, RELAY, VPN, "10.0.0.1"])
def test_where_an_address_may_not_be_where_its_user_is_nobody_travels(ip: str) -> None:
    assert _travel(ip, 1) == 0


@pytest.mark.parametrize("hidden", [VPN, TOR, RELAY, PHONE])
def test_where_an_address_hid_its_user_nobody_travels_from(hidden: str) -> None:
    merchant = Merchant()
    merchant.view(visit(ip=GERMAN), NOW - 10 * DAY)
    merchant.view(visit(ip=hidden), NOW - HOUR)
    found = merchant.measure("ACCOUNT_IMPOSSIBLE_TRAVEL", visit(ip=GERMAN))
    assert found == 0


def test_an_order_that_arrives_late_moves_nobody() -> None:
    """It was placed at home before the journey, and tells nothing about where its user is now."""
    merchant = Merchant()
    merchant.view(visit(ip=GERMAN), NOW)
    merchant.view(visit(ip=HOME), NOW - 3 * DAY)
    assert merchant.measure("ACCOUNT_IMPOSSIBLE_TRAVEL", visit(ip=GERMAN), NOW + HOUR) == 0


def test_two_events_of_one_moment_have_a_speed_too() -> None:
    speed = _travel(GERMAN, 0)
    assert math.isfinite(speed)


def test_a_long_silence_is_measured_in_days() -> None:
    merchant = Merchant()
    merchant.view(visit(), NOW - 200 * DAY)
    assert merchant.measure("ACCOUNT_DORMANT_RETURN", visit()) == pytest.approx(200)
    assert Merchant().measure("ACCOUNT_DORMANT_RETURN", visit()) == 0


def test_weeks_of_orders_make_trust() -> None:
    assert _with_past(Merchant(), days=20, orders=10).measure("ACCOUNT_TRUSTED", visit()) == 10


def test_many_orders_within_days_or_few_within_weeks_do_not() -> None:
    assert _with_past(Merchant(), days=5, orders=10).measure("ACCOUNT_TRUSTED", visit()) == 0
    assert _with_past(Merchant(), days=20, orders=2).measure("ACCOUNT_TRUSTED", visit()) == 0
    assert Merchant().measure("ACCOUNT_TRUSTED", visit()) == 0


@pytest.mark.parametrize(("ip", "agent"), [(NIGERIAN, CHROME), (HOME, IPHONE), (NIGERIAN, IPHONE)])
def test_however_often_somebody_orders_a_strange_network_or_device_is_not_trusted(
    ip: str, agent: str
) -> None:
    merchant = _with_past(_busy_merchant(), orders=60)
    assert merchant.measure("ACCOUNT_TRUSTED", visit(ip=ip, agent=agent), NOW + DAY) == 0
    own = _with_past(_busy_merchant(), orders=60).measure("ACCOUNT_TRUSTED", visit(), NOW + DAY)
    assert own == 60


def test_a_renewal_shows_no_device_and_is_trusted_for_its_past() -> None:
    renewal = visit(ip=VPN, agent="billing/1.0", event={"type": "RECURRING_PURCHASE"})
    assert _with_past(Merchant()).measure("ACCOUNT_TRUSTED", renewal) == 10


def test_trust_is_in_the_user_and_not_in_whoever_uses_the_account() -> None:
    merchant = _with_past(_busy_merchant())
    assert merchant.measure("ACCOUNT_TRUSTED", visit(ip=NIGERIAN, agent=IPHONE)) == 0


@pytest.mark.parametrize("name", ["x7k2q9zt1", "qwrtzpsdfg", "x7k2q9zt1@example.com"])
def test_a_name_made_by_a_machine(name: str) -> None:
    found = measure("USERNAME_RANDOM", _account(username=name))
    assert found >= 0.7


@pytest.mark.parametrize("name", ["ann", "john.smith84", "szczepanski@example.com"])
def test_a_name_made_by_a_person(name: str) -> None:
    found = measure("USERNAME_RANDOM", _account(username=name))
    assert found < 0.7


@pytest.mark.parametrize(
    "name",
    [None, "", "@", "123456", "0f8fad5b-d9cb-469f-a165-70867728950e", "d41d8cd98f00b204e980"],
)
def test_a_name_that_nobody_chose_says_nothing(name: str | None) -> None:
    assert measure("USERNAME_RANDOM", _account(username=name, userId="x7k2q9zt1")) == 0


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"username": "ann@mailinator.com"}, 1),
        ({"userId": "ann@MAILINATOR.com"}, 1),
        ({"username": "ann@example.com"}, 0),
        ({"userId": "ann@example.com", "username": "ann"}, 0),
        ({"username": "mailinator.com"}, 0),
        ({"userId": 7}, 0),
    ],
)
def test_a_disposable_address_as_a_name(fields: dict[str, Any], expected: float) -> None:
    assert measure("USERNAME_DISPOSABLE", _account(**fields)) == expected
