"""What is known where in a pipeline: which signals a condition can hope for at its place."""

from collections.abc import Iterable, Sequence
from typing import Final

from gatehouse.core.stage_registry import REGISTRY

_MOST_NAMED: Final = 5


def left_by(signal: str) -> str | None:
    """The stage that leaves a signal; None for what is known from the start."""
    spec = REGISTRY.by_prefix.get(signal.partition(".")[0])
    return None if spec is None else spec.name


def never_known(signal: str, stages: Sequence[str], place: int) -> str | None:
    """Why a signal cannot be known to a condition before which the first `place` stages ran."""
    stage = left_by(signal)
    if stage is None or stage in stages[:place]:
        return None
    if stage in stages:
        later = f"which comes later, as stage {stages.index(stage, place) + 1}"
    else:
        later = "which this pipeline does not have"
    return f"{signal} is not known before {stage} has run, {later}"


def rules_in_the_dark(
    stages: Sequence[str], place: int, rules: Iterable[tuple[str, Sequence[str]]]
) -> str | None:
    """One line about the rules of a rule set that speak of stages which do not run before it.

    `rules` are names with the signals that each speaks of. This is no mistake: one rule set may
    serve in several pipelines, and what is not known is NULL.
    """
    known = {*stages[:place], None}
    missing: dict[str, None] = {}
    dark = []
    total = 0
    for name, signals in rules:
        total += 1
        if unknown := {left_by(signal) for signal in signals} - known:
            dark.append(name)
            missing |= dict.fromkeys(sorted(stage for stage in unknown if stage))
    if not dark:
        return None
    few = ", ".join(dark[:_MOST_NAMED])
    more = f" and {len(dark) - _MOST_NAMED} more" if len(dark) > _MOST_NAMED else ""
    return (
        f"{len(dark)} of {total} rules speak of stages that have not run by then "
        f"({', '.join(missing)}), so that their results are NULL: {few}{more}"
    )
