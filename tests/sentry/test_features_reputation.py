"""Features from the labels of earlier orders."""

from typing import Any

import pytest

from gatehouse.sentry.entities import EntityHasher, event_of
from gatehouse.sentry.features.catalogue import BY_CODE, measure_features
from gatehouse.sentry.features.feature import LEAST, Group
from gatehouse.sentry.features.reputation import REPUTATION
from gatehouse.sentry.memory.memory import EntityKind
from gatehouse.sentry.memory.reputation_store import SMOOTHING
from gatehouse.sentry.policy import SentryPolicy
from gatehouse.sentry.request_view import RequestView
from gatehouse.sentry.scorecard import load_scorecard
from tests.sentry.visits import CARD, DAY, HOME, HOUR, NOW, OTHER_HOME, Merchant, visit

LINES = [
    {"itemId": "a", "category": "Shoes", "price": 59.9},
    {"itemId": "b", "category": "Hats", "price": 20},
]
FULL = visit(session="s-1", device_id="d-1", customInputs={"printer": "p-1"}) | {
    "shoppingCart": {"items": LINES},
    "order": {"amount": 79.9, "currency": "USD", "affiliateId": "a-1", "discountCodes": ["X"]},
}
CODES = {signal.code for signal in REPUTATION.features}
COURSES = {
    f"AFFILIATE_{word}"
    for word in ("FRAUDS", "FRAUD_AGE", "FRAUD_RUN", "FRAUD_RUN_AGE", "LATEST_OUTCOMES")
} | {"MERCHANT_LATEST_OUTCOMES"}
LATER = {f"{kind}_REPUTATION{long}" for kind in ("EMAIL", "PHONE") for long in ("", "_LONG")}
"""Mailbox and phone come with other stages' inputs."""


class Labelled(Merchant):
    """A merchant that says what became of its orders."""

    def tell(self, fraud: bool | None, body: Any, days_ago: float = 0, **more: Any) -> RequestView:
        """An order, and what became of it."""
        view = self.view(body, NOW - days_ago * DAY, CARD)
        self.label(view, fraud, **more)
        return view

    def label(self, view: RequestView, fraud: bool | None, previous: bool | None = None) -> None:
        policy = SentryPolicy(entities=("printer",))
        event = event_of("shop", view, policy, EntityHasher(b"k" * 32))
        self.memory.note_label(event, fraud=fraud, previous=previous)

    def found(self, body: Any, at_s: float = NOW + HOUR) -> dict[str, float]:
        values = measure_features(self.view(body, at_s, CARD))
        return {code: value for code, value in values.items() if code in CODES}


@pytest.fixture
def merchant() -> Labelled:
    return Labelled("printer")


def test_nothing_is_found_before_anything_was_said(merchant: Labelled) -> None:
    merchant.view(FULL, NOW, CARD)
    assert merchant.found(FULL) == {}


def test_a_fraud_speaks_against_everything_of_the_next_order(merchant: Labelled) -> None:
    merchant.tell(True, FULL)
    found = merchant.found(FULL)
    assert set(found) == CODES - LATER
    assert all(value > 0 for value in found.values())


def test_an_order_that_turned_out_well_speaks_for_the_next_one(merchant: Labelled) -> None:
    merchant.tell(False, FULL)
    found = merchant.found(FULL)
    # What is known of frauds is silent.
    latest = {code for code in COURSES if code.endswith("LATEST_OUTCOMES")}
    assert set(found) == (CODES - COURSES | latest) - LATER
    assert all(value < 0 for code, value in found.items() if code not in latest)
    assert {found[code] for code in latest} == {LEAST}


def test_what_was_taken_back_says_nothing(merchant: Labelled) -> None:
    view = merchant.tell(True, FULL)
    merchant.label(view, None, previous=True)
    assert merchant.found(FULL) == {}


def test_a_stranger_is_judged_by_what_is_shared_alone(merchant: Labelled) -> None:
    merchant.tell(True, FULL)
    found = merchant.found(visit(user="stranger", ip=OTHER_HOME))
    assert {"IP_COUNTRY_REPUTATION", "IP_COUNTRY_REPUTATION_LONG"} <= set(found)
    assert not {"IP_REPUTATION", "IP_NETWORK_REPUTATION", "ACCOUNT_REPUTATION"} & set(found)


def test_every_kind_with_a_reputation_has_a_signal_but_shelves() -> None:
    """Those stand behind the articles on them."""
    by_kind = {code for code in CODES - COURSES if code.endswith("_REPUTATION")}
    assert len(by_kind) == len(set(SMOOTHING) - {EntityKind.SHELF})
    assert CODES - COURSES - by_kind == {f"{code}_LONG" for code in by_kind} | {"REPUTATION_TOTAL"}
    assert all(signal.group is Group.REPUTATION for signal in REPUTATION.features)


def test_of_several_codes_the_worst_counts(merchant: Labelled) -> None:
    def order(*codes: str) -> dict[str, Any]:
        return {"order": {"amount": 10, "currency": "USD", "discountCodes": list(codes)}}

    merchant.tell(True, order("BAD"))
    merchant.tell(False, order("GOOD"))
    bad = merchant.found(order("BAD"))["DISCOUNT_REPUTATION"]
    assert merchant.found(order("GOOD", "BAD"))["DISCOUNT_REPUTATION"] == pytest.approx(
        bad, abs=0.1
    )
    assert merchant.found(order("GOOD"))["DISCOUNT_REPUTATION"] < 0


def test_custom_inputs_are_several_witnesses() -> None:
    merchant = Labelled("printer", "till")

    def order(**inputs: str) -> dict[str, Any]:
        return {"order": {"amount": 10, "currency": "USD"}, "customInputs": inputs}

    for inputs in ({"printer": "p-bad"}, {"till": "t-bad"}):
        view = merchant.view(order(**inputs), NOW, CARD)
        policy = SentryPolicy(entities=("printer", "till"))
        event = event_of("shop", view, policy, EntityHasher(b"k" * 32))
        merchant.memory.note_label(event, fraud=True)
    one = merchant.found(order(printer="p-bad"))
    both = merchant.found(order(printer="p-bad", till="t-bad"))
    assert both["CUSTOM_REPUTATION_LONG"] > 1.5 * one["CUSTOM_REPUTATION_LONG"] > 0
    assert both["CUSTOM_REPUTATION"] == pytest.approx(one["CUSTOM_REPUTATION"], abs=0.1)


def test_all_that_is_known_adds_up_and_crowds_count_half(merchant: Labelled) -> None:
    merchant.tell(True, FULL)
    found = merchant.found(FULL)
    crowds = ("IP_NETWORK", "IP_OPERATOR", "IP_COUNTRY", "CARD_BIN", "CARD_COUNTRY", "DISCOUNT")
    total = sum(
        value * (0.5 if code.removesuffix("_REPUTATION_LONG") in crowds else 1.0)
        for code, value in found.items()
        if code.endswith("_LONG")
    )
    assert found["REPUTATION_TOTAL"] == pytest.approx(total)


def test_what_was_long_ago_is_forgotten_by_one_and_known_to_the_other(merchant: Labelled) -> None:
    sent = {"account": {"userId": "rare"}}
    for days_ago in (400, 395, 390):
        merchant.tell(True, sent, days_ago)
    found = merchant.found(sent)
    assert found.get("ACCOUNT_REPUTATION", 0.0) < 0.4 < 1.5 < found["ACCOUNT_REPUTATION_LONG"]


def test_a_wave_of_fraud_shows_in_orders_that_have_nothing_to_do_with_it(
    merchant: Labelled,
) -> None:
    for number in range(20):
        merchant.tell(number < 5, {"account": {"userId": f"u-{number}"}}, days_ago=20 - number)
    found = merchant.found({"account": {"userId": "new"}})
    assert found["MERCHANT_LATEST_OUTCOMES"] == pytest.approx(25)
    assert "ACCOUNT_REPUTATION" not in found


def test_the_goods_of_a_cart_add_up(merchant: Labelled) -> None:
    def cart(*names: str) -> dict[str, Any]:
        return {"shoppingCart": {"items": [{"itemId": name, "price": 30} for name in names]}}

    for name in ("a", "b"):
        merchant.tell(True, cart(name))
    one = merchant.found(cart("a"))["CART_REPUTATION"]
    both = merchant.found(cart("a", "b"))["CART_REPUTATION"]
    assert 0 < one < both


# ---- How the labels went on --------------------------------------------------------------------


def test_age_run_and_latest_orders_of_an_affiliate(merchant: Labelled) -> None:
    sent = {"order": {"amount": 20, "affiliateId": "partner"}}
    for fraud, days_ago in ((True, 50), (False, 40), (True, 30), (True, 10)):
        merchant.tell(fraud, sent, days_ago)
    found = merchant.found(sent)
    assert found["AFFILIATE_FRAUD_AGE"] == 10
    assert found["AFFILIATE_FRAUD_RUN"] == 2
    assert found["AFFILIATE_FRAUD_RUN_AGE"] == 30
    assert found["AFFILIATE_LATEST_OUTCOMES"] == pytest.approx(200 / 3)
    assert 1 < found["AFFILIATE_FRAUDS"] < 3


def test_a_fraud_of_today_is_not_the_same_as_none(merchant: Labelled) -> None:
    sent = {"order": {"affiliateId": "partner"}}
    merchant.tell(True, sent)
    found = merchant.found(sent)
    assert found["AFFILIATE_FRAUD_AGE"] == found["AFFILIATE_FRAUD_RUN_AGE"] == LEAST
    assert found["AFFILIATE_LATEST_OUTCOMES"] == 100


@pytest.mark.parametrize("code", sorted(COURSES))
def test_the_sentence_of_a_plain_measure_is_true_whatever_it_is_worth(code: str) -> None:
    """A model decides in which direction it speaks; the sentence only says what was measured."""
    signal = BY_CODE[code]
    assert signal.says_in_favour is None
    if "LATEST" in code:
        assert "0 % were fraud" in signal.sentence(LEAST)
        assert "67 % were fraud" in signal.sentence(200 / 3)


# ---- What they are worth in the shipped scorecard ----------------------------------------------


def test_a_fraud_lowers_the_next_order_of_everybody_involved(merchant: Labelled) -> None:
    def confidence(body: dict[str, Any]) -> float:
        return (
            load_scorecard()
            .score(measure_features(merchant.view(body, NOW + HOUR, CARD)))
            .confidence
        )

    others = {"user": visit(ip=OTHER_HOME), "address": visit(user="user-2", ip=HOME)}
    merchant.view(FULL, NOW - HOUR, CARD)
    before = {name: confidence(body) for name, body in others.items()}
    merchant.tell(True, FULL)
    after = {name: confidence(body) for name, body in others.items()}
    assert all(after[name] < before[name] - 0.2 for name in others)


def test_good_names_are_worth_less_than_bad_ones() -> None:
    for term in load_scorecard().sheet.terms:
        if term.code in CODES - COURSES - {"REPUTATION_TOTAL"}:
            assert -min(term.effects) > 2 * max(term.effects)
            assert max(term.effects) > 0 or term.code.endswith("_LONG")


def test_witnesses_add_up_and_one_story_counts_once(merchant: Labelled) -> None:
    merchant.tell(True, FULL)
    values = merchant.found(FULL)
    counted = {code for code, effect in load_scorecard().score(values).effects if effect < 0}
    told = [code.removesuffix("_LONG").removesuffix("_REPUTATION") for code in counted]
    # Nested things are one story, and so are what was known lately and in the long run.
    assert sorted(told) == sorted(set(told))
    assert {"ACCOUNT", "DEVICE_ID", "CARD", "AFFILIATE", "CUSTOM"} <= set(told)
    assert len({"IP", "IP_NETWORK", "IP_OPERATOR", "IP_COUNTRY", "DEVICE"} & set(told)) == 1
