"""A gauge: how much of the way to a limit is behind, and where a forecast sees the end."""

from collections.abc import Sequence
from typing import Final

import msgspec
from markupsafe import Markup

_WIDTH: Final = 640
_HEIGHT: Final = 34
_LIMIT_X: Final = 480.0
"""Where the limit is; what is beyond it is drawn up to the edge."""
_BAR_Y: Final = 6
_BAR: Final = 14


class Gauge(msgspec.Struct, frozen=True, kw_only=True):
    """Shares of the way to a limit, of which 1 is the limit."""

    title: str
    description: str
    reached: float
    low: float | None = None
    """The bounds of a forecast."""
    high: float | None = None
    marks: Sequence[float] = ()
    """Where somebody is told."""

    def drawn(self) -> Markup:
        """The picture, which says in words what it shows."""
        tone = (
            "bad"
            if self.reached >= 1
            else "warn"
            if self.reached >= min(self.marks or (1,))
            else "good"
        )
        bar = Markup('<rect class="{}" x="0" y="{}" width="{:.1f}" height="{}" rx="2"/>')
        parts = [
            bar.format("before plain", _BAR_Y, _LIMIT_X, _BAR),
            bar.format(tone, _BAR_Y, _place(self.reached), _BAR),
            *(self._line("grid-line", mark, _BAR_Y, _BAR_Y + _BAR) for mark in self.marks),
            self._line("axis", 1.0, 0, _BAR_Y + _BAR + 6),
        ]
        if self.low is not None and self.high is not None:
            low, high, y = _place(self.low), _place(self.high), _BAR_Y + _BAR + 6
            range_ = Markup('<polyline class="line tone-{}" points="{:.1f},{} {:.1f},{}"/>')
            parts.append(range_.format("bad" if self.high >= 1 else "plain", low, y, high, y))
        return Markup(
            '<svg class="chart gauge" viewBox="0 0 {} {}" role="img"><title>{}</title>'
            "<desc>{}</desc>{}</svg>"
        ).format(_WIDTH, _HEIGHT, self.title, self.description, Markup("").join(parts))

    def _line(self, kind: str, share: float, top: int, bottom: int) -> Markup:
        line = Markup('<line class="{0}" x1="{1:.1f}" x2="{1:.1f}" y1="{2}" y2="{3}"/>')
        return line.format(kind, _place(share), top, bottom)


def _place(share: float) -> float:
    return min(max(share, 0.0) * _LIMIT_X, float(_WIDTH))
