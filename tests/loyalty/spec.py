"""Loyalty as it declares itself to the rest of the service."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from gatehouse.core.stages.case import Case, ClientReferenceField, StageResult
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.stages.signal import Type, describe_signal, text_signals
from gatehouse.core.stages.stage import (
    OperationSpec,
    Stage,
    StageOptions,
    StageRequest,
    StageResponse,
    StageSignals,
    StageSpec,
)


class Level(StrEnum):
    """How loyal a customer is."""

    GOLD = "GOLD"
    NEW = "NEW"


class LoyaltyRequest(msgspec.Struct, frozen=True, rename="camel"):
    """Whose loyalty is asked for."""

    member_id: Annotated[
        str, Meta(min_length=1, description="Number of the member.", examples=["gold-17"])
    ]
    client_reference_id: ClientReferenceField = None


class LoyaltyResponse(msgspec.Struct, frozen=True, rename="camel"):
    """What Loyalty answers."""

    level: Annotated[Level, Meta(description="The member's level.")]


class LoyaltyPolicy(msgspec.Struct, frozen=True):
    """What an account can choose."""

    prefix: str = "gold-"


class LoyaltyStage:
    """Knows members by their numbers."""

    name = "Loyalty"
    fee_type = "LOYALTY"

    def __init__(self, *, time_limit_ms: int) -> None:
        self.time_limit_ms = time_limit_ms

    async def run(self, case: Case) -> StageResult:
        policy = case.policies.find(LoyaltyPolicy) or LoyaltyPolicy()
        is_gold = case.input(LoyaltyRequest).member_id.startswith(policy.prefix)
        level = Level.GOLD if is_gold else Level.NEW
        verdict = Outcome.ACCEPT if is_gold else Outcome.REVIEW
        return StageResult(LoyaltyResponse(level), True, {"level": level}, verdict=verdict)

    def unavailable(self, case: Case) -> StageResult:
        return StageResult(LoyaltyResponse(Level.NEW), False, {"level": Level.NEW})


def _build(_parties: object, options: StageOptions) -> Stage:
    return LoyaltyStage(time_limit_ms=options.time_limit_ms)


def _read_signals(facts: Mapping[str, Any]) -> dict[str, Any]:
    return text_signals(facts, {"loyalty.level": "level"})


LOYALTY: Final = StageSpec(
    name=LoyaltyStage.name,
    fee_type=LoyaltyStage.fee_type,
    default_fee_micros=5_000,
    place=15,
    build=_build,
    policy_type=LoyaltyPolicy,
    request=StageRequest(type=LoyaltyRequest, field="loyaltyRequest", about="For Loyalty."),
    response=StageResponse(type=LoyaltyResponse, field="loyaltyResponse"),
    needs=("loyaltyRequest",),
    decides=True,
    stop_when="loyalty.level = 'NEW' AND order.amount > 1000",
    signals=StageSignals(
        prefix="loyalty",
        catalogue=(
            describe_signal("loyalty.level", Type.TEXT, "The level.", "'GOLD'", ("GOLD", "NEW")),
            describe_signal("loyalty.completed", Type.BOOLEAN, "Loyalty ran to its end."),
        ),
        read=_read_signals,
    ),
    operation=OperationSpec(
        name="loyalty",
        title="Loyalty",
        about="Says how loyal a customer is.",
        request_type=LoyaltyRequest,
        response_type=LoyaltyResponse,
        example=LoyaltyResponse(Level.GOLD),
        mistaken={"memberId": ""},
    ),
)
