"""Numbers on the other side of a threshold: how they are told, and which others they stand for."""

import math
from collections.abc import Iterable
from typing import Any, Final

import msgspec

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
    was, shown = show_value(bound.was), show_value(bound.shown)
    if not exact:
        return f"{bound.signal} had been {bound.relation} {shown} (it was {was})"
    words = {"less than": "just under ", "more than": "just over "}.get(bound.relation, "")
    return f"{bound.signal} had been {words}{shown} (it was {was})"


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


def show_value(value: Any) -> str:
    """A value as sentences show it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        rounded = f"{value:.4f}".rstrip("0").rstrip(".")
        return rounded if float(rounded) == value else repr(value)
    return f"'{value}'" if isinstance(value, str) else str(value)
