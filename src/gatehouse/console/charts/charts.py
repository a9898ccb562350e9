"""Small charts that the server draws as SVG: with a title, a description and the data as a table.

Nothing in them has a style of its own; the style sheet colours them by their classes.
"""

from collections.abc import Callable, Sequence
from typing import Final

import msgspec
from markupsafe import Markup

from gatehouse.core.wording.sentences import number_text

_WIDTH: Final = 640
_LEFT: Final = 54
_RIGHT: Final = 8
_TOP: Final = 24
_BOTTOM: Final = 38
_MOST_LABELS: Final = 6
_LETTER: Final = 6.5
"""How wide a letter of a label is, and the room between two labels in letters."""
_GAP: Final = 2
_ROW: Final = 26
_STEPS: Final = (1, 2, 2.5, 5, 10)

Write = Callable[[float], str]
"""Writes a value for people, such as `visit.number`."""


class Series(msgspec.Struct, frozen=True):
    """Values with a name, one for each label; None where there is none."""

    name: str
    values: Sequence[float | None]
    tone: str = ""
    """`good`, `warn`, `bad` or `plain`; empty takes the next colour."""
    is_before: bool = False
    """Whether it is what the others are compared with."""


class Bar(msgspec.Struct, frozen=True):
    """One row of a chart of rows; a negative value points to the left."""

    name: str
    value: float
    tone: str = ""


class Words(msgspec.Struct, frozen=True, kw_only=True):
    """What a chart says besides its picture."""

    title: str
    description: str
    label: str
    """What the labels are, such as the day: the head of the first column of the table."""
    table: str
    """What the button says that shows the data."""
    write: Write = number_text
    axis: str = ""
    """What the values are, with their unit: the title of their axis."""
    mark: Write | None = None
    """Writes a value at the axis, if shorter than elsewhere."""


def line_chart(
    words: Words, labels: Sequence[str], series: Sequence[Series], height: int = 200
) -> Markup:
    """Values over time as lines."""
    scale = _Scale(_values(series), height)
    parts = [_axis(scale, words), _labels(labels, words, height)]
    for number, each in enumerate(series, 1):
        spots = [
            None if value is None else f"{_x(place, len(labels)):.1f},{scale.y(value):.1f}"
            for place, value in enumerate(each.values)
        ]
        line = Markup('<polyline class="line {}" points="{}"/>')
        parts += [line.format(_stroke(each, number), " ".join(run)) for run in _runs(spots)]
    return _figure(words, height, parts, labels, series)


def stacked_chart(
    words: Words, labels: Sequence[str], series: Sequence[Series], height: int = 200
) -> Markup:
    """Parts of a whole over time, as bars on top of each other."""
    sums = [sum(each.values[i] or 0 for each in series) for i in range(len(labels))]
    scale = _Scale([0, *sums], height)
    step = (_WIDTH - _LEFT - _RIGHT) / max(1, len(labels))
    parts = [_axis(scale, words), _labels(labels, words, height, middle=True)]
    for place, label in enumerate(labels):
        low = 0.0
        for number, each in enumerate(series, 1):
            value = each.values[place] or 0
            if not value:
                continue
            top, bottom = scale.y(low + value), scale.y(low)
            low += value
            parts.append(
                Markup(
                    '<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}">'
                    "<title>{}</title></rect>"
                ).format(
                    _fill(each, number),
                    _LEFT + place * step + step * 0.1,
                    top,
                    step * 0.8,
                    max(0.5, bottom - top),
                    f"{label}: {each.name} {words.write(value)}",
                )
            )
    return _figure(words, height, parts, labels, series)


def bar_chart(words: Words, bars: Sequence[Bar]) -> Markup:
    """Named values as rows; negative ones point to the left of a common line."""
    height = len(bars) * _ROW + 4
    left, right = 220, _WIDTH - 64
    least = min(0.0, *(bar.value for bar in bars)) if bars else 0.0
    most = max(0.0, *(bar.value for bar in bars)) if bars else 1.0
    reach = (most - least) or 1.0
    zero = left + (right - left) * (-least / reach)
    parts = [
        Markup('<line class="axis" x1="{0:.1f}" x2="{0:.1f}" y1="0" y2="{1}"/>').format(
            zero, height
        )
    ]
    for number, bar in enumerate(bars):
        width = abs(bar.value) / reach * (right - left)
        start = zero - width if bar.value < 0 else zero
        y = number * _ROW
        tone = bar.tone or ("bad" if bar.value < 0 else "fill-1")
        parts.append(
            Markup(
                '<text x="{}" y="{}" text-anchor="end">{}</text>'
                '<rect class="{}" x="{:.1f}" y="{}" width="{:.1f}" height="14" rx="2"/>'
                '<text x="{:.1f}" y="{}">{}</text>'
            ).format(
                left - 8 if least == 0 else min(left, zero) - 8,
                y + 16,
                _short(bar.name),
                tone,
                start,
                y + 5,
                max(1.0, width),
                max(zero, start + width) + 6,
                y + 16,
                words.write(bar.value),
            )
        )
    labels = [bar.name for bar in bars]
    return _figure(words, height, parts, labels, [Series(words.title, [b.value for b in bars])])


def spark(values: Sequence[float], title: str, width: int = 96, height: int = 24) -> Markup:
    """A trend in the size of a word, for rows of tables."""
    if not values:
        return Markup("")
    most = max(values) or 1
    step = (width - 2) / max(1, len(values) - 1)
    points = " ".join(
        f"{1 + i * step:.1f},{height - 2 - value / most * (height - 4):.1f}"
        for i, value in enumerate(values)
    )
    return Markup(
        '<svg class="chart spark" viewBox="0 0 {} {}" role="img" width="{}" height="{}">'
        '<title>{}</title><polyline class="line series-1" points="{}"/></svg>'
    ).format(width, height, width, height, title, points)


class _Scale:
    """From values to places in the picture, with round numbers at its lines."""

    def __init__(self, values: Sequence[float], height: int) -> None:
        low, high = min(0.0, *values, 0.0), max(*values, 0.0)
        self.step = _round_step((high - low) / 4 or 1)
        self.low = self.step * int(low // self.step)
        self.high = max(self.low + self.step, self.step * -int(-high // self.step))
        self._height = height - _TOP - _BOTTOM

    def y(self, value: float) -> float:
        return _TOP + self._height * (1 - (value - self.low) / (self.high - self.low))

    def lines(self) -> list[float]:
        count = round((self.high - self.low) / self.step)
        return [self.low + self.step * number for number in range(count + 1)]


def _round_step(rough: float) -> float:
    power = 10.0 ** (len(str(int(rough))) - 1) if rough >= 1 else 1.0
    while rough < power:
        power /= 10
    return next(power * each for each in _STEPS if power * each >= rough * 0.999)


def _values(series: Sequence[Series]) -> list[float]:
    return [0.0, *(value for each in series for value in each.values if value is not None)]


def _x(place: int, count: int) -> float:
    return _LEFT + place * (_WIDTH - _LEFT - _RIGHT) / max(1, count - 1)


def _runs(spots: Sequence[str | None]) -> list[list[str]]:
    runs: list[list[str]] = [[]]
    for spot in spots:
        if spot is None:
            runs.append([])
        else:
            runs[-1].append(spot)
    return [run for run in runs if run]


def _axis(scale: _Scale, words: Words) -> Markup:
    write = words.mark or words.write
    title = Markup('<text class="axis-title" x="0" y="12">{}</text>').format(words.axis)
    return title + Markup("").join(
        Markup(
            '<line class="grid-line" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>'
            '<text x="{}" y="{:.1f}" text-anchor="end">{}</text>'
        ).format(
            _LEFT, _WIDTH - _RIGHT, scale.y(line), scale.y(line), _LEFT - 6, scale.y(line) + 4,
            write(line),
        )
        for line in scale.lines()
    )  # fmt: skip


def _labels(labels: Sequence[str], words: Words, height: int, *, middle: bool = False) -> Markup:
    """As many labels below the picture as there is room for, and what they are."""
    longest = max(map(len, labels), default=0)
    fitting = int((_WIDTH - _LEFT - _RIGHT) / ((longest + _GAP) * _LETTER))
    every = max(1, -(-len(labels) // max(1, min(_MOST_LABELS, fitting))))
    step = (_WIDTH - _LEFT - _RIGHT) / max(1, len(labels))
    parts = []
    for place in range(0, len(labels), every):
        x = _LEFT + step * (place + 0.5) if middle else _x(place, len(labels))
        anchor = "middle" if middle or 0 < place < len(labels) - 1 else "start"
        anchor = "end" if not middle and place and place == len(labels) - 1 else anchor
        parts.append(
            Markup('<text x="{:.1f}" y="{}" text-anchor="{}">{}</text>').format(
                x, height - 22, anchor, labels[place]
            )
        )
    title = Markup('<text class="axis-title" x="{}" y="{}" text-anchor="end">{}</text>')
    parts.append(title.format(_WIDTH - _RIGHT, height - 4, words.label))
    return Markup("").join(parts)


def _figure(
    words: Words,
    height: int,
    parts: Sequence[Markup],
    labels: Sequence[str],
    series: Sequence[Series],
) -> Markup:
    picture = Markup(
        '<svg class="chart" viewBox="0 0 {} {}" role="img"><title>{}</title><desc>{}</desc>{}</svg>'
    ).format(_WIDTH, height, words.title, words.description, Markup("").join(parts))
    return Markup('<div class="chart-figure">{}{}{}</div>').format(
        picture, _legend(series), _table(words, labels, series)
    )


def _legend(series: Sequence[Series]) -> Markup:
    if len(series) < 2:
        return Markup("")
    items = Markup("").join(
        Markup(
            '<li><svg class="chart" viewBox="0 0 10 10" aria-hidden="true">'
            '<rect class="{}" width="10" height="10" rx="2"/></svg>{}</li>'
        ).format(_fill(each, number), each.name)
        for number, each in enumerate(series, 1)
    )
    return Markup('<ul class="legend">{}</ul>').format(items)


def _table(words: Words, labels: Sequence[str], series: Sequence[Series]) -> Markup:
    heads = Markup("").join(
        Markup('<th scope="col" class="num">{}</th>').format(each.name) for each in series
    )
    rows = Markup("").join(
        Markup('<tr><th scope="row">{}</th>{}</tr>').format(
            label,
            Markup("").join(
                Markup('<td class="num">{}</td>').format(_shown(each.values[place], words.write))
                for each in series
            ),
        )
        for place, label in enumerate(labels)
    )
    return Markup(
        '<details class="chart-data"><summary>{}</summary>'
        '<div class="table-wrap" role="region" aria-label="{}" tabindex="0"><table>'
        '<thead><tr><th scope="col">{}</th>{}</tr></thead><tbody>{}</tbody></table></div></details>'
    ).format(words.table, words.title, words.label, heads, rows)


def _shown(value: float | None, write: Write) -> str:
    return "–" if value is None else write(value)


def _stroke(series: Series, number: int) -> str:
    colour = f"tone-{series.tone}" if series.tone else f"series-{(number - 1) % 5 + 1}"
    return f"{colour} before" if series.is_before else colour


def _fill(series: Series, number: int) -> str:
    colour = series.tone or f"fill-{(number - 1) % 5 + 1}"
    return f"{colour} before" if series.is_before else colour


def _short(name: str) -> str:
    return name if len(name) <= 36 else name[:35] + "…"
