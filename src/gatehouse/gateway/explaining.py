"""Says in words what a gateway answered, and what else it could have answered."""

from collections.abc import Mapping
from typing import Any, Final

from gatehouse.core.outcomes import Outcome
from gatehouse.core.stage import ResultChange, StageExplanation, StageFinding
from gatehouse.gateway.response import GatewayStatus

_TEXTS: Final[dict[str, str]] = {
    GatewayStatus.APPROVED: "The gateway approved the payment",
    GatewayStatus.DECLINED: "The gateway refused the payment",
    GatewayStatus.ERROR: "The gateway failed or was late, so that no payment stands",
}


def _findings(facts: Mapping[str, Any], _model: str | None) -> list[StageFinding]:
    status, code = str(facts.get("status")), facts.get("responseCode")
    said = _TEXTS.get(status, f"The gateway answered {status}")
    with_code = "" if code is None else f" (response code {code})"
    return [StageFinding(text=f"{said}{with_code}.", code=status)]


def _verdict(signals: Mapping[str, Any]) -> Outcome:
    approved = signals.get("gateway.status") == GatewayStatus.APPROVED
    return Outcome.ACCEPT if approved else Outcome.DECLINE


def _changes(facts: Mapping[str, Any], _model: str | None) -> list[ResultChange]:
    if facts.get("status") != GatewayStatus.DECLINED:
        return []
    approved = {"gateway.status": GatewayStatus.APPROVED.value, "gateway.responseCode": "00"}
    return [ResultChange(condition="the gateway had approved the payment", signals=approved)]


EXPLANATION: Final = StageExplanation(
    findings=_findings,
    verdict=_verdict,
    changes=_changes,
    told_whole=("gateway.status", "gateway.responseCode"),
)
