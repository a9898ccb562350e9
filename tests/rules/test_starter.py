"""The starter rule set: file and program agree, ordinary orders pass, testers do not."""

from typing import Any

import pytest

from gatehouse.core.stages.outcomes import Outcome
from gatehouse.pipeline.authoring import read_pipeline
from gatehouse.pipeline.definition import encode_program as encode_pipeline
from gatehouse.pipeline.starter import starter_pipelines
from gatehouse.rules.authoring import list_problems, read_rule_set
from gatehouse.rules.decide import CompiledRuleSet
from gatehouse.rules.ruleset import decode_program, encode_program
from gatehouse.rules.starter import STARTER_LISTS, STARTER_NAME, starter_document, starter_program
from tests.rules.written import NO_LISTS, Listed, velocity

STARTER = CompiledRuleSet(decode_program(starter_program()), 1)

ORDER: dict[str, Any] = {
    "order.amount": 59.9,
    "order.currency": "USD",
    "card.fingerprint": "fp1_x",
    "card.bin": "42424242",
    "card.country": "GB",
    "card.funding": "CREDIT",
    "card.prepaid": False,
    "ip.address": "203.0.113.1",
    "ip.country": "US",
    "ip.hosting": False,
    "ip.tor": False,
    "billing.country": "US",
    "shipping.country": "US",
    "device.kind": "browser",
    "event.type": "PURCHASE",
    "user.id": "u-1",
    "email.domain": "example.com",
    "email.disposable": False,
    "request.cards_differ": False,
    "request.ips_differ": False,
    "sentry.requestConfidence": 0.9,
}
REGULAR = velocity("user", days_30d=6, age_days=40, count_30d=9)


def told(signals: dict[str, Any], lists: Listed = NO_LISTS) -> tuple[str, list[str]]:
    judgement = STARTER.judge({**ORDER, **signals}, lists, 0)
    return judgement.status, [rule.id for rule in judgement.matched]


def test_file_and_program_agree() -> None:
    # After a change of a file: python -m scripts.build_starter
    read = read_rule_set(starter_document().encode())
    assert encode_program(read) == starter_program()
    assert read.name == STARTER_NAME
    for number, document, program in starter_pipelines():
        pipeline = read_pipeline(document.encode())
        assert (str(pipeline.number), encode_pipeline(pipeline)) == (number, program)
        named = {stage.rule_set for stage in pipeline.stages if stage.rule_set}
        assert named == {STARTER_NAME}


def test_every_rule_says_what_it_is_for() -> None:
    assert all(rule.description and rule.tags for rule in STARTER.rules)
    assert 25 <= len(STARTER.rules) <= 35
    kinds = {each.name: each.kind for each in STARTER_LISTS}
    assert list_problems(decode_program(starter_program()), kinds) == []


def test_an_ordinary_order_is_accepted_and_so_is_an_empty_one() -> None:
    assert told({}) == ("ACCEPT", [])
    assert STARTER.judge({}, NO_LISTS, 0).status is Outcome.ACCEPT
    polish = {"card.country": "PL", "card.funding": "DEBIT", "card.bin": "41111111"}
    assert told(polish) == ("ACCEPT", [])


def test_one_customer_with_one_card_may_come_thirty_times_an_hour() -> None:
    often = {"count_1m": 30, "count_1h": 30, "count_24h": 30}
    busy: dict[str, Any] = {}
    for group in ("card", "user", "ip"):
        ones = {"distinct_cards_24h": 1} if group != "card" else {"distinct_users_24h": 1}
        busy |= velocity(group, **often, **ones)
    busy |= velocity("session", count_1h=30, distinct_cards_1h=1)
    assert told(busy) == ("ACCEPT", [])
    # The same card refused again and again is one refused card.
    retries = velocity("ip", declines_1h=12, declined_cards_1h=1, distinct_cards_1h=1)
    assert told(retries) == ("ACCEPT", [])


@pytest.mark.parametrize(
    ("signals", "status", "rule"),
    [
        (velocity("ip", distinct_cards_1h=20), "DECLINE", "card-testing-address"),
        (velocity("ip", distinct_cards_1h=10), "REVIEW", "many-cards-address"),
        (
            velocity("ip", declined_cards_1h=5, distinct_cards_1h=8),
            *("DECLINE", "refused-cards-address"),
        ),
        (velocity("session", declined_cards_1h=4), "DECLINE", "refused-cards-customer"),
        (velocity("session", distinct_cards_1h=5), "REVIEW", "many-cards-session"),
        (
            velocity("device", distinct_cards_24h=10, declined_cards_24h=2),
            *("REVIEW", "many-cards-device"),
        ),
        (velocity("email", distinct_cards_24h=6), "REVIEW", "many-cards-customer"),
        (
            {"order.amount": 1, **velocity("ip", distinct_cards_1h=5)},
            *("DECLINE", "small-amount-many-cards"),
        ),
        (velocity("bin", declined_cards_1h=8, distinct_cards_1h=12), "REVIEW", "bin-attack"),
        (velocity("card", count_1h=61), "REVIEW", "very-busy"),
        (velocity("card", distinct_users_24h=4), "REVIEW", "card-of-many"),
        (velocity("email", distinct_card_countries_7d=3), "REVIEW", "email-of-many-banks"),
        ({"ip.country": "BR"}, "REVIEW", "three-countries"),
        ({"shipping.country": "NG"}, "REVIEW", "delivery-elsewhere"),
        ({"ip.tor": True}, "REVIEW", "tor"),
        ({"device.kind": "library"}, "REVIEW", "machine"),
        ({"ip.hosting": True}, "REVIEW", "machine"),
        ({"ip.blocked": True}, "DECLINE", "blocked-network"),
        ({"email.disposable": True}, "REVIEW", "disposable-email"),
        ({"sentry.requestConfidence": 0.3}, "REVIEW", "sentry-low"),
        ({"sentry.requestConfidence": 0.1}, "DECLINE", "sentry-very-low"),
        ({"idverify.name": "NO_MATCH"}, "REVIEW", "identity-doubt"),
        (
            {"idverify.phone": "NO_MATCH", "idverify.tax": "NO_MATCH"},
            *("DECLINE", "identity-mismatch"),
        ),
        ({"request.cards_differ": True}, "REVIEW", "cards-differ"),
        ({"request.amounts_differ": True}, "REVIEW", "amounts-differ"),
        ({"request.ips_differ": True}, "REVIEW", "addresses-differ"),
    ],
)
def test_what_is_suspicious_is_noticed(signals: dict[str, Any], status: str, rule: str) -> None:
    found, matched = told(signals)
    assert found == status
    assert rule in matched


@pytest.mark.parametrize(
    "signals",
    [
        velocity("ip", distinct_cards_1h=24) | REGULAR,
        velocity("ip", distinct_cards_1h=24) | {"ip.mobile": True},
        velocity("ip", declined_cards_1h=5, distinct_cards_1h=24) | REGULAR,
        velocity("ip", declined_cards_1h=5, distinct_cards_1h=9) | REGULAR,
        velocity("bin", declined_cards_1h=9, distinct_cards_1h=24),
        {"ip.hosting": True} | REGULAR,
        {"ip.hosting": True, "ip.vpn": True},
        {"device.kind": "library", "event.type": "RECURRING_PURCHASE"},
        {"idverify.name": "UNKNOWN", "idverify.email": "NO_MATCH"},
    ],
)
def test_a_regular_customer_and_a_crowd_behind_one_address_pass(signals: dict[str, Any]) -> None:
    assert told(signals) == ("ACCEPT", [])


@pytest.mark.parametrize(
    ("list_name", "value", "status", "rule"),
    [
        ("blocked-cards", "fp1_x", "DECLINE", "blocked-card"),
        ("blocked-bins", "42424242", "DECLINE", "blocked-bin"),
        ("blocked-networks", "203.0.113.1", "DECLINE", "blocked-network"),
        ("blocked-emails", "e1_x", "DECLINE", "blocked-email"),
        ("blocked-domains", "example.com", "DECLINE", "blocked-domain"),
        ("blocked-users", "u-1", "DECLINE", "blocked-user"),
        ("blocked-countries", "US", "DECLINE", "blocked-country"),
        ("allowed-cards", "fp1_x", "ACCEPT", "allowed-card"),
        ("allowed-users", "u-1", "ACCEPT", "allowed-user"),
    ],
)
def test_lists_count(list_name: str, value: str, status: str, rule: str) -> None:
    lists = Listed({list_name: {value}})
    assert told({"email.fingerprint": "e1_x"}, lists) == (status, [rule])
    # A customer on an allow list is accepted through Tor, too; the rule still reports it.
    found, matched = told({"email.fingerprint": "e1_x", "ip.tor": True}, lists)
    assert found == status
    assert "tor" in matched


def test_what_is_only_watched_decides_nothing() -> None:
    judgement = STARTER.judge({**ORDER, "card.prepaid": True, "order.amount": 900}, NO_LISTS, 0)
    assert judgement.status is Outcome.ACCEPT
    assert [rule.id for rule in judgement.shadow] == ["prepaid-high-amount"]
