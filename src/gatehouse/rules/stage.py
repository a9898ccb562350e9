"""Rules as a stage of the engine: judges what is known of the request, and words the result."""

from typing import Any

from gatehouse.conditions.compile_python import Lists
from gatehouse.core.case import Case, StageResult
from gatehouse.core.outcomes import Outcome, strongest
from gatehouse.decisions.signal_layout import rules_signals
from gatehouse.rules.decide import CompiledRuleSet
from gatehouse.rules.response import RulesResponse
from gatehouse.rules.spec import RULES


class RulesStage:
    """Decides by one of the account's rule sets."""

    name = RULES.name
    fee_type = RULES.fee_type
    time_limit_ms = 1000
    """Never reached: judging computes, within the limits of the language, and never waits."""

    def __init__(self, compiled: CompiledRuleSet, lists: Lists) -> None:
        self._compiled = compiled
        self._lists = lists

    async def run(self, case: Case) -> StageResult:
        """Judge the signals gathered so far, and leave what was decided among them."""
        compiled = self._compiled
        judgement = compiled.judge(case.signals, self._lists, case.at_ms)
        names = [rule.id for rule in judgement.matched]
        facts: dict[str, Any] = {
            "ruleSet": compiled.name,
            "version": compiled.version,
            "status": judgement.status.value,
            "matched": names,
            "shadow": [rule.id for rule in judgement.shadow],
            "tags": judgement.tags,
        }
        if judgement.final_by is not None:
            facts["finalBy"] = judgement.final_by
        self._leave(case, judgement.status, names, completed=True)
        return StageResult(
            RulesResponse(judgement.status, judgement.matched),
            True,
            facts,
            tags=judgement.tags,
            verdict=judgement.status,
        )

    def unavailable(self, case: Case) -> StageResult:
        """The rules could not be asked: nothing is known, so somebody should look."""
        facts = {
            "ruleSet": self._compiled.name,
            "version": self._compiled.version,
            "status": Outcome.REVIEW.value,
            "matched": [],
            "shadow": [],
        }
        self._leave(case, Outcome.REVIEW, [], completed=False)
        return StageResult(RulesResponse(Outcome.REVIEW, ()), False, facts, verdict=Outcome.REVIEW)

    @staticmethod
    def _leave(case: Case, status: Outcome, names: list[str], *, completed: bool) -> None:
        """Signals about rules, together with those of earlier Rules stages."""
        before = case.signals
        earlier = before.get("rules.status")
        if earlier is not None:
            status = strongest((Outcome(earlier), status))
            names = [*before.get("rules.matched", ()), *names]
            completed = completed and before.get("rules.completed") is not False
        case.signals.update(rules_signals(status.value, names, completed))
