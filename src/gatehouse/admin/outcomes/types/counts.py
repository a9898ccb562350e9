"""How often something became of payments, in groups that a meter tells apart."""

from typing import NamedTuple

from gatehouse.admin.outcomes.types.outcome import (
    DisputeResult,
    DisputeStage,
    OutcomeKind,
    is_fraud_reason,
)


class OutcomeGroup(NamedTuple):
    """Outcomes that are alike."""

    network: str
    merchant_id: str | None
    region: str | None
    kind: str
    reason: str | None
    stage: str | None
    result: str | None
    currency: str | None
    number: int
    authenticated: int
    """Of settlements: those with 3-D Secure."""
    micros: int

    @property
    def is_counted_dispute(self) -> bool:
        """Whether it counts: what a tool settled before, and a mere question, do not."""
        return (
            self.kind == OutcomeKind.DISPUTE
            and self.result != DisputeResult.RESOLVED_BEFORE
            and self.stage != DisputeStage.INQUIRY
        )

    @property
    def is_fraud(self) -> bool:
        """Whether a dispute says that the cardholder did not pay."""
        return is_fraud_reason(self.reason)
