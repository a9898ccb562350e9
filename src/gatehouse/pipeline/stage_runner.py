"""Runs the stages of one request in order, as far as conditions and failures let them.

The engine runs them with what is configured. What explains or tries a decision runs recorded
stages in the same way.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol

import msgspec

from gatehouse.billing.ledger import Item
from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.limits.timeouts import with_timeout
from gatehouse.core.stages.case import Case, StageResult
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.pipeline.job import DecisionPlan, LatePart, StageRun, Step

_ACCEPT: Final = Outcome.ACCEPT
_DECLINE: Final = Outcome.DECLINE


class SignalsOf(Protocol):
    """Tells the signals that follow from what a stage found."""

    def __call__(
        self, name: str, facts: Mapping[str, Any], *, completed: bool
    ) -> Mapping[str, Any]:
        """The signals of the stage of this name."""


class StageRunner:
    """Runs stages, and measures how long they take."""

    def __init__(
        self, stopwatch: Callable[[], float], signals_of: SignalsOf = REGISTRY.signals_of
    ) -> None:
        self._stopwatch = stopwatch
        self._signals_of = signals_of

    async def run_all(
        self, steps: Sequence[Step], case: Case, decision_plan: DecisionPlan | None
    ) -> list[StageRun]:
        """Run the stages in order, as far as their conditions let them."""
        runs: list[StageRun] = []
        if decision_plan is not None:
            await decision_plan.signal_builder.describe(case)
        left = iter(steps)
        for step in left:
            if not _is_left_out(step, case, runs, decision_plan):
                run = await self._run(step, case)
                runs.append(run)
                completed = run.item.completed
                if decision_plan is not None and step.is_named:
                    case.signals.update(
                        self._signals_of(run.stage, run.result.facts, completed=completed)
                    )
                if _ends(step, case, completed=completed):
                    self._finish_late(step, steps, case, runs)
                    break
            if step.late_parts and self._finish_late(step, steps, case, runs):
                break
        # What waited for stages that are not going to run is done without them.
        for step in left:
            self._finish_late(step, steps, case, runs)
        return runs

    def _finish_late(
        self, step: Step, steps: Sequence[Step], case: Case, runs: list[StageRun]
    ) -> bool:
        """Do what waited for this step; returns whether the request ends because of it."""
        ended = False
        for part in step.late_parts:
            for place, run in enumerate(runs):
                if run.position == part.position and run.item.completed:
                    finished = self._finish(part, case, run)
                    runs[place] = finished
                    if finished.result is not run.result:
                        stop = next(one.stop for one in steps if one.position == part.position)
                        ended = (stop is not None and stop(case)) or ended
        return ended

    def _finish(self, part: LatePart, case: Case, run: StageRun) -> StageRun:
        started = self._stopwatch()
        result = part.finish(case, run.result)
        took_us = int((self._stopwatch() - started) * 1_000_000)
        return msgspec.structs.replace(run, result=result, duration_us=run.duration_us + took_us)

    async def _run(self, step: Step, case: Case) -> StageRun:
        stage = step.stage
        started = self._stopwatch()
        # A `PromptStage` is called: what it computes needs neither a coroutine nor a timer.
        run_now: Callable[[Case], StageResult | None] | None = getattr(stage, "run_now", None)
        try:
            result = None if run_now is None else run_now(case)
            if result is None:
                result = await with_timeout(stage.time_limit_ms / 1000, stage.run(case))
        except (TimeoutError, ConnectorFailed):
            result = stage.unavailable(case)
        case.results[stage.name] = result
        duration_us = int((self._stopwatch() - started) * 1_000_000)
        item = Item(stage.fee_type, step.fee, result.completed)
        return StageRun(stage.name, item, result, duration_us, step.position)


def _is_left_out(
    step: Step, case: Case, runs: Sequence[StageRun], decision_plan: DecisionPlan | None
) -> bool:
    if step.skip is not None and step.skip(case):
        return True
    if not step.pays or decision_plan is None:
        return False
    if step.pays_reviewed:
        return _is_declined(decision_plan, runs)
    return decision_plan.decide(runs) is not _ACCEPT


def _ends(step: Step, case: Case, *, completed: bool) -> bool:
    """Whether the request ends with this step, which ran."""
    if not completed:
        return step.ends_on_failure
    return step.stop is not None and step.stop(case)


def _is_declined(decision_plan: DecisionPlan, runs: Sequence[StageRun]) -> bool:
    """Whether the stages so far decide to decline."""
    if _DECLINE not in [run.result.verdict for run in runs]:
        return False
    return decision_plan.decide(runs) is _DECLINE
