"""Charts over time that can be looked at closely: a script draws them again with values at hand.

Without scripts the picture of the server stays, and its table has the same data.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

import msgspec
from markupsafe import Markup

from gatehouse.console.charts.charts import Series, Words, line_chart, stacked_chart

_TONES: Final = {
    "good": "--chart-2",
    "warn": "--chart-3",
    "bad": "--chart-4",
    "info": "--chart-1",
    "plain": "--border-strong",
}
_COLOURS: Final = 5


class Zoom(msgspec.Struct, frozen=True):
    """Where a narrower span is shown: an address that takes `from` and `to`."""

    url: str
    hint: str
    firsts: Sequence[str]
    """The first day of each part of the span."""
    lasts: Sequence[str]


class TimeChart(msgspec.Struct, frozen=True, kw_only=True):
    """Values over the parts of a span."""

    words: Words
    labels: Sequence[str]
    series: Sequence[Series]
    zoom: Zoom
    stacked: bool = False
    height: int = 220
    unit: str = ""
    """What stands behind the numbers of the axis."""

    def drawn(self) -> Markup:
        """The picture of the server with the data for the script."""
        draw = stacked_chart if self.stacked else line_chart
        picture = draw(self.words, self.labels, self.series, self.height)
        data = {
            "stacked": self.stacked,
            "height": self.height,
            "unit": self.unit,
            "labels": self.labels,
            "firsts": self.zoom.firsts,
            "lasts": self.zoom.lasts,
            "url": self.zoom.url,
            "hint": self.zoom.hint,
            "head": self.words.label,
            "axis": self.words.axis,
            "series": [self._one(each, number) for number, each in enumerate(self.series)],
        }
        return Markup('<div class="plot" data-plot="{}">{}</div>').format(
            msgspec.json.encode(data).decode(), picture
        )

    def _one(self, series: Series, number: int) -> dict[str, object]:
        write = self.words.write
        return {
            "name": series.name,
            "colour": _TONES.get(series.tone, f"--chart-{number % _COLOURS + 1}"),
            "values": series.values,
            "texts": ["–" if each is None else write(each) for each in series.values],
        }


def zoom_of(url: str, hint: str, starts_ms: Sequence[int], until_ms: int, zone: ZoneInfo) -> Zoom:
    """The days of each part of a span that ends at a moment."""
    ends_ms = [*starts_ms[1:], until_ms]
    return Zoom(
        url,
        hint,
        [_day(each, zone) for each in starts_ms],
        [_day(each - 1, zone) for each in ends_ms],
    )


def _day(at_ms: int, zone: ZoneInfo) -> str:
    return str(datetime.fromtimestamp(at_ms / 1000, zone).date())
