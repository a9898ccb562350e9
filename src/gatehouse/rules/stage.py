"""Rules as a stage of the engine: judges what is known of the request, and words the result."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from gatehouse.conditions.compile_python import Lists
from gatehouse.core.stages.case import Case, Ruling, StageResult
from gatehouse.core.stages.outcomes import Outcome, strongest
from gatehouse.decisions.signal_layout import RULES_SIGNALS, rules_signals
from gatehouse.rules.decide import CompiledRuleSet, Judgement
from gatehouse.rules.parts import RulesPart
from gatehouse.rules.response import RulesResponse
from gatehouse.rules.spec import RULES

_ACCEPT: Final = Outcome.ACCEPT


class RulesStage:
    """Decides by one of the account's rule sets."""

    name = RULES.name
    fee_type = RULES.fee_type
    time_limit_ms = 1000
    """Never reached: judging computes, within the limits of the language, and never waits."""

    def __init__(
        self,
        compiled: CompiledRuleSet,
        lists: Lists,
        place: int = 0,
        first: RulesPart | None = None,
    ) -> None:
        """`place` is that of the stage in its pipeline; `first` are the rules judged there."""
        self._compiled = compiled
        self.rules = compiled.rules
        self._lists = lists
        self.place = place
        self._first = first or RulesPart(place, compiled.matching(range(len(compiled.rules))))

    async def run(self, case: Case) -> StageResult:
        """Judge what is known so far, and leave what was decided among the signals."""
        return self.run_now(case)

    def run_now(self, case: Case) -> StageResult:
        """The same as a plain function."""
        which = tuple(self._first.matching(case.signals, self._lists, case.at_ms))
        return self._conclude(case, self._first, which)

    def finish(self, part: RulesPart, case: Case, result: StageResult) -> StageResult:
        """The result with the rules of one more part, which had to wait for a later stage."""
        signals = self._seen_before(case) if part.names_rules else case.signals
        more = part.matching(signals, self._lists, case.at_ms)
        if not more and self._first.overruled_by is None:
            return result
        rules = self._compiled.rules
        which = tuple(sorted({*case.rulings[self.place].which, *more}))
        late = [rules[number].name for number in more if not rules[number].shadow]
        return self._conclude(case, part, which, [*result.facts["matchedLate"], *late])

    def unavailable(self, case: Case) -> StageResult:
        """The rules could not be asked: nothing is known, so somebody should look."""
        facts = {
            "ruleSet": self._compiled.name,
            "version": self._compiled.version,
            "status": Outcome.REVIEW.value,
            "matched": [],
            "shadow": [],
        }
        self._leave(case, Ruling((), Outcome.REVIEW, [], completed=False))
        return StageResult(RulesResponse(Outcome.REVIEW, ()), False, facts, verdict=Outcome.REVIEW)

    def _conclude(
        self, case: Case, part: RulesPart, which: tuple[int, ...], late: Sequence[str] = ()
    ) -> StageResult:
        compiled = self._compiled
        judgement = compiled.conclude(which)
        names = judgement.names
        facts: dict[str, Any] = {
            "ruleSet": compiled.name,
            "version": compiled.version,
            "status": judgement.word,
            "matched": names,
            "matchedLate": late,
            "shadow": judgement.shadow_names,
            "tags": judgement.tags,
        }
        if judgement.final_by is not None:
            facts["finalBy"] = judgement.final_by
        status = self._certain(judgement, which, part.overruled_by)
        self._leave(case, Ruling(which, status, names))
        return StageResult(
            RulesResponse(judgement.status, judgement.matched),
            True,
            facts,
            tags=judgement.tags,
            verdict=judgement.status,
        )

    def _certain(
        self, judgement: Judgement, which: tuple[int, ...], overruled_by: int | None
    ) -> Outcome:
        """What is decided for now: nothing, as long as a `final` rule can still overrule it."""
        if overruled_by is None:
            return judgement.status
        rules = self._compiled.rules
        final = next((each for each in which if rules[each].final), None)
        return _ACCEPT if final is None or final > overruled_by else judgement.status

    def _seen_before(self, case: Case) -> Mapping[str, Any]:
        """The signals, with what the Rules stages before this one decided."""
        before = [each for place, each in case.rulings.items() if place < self.place]
        return {**case.signals, **(_together(before) if before else RULES_SIGNALS)}

    def _leave(self, case: Case, ruling: Ruling) -> None:
        """Signals about rules, of all Rules stages so far together."""
        case.rulings[self.place] = ruling
        case.signals.update(_together(list(case.rulings.values())))


def _together(rulings: Sequence[Ruling]) -> dict[str, Any]:
    if len(rulings) == 1:
        [only] = rulings
        return rules_signals(only.status, only.matched, only.completed)
    return rules_signals(
        strongest([each.status for each in rulings]),
        [name for each in rulings for name in each.matched],
        all(each.completed for each in rulings),
    )
