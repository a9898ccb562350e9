"""How stages are run: called where nothing has to be waited for, asked for signals if named."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.stages.case import Case, StageResult, ValuesByType
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.decisions.record import RecordedSignals
from gatehouse.pipeline.job import DecisionPlan, StageRun, Step
from gatehouse.pipeline.stage_runner import StageRunner


class Answer(msgspec.Struct):
    word: str


class Prompt:
    """A stage that answers at once, or says that it has to wait."""

    name = "Prompt"
    fee_type = "PROMPT"
    time_limit_ms = 50

    def __init__(self, now: StageResult | Exception | None) -> None:
        self._now = now
        self.awaited = 0

    def run_now(self, case: Case) -> StageResult | None:
        if isinstance(self._now, Exception):
            raise self._now
        return self._now

    async def run(self, case: Case) -> StageResult:
        self.awaited += 1
        await asyncio.Event().wait()
        raise AssertionError("nothing ends this wait but the time limit")

    def unavailable(self, case: Case) -> StageResult:
        return found("unavailable", completed=False)


class Signals:
    """Describes a request of which nothing is known."""

    async def describe(self, case: Case) -> None:
        case.signals = {}

    def facts(self, case: Case) -> RecordedSignals:
        raise NotImplementedError


def found(word: str, *, completed: bool = True) -> StageResult:
    return StageResult(Answer(word), completed, {"word": word})


def run_step(step: Step, asked: list[str]) -> tuple[StageRun, Case]:
    def signals_of(name: str, facts: Mapping[str, Any], *, completed: bool) -> dict[str, Any]:
        asked.append(name)
        return dict(facts)

    def accept(_runs: Sequence[StageRun]) -> Outcome:
        return Outcome.ACCEPT

    case = Case("req_1", "acct_1", 0, ValuesByType())
    runner = StageRunner(lambda: 0.0, signals_of)
    runs = asyncio.run(runner.run_all([step], case, DecisionPlan(Signals(), accept)))
    return runs[0], case


def test_a_stage_that_has_nothing_to_wait_for_is_called_and_not_awaited() -> None:
    stage = Prompt(found("now"))
    run, _ = run_step(Step(stage, 7), [])
    assert (run.result.facts["word"], run.item.completed, stage.awaited) == ("now", True, 0)


def test_a_stage_that_has_to_wait_is_awaited_under_its_time_limit() -> None:
    stage = Prompt(None)
    run, _ = run_step(Step(stage, 7), [])
    assert (run.result.facts["word"], run.item.completed, stage.awaited) == (
        "unavailable",
        False,
        1,
    )


def test_a_party_that_fails_at_once_is_a_result() -> None:
    run, _ = run_step(Step(Prompt(ConnectorFailed("no line")), 7), [])
    assert (run.result.facts["word"], run.item.completed) == ("unavailable", False)


def test_what_nobody_names_is_not_worked_out() -> None:
    named: list[str] = []
    _, case = run_step(Step(Prompt(found("now")), 7), named)
    assert (named, case.signals) == (["Prompt"], {"word": "now"})
    unnamed: list[str] = []
    _, case = run_step(Step(Prompt(found("now")), 7, is_named=False), unnamed)
    assert (unnamed, case.signals) == ([], {})
