"""What a signal is: one question about a request, answered by a number.

A signal measures; it does not judge. How much a measurement counts is in the scorecard alone.
None means that the request does not say, which never counts.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

from gatehouse.sentry.look import Look

Measure = Callable[[Look], float | None]


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

    def sentence(self, value: float) -> str:
        """The reason in words."""
        return self.says.format(value=f"{value:,.0f}") if "{" in self.says else self.says


class Collection:
    """Gathers the signals of one group, in the order of their definitions."""

    def __init__(self, group: Group) -> None:
        self._group = group
        self.signals: list[Signal] = []

    def signal(
        self, code: str, *, meaning: str, computation: str, says: str
    ) -> Callable[[Measure], Measure]:
        """Make a function the measure of a signal."""

        def collect(measure: Measure) -> Measure:
            found = Signal(code, self._group, meaning, computation, says, measure)
            self.signals.append(found)
            return measure

        return collect
