"""What a signal is: one question about a request, answered by a number.

A signal measures; it does not judge. How much a measurement counts is in the scorecard alone.
None means that the request does not say, 0 that there is nothing to say; neither counts or is kept.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import Final, NamedTuple

from gatehouse.sentry.look import Look

LEAST: Final = 0.001
"""Of a measurement of which none at all would say something, too."""

Measure = Callable[[Look], float | None]
Need = Callable[[Look], bool]


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


class Signal(NamedTuple):
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

    def sentence(self, value: float) -> str:
        """The reason in words."""
        return self.says.format(value=f"{value:,.0f}")


class Collection:
    """Gathers the signals of one group, in the order of their definitions."""

    def __init__(self, group: Group) -> None:
        self._group = group
        self.signals: list[Signal] = []

    def signal(
        self, code: str, *, meaning: str, computation: str, says: str, needs: Need | None = None
    ) -> Callable[[Measure], Measure]:
        """Make a function the measure of a signal."""

        def collect(measure: Measure) -> Measure:
            found = Signal(code, self._group, meaning, computation, says, measure, needs)
            self.signals.append(found)
            return measure

        return collect


def with_card(look: Look) -> bool:
    """Whether the request is about a card."""
    return look.card is not None
