"""The recorded past: it is the one that the script makes up, and tells what it should."""

import json
from datetime import UTC, datetime
from typing import Any, Final

import pytest
from scripts.demo_past.made_up_values import COUNTRIES, HOLDERS
from scripts.demo_past.scenes import HOUR_MS, DemoTruth
from scripts.demo_past.story import draft, tell

from gatehouse.admin.sandbox.use_cases.past import (
    DAY_MS,
    DAYS,
    MOST_DECISIONS,
    DemoOrder,
    DemoPlan,
    FollowUpKind,
    orders_of,
    read_recorded,
)
from gatehouse.connectors.sandbox.triggers import all_triggers
from gatehouse.core.cards.numbers import CardNumber
from gatehouse.core.clock import parse_time
from gatehouse.core.stages.outcomes import Outcome

END_MS: Final = 1_794_830_000_000
RECORDED: Final = read_recorded()
ORDERS: Final = orders_of(DemoPlan(MOST_DECISIONS, END_MS), RECORDED)
DRAFTS: Final = draft()[0]


def bodies(orders: list[DemoOrder]) -> list[Any]:
    return [json.loads(order.body) for order in orders]


def test_the_recorded_past_is_that_of_the_script() -> None:
    # After a change of the story: make demo-past
    assert tell() == RECORDED


@pytest.mark.parametrize(
    "end", ["2026-11-15T12:33:20Z", "2027-03-01T00:00:00Z", "2027-07-31T23:59:59Z"]
)
@pytest.mark.parametrize("decisions", [100, 399, MOST_DECISIONS])
def test_it_has_as_many_orders_as_were_wanted_in_the_order_of_time(
    end: str, decisions: int
) -> None:
    end_ms = parse_time(end)
    orders = orders_of(DemoPlan(decisions, end_ms), RECORDED)
    moments = [order.at_ms for order in orders]
    assert len(orders) == decisions
    assert moments == sorted(set(moments))
    assert moments[0] >= end_ms - DAYS * DAY_MS
    assert moments[-1] < end_ms
    numbers = [body["clientReferenceId"].partition("-")[2] for body in bodies(orders)]
    assert numbers == [str(5001 + place) for place in range(decisions)]
    assert len({each for order in orders for each in order.request_ids}) == 4 * decisions


def test_the_time_of_day_is_kept() -> None:
    plans = [DemoPlan(MOST_DECISIONS, END_MS), DemoPlan(MOST_DECISIONS, END_MS + 5 * HOUR_MS)]
    for recorded in RECORDED.orders:
        times = {plan.moment(recorded.moment_ms) % DAY_MS for plan in plans}
        assert times == {recorded.moment_ms % DAY_MS}


def test_only_cards_of_the_sandbox_and_test_numbers_are_used() -> None:
    known = {row.value for row in all_triggers()} | {each.card for each in HOLDERS}
    prefixes = (*(prefix for country in COUNTRIES for prefix in country.cards), "54545454")
    cards = {body.get("preCheckRequest", body)["cardNumber"] for body in bodies(ORDERS)}
    for number in cards - known:
        CardNumber.parse(number)
        assert number.startswith(prefixes)


def test_what_the_pages_use_has_no_past() -> None:
    text = "".join(order.body.decode() for order in ORDERS)
    for used in ("4242424242424242", "4111111111111111", "203.0.113.", "198.51.100.", "192.0.2."):
        assert used not in text
    fraud = [json.dumps(each.body) for each in DRAFTS if each.truth is not DemoTruth.HONEST]
    assert not any('"cardNumber": "42424242' in body for body in fraud)


def test_nobody_can_be_written_to() -> None:
    sent = [body["rulesRequest"]["email"] for body in bodies(ORDERS) if "rulesRequest" in body]
    places = {address.partition("@")[2] for address in sent}
    assert places == {"example.com", "example.org", "mailinator.com"}


def test_one_night_many_cards_come_from_one_address() -> None:
    fraud = [each for each in DRAFTS if each.truth is DemoTruth.FRAUD]
    cheap = [each for each in fraud if each.body["sentryRequest"]["order"]["amount"] == 1.0]
    bodies = [each.body for each in cheap]
    assert len({body["preCheckRequest"]["cardNumber"] for body in bodies}) == len(cheap) == 14
    assert len({body["sentryRequest"]["device"]["ipAddress"] for body in bodies}) == 1
    assert cheap[11].at_ms - cheap[0].at_ms < HOUR_MS


def test_customers_come_again() -> None:
    users = [
        body["sentryRequest"]["account"]["userId"]
        for body in bodies(ORDERS)
        if "sentryRequest" in body
    ]
    assert len(set(users)) < len(users) * 0.5
    assert max(users.count(one) for one in set(users)) >= 8


@pytest.mark.parametrize("days", range(7))
def test_the_attack_is_on_the_last_tuesday_and_over(days: int) -> None:
    plan = DemoPlan(MOST_DECISIONS, END_MS + days * DAY_MS)
    began_ms = plan.tuesday_ms + RECORDED.attack[0].moment_ms
    assert datetime.fromtimestamp(began_ms / 1000, UTC).strftime("%A") == "Tuesday"
    assert 9 * HOUR_MS < plan.end_ms - began_ms < 8 * DAY_MS
    assert [order.at_ms for order in orders_of(plan, RECORDED)].count(began_ms) == 1


def test_one_order_of_a_hundred_is_disputed() -> None:
    # What only a rule or a review stops is left out: the rest would be accepted.
    disputed = [
        each
        for each in RECORDED.orders
        if any(
            act.kind is FollowUpKind.DISPUTE and each.moment_ms + act.after_ms < DAYS * DAY_MS
            for act in each.follow_ups[Outcome.ACCEPT]
        )
    ]
    assert 0.005 < len(disputed) / len(RECORDED.orders) < 0.03
