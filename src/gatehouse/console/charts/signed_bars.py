"""Bars to both sides of a middle line, with a mark where they usually end."""

from collections.abc import Sequence
from typing import Final

import msgspec

WIDTH: Final = 200
_MIDDLE: Final = WIDTH / 2
_MARGIN: Final = 6.0


class SignedBar(msgspec.Struct, frozen=True):
    """One bar in a drawing of the width 200."""

    x: float
    width: float
    against: bool
    """Whether it points to the left."""
    usual_x: float | None
    """Where the bar usually ends; None when nothing is usual."""


def signed_bars(effects: Sequence[tuple[float, float | None]]) -> list[SignedBar]:
    """The bars of effects and their usual values, all on one scale."""
    sizes = [abs(each) for pair in effects for each in pair if each is not None]
    largest = max(sizes, default=0.0) or 1.0

    def place(effect: float) -> float:
        return round(_MIDDLE + effect / largest * (_MIDDLE - _MARGIN), 1)

    return [
        SignedBar(
            x=min(place(effect), _MIDDLE),
            width=round(abs(place(effect) - _MIDDLE), 1),
            against=effect < 0,
            usual_x=None if usual is None else place(usual),
        )
        for effect, usual in effects
    ]
