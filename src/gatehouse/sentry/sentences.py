"""What Sentry says about a score, as sentences that can be said in other languages."""

from collections.abc import Sequence
from typing import Final

from gatehouse.core.wording.sentences import Phrase, Sentence, phrases_of, row
from gatehouse.intel.places import shown_amount
from gatehouse.sentry.costs import WHOLE, CostAdvice, micros_of
from gatehouse.sentry.features.catalogue import ALL, BY_CODE
from gatehouse.sentry.features.feature import told_number
from gatehouse.sentry.outcomes import ScoredOutcome
from gatehouse.sentry.reasons import REMARKS
from gatehouse.sentry.records.features import rounded_feature
from gatehouse.sentry.stage import fits_feature, reason_sentence

CONFIDENCE: Final = Phrase(
    "sentry.confidence",
    "Sentry's confidence that the request is legitimate was {confidence} of 1 "
    "(scorecard {scorecard}).",
)
CONFIDENCE_ALONE: Final = Phrase(
    "sentry.confidence_alone",
    "Sentry's confidence that the request is legitimate was {confidence} of 1 "
    "(scorecard {scorecard}; that scorecard is not here, so no more is told of it).",
)
MAPPED: Final = Phrase(
    "sentry.mapped",
    "The model itself says {own}; that is told as {confidence}, so that thresholds keep the "
    "meaning they had with the model before it.",
)
BESIDE: Final = Phrase(
    "sentry.beside",
    "{model}, which is tried beside it and decides nothing, says {told}.",
)
COSTS: Final = Phrase(
    "sentry.costs",
    "By expected cost {advice} is cheapest (preset {preset}): with a probability of fraud of "
    "{risk:g}, accepting an order of {amount} {currency} costs {accept}, a review {review} and "
    "declining it {decline} {currency}.",
)
OUTCOME: Final = Phrase("sentry.outcome", "The probability of {outcome} was {score:g}.")
OUTCOME_MOVED: Final = Phrase(
    "sentry.outcome_moved",
    "The probability of {outcome} was {score:g}. What moved it most, in log-odds: {reasons}.",
)
_OUTCOME_REASON: Final = Phrase("sentry.outcome_reason", "{code} {effect:+g}")
_OUTCOME_CONFIDENCE: Final = Phrase(
    "sentry.outcome_confidence", "the confidence by itself {effect:+g}"
)
_OUTCOMES: Final = phrases_of(
    "sentry.outcomes",
    {
        ScoredOutcome.FRAUD_DISPUTE: "a fraud dispute",
        ScoredOutcome.REPORTED_FRAUD: "reported fraud",
        ScoredOutcome.CARD_TESTING: "card testing",
        ScoredOutcome.ABUSE: "abuse",
    },
)
NOT_COUNTED: Final = Phrase("sentry.not_counted", "Sentry had not counted {codes}")
WOULD_BE_SURE: Final = Phrase(
    "sentry.would_be", "the confidence would have been {confidence} (it was {was})"
)
MOVED: Final = Phrase("sentry.moved", "{reason} It moved the score by {effect:+g}.")
MOVED_BY_VALUE: Final = Phrase(
    "sentry.moved_by_value", "{reason} It moved the score by {effect:+g}: {measured}."
)
MOVED_UNKNOWN: Final = Phrase(
    "sentry.moved_unknown",
    "{code} moved the score by {effect:+g}; what was measured is not known here.",
)
MEASURED: Final = Phrase("sentry.measured", "{value:g} was measured")
NORMAL_BELOW: Final = Phrase(
    "sentry.normal_below", "{value:g} was measured, below {below:g} is normal"
)
NORMAL_FROM: Final = Phrase(
    "sentry.normal_from", "{value:g} was measured, {least:g} and more is normal"
)
NORMAL_BETWEEN: Final = Phrase(
    "sentry.normal_between", "{value:g} was measured, {least:g} to {most:g} is normal"
)

_FRAUDULENT: Final = Phrase(
    "sentry.learned.fraudulent",
    "Orders for which this was {value:g} were more often fraudulent here than others.",
)
_LEGITIMATE: Final = Phrase(
    "sentry.learned.legitimate",
    "Orders for which this was {value:g} were more often legitimate here than others.",
)
MEANS: Final = phrases_of("sentry.means", {each.code: each.meaning for each in ALL})
"""What each feature means when it counts."""
_SAYS: Final = phrases_of("sentry.says", {each.code: each.says for each in ALL})
_IN_FAVOUR: Final = phrases_of(
    "sentry.in_favour", {each.code: each.says_in_favour for each in ALL if each.says_in_favour}
)
_REMARKS: Final = phrases_of("sentry.remark", {code: each.says for code, each in REMARKS.items()})


def said_costs(costs: CostAdvice) -> Sentence:
    """What each outcome would cost, and which is cheapest."""
    currency = costs.terms.currency

    def shown(amount: int) -> str:
        return shown_amount(micros_of(amount, currency), currency)

    return COSTS(
        advice=str(costs.advice),
        preset=str(costs.terms.preset),
        risk=costs.risk / WHOLE,
        amount=shown(costs.amount),
        currency=currency,
        **{name: shown(cost) for name, cost in costs.costs._asdict().items()},
    )


def said_outcome(
    outcome: str, score: float, reasons: Sequence[tuple[str, float]], of_confidence: float
) -> Sentence:
    """The score of an outcome, with what moved it; `of_confidence` is what the confidence did."""
    what = _OUTCOMES[outcome]() if outcome in _OUTCOMES else outcome
    parts = [_OUTCOME_REASON(code=code, effect=effect) for code, effect in reasons]
    if of_confidence:
        parts.append(_OUTCOME_CONFIDENCE(effect=of_confidence))
    if not parts:
        return OUTCOME(outcome=what, score=score)
    return OUTCOME_MOVED(outcome=what, score=score, reasons=row(parts))


def said_reason(code: str, effect: float, value: float | None) -> Sentence | None:
    """The sentence of a reason; None when this version does not know what it measured."""
    if code in _REMARKS:
        return _REMARKS[code]()
    if code not in BY_CODE or value is None:
        return None
    if not fits_feature(code, effect, value):
        learned = _LEGITIMATE if effect > 0 else _FRAUDULENT
        return learned(value=told_number(rounded_feature(value)))
    in_favour = _IN_FAVOUR.get(code) if effect > 0 else None
    number = told_number(rounded_feature(value))
    return (in_favour or _SAYS[code]).worded(reason_sentence(code, effect, value), value=number)
