"""Checks of labels and time: quality that falls, labels that come late, and how many there are."""

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from gatehouse.training.examples import Values
from gatehouse.training.report import audit_phrases as phrases
from gatehouse.training.report.audit import AuditCheck, AuditFinding, AuditLevel
from gatehouse.training.report.phrases import percent_text

LEAST_OF_EACH: Final = 20
"""Frauds and legitimate requests without which shares mean nothing."""
LARGE_FALL: Final = 0.05
SMALL_FALL: Final = 0.03
"""Of the area under the curve: what retraining wins back is worth more than a new signal."""
_SURE: Final = 2.0
"""A fall must be larger than so many standard errors."""
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
    area: float
    frauds: int
    legitimates: int


class LabelBalance(NamedTuple):
    """How many requests have which label."""

    frauds: int
    legitimates: int
    """Including those that count as legitimate without a label."""
    reported_legitimates: int


def check_falling_quality(learned: int, periods: Sequence[PeriodQuality]) -> AuditFinding:
    """Whether a model does worse the later it is used; `learned` is how many it learned from."""
    first, last = periods[0], periods[-1]
    fall, unsure = first.area - last.area, math.hypot(_error(first), _error(last))
    level = AuditLevel.OK
    if fall >= SMALL_FALL and fall > _SURE * unsure:
        level = AuditLevel.WARNING if fall >= LARGE_FALL else AuditLevel.NOTICE
    phrase = phrases.NOT_FALLING if level is AuditLevel.OK else phrases.FALLING
    said = phrase(
        learned=learned, first=round(first.area, 3), last=round(last.area, 3), since=last.since
    )
    figures = {f"area {each.since}": round(each.area, 3) for each in periods}
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


def _error(one: PeriodQuality) -> float:
    """The standard error of an area (Hanley and McNeil)."""
    area, frauds, others = one.area, one.frauds, one.legitimates
    first, second = area / (2 - area), 2 * area * area / (1 + area)
    variance = area * (1 - area) + (frauds - 1) * (first - area**2)
    variance += (others - 1) * (second - area**2)
    return math.sqrt(max(0.0, variance) / (frauds * others))
