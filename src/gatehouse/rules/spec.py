"""Rules as it declares itself to the rest of the service."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from gatehouse.core.stages.outcomes import DecisionReason, Outcome, strongest
from gatehouse.core.stages.signal import Type, describe_signal
from gatehouse.core.stages.stage import (
    AnsweredAgain,
    OperationSpec,
    RecordedResult,
    StageReason,
    StageRequest,
    StageResponse,
    StageSignals,
    StageSpec,
)
from gatehouse.rules.request import RulesCall, RulesRequest
from gatehouse.rules.response import Matched, RulesResponse
from gatehouse.rules.ruleset import decode_program


def _combine(responses: Sequence[RulesResponse]) -> RulesResponse:
    """What several Rules stages say together: the strongest status, every match."""
    matched = [match for each in responses for match in each.matched_rules]
    return RulesResponse(strongest([each.status for each in responses]), tuple(matched))


def _recorded(result: RecordedResult) -> AnsweredAgain | None:
    facts = result.facts
    program = result.programs.get((facts["ruleSet"], facts["version"]))
    if program is None:
        return None
    rules = _rules(facts["version"], program)
    matched = tuple([rules[name] for name in facts["matched"]])
    return AnsweredAgain(RulesResponse(Outcome(facts["status"]), matched), facts.get("tags", ()))


# A version never changes, and to read one of 500 rules takes milliseconds.
@lru_cache(maxsize=64)
def _rules(version: int, program: str) -> Mapping[str, Matched]:
    rule_set = decode_program(program)
    return {
        rule.name: Matched(rule.name, rule_set.name, version, rule.outcome, rule.tags)
        for rule in rule_set.rules
    }


_SIGNALS: Final = (
    describe_signal(
        "rules.status",
        Type.TEXT,
        "Strongest outcome of the Rules stages so far.",
        "'REVIEW'",
        tuple(each.value for each in Outcome),
    ),
    describe_signal(
        "rules.matched",
        Type.WORDS,
        "Names of the rules that matched in Rules stages so far.",
        "HAS(rules.matched, 'foreign-card')",
    ),
    describe_signal("rules.completed", Type.BOOLEAN, "Every Rules stage so far ran to its end."),
)
_EXAMPLE: Final = RulesResponse(Outcome.ACCEPT, ())

RULES: Final = StageSpec(
    name="Rules",
    fee_type="RULES",
    default_fee_micros=10_000,
    place=10,
    request=StageRequest(type=RulesRequest, field="rulesRequest", about="For Rules."),
    response=StageResponse(
        type=RulesResponse,
        field="rulesResponse",
        combine=_combine,
        recorded=_recorded,
        example=_EXAMPLE,
    ),
    reads=("sentryRequest",),
    decides=True,
    reason=lambda facts: StageReason(Outcome(facts["status"]), DecisionReason.RULES),
    stop_when="rules.status = 'DECLINE'",
    runs_rule_set=True,
    signals=StageSignals(prefix="rules", catalogue=_SIGNALS),
    operation=OperationSpec(
        name="rules",
        title="Rules",
        about=(
            "Decides with one of the account's rule sets and names every rule that matched. "
            "Every field is optional: a rule that speaks of something that was not sent does not "
            "match. Outcomes such as `DECLINE` come while `isSuccess` is true."
        ),
        request_type=RulesCall,
        response_type=RulesResponse,
        example=_EXAMPLE,
        mistaken={"cardNumber": "4242 4242 4242 4242", "amount": "59.90"},
    ),
)
