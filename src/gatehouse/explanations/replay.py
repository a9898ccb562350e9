"""Judges a recorded request again, as it was or with something changed.

The engine's stages run as they do for a request, with what the record says in place of asking
anybody. A stage that would have run now and did not run then is assumed to find nothing against
the request, and is named.
"""

from collections.abc import Collection, Coroutine, Mapping
from datetime import datetime
from functools import partial
from typing import Any, Final

import msgspec

from gatehouse.conditions.catalogue import CUSTOM, SIGNALS, packed, place_of
from gatehouse.conditions.compile_python import Lists
from gatehouse.core.stages.case import Case, StageResult, ValuesByType
from gatehouse.core.stages.outcomes import OnFailure, Outcome
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.core.stages.stage import StageSpec
from gatehouse.core.wording.sentences import Sentence
from gatehouse.decisions.record import DecisionRecord, RecordedSignals, RecordedStage
from gatehouse.decisions.signal_layout import everything, fits
from gatehouse.explanations.in_force import InForce
from gatehouse.explanations.phrases import NO_PIPELINE, NO_STAGE, OTHER_STAGES
from gatehouse.operations.pipeline_steps import Ruled, decide, steps_of
from gatehouse.pipeline.definition import PipelineDefinition, StageDefinition
from gatehouse.pipeline.job import DecisionPlan, StageRun
from gatehouse.pipeline.stage_runner import StageRunner
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


class _NoAnswer(msgspec.Struct):
    """Nobody reads what a stage answers here."""


_NO_ANSWER: Final = _NoAnswer()


class _ReplayedStage:
    """A stage that finds what the record says of it, with what would have been different."""

    time_limit_ms = 1000
    """Never reached: nobody is asked."""

    def __init__(
        self, spec: StageSpec, recorded: RecordedStage | None, decided_by: Collection[str]
    ) -> None:
        self.name = spec.name
        self.fee_type = spec.fee_type
        self.given = {} if recorded is None else _signals_of(recorded)
        """The signals that the record tells."""
        self.changed: Mapping[str, Any] = {}
        self._recorded = recorded
        self._begins = f"{spec.signals.prefix}."
        self._spec = spec
        self._decided_by = decided_by

    @property
    def is_assumed(self) -> bool:
        """Whether the record knows nothing of what it would have found."""
        recorded = self._recorded
        if recorded is None:
            return True
        return not recorded.completed and self.changed.get(f"{self._begins}completed") is True

    async def run(self, case: Case) -> StageResult:
        """What it found, or nothing against the request."""
        recorded = self._recorded
        if recorded is None or self.is_assumed:
            found = REGISTRY.signals_of(self.name, {}, completed=True)
            return StageResult(_NO_ANSWER, True, found)
        begins = self._begins
        more = {name: value for name, value in self.changed.items() if name.startswith(begins)}
        found = {**self.given, **more}
        verdict = self._spec.verdict_of(found, self._decided_by)
        return StageResult(_NO_ANSWER, recorded.completed, found, verdict=verdict)

    def unavailable(self, case: Case) -> StageResult:
        """Never asked for."""
        raise NotImplementedError


class _FailedRules(RulesStage):
    """Rules that could not be asked."""

    def run_now(self, case: Case) -> StageResult:
        """What is said instead."""
        return self.unavailable(case)


class _StartSignals:
    """The request's own signals, with those that are changed."""

    def __init__(self, own: dict[str, Any]) -> None:
        self._own = own
        self.changed: Mapping[str, Any] = {}

    async def describe(self, case: Case) -> None:
        """Fill the case's signals."""
        signals = dict(self._own)
        for name, value in self.changed.items():
            if REGISTRY.leaving(name) is not None:
                continue
            place = place_of(name)
            if place is None:
                signals[name] = value
            else:
                group, position = place
                signals[group] = list(signals[group])
                signals[group][position] = float("nan") if value is None else value
        case.signals = signals

    def facts(self, case: Case) -> RecordedSignals:
        """Never asked for: nothing is recorded."""
        raise NotImplementedError


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
        self._start = _StartSignals(packed(flat))
        self._replayed = {
            place: _ReplayedStage(
                REGISTRY[each.stage], self.recorded.get(place), self.definition.decided_by
            )
            for place, each in enumerate(stages)
            if each.rule_set is None
        }
        self.values: dict[str, Any] = flat
        """Every signal as it was in the end."""
        for place, stage in self.recorded.items():
            replayed = self._replayed.get(place)
            given = _signals_of(stage) if replayed is None else replayed.given
            self.values = {**self.values, **given}
        self.rule_sets = {
            each.rule_set: in_force.rule_sets.get(each.rule_set) or _empty(each.rule_set)
            for each in stages
            if each.rule_set is not None
        }
        self._steps = steps_of(
            self.definition, lambda place, _: self._replayed[place], self._ruled(), self._lists
        )
        self._runner = StageRunner(lambda: 0.0, _signals_found)
        self._plan = DecisionPlan(self._start, partial(decide, self.definition))

    def judge(self, difference: Difference = AS_IT_WAS) -> JudgedAgain:
        """What would have been decided with this difference."""
        self._lists.changed = difference.listed
        self._start.changed = difference.signals
        for stage in self._replayed.values():
            stage.changed = difference.signals
        case = Case("", "", self._at_ms, ValuesByType())
        runs = _at_once(self._runner.run_all(self._steps, case, self._plan))
        return JudgedAgain(
            self._plan.decide(runs),
            {
                run.position: tuple(run.result.facts["matched"])
                for run in runs
                if run.position not in self._replayed
            },
            {run.position: self._plan.decide([run]) for run in runs},
            tuple(dict.fromkeys(run.stage for run in runs if self._is_assumed(run.position))),
        )

    def is_listed(self, name: str, value: str) -> bool:
        """Whether a value was on a list at that time."""
        self._lists.changed = {}
        return self._lists.has(name, value, self._at_ms)

    def _is_assumed(self, place: int) -> bool:
        replayed = self._replayed.get(place)
        if replayed is not None:
            return replayed.is_assumed
        name = self.definition.stages[place].rule_set
        return place not in self.recorded and not self.rule_sets[name or ""].rules

    def _ruled(self) -> Ruled:
        """The stages with rules. Those of the first edition judged everything at their place."""
        ruled = Ruled(self.definition, self.rule_sets, self._lists)
        for place, stage in self.recorded.items():
            name = self.definition.stages[place].rule_set
            if name is None or (stage.completed and "matchedLate" in stage.result):
                continue
            judging = RulesStage if stage.completed else _FailedRules
            ruled.stages[place] = judging(self.rule_sets[name], self._lists, place)
            for parts in ruled.late_parts.values():
                parts[:] = [part for part in parts if part.position != place]
        return ruled


def _signals_found(name: str, facts: Mapping[str, Any], *, completed: bool) -> Mapping[str, Any]:
    """What a stage found, which replayed stages tell as signals; rules leave theirs themselves."""
    return {} if REGISTRY[name].runs_rule_set else facts


def own_signals(record: DecisionRecord) -> dict[str, Any]:
    """The signals of the request itself, each measure of velocity under its own name."""
    own = record.signals or {}
    custom = {name: value for name, value in own.items() if name.startswith(CUSTOM)}
    return custom | everything().flat(own)


def _at_once(running: Coroutine[Any, Any, list[StageRun]]) -> list[StageRun]:
    """What ran, of stages that never wait."""
    try:
        running.send(None)
    except StopIteration as done:
        runs: list[StageRun] = done.value
        return runs
    running.close()
    raise TypeError("a request is judged again without waiting")


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
