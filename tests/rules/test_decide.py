"""What rules decide together."""

from typing import Any

import msgspec
import pytest

from gatehouse.core.stages.outcomes import Outcome
from gatehouse.rules.decide import CompiledRuleSet
from gatehouse.rules.response import Matched
from gatehouse.rules.ruleset import RuleSet, decode_program, encode_program
from tests.rules.written import NO_LISTS, Listed, compiled, rules, velocity

SET = compiled(
    "low ACCEPT: order.amount < 10",
    "some REVIEW: order.amount >= 10",
    "much DECLINE: order.amount >= 100",
    "welcome ACCEPT final: order.currency = ''EUR''",
    "never DECLINE final: order.amount >= 1000",
    "watched DECLINE shadow: order.amount >= 50",
)


@pytest.mark.parametrize(
    ("signals", "status", "matched", "shadow", "final_by"),
    [
        ({}, "ACCEPT", [], [], None),
        ({"order.amount": 5}, "ACCEPT", ["low"], [], None),
        ({"order.amount": 20}, "REVIEW", ["some"], [], None),
        ({"order.amount": 60}, "REVIEW", ["some"], ["watched"], None),
        ({"order.amount": 200}, "DECLINE", ["some", "much"], ["watched"], None),
        (
            {"order.amount": 200, "order.currency": "EUR"},
            *("ACCEPT", ["some", "much", "welcome"], ["watched"], "welcome"),
        ),
        (
            {"order.amount": 2000, "order.currency": "EUR"},
            *("ACCEPT", ["some", "much", "welcome", "never"], ["watched"], "welcome"),
        ),
        (
            {"order.amount": 2000},
            *("DECLINE", ["some", "much", "never"], ["watched"], "never"),
        ),
    ],
)
def test_the_strongest_decides_unless_one_is_final(
    signals: dict[str, object],
    status: str,
    matched: list[str],
    shadow: list[str],
    final_by: str | None,
) -> None:
    for _ in range(2):  # the second time from memory
        judgement = SET.judge(signals, NO_LISTS, 0)
        assert judgement.status == status
        assert [rule.id for rule in judgement.matched] == matched
        assert [rule.id for rule in judgement.shadow] == shadow
        assert judgement.final_by == final_by


def test_a_rule_that_matched_is_told_with_its_set_and_tags() -> None:
    found = rules("a REVIEW: order.amount > 1")
    tagged: list[dict[str, Any]] = [
        {"name": "a", "tags": ("x", "y")},
        {"name": "b", "tags": ("y", "z")},
        {"name": "c", "tags": ("hidden",), "shadow": True},
    ]
    made = [msgspec.structs.replace(found.rules[0], **each) for each in tagged]
    whole = RuleSet("mine", "", {}, tuple(made))
    judgement = CompiledRuleSet(whole, 3).judge({"order.amount": 2}, NO_LISTS, 0)
    assert judgement.matched[0] == Matched("a", "mine", 3, Outcome.REVIEW, ("x", "y"))
    assert judgement.tags == ("x", "y", "z")
    assert [rule.id for rule in judgement.shadow] == ["c"]


def test_lists_are_asked_with_the_time() -> None:
    asked = []

    class Watching(Listed):
        def has(self, name: str, value: str, at_ms: int) -> bool:
            asked.append((name, value, at_ms))
            return True

    found = compiled("bad DECLINE: user.id IN LIST(''blocked'')")
    assert found.judge({"user.id": "u"}, Watching(), 55).status is Outcome.DECLINE
    assert asked == [("blocked", "u", 55)]
    assert found.judge({}, Watching(), 55).status is Outcome.ACCEPT


def test_velocity_is_read_from_its_group() -> None:
    found = compiled("busy REVIEW: velocity.card.count_1h > 3")
    assert found.judge(velocity("card", count_1h=4), NO_LISTS, 0).status is Outcome.REVIEW
    assert found.judge(velocity("card", count_1m=4), NO_LISTS, 0).status is Outcome.ACCEPT
    assert found.judge({}, NO_LISTS, 0).status is Outcome.ACCEPT


def test_what_was_kept_decides_the_same() -> None:
    found = rules("a REVIEW: order.amount BETWEEN 1 AND 5 OR HAS(sentry.reasons, ''x'')")
    again = decode_program(encode_program(found))
    assert again == found
    for signals in ({"order.amount": 3}, {"sentry.reasons": ["x"]}, {"order.amount": 9}):
        one, two = (CompiledRuleSet(each, 1).judge(signals, NO_LISTS, 0) for each in (found, again))
        assert one == two


def test_what_is_remembered_is_bounded() -> None:
    found = compiled(*(f"r{n} REVIEW: order.amount % {n} = 0" for n in range(2, 14)))
    for amount in range(20_000):
        found.judge({"order.amount": float(amount)}, NO_LISTS, 0)
    assert len(found._remembered) <= 256


def test_a_set_without_rules_accepts() -> None:
    found = CompiledRuleSet(RuleSet("empty", "", {}, ()), 1)
    assert found.judge({}, NO_LISTS, 0).status is Outcome.ACCEPT
