"""Numbers on the other side of a threshold: how they are told, and which others they stand for."""

import math
from collections.abc import Iterable
from typing import Final

import msgspec

from gatehouse.explanations.phrases import BEEN, JUST, RELATIONS, show_value

_NEVER_NEGATIVE: Final = ("velocity.", "order.items", "order.discounts", "sentry.")


class Bound(msgspec.Struct, frozen=True):
    """A number on the other side of a threshold."""

    signal: str
    was: float
    value: float
    relation: str
    """In words: at most, at least, less than, more than."""
    shown: float
    whole: bool

    @property
    def upwards(self) -> bool:
        """Whether larger numbers are meant, too."""
        return self.value > self.was


def bound_words(bound: Bound, *, exact: bool) -> str:
    """What a number would have had to be: within a bound, or just beyond it."""
    said: str = show_value(bound.shown)
    near = (JUST if exact else RELATIONS).get(bound.relation)
    if near is not None:
        said = near(number=said)
    return BEEN(signal=bound.signal, value=said, was=show_value(bound.was))


def numbers_beyond(bound: Bound, thresholds: Iterable[float]) -> list[float]:
    """Numbers of every kind that lie beyond a bound, as far as thresholds tell them apart."""
    direction = math.inf if bound.upwards else -math.inf
    numbers = {math.nextafter(bound.value, direction)}
    for each in thresholds:
        numbers |= {each, math.nextafter(each, math.inf), math.nextafter(each, -math.inf)}
    if bound.whole:
        numbers = {float(near(each)) for each in numbers for near in (math.floor, math.ceil)}
    far = abs(bound.value) + max(map(abs, numbers)) + 1
    numbers.add(far if bound.upwards else -far)
    if bound.signal.startswith(_NEVER_NEGATIVE):
        numbers = {each for each in numbers if each >= 0} | {0.0}
    if bound.upwards:
        return sorted(each for each in numbers if each > bound.value)
    return sorted(each for each in numbers if each < bound.value)
