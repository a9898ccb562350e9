"""Draws what each learned feature is worth to a model."""

import math
from typing import TYPE_CHECKING, Any, Final

from gatehouse.core.wording.sentences import number_text
from gatehouse.training.report.plot_style import BARS, CANDIDATE, INK, QUIET
from gatehouse.training.report.report import ModelReport, TermShape, learned_terms

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_PANELS: Final = 40
_COLUMNS: Final = 4
_HEAD: Final = 1.05
_PANEL: Final = 2.0
"""Heights in inches, of what is written above the panels and of one row of them."""
_LEGEND: Final = (
    "line: log-odds of being legitimate, below zero speaks for fraud; "
    "grey: how many requests have it"
)
_TALLEST: Final = 0.25
"""Of a panel's height, how much the tallest of the bars has."""
_MOST_TICKS: Final = 4
_TICKS: Final = (-10, -3, -1, 0, 1, 3, 10)


def draw_terms(figure: "Figure", report: ModelReport) -> None:
    """A panel for each learned feature, those first that move most."""
    learned = learned_terms(report)
    shown = learned[:MOST_PANELS]
    rows = max(1, math.ceil(len(shown) / _COLUMNS))
    height = _HEAD + _PANEL * rows
    figure.set_size_inches(3.1 * _COLUMNS, height)
    of = f"the {len(shown)} that move most of {len(learned)}" if shown != learned else "all of them"
    title, below = "What the learned signals are worth", f"{of}, strongest first, on one scale"
    figure.text(0.05, 1 - 0.25 / height, title, va="center", weight="bold", size=12)
    figure.text(0.05, 1 - 0.55 / height, f"{below}; {_LEGEND}", va="center", color=QUIET)
    edges = {"top": 1 - (_HEAD + 0.1) / height, "bottom": 0.35 / height}
    grid = figure.subplots(
        rows,
        _COLUMNS,
        sharey=True,
        squeeze=False,
        gridspec_kw={**edges, "left": 0.05, "right": 0.985, "hspace": 0.62, "wspace": 0.1},
    )
    panels = list(grid.flat)
    for axes, term in zip(panels, shown, strict=False):
        _term(axes, term, report.records)
    for axes in panels[len(shown) :]:
        axes.set_axis_off()
    for row in grid:
        row[0].set_ylabel("log-odds", fontsize=8)
    effects = [0.0, *(effect for term in shown for effect in term.effects)]
    # Most effects are around one, and a few are large.
    panels[0].set_yscale("symlog", linthresh=1, linscale=1)
    panels[0].set_yticks(_TICKS, [f"{tick:g}" for tick in _TICKS], minor=False)
    panels[0].set_yticks([], minor=True)
    panels[0].set_ylim(min(*effects, -1) * 1.5, max(*effects, 1) * 1.5)


def _term(axes: "Axes", term: TermShape, records: int) -> None:
    """One shape; every step is equally wide, since measurements often span powers of ten.

    The first step stands for requests in which it was not measured, where it is worth nothing.
    """
    ends = list(range(len(term.effects) + 1))
    # Wide enough to be seen, and for what is written below it.
    before = -max(1.0, len(term.effects) / 6)
    if any(term.shares):
        heights = [_TALLEST * share / max(term.shares) for share in term.shares]
        across = axes.get_xaxis_transform()
        look: dict[str, Any] = {"width": 1.0, "color": BARS, "alpha": 0.7}
        axes.bar(ends[:-1], heights, align="edge", transform=across, **look)
    axes.axhline(0, color=INK, lw=0.7)
    axes.stairs((0.0, *term.effects), [before, *ends], baseline=None, color=CANDIDATE, lw=1.8)
    axes.set_title(term.code, fontsize=8, loc="left", pad=14)
    share = f"measured in {100 * term.requests / max(1, records):.3g} % of the requests"
    axes.text(0, 1.03, share, transform=axes.transAxes, fontsize=7, color=QUIET)
    axes.set_xlim(before, ends[-1])
    ticks = {before / 2: "none"}
    ticks |= {cut + 1: _short(term.cuts[cut]) for cut in _spread(len(term.cuts))}
    if not term.cuts:
        ticks[0.5] = "measured"
    axes.set_xticks(list(ticks), list(ticks.values()))
    axes.tick_params(labelsize=7)
    axes.grid(visible=False, axis="x")


def _spread(cuts: int) -> range:
    """Some of many cuts, far enough from each other for what is written below them."""
    every = math.ceil(cuts / _MOST_TICKS) or 1
    return range(every // 2, cuts, every)


def _short(number: float) -> str:
    """A number in a few letters."""
    if abs(number) >= 1000:
        thousands = abs(number) < 99_500
        return f"{number / 1000:.2g}k" if thousands else f"{number_text(number / 1e6, '.2g')}M"
    return f"{number:.2g}" if abs(number) < 100 else f"{number:.0f}"
