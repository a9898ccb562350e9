"""Draws a model's report: its calibration, precision and recall, and what each feature is worth.

The pictures are SVG files. The same report always gives the same files, byte for byte.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gatehouse.core.errors import InvalidInput
from gatehouse.core.redaction import recordable
from gatehouse.training.report import (
    CalibrationPoint,
    Curves,
    ModelReport,
    ReportPeriod,
    TermShape,
    learned_terms,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CALIBRATION: Final = "calibration.svg"
PRECISION_RECALL: Final = "precision-recall.svg"
TERMS: Final = "terms.svg"

MOST_PANELS: Final = 40
_COLUMNS: Final = 4
_HEAD: Final = 1.05
_PANEL: Final = 2.0
"""Heights in inches, of what is written above the panels and of one row of them."""
_LEGEND: Final = (
    "line: log-odds of being legitimate, below zero speaks for fraud; "
    "grey: how many requests have it"
)
_TALLEST: Final = 0.4
"""Of a panel's height, how much the tallest of the bars has."""
_MOST_TICKS: Final = 5
_CANDIDATE: Final = "#0b6e99"
_CURRENT: Final = "#c8641b"
_QUIET: Final = "#8a8a8a"
_BARS: Final = "#d9d9d9"
_LEAST_RISK: Final = 1e-4
_EDGES: Final = {"left": 0.13, "right": 0.96, "bottom": 0.1, "top": 0.88}
_STYLE: Final[dict[Any, Any]] = {
    "svg.hashsalt": "gatehouse",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#ececec",
    "legend.frameon": False,
}


def draw(report: ModelReport, folder: Path) -> list[Path]:
    """Draw all pictures of a report into a folder, which is made if need be."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    pictures: dict[str, Callable[[Figure, ModelReport], None]] = {
        CALIBRATION: _calibration,
        PRECISION_RECALL: _precision_recall,
        TERMS: _terms,
    }
    drawn = []
    # No style of the user's own is mixed in, and none of ours is left behind.
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        for name, picture in pictures.items():
            figure = Figure()
            FigureCanvasAgg(figure)
            picture(figure, report)
            drawn.append(_write(figure, folder / name))
    return drawn


def _write(figure: "Figure", path: Path) -> Path:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, format="svg", metadata={"Date": None})
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a path"
        raise InvalidInput(f"cannot write {recordable(str(path))}: {reason}") from None
    return path


def _both(report: ModelReport) -> list[tuple[str, str, str, Curves]]:
    """Name, colour, marker and curves of each model."""
    return [
        (f"current model ({report.current_version})", _CURRENT, "s", report.current),
        ("this model", _CANDIDATE, "o", report.candidate),
    ]


def _one_panel(figure: "Figure", height: float, title: str, held: ReportPeriod) -> "Axes":
    """The axes of a picture with a title, and what was measured on below it."""
    figure.set_size_inches(7, height)
    axes = figure.subplots(gridspec_kw=_EDGES)
    axes.set_title(f"{title}\n", loc="left", fontweight="bold")
    below = (
        f"measured on {held.records:,} requests, {held.frauds:,} of them fraud, "
        f"{held.since[:10]} to {held.until[:10]}"
    )
    axes.text(0, 1.02, below, transform=axes.transAxes, color=_QUIET, fontsize=9)
    return axes


def _calibration(figure: "Figure", report: ModelReport) -> None:
    axes = _one_panel(figure, 6.4, "Is the risk what it says?", report.holdout)
    known = (*report.current.calibration, *report.candidate.calibration)
    foot = _power_of_ten_below(share for point in known for share in point[:2])
    axes.plot([foot, 1], [foot, 1], "--", color=_QUIET, lw=1, label="as it should be")
    for name, colour, marker, curves in _both(report):
        if curves.calibration:
            _calibration_line(axes, (name, colour, marker), curves.calibration, foot)
    axes.set(
        xscale="log",
        yscale="log",
        xlim=(foot, 1),
        ylim=(foot, 1),
        xlabel="predicted risk (1 − confidence, mean of a group of requests)",
        ylabel="observed share of fraud (bars: 95 % interval)",
    )
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(_percent)
    axes.legend(loc="upper left")


def _calibration_line(
    axes: "Axes", style: tuple[str, str, str], points: Sequence[CalibrationPoint], foot: float
) -> None:
    """One model's groups; one without any fraud stands at the foot of the picture, hollow."""
    name, colour, marker = style
    for predicted, observed, events in points:
        low, high = interval(observed, events)
        axes.plot([predicted] * 2, [max(foot, low), high], color=colour, lw=1, alpha=0.5)
    # A line would fall to nothing and hide what matters, so it is broken where there is no fraud.
    heights = [observed or math.nan for _, observed, _ in points]
    risks = [predicted for predicted, _, _ in points]
    axes.plot(risks, heights, color=colour, lw=1.4, marker=marker, ms=5, label=name)
    none = [predicted for predicted, observed, _ in points if not observed]
    if none:
        [hollow] = axes.plot(none, [foot] * len(none), color=colour, marker=marker, ms=5, ls="none")
        hollow.set(mfc="white", clip_on=False, label=f"{name}: no fraud in the group")


def _power_of_ten_below(shares: Iterable[float]) -> float:
    """Where a scale begins that has room for all of these."""
    least = min((share for share in shares if share > 0), default=0.01)
    return float(10.0 ** math.floor(math.log10(max(_LEAST_RISK, min(least, 0.1)))))


def interval(share: float, events: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share that was observed."""
    z = 1.96
    middle = (share + z * z / (2 * events)) / (1 + z * z / events)
    spread = math.sqrt(share * (1 - share) / events + z * z / (4 * events * events))
    half = spread * z / (1 + z * z / events)
    return max(0.0, middle - half), min(1.0, middle + half)


def _precision_recall(figure: "Figure", report: ModelReport) -> None:
    held = report.holdout
    axes = _one_panel(figure, 5.6, "How much fraud is caught, and at what price?", held)
    rate = held.frauds / held.records
    axes.axhline(rate, color=_QUIET, lw=1, ls="--", label=f"by chance ({rate:.1%})")
    figures = (report.figures.current, report.figures.candidate)
    for (name, colour, _, curves), known in zip(_both(report), figures, strict=True):
        if curves.precision_recall:
            _, precision, recall = zip(*curves.precision_recall, strict=True)
            average = None if known is None else known.average_precision
            told = "" if average is None else f", average precision {average:.3f}"
            axes.step(recall, precision, where="pre", color=colour, lw=1.6, label=name + told)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(_percent)
    axes.set(
        xlim=(0, 1),
        ylim=(0, 1.02),
        xlabel="recall: share of all fraud that is above the threshold",
        ylabel="precision: share of fraud above the threshold",
    )
    axes.legend(loc="upper right")


def _terms(figure: "Figure", report: ModelReport) -> None:
    learned = learned_terms(report)
    shown = learned[:MOST_PANELS]
    rows = max(1, math.ceil(len(shown) / _COLUMNS))
    height = _HEAD + _PANEL * rows
    figure.set_size_inches(3.1 * _COLUMNS, height)
    of = f"the {len(shown)} that move most of {len(learned)}" if shown != learned else "all of them"
    title, below = "What the learned signals are worth", f"{of}, strongest first, on one scale"
    figure.text(0.05, 1 - 0.25 / height, title, va="center", weight="bold", size=12)
    figure.text(0.05, 1 - 0.55 / height, f"{below}; {_LEGEND}", va="center", color=_QUIET)
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
    room = 0.08 * (max(effects) - min(effects)) or 0.1
    panels[0].set_ylim(min(effects) - room, max(effects) + room)


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
        look: dict[str, Any] = {"width": 1.0, "color": _BARS, "alpha": 0.7}
        axes.bar(ends[:-1], heights, align="edge", transform=across, **look)
    axes.axhline(0, color="black", lw=0.7)
    axes.stairs((0.0, *term.effects), [before, *ends], baseline=None, color=_CANDIDATE, lw=1.8)
    axes.set_title(term.code, fontsize=8, loc="left", pad=14)
    share = f"measured in {100 * term.requests / max(1, records):.3g} % of the requests"
    axes.text(0, 1.03, share, transform=axes.transAxes, fontsize=7, color=_QUIET)
    axes.set_xlim(before, ends[-1])
    every = math.ceil(len(term.cuts) / _MOST_TICKS) or 1
    ticks = {before / 2: "none"}
    ticks |= {cut + 1: f"{term.cuts[cut]:.3g}" for cut in range(0, len(term.cuts), every)}
    if not term.cuts:
        ticks[0.5] = "measured"
    axes.set_xticks(list(ticks), list(ticks.values()))
    axes.tick_params(labelsize=7)
    axes.grid(visible=False, axis="x")


def _percent(share: float, _: Any) -> str:
    return f"{100 * share:g} %"
