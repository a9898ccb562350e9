"""The one way every operation takes: authorize the fees, run the stages, close and record."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from gatehouse.billing.ledger import Hold, Item
from gatehouse.core.cards import CardOfRequest, KeptCard
from gatehouse.core.case import Case, StageResult
from gatehouse.core.clock import Clock, iso_time
from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.redaction import recordable
from gatehouse.core.stage import Stage
from gatehouse.core.waiting import within
from gatehouse.pipeline.desk import (
    Authorize,
    Authorized,
    Claim,
    Close,
    DecisionRow,
    Desk,
    Insufficient,
    KeyReused,
    Release,
    Replay,
    StillInFlight,
)

_encode: Final = msgspec.json.Encoder().encode


class Order(msgspec.Struct, frozen=True):
    """A validated request, ready to be worked on."""

    request_id: str
    operation: str
    account_id: str
    fees: Mapping[str, int]
    policies: dict[str, Any]
    stages: tuple[Stage, ...]
    inputs: dict[str, Any]
    card: CardOfRequest | None
    client_reference: str | int | None
    claim: Claim | None
    render: Callable[["Processed"], bytes]


class StageRun(msgspec.Struct, frozen=True):
    """One stage that ran, what it found, and how long it took."""

    stage: str
    item: Item
    result: StageResult
    duration_us: int


class Processed(msgspec.Struct, frozen=True):
    """A request that was worked on, charged and recorded."""

    request_id: str
    runs: list[StageRun]
    authorized: int
    closed: int
    remaining: int
    answer: bytes | None = None


Outcome = Processed | Insufficient | Replay | StillInFlight | KeyReused


class EngineOptions(msgspec.Struct, frozen=True):
    """What the engine is told by the settings."""

    owner: str
    authorization_ttl_ms: int
    guess_limit: int


class Engine:
    """Runs orders."""

    def __init__(
        self,
        desk: Desk,
        keep_card: Callable[[CardOfRequest], KeptCard],
        clock: Clock,
        stopwatch: Callable[[], float],
        options: EngineOptions,
    ) -> None:
        self._desk = desk
        self._keep_card = keep_card
        self._clock = clock
        self._stopwatch = stopwatch
        self._options = options

    async def process(self, order: Order) -> Outcome:
        """Take one order from authorization to record."""
        now_ms = self._clock()
        card = self._keep_card(order.card) if order.card is not None else None
        hold = self._hold(order, card, now_ms)
        verdict = await self._desk.authorize(Authorize(hold, now_ms, order.claim))
        if not isinstance(verdict, Authorized):
            return verdict
        case = Case(order.request_id, order.account_id, now_ms, order.inputs, order.policies, {})
        case.card = card
        self._note_guesses(case, verdict)
        try:
            runs = [await self._run(stage, case, order.fees) for stage in order.stages]
        except BaseException:
            # A defect, or a stop that would not wait: the caller must not pay for it.
            _tell(case, done=False)
            await asyncio.shield(self._desk.release(_release(order, self._clock())))
            raise
        try:
            processed = await self._close(order, case, hold, runs)
        except BaseException:
            _tell(case, done=False)
            raise
        _tell(case, done=all(run.item.completed for run in runs))
        return processed

    def _note_guesses(self, case: Case, verdict: Authorized) -> None:
        limit = self._options.guess_limit
        case.guessing = 0 < limit <= verdict.mismatches
        # Were all open requests allowed to ask, guesses sent at once would all get through.
        case.crowded = 0 < limit <= verdict.mismatches + verdict.in_flight

    def _hold(self, order: Order, card: KeptCard | None, now_ms: int) -> Hold:
        options = self._options
        guessed = card is not None and order.card is not None and order.card.guessable
        return Hold(
            request_id=order.request_id,
            account_id=order.account_id,
            amount=sum(order.fees[stage.fee_type] for stage in order.stages),
            expires_at_ms=now_ms + options.authorization_ttl_ms,
            owner=options.owner,
            card=card.fingerprint if card and guessed and options.guess_limit else None,
            claim=order.claim.claim_id if order.claim else None,
        )

    async def _run(self, stage: Stage, case: Case, fees: Mapping[str, int]) -> StageRun:
        started = self._stopwatch()
        try:
            result = await within(stage.time_limit_ms / 1000, stage.run(case))
        except (TimeoutError, ConnectorFailed):
            result = stage.unavailable(case)
        case.results[stage.name] = result
        duration_us = int((self._stopwatch() - started) * 1_000_000)
        item = Item(stage.fee_type, fees[stage.fee_type], result.completed)
        return StageRun(stage.name, item, result, duration_us)

    async def _close(self, order: Order, case: Case, hold: Hold, runs: list[StageRun]) -> Processed:
        now_ms = self._clock()
        closed = sum(run.item.fee for run in runs if run.item.completed)

        def processed(remaining: int, answer: bytes | None = None) -> Processed:
            return Processed(order.request_id, runs, hold.amount, closed, remaining, answer)

        done = await self._desk.close(
            Close(
                account_id=order.account_id,
                request_id=order.request_id,
                at_ms=now_ms,
                items=[run.item for run in runs],
                decision=_decision(order, case, runs, (hold.amount, closed)),
                mismatched_card=hold.card if any(r.result.mismatched for r in runs) else None,
                claim_id=hold.claim,
                answer=(lambda left: order.render(processed(left))) if order.claim else None,
            )
        )
        return processed(done.remaining, done.answer)


def _tell(case: Case, *, done: bool) -> None:
    for tell in case.afterwards:
        tell(done)


def _release(order: Order, now_ms: int) -> Release:
    claim_id = order.claim.claim_id if order.claim else None
    return Release(order.account_id, order.request_id, now_ms, claim_id)


def _kept_reference(reference: str | int | None) -> str | int | None:
    """The caller's reference without card numbers; an unsuspicious number stays a number."""
    if reference is None:
        return None
    text = recordable(str(reference))
    return reference if text == str(reference) else text


def _decision(
    order: Order, case: Case, runs: Sequence[StageRun], amounts: tuple[int, int]
) -> DecisionRow:
    kept = _kept_reference(order.client_reference)
    record = {
        "requestId": order.request_id,
        "operation": order.operation,
        "at": iso_time(case.at_ms),
        "clientReferenceId": kept,
        "card": case.card,
        "stages": [
            {
                "name": run.stage,
                "feeType": run.item.fee_type,
                "feeMicros": run.item.fee,
                "completed": run.item.completed,
                "durationMicroseconds": run.duration_us,
                "result": run.result.facts,
            }
            for run in runs
        ],
        "authorizedMicros": amounts[0],
        "closedMicros": amounts[1],
    }
    return DecisionRow(
        account_id=order.account_id,
        request_id=order.request_id,
        at_ms=case.at_ms,
        operation=order.operation,
        client_reference=None if kept is None else str(kept),
        card=case.card.fingerprint if case.card else None,
        record=_encode(record).decode(),
    )
