"""Features of numbers, measured against what is usual."""

from collections.abc import Callable
from math import exp, factorial, log10
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatehouse.sentry.features.surprise import surprise
from gatehouse.sentry.found.found_inputs import FoundInput, FoundInputs, InputKind
from tests.sentry.visits import (
    ALLOWED,
    CARD,
    CHROME,
    DAY,
    HOME,
    HOUR,
    IPHONE,
    MINUTE,
    NOW,
    PHONE,
    RELAY,
    Merchant,
    device,
    measure,
    visit,
)

Body = Callable[[int], dict[str, Any]]


def _burst(code: str, body: Body, times: int, merchant: Merchant | None = None) -> float:
    """What a signal says after so many events within an hour."""
    merchant, found = merchant or Merchant(), 0.0
    for turn in range(times):
        found = merchant.measure(code, body(turn), NOW + turn * MINUTE)
    return found


@given(st.floats(0.1, 500), st.floats(0.1, 50), st.floats(0.1, 10))
def test_more_surprises_more_and_more_usual_surprises_less(
    count: float, usual: float, more: float
) -> None:
    here = surprise(count, usual)
    assert surprise(count + more, usual) >= here >= surprise(count, usual + more) >= 0


@pytest.mark.parametrize(("count", "usual"), [(3, 0.5), (5, 1), (10, 1), (20, 6), (40, 20)])
def test_it_counts_the_zeros_of_a_poisson_tail_and_never_too_many(count: int, usual: float) -> None:
    below = sum(exp(-usual) * usual**k / factorial(k) for k in range(count))
    tail = -log10(1 - below)
    assert tail - 1 < surprise(count, usual) < tail


@pytest.mark.parametrize(
    ("code", "body"),
    [
        ("VEL_IP_EVENTS", lambda turn: visit(None)),
        ("VEL_IP_ACCOUNTS", lambda turn: visit(f"user-{turn}")),
        ("VEL_NETWORK", lambda turn: visit(None, f"24.1.2.{turn + 1}")),
        ("VEL_UA_ACCOUNTS", lambda turn: visit(f"user-{turn}", f"24.1.2.{turn + 1}")),
        ("VEL_ACCOUNT_ORDERS", lambda turn: visit(ip=f"24.{turn}.2.1")),
        ("VEL_SESSION_EVENTS", lambda turn: visit(None, f"24.{turn}.2.1", session="s")),
    ],
)
def test_a_flood_surprises_and_grows(code: str, body: Body) -> None:
    one, ten, thirty = (_burst(code, body, times) for times in (1, 10, 30))
    assert one == 0
    assert one <= ten < thirty
    assert thirty > 6


@pytest.mark.parametrize(
    ("code", "body"),
    [
        ("VEL_IP_EVENTS", lambda turn: visit(None, f"24.{turn}.2.1")),
        ("VEL_IP_ACCOUNTS", lambda turn: visit("user-1")),
        ("VEL_IP_CARDS", lambda turn: visit(f"user-{turn}")),
        ("VEL_NETWORK", lambda turn: visit(None, f"24.{turn}.2.1")),
        ("VEL_UA_ACCOUNTS", lambda turn: visit(f"user-{turn}", f"24.{turn}.2.1")),
        ("VEL_ACCOUNT_ORDERS", lambda turn: visit(f"user-{turn}")),
        ("VEL_SESSION_EVENTS", lambda turn: visit(session=f"session-{turn}")),
    ],
)
def test_each_counts_its_own_and_nothing_else(code: str, body: Body) -> None:
    assert _burst(code, body, 20) == 0


@pytest.mark.parametrize("ip", [PHONE, RELAY, ALLOWED])
@pytest.mark.parametrize("code", ["VEL_IP_EVENTS", "VEL_IP_ACCOUNTS", "VEL_UA_ACCOUNTS"])
def test_addresses_that_many_share_may_have_many(code: str, ip: str) -> None:
    assert _burst(code, lambda turn: visit(f"user-{turn}", ip, IPHONE), 20) == 0


def test_what_is_usual_for_an_address_does_not_surprise() -> None:
    """Some forty people, each of whom orders every other day, at the hours of day."""
    campus = Merchant()
    for day in range(20, 0, -1):
        for turn in range(20):
            user = f"user-{(turn * 2 + day) % 40}"
            campus.view(visit(user), NOW - day * DAY + turn * 20 * MINUTE)
    assert _burst("VEL_IP_ACCOUNTS", lambda turn: visit(f"user-{turn}"), 6, campus) < 1
    assert _burst("VEL_IP_ACCOUNTS", lambda turn: visit(f"user-{turn}"), 6) > 1


def test_a_flood_does_not_become_the_usual_thing_within_hours() -> None:
    merchant = Merchant()
    for turn in range(100):
        merchant.view(visit(f"early-{turn}"), NOW - 5 * HOUR + turn * 3 * MINUTE)
    assert _burst("VEL_IP_ACCOUNTS", lambda turn: visit(f"user-{turn}"), 20, merchant) > 8


def _floods(merchant: Merchant, days: int, users: int) -> list[float]:
    """What the last of so many new users on one day after another measures."""
    found = []
    for day in range(days):
        for turn in range(users):
            at_s = NOW + day * DAY + turn * 5 * MINUTE
            body = visit(f"user-{day}-{turn}")
            measured = merchant.measure("VEL_IP_ACCOUNTS", body, at_s)
        found.append(measured or 0.0)
    return found


def test_a_flood_on_one_day_is_no_excuse_for_the_next() -> None:
    merchant = Merchant()
    for turn in range(500):
        merchant.view(visit(f"first-{turn}"), NOW - DAY + turn * MINUTE)
    assert min(_floods(merchant, 3, 100)) > 3


def test_what_comes_day_after_day_becomes_the_usual_thing_slowly() -> None:
    found = _floods(Merchant(), 14, 30)
    assert found[1] > 3
    assert found[-1] < 1
    assert found[1] >= found[5] >= found[-1]


def test_a_few_days_are_not_taken_for_more_than_they_are() -> None:
    """Twenty-four orders on four days are as many in a week: not even four a day."""
    merchant = Merchant()
    for day in (4, 3, 2, 1):
        for turn in range(6):
            merchant.view(visit(), NOW - day * DAY - 6 * HOUR + turn * MINUTE)
    found = _burst("VEL_IP_EVENTS", lambda turn: visit(), 10, merchant)
    in_a_busy_hour = 24 / 7 * 4 / 24
    assert found == pytest.approx(surprise(10, 2 + in_a_busy_hour))


def test_slow_floods_are_seen_by_the_day() -> None:
    merchant, found = Merchant(), 0.0
    for turn in range(24):
        found = merchant.measure("VEL_IP_ACCOUNTS", visit(f"user-{turn}"), NOW + turn * 0.95 * HOUR)
    assert found > 3


def test_many_cards_from_one_address_surprise() -> None:
    merchant = Merchant()
    cards = [msgspec.structs.replace(CARD, fingerprint=f"card-{turn}") for turn in range(12)]
    found = [merchant.measure("VEL_IP_CARDS", visit(None), NOW, card) for card in cards]
    assert found[0] == 0
    assert (found[-1] or 0) > 5
    assert Merchant().measure("VEL_IP_CARDS", device(agent=CHROME), NOW, CARD) == 0


@pytest.mark.parametrize(
    ("code", "shared"),
    [
        *(("VEL_ACCOUNT_CARDS", "user"), ("VEL_SESSION_CARDS", "session")),
        ("VEL_DEVICE_CARDS", "device_id"),
    ],
)
def test_many_cards_of_one_user_or_session_are_counted(code: str, shared: str) -> None:
    merchant, found = Merchant(), []
    for turn in range(25):
        kinds = ("user", "session", "device_id")
        names: dict[str, Any] = {kind: f"{kind}-{turn}" for kind in kinds} | {shared: "one"}
        card = msgspec.structs.replace(CARD, fingerprint=f"card-{turn // 2}")
        body = visit(ip=f"24.{turn}.1.1", **names)
        found.append(merchant.measure(code, body, NOW + turn * MINUTE, card))
    assert found == [turn // 2 + 1 for turn in range(25)]
    later = visit("one", session="one", device_id="one")
    assert merchant.measure(code, later, NOW + 2 * DAY, CARD) == 1


@pytest.mark.parametrize("code", ["VEL_ACCOUNT_CARDS", "VEL_SESSION_CARDS", "VEL_DEVICE_CARDS"])
def test_without_a_card_or_whose_it_is_no_cards_are_counted(code: str) -> None:
    assert Merchant().measure(code, visit(session="s")) == 0
    assert Merchant().measure(code, visit(None), NOW, CARD) == 0
    assert measure(code, visit(session="s"), NOW, CARD) == 0


@pytest.mark.parametrize(
    "code",
    [
        *("VEL_IP_EVENTS", "VEL_IP_ACCOUNTS", "VEL_IP_CARDS", "VEL_NETWORK", "VEL_UA_ACCOUNTS"),
        *("VEL_ACCOUNT_ORDERS", "VEL_ACCOUNT_CARDS", "VEL_CARD_EVENTS"),
        *("VEL_SESSION_EVENTS", "VEL_SESSION_CARDS"),
        *("VEL_DEVICE_EVENTS", "VEL_DEVICE_ACCOUNTS", "VEL_DEVICE_CARDS"),
    ],
)
def test_the_pace_of_renewals_is_the_merchant_s(code: str) -> None:
    merchant, body = Merchant(), visit("one", session="batch", device_id="batch")
    for turn in range(40):
        other = msgspec.structs.replace(CARD, fingerprint=f"card-{turn}")
        user, card = ("one", CARD) if turn % 2 else (f"user-{turn}", other)
        merchant.view(visit(user, session="batch", device_id="batch"), NOW, card)
    assert merchant.measure(code, body, NOW, CARD) > 0
    body["event"] = {"type": "RECURRING_PURCHASE"}
    assert merchant.measure(code, body, NOW, CARD) == 0


def test_crowds_behind_a_shared_address_surprise_less_than_a_program_elsewhere() -> None:
    merchant = Merchant()
    for turn in range(200):
        body = visit(f"user-{turn}", PHONE, IPHONE)
        found = merchant.measure("VEL_IP_EVENTS", body, NOW + turn * MINUTE / 4)
    assert found == pytest.approx(surprise(200, 50) / 5)


def test_a_card_that_is_used_again_and_again_surprises() -> None:
    merchant, found = Merchant(), []
    for turn in range(6):
        body = visit(None, f"24.{turn}.1.1")
        found.append(merchant.measure("VEL_CARD_EVENTS", body, NOW + turn * MINUTE, CARD) or 0)
    assert found[0] == 0
    assert found == sorted(found)
    assert found[-1] > 2.5
    assert Merchant().measure("VEL_CARD_EVENTS", visit()) == 0


def test_a_card_with_several_users_is_counted() -> None:
    merchant = Merchant()
    found = [merchant.measure("VEL_CARD_ACCOUNTS", visit(user), NOW, CARD) for user in "aabc"]
    assert found == [1, 1, 2, 3]
    assert Merchant().measure("VEL_CARD_ACCOUNTS", visit()) == 0


def test_what_the_merchant_told_us_to_remember_is_counted() -> None:
    def body(turn: int) -> dict[str, Any]:
        return visit(f"user-{turn}", f"24.{turn}.1.1", customInputs={"printer": "p-1"})

    assert _burst("VEL_CUSTOM", body, 12, Merchant("printer")) > 5
    assert Merchant().measure("VEL_CUSTOM", body(1)) == 0


@pytest.mark.parametrize(
    ("kind", "surprising"), [(InputKind.IDENTIFIER, True), (InputKind.CATEGORY, False)]
)
def test_many_may_share_a_category_that_was_found_but_no_identifier(
    kind: InputKind, surprising: bool
) -> None:
    def body(turn: int) -> dict[str, Any]:
        return visit(f"user-{turn}", f"24.{turn}.1.1", customInputs={"printer": "p-1"})

    merchant = Merchant(found=FoundInputs((FoundInput("printer", 1, kind),)))
    assert (_burst("VEL_CUSTOM", body, 12, merchant) > 5) is surprising


def test_without_users_addresses_are_counted() -> None:
    def body(turn: int) -> dict[str, Any]:
        return visit(None, f"24.{turn}.1.1", customInputs={"printer": "p-1"})

    assert _burst("VEL_CUSTOM", body, 12, Merchant("printer")) > 5


@pytest.mark.parametrize("user", ["", "guest", "0", "null"])
def test_a_user_who_is_nobody_is_no_user(user: str) -> None:
    def body(turn: int) -> dict[str, Any]:
        return visit(user, f"24.{turn}.1.1", customInputs={"printer": "p-1"})

    assert _burst("VEL_CUSTOM", body, 12, Merchant("printer")) > 5


@pytest.mark.parametrize(
    "code", ["VEL_IP_EVENTS", "VEL_IP_ACCOUNTS", "VEL_NETWORK", "VEL_ACCOUNT_ORDERS"]
)
def test_without_a_memory_nothing_is_counted(code: str) -> None:
    assert measure(code, visit()) == 0
    assert Merchant().measure(code, {"order": {"amount": 5}}) == 0


def test_the_same_transaction_does_not_count_twice() -> None:
    merchant, found = Merchant(), 0.0
    for turn in range(20):
        body = visit("user-1", HOME, event={"transactionId": "t-1"})
        found = merchant.measure("VEL_IP_EVENTS", body, NOW + turn)
    assert found == 0


def test_a_family_may_share_a_device_and_a_crowd_may_not() -> None:
    merchant, found = Merchant(), []
    for turn in range(30):
        body = visit(f"user-{turn}", f"24.{turn}.1.1", device_id="tablet")
        found.append(merchant.measure("VEL_DEVICE_ACCOUNTS", body, NOW + turn * MINUTE))
    assert found[:2] == [0, 0]
    assert found[29] > 14


def test_a_counter_in_a_shop_where_many_order_every_day_surprises_nobody() -> None:
    merchant = Merchant()
    for turn in range(300):
        body = visit(f"user-{turn}", device_id="counter")
        found = merchant.measure("VEL_DEVICE_ACCOUNTS", body, NOW + turn * 2.4 * HOUR)
    assert found < 1.7
