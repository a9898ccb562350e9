"""Judges a recorded request again, as it was or with something changed.

It follows the engine's way through the pipeline, with what the record says in place of asking
anybody. A stage that would have run now and did not run then is assumed to find nothing against
the request, and is named.
"""

from collections.abc import Coroutine, Mapping
from datetime import datetime
from typing import Any, Final

import msgspec

from gatehouse.conditions.catalogue import CUSTOM, SIGNALS, packed, place_of
from gatehouse.conditions.compile_python import CompiledCondition, Lists, compile_condition
from gatehouse.conditions.nodes import Condition
from gatehouse.core.case import Case, StageResult, ValuesByType
from gatehouse.core.outcomes import OnFailure, Outcome
from gatehouse.core.sentences import Sentence
from gatehouse.core.stage_registry import REGISTRY
from gatehouse.decisions.record import DecisionRecord, RecordedStage
from gatehouse.decisions.signal_layout import everything, fits
from gatehouse.explanations.in_force import InForce
from gatehouse.explanations.phrases import NO_PIPELINE, NO_STAGE, OTHER_STAGES
from gatehouse.operations.account_setup import Ruled
from gatehouse.pipeline.definition import Pay, PipelineDefinition, StageDefinition, combine
from gatehouse.rules.decide import CompiledRuleSet
from gatehouse.rules.ruleset import RuleSet
from gatehouse.rules.stage import RulesStage

Listed = tuple[str, str]
"""A list and a value."""


class NotReplayable(Exception):
    """A record that cannot be judged again, with the reason for people."""

    def __init__(self, reason: Sentence) -> None:
        super().__init__(reason)
        self.reason = reason


class Difference(msgspec.Struct, frozen=True):
    """What would have been different: signals, and what is on lists."""

    signals: Mapping[str, Any] = {}
    listed: Mapping[Listed, bool] = {}

    def with_more(self, other: "Difference") -> "Difference":
        """Both together."""
        signals = {**self.signals, **other.signals}
        return Difference(signals, {**self.listed, **other.listed})


AS_IT_WAS: Final = Difference()


class JudgedAgain(msgspec.Struct, frozen=True):
    """What judging a request again came to."""

    decision: Outcome
    matched: dict[int, tuple[str, ...]]
    """The rules that matched, by the place of their stage."""
    votes: dict[int, Outcome]
    """What each stage that counted wants to be decided, by its place."""
    not_asked: tuple[str, ...]
    """Stages that would have run, of which the record knows nothing."""


class _ChangedLists:
    """The lists of that time, with what is changed."""

    def __init__(self, lists: Lists) -> None:
        self._lists = lists
        self.changed: Mapping[Listed, bool] = {}

    def has(self, name: str, value: str, at_ms: int) -> bool:
        """Whether the value is on the list."""
        known = self.changed.get((name, value))
        return self._lists.has(name, value, at_ms) if known is None else known


class _Ran(msgspec.Struct):
    """A stage that ran again."""

    place: int
    verdict: Outcome | None
    completed: bool
    result: StageResult | None = None
    """Of a stage with rules."""


class DecisionReplay:
    """One recorded request and the pipeline that decided about it."""

    def __init__(self, record: DecisionRecord, in_force: InForce) -> None:
        self.definition = in_force.pipeline or _alone(record)
        stages = self.definition.stages
        unknown = [each.stage for each in stages if each.stage not in REGISTRY]
        if unknown:
            raise NotReplayable(NO_STAGE(stage=unknown[0]))
        self.recorded = _by_place(self.definition, record)
        self._at_ms = round(datetime.fromisoformat(record.at).timestamp() * 1000)
        self._lists = _ChangedLists(in_force.lists)
        flat = own_signals(record)
        self._own = packed(flat)
        self._given = {place: _signals_of(stage) for place, stage in self.recorded.items()}
        self.values: dict[str, Any] = flat
        """Every signal as it was in the end."""
        for signals in self._given.values():
            self.values = {**self.values, **signals}
        self.rule_sets = {
            each.rule_set: in_force.rule_sets.get(each.rule_set) or _empty(each.rule_set)
            for each in stages
            if each.rule_set is not None
        }
        self._rules = self._ruled()
        self._skip = [self._condition(each.skip_when) for each in stages]
        self._stop = [self._condition(each.stop_when) for each in stages]

    def judge(self, difference: Difference = AS_IT_WAS) -> JudgedAgain:
        """What would have been decided with this difference."""
        self._lists.changed = difference.listed
        case = Case("", "", self._at_ms, ValuesByType(), signals=self._start(difference.signals))
        ran: list[_Ran] = []
        not_asked: list[str] = []
        places = iter(range(len(self.definition.stages)))
        for place in places:
            if not self._is_left_out(place, case, ran):
                one = self._run(place, case, difference.signals, not_asked)
                ran.append(one)
                if self._ends(one, case):
                    self._finish_late(place, case, ran)
                    break
            if self._finish_late(place, case, ran):
                break
        for place in places:
            self._finish_late(place, case, ran)
        return self._judged(ran, not_asked)

    def is_listed(self, name: str, value: str) -> bool:
        """Whether a value was on a list at that time."""
        self._lists.changed = {}
        return self._lists.has(name, value, self._at_ms)

    def _run(
        self, place: int, case: Case, changed: Mapping[str, Any], not_asked: list[str]
    ) -> _Ran:
        stage = self.definition.stages[place]
        recorded = self.recorded.get(place)
        rules = self._rules.stages.get(place)
        if isinstance(rules, RulesStage):
            if recorded is not None and not recorded.completed:
                result = rules.unavailable(case)
            else:
                result = _at_once(rules.run(case))
            if recorded is None and not self.rule_sets[stage.rule_set or ""].rules:
                not_asked.append(stage.stage)
            return _Ran(place, result.verdict, result.completed, result)
        spec = REGISTRY[stage.stage]
        done = f"{spec.signals.prefix}.completed"
        completes = changed.get(done) is True and recorded is not None and not recorded.completed
        if recorded is None or completes:
            not_asked.append(stage.stage)
            case.signals.update(REGISTRY.signals_of(stage.stage, {}, completed=True))
            return _Ran(place, None, True)
        begins = f"{spec.signals.prefix}."
        more = {name: value for name, value in changed.items() if name.startswith(begins)}
        case.signals.update(self._given[place])
        case.signals.update(more)
        told = spec.explanation
        verdict = told.verdict(case.signals) if told is not None and told.verdict else None
        return _Ran(place, verdict, recorded.completed)

    def _is_left_out(self, place: int, case: Case, ran: list[_Ran]) -> bool:
        skip, stage = self._skip[place], self.definition.stages[place]
        if skip is not None and skip(case.signals, self._lists, self._at_ms):
            return True
        if not REGISTRY[stage.stage].pays:
            return False
        so_far = self._decide(ran)
        return so_far is Outcome.DECLINE or (stage.pay is Pay.ACCEPTED and so_far is Outcome.REVIEW)

    def _ends(self, one: _Ran, case: Case) -> bool:
        if not one.completed:
            return self.definition.stages[one.place].on_failure is OnFailure.STOP
        return self._stops(one.place, case)

    def _stops(self, place: int, case: Case) -> bool:
        stop = self._stop[place]
        return stop is not None and stop(case.signals, self._lists, self._at_ms)

    def _finish_late(self, place: int, case: Case, ran: list[_Ran]) -> bool:
        """Judge the rules that waited for this place; whether the request ends because of them."""
        ended = False
        for part in self._rules.late_parts.get(place, ()):
            for one in ran:
                if one.place == part.position and one.completed and one.result is not None:
                    finished = part.finish(case, one.result)
                    if finished is not one.result:
                        one.result, one.verdict = finished, finished.verdict
                        ended = self._stops(one.place, case) or ended
        return ended

    def _decide(self, ran: list[_Ran]) -> Outcome:
        stages = self.definition.stages
        return combine(
            self.definition, [(stages[one.place], one.verdict, one.completed) for one in ran]
        )

    def _judged(self, ran: list[_Ran], not_asked: list[str]) -> JudgedAgain:
        with_rules = {one.place: one.result.facts for one in ran if one.result is not None}
        return JudgedAgain(
            self._decide(ran),
            {place: tuple(facts["matched"]) for place, facts in with_rules.items()},
            {one.place: self._decide([one]) for one in ran},
            tuple(dict.fromkeys(not_asked)),
        )

    def _start(self, changed: Mapping[str, Any]) -> dict[str, Any]:
        """The request's own signals, with those that are changed."""
        signals = dict(self._own)
        for name, value in changed.items():
            if REGISTRY.leaving(name) is not None:
                continue
            place = place_of(name)
            if place is None:
                signals[name] = value
            else:
                group, position = place
                signals[group] = list(signals[group])
                signals[group][position] = float("nan") if value is None else value
        return signals

    def _condition(self, condition: Condition | None) -> CompiledCondition | None:
        return None if condition is None else compile_condition(condition)

    def _ruled(self) -> Ruled:
        """The stages with rules. Those of the first edition judged everything at their place."""
        ruled = Ruled(self.definition, self.rule_sets, self._lists)
        for place, stage in self.recorded.items():
            name = self.definition.stages[place].rule_set
            if name is not None and "matchedLate" not in stage.result:
                ruled.stages[place] = RulesStage(self.rule_sets[name], self._lists, place)
                for parts in ruled.late_parts.values():
                    parts[:] = [part for part in parts if part.position != place]
        return ruled


def own_signals(record: DecisionRecord) -> dict[str, Any]:
    """The signals of the request itself, each measure of velocity under its own name."""
    own = record.signals or {}
    custom = {name: value for name, value in own.items() if name.startswith(CUSTOM)}
    return custom | everything().flat(own)


def _at_once(running: Coroutine[Any, Any, StageResult]) -> StageResult:
    """The result of a stage that never waits."""
    try:
        running.send(None)
    except StopIteration as done:
        result: StageResult = done.value
        return result
    running.close()
    raise TypeError("rules are judged without waiting")


def _alone(record: DecisionRecord) -> PipelineDefinition:
    """The pipeline that an operation of one stage is."""
    if len(record.stages) > 1:
        raise NotReplayable(NO_PIPELINE())
    stages = tuple(
        StageDefinition(each.name, each.result.get("ruleSet"), on_failure=OnFailure.STOP)
        for each in record.stages
    )
    return PipelineDefinition(0, record.operation, stages=stages)


def _by_place(definition: PipelineDefinition, record: DecisionRecord) -> dict[int, RecordedStage]:
    """The recorded stages by their places in the pipeline."""
    found: dict[int, RecordedStage] = {}
    places = iter(enumerate(definition.stages))
    for stage in record.stages:
        rule_set = stage.result.get("ruleSet")
        for place, each in places:
            if each.stage == stage.name and each.rule_set in (None, rule_set):
                found[place] = stage
                break
        else:
            raise NotReplayable(OTHER_STAGES())
    return found


def _signals_of(stage: RecordedStage) -> dict[str, Any]:
    found = REGISTRY.signals_of(stage.name, stage.result, completed=stage.completed)
    return {
        name: value
        for name, value in found.items()
        if value is not None and name in SIGNALS and fits(value, SIGNALS[name].type)
    }


def _empty(name: str) -> CompiledRuleSet:
    return CompiledRuleSet(RuleSet(name, "", {}, ()), 0)
