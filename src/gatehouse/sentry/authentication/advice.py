"""Whether to authenticate a cardholder: a function of what is known and of the account's terms.

The order is that of the rules: what is out of scope, what needs the first authentication, then the
exemptions. The analysis of the risk comes before the low value, because an issuer counts payments
of low value and asks for authentication after a few of them.

Advice on one payment with what it follows from: told to callers, named in rules, recorded.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final, Self

import msgspec

from gatehouse.sentry.authentication.checklist import RiskAnswer
from gatehouse.sentry.authentication.known import (
    AuthenticationFacts,
    BandLimit,
    CardState,
    PaymentScope,
)
from gatehouse.sentry.authentication.terms import AuthenticationTerms, ExemptionPlacement
from gatehouse.sentry.costs import WHOLE


class ScaAction(StrEnum):
    """What to do with a payment."""

    EXEMPT = "EXEMPT"
    """Ask for the exemption."""
    FRICTIONLESS = "FRICTIONLESS"
    """Authenticate with 3-D Secure, and leave a challenge to the issuer."""
    CHALLENGE = "CHALLENGE"
    """Authenticate, and ask for a challenge."""
    OUT_OF_SCOPE = "OUT_OF_SCOPE"
    """The rules do not ask for authentication."""
    DECLINE = "DECLINE"
    """Not even a challenge would make it worth the risk."""


class AdvisedExemption(StrEnum):
    """Why authentication can be left out; the first six are those of `threeDSecure.exemption`."""

    LOW_VALUE = "LOW_VALUE"
    TRANSACTION_RISK_ANALYSIS = "TRANSACTION_RISK_ANALYSIS"
    TRUSTED_BENEFICIARY = "TRUSTED_BENEFICIARY"
    SECURE_CORPORATE_PAYMENT = "SECURE_CORPORATE_PAYMENT"
    RECURRING = "RECURRING"
    MERCHANT_INITIATED = "MERCHANT_INITIATED"
    ONE_LEG_OUT = "ONE_LEG_OUT"
    MAIL_OR_TELEPHONE = "MAIL_OR_TELEPHONE"
    ANONYMOUS_PREPAID = "ANONYMOUS_PREPAID"


class LiableParty(StrEnum):
    """Who bears a fraud, if the advice is followed and the issuer agrees."""

    MERCHANT = "MERCHANT"
    ISSUER = "ISSUER"


class ChallengeIndicator(StrEnum):
    """What is asked of the issuer in 3-D Secure, `threeDSRequestorChallengeInd`."""

    NO_PREFERENCE = "01"
    NO_CHALLENGE = "02"
    PREFERRED = "03"
    MANDATED = "04"
    RISK_ANALYSED = "05"
    ALREADY_AUTHENTICATED = "07"
    TRUSTED_LIST = "08"
    LOW_VALUE = "10"
    SECURE_CORPORATE = "11"


class ScaReason(StrEnum):
    """Why the advice is what it is."""

    RISK_TOO_HIGH = "RISK_TOO_HIGH"
    RISK_HIGH = "RISK_HIGH"
    RISK_NOT_LOW = "RISK_NOT_LOW"
    RISK_LOW = "RISK_LOW"
    ALREADY_AUTHENTICATED = "ALREADY_AUTHENTICATED"
    ACQUIRER_OUTSIDE = "ACQUIRER_OUTSIDE"
    ISSUER_OUTSIDE = "ISSUER_OUTSIDE"
    ISSUER_UNKNOWN = "ISSUER_UNKNOWN"
    MAIL_OR_TELEPHONE = "MAIL_OR_TELEPHONE"
    ANONYMOUS_CARD = "ANONYMOUS_CARD"
    PREPAID_NOT_ANONYMOUS = "PREPAID_NOT_ANONYMOUS"
    MERCHANT_INITIATED = "MERCHANT_INITIATED"
    NO_FIRST_AUTHENTICATION = "NO_FIRST_AUTHENTICATION"
    RECURRING = "RECURRING"
    FIRST_OF_SERIES = "FIRST_OF_SERIES"
    TRUSTED = "TRUSTED"
    CORPORATE = "CORPORATE"
    NO_AMOUNT = "NO_AMOUNT"
    NO_RATE = "NO_RATE"
    TRA_ALLOWED = "TRA_ALLOWED"
    ABOVE_ALL_BANDS = "ABOVE_ALL_BANDS"
    ACQUIRER_DOES_NOT_ASK = "ACQUIRER_DOES_NOT_ASK"
    OWN_RATE_ABOVE = "OWN_RATE_ABOVE"
    BAND_STOPPED = "BAND_STOPPED"
    POINT_FOUND = "POINT_FOUND"
    POINT_UNKNOWN = "POINT_UNKNOWN"
    LOW_VALUE = "LOW_VALUE"
    LOW_VALUE_OFF = "LOW_VALUE_OFF"
    ABOVE_LOW_VALUE = "ABOVE_LOW_VALUE"
    ONE_COUNTER_REACHED = "ONE_COUNTER_REACHED"
    COUNTERS_REACHED = "COUNTERS_REACHED"
    COUNTERS_UNKNOWN = "COUNTERS_UNKNOWN"
    NO_EXEMPTION = "NO_EXEMPTION"


class ScaAdvice(msgspec.Struct, frozen=True, omit_defaults=True):
    """The advice with its reasons."""

    advice: ScaAction
    in_scope: bool
    reasons: tuple[ScaReason, ...]
    exemption: AdvisedExemption | None = None
    placement: ExemptionPlacement | None = None
    challenge_indicator: ChallengeIndicator | None = None
    liability: LiableParty | None = None
    tra_band: int | None = None
    """The band that the amount falls into, by its largest amount in units of the currency."""


_AUTHENTICATION: Final = ExemptionPlacement.AUTHENTICATION
_AUTHORIZATION: Final = ExemptionPlacement.AUTHORIZATION
_OUT: Final = {
    PaymentScope.ISSUER_OUTSIDE: ScaReason.ISSUER_OUTSIDE,
    PaymentScope.ACQUIRER_OUTSIDE: ScaReason.ACQUIRER_OUTSIDE,
}


def advise_authentication(known: AuthenticationFacts, terms: AuthenticationTerms) -> ScaAdvice:
    """What to do with a payment."""
    if known.confidence < terms.decline_below:
        inside = known.scope not in _OUT
        return ScaAdvice(ScaAction.DECLINE, inside, (ScaReason.RISK_TOO_HIGH,))
    if known.authenticated:
        return ScaAdvice(
            ScaAction.FRICTIONLESS,
            known.scope not in _OUT,
            (ScaReason.ALREADY_AUTHENTICATED,),
            challenge_indicator=ChallengeIndicator.ALREADY_AUTHENTICATED,
            liability=LiableParty.ISSUER,
        )
    out = _out_of_scope(known)
    risky = known.confidence < terms.challenge_below
    if out is not None:
        reason, exemption = out
        return _challenged(known, reason) if risky else _outside(reason, exemption)
    if known.merchant_initiated:
        if known.has_reference:
            return _outside(ScaReason.MERCHANT_INITIATED, AdvisedExemption.MERCHANT_INITIATED)
        return _mandated(known, ScaReason.NO_FIRST_AUTHENTICATION)
    if known.recurring and not known.has_reference:
        return _mandated(known, ScaReason.FIRST_OF_SERIES)
    if risky:
        return _challenged(known)
    return _exempted(known, terms)


def _out_of_scope(known: AuthenticationFacts) -> tuple[ScaReason, AdvisedExemption | None] | None:
    """Why the rules do not ask for authentication, besides that the merchant started it."""
    if known.mail_or_telephone:
        return ScaReason.MAIL_OR_TELEPHONE, AdvisedExemption.MAIL_OR_TELEPHONE
    if known.anonymous_card:
        return ScaReason.ANONYMOUS_CARD, AdvisedExemption.ANONYMOUS_PREPAID
    if known.scope in _OUT:
        return _OUT[known.scope], AdvisedExemption.ONE_LEG_OUT
    return None


def _exempted(known: AuthenticationFacts, terms: AuthenticationTerms) -> ScaAdvice:
    """The first exemption that holds, or authentication with what spoke against each."""
    doubts = _doubts(known)
    if known.recurring:
        return _exempt(
            AdvisedExemption.RECURRING, (ScaReason.RECURRING, *doubts), terms, _AUTHORIZATION
        )
    if known.corporate:
        indicator = ChallengeIndicator.SECURE_CORPORATE if terms.latest_protocol else None
        reasons = (ScaReason.CORPORATE, *doubts)
        exemption = AdvisedExemption.SECURE_CORPORATE_PAYMENT
        return _exempt(exemption, reasons, terms, _AUTHORIZATION, indicator)
    if known.trusted:
        exemption, indicator = AdvisedExemption.TRUSTED_BENEFICIARY, ChallengeIndicator.TRUSTED_LIST
        return _exempt(exemption, (ScaReason.TRUSTED, *doubts), terms, _AUTHENTICATION, indicator)
    band = (
        None
        if known.limits is None or known.amount is None
        else (known.limits.band_of(known.amount))
    )
    against = _against_analysis(known, terms, band)
    if not against:
        certain = known.scope is PaymentScope.INSIDE
        advised = _exempt(
            AdvisedExemption.TRANSACTION_RISK_ANALYSIS,
            (ScaReason.TRA_ALLOWED, *doubts),
            terms,
            _AUTHORIZATION if certain else _AUTHENTICATION,
            ChallengeIndicator.RISK_ANALYSED,
        )
        return _in_band(advised, band)
    return _in_band(_low_value(known, terms, (*doubts, *against)), band)


def _doubts(known: AuthenticationFacts) -> tuple[ScaReason, ...]:
    found = []
    if known.scope is PaymentScope.ISSUER_UNKNOWN:
        found.append(ScaReason.ISSUER_UNKNOWN)
    if known.prepaid:
        found.append(ScaReason.PREPAID_NOT_ANONYMOUS)
    return tuple(found)


def _against_analysis(
    known: AuthenticationFacts, terms: AuthenticationTerms, band: BandLimit | None
) -> list[ScaReason]:
    """Everything that keeps article 18 from being used."""
    found = []
    if known.amount is None:
        found.append(ScaReason.NO_RATE if known.no_rate else ScaReason.NO_AMOUNT)
    elif band is None:
        found.append(ScaReason.ABOVE_ALL_BANDS)
    elif band.up_to > terms.tra_up_to:
        found.append(ScaReason.ACQUIRER_DOES_NOT_ASK)
    elif terms.measured is not None:
        measured = terms.measured
        if band.up_to in measured.stopped:
            found.append(ScaReason.BAND_STOPPED)
        if not band.allows(measured.fraud, measured.total):
            found.append(ScaReason.OWN_RATE_ABOVE)
    answers = {each.answer for each in known.checklist}
    if RiskAnswer.FOUND in answers:
        found.append(ScaReason.POINT_FOUND)
    if RiskAnswer.UNKNOWN in answers:
        found.append(ScaReason.POINT_UNKNOWN)
    if known.confidence < terms.exempt_from:
        found.append(ScaReason.RISK_NOT_LOW)
    return found


def _low_value(
    known: AuthenticationFacts, terms: AuthenticationTerms, against: tuple[ScaReason, ...]
) -> ScaAdvice:
    """The exemption for a low value, or authentication."""
    limits, amount = known.limits, known.amount
    if not terms.low_value:
        return _authenticated(known, terms, (*against, ScaReason.LOW_VALUE_OFF))
    if limits is None or amount is None:
        return _authenticated(known, terms, against)
    if amount > limits.low_amount:
        return _authenticated(known, terms, (*against, ScaReason.ABOVE_LOW_VALUE))
    counted = _counters(known.card, limits.low_sum, limits.low_count)
    if counted is ScaReason.COUNTERS_REACHED:
        return _authenticated(known, terms, (*against, counted))
    indicator = ChallengeIndicator.LOW_VALUE if terms.latest_protocol else None
    doubts = () if counted is None else (counted,)
    # An issuer keeps one of two counters and does not say which: where one of them may be reached,
    # a refusal had better become a challenge than a second try.
    sure = counted is None and known.scope is PaymentScope.INSIDE
    placement = _AUTHORIZATION if sure else _AUTHENTICATION
    reasons = (ScaReason.LOW_VALUE, *against, *doubts)
    return _exempt(AdvisedExemption.LOW_VALUE, reasons, terms, placement, indicator)


def _counters(card: CardState | None, most: int, times: int) -> ScaReason | None:
    """What is to be said of the counters since the last authentication; None where both hold."""
    if card is None:
        return ScaReason.COUNTERS_UNKNOWN
    few = card.count <= times
    if card.sum is None:
        return ScaReason.COUNTERS_UNKNOWN if few else ScaReason.COUNTERS_REACHED
    little = card.sum <= most
    if few and little:
        return None
    return ScaReason.ONE_COUNTER_REACHED if few or little else ScaReason.COUNTERS_REACHED


def _exempt(
    exemption: AdvisedExemption,
    reasons: tuple[ScaReason, ...],
    terms: AuthenticationTerms,
    placement: ExemptionPlacement,
    indicator: ChallengeIndicator | None = None,
) -> ScaAdvice:
    return ScaAdvice(
        ScaAction.EXEMPT,
        True,
        reasons,
        exemption,
        terms.placement or placement,
        indicator or ChallengeIndicator.NO_CHALLENGE,
        LiableParty.MERCHANT,
    )


def _outside(reason: ScaReason, exemption: AdvisedExemption | None) -> ScaAdvice:
    return ScaAdvice(
        ScaAction.OUT_OF_SCOPE,
        False,
        (reason,),
        exemption,
        _AUTHORIZATION,
        liability=LiableParty.MERCHANT,
    )


def _authenticated(
    known: AuthenticationFacts, terms: AuthenticationTerms, reasons: tuple[ScaReason, ...]
) -> ScaAdvice:
    """3-D Secure without a wish for a challenge."""
    low = known.confidence >= terms.exempt_from
    more = (ScaReason.NO_EXEMPTION, ScaReason.RISK_LOW) if low else (ScaReason.NO_EXEMPTION,)
    return ScaAdvice(
        ScaAction.FRICTIONLESS,
        True,
        (*more, *reasons),
        placement=_AUTHENTICATION,
        challenge_indicator=ChallengeIndicator.NO_CHALLENGE
        if low
        else ChallengeIndicator.NO_PREFERENCE,
        liability=LiableParty.ISSUER,
    )


def _challenged(known: AuthenticationFacts, *more: ScaReason) -> ScaAdvice:
    """The risk is high, whatever the rules allow."""
    return ScaAdvice(
        ScaAction.CHALLENGE,
        known.scope not in _OUT and not more,
        (ScaReason.RISK_HIGH, *more),
        placement=_AUTHENTICATION,
        challenge_indicator=ChallengeIndicator.PREFERRED,
        liability=LiableParty.ISSUER,
    )


def _mandated(known: AuthenticationFacts, reason: ScaReason) -> ScaAdvice:
    """The rules ask for authentication whatever the risk is."""
    return ScaAdvice(
        ScaAction.CHALLENGE,
        True,
        (reason, *_doubts(known)),
        placement=_AUTHENTICATION,
        challenge_indicator=ChallengeIndicator.MANDATED,
        liability=LiableParty.ISSUER,
    )


def _in_band(advice: ScaAdvice, band: BandLimit | None) -> ScaAdvice:
    if band is None:
        return advice
    return msgspec.structs.replace(advice, tra_band=band.up_to)


FACT = "sca"
"""Its name among the facts that a record keeps of Sentry."""


class AdvisedPayment(msgspec.Struct, frozen=True):
    """The advice, what was known, and what the account had chosen."""

    known: AuthenticationFacts
    terms: AuthenticationTerms
    advice: ScaAdvice
    table_as_of: str
    rates_as_of: str

    @classmethod
    def of(
        cls, known: AuthenticationFacts, terms: AuthenticationTerms, days: tuple[str, str]
    ) -> Self:
        """The advice on a payment; `days` are those of the table and of its rates."""
        return cls(known, terms, advise_authentication(known, terms), *days)

    def at(self, confidence: float) -> "AdvisedPayment":
        """The same payment with another confidence."""
        known = msgspec.structs.replace(self.known, confidence=round(confidence * WHOLE))
        return AdvisedPayment.of(known, self.terms, (self.table_as_of, self.rates_as_of))

    @property
    def signals(self) -> dict[str, Any]:
        """What rules can say about it; what it does not advise is unknown."""
        advice = self.advice
        named = {
            "advice": advice.advice,
            "exemption": advice.exemption,
            "placement": advice.placement,
            "challengeIndicator": advice.challenge_indicator,
            "liability": advice.liability,
        }
        found: dict[str, Any] = {
            f"sentry.scaAdvice.{name}": str(word) for name, word in named.items() if word
        }
        found["sentry.scaAdvice.inScope"] = advice.in_scope
        return found

    @property
    def facts(self) -> dict[str, Any]:
        """The same for the decision record."""
        kept: dict[str, Any] = msgspec.to_builtins(self)
        return kept

    @classmethod
    def recorded(cls, facts: Mapping[str, Any]) -> "AdvisedPayment | None":
        """What the facts of Sentry keep; None where no advice was asked for."""
        kept = facts.get(FACT)
        return msgspec.convert(kept, cls) if kept else None
