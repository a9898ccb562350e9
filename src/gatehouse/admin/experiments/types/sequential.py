"""A test of two arms that may be looked at as often as anybody likes.

Cards or users are given to the arms at random, so when both arms do alike, each of those to whom a
thing happens (a decline, a fraud) was given to the challenger with the probability of its share,
whatever happened before. That is compared with a mixture of all other probabilities. The quotient
is a martingale: with equal arms it ever exceeds 1 / alpha with a probability of at most alpha
(Ville), however often one looks. Nothing is approximated, so it holds for a handful of frauds.
"""

from collections.abc import Callable
from enum import StrEnum
from math import exp, inf, lgamma, log
from typing import Final, NamedTuple

ALPHA: Final = 0.025
"""Of each of two measures: together a false alarm in at most 5 % of the experiments."""
MARGIN: Final = 1.25
"""Rates that surely differ by less than this factor count as the same."""
_WEIGHT: Final = 20.0
"""How much the mixture leans to small differences, in events."""
_THRESHOLD: Final = -log(ALPHA)
_MOST_EVENTS: Final = 10_000_000
_STEPS: Final = 60


class MeasureVerdict(StrEnum):
    """What was seen of a measure."""

    OPEN = "open"
    HIGHER = "higher"
    LOWER = "lower"
    SAME = "same"


class ComparedArms(NamedTuple):
    """What can be said of the challenger's rate in relation to the control's."""

    verdict: MeasureVerdict
    ratio: float | None
    """The challenger's rate by the control's; None without an event of the control."""
    least: float
    most: float
    """It lies between these, with the same certainty at every look."""
    p_value: float
    """Valid at every look; of this measure alone."""
    needed: int | None
    """So many more events are needed if it goes on like this; None for far too many."""


def log_evidence(control: float, challenger: float, probability: float, share: float) -> float:
    """How much better the mixture explains the events than one probability, as a logarithm."""
    a, b = _WEIGHT * share, _WEIGHT * (1 - share)
    mixture = _log_beta(a + challenger, b + control) - _log_beta(a, b)
    return mixture - challenger * log(probability) - control * log(1 - probability)


def compare(control: int, challenger: int, share: float) -> ComparedArms:
    """Compare the arms by the events of each; `share` is the challenger's."""
    least, most = _interval(control, challenger, share)
    verdict = _verdict(control, challenger, share)
    p_value = exp(min(0.0, -log_evidence(control, challenger, share, share)))
    ratio = None if not control else challenger / control * (1 - share) / share
    needed = 0 if verdict is not MeasureVerdict.OPEN else _needed(control, challenger, share)
    return ComparedArms(verdict, ratio, least, most, p_value, needed)


def _verdict(control: float, challenger: float, share: float) -> MeasureVerdict:
    if log_evidence(control, challenger, share, share) >= _THRESHOLD:
        higher = challenger * (1 - share) > control * share
        return MeasureVerdict.HIGHER if higher else MeasureVerdict.LOWER
    least, most = _interval(control, challenger, share)
    return MeasureVerdict.SAME if least > 1 / MARGIN and most < MARGIN else MeasureVerdict.OPEN


def _needed(control: int, challenger: int, share: float) -> int | None:
    """How many more events it takes, if the rates stay as they were seen."""
    seen = control + challenger
    part = challenger / seen if seen else share
    # One of few events says little: a rate that was never seen is not taken for impossible.
    part = (part * seen + share) / (seen + 1)

    def is_open(events: int) -> bool:
        return _verdict(events * (1 - part), events * part, share) is MeasureVerdict.OPEN

    low, high = seen, max(16, 2 * seen)
    while is_open(high):
        low, high = high, 2 * high
        if high > _MOST_EVENTS:
            return None
    while high - low > max(1, low // 100):
        middle = (low + high) // 2
        low, high = (middle, high) if is_open(middle) else (low, middle)
    return max(1, high - seen)


def _interval(control: float, challenger: float, share: float) -> tuple[float, float]:
    """All ratios of rates that the events do not refute."""
    seen = control + challenger
    peak = challenger / seen if seen else share

    def refuted(probability: float) -> bool:
        return log_evidence(control, challenger, probability, share) >= _THRESHOLD

    low = _border(peak, 0.0, refuted) if challenger else 0.0
    high = _border(peak, 1.0, refuted) if control else 1.0
    odds = [inf if each >= 1 else each / (1 - each) for each in (low, high)]
    least, most = (each * (1 - share) / share for each in odds)
    return least, most


def _border(inside: float, outside: float, refuted: Callable[[float], bool]) -> float:
    for _ in range(_STEPS):
        middle = (inside + outside) / 2
        if middle in (inside, outside):
            break
        inside, outside = (inside, middle) if refuted(middle) else (middle, outside)
    return outside


def _log_beta(a: float, b: float) -> float:
    return lgamma(a) + lgamma(b) - lgamma(a + b)
