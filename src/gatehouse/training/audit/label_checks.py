"""Checks of labels and time: quality that falls, labels that come late, and how many there are."""

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from gatehouse.core.wording.sentences import Sentence
from gatehouse.training.audit.later import Area
from gatehouse.training.examples import Values
from gatehouse.training.report import audit_phrases as phrases
from gatehouse.training.report.audit import AuditCheck, AuditFinding, AuditLevel
from gatehouse.training.report.phrases import percent_text

LEAST_OF_EACH: Final = 20
"""Frauds and legitimate requests without which shares mean nothing."""
LARGE_FALL: Final = 0.05
SMALL_FALL: Final = 0.03
"""Of the area under the curve: what retraining wins back is worth more than a new signal."""
KNOWN_SHARE: Final = 0.9
MANY_FRESH: Final = 0.3
SOME_FRESH: Final = 0.1
"""Of the requests, where a tenth of the fraud is still unknown."""
ENOUGH_FRAUDS: Final = 100
"""Below, the figures of a model vary more by chance than between models."""
MANY_FRAUDS: Final = 0.2
"""No shop has as much; somebody has chosen what to label."""
_DAY_S: Final = 86_400
_SAME_S: Final = 1.0


class PeriodQuality(NamedTuple):
    """How well a model of an earlier time does in one period."""

    since: str
    """Its first day."""
    area: Area


class LabelBalance(NamedTuple):
    """How many requests have which label."""

    frauds: int
    legitimates: int
    """Including those that count as legitimate without a label."""
    reported_legitimates: int


def check_falling_quality(learned: int, periods: Sequence[PeriodQuality]) -> AuditFinding:
    """Whether a model does worse the later it is used; `learned` is how many it learned from."""
    first, last = periods[0].area, periods[-1].area
    fall = first.value - last.value
    is_sure = fall > math.hypot(first.value - first.low, last.high - last.value)
    level, phrase = AuditLevel.OK, phrases.NOT_FALLING
    if first.is_inverted or last.is_inverted:
        level, phrase = AuditLevel.WARNING, phrases.INVERTED
    elif first.is_chance:
        level, phrase = AuditLevel.UNKNOWN, phrases.NO_BETTER
    elif is_sure and fall >= SMALL_FALL:
        phrase = phrases.FALLING
        level = AuditLevel.WARNING if fall >= LARGE_FALL else AuditLevel.NOTICE
    elif first.is_vague or last.is_vague:
        level, phrase = AuditLevel.UNKNOWN, phrases.VAGUE
    said = phrase(
        learned=learned, first=area_text(first), last=area_text(last), since=periods[-1].since
    )
    figures: dict[str, float | int | str] = {}
    for since, area in periods:
        named = (f"area {since}", f"low {since}", f"high {since}")
        figures |= zip(named, area.figures, strict=True)
    return AuditFinding(AuditCheck.FALLING_QUALITY, level, said, figures)


def check_label_delay(took_s: Values, ages_s: Values) -> AuditFinding:
    """Whether many requests are younger than most frauds are when they are found.

    `took_s` is how long each fraud took to be known, `ages_s` how old every request is.
    """
    # Labels without a time of their own all have the delay that a replay or an import gives them.
    if not len(took_s) or float(np.ptp(took_s)) < _SAME_S:
        return AuditFinding(AuditCheck.LABEL_DELAY, AuditLevel.UNKNOWN, phrases.DELAY_UNKNOWN())
    late_s = float(np.quantile(took_s, KNOWN_SHARE))
    share = float((ages_s < late_s).mean())
    level = AuditLevel.OK
    if share > SOME_FRESH:
        level = AuditLevel.WARNING if share > MANY_FRESH else AuditLevel.NOTICE
    days = round(late_s / _DAY_S, 1)
    phrase = phrases.NOT_FRESH if level is AuditLevel.OK else phrases.FRESH
    said = phrase(days=days, share=percent_text(share, 0))
    figures = {"daysUntilKnown": days, "freshShare": round(share, 4)}
    return AuditFinding(AuditCheck.LABEL_DELAY, level, said, figures)


def check_balance(counts: LabelBalance) -> AuditFinding:
    """Whether there are enough frauds, not too many, and anything known of the others."""
    frauds, legitimates, reported = counts
    records = frauds + legitimates
    share = frauds / records
    figures = {
        **{"frauds": frauds, "legitimates": legitimates, "reportedLegitimates": reported},
        "fraudShare": round(share, 4),
    }

    def found(level: AuditLevel, said: str) -> AuditFinding:
        return AuditFinding(AuditCheck.BALANCE, level, said, figures)

    if frauds < ENOUGH_FRAUDS:
        level = AuditLevel.WARNING if frauds < LEAST_OF_EACH else AuditLevel.NOTICE
        return found(level, phrases.FEW(frauds=frauds, enough=ENOUGH_FRAUDS))
    if share > MANY_FRAUDS:
        return found(AuditLevel.WARNING, phrases.MANY(share=percent_text(share, 0)))
    if not reported:
        return found(AuditLevel.NOTICE, phrases.ONLY_FRAUDS(legitimates=legitimates))
    said = phrases.BALANCED(
        frauds=frauds, records=records, share=percent_text(share, 2), labelled=reported
    )
    return found(AuditLevel.OK, said)


def area_text(area: Area) -> Sentence:
    """An area with its interval."""
    value, low, high = area.figures
    return phrases.AREA(area=value, low=low, high=high)
