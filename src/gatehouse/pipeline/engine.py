"""The one way every operation takes: authorize the fees, run the stages, close and record."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, cast

import msgspec

from gatehouse.billing.ledger import Hold
from gatehouse.core.cards.network_ids import NetworkIdSealer
from gatehouse.core.cards.numbers import MaskedCard
from gatehouse.core.clock import Clock
from gatehouse.core.defects import blanked
from gatehouse.core.events import EventName, any_takes
from gatehouse.core.ids import Randomness
from gatehouse.core.money import Payment
from gatehouse.core.stages.case import Case, MadePayment
from gatehouse.core.stages.outcomes import Outcome, strongest
from gatehouse.core.stages.stage import PayingStage
from gatehouse.decisions.money_at_risk import NOTHING_AT_RISK, money_at_risk
from gatehouse.decisions.order_envelope import EnvelopeSealer
from gatehouse.decisions.reasons import reason_of
from gatehouse.decisions.search_terms import TermMaker
from gatehouse.intel.cards import CardMasker
from gatehouse.pipeline.card_enumeration import EnumerationLimit
from gatehouse.pipeline.job import Job, Processed, RequestPlan, StageRun, Step
from gatehouse.pipeline.recording import decision_row, found_by, recorded
from gatehouse.pipeline.settlement import (
    Authorize,
    Authorized,
    Close,
    Enumerated,
    EvidenceRow,
    Insufficient,
    IntentEnd,
    KeyReused,
    NumbersLimit,
    PaymentRow,
    Redirect,
    Release,
    Replay,
    Settlement,
    StillInFlight,
    WrongGuess,
)
from gatehouse.pipeline.stage_runner import StageRunner

_ACCEPT: Final = Outcome.ACCEPT
_REVIEW: Final = Outcome.REVIEW
_DECLINE: Final = Outcome.DECLINE
_SETTLED: Final = IntentEnd.SETTLED
_PAYMENT_AUTHORIZED: Final = EventName.PAYMENT_AUTHORIZED
_log: Final = logging.getLogger("gatehouse.pipeline")
_FROM_OUTSIDE: Final = (asyncio.CancelledError, KeyboardInterrupt, GeneratorExit)
"""Raised into a stage when the server stops. All else is a stage's own, SystemExit included."""


ProcessingResult = Processed | Insufficient | Enumerated | Replay | StillInFlight | KeyReused


class EngineOptions(msgspec.Struct, frozen=True):
    """What the engine is told by the settings and the key ring."""

    owner: str
    authorization_ttl_ms: int
    guess_limit: int
    enumeration_limit: int = 0
    terms: TermMaker | None = None
    """Makes what decisions are found by; without it they are found by their ids only."""
    envelopes: EnvelopeSealer | None = None
    """Seals what stays readable of orders; without it nothing does."""
    network_ids: NetworkIdSealer | None = None
    """Seals the networks' ids of payments; without it none is kept."""
    randomness: Randomness = bytes
    """For what is sealed; given with what seals."""


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
        self.stopwatch = stopwatch
        self.runner = StageRunner(stopwatch)
        """Runs the stages; tracing puts one in its place that leaves spans."""
        self._options = options
        limit = options.enumeration_limit
        self._enumeration = EnumerationLimit(masker.fingerprints, limit)
        self.under_way: set[str] = set()
        """The requests that may still close or release what they hold."""

    async def process(self, job: Job) -> ProcessingResult:
        """Take one job from authorization to record."""
        self.under_way.add(job.request_id)
        try:
            now_ms, card = self._clock(), job.plan.card
            case = Case(job.request_id, job.account_id, now_ms, job.plan.inputs, job.policies)
            if card is not None:
                case.card = self._masker.mask(job.account_id, card)
            for stage, other in job.plan.other_cards.items():
                case.other_cards[stage] = self._masker.mask(job.account_id, other)
            hold, numbers = self._hold(job, case.card, now_ms), self._numbers(job, case)
            parts = (job.claim, self._intent(job, case), numbers, job.actor, job.credit_limit)
            verdict = await self._settlement.authorize(Authorize(hold, now_ms, *parts))
            if not isinstance(verdict, Authorized):
                if numbers is not None and isinstance(verdict, Enumerated):
                    self._enumeration.refused(numbers, now_ms)
                return verdict
            if numbers is not None:
                self._enumeration.noted(numbers, now_ms)
            self._note_guesses(case, verdict)
            runs = await self._run_or_release(job, case, hold)
            try:
                processed = await self._close(job, case, hold, runs)
            except BaseException:
                _tell(case, done=False)
                raise
            if case.on_settled:
                _tell(case, done=all(run.item.completed for run in runs))
            return processed
        finally:
            self.under_way.discard(job.request_id)

    def _intent(self, job: Job, case: Case) -> Payment | None:
        """The payment that a stage is going to ask for, as it is noted before."""
        intent = job.plan.intent
        if intent is None:
            return None
        case.redirect_payment = partial(self._redirect, job.account_id, job.request_id)
        return _referred(intent, job.plan.steps, case)

    async def _redirect(self, account_id: str, request_id: str, reference: str) -> None:
        """Note durably that a payment goes to another party."""
        await self._settlement.redirect(Redirect(account_id, request_id, reference))

    async def _run_or_release(self, job: Job, case: Case, hold: Hold) -> list[StageRun]:
        try:
            self._expect(job.plan)
            return await self.runner.run_all(job.plan.steps, case, job.plan.decision_plan)
        except BaseException as error:
            # A defect, or a server that stops: the caller must not pay for it.
            _tell(case, done=False)
            release = Release(job.account_id, job.request_id, self._clock(), hold.claim)
            await asyncio.shield(self._settlement.release(release))
            expected = job.plan.expected
            # Only the engine refuses here: what a stage raises in the same form is a defect.
            if isinstance(error, _FROM_OUTSIDE) or (expected and error is expected.refusal):
                raise
            defect = blanked(error, "a stage")
        raise defect

    def _expect(self, plan: RequestPlan) -> None:
        """Refuse the request when another card than the expected one would be charged."""
        expected, card = plan.expected, plan.card
        if expected is None or card is None:
            return
        if not self._masker.is_of(card.number, expected.inner):
            raise expected.refusal

    def _note_guesses(self, case: Case, verdict: Authorized) -> None:
        limit = self._options.guess_limit
        if limit > 0:
            case.guess_limit_applies = True
            case.guess_limit_reached = limit <= verdict.mismatches
            # Open requests count too, or parallel guesses would bypass the limit.
            case.guess_limit_at_risk = limit <= verdict.mismatches + verdict.in_flight

    def _hold(self, job: Job, card: MaskedCard | None, now_ms: int) -> Hold:
        options = self._options
        mark, account_mark = self._guess_marks(job, card)
        return Hold(
            request_id=job.request_id,
            account_id=job.account_id,
            amount=sum([step.fee for step in job.plan.steps]),
            expires_at_ms=now_ms + options.authorization_ttl_ms,
            owner=options.owner,
            card=mark,
            claim=job.claim.claim_id if job.claim else None,
            card_account=account_mark,
        )

    def _guess_marks(self, job: Job, card: MaskedCard | None) -> tuple[str | None, str | None]:
        """What wrong guesses are counted by, if this may be one: number, and account behind it.

        The second counts among one caller's requests only. Nobody can tell whether a reference is
        the card's, so a false one must neither hide guesses at a number nor lock others out.
        """
        asked = job.plan.card
        if card is None or asked is None or not asked.guessable or not self._options.guess_limit:
            return None, None
        mark, account = self._masker.fingerprints.guess_mark, card.inner_account
        return mark(card.inner), None if account is None else mark(f"{job.account_id} {account}")

    def _numbers(self, job: Job, case: Case) -> NumbersLimit | None:
        """The numbers of the request that must not be too many of a kind."""
        plan, card, cards = job.plan, case.card, []
        if plan.card is not None and card is not None:
            cards.append((plan.card.number, card.inner))
        for stage, other in case.other_cards.items():
            cards.append((plan.other_cards[stage].number, other.inner))
        return self._enumeration.check(job.account_id, cards, case.at_ms) if cards else None

    def _mismatch(self, hold: Hold, runs: Sequence[StageRun]) -> WrongGuess | None:
        if hold.card is None or True not in [run.result.mismatched for run in runs]:
            return None
        request = self._masker.fingerprints.guess_mark(hold.request_id)
        return WrongGuess(hold.card, request, hold.card_account)

    def _evidence(self, job: Job) -> tuple[EvidenceRow, ...]:
        sealer, envelope = self._options.envelopes, job.plan.evidence
        if sealer is None or envelope is None:
            return ()
        place = (job.account_id, job.request_id)
        return (EvidenceRow(*place, *sealer.seal(*place, envelope)),)

    def _standing(
        self, case: Case, runs: Sequence[StageRun], intent: IntentEnd, now_ms: int
    ) -> tuple[PaymentRow, ...]:
        """The payment of a request, unless it is going to be reversed."""
        made = _made(runs)
        if made is None or intent not in (_SETTLED, IntentEnd.REVIEWED):
            return ()
        place, sealer, sealed = (case.account_id, case.request_id), self._options.network_ids, None
        if made.network_transaction_id is not None and sealer is not None and case.card is not None:
            sealed = sealer.seal(
                place, case.card.inner, made.network_transaction_id, self._options.randomness
            )
        party = (made.party, made.payment_id, case.payment_reference)
        return (PaymentRow(*place, now_ms, made.amount_minor, made.currency, *party, sealed),)

    async def _close(self, job: Job, case: Case, hold: Hold, runs: list[StageRun]) -> Processed:
        now_ms = self._clock()
        closed = sum([run.item.fee for run in runs if run.item.completed])
        plan = job.plan.decision_plan
        decision = None if plan is None else plan.decide(runs)
        request_id, held = job.request_id, hold.amount
        record = recorded(job, case, Processed(request_id, runs, held, closed, 0, None, decision))
        reason = reason_of(record)

        def processed(remaining: int, answer: bytes | None = None) -> Processed:
            return Processed(request_id, runs, held, closed, remaining, answer, decision, reason)

        terms = found_by(job, case, record, self._options.terms)
        intent = None if job.plan.intent is None else _end_of(job.plan.steps, runs, decision)
        payments = () if intent is None else self._standing(case, runs, intent, now_ms)
        closing = self._settlement.close(
            Close(
                account_id=job.account_id,
                request_id=request_id,
                at_ms=now_ms,
                items=[run.item for run in runs],
                decision=decision_row(job, case, record, terms),
                mismatch=self._mismatch(hold, runs),
                claim_id=hold.claim,
                answer=(lambda left: job.render(processed(left))) if job.claim else None,
                intent=intent,
                review=decision is _REVIEW,
                at_risk=money_at_risk(record) if decision is _REVIEW else NOTHING_AT_RISK,
                memory_missed=case.memory_missed,
                payment_reference=case.payment_reference,
                events=_events(job, runs, decision),
                actor=job.actor,
                evidence=() if job.plan.evidence is None else self._evidence(job),
                payments=payments,
                captured_by=_capturing(job, decision) if payments else None,
            )
        )
        try:
            done = await closing
        except asyncio.CancelledError:
            # The commit is under way: it may still charge the request, so its result counts.
            done = await closing
        return processed(done.remaining, done.answer)


def _referred(payment: Payment, steps: Sequence[Step], case: Case) -> Payment:
    """The payment with what its stage has to know to reverse it."""
    for step in steps:
        if step.pays:
            case.payment_reference = cast(PayingStage, step.stage).refer(case)
            return msgspec.structs.replace(payment, reference=case.payment_reference)
    return payment


def _end_of(steps: Sequence[Step], runs: Sequence[StageRun], decision: Outcome | None) -> IntentEnd:
    """What became of the payment that was going to be asked for.

    One that was made and is declined after all must not stand.
    """
    for run in runs:
        if run.result.in_doubt:
            return IntentEnd.DOUBTFUL
    if decision is not _ACCEPT and _made(runs) is not None:
        if decision is _DECLINE:
            return IntentEnd.DOUBTFUL
        if decision is _REVIEW and all(step.keeps_payment for step in steps if step.pays):
            return IntentEnd.REVIEWED
    return _SETTLED


def _made(runs: Sequence[StageRun]) -> MadePayment | None:
    for run in runs:
        if run.result.paid is not None:
            return run.result.paid
    return None


def _capturing(job: Job, decision: Outcome | None) -> str | None:
    """The pipeline that has the payment of the request captured, if it does."""
    plan = job.plan.decision_plan
    if plan is None or plan.pipeline is None or decision is not _ACCEPT:
        return None
    return plan.pipeline.name if any(step.captures for step in job.plan.steps) else None


def _events(job: Job, runs: Sequence[StageRun], decision: Outcome | None) -> tuple[EventName, ...]:
    """What the account is told of a request."""
    told: list[EventName] = []
    if job.decision_filters:
        verdicts = [run.result.verdict for run in runs if run.result.verdict is not None]
        outcome = decision or (strongest(verdicts) if verdicts else None)
        if any_takes(job.decision_filters, job.operation, outcome):
            told.append(EventName.DECISION_MADE)
    if decision is _REVIEW:
        told.append(EventName.REVIEW_OPENED)
    if job.plan.intent is not None and _made(runs) is not None:
        told.append(_PAYMENT_AUTHORIZED)
    return tuple(told)


def _tell(case: Case, *, done: bool) -> None:
    # A callback may hold the case: a cycle of both would be freed late.
    on_settled, case.on_settled = case.on_settled, []
    for tell in on_settled:
        try:
            tell(done)
        except Exception as error:
            # The request is settled, and a failing callback must not undo that.
            defect = blanked(error, "a callback")
            _log.error("could not tell a stage how its request ended", exc_info=defect)
