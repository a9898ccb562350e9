"""Pipelines of real rule sets over stages that find what a test tells them to find."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import Any, cast

import msgspec

from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.money import Payment
from gatehouse.core.stages.case import Case, MadePayment, StageResult, ValuesByType
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.core.stages.stage import Stage
from gatehouse.decisions.record import (
    DecisionRecord,
    PipelineVersion,
    RecordedSignals,
    decode,
)
from gatehouse.intel.bins import load_bins
from gatehouse.intel.cards import CardMasker
from gatehouse.operations.account_setup import Builder
from gatehouse.operations.ready_pipeline import Pipeline
from gatehouse.pipeline.authoring import read_pipeline
from gatehouse.pipeline.definition import combine, encode_program
from gatehouse.pipeline.engine import Engine, EngineOptions
from gatehouse.pipeline.job import DecisionPlan, Job, Processed, RequestPlan, StageRun
from gatehouse.pipeline.settlement import (
    Authorize,
    Authorized,
    Close,
    Closed,
    IntentEnd,
    Redirect,
    Release,
)
from gatehouse.rules.lists import AccountLists
from gatehouse.rules.ruleset import encode_program as encode_rules
from gatehouse.sentry.stage import SentryStage
from gatehouse.store.configured.configurations import StoredVersion
from tests.harness import FINGERPRINTS
from tests.operations.test_account_setup import SENTRY
from tests.rules.written import rules

MASKER = CardMasker(load_bins(), FINGERPRINTS)
FAILS: Mapping[str, Any] = {"fails": True}
_VERDICTS = {
    "APPROVED": Outcome.ACCEPT,
    "DECLINED": Outcome.DECLINE,
    "ACCEPT": Outcome.ACCEPT,
    "DECLINE": Outcome.DECLINE,
}


class Answer(msgspec.Struct):
    """An answer that no test looks at."""


class Finding:
    """A stage that finds what it is told, or fails."""

    time_limit_ms = 1000

    def __init__(self, name: str, facts: Mapping[str, Any]) -> None:
        self.name = name
        self.fee_type = REGISTRY[name].fee_type
        self._facts = dict(facts)

    async def run(self, case: Case) -> StageResult:
        if self._facts == FAILS:
            raise ConnectorFailed("no line")
        status = self._facts.get("status")
        verdict = _VERDICTS.get(str(self._facts.get("advice", status)))
        paid = MadePayment(5990, "USD", None, None) if status == "APPROVED" else None
        return StageResult(Answer(), True, self._facts, verdict=verdict, paid=paid)

    def unavailable(self, case: Case) -> StageResult:
        return StageResult(Answer(), False, {})

    def refer(self, case: Case) -> str | None:
        return None


class Played(msgspec.Struct, frozen=True):
    """What became of a request."""

    done: Processed
    record: DecisionRecord
    intent: IntentEnd | None
    captured_by: str | None

    @property
    def stages(self) -> list[str]:
        return [run.stage for run in self.done.runs]

    @property
    def decision(self) -> Outcome | None:
        return self.done.decision

    @property
    def ruled(self) -> dict[str, Any]:
        """The facts of the first Rules stage."""
        return next(stage.result for stage in self.record.stages if stage.name == "Rules")


class _Books:
    def __init__(self) -> None:
        self.closed: list[Close] = []

    async def authorize(self, order: Authorize) -> Authorized:
        return Authorized(0, 0)

    def close(self, order: Close) -> "asyncio.Future[Closed]":
        self.closed.append(order)
        future: asyncio.Future[Closed] = asyncio.get_running_loop().create_future()
        future.set_result(Closed(0, None))
        return future

    async def redirect(self, order: Redirect) -> None:
        raise AssertionError("nothing fails here")

    async def release(self, order: Release) -> None:
        raise AssertionError("nothing fails here")


class _Signals:
    def __init__(self, signals: dict[str, Any]) -> None:
        self._signals = signals

    async def describe(self, case: Case) -> None:
        case.signals = dict(self._signals)

    def facts(self, case: Case) -> RecordedSignals:
        return RecordedSignals(self._signals)


def stored(name: str, program: str) -> StoredVersion:
    return StoredVersion(name, 1, 0, "test", None, True, "", program)


def build(
    pipeline: str,
    rule_sets: Mapping[str, Sequence[str]],
    found: Mapping[str, Mapping[str, Any]],
) -> Pipeline:
    """A pipeline out of the lines of its file after `stages:`."""
    stages = {name: cast(Stage, Finding(name, found.get(name, {}))) for name in REGISTRY.names}
    builder = Builder({**stages, "Sentry": SENTRY})
    sets = [
        stored(name, encode_rules(msgspec.structs.replace(rules(*lines), name=name)))
        for name, lines in rule_sets.items()
    ]
    program = encode_program(read_pipeline(f"pipeline: 1\nname: P\nstages:\n{pipeline}".encode()))
    lists, compiled = AccountLists({}), builder.rule_sets("acct_1", sets)
    sentry = cast(SentryStage, stages["Sentry"])
    return builder.pipelines("acct_1", [stored("1", program)], compiled, lists, sentry)[1]


def play(
    pipeline: str,
    rule_sets: Mapping[str, Sequence[str]],
    found: Mapping[str, Mapping[str, Any]],
    **signals: Any,
) -> Played:
    """Send one request through a pipeline."""
    built = build(pipeline, rule_sets, found)
    definition = built.definition

    def decide(runs: Sequence[StageRun]) -> Outcome:
        stages = definition.stages
        ran = [(stages[run.position], run.result.verdict, run.item.completed) for run in runs]
        return combine(definition, ran)

    named = {name.replace("__", "."): value for name, value in signals.items()}
    job = Job(
        request_id="req_1",
        operation="pipeline",
        account_id="acct_1",
        policies=ValuesByType(),
        plan=RequestPlan(
            steps=built.steps,
            inputs=ValuesByType(),
            card=None,
            answer=lambda _done: Answer(),
            intent=Payment(5990, "USD"),
            decision_plan=DecisionPlan(_Signals(named), decide, PipelineVersion(1, 1)),
        ),
        client_reference=None,
        claim=None,
        render=lambda _: b"",
    )
    books = _Books()
    options = EngineOptions(owner="srv_test", authorization_ttl_ms=60_000, guess_limit=0)
    engine = Engine(books, MASKER, lambda: 1000, time.perf_counter, options)
    done = asyncio.run(engine.process(job))
    assert isinstance(done, Processed)
    [closed] = books.closed
    return Played(done, decode(closed.decision.record), closed.intent, closed.captured_by)
