"""Checks of single features: what is too good, free of fraud, or known only afterwards."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from gatehouse.core.wording.sentences import Sentence
from gatehouse.training.audit.counts import NOT_MEASURED, FeatureCounts
from gatehouse.training.report import audit_phrases as phrases
from gatehouse.training.report.audit import AuditCheck, AuditFinding, AuditLevel
from gatehouse.training.report.phrases import percent_text
from gatehouse.training.sampling import Sample

LARGEST_AREA: Final = 0.95
"""What honest signals of orders do not reach alone; published models with hundreds do not."""
LARGE_AREA: Final = 0.9
LARGEST_LIFT: Final = 25.0
"""Beyond it, a value is nearly the label itself, or was what somebody chose labels by."""
LIFTED_FRAUDS: Final = 10
"""Below so many frauds with one value, its share is chance."""
LIFTED_SHARE: Final = 0.5
"""With half of all fraud behind one value, the figures are those of that value."""
LARGEST_FRAUD_FREE: Final = 0.9
MANY_CONTRADICTIONS: Final = 0.25
SOME_CONTRADICTIONS: Final = 0.05
"""So much of the fraud can be found by no model on these features."""
ONE_LABEL_FRAUDS: Final = 20
"""By chance, a signal of all requests is missing in twenty frauds once in a million cases."""
OTHER_LABEL_SHARE: Final = 0.01


def check_single_feature(counts: Sequence[FeatureCounts]) -> AuditFinding:
    """Whether one feature alone is as good as the label."""
    best = max(counts, key=lambda each: each.area)
    level = AuditLevel.OK
    if best.area > LARGE_AREA:
        level = AuditLevel.WARNING if best.area > LARGEST_AREA else AuditLevel.NOTICE
    phrase = phrases.NO_SINGLE_FEATURE if level is AuditLevel.OK else phrases.SINGLE_FEATURE
    area = round(best.area, 3)
    return AuditFinding(
        AuditCheck.SINGLE_FEATURE,
        level,
        phrase(signal=best.code, area=area),
        {"signal": best.code, "area": area},
    )


def check_strong_value(counts: Sequence[FeatureCounts]) -> AuditFinding:
    """Whether one bin of a feature has far more fraud than usual, with real support."""
    found: tuple[float, float, FeatureCounts, int] | None = None
    for each in counts:
        frauds, rates = each.frauds, each.rates
        lifts = rates * (frauds.sum() + each.legitimates.sum()) / frauds.sum()
        lifts[frauds < LIFTED_FRAUDS] = 0.0
        place = int(np.argmax(lifts))
        one = (float(lifts[place]), float(frauds[place] / frauds.sum()), each, place)
        if one[0] > LARGEST_LIFT and (found is None or one[1] > found[1]):
            found = one
    if found is None:
        said = phrases.NO_STRONG_VALUE(most=round(LARGEST_LIFT))
        return AuditFinding(AuditCheck.STRONG_VALUE, AuditLevel.OK, said)
    lift, share, counted, place = found
    said = phrases.STRONG_VALUE(
        signal=counted.code,
        where=_where(counted, place),
        lift=round(lift),
        share=percent_text(share, 0),
    )
    level = AuditLevel.WARNING if share >= LIFTED_SHARE else AuditLevel.NOTICE
    figures: dict[str, float | int | str] = {"signal": counted.code, "lift": round(lift, 1)}
    figures["fraudShare"] = round(share, 4)
    return AuditFinding(AuditCheck.STRONG_VALUE, level, said, figures)


def check_fraud_free(counts: Sequence[FeatureCounts]) -> AuditFinding:
    """Whether a feature alone sets nearly all requests apart as free of fraud."""
    shares = [float(each.legitimates[each.frauds == 0].sum()) for each in counts]
    place = int(np.argmax(shares))
    best = counts[place]
    share = shares[place] / float(best.frauds.sum() + best.legitimates.sum())
    is_free = share > LARGEST_FRAUD_FREE
    phrase = phrases.FRAUD_FREE if is_free else phrases.NO_FRAUD_FREE
    return AuditFinding(
        AuditCheck.FRAUD_FREE,
        AuditLevel.WARNING if is_free else AuditLevel.OK,
        phrase(share=percent_text(share, 0), signal=best.code),
        {"signal": best.code, "share": round(share, 4)},
    )


def check_contradictions(sample: Sample) -> AuditFinding:
    """Whether frauds equal legitimate requests in everything that was measured."""
    # A row of bytes is compared at once; no measurement is so small as what stands for none.
    filled = np.ascontiguousarray(np.nan_to_num(sample.matrix, nan=-np.finfo(np.float64).max))
    rows = filled.view(np.dtype((np.void, filled.dtype.itemsize * filled.shape[1]))).ravel()
    _, which = np.unique(rows, return_inverse=True)
    fraud = sample.fraud > 0
    is_shared = np.bincount(which[~fraud], minlength=int(which.max()) + 1)[which[fraud]] > 0
    share = float(is_shared.mean())
    level = AuditLevel.OK
    if share > SOME_CONTRADICTIONS:
        level = AuditLevel.WARNING if share > MANY_CONTRADICTIONS else AuditLevel.NOTICE
    phrase = phrases.NO_CONTRADICTIONS if level is AuditLevel.OK else phrases.CONTRADICTIONS
    figures = {"share": round(share, 4), "frauds": int(is_shared.sum())}
    said = phrase(share=percent_text(share, 1))
    return AuditFinding(AuditCheck.CONTRADICTIONS, level, said, figures)


def check_afterwards(counts: Sequence[FeatureCounts]) -> AuditFinding:
    """Whether a feature is measured with one label alone, as what is known only afterwards is."""
    only, never = None, None
    for each in counts:
        frauds = float(each.frauds.sum() - each.frauds[NOT_MEASURED])
        others = float(each.legitimates.sum() - each.legitimates[NOT_MEASURED])
        if frauds >= ONE_LABEL_FRAUDS and others <= OTHER_LABEL_SHARE * (frauds + others):
            only = max(only or (0.0, 0.0, ""), (frauds, others, each.code))
        expected = each.frauds.sum() * others / each.legitimates.sum()
        if not frauds and expected >= ONE_LABEL_FRAUDS:
            share = others / float(each.legitimates.sum())
            never = max(never or (0.0, 0.0, ""), (float(expected), share, each.code))
    if only is not None:
        count, others, code = round(only[0]), round(only[1]), only[2]
        said = phrases.ONLY_WITH_FRAUD(signal=code, count=count, others=others)
        figures: dict[str, float | int | str] = {"signal": code, "frauds": count, "others": others}
        return AuditFinding(AuditCheck.AFTERWARDS, AuditLevel.WARNING, said, figures)
    if never is not None:
        expected, share, code = never
        said = phrases.NEVER_WITH_FRAUD(
            signal=code, share=percent_text(share, 0), expected=round(expected)
        )
        figures = {"signal": code, "share": round(share, 4), "expected": round(expected)}
        return AuditFinding(AuditCheck.AFTERWARDS, AuditLevel.NOTICE, said, figures)
    return AuditFinding(AuditCheck.AFTERWARDS, AuditLevel.OK, phrases.NOT_AFTERWARDS())


def _where(counted: FeatureCounts, place: int) -> Sentence:
    """A bin in words."""
    cuts = counted.cuts
    if place == NOT_MEASURED:
        return phrases.WHERE_MISSING()
    if not cuts:
        return phrases.WHERE_ANY()
    if place == 1:
        return phrases.WHERE_BELOW(high=cuts[0])
    if place > len(cuts):
        return phrases.WHERE_FROM(low=cuts[-1])
    return phrases.WHERE_BETWEEN(low=cuts[place - 2], high=cuts[place - 1])
