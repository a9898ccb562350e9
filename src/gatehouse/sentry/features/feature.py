"""What a feature is: one question about a request, answered by a number.

A feature measures; it does not judge. How much a measurement counts is in the scorecard alone.
None means that the request does not say, 0 that there is nothing to say; neither is recorded. Its
code is the name by which reasons and records call it a signal.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import Final, NamedTuple, NotRequired, TypedDict, Unpack

from gatehouse.sentry.request_view import RequestView

LEAST: Final = 0.001
"""The smallest value to keep where zero itself is meaningful."""

_WHOLE_FROM: Final = 10
"""Smaller numbers are written with two digits."""

Measure = Callable[[RequestView], float | None]
Measures = Callable[[RequestView, dict[str, float]], None]
"""Adds what it finds by code; for features that are measured together."""
Need = Callable[[RequestView], bool]


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


class Feature(NamedTuple):
    """One feature with its documentation."""

    code: str
    group: Group
    measure: Measure
    meaning: str
    """What it means when it counts, as a sentence."""
    computation: str
    """How the number comes about, and its unit."""
    says: str
    """The sentence of a reason; ``{value}`` stands for the number."""
    needs: Need | None = None
    """What it cannot measure without; features with the same need are skipped together."""
    says_in_favour: str | None = None
    """The sentence of a reason that speaks for the order, where `says` speaks against it."""

    def sentence(self, value: float) -> str:
        """The reason in words."""
        whole = abs(value) >= _WHOLE_FROM or abs(value) <= LEAST
        shown = f"{value:,.0f}" if whole else f"{value:.2g}"
        return self.says.format(value=shown)


class _FeatureFields(TypedDict):
    """The other fields of a feature."""

    meaning: str
    computation: str
    says: str
    needs: NotRequired[Need]
    says_in_favour: NotRequired[str]


class Collection:
    """The features of one group, in the order of their definitions."""

    def __init__(self, group: Group, needs: Need, measures: Measures | None = None) -> None:
        self._group = group
        self.needs = needs
        """What none of them can measure without."""
        self.features: list[Feature] = []
        self.measures = measures
        """Measures all of them together, if they are not measured one by one."""

    def add(self, code: str, measure: Measure, **described: Unpack[_FeatureFields]) -> None:
        """Add a feature with a measure of its own."""
        self.features.append(Feature(code, self._group, measure, **described))

    def feature(
        self, code: str, **described: Unpack[_FeatureFields]
    ) -> Callable[[Measure], Measure]:
        """Add a feature whose measure is the decorated function."""

        def collect(measure: Measure) -> Measure:
            self.add(code, measure, **described)
            return measure

        return collect

    def describe(self, code: str, **described: Unpack[_FeatureFields]) -> None:
        """Add a feature that is measured together with the others of the collection."""
        measures = self.measures
        assert measures is not None

        def measure(view: RequestView) -> float | None:
            found: dict[str, float] = {}
            measures(view, found)
            return found.get(code)

        self.add(code, measure, **described)


def with_card(view: RequestView) -> bool:
    """Whether the request is about a card."""
    return view.card is not None


def with_place(view: RequestView) -> bool:
    """Whether there is an address, and it is the buyer's."""
    return view.address is not None and not view.is_renewal


def with_country(view: RequestView) -> bool:
    """Whether the buyer's country is known."""
    return view.country is not None
