"""Says in words what moved Sentry's score, and what it would have been without some of that."""

from collections.abc import Collection, Iterable, Mapping
from itertools import combinations
from typing import Any, Final

from gatehouse.core.sentences import Sentence, listed
from gatehouse.core.stage import ResultChange, StageFinding
from gatehouse.sentry.reasons import REMARKS
from gatehouse.sentry.scorecard import (
    Scorecard,
    ScorecardError,
    Scored,
    Term,
    decode_sheet,
    load_scorecard,
)
from gatehouse.sentry.sentences import (
    CONFIDENCE,
    CONFIDENCE_ALONE,
    MEASURED,
    MOVED,
    MOVED_BY_VALUE,
    MOVED_UNKNOWN,
    NORMAL_BELOW,
    NORMAL_BETWEEN,
    NORMAL_FROM,
    NOT_COUNTED,
    WOULD_BE_SURE,
    said_reason,
)

_MOST_REASONS: Final = 10
"""Reasons of which pairs are left out; there are seldom more that lower a score."""
_MOST_LEFT_OUT: Final = 6
_DIGITS: Final = 4
_TOLERANCE: Final = 0.0005
"""Measurements are recorded with four digits, so a score can come out a little differently."""


def findings(facts: Mapping[str, Any], model: str | None) -> list[StageFinding]:
    """The confidence, then what moved it, strongest first."""
    scorecard, values = _scorecard(facts, model), _values(facts)
    terms = {} if scorecard is None else {term.code: term for term in scorecard.sheet.terms}
    confidence, which = facts.get("requestConfidence"), facts.get("model")
    told = CONFIDENCE if scorecard is not None else CONFIDENCE_ALONE
    found = [StageFinding(text=told(confidence=confidence, scorecard=str(which)))]
    for code, effect in recorded_reasons(facts).items():
        value = values.get(code)
        text = _text(code, effect, value, terms.get(code))
        found.append(StageFinding(text=text, code=code, effect=effect))
    return found


def changes(facts: Mapping[str, Any], model: str | None) -> list[ResultChange]:
    """The score without one reason against the request, without two, and without the strongest.

    There are none when the score cannot be worked out again as it was.
    """
    scorecard, values = _scorecard(facts, model), _values(facts)
    if scorecard is None:
        return []
    known = {term.code for term in scorecard.sheet.terms}
    values = {code: value for code, value in values.items() if code in known}
    now = scorecard.score(values)
    if abs(now.confidence - float(facts.get("requestConfidence") or 0.0)) > _TOLERANCE:
        return []
    against = [code for code, effect in now.effects if effect < 0][:_MOST_REASONS]
    left_out = [(code,) for code in against]
    sets = [*left_out, *combinations(against, 2), *_strongest(scorecard, values)]
    return [_without(scorecard, values, codes, facts) for codes in sets]


def recorded_reasons(facts: Mapping[str, Any]) -> dict[str, float]:
    """What moved the score, by code; the first records keep a list."""
    kept = facts.get("reasons") or {}
    if isinstance(kept, list):
        return {str(each.get("code")): float(each.get("effect", 0)) for each in kept}
    return {code: float(effect) for code, effect in kept.items()}


def _strongest(scorecard: Scorecard, values: dict[str, float]) -> Iterable[tuple[str, ...]]:
    """The reasons against the request, one more each time, from three on.

    Without the strongest of a family the next one counts, so each is found anew.
    """
    codes: tuple[str, ...] = ()
    while len(codes) < _MOST_LEFT_OUT:
        effects = scorecard.score(_leave_out(values, codes)).effects
        code = next((code for code, effect in effects if effect < 0), None)
        if code is None:
            return
        codes = (*codes, code)
        if len(codes) > 2:
            yield codes


def _without(
    scorecard: Scorecard, values: dict[str, float], codes: tuple[str, ...], facts: Mapping[str, Any]
) -> ResultChange:
    scored: Scored = scorecard.score(_leave_out(values, codes))
    confidence = round(scored.confidence, _DIGITS)
    return ResultChange(
        condition=NOT_COUNTED(codes=listed(codes)),
        signals={
            "sentry.requestConfidence": confidence,
            "sentry.ipScore": round(scored.ip_confidence, _DIGITS),
            "sentry.reasons": [code for code, _ in scored.effects],
        },
        consequence=WOULD_BE_SURE(confidence=confidence, was=facts["requestConfidence"]),
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
    """The scorecard that made the facts; None when it is not here any more."""
    try:
        if model is not None:
            sheet = decode_sheet(model)
            scorecard = Scorecard(sheet, [term.code for term in sheet.terms])
        else:
            scorecard = load_scorecard()
    except ScorecardError:
        return None
    return scorecard if scorecard.version == facts.get("model") else None
