"""Says in lines for people what changes from one version of a pipeline to the next."""

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Final

from gatehouse.conditions.nodes import Condition
from gatehouse.core.documents.reading import ADDED, GONE, INPUT, changed_lines
from gatehouse.core.money import format_amount
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.core.wording.sentences import Phrase
from gatehouse.pipeline.definition import PipelineDefinition, StageDefinition

_SCHEDULE: Final = Phrase("change.schedule", "from the schedule")
_NEVER: Final = Phrase("change.never", "never")
_STAGE: Final = Phrase("change.stage", "stage {number}: {title}")
_OF_STAGE: Final = Phrase("change.of_stage", "{stage}: ")
_DESCRIPTION: Final = Phrase("change.description", "~ description")
_NAME: Final = Phrase("change.of_name", "name")


def differences(old: PipelineDefinition | None, new: PipelineDefinition) -> list[str]:
    """`+` for what is new, `-` for what is gone, `~` for what changed; empty when nothing did."""
    if old is None:
        return [ADDED(what=_label(index, stage)) for index, stage in enumerate(new.stages)]
    return [*_head(old, new), *_stages(old, new)]


def options(stage: StageDefinition) -> dict[str, str]:
    """The options of a stage in words."""
    shown = {
        "fee": stage.fee_name or _SCHEDULE()
        if stage.fee_micros is None
        else format_amount(stage.fee_micros),
        "stop_when": _condition(stage.stop_when),
        "skip_when": _condition(stage.skip_when),
        "on_failure": stage.on_failure.value,
    }
    if REGISTRY[stage.stage].pays:
        shown["pay"] = stage.pay.value
        shown["on_declined_review"] = stage.on_declined_review.value
        shown["capture"] = stage.capture.value
    return shown


def title(stage: StageDefinition) -> str:
    """A stage by its name and, if it has one, its rule set."""
    return stage.stage if stage.rule_set is None else f"{stage.stage} ({stage.rule_set})"


def _condition(condition: Condition | None) -> str:
    return _NEVER() if condition is None else " ".join(condition.text.split())


def _label(index: int, stage: StageDefinition) -> str:
    return _STAGE(number=index + 1, title=title(stage))


def _head(old: PipelineDefinition, new: PipelineDefinition) -> Iterator[str]:
    yield from changed_lines(_NAME(), {"": old.name}, {"": new.name})
    if old.description != new.description:
        yield _DESCRIPTION()
    yield from changed_lines(INPUT(), old.inputs, new.inputs)
    decides = ({"": ", ".join(each.deciders)} for each in (old, new))
    yield from changed_lines("decided_by", *decides)


def _stages(old: PipelineDefinition, new: PipelineDefinition) -> Iterator[str]:
    before_titles, after_titles = (list(map(title, each.stages)) for each in (old, new))
    matcher = SequenceMatcher(None, before_titles, after_titles, autojunk=False)
    for operation, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if operation == "equal":
            for offset in range(old_to - old_from):
                before, after = old.stages[old_from + offset], new.stages[new_from + offset]
                label = _OF_STAGE(stage=_label(new_from + offset, after))
                yield from changed_lines(label, options(before), options(after))
            continue
        for index in range(old_from, old_to):
            yield GONE(what=_label(index, old.stages[index]))
        for index in range(new_from, new_to):
            yield ADDED(what=_label(index, new.stages[index]))
