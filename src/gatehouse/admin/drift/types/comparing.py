"""Compares the last day with the same hours of the same weekday in the weeks before.

Shares are compared and not numbers: a feast with more orders of the same kind changes none of them.
How far the weeks before differ from each other says what is usual for the account, so that what
always varies is told to nobody.
"""

import math
from collections.abc import Mapping, Sequence
from enum import StrEnum
from statistics import fmean, median
from typing import Final

import msgspec

from gatehouse.admin.drift.types.profile import Counts, TrafficProfile

LEAST_REQUESTS: Final = 500
"""Of a day; below, shares vary by chance as much as by drift."""
LEAST_WEEKS: Final = 2
"""With one week before, nobody knows what is usual."""
LARGEST_INDEX: Final = 0.25
"""From here on a population stability index is taken for another population in credit scoring,
where it comes from; below 0.1 it is taken for the same."""
TIMES_USUAL: Final = 3.0
"""How many times as large as between the weeks before it must be."""
CALM: Final = 0.5
"""A drift ends below this share of what begins one, or it would begin again with every look."""
_LEAST_GROUP: Final = 0.05
"""Places with a smaller share are looked at together with the next ones."""
_HALF: Final = 0.5

LARGEST_CHANGE: Final = 2.0
"""A rule that matches twice or half as often as usual is worth a look."""
_SURE: Final = 5.0
"""Standard errors: with hundreds of rules and four looks a day, three would be chance."""
LEAST_HITS: Final = 30
"""By how many hits a day a rule must differ from usual."""


class DriftKind(StrEnum):
    """What drifts."""

    SIGNAL = "signal"
    SCORE = "score"
    RULE = "rule"
    LABELS = "labels"


class DriftJudgement(msgspec.Struct, frozen=True):
    """How far one thing is from what is usual."""

    kind: DriftKind
    name: str
    figure: float
    """Population stability index; of a rule, the share of requests; of labels, days."""
    usual: float
    """The same between the weeks before, or in them."""
    requests: int
    """How many were looked at."""
    drifts: bool
    is_calm: bool
    """Whether it is clearly as usual; a drift that is neither goes on."""


def stability_index(now: Counts, usual: Mapping[int, float]) -> float:
    """The population stability index between counts and usual shares, less what chance makes."""
    groups = _groups(now, usual)
    total = sum(now.values())
    if len(groups) < LEAST_WEEKS or not total:
        return 0.0
    index = 0.0
    for count, share in groups:
        here = (count + _HALF) / (total + _HALF * len(groups))
        there = (share * total + _HALF) / (total + _HALF * len(groups))
        index += (here - there) * math.log(here / there)
    # Two samples of one population have about this index.
    return max(0.0, index - 2 * (len(groups) - 1) / total)


def _groups(now: Counts, usual: Mapping[int, float]) -> list[tuple[int, float]]:
    """Neighbouring places together, until each group has a share that means something."""
    found, count, share = [], 0, 0.0
    for place in sorted(now.keys() | usual.keys()):
        count += now.get(place, 0)
        share += usual.get(place, 0.0)
        if share >= _LEAST_GROUP:
            found.append((count, share))
            count, share = 0, 0.0
    if found and (count or share):
        # New values at the end of the order must not hide in a usual group.
        found.append((count, share))
    return found


def judge_signals(
    now: TrafficProfile, before: Sequence[TrafficProfile], scores: frozenset[str]
) -> list[DriftJudgement]:
    """Every signal and score that requests of the last day or of the weeks before have."""
    weeks = _enough(before)
    if now.requests < LEAST_REQUESTS or len(weeks) < LEAST_WEEKS:
        return []
    names = sorted(now.signals.keys() | {name for each in weeks for name in each.signals})
    return [_judge_signal(name, now, weeks, scores) for name in names]


def _judge_signal(
    name: str, now: TrafficProfile, weeks: Sequence[TrafficProfile], scores: frozenset[str]
) -> DriftJudgement:
    counts = [each.of_signal(name) for each in weeks]
    shares = [_shares(each) for each in counts]
    index = stability_index(now.of_signal(name), _mean(shares))
    usual = median(
        stability_index(each, _mean(shares[:week] + shares[week + 1 :]))
        for week, each in enumerate(counts)
    )
    most = max(LARGEST_INDEX, TIMES_USUAL * usual)
    kind = DriftKind.SCORE if name in scores else DriftKind.SIGNAL
    return DriftJudgement(kind, name, index, usual, now.requests, index > most, index < CALM * most)


def judge_rules(now: TrafficProfile, before: Sequence[TrafficProfile]) -> list[DriftJudgement]:
    """Every rule that was there in the weeks before."""
    found = []
    for rule in sorted(now.rules.keys() | {name for each in before for name in each.rules}):
        rule_set = rule.partition("/")[0]
        judged = now.judged_by(rule_set)
        weeks = [each for each in before if each.judged_by(rule_set) >= LEAST_REQUESTS]
        # A rule that nobody had in most of the weeks before has no usual rate.
        known = [each for each in weeks if rule in each.rules]
        if judged < LEAST_REQUESTS or len(weeks) < LEAST_WEEKS or 2 * len(known) < len(weeks):
            continue
        if rule in now.rules or not _was_replaced(rule_set, now, weeks):
            rates = [each.rate(rule) for each in weeks]
            found.append(_judge_rule(rule, now.rate(rule), rates, judged))
    return found


def _was_replaced(rule_set: str, now: TrafficProfile, weeks: Sequence[TrafficProfile]) -> bool:
    """Whether other versions are in force: a rule without hits was taken out, or is another."""
    earlier = {version for each in weeks for version in each.versions(rule_set)}
    return now.versions(rule_set).keys().isdisjoint(earlier)


def _judge_rule(rule: str, rate: float, rates: Sequence[float], judged: int) -> DriftJudgement:
    usual = fmean(rates)
    between = fmean((each - usual) ** 2 for each in rates) * len(rates) / (len(rates) - 1)
    error = math.sqrt(between + max(usual, 1 / judged) * (1 - usual) / judged)
    far = abs(rate - usual)
    larger, smaller = max(rate, usual), min(rate, usual)
    drifts = (
        larger >= LARGEST_CHANGE * smaller and far > _SURE * error and far * judged >= LEAST_HITS
    )
    is_calm = far <= _SURE * error * CALM or larger < (1 + CALM) * smaller
    return DriftJudgement(DriftKind.RULE, rule, rate, usual, judged, drifts, is_calm)


def _enough(profiles: Sequence[TrafficProfile]) -> list[TrafficProfile]:
    """Those with enough requests; a day on which the gateway was away is not one of them."""
    return [each for each in profiles if each.requests >= LEAST_REQUESTS]


def _shares(counts: Counts) -> dict[int, float]:
    total = sum(counts.values())
    return {place: count / total for place, count in counts.items()}


def _mean(shares: Sequence[Mapping[int, float]]) -> dict[int, float]:
    """Each week counts as much as another, however many requests it had."""
    places = {place for each in shares for place in each}
    return {place: fmean(each.get(place, 0.0) for each in shares) for place in places}
