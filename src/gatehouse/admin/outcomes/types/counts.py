"""How often something became of payments, in groups that a meter tells apart."""

from typing import NamedTuple

from gatehouse.admin.outcomes.types.outcome import (
    DisputeResult,
    DisputeStage,
    OutcomeKind,
    OutcomeNetwork,
    is_fraud_reason,
    reason_of,
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
    authenticated: int = 0
    """Of settlements: those with 3-D Secure."""
    micros: int = 0
    told_authentication: int = 0
    """Of settlements: those that say whether they were authenticated."""
    happened: int = 0
    """Those that had happened by a moment that was asked for."""
    told: int = 0
    """Those that had been told by then, too."""
    in_time: int = 0
    """Those that were told before the end of the span."""

    @property
    def is_counted_report(self) -> bool:
        """Whether a reported fraud counts: not if evidence ended it before a dispute."""
        return (
            self.kind == OutcomeKind.FRAUD_REPORT and self.result != DisputeResult.RESOLVED_BEFORE
        )

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
        network = OutcomeNetwork(self.network)
        return self.reason is not None and is_fraud_reason(reason_of(network, self.reason))


class OutcomePlace(NamedTuple):
    """One outcome, its decision if that is known, and where it counts."""

    request_id: str | None
    at_ms: int
    group: OutcomeGroup
    """It alone."""
