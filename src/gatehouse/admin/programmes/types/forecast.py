"""How many events and sales a month will have in the end, as far as the months before tell.

Events arrive late: they happen throughout the month, and are told some days after. By how much is
learnt from the account's own earlier months: which share of each had arrived by the same part of
the month. The number of a month is taken for Poisson with a mean that varies between months, and
what is still to come follows from it (a negative binomial distribution).
"""

import math
from collections.abc import Sequence
from statistics import fmean, pvariance
from typing import Final, NamedTuple

_Z80: Final = 1.2816
"""Between minus and plus so many standard deviations lie 80 % of a normal distribution."""
_LEAST_SPREAD: Final = 0.15
"""How much months differ at least: a few that were alike by chance promise nothing."""
_UNKNOWN_SPREAD: Final = 0.5
"""What is assumed of months when there are fewer than three."""
_ENOUGH_MONTHS: Final = 3
_LEAST_WOBBLE: Final = 0.03
"""How much the share that has arrived differs between months at least."""
_UNKNOWN_WOBBLE: Final = 0.15
_WEIGHT_OF_TIME: Final = 20.0
"""With how many events the share of the month that is over counts against what was learnt."""
_SMALLEST_SHARE: Final = 1e-3


class PastMonth(NamedTuple):
    """One month before: all that it came to, and what of it had arrived by the same part of it."""

    total: int
    arrived: int


class Forecast(NamedTuple):
    """What a month will have come to when everything is told."""

    mean: float
    low: int
    """Below it in one case of ten."""
    high: int
    """Above it in one case of ten."""
    spread: float
    """Standard deviation, relative to the mean."""


class ArrivalShare(NamedTuple):
    """Which share of a month has arrived by now, and how far months differ in it."""

    mean: float
    wobble: float


def arrival_share(past: Sequence[PastMonth], over: float) -> ArrivalShare:
    """What has arrived by the part of the month that is `over`, learnt from months before.

    With few events the share tends to the part itself, as if events came evenly and at once.
    """
    total = sum(each.total for each in past)
    arrived = sum(each.arrived for each in past)
    weight = _WEIGHT_OF_TIME if over < 1 else 0.0
    if not total:
        return ArrivalShare(
            min(max(over, _SMALLEST_SHARE), 1.0), _UNKNOWN_WOBBLE if over < 1 else 0.0
        )
    mean = (arrived + weight * min(over, 1.0)) / (total + weight)
    mean = min(max(mean, _SMALLEST_SHARE), 1.0)
    months = [each for each in past if each.total]
    seen = sum(each.total * (each.arrived / each.total - mean) ** 2 for each in months) / total
    # A part of what was seen is chance, which the distribution of the number has already.
    chance = mean * (1 - mean) * len(months) / total
    least = (_LEAST_WOBBLE if len(months) >= _ENOUGH_MONTHS else _UNKNOWN_WOBBLE) ** 2
    floor = least * 4 * mean * (1 - mean)
    return ArrivalShare(mean, math.sqrt(max(seen - chance, floor)))


def forecast(number: int, share: ArrivalShare, totals: Sequence[int]) -> Forecast:
    """What a month comes to that has so many by now, beside what months before came to."""
    shape, rate = _prior(totals)
    means, variances = [], []
    for each in (share.mean - share.wobble, share.mean + share.wobble):
        arrived = min(max(each, _SMALLEST_SHARE), 1.0)
        mean = (shape + number) * (1 - arrived) / (rate + arrived)
        means.append(mean)
        variances.append(mean + mean * mean / (shape + number))
    mean = fmean(means)
    variance = fmean(variances) + pvariance(means)
    low, high = (_quantile(mean, variance, z) for z in (-_Z80, _Z80))
    whole = number + mean
    spread = math.sqrt(variance) / whole if whole else 0.0
    return Forecast(whole, number + math.floor(low), number + math.ceil(high), spread)


def ratio_range(events: Forecast, sales: Forecast) -> tuple[float, float, float] | None:
    """The ratio that events and sales come to: expected, and the bounds of four cases in five."""
    if not sales.mean:
        return None
    middle = events.mean / sales.mean
    spread = math.sqrt(math.log1p(events.spread**2 + sales.spread**2))
    return middle, middle * math.exp(-_Z80 * spread), middle * math.exp(_Z80 * spread)


def _prior(totals: Sequence[int]) -> tuple[float, float]:
    """A gamma distribution of a month's mean, by what months before came to."""
    if not totals or not sum(totals):
        return 0.5, 1e-6
    mean = fmean(totals)
    spread = _UNKNOWN_SPREAD**2
    if len(totals) >= _ENOUGH_MONTHS:
        spread = max((pvariance(totals) - mean) / mean**2, _LEAST_SPREAD**2)
    # What a mean of few months leaves open is added.
    spread *= 1 + 1 / len(totals)
    return 1 / spread, 1 / (spread * mean)


def _quantile(mean: float, variance: float, z: float) -> float:
    """Of a gamma distribution, by the approximation of Wilson and Hilferty."""
    if mean <= 0:
        return 0.0
    shape = mean * mean / variance
    root = 1 - 1 / (9 * shape) + z / (3 * math.sqrt(shape))
    return mean * max(root, 0.0) ** 3
