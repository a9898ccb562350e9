"""Says in words what a gateway answered, and what else it could have answered."""

from collections.abc import Mapping
from typing import Any, Final

from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.stages.stage import ResultChange, StageExplanation, StageFinding
from gatehouse.core.wording.sentences import Phrase, phrases_of
from gatehouse.gateway.response import GatewayStatus

_TEXTS: Final = phrases_of(
    "gateway",
    {
        GatewayStatus.APPROVED: "The gateway approved the payment",
        GatewayStatus.DECLINED: "The gateway refused the payment",
        GatewayStatus.ERROR: "The gateway failed or was late, so that no payment stands",
    },
)
_ANSWERED: Final = Phrase("gateway.answered", "The gateway answered {status}")
_SAID: Final = Phrase("gateway.said", "{answer}.")
_WITH_CODE: Final = Phrase("gateway.with_code", "{answer} (response code {code}).")
_HAD_APPROVED: Final = Phrase("gateway.had_approved", "the gateway had approved the payment")


def _findings(facts: Mapping[str, Any], _model: str | None) -> list[StageFinding]:
    status, code = str(facts.get("status")), facts.get("responseCode")
    answer = _TEXTS[status]() if status in _TEXTS else _ANSWERED(status=status)
    said = _SAID(answer=answer) if code is None else _WITH_CODE(answer=answer, code=str(code))
    return [StageFinding(text=said, code=status)]


def _verdict(signals: Mapping[str, Any]) -> Outcome:
    approved = signals.get("gateway.status") == GatewayStatus.APPROVED
    return Outcome.ACCEPT if approved else Outcome.DECLINE


def _changes(facts: Mapping[str, Any], _model: str | None) -> list[ResultChange]:
    if facts.get("status") != GatewayStatus.DECLINED:
        return []
    approved = {"gateway.status": GatewayStatus.APPROVED.value, "gateway.responseCode": "00"}
    return [ResultChange(condition=_HAD_APPROVED(), signals=approved)]


EXPLANATION: Final = StageExplanation(
    findings=_findings,
    verdict=_verdict,
    changes=_changes,
    told_whole=("gateway.status", "gateway.responseCode"),
)
