"""The catalogue of signals: complete, well worded, and safe with any text."""

import re
from math import isfinite
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gatehouse.core.cards.numbers import MaskedCard
from gatehouse.sentry import features
from gatehouse.sentry.entities import EntityHasher, event_of
from gatehouse.sentry.features.catalogue import ALL, BY_CODE, measure_features
from gatehouse.sentry.features.feature import Feature, Group
from gatehouse.sentry.features.sightings import SIGHTINGS
from gatehouse.sentry.memory.local import LocalMemory
from gatehouse.sentry.policy import SentryPolicy
from gatehouse.sentry.request import (
    BuyerAccount,
    CartItem,
    Device,
    Event,
    EventTime,
    EventType,
    Order,
    SentryRequest,
    ShoppingCart,
)
from gatehouse.sentry.request_view import view_request
from gatehouse.sentry.scorecard import load_scorecard
from tests.harness.rows import each
from tests.sentry.visits import (
    CARD,
    HOME,
    NOW,
    Book,
    Merchant,
    device,
    first_view,
    order,
    visit,
)


def test_no_code_is_used_twice_and_every_group_has_signals() -> None:
    assert len(BY_CODE) == len(ALL)
    assert {signal.group for signal in ALL} == set(Group)


@each(ALL)
def test_a_signal_is_documented_in_sentences(signal: Feature) -> None:
    for text in (signal.meaning, signal.computation, signal.sentence(12_345.6)):
        assert text[0].isupper() or text[0].isdigit()
        assert text.endswith(".")
    assert re.fullmatch(r"[A-Z][A-Z_]+", signal.code)


def test_a_sentence_shows_its_number_as_people_write_it() -> None:
    assert BY_CODE["SESSION_MULTI_ACCOUNT"].sentence(3.0) == "3 users have ordered in this session."
    assert "3,114 km/h" in BY_CODE["ACCOUNT_IMPOSSIBLE_TRAVEL"].sentence(3_114.2)


def test_nothing_is_measured_where_nothing_was_sent() -> None:
    assert measure_features(first_view({})) == {}
    assert measure_features(Merchant().view({})) == {}


@pytest.mark.parametrize(
    ("body", "groups"),
    [
        (device(ip="10.0.0.1"), {Group.ADDRESS}),
        (device(agent="curl/8.5.0"), {Group.DEVICE}),
        (device(sessionAge=5), {Group.SESSION}),
        ({"account": {"userId": "u"}}, {Group.ACCOUNT}),
        (order(), {Group.ORDER}),
        ({"shoppingCart": {}}, {Group.CART}),
        (device(ip=HOME) | order(), {Group.ADDRESS, Group.ORDER, Group.CONSISTENCY}),
    ],
)
def test_a_group_speaks_only_when_its_fields_were_sent(
    body: dict[str, Any], groups: set[Group]
) -> None:
    assert {BY_CODE[code].group for code in measure_features(first_view(body))} == groups


def test_every_signal_is_described_and_measured() -> None:
    """Beside its description, the module of its group names it where it is found."""
    tables = [signal.code for signal in SIGHTINGS.features]
    one_by_one = [
        signal
        for signal in ALL
        if signal.group is not Group.REPUTATION and signal.code not in tables
    ]
    modules = {path.stem: path.read_text() for path in Path(features.__path__[0]).glob("*.py")}
    for signal in one_by_one:
        named = [text.count(f'"{signal.code}"') for text in modules.values()]
        assert max(named) == sum(named) >= 2, signal.code


def test_of_a_full_request_only_what_was_found_is_kept() -> None:
    merchant = Merchant("printer")
    body = visit(
        session="s",
        customInputs={"timezone": "America/New_York", "printer": "p"},
        account={"userId": "u", "username": "ann@example.com"},
        shoppingCart={"items": [{"itemId": "a", "price": 59.9, "quantity": 1}]},
    )
    body["order"] |= {"discountCodes": ["A"], "referrerUrl": "https://example.com/"}
    body["event"] |= {"timestamp": "2026-11-15T12:00:00Z"}
    for _ in range(5):
        view = merchant.view(body, NOW, CARD)
    found = measure_features(view)
    assert 5 < len(found) < len(ALL) // 2
    assert 0 not in found.values()


TEXTS = st.one_of(
    st.none(),
    st.sampled_from(["", "\x00", "\ud800", "24.1.2.3", "::1", "a@b", "x" * 70_000, "é" * 2_000]),
    st.text(max_size=40),
)
NAMES = st.one_of(TEXTS, st.integers(-(2**63), 2**64 - 1))
NUMBERS = st.one_of(
    st.none(), st.floats(allow_nan=False), st.sampled_from([0.0, -1.0, 1e308, 5e-324, float("inf")])
)
ITEMS = st.builds(CartItem, item_id=NAMES, category=TEXTS, price=NUMBERS, quantity=NUMBERS)
REQUESTS = st.builds(
    SentryRequest,
    device=st.builds(
        Device,
        ip_address=TEXTS,
        user_agent=TEXTS,
        accept_language=TEXTS,
        session_id=NAMES,
        session_age=NUMBERS,
    ),
    event=st.builds(
        Event,
        type=st.sampled_from([None, *EventType]),
        transaction_id=NAMES,
        timestamp=st.one_of(st.none(), st.builds(EventTime, st.floats(-6e10, 2e11))),
    ),
    order=st.builds(
        Order,
        amount=NUMBERS,
        currency=TEXTS,
        discount_codes=st.one_of(st.none(), st.lists(TEXTS.filter(lambda text: text is not None))),
        referrer_url=TEXTS,
    ),
    account=st.builds(BuyerAccount, user_id=NAMES, username=TEXTS),
    shopping_cart=st.builds(ShoppingCart, items=st.one_of(st.none(), st.lists(ITEMS, max_size=5))),
    custom_inputs=st.dictionaries(st.sampled_from(["timezone", "printer"]), st.text(max_size=20)),
)
MEMORY, HASHER, POLICY = (
    LocalMemory(limit=5_000),
    EntityHasher(b"k" * 32),
    SentryPolicy(entities=("printer",)),
)


@settings(deadline=None, max_examples=150, suppress_health_check=list(HealthCheck))
@given(REQUESTS)
def test_whatever_is_sent_is_measured_in_numbers(request: SentryRequest) -> None:
    view = view_request(request, NOW, Book(), MaskedCard(CARD, "inner"))
    view.history = MEMORY.note(event_of("shop", view, POLICY, HASHER))
    values = measure_features(view)
    assert 0 not in values.values()
    assert all(isfinite(value) for value in values.values()), values
    assert all(len(BY_CODE[code].sentence(value)) < 120 for code, value in values.items())
    assert 0 < load_scorecard().score(values).confidence < 1
