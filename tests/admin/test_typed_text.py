"""What can be meant by what somebody types into the one box."""

from typing import Any

import pytest

from gatehouse.admin.search.use_cases.typed_text import LONGEST_TYPED, MOST_MEANT, meant_by
from gatehouse.conditions.catalogue import Catalogue
from gatehouse.conditions.parse import read_condition

REQUEST = "req_01m7gehssgentvfrd68q7j7tk2"
NAMES = {"clientReferenceId", "userId", "transactionId", "deviceId"}
SCORE = "sentry.requestConfidence"


@pytest.mark.parametrize(
    ("typed", "first", "found"),
    [
        (REQUEST, "request", REQUEST),
        ("  Eve@Shop.Example ", "email", "email"),
        ("eve@shop.example", "domain", {"where": "email.domain = 'shop.example'"}),
        ("@Shop.example", "domain", {"where": "email.domain = 'shop.example'"}),
        ("shop.example", "domain", {"where": "email.domain = 'shop.example'"}),
        ("4242", "lastFour", {"lastFour": "4242"}),
        ("42424242", "bin", {"where": "card.bin = '42424242'"}),
        ("424242", "bin", {"where": "STARTS_WITH(card.bin, '424242')"}),
        ("as 64500", "network", {"where": "ip.asn = 64500"}),
        ("AS0064500", "network", {"where": "ip.asn = 64500"}),
        ("203.0.113.7", "ipAddress", "ipAddress"),
        ("2001:db8::1", "ipAddress", "ipAddress"),
        ("+1 415 555 0132", "phone", "phone"),
        ("12.50 EUR", "amount", {"least": "12.50", "most": "12.50", "currency": "EUR"}),
        ("12,50 eur", "amount", {"least": "12.50", "most": "12.50", "currency": "EUR"}),
        ("USD 1,234", "amount", {"least": "1234", "most": "1234", "currency": "USD"}),
        ("1.234,50..2000 EUR", "amount", {"least": "1234.50", "most": "2000", "currency": "EUR"}),
        ("0.2..0.4", "score", {"where": f"{SCORE} >= 0.2 AND {SCORE} <= 0.4"}),
        ("score <0.3", "score", {"where": f"{SCORE} < 0.3"}),
        ("score 0.5", "score", {"where": f"{SCORE} = 0.5"}),
        ("far-away", "rule", {"rule": "far-away"}),
        ("FAR", "shadowRule", {"shadowRule": "far-away"}),
        ("card.country", "signal", {"by": "card.country"}),
        ("u-4711", "userId", "userId"),
        ("pay_01abc", "transactionId", "transactionId"),
        ("order-1001", "clientReferenceId", "clientReferenceId"),
        ("4242 4242 4242 4242", "cardNumber", "cardNumber"),
        ("5555-5555-5555-4444", "cardNumber", "cardNumber"),
        ("4242424242424242", "cardNumber", "cardNumber"),
    ],
)
def test_what_is_typed_is_recognised(typed: str, first: str, found: Any) -> None:
    meant = {each.kind: each for each in meant_by(typed, ["far-away", "dear"])}
    assert first in meant
    each = meant[first]
    assert found in (each.filters, each.who, each.shown)
    if "where" in each.filters:
        assert read_condition(each.filters["where"], Catalogue()).text
    if each.who is not None:
        assert each.shown == ""
        assert each.filters == {}


@pytest.mark.parametrize(
    "typed",
    ["4242424242424242", "4242 4242-4242 4242", "u-4242424242424242", "4242424242424242@x.example"],
)
def test_a_card_number_is_never_anything_else(typed: str) -> None:
    assert {each.kind for each in meant_by(typed)} <= {"cardNumber"}


@pytest.mark.parametrize(
    "typed", ["", "   ", "what is this", "<script>alert(1)</script> x", "x" * 5000, "' OR 1=1 --"]
)
def test_anything_else_means_little_and_hurts_nobody(typed: str) -> None:
    meant = meant_by(typed)
    assert len(meant) <= MOST_MEANT
    assert {each.kind for each in meant} <= NAMES
    assert all(len(each.shown) <= LONGEST_TYPED for each in meant)
