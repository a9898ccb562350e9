"""Makes one decision out of what the stages of a pipeline wanted."""

from collections.abc import Iterable, Iterator

from gatehouse.core.outcomes import OnFailure, Outcome, strongest
from gatehouse.pipeline.definition import PipelineDefinition, StageDefinition


def combine(
    definition: PipelineDefinition,
    ran: Iterable[tuple[StageDefinition, Outcome | None, bool]],
) -> Outcome:
    """The decision, from each stage that ran, its verdict, and whether it completed.

    Of the stages that completed, the deciders count. A stage that did not complete counts by its
    `on_failure` wherever it stands: a pipeline that ended early because a stage failed must not
    look like one in which all was well.
    """
    return strongest(_votes(definition, ran))


def _votes(
    definition: PipelineDefinition,
    ran: Iterable[tuple[StageDefinition, Outcome | None, bool]],
) -> Iterator[Outcome]:
    deciders = definition.deciders
    for stage, verdict, completed in ran:
        if not completed:
            if stage.on_failure is OnFailure.STOP:
                yield verdict or Outcome.REVIEW
            elif stage.on_failure is OnFailure.REVIEW:
                yield Outcome.REVIEW
        elif verdict is not None and stage.stage in deciders:
            yield verdict
