"""Says in words what moved Sentry's score, and what it would have been without some of that.

What Sentry says about a score, as sentences that can be said in other languages.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, Final

from gatehouse.core.stages.stage import ResultChange, StageFinding
from gatehouse.core.wording.sentences import Phrase, Sentence, listed, phrases_of, row
from gatehouse.intel.places import shown_amount
from gatehouse.sentry.authentication.advice import AdvisedPayment
from gatehouse.sentry.authentication.sentences import said_advice, said_points, said_sca_reason
from gatehouse.sentry.costs import WHOLE, CostAdvice, micros_of
from gatehouse.sentry.features.catalogue import ALL, BY_CODE
from gatehouse.sentry.features.feature import told_number
from gatehouse.sentry.outcome_scores import outcome_reasons, scorer_of
from gatehouse.sentry.outcomes import ScoredOutcome, outcome_signals
from gatehouse.sentry.reasons import LEARNED, REMARKS
from gatehouse.sentry.records.features import rounded_feature
from gatehouse.sentry.score_mapping import ScoreMapping
from gatehouse.sentry.scorecard import (
    Scorecard,
    ScorecardError,
    Scored,
    Term,
    confidence,
    decode_sheet,
    earlier_scorecards,
    load_scorecard,
    logit,
)
from gatehouse.sentry.shadow import SHADOW
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


_MOST_REASONS: Final = 10
"""Reasons of which pairs are left out; there are seldom more that lower a score."""
_MOST_LEFT_OUT: Final = 6
_MOST_OF_OUTCOME: Final = 3
_DIGITS: Final = 4
_EFFECT_DIGITS: Final = 3
_TOLERANCE: Final = 0.0005
"""Measurements are recorded with four digits, so a score can come out a little differently."""
_SURE: Final = 0.01
"""Nearer to 0 or 1, four digits are too few to tell what was added up."""

_Score = Callable[[Mapping[str, float]], Scored]
"""From measurements to a score."""


def findings(facts: Mapping[str, Any], model: str | None) -> list[StageFinding]:
    """The confidence, then what moved it, strongest first."""
    scorecard, values = _scorecard(facts, model), _values(facts)
    terms = {} if scorecard is None else {term.code: term for term in scorecard.sheet.terms}
    sure, which = facts.get("requestConfidence"), facts.get("model")
    told = CONFIDENCE if scorecard is not None or _is_shipped(facts) else CONFIDENCE_ALONE
    costs = CostAdvice.recorded(facts)
    found = [] if costs is None else [StageFinding(text=said_costs(costs))]
    found.append(StageFinding(text=told(confidence=sure, scorecard=str(which))))
    if facts.get("ownConfidence") is not None:
        found.append(StageFinding(text=MAPPED(own=facts["ownConfidence"], confidence=sure)))
    beside = facts.get(SHADOW)
    if beside is not None:
        told_beside = BESIDE(model=beside["model"], told=beside["requestConfidence"])
        found.append(StageFinding(text=told_beside))
    for code, effect in recorded_reasons(facts).items():
        value = values.get(code)
        text = _text(code, effect, value, terms.get(code))
        found.append(StageFinding(text=text, code=code, effect=effect))
    return found + _outcomes(facts, scorecard) + _on_authentication(facts)


def _on_authentication(facts: Mapping[str, Any]) -> list[StageFinding]:
    """The advice on authentication, its reasons, and the six points of article 18."""
    advised = AdvisedPayment.recorded(facts)
    if advised is None:
        return []
    reasons = advised.advice.reasons
    return [
        StageFinding(text=said_advice(advised)),
        *(StageFinding(text=said_sca_reason(each), code=each.value) for each in reasons),
        StageFinding(text=said_points(advised)),
    ]


def _outcomes(facts: Mapping[str, Any], scorecard: Scorecard | None) -> list[StageFinding]:
    """The score of each outcome with what moved it most, where the model had such scores."""
    scores = facts.get("outcomeScores")
    if not scores:
        return []
    values = _values(facts)
    sheets = {} if scorecard is None else {each.outcome: each for each in scorecard.sheet.outcomes}
    total = 0.0 if scorecard is None else scorecard.score(values).total
    found = []
    for name, score in scores.items():
        sheet = sheets.get(name)
        reasons: list[tuple[str, float]] = []
        of_confidence = 0.0
        if sheet is not None:
            reasons = outcome_reasons(sheet, values)[:_MOST_OF_OUTCOME]
            of_confidence = round(-sheet.of_confidence * total, _EFFECT_DIGITS)
        told = [(code, round(effect, _EFFECT_DIGITS)) for code, effect in reasons]
        found.append(StageFinding(text=said_outcome(name, float(score), told, of_confidence)))
    return found


def changes(facts: Mapping[str, Any], model: str | None) -> list[ResultChange]:
    """The score without one reason against the request, without two, and without the strongest.

    There are none when the score cannot be worked out again as it was.
    """
    scorecard, values = _scorecard(facts, model), _values(facts)
    score: _Score
    may_go: Collection[str]
    if scorecard is not None:
        score, may_go = scorecard.score, values.keys()
    elif _is_shipped(facts):
        recorded = _RecordedEffects(facts)
        score, may_go = recorded.score, recorded.certain
    else:
        return []
    now = score(values)
    if abs(now.confidence - _own(facts)) > _TOLERANCE:
        return []
    mapping = None
    if scorecard is not None and facts.get("ownConfidence") is not None:
        mapping = scorecard.sheet.mapping
    outcomes = None
    if scorecard is not None and facts.get("outcomeScores"):
        outcomes = scorer_of(scorecard.sheet.outcomes)
    against = [code for code, effect in now.effects if effect < 0 and code in may_go]
    against = against[:_MOST_REASONS]
    left_out = [(code,) for code in against]
    found = []
    for codes in (*left_out, *combinations(against, 2), *_strongest(score, values, may_go)):
        left = _leave_out(values, codes)
        scored = score(left)
        more = {} if outcomes is None else outcome_signals(outcomes.score(left, scored.total))
        found.append(_without(scored, codes, facts, mapping, more))
    return found


def _own(facts: Mapping[str, Any]) -> float:
    """The confidence of the model itself, which may be told as another."""
    own = facts.get("ownConfidence")
    return float((facts.get("requestConfidence") if own is None else own) or 0.0)


def recorded_reasons(facts: Mapping[str, Any]) -> dict[str, float]:
    """What moved the score, by code; the first records keep a list."""
    kept = facts.get("reasons") or {}
    if isinstance(kept, list):
        return {str(each.get("code")): float(each.get("effect", 0)) for each in kept}
    return {code: float(effect) for code, effect in kept.items()}


def _strongest(
    score: _Score, values: dict[str, float], may_go: Collection[str]
) -> Iterable[tuple[str, ...]]:
    """The reasons against the request, one more each time, from three on.

    Without the strongest of a family the next one counts, so each is found anew.
    """
    codes: tuple[str, ...] = ()
    while len(codes) < _MOST_LEFT_OUT:
        effects = score(_leave_out(values, codes)).effects
        code = next((code for code, effect in effects if effect < 0 and code in may_go), None)
        if code is None:
            return
        codes = (*codes, code)
        if len(codes) > 2:
            yield codes


def _without(
    scored: Scored,
    codes: tuple[str, ...],
    facts: Mapping[str, Any],
    mapping: ScoreMapping | None,
    outcomes: Mapping[str, float],
) -> ResultChange:
    """The result without some reasons, given what the scores come to then."""
    own = sure = round(scored.confidence, _DIGITS)
    more: dict[str, Any] = {**outcomes}
    if mapping is not None:
        sure = mapping.tell(own)
        more["sentry.ownConfidence"] = own
    costs = CostAdvice.recorded(facts)
    if costs is not None:
        more |= costs.at(own).signals
    advised = AdvisedPayment.recorded(facts)
    if advised is not None:
        more |= advised.at(sure).signals
    return ResultChange(
        condition=NOT_COUNTED(codes=listed(codes)),
        signals={
            "sentry.requestConfidence": sure,
            "sentry.ipScore": round(scored.ip_confidence, _DIGITS),
            "sentry.reasons": [code for code, _ in scored.effects],
            **more,
        },
        consequence=WOULD_BE_SURE(confidence=sure, was=facts["requestConfidence"]),
        parts=len(codes),
    )


def _leave_out(values: dict[str, float], codes: Collection[str]) -> dict[str, float]:
    return {code: value for code, value in values.items() if code not in codes}


def _text(code: str, effect: float, value: float | None, term: Term | None) -> Sentence:
    said = said_reason(code, effect, value)
    if said is None:
        return MOVED_UNKNOWN(code=code, effect=effect)
    if value is None or code in REMARKS:
        return said
    if term is None or effect > 0 or (value == 1 and term.cuts == (0.5,)):
        return MOVED(reason=said, effect=effect)
    return MOVED_BY_VALUE(reason=said, effect=effect, measured=_usual(term, value))


def _usual(term: Term, value: float) -> Sentence:
    """What was measured beside the values that would have counted for nothing."""
    quiet = [place for place, effect in enumerate(term.effects) if not effect]
    if not quiet or not term.cuts:
        return MEASURED(value=value)
    place = quiet[0]
    if place == 0:
        return NORMAL_BELOW(value=value, below=term.cuts[0])
    if place == len(term.cuts):
        return NORMAL_FROM(value=value, least=term.cuts[-1])
    return NORMAL_BETWEEN(value=value, least=term.cuts[place - 1], most=term.cuts[place])


def _values(facts: Mapping[str, Any]) -> dict[str, float]:
    kept = facts.get("signals") or {}
    return {code: value for code, value in kept.items() if isinstance(value, int | float)}


def _scorecard(facts: Mapping[str, Any], model: str | None) -> Scorecard | None:
    """The scorecard that made the facts; None when it is not here any more.

    Later versions of what ships have more terms: one that comes to the same is as good.
    """
    which = facts.get("model")
    if model is None:
        shipped = load_scorecard()
        every = {shipped.version: shipped} | earlier_scorecards()
        if which in every or not _is_shipped(facts):
            return every.get(str(which))
        return next((each for each in every.values() if _comes_to(each, facts)), None)
    try:
        sheet = decode_sheet(model)
        scorecard = Scorecard(sheet, [term.code for term in sheet.terms])
    except ScorecardError:
        return None
    return scorecard if scorecard.version == which else None


def _is_shipped(facts: Mapping[str, Any]) -> bool:
    """Whether the scorecard came with some version of the package."""
    return not str(facts.get("model")).startswith(LEARNED)


def _comes_to(scorecard: Scorecard, facts: Mapping[str, Any]) -> bool:
    """Whether a scorecard finds the same reasons and the same confidence as was recorded."""
    scored, recorded = scorecard.score(_values(facts)), recorded_reasons(facts)
    named = {code: effect for code, effect in recorded.items() if code not in REMARKS}
    found = {code: round(effect, _EFFECT_DIGITS) for code, effect in scored.effects}
    near = [
        abs(score - float(facts.get(name) or 0.0)) <= _TOLERANCE
        for name, score in (
            ("requestConfidence", scored.confidence),
            ("ipScore", scored.ip_confidence),
        )
    ]
    return all(near) and named == found


class _RecordedEffects:
    """A scorecard that is not here any more, as far as a record tells what it added up."""

    def __init__(self, facts: Mapping[str, Any]) -> None:
        values = _values(facts)
        reasons = recorded_reasons(facts)
        self._effects = {code: effect for code, effect in reasons.items() if code in values}
        self._total, self._ip_total = (
            logit(min(max(float(facts.get(name) or 0.0), _SURE), 1 - _SURE))
            for name in ("requestConfidence", "ipScore")
        )
        terms = {term.code: term for term in load_scorecard().sheet.terms}
        self._of_address = {code for code, term in terms.items() if term.about_address}
        self.certain = {code for code in self._effects if _counts_alone(code, terms, values)}
        """Reasons without which nothing else would have counted."""

    def score(self, values: Mapping[str, float]) -> Scored:
        """The score without the reasons that are not among the values."""
        gone = {code: effect for code, effect in self._effects.items() if code not in values}
        left = [(code, effect) for code, effect in self._effects.items() if code in values]
        total = self._total - sum(gone.values())
        ip = self._ip_total - sum(gone[code] for code in gone.keys() & self._of_address)
        return Scored(confidence(total), confidence(ip), left, total)


def _counts_alone(code: str, terms: Mapping[str, Term], values: Mapping[str, float]) -> bool:
    """Whether no other measurement of the same family could have counted in its place."""
    term = terms.get(code)
    return term is not None and not any(
        other.code != code and other.family == term.family and any(other.effects)
        for other in (terms[each] for each in values if each in terms)
        if term.family is not None
    )
