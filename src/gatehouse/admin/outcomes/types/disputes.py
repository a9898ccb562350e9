"""An outcome as other subjects read it: what happened, to which decision, and until when to act."""

import msgspec

from gatehouse.admin.outcomes.types.outcome import (
    DisputeResult,
    DisputeStage,
    OutcomeKind,
    OutcomeNetwork,
)


class KnownOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """Something that became of a payment, with its times in milliseconds and its exact amount."""

    kind: OutcomeKind
    reference: str
    at_ms: int
    network: OutcomeNetwork
    request_id: str | None = None
    merchant_id: str | None = None
    amount: int | None = None
    """In millionths of the currency."""
    currency: str | None = None
    reason: str | None = None
    stage: DisputeStage | None = None
    result: DisputeResult | None = None
    respond_by_ms: int | None = None
