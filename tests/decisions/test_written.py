"""What the engine writes is, to the byte, what it wrote before of the same request."""

import asyncio
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import msgspec
import pytest

from gatehouse.core.cards.numbers import CardNumber, CardOfRequest, KeptCard, MaskedCard
from gatehouse.core.stages.case import Case, StageResult, ValuesByType
from gatehouse.decisions.packed_values import SIGNALS
from gatehouse.decisions.record import DecisionRecord, RecordedSignals, RecordedStage, decode
from gatehouse.intel.bins import load_bins
from gatehouse.intel.cards import CardMasker
from gatehouse.pipeline.engine import Engine, EngineOptions
from gatehouse.pipeline.job import DecisionPlan, Job, RequestPlan, Step
from gatehouse.pipeline.settlement import Authorize, Authorized, Close, Closed, Redirect, Release
from tests.decisions.samples import PACKED, SAMPLES
from tests.harness import FINGERPRINTS

CARD = CardOfRequest(CardNumber.parse("4242424242424242"), None, guessable=False)
OPTIONS = EngineOptions(owner="srv_test", authorization_ttl_ms=60_000, guess_limit=0)


class Answer(msgspec.Struct):
    """An answer that no test looks at."""


class RecordedAgain:
    """A stage that finds what a record says it found."""

    time_limit_ms = 1000

    def __init__(self, recorded: RecordedStage, facts: dict[str, Any]) -> None:
        self.name = recorded.name
        self.fee_type = recorded.fee_type
        self._recorded = recorded
        self._facts = facts

    async def run(self, case: Case) -> StageResult:
        return StageResult(Answer(), self._recorded.completed, self._facts)

    def unavailable(self, case: Case) -> StageResult:
        raise AssertionError("these stages answer at once")


class DescribedAgain:
    """A signal builder that sees what a record says was seen."""

    def __init__(self, record: DecisionRecord) -> None:
        self._record = record

    async def describe(self, case: Case) -> None:
        case.signals = dict(self._record.signals or {})

    def facts(self, case: Case) -> RecordedSignals:
        return RecordedSignals(self._record.signals or {}, self._record.event)


class Books:
    """A settlement that keeps what it is told to close."""

    def __init__(self) -> None:
        self.closed: list[Close] = []

    async def authorize(self, order: Authorize) -> Authorized:
        return Authorized(remaining=0)

    def close(self, order: Close) -> "asyncio.Future[Closed]":
        self.closed.append(order)
        done: asyncio.Future[Closed] = asyncio.get_running_loop().create_future()
        done.set_result(Closed(0, None))
        return done

    async def redirect(self, order: Redirect) -> None:
        raise AssertionError("these requests are closed")

    async def release(self, order: Release) -> None:
        raise AssertionError("these requests are closed")


def job_of(record: DecisionRecord, text: str) -> Job:
    decided = record.decision
    plan = None
    facts = [stage["result"] for stage in msgspec.json.decode(text)["stages"]]
    if decided is not None:
        plan = DecisionPlan(DescribedAgain(record), lambda _runs: decided, record.pipeline)
    return Job(
        request_id=record.request_id,
        operation=record.operation,
        account_id="acct_1",
        policies=ValuesByType(),
        plan=RequestPlan(
            steps=tuple(
                Step(RecordedAgain(stage, found), stage.fee_micros)
                for stage, found in zip(record.stages, facts, strict=True)
            ),
            inputs=ValuesByType(),
            card=None if record.card is None else CARD,
            answer=lambda done: done,
            decision_plan=plan,
        ),
        client_reference=record.client_reference_id,
        claim=None,
        render=lambda _: b"",
    )


class AlreadyMasked(CardMasker):
    """Gives the card of a record."""

    def __init__(self, card: KeptCard | None) -> None:
        super().__init__(load_bins(), FINGERPRINTS)
        self._card = card

    def mask(self, account_id: str, card: CardOfRequest) -> MaskedCard:
        assert self._card is not None
        return MaskedCard(self._card, "inner")


def stopwatch(record: DecisionRecord) -> Iterator[float]:
    """Readings that are as far apart as the stages took."""
    for stage in record.stages:
        yield 0.0
        yield (stage.duration_microseconds + 0.5) / 1_000_000


@pytest.mark.parametrize("name", SAMPLES)
def test_the_engine_writes_what_it_wrote_before(name: str) -> None:
    record = decode(SAMPLES[name])
    at_ms = round(datetime.fromisoformat(record.at).timestamp() * 1000)
    readings, books = stopwatch(record), Books()
    engine = Engine(
        books, AlreadyMasked(record.card), lambda: at_ms, lambda: next(readings), OPTIONS
    )
    asyncio.run(engine.process(job_of(record, SAMPLES[name])))
    [closed] = books.closed
    if name in PACKED:
        # The text says how many names of signals there were; some were added since.
        stages, after, rest = SAMPLES[name].partition('"closedMicros"')
        rest = re.sub(r'"signals":\[\d+,', f'"signals":[{SIGNALS.version},', rest)
        assert closed.decision.record == stages + after + rest
    written = decode(closed.decision.record)
    assert msgspec.structs.replace(written, version=record.version) == record
