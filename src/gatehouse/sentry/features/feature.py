"""What a feature is: one question about a request, answered by a number.

A feature measures; it does not judge. How much a measurement counts is in the scorecard alone.
Only what was found is kept: a number is never 0. Its code is the name by which reasons and records
call it a signal.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import Final, NamedTuple, NotRequired, TypedDict, Unpack

from gatehouse.sentry.request_view import RequestView

LEAST: Final = 0.001
"""The smallest value to keep where zero itself is meaningful."""

_WHOLE_FROM: Final = 10
"""Smaller numbers are written with two digits."""

Measures = Callable[[RequestView, dict[str, float]], None]
"""Adds what it finds in a request by code, and no zeros."""


class Group(StrEnum):
    """What a feature is about."""

    ADDRESS = "address"
    DEVICE = "device"
    SESSION = "session"
    ACCOUNT = "account"
    ORDER = "order"
    CART = "cart"
    VELOCITY = "velocity"
    CONSISTENCY = "consistency"
    REPUTATION = "reputation"
    RING = "ring"


class Feature(NamedTuple):
    """One feature with its documentation."""

    code: str
    group: Group
    meaning: str
    """What it means when it counts, as a sentence."""
    computation: str
    """How the number comes about, and its unit."""
    says: str
    """The sentence of a reason; ``{value}`` stands for the number."""
    says_in_favour: str | None = None
    """The sentence of a reason that speaks for the order, where `says` speaks against it."""

    def sentence(self, value: float) -> str:
        """The reason in words."""
        return self.says.format(value=shown_number(value))


def told_number(value: float) -> float:
    """A number with the digits that a sentence tells."""
    return float(shown_number(value).replace(",", ""))


def shown_number(value: float) -> str:
    """A number as people write it in a sentence."""
    whole = abs(value) >= _WHOLE_FROM or abs(value) <= LEAST
    return f"{value:,.0f}" if whole else f"{value:.2g}"


class _FeatureFields(TypedDict):
    """The other fields of a feature."""

    meaning: str
    computation: str
    says: str
    says_in_favour: NotRequired[str]


class Collection:
    """The features of one group, in the order of their descriptions.

    One function measures all of them, because most share what they look at: one by one, they took
    half as much again (414,000 instructions of the processor for a request instead of 273,000).
    """

    def __init__(self, group: Group, measures: Measures) -> None:
        self._group = group
        self.measures = measures
        self.features: list[Feature] = []

    def describe(self, code: str, **described: Unpack[_FeatureFields]) -> None:
        """Add a feature that the collection's function measures."""
        self.features.append(Feature(code, self._group, **described))
