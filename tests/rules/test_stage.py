"""Rules as a step of the engine."""

import asyncio
from typing import Any

from gatehouse.core.stages.case import Case, StageResult, ValuesByType
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.rules.response import RulesResponse
from gatehouse.rules.stage import RulesStage
from tests.rules.written import NO_LISTS, compiled


def case(**signals: Any) -> Case:
    known = {name.replace("__", "."): value for name, value in signals.items()}
    return Case("req_1", "acct_1", 1000, ValuesByType(), signals=known)


def run(subject: Case, *lines: str, place: int = 0) -> StageResult:
    return asyncio.run(RulesStage(compiled(*lines), NO_LISTS, place).run(subject))


def test_the_answer_the_record_and_the_verdict_agree() -> None:
    subject = case(order__amount=20)
    result = run(subject, "a REVIEW: order.amount > 1", "w DECLINE shadow: order.amount > 2")
    assert isinstance(result.response, RulesResponse)
    assert result.response.status is result.verdict is Outcome.REVIEW
    assert [rule.id for rule in result.response.matched_rules] == ["a"]
    assert result.completed
    assert result.facts == {
        "ruleSet": "mine",
        "version": 7,
        "status": "REVIEW",
        "matched": ["a"],
        "matchedLate": (),
        "shadow": ["w"],
        "tags": (),
    }


def test_a_final_rule_is_named_in_the_record() -> None:
    result = run(case(order__amount=20), "a ACCEPT final: order.amount > 1")
    assert result.facts["finalBy"] == "a"


def test_a_later_stage_sees_what_all_rules_before_it_said() -> None:
    subject = case(order__amount=20)
    run(subject, "a DECLINE: order.amount > 1")
    assert subject.signals["rules.status"] == "DECLINE"
    run(subject, "b REVIEW: rules.status = ''DECLINE'' AND HAS(rules.matched, ''a'')", place=1)
    assert subject.signals["rules.status"] == "DECLINE"
    assert list(subject.signals["rules.matched"]) == ["a", "b"]
    assert subject.signals["rules.completed"] is True


def test_rules_that_could_not_be_asked_cost_nothing_and_ask_for_a_look() -> None:
    subject = case()
    stage = RulesStage(compiled("a DECLINE: ip.tor"), NO_LISTS)
    result = stage.unavailable(subject)
    assert not result.completed
    assert result.verdict is Outcome.REVIEW
    assert subject.signals["rules.completed"] is False
    run(subject, "b ACCEPT: rules.completed = FALSE", place=1)
    assert subject.signals["rules.completed"] is False


def test_a_case_does_not_share_its_signals_with_the_next() -> None:
    one = Case("req_1", "acct_1", 1000, ValuesByType())
    run(one, "a DECLINE: 1 = 1")
    assert Case("req_2", "acct_1", 1000, ValuesByType()).signals == {}
