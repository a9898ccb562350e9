"""The plan of a made-up past: it repeats itself, uses only test cards, and tells what it should."""

import json
from typing import Any, Final

from gatehouse.admin.sandbox.use_cases.made_up_values import COUNTRIES, HOLDERS
from gatehouse.admin.sandbox.use_cases.scenes import DAY_MS, HOUR_MS, DemoTruth
from gatehouse.admin.sandbox.use_cases.story import DAYS, DemoPlan, DemoStory, tell
from gatehouse.connectors.sandbox.triggers import all_triggers
from gatehouse.core.cards.numbers import CardNumber

END_MS: Final = 1_794_830_000_000
PLAN: Final = DemoPlan(seed=19, decisions=480, end_ms=END_MS)
STORY: Final = tell(PLAN)


def bodies(story: DemoStory) -> list[Any]:
    return [json.loads(order.body) for order in story.orders]


def cards(story: DemoStory) -> set[str]:
    return {body.get("preCheckRequest", body)["cardNumber"] for body in bodies(story)}


def test_a_seed_and_an_end_make_one_story() -> None:
    assert tell(PLAN) == STORY
    assert tell(DemoPlan(20, 480, END_MS)) != STORY


def test_it_has_as_many_orders_as_were_wanted_in_the_order_of_time() -> None:
    for decisions in (100, 250, 400):
        orders = tell(DemoPlan(3, decisions, END_MS)).orders
        moments = [order.at_ms for order in orders]
        assert len(orders) == decisions
        assert moments == sorted(set(moments))
        assert moments[0] > END_MS - DAYS * DAY_MS
        assert moments[-1] < END_MS


def test_only_cards_of_the_sandbox_and_test_numbers_are_used() -> None:
    known = {row.value for row in all_triggers()} | {each.card for each in HOLDERS}
    prefixes = (*(prefix for country in COUNTRIES for prefix in country.cards), "54545454")
    for number in cards(STORY) - known:
        CardNumber.parse(number)
        assert number.startswith(prefixes)


def test_what_the_pages_use_has_no_past() -> None:
    text = "".join(order.body.decode() for order in STORY.orders)
    for used in ("4242424242424242", "4111111111111111", "203.0.113.", "198.51.100.", "192.0.2."):
        assert used not in text
    fraud = [order.body.decode() for order in STORY.orders if order.truth is not DemoTruth.HONEST]
    assert not any('"cardNumber":"42424242' in body for body in fraud)


def test_nobody_can_be_written_to() -> None:
    sent = [body["rulesRequest"]["email"] for body in bodies(STORY) if "rulesRequest" in body]
    places = {address.partition("@")[2] for address in sent}
    assert places == {"example.com", "example.org", "mailinator.com"}


def test_one_night_many_cards_come_from_one_address() -> None:
    fraud = [json.loads(order.body) for order in STORY.orders if order.truth is DemoTruth.FRAUD]
    cheap = [body for body in fraud if body["sentryRequest"]["order"]["amount"] == 1.0]
    assert len({body["preCheckRequest"]["cardNumber"] for body in cheap}) == len(cheap) == 14
    assert len({body["sentryRequest"]["device"]["ipAddress"] for body in cheap}) == 1
    numbers = {body["clientReferenceId"] for body in cheap}
    at = [o.at_ms for o in STORY.orders if json.loads(o.body)["clientReferenceId"] in numbers]
    assert at[11] - at[0] < HOUR_MS


def test_customers_come_again() -> None:
    users = [
        body["sentryRequest"]["account"]["userId"]
        for body in bodies(STORY)
        if "sentryRequest" in body
    ]
    assert len(set(users)) < len(users) * 0.5
    assert max(users.count(one) for one in set(users)) >= 8
