"""Advice by expected cost is told, and decides nothing where the pipeline does not name Sentry."""

from collections.abc import Mapping
from typing import Any

import msgspec

from gatehouse.core.stages.outcomes import Outcome
from gatehouse.explanations.explain import explain
from gatehouse.explanations.in_force import InForce
from gatehouse.rules.decide import CompiledRuleSet
from gatehouse.sentry.costs import CostTerms, advise
from tests.operations.playing import build, play
from tests.rules.written import NO_LISTS, rules

PIPELINE = "  - stage: Sentry\n  - {stage: Rules, rule_set: mine}\n  - stage: Gateway\n"
ADVICE = advise(CostTerms("USD", 2500, review_cost=900), 59.9, "USD", 0.1)
assert ADVICE is not None
FOUND: Mapping[str, Mapping[str, Any]] = {
    "Sentry": {"requestConfidence": 0.1, "reasons": {}, "costs": ADVICE.facts},
    "Gateway": {"status": "APPROVED"},
}


def explained(line: str) -> tuple[Outcome | None, list[str], list[str]]:
    sets = {"mine": [line]}
    played = play(PIPELINE, sets, FOUND)
    compiled = CompiledRuleSet(msgspec.structs.replace(rules(line), name="mine"), 1)
    in_force = InForce(build(PIPELINE, sets, FOUND).definition, {"mine": compiled}, NO_LISTS)
    found = explain(played.record, in_force)
    return played.decision, [found.summary, *(each.text for each in found.reasons)], found.notes


def test_advice_to_decline_is_no_verdict_by_itself() -> None:
    decision, said, notes = explained("never DECLINE: order.amount > 5")
    assert decision is Outcome.ACCEPT
    assert said[0] == "Accepted: no stage decided against it (Sentry, Rules, Gateway)."
    assert any(each.startswith("By expected cost DECLINE is cheapest") for each in said)
    assert not any("cannot be told" in each for each in notes)


def test_a_rule_can_make_it_one() -> None:
    decision, said, notes = explained("cheapest DECLINE: sentry.costAdvice = ''DECLINE''")
    assert decision is Outcome.DECLINE
    assert "the rule cheapest of rule set mine" in said[0]
    assert not any("cannot be told" in each for each in notes)
