"""PreCheck as it declares itself to the rest of the service."""

from collections.abc import Mapping
from typing import Any, Final, Protocol

import msgspec

from gatehouse.core.stages.outcomes import DecisionReason, OnFailure, Outcome
from gatehouse.core.stages.signal import Type, describe_signal, text_signals
from gatehouse.core.stages.stage import (
    AnsweredAgain,
    OperationSpec,
    RecordedResult,
    Stage,
    StageOptions,
    StageReason,
    StageRequest,
    StageResponse,
    StageSignals,
    StageSpec,
)
from gatehouse.precheck.explaining import EXPLANATION
from gatehouse.precheck.issuer import Issuer
from gatehouse.precheck.policy import PreCheckPolicy
from gatehouse.precheck.request import PreCheckRequest
from gatehouse.precheck.response import (
    FEE_TYPE,
    NAME,
    Advice,
    AvsResult,
    CardSummary,
    Cvv2Result,
    PreCheckResponse,
)

_TEXTS: Final = {
    "precheck.advice": "advice",
    "precheck.avsResult": "avsResult",
    "precheck.cvv2Result": "cvv2Result",
}
_WORDS: Final = {
    Advice.DECLINE: DecisionReason.ISSUER_DECLINED,
    Advice.RETRY: DecisionReason.ISSUER_UNAVAILABLE,
    Advice.FRAUD: DecisionReason.FRAUD,
    Advice.INPUT_ERROR: DecisionReason.INPUT,
}
_ACCEPTED: Final = StageReason(Outcome.ACCEPT, DecisionReason.OTHER)


class PreCheckParties(Protocol):
    """Whom PreCheck asks."""

    @property
    def issuer(self) -> Issuer:
        """Answers for cards."""


def _build(parties: PreCheckParties, options: StageOptions) -> Stage:
    from gatehouse.precheck.stage import PreCheckStage

    return PreCheckStage(
        parties.issuer,
        time_limit_ms=options.time_limit_ms,
        refuse_test_cards=options.is_production,
    )


def _recorded(result: RecordedResult) -> AnsweredAgain | None:
    if result.card is None:
        return None
    fields = {**result.facts, "card": msgspec.to_builtins(result.card)}
    return AnsweredAgain(msgspec.convert(fields, PreCheckResponse))


def _read_signals(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {**text_signals(facts, _TEXTS), "precheck.reasons": list(facts.get("reasons", ()))}


def _reason(facts: Mapping[str, Any]) -> StageReason:
    advice = facts["advice"]
    if advice == Advice.ACCEPT:
        return _ACCEPTED
    word = _WORDS[advice]
    # Codes that begin so are those of the account's policy; see `precheck.advice`.
    by_policy = facts["reasons"][:1] and facts["reasons"][0].startswith(("avs_", "cvv2_"))
    if by_policy and word is DecisionReason.ISSUER_DECLINED:
        word = DecisionReason.PRECHECK_POLICY
    return StageReason(Outcome.DECLINE, word)


_SIGNALS: Final = (
    describe_signal("precheck.advice", Type.TEXT, "What PreCheck advises.", "'DECLINE'", Advice),
    describe_signal(
        "precheck.avsResult",
        Type.TEXT,
        "How the address compares with the issuer's.",
        "'NO_MATCH'",
        AvsResult,
    ),
    describe_signal(
        "precheck.cvv2Result",
        Type.TEXT,
        "How the security code compares.",
        "'NO_MATCH'",
        Cvv2Result,
    ),
    describe_signal(
        "precheck.reasons",
        Type.WORDS,
        "Codes that say why the advice is what it is.",
        "HAS(precheck.reasons, 'card_expired')",
    ),
    describe_signal("precheck.completed", Type.BOOLEAN, "PreCheck ran to its end."),
)
_EXAMPLE: Final = PreCheckResponse(
    Advice.ACCEPT,
    AvsResult.FULL_MATCH,
    Cvv2Result.MATCH,
    CardSummary("VISA", "GB", "CREDIT", prepaid=False, bin="42424242", last_four="4242"),
    ["approved"],
)

PRE_CHECK: Final = StageSpec(
    name=NAME,
    fee_type=FEE_TYPE,
    default_fee_micros=50_000,
    place=30,
    build=_build,
    time_limit_setting="precheck_timeout_ms",
    policy_type=PreCheckPolicy,
    request=StageRequest(
        type=PreCheckRequest,
        field="preCheckRequest",
        about="For PreCheck, and the card that Gateway charges.",
        card=PreCheckRequest.card,
    ),
    response=StageResponse(
        type=PreCheckResponse, field="preCheckResponse", recorded=_recorded, example=_EXAMPLE
    ),
    needs=("preCheckRequest",),
    decides=True,
    reason=_reason,
    stop_when="precheck.advice <> 'ACCEPT'",
    on_failure=OnFailure.STOP,
    explanation=EXPLANATION,
    signals=StageSignals(prefix="precheck", catalogue=_SIGNALS, read=_read_signals),
    operation=OperationSpec(
        name="precheck",
        title="PreCheck",
        about=(
            "Validates card details with the issuer: returns the address (AVS) and security "
            "code (CVV2) results and a recommended action. `advice` can be any of its values "
            "while `isSuccess` is true."
        ),
        request_type=PreCheckRequest,
        response_type=PreCheckResponse,
        example=_EXAMPLE,
        mistaken={"cardNumber": "4242 4242 4242 4242"},
    ),
)
