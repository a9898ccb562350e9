"""The one way every operation takes: authorize the fees, run the stages, close and record."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Final, Protocol

import msgspec

from gatehouse.billing.ledger import Hold, Item
from gatehouse.core.cards import CardOfRequest, MaskedCard
from gatehouse.core.case import Case, StageResult, ValuesByType
from gatehouse.core.clock import Clock, iso_time
from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.money import Payment
from gatehouse.core.outcomes import Outcome
from gatehouse.core.redaction import recordable
from gatehouse.core.stage import Stage
from gatehouse.core.stage_registry import REGISTRY
from gatehouse.core.timeouts import with_timeout
from gatehouse.decisions.record import (
    DecisionRecord,
    PipelineVersion,
    RecordedSignals,
    RecordedStage,
    encode,
)
from gatehouse.intel.cards import CardMasker
from gatehouse.pipeline.card_enumeration import EnumerationLimit
from gatehouse.pipeline.settlement import (
    Authorize,
    Authorized,
    Claim,
    Close,
    DecisionRow,
    Enumerated,
    Insufficient,
    IntentEnd,
    KeyReused,
    NumbersLimit,
    Release,
    Replay,
    Settlement,
    StillInFlight,
    WrongGuess,
)

_REVIEW: Final = Outcome.REVIEW
_DECLINE: Final = Outcome.DECLINE
_log: Final = logging.getLogger("gatehouse.pipeline")


class Step(msgspec.Struct, frozen=True):
    """A stage in its place: what it costs here, and when it is left out or the last one."""

    stage: Stage
    fee: int
    skip: Callable[[Case], bool] | None = None
    stop: Callable[[Case], bool] | None = None
    """Asked when the stage has completed."""
    ends_on_failure: bool = False
    """Whether the request ends here when the stage could not complete."""
    position: int = 0
    """Its place in the definition, from 0."""
    pays: bool = False
    """Whether it asks for a payment: never once the decision is to decline."""


class SignalBuilder(Protocol):
    """Describes a request in signals, before its stages run and for its record."""

    async def describe(self, case: Case) -> None:
        """Fill the case's signals with what the request itself says."""

    def facts(self, case: Case) -> RecordedSignals:
        """What the decision record keeps of that."""


class DecisionPlan(msgspec.Struct, frozen=True):
    """What a request needs that ends in a decision and not only in results."""

    signal_builder: SignalBuilder
    decide: Callable[[Sequence["StageRun"]], Outcome]
    pipeline: PipelineVersion | None = None
    """The pipeline that the request named."""


class RequestPlan(msgspec.Struct, frozen=True):
    """How one request is going to be worked on."""

    steps: tuple[Step, ...]
    inputs: ValuesByType
    card: CardOfRequest | None
    answer: Callable[["Processed"], msgspec.Struct]
    """From what was found to the operation's own object."""
    other_cards: dict[str, CardOfRequest] = {}
    """Of stages that were asked about another card than `card`, by name of the stage."""
    intent: Payment | None = None
    """The payment that a stage is going to ask for."""
    decision_plan: DecisionPlan | None = None


class Job(msgspec.Struct, frozen=True):
    """A validated request, ready to be worked on."""

    request_id: str
    operation: str
    account_id: str
    policies: ValuesByType
    plan: RequestPlan
    client_reference: str | int | None
    claim: Claim | None
    render: Callable[["Processed"], bytes]


class StageRun(msgspec.Struct, frozen=True):
    """One stage that ran, what it found, and how long it took."""

    stage: str
    item: Item
    result: StageResult
    duration_us: int
    position: int = 0


class Processed(msgspec.Struct, frozen=True):
    """A request that was worked on, charged and recorded."""

    request_id: str
    runs: list[StageRun]
    authorized: int
    closed: int
    remaining: int
    answer: bytes | None = None
    decision: Outcome | None = None


ProcessingResult = Processed | Insufficient | Enumerated | Replay | StillInFlight | KeyReused


class EngineOptions(msgspec.Struct, frozen=True):
    """What the engine is told by the settings."""

    owner: str
    authorization_ttl_ms: int
    guess_limit: int
    enumeration_limit: int = 0


class Engine:
    """Runs jobs."""

    def __init__(
        self,
        settlement: Settlement,
        masker: CardMasker,
        clock: Clock,
        stopwatch: Callable[[], float],
        options: EngineOptions,
    ) -> None:
        self._settlement = settlement
        self._masker = masker
        self._clock = clock
        self._stopwatch = stopwatch
        self._options = options
        limit = options.enumeration_limit
        self._enumeration = EnumerationLimit(masker.fingerprints, limit)

    async def process(self, job: Job) -> ProcessingResult:
        """Take one job from authorization to record."""
        now_ms, plan = self._clock(), job.plan
        card = None if plan.card is None else self._masker.mask(job.account_id, plan.card)
        others = {
            stage: self._masker.mask(job.account_id, other)
            for stage, other in plan.other_cards.items()
        }
        hold, numbers = self._hold(job, card, now_ms), self._numbers(job, card, others, now_ms)
        verdict = await self._settlement.authorize(
            Authorize(hold, now_ms, job.claim, plan.intent, numbers)
        )
        if not isinstance(verdict, Authorized):
            return verdict
        if numbers is not None:
            self._enumeration.noted(numbers, now_ms)
        case = Case(job.request_id, job.account_id, now_ms, plan.inputs, job.policies)
        case.card, case.other_cards = card, others
        self._note_guesses(case, verdict)
        try:
            runs = await self._run_all(plan, case)
        except BaseException:
            # A defect, or a server that stops: the caller must not pay for it.
            _tell(case, done=False)
            release = Release(job.account_id, job.request_id, self._clock(), hold.claim)
            await asyncio.shield(self._settlement.release(release))
            raise
        try:
            processed = await self._close(job, case, hold, runs)
        except BaseException:
            _tell(case, done=False)
            raise
        _tell(case, done=all(run.item.completed for run in runs))
        return processed

    async def _run_all(self, plan: RequestPlan, case: Case) -> list[StageRun]:
        """Run the stages in order, as far as their conditions let them."""
        decision_plan = plan.decision_plan
        runs: list[StageRun] = []
        if decision_plan is not None:
            await decision_plan.signal_builder.describe(case)
        for step in plan.steps:
            if step.skip is not None and step.skip(case):
                continue
            if step.pays and decision_plan is not None and _is_declined(decision_plan, runs):
                continue
            run = await self._run(step, case)
            runs.append(run)
            completed = run.item.completed
            if decision_plan is not None:
                case.signals |= REGISTRY.signals_of(
                    run.stage, run.result.facts, completed=completed
                )
            if not completed:
                if step.ends_on_failure:
                    break
            elif step.stop is not None and step.stop(case):
                break
        return runs

    def _note_guesses(self, case: Case, verdict: Authorized) -> None:
        limit = self._options.guess_limit
        case.guess_limit_applies = limit > 0
        case.guess_limit_reached = 0 < limit <= verdict.mismatches
        # Open requests count too, or parallel guesses would bypass the limit.
        case.guess_limit_at_risk = 0 < limit <= verdict.mismatches + verdict.in_flight

    def _hold(self, job: Job, card: MaskedCard | None, now_ms: int) -> Hold:
        options, asked = self._options, job.plan.card
        guessable = asked is not None and asked.guessable and options.guess_limit > 0
        return Hold(
            request_id=job.request_id,
            account_id=job.account_id,
            amount=sum([step.fee for step in job.plan.steps]),
            expires_at_ms=now_ms + options.authorization_ttl_ms,
            owner=options.owner,
            card=self._masker.fingerprints.guess_mark(card.inner) if card and guessable else None,
            claim=job.claim.claim_id if job.claim else None,
        )

    def _numbers(
        self, job: Job, card: MaskedCard | None, others: dict[str, MaskedCard], now_ms: int
    ) -> NumbersLimit | None:
        """The numbers of the request that must not be too many of a kind."""
        plan, cards = job.plan, []
        if plan.card is not None and card is not None:
            cards = [(plan.card.number, card.inner)]
        cards += [(plan.other_cards[stage].number, one.inner) for stage, one in others.items()]
        return self._enumeration.check(job.account_id, cards, now_ms)

    def _mismatch(self, hold: Hold, runs: Sequence[StageRun]) -> WrongGuess | None:
        if hold.card is None or not any(run.result.mismatched for run in runs):
            return None
        return WrongGuess(hold.card, self._masker.fingerprints.guess_mark(hold.request_id))

    async def _run(self, step: Step, case: Case) -> StageRun:
        stage = step.stage
        started = self._stopwatch()
        try:
            result = await with_timeout(stage.time_limit_ms / 1000, stage.run(case))
        except (TimeoutError, ConnectorFailed):
            result = stage.unavailable(case)
        case.results[stage.name] = result
        duration_us = int((self._stopwatch() - started) * 1_000_000)
        item = Item(stage.fee_type, step.fee, result.completed)
        return StageRun(stage.name, item, result, duration_us, step.position)

    async def _close(self, job: Job, case: Case, hold: Hold, runs: list[StageRun]) -> Processed:
        now_ms = self._clock()
        closed = sum([run.item.fee for run in runs if run.item.completed])
        plan = job.plan.decision_plan
        decision = None if plan is None else plan.decide(runs)

        def processed(remaining: int, answer: bytes | None = None) -> Processed:
            return Processed(job.request_id, runs, hold.amount, closed, remaining, answer, decision)

        closing = self._settlement.close(
            Close(
                account_id=job.account_id,
                request_id=job.request_id,
                at_ms=now_ms,
                items=[run.item for run in runs],
                decision=_decision(job, case, processed(0)),
                mismatch=self._mismatch(hold, runs),
                claim_id=hold.claim,
                answer=(lambda left: job.render(processed(left))) if job.claim else None,
                intent=None if job.plan.intent is None else _end_of(runs, decision),
                review=decision is _REVIEW,
            )
        )
        try:
            done = await asyncio.shield(closing)
        except asyncio.CancelledError:
            # The commit is under way: it may still charge the request, so its result counts.
            done = await closing
        return processed(done.remaining, done.answer)


def _is_declined(decision_plan: DecisionPlan, runs: Sequence[StageRun]) -> bool:
    """Whether the stages so far decide to decline."""
    if all(run.result.verdict is not _DECLINE for run in runs):
        return False
    return decision_plan.decide(runs) is _DECLINE


def _end_of(runs: Sequence[StageRun], decision: Outcome | None) -> IntentEnd:
    """What became of the payment that was going to be asked for.

    One that was made and is declined after all must not stand.
    """
    unwanted = decision is _DECLINE and any(run.result.paid for run in runs)
    doubtful = unwanted or any(run.result.in_doubt for run in runs)
    return IntentEnd.DOUBTFUL if doubtful else IntentEnd.SETTLED


def _tell(case: Case, *, done: bool) -> None:
    # A callback may hold the case: a cycle of both would be freed late.
    on_settled, case.on_settled = case.on_settled, []
    for tell in on_settled:
        try:
            tell(done)
        except Exception:
            # The request is settled, and a failing callback must not undo that.
            _log.exception("could not tell a stage how its request ended")


def _kept_reference(reference: str | int | None) -> str | int | None:
    """The caller's reference without card numbers; an unsuspicious number stays a number."""
    if reference is None:
        return None
    text = recordable(str(reference))
    return reference if text == str(reference) else text


def _decision(job: Job, case: Case, done: Processed) -> DecisionRow:
    kept = _kept_reference(job.client_reference)
    plan = job.plan.decision_plan
    described = None if plan is None else plan.signal_builder.facts(case)
    record = DecisionRecord(
        request_id=job.request_id,
        operation=job.operation,
        at=iso_time(case.at_ms),
        client_reference_id=kept,
        card=None if case.card is None else case.card.kept,
        stages=[_recorded(run) for run in done.runs],
        authorized_micros=done.authorized,
        closed_micros=done.closed,
        decision=done.decision,
        pipeline=None if plan is None else plan.pipeline,
        signals=None if described is None else described.signals,
        event=None if described is None else described.event,
    )
    return DecisionRow(
        account_id=job.account_id,
        request_id=job.request_id,
        at_ms=case.at_ms,
        operation=job.operation,
        client_reference=None if kept is None else str(kept),
        card=case.card.kept.fingerprint if case.card else None,
        record=encode(record),
        transaction_reference=case.transaction,
    )


def _recorded(run: StageRun) -> RecordedStage:
    item = run.item
    return RecordedStage(
        name=run.stage,
        fee_type=item.fee_type,
        fee_micros=item.fee,
        completed=item.completed,
        duration_microseconds=run.duration_us,
        result=run.result.facts,
    )
