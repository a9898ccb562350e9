"""Sentry's answer, in the words of the API."""

from collections.abc import Mapping
from typing import Annotated, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType

from gatehouse.core.api_values import CamelStruct, JsonAmount, doc
from gatehouse.core.money import format_amount
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.sentry.authentication.account_info import ThreeDSecureData
from gatehouse.sentry.authentication.told import ScaAdviceField
from gatehouse.sentry.costs import CostAdvice, CostPreset, micros_of

NAME: Final = "Sentry"
"""Of the stage, in answers and records."""
FEE_TYPE: Final = "SENTRY"


class Reason(msgspec.Struct, frozen=True, gc=False):
    """One thing that moved the score."""

    code: Annotated[str, doc("Which signal; docs/signals.md lists them all.")]
    effect: Annotated[float, doc("What it added to the log-odds that the request is legitimate.")]
    text: Annotated[str, doc("The same in words.")]


Reasons = Annotated[list[Reason], doc("What mattered, strongest first.")]
Score = Annotated[float, Meta(ge=0, le=1)]


class CostsTold(msgspec.Struct, frozen=True, gc=False):
    """What each outcome would cost the account, and which is cheapest."""

    advice: Annotated[Outcome, doc("The cheapest; of equal ones, the mildest.")]
    preset: Annotated[CostPreset, doc("How losses by fraud were weighed.")]
    currency: Annotated[str, doc("ISO 4217 code.", "USD")]
    accept: Annotated[JsonAmount, doc("Expected cost of accepting.", 1.25)]
    review: Annotated[JsonAmount, doc("Expected cost of a review.", 3.05)]
    decline: Annotated[JsonAmount, doc("Expected cost of declining.", 14.67)]


ExpectedCostsField = Annotated[
    CostsTold | UnsetType,
    doc("Only where the account has costs of its own, and for their currency."),
]


ThreeDSecureDataField = Annotated[
    ThreeDSecureData | UnsetType,
    doc(
        "For a 3-D Secure server, in its own names and codes; only where the account "
        "asks for it. What is not known is left out."
    ),
]


class OutcomeScoresTold(CamelStruct, gc=False):
    """How probable each outcome is, as far as the account's model has learned it."""

    fraud_dispute: Annotated[Score | UnsetType, doc("That it is disputed as fraud, 0 to 1.")] = (
        UNSET
    )
    reported_fraud: Annotated[Score | UnsetType, doc("That it is reported as fraud.")] = UNSET
    card_testing: Annotated[Score | UnsetType, doc("That a stolen card is tried out.")] = UNSET
    abuse: Annotated[Score | UnsetType, doc("That the cardholder misuses the order.")] = UNSET


OutcomeScoresField = Annotated[
    OutcomeScoresTold | UnsetType, doc("Only where the account's model has learned such scores.")
]


def told_outcomes(scores: Mapping[str, float] | None) -> OutcomeScoresTold | UnsetType:
    """The scores of outcomes as the API tells them."""
    return UNSET if not scores else msgspec.convert(scores, OutcomeScoresTold)


def told_costs(advice: CostAdvice | None) -> CostsTold | UnsetType:
    """The costs of an order as the API tells them."""
    if advice is None:
        return UNSET
    currency = advice.terms.currency
    amounts = [
        msgspec.Raw(format_amount(micros_of(cost, currency)).encode()) for cost in advice.costs
    ]
    return CostsTold(advice.advice, advice.terms.preset, currency, *amounts)


class SentryResponse(CamelStruct):
    """How far the request can be trusted."""

    request_confidence: Annotated[Score, doc("Confidence that the request is legitimate, 0 to 1.")]
    reasons: Reasons
    costs: ExpectedCostsField = UNSET
    outcome_scores: OutcomeScoresField = UNSET
    sca_advice: ScaAdviceField = UNSET
    three_d_secure_data: ThreeDSecureDataField = UNSET


class SentryInPipeline(CamelStruct):
    """The same as a part of a pipeline's answer."""

    ip_score: Annotated[Score, doc("The same confidence from what is known of the address alone.")]
    request_score: Annotated[Score, doc("Confidence that the request is legitimate, 0 to 1.")]
    reasons: Reasons
    costs: ExpectedCostsField = UNSET
    outcome_scores: OutcomeScoresField = UNSET
    sca_advice: ScaAdviceField = UNSET
    three_d_secure_data: ThreeDSecureDataField = UNSET
