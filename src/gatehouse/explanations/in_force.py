"""What an account had configured when a request was decided."""

import msgspec

from gatehouse.conditions.compile_python import Lists
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.core.stages.stage import StageExplanation
from gatehouse.decisions.record import RecordedStage
from gatehouse.pipeline.definition import PipelineDefinition
from gatehouse.rules.decide import CompiledRuleSet


class InForce(msgspec.Struct, frozen=True):
    """The versions that decided, as far as they are still there."""

    pipeline: PipelineDefinition | None
    rule_sets: dict[str, CompiledRuleSet]
    lists: Lists
    models: dict[int, str] = {}
    """The programs of the models that stages used, by their versions."""
    missing: tuple[str, ...] = ()
    """What is not there any more, in words."""

    def told_of(self, stage: RecordedStage) -> tuple[StageExplanation | None, str | None]:
        """How a stage explains itself, and the program of the model that it used."""
        told = REGISTRY[stage.name].explanation if stage.name in REGISTRY else None
        version = None if told is None or told.model is None else told.model(stage.result)
        return told, None if version is None else self.models.get(version)
