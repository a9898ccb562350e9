"""Decision records as the API shows them."""

from collections.abc import Sequence
from typing import Annotated, Any

from msgspec import UNSET, UnsetType

from gatehouse.admin.outcomes.types.outcome import PaymentOutcome
from gatehouse.core.api_values import CamelStruct, Money, Timestamp, doc, money
from gatehouse.core.cards.numbers import KeptCard
from gatehouse.core.stages.outcomes import DecisionReason, Outcome, strongest
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.decisions.reasons import REASON_ABOUT, RETRYABLE_ABOUT, is_retryable, reason_of
from gatehouse.decisions.record import DecisionRecord, PipelineVersion
from gatehouse.explanations.explanation import Explanation
from gatehouse.precheck.spec import PRE_CHECK


class DecisionStage(CamelStruct):
    """One stage of a decision."""

    name: Annotated[str, doc("Name of the stage.", PRE_CHECK.name)]
    fee_type: Annotated[str, doc("Fee type.", PRE_CHECK.fee_type)]
    fee: Annotated[Money, doc("Its fee; charged only when it completed.")]
    completed: Annotated[bool, doc("Whether it completed.")]
    duration_microseconds: Annotated[int, doc("How long it took.")]
    result: Annotated[
        dict[str, Any],
        doc(
            "What it found: results, and codes that say why. Of what was sent, "
            "Sentry's result names what it remembers, the others nothing."
        ),
    ]


class PublicDecision(CamelStruct):
    """The record of one processed request."""

    request_id: Annotated[str, doc("The `requestId` of the answer.")]
    operation: Annotated[str, doc("Which operation it was.", "precheck")]
    at: Annotated[Timestamp, doc("When the request came in (RFC 3339).")]
    client_reference_id: Annotated[
        str | int | None, doc("The caller's reference, card numbers masked.")
    ]
    card: Annotated[KeptCard | None, doc("The card, masked.")]
    pipeline_stages: Annotated[list[str], doc("Names of the stages that ran.")]
    stages: Annotated[list[DecisionStage], doc("What each of them found.")]
    amount_authorized: Annotated[Money, doc("Held for the request.")]
    amount_closed: Annotated[Money, doc("Charged for the request.")]
    decision: Annotated[Outcome | UnsetType, doc("What was decided, by Rules or a pipeline.")] = (
        UNSET
    )
    reason: Annotated[DecisionReason | UnsetType | None, doc(REASON_ABOUT)] = UNSET
    retryable: Annotated[bool | UnsetType, doc(RETRYABLE_ABOUT)] = UNSET
    pipeline: Annotated[PipelineVersion | UnsetType, doc("The pipeline that ran.")] = UNSET
    signals: Annotated[
        dict[str, Any] | UnsetType,
        doc(
            "What rules could speak of before any stage had run. `velocity.` groups "
            "are lists in the order of their signals."
        ),
    ] = UNSET
    event: Annotated[
        dict[str, Any] | UnsetType,
        doc(
            "What Sentry remembers of a request to Rules or a pipeline; of one to "
            "Sentry alone it is in the result of its stage."
        ),
    ] = UNSET
    explanation: Annotated[
        Explanation | UnsetType,
        doc("What decided, why, and what would have changed it; not in lists."),
    ] = UNSET
    outcomes: Annotated[
        list[PaymentOutcome] | UnsetType,
        doc("What became of the payment, oldest first; not in lists."),
    ] = UNSET
    erased_at: Annotated[
        Timestamp | UnsetType, doc("When everything about the person was erased from this record.")
    ] = UNSET


class DecisionPage(CamelStruct):
    """A page of decision records, newest first."""

    decisions: list[PublicDecision]
    has_more: bool


def public_decision(
    record: DecisionRecord,
    currency: str,
    explanation: Explanation | None = None,
    outcomes: Sequence[PaymentOutcome] = (),
) -> PublicDecision:
    """A kept record in the shape of the API."""
    stages = [
        DecisionStage(
            name=stage.name,
            fee_type=stage.fee_type,
            fee=money(currency, stage.fee_micros),
            completed=stage.completed,
            duration_microseconds=stage.duration_microseconds,
            result=stage.result,
        )
        for stage in record.stages
    ]
    reason = reason_of(record)
    return PublicDecision(
        request_id=record.request_id,
        operation=record.operation,
        at=record.at,
        client_reference_id=record.client_reference_id,
        card=record.card,
        pipeline_stages=[stage.name for stage in stages],
        stages=stages,
        amount_authorized=money(currency, record.authorized_micros),
        amount_closed=money(currency, record.closed_micros),
        decision=UNSET if record.decision is None else record.decision,
        reason=UNSET if record.decision is None else reason,
        retryable=UNSET if record.decision is None else is_retryable(record.decision, reason),
        pipeline=UNSET if record.pipeline is None else record.pipeline,
        signals=UNSET if record.signals is None else record.signals,
        event=UNSET if record.event is None else dict(record.event.named()),
        explanation=UNSET if explanation is None else explanation,
        outcomes=list(outcomes) or UNSET,
        erased_at=UNSET if record.erased_at is None else record.erased_at,
    )


def outcome_of(decision: PublicDecision) -> Outcome | None:
    """What was decided, also by a function that was called alone."""
    if decision.decision is not UNSET:
        return decision.decision
    verdicts = []
    for stage in decision.stages:
        if stage.name not in REGISTRY:
            continue
        signals = REGISTRY.signals_of(stage.name, stage.result, completed=stage.completed)
        verdict = REGISTRY[stage.name].verdict_of(signals, ())
        if verdict is not None:
            verdicts.append(verdict)
    return strongest(verdicts) if verdicts else None
