"""Makes the steps that the engine runs out of the definition of a pipeline."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from gatehouse.conditions.compile_python import Lists, compile_condition
from gatehouse.conditions.nodes import Condition
from gatehouse.core.stages.case import Case
from gatehouse.core.stages.outcomes import OnFailure, Outcome
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.core.stages.stage import Stage
from gatehouse.pipeline.definition import (
    CaptureWhen,
    OnDeclinedReview,
    Pay,
    PipelineDefinition,
    combine,
)
from gatehouse.pipeline.job import LatePart, StageRun, Step
from gatehouse.pipeline.waiting import Waiting
from gatehouse.rules.decide import CompiledRuleSet
from gatehouse.rules.parts import split
from gatehouse.rules.stage import RulesStage

Test = Callable[[Case], bool]


class Ruled:
    """The Rules stages of a pipeline, and what each judges only after later stages."""

    def __init__(
        self,
        definition: PipelineDefinition,
        rule_sets: Mapping[str, CompiledRuleSet],
        lists: Lists,
    ) -> None:
        self.stages: dict[int, Stage] = {}
        """By their places."""
        self.late_parts: dict[int, list[LatePart]] = {}
        """By the places of the stages that they wait for."""
        self.conditions: list[Condition] = []
        """Of all rules."""
        waiting = Waiting([each.stage for each in definition.stages])
        for place, each in enumerate(definition.stages):
            if each.rule_set is not None:
                compiled = rule_sets[each.rule_set]
                self.conditions += [rule.condition for rule in compiled.rules]
                judged_after = partial(waiting.judged_after, place)
                first, *later = split(compiled, place, judged_after, waiting.payment)
                waiting.note(part.after for part in later)
                stage = self.stages[place] = RulesStage(compiled, lists, place, first)
                for part in later:
                    late = LatePart(place, partial(stage.finish, part))
                    self.late_parts.setdefault(part.after, []).append(late)


def steps_of(
    definition: PipelineDefinition,
    stage_at: Callable[[int, str], Stage],
    ruled: Ruled,
    lists: Lists,
) -> tuple[Step, ...]:
    """The steps; `stage_at` finds a stage without rules by its place and its name."""
    named = _named(definition, ruled)
    return tuple(
        Step(
            ruled.stages.get(place) or stage_at(place, each.stage),
            0,
            _test(each.skip_when, lists),
            _test(each.stop_when, lists),
            each.on_failure is OnFailure.STOP,
            place,
            REGISTRY[each.stage].pays,
            each.pay is Pay.REVIEWED,
            each.on_declined_review is OnDeclinedReview.REVERSE,
            tuple(ruled.late_parts.get(place, ())),
            each.stage in named,
            each.capture is CaptureWhen.ACCEPTED,
        )
        for place, each in enumerate(definition.stages)
    )


def _named(definition: PipelineDefinition, ruled: Ruled) -> set[str]:
    """The stages whose results are spoken of."""
    conditions = list(ruled.conditions)
    for each in definition.stages:
        conditions += [one for one in (each.skip_when, each.stop_when) if one is not None]
    signals = {name for one in conditions for name in (*one.signals, *dict(one.lists))}
    specs = map(REGISTRY.leaving, signals)
    return {spec.name for spec in specs if spec is not None}


def decide(definition: PipelineDefinition, runs: Sequence[StageRun]) -> Outcome:
    """What the stages that ran come to."""
    stages = definition.stages
    return combine(
        definition, [(stages[run.position], run.result.verdict, run.item.completed) for run in runs]
    )


def _test(condition: Condition | None, lists: Lists) -> Test | None:
    if condition is None:
        return None
    holds = compile_condition(condition)
    return lambda case: holds(case.signals, lists, case.at_ms)
