"""Gateway as it declares itself to the rest of the service."""

from typing import TYPE_CHECKING, Final, Protocol

from gatehouse.core.stages.outcomes import DecisionReason, OnFailure, Outcome
from gatehouse.core.stages.signal import Type, describe_signal, text_signals
from gatehouse.core.stages.stage import (
    PAYMENT,
    Stage,
    StageOptions,
    StageReason,
    StageRequest,
    StageResponse,
    StageSignals,
    StageSpec,
)
from gatehouse.gateway.explaining import EXPLANATION
from gatehouse.gateway.request import GatewayRequest
from gatehouse.gateway.response import FEE_TYPE, NAME, GatewayResponse, GatewayStatus

if TYPE_CHECKING:
    from gatehouse.gateway.port import PaymentGateway

_TEXTS: Final = {"gateway.status": "status", "gateway.responseCode": "responseCode"}
_REASONS: Final = {
    GatewayStatus.APPROVED: StageReason(Outcome.ACCEPT, DecisionReason.OTHER),
    GatewayStatus.DECLINED: StageReason(Outcome.DECLINE, DecisionReason.GATEWAY_DECLINED),
    GatewayStatus.ERROR: StageReason(Outcome.DECLINE, DecisionReason.GATEWAY_ERROR),
}


class GatewayParties(Protocol):
    """Whom Gateway asks."""

    @property
    def gateway(self) -> "PaymentGateway":
        """Collects payments."""


def _build(parties: GatewayParties, options: StageOptions) -> Stage:
    from gatehouse.gateway.stage import GatewayStage

    return GatewayStage(parties.gateway, time_limit_ms=options.time_limit_ms)


GATEWAY: Final = StageSpec(
    name=NAME,
    fee_type=FEE_TYPE,
    default_fee_micros=30_000,
    place=50,
    build=_build,
    time_limit_setting="gateway_timeout_ms",
    request=StageRequest(
        type=GatewayRequest,
        field="gatewayRequest",
        about="What Gateway charges; otherwise `sentryRequest.order` says it.",
    ),
    response=StageResponse(
        type=GatewayResponse,
        field="gatewayResponse",
        example=GatewayResponse(
            GatewayStatus.APPROVED,
            "00",
            "410263",
            "pay_01kcb5f6y3mzq8vd0e2h4x7n9t",
            "sandbox",
            "791495560829905",
        ),
    ),
    reads=("sentryRequest",),
    needs=("preCheckRequest", PAYMENT),
    decides=True,
    reason=lambda facts: _REASONS[facts["status"]],
    on_failure=OnFailure.STOP,
    pays=True,
    explanation=EXPLANATION,
    signals=StageSignals(
        prefix="gateway",
        catalogue=(
            describe_signal(
                "gateway.status", Type.TEXT, "The answer.", "'DECLINED'", GatewayStatus
            ),
            describe_signal(
                "gateway.responseCode", Type.TEXT, "The gateway's code for its answer.", "'05'"
            ),
            describe_signal("gateway.completed", Type.BOOLEAN, "The gateway answered in time."),
        ),
        read=lambda facts: text_signals(facts, _TEXTS),
    ),
)
