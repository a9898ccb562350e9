"""What a signal is: one question about a request, answered by a number.

A signal measures; it does not judge. How much a measurement counts is in the scorecard alone.
None means that the request does not say, 0 that there is nothing to say; neither counts or is kept.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import Final, NamedTuple

from gatehouse.sentry.request_view import RequestView

LEAST: Final = 0.001
"""Of a measurement of which none at all would say something, too."""

_WHOLE_FROM: Final = 10
"""Smaller numbers are told with two digits."""

Measure = Callable[[RequestView], float | None]
Measures = Callable[[RequestView, dict[str, float]], None]
"""Adds what it finds by code; for signals that are worked out together."""
Need = Callable[[RequestView], bool]


class Group(StrEnum):
    """What a signal is about."""

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
    """One signal with its documentation."""

    code: str
    group: Group
    meaning: str
    """What it means when it counts, as a sentence."""
    computation: str
    """How the number comes about, and its unit."""
    says: str
    """The sentence of a reason; ``{value}`` stands for the number."""
    measure: Measure
    needs: Need | None = None
    """Without what it finds nothing: those that need the same are skipped together."""
    otherwise: str | None = None
    """The sentence of a reason that speaks for the order where `says` speaks against it."""

    def sentence(self, value: float) -> str:
        """The reason in words."""
        whole = abs(value) >= _WHOLE_FROM or abs(value) <= LEAST
        shown = f"{value:,.0f}" if whole else f"{value:.2g}"
        return self.says.format(value=shown)


class Collection:
    """Gathers the signals of one group, in the order of their definitions."""

    def __init__(self, group: Group, measures: Measures | None = None) -> None:
        self._group = group
        self.signals: list[Feature] = []
        self.measures = measures
        """What works all of them out together, when that is how they are measured."""

    def describe(
        self, code: str, *, meaning: str, computation: str, says: str, otherwise: str | None = None
    ) -> None:
        """A signal that is worked out together with the others of the collection."""
        measures = self.measures
        assert measures is not None

        def measure(view: RequestView) -> float | None:
            found: dict[str, float] = {}
            measures(view, found)
            return found.get(code)

        self.signals.append(
            Feature(code, self._group, meaning, computation, says, measure, None, otherwise)
        )

    def signal(
        self, code: str, *, meaning: str, computation: str, says: str, needs: Need | None = None
    ) -> Callable[[Measure], Measure]:
        """Make a function the measure of a signal."""

        def collect(measure: Measure) -> Measure:
            found = Feature(code, self._group, meaning, computation, says, measure, needs)
            self.signals.append(found)
            return measure

        return collect


def with_card(view: RequestView) -> bool:
    """Whether the request is about a card."""
    return view.card is not None


def with_place(view: RequestView) -> bool:
    """Whether there is an address, and it is the buyer's."""
    return view.address is not None and not view.is_renewal


def with_country(view: RequestView) -> bool:
    """Whether it is known where the buyer is."""
    return view.country is not None
