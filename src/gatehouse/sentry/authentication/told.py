"""Advice on authentication in the words of the API."""

from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from gatehouse.core.api_values import CamelStruct, Money, Timestamp, doc, money
from gatehouse.core.clock import iso_time
from gatehouse.core.filling import filled
from gatehouse.sentry.authentication.advice import (
    AdvisedExemption,
    AdvisedPayment,
    ChallengeIndicator,
    LiableParty,
    ScaAction,
    ScaReason,
)
from gatehouse.sentry.authentication.checklist import RiskAnswer, RiskPoint
from gatehouse.sentry.authentication.known import AuthenticationFacts
from gatehouse.sentry.authentication.sentences import REASONS
from gatehouse.sentry.authentication.table import MILLION
from gatehouse.sentry.authentication.terms import ExemptionPlacement


class ScaReasonTold(msgspec.Struct, frozen=True, gc=False):
    """One reason for the advice."""

    code: Annotated[ScaReason, doc("Which reason; docs/authentication.md has all.")]
    text: Annotated[str, doc("The same in words.")]


class RiskPointTold(msgspec.Struct, frozen=True):
    """One of the six points of article 18."""

    point: Annotated[RiskPoint, doc("What must not have been found.")]
    answer: Annotated[RiskAnswer, doc("Whether it was.")]
    by: Annotated[list[str], doc("What answered it: codes of Sentry's reasons.")]


class CardCountersTold(CamelStruct):
    """What this account has seen of the card since it was last authenticated."""

    count: Annotated[int, doc("Payments before this one.")]
    sum: Annotated[Money | None, doc("What they came to; null where nobody can tell.")]
    authenticated_at: Annotated[
        Timestamp | None, doc("When it was authenticated; null when it never was.")
    ]


class RiskBandTold(CamelStruct):
    """The band of article 18 that the amount falls into."""

    up_to: Annotated[Money, doc("Its largest amount.")]
    reference_rate: Annotated[float, doc("Largest share of fraud in the value of all payments.")]
    own_rate: Annotated[
        float | None, doc("The account's own share; null while it is not measured.")
    ]


class ScaAdviceTold(CamelStruct):
    """Whether to authenticate the cardholder, and how to ask."""

    in_scope: Annotated[bool, doc("Whether the rules ask for authentication.")]
    advice: Annotated[ScaAction, doc("What to do.")]
    exemption: Annotated[AdvisedExemption | None, doc("Why it can be left out.")]
    placement: Annotated[
        ExemptionPlacement | None, doc("Where to ask: 3-D Secure, or the payment.")
    ]
    challenge_indicator: Annotated[
        ChallengeIndicator | None,
        doc("`threeDSRequestorChallengeInd` of the authentication request."),
    ]
    liability: Annotated[LiableParty | None, doc("Who bears a fraud if the issuer agrees.")]
    regime: Annotated[str | None, doc("Whose rules hold; null where none do.")]
    amount: Annotated[
        Money | None, doc("The amount as it was compared; null without one or without a rate.")
    ]
    tra_band: Annotated[RiskBandTold | None, doc("Null where the amount falls into none.")]
    counters: Annotated[CardCountersTold | None, doc("Null without a known card.")]
    checklist: Annotated[list[RiskPointTold], doc("The six points of article 18, one by one.")]
    reasons: Annotated[list[ScaReasonTold], doc("Why, what decided first.")]
    table_as_of: Annotated[str, doc("Day of the table of limits.")]
    rates_as_of: Annotated[str, doc("Day of the rates of currencies.")]


ScaAdviceField = Annotated[
    ScaAdviceTold | UnsetType, doc("Only where the account asks for advice on authentication.")
]


def told_advice(advised: AdvisedPayment | None) -> ScaAdviceTold | UnsetType:
    """Advice as the API tells it."""
    if advised is None:
        return UNSET
    known, advice = advised.known, advised.advice
    limits = known.limits
    return filled(
        ScaAdviceTold,
        advice,
        regime=None if limits is None else limits.regime,
        amount=_money(known, known.amount),
        tra_band=_band(advised),
        counters=_counters(known),
        checklist=[RiskPointTold(each.point, each.answer, [*each.by]) for each in known.checklist],
        reasons=[ScaReasonTold(each, REASONS[each]) for each in advice.reasons],
        table_as_of=advised.table_as_of,
        rates_as_of=advised.rates_as_of,
    )


def _money(known: AuthenticationFacts, micros: int | None) -> Money | None:
    if micros is None or known.limits is None:
        return None
    return money(known.limits.currency, micros)


def _band(advised: AdvisedPayment) -> RiskBandTold | None:
    limits, up_to = advised.known.limits, advised.advice.tra_band
    if limits is None or up_to is None:
        return None
    band = next(each for each in limits.bands if each.up_to == up_to)
    own = advised.terms.measured
    rate = None if own is None or not own.total else round(own.fraud / own.total, 6)
    return RiskBandTold(money(limits.currency, band.micros), band.reference_rate / MILLION, rate)


def _counters(known: AuthenticationFacts) -> CardCountersTold | None:
    card = known.card
    if card is None:
        return None
    at_s = card.authenticated_s
    return CardCountersTold(
        card.count, _money(known, card.sum), None if at_s is None else iso_time(at_s * 1000)
    )
