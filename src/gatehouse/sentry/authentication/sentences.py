"""Advice on authentication in words, which can be said in other languages."""

from typing import Final

from gatehouse.core.wording.sentences import Phrase, Sentence, listed, phrases_of
from gatehouse.sentry.authentication.advice import AdvisedPayment, ScaReason
from gatehouse.sentry.authentication.checklist import RiskAnswer

REASONS: Final = {
    ScaReason.RISK_TOO_HIGH: "The confidence is below what the account authenticates at all.",
    ScaReason.RISK_HIGH: "The confidence is below what the account leaves without a challenge.",
    ScaReason.RISK_NOT_LOW: "The confidence is below what the account calls a low risk.",
    ScaReason.RISK_LOW: "The risk is low, so no challenge is asked for.",
    ScaReason.ALREADY_AUTHENTICATED: "3-D Secure has authenticated this payment already.",
    ScaReason.ACQUIRER_OUTSIDE: "The acquirer is in no region that asks for authentication.",
    ScaReason.ISSUER_OUTSIDE: "The card's issuer is outside of the acquirer's region.",
    ScaReason.ISSUER_UNKNOWN: "The issuer's country is not known; it is taken to be inside.",
    ScaReason.MAIL_OR_TELEPHONE: "Orders by letter or phone are no electronic payments.",
    ScaReason.ANONYMOUS_CARD: "Anonymous prepaid cards are out of scope.",
    ScaReason.PREPAID_NOT_ANONYMOUS: "The card is prepaid; only an anonymous one is out of scope.",
    ScaReason.MERCHANT_INITIATED: "The merchant started it, and its mandate was authenticated.",
    ScaReason.NO_FIRST_AUTHENTICATION: "The merchant started it without the reference of an "
    "authenticated payment, so its mandate has to be authenticated.",
    ScaReason.RECURRING: "It continues a series whose first payment was authenticated "
    "(article 14).",
    ScaReason.FIRST_OF_SERIES: "The first payment of a series has to be authenticated "
    "(article 14).",
    ScaReason.TRUSTED: "The payer has put the merchant on the issuer's list (article 13).",
    ScaReason.CORPORATE: "It is paid by a secure process of a company (article 17).",
    ScaReason.NO_AMOUNT: "Without an amount neither article 16 nor article 18 can be used.",
    ScaReason.NO_RATE: "There is no rate for the currency, so the amount cannot be compared.",
    ScaReason.TRA_ALLOWED: "The analysis of the risk found none of the six points, and the rates "
    "of fraud allow the amount (article 18).",
    ScaReason.ABOVE_ALL_BANDS: "The amount is above every band of article 18.",
    ScaReason.ACQUIRER_DOES_NOT_ASK: "The acquirer does not ask for article 18 at this amount.",
    ScaReason.OWN_RATE_ABOVE: "The account's own rate of fraud is above the reference rate.",
    ScaReason.BAND_STOPPED: "The rate was exceeded for two quarters running (article 20).",
    ScaReason.POINT_FOUND: "Some of the six points of article 18 were found.",
    ScaReason.POINT_UNKNOWN: "Some of the six points of article 18 could not be answered.",
    ScaReason.LOW_VALUE: "The amount is low (article 16).",
    ScaReason.LOW_VALUE_OFF: "The account does not use article 16.",
    ScaReason.ABOVE_LOW_VALUE: "The amount is above the limit of article 16.",
    ScaReason.ONE_COUNTER_REACHED: "One of the two counters since the last authentication is "
    "reached; the issuer keeps one of them.",
    ScaReason.COUNTERS_REACHED: "Too much was paid since the last authentication (article 16).",
    ScaReason.COUNTERS_UNKNOWN: "What was paid since the last authentication is not known.",
    ScaReason.NO_EXEMPTION: "No exemption can be used.",
}
"""What each reason says."""
_REASONS: Final = phrases_of("sentry.sca", {each.value: text for each, text in REASONS.items()})
_ADVICE: Final = Phrase("sentry.sca_advice", "On strong authentication the advice is {advice}.")
_EXEMPTION: Final = Phrase(
    "sentry.sca_exemption", "On strong authentication the advice is {advice} ({exemption})."
)
_POINTS: Final = Phrase("sentry.sca_points", "Of the six points of article 18: {points}.")
_CLEAR: Final = Phrase(
    "sentry.sca_clear",
    "None of the six points of article 18 was found: abnormal behaviour, unusual device, malware, "
    "known fraud, abnormal location, high-risk payee.",
)


def said_advice(advised: AdvisedPayment) -> Sentence:
    """The advice."""
    advice = advised.advice
    if advice.exemption is None:
        return _ADVICE(advice=str(advice.advice))
    return _EXEMPTION(advice=str(advice.advice), exemption=str(advice.exemption))


def said_sca_reason(reason: ScaReason) -> Sentence:
    """One reason for it."""
    return _REASONS[reason.value]()


def said_points(advised: AdvisedPayment) -> Sentence:
    """How the six points were answered."""
    if advised.known.is_clear:
        return _CLEAR()
    told = [
        f"{each.point} {each.answer}" + (f" ({', '.join(each.by)})" if each.by else "")
        for each in advised.known.checklist
        if each.answer is not RiskAnswer.NOT_FOUND
    ]
    return _POINTS(points=listed(told))
