"""Draws a model's report: its calibration, precision and recall, and what each feature is worth.

The pictures are SVG files. The same report always gives the same files, byte for byte.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gatehouse.training.report.plot_style import (
    CANDIDATE,
    CURRENT,
    FRAUD,
    HONEST,
    PAPER,
    QUIET,
    STYLE,
    write,
)
from gatehouse.training.report.plot_terms import draw_terms
from gatehouse.training.report.report import (
    CalibrationPoint,
    Curves,
    ModelReport,
    ReportPeriod,
    ScoreBin,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CALIBRATION: Final = "calibration.svg"
PRECISION_RECALL: Final = "precision-recall.svg"
SCORES: Final = "scores.svg"
TERMS: Final = "terms.svg"
PICTURES: Final = (CALIBRATION, PRECISION_RECALL, SCORES, TERMS)

_LEAST_RISK: Final = 1e-4
_TOP_INCHES: Final = 0.85
_AXIS_INCHES: Final = 0.6
_LINE_INCHES: Final = 0.24
"""Heights of the title, of what is written along the axis, and of a line of the legend below."""


def draw(report: ModelReport, folder: Path) -> list[Path]:
    """Draw all pictures of a report into a folder, which is made if need be."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    pictures: dict[str, Callable[[Figure, ModelReport], None]] = {
        CALIBRATION: _calibration,
        PRECISION_RECALL: _precision_recall,
        SCORES: _scores,
        TERMS: draw_terms,
    }
    drawn = []
    # No style of the user's own is mixed in, and none of ours is left behind.
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(STYLE)
        for name, picture in pictures.items():
            figure = Figure()
            FigureCanvasAgg(figure)
            picture(figure, report)
            drawn.append(write(figure, folder / name))
    return drawn


def _both(report: ModelReport) -> list[tuple[str, str, str, Curves]]:
    """Name, colour, marker and curves of each model."""
    return [
        (f"current model ({report.current_version})", CURRENT, "s", report.current),
        ("this model", CANDIDATE, "o", report.candidate),
    ]


def _panels(
    figure: "Figure", title: str, held: ReportPeriod, heights: Sequence[float], lines: int
) -> list["Axes"]:
    """Axes below each other, of some inches, with a title above and room for a legend below.

    What they were measured on stands under the title.
    """
    foot = _AXIS_INCHES + _LINE_INCHES * lines
    between = 0.75
    height = _TOP_INCHES + sum(heights) + between * (len(heights) - 1) + foot
    figure.set_size_inches(7, height)
    figure.text(0.13, 1 - 0.3 / height, title, weight="bold", size=12)
    said = (
        f"measured on {held.records:,} requests, {held.frauds:,} of them fraud, "
        f"{held.since[:10]} to {held.until[:10]}"
    )
    figure.text(0.13, 1 - 0.53 / height, said, color=QUIET, size=9)
    top, made = height - _TOP_INCHES, []
    for inches in heights:
        made.append(figure.add_axes((0.13, (top - inches) / height, 0.83, inches / height)))
        top -= inches + between
    return made


def _legend(axes: "Axes", figure: "Figure", columns: int = 1) -> None:
    """Say below the axes which curve is which, so that nothing lies over a curve."""
    figure.legend(
        *axes.get_legend_handles_labels(),
        loc="lower left",
        bbox_to_anchor=(0.11, 0.0),
        ncols=columns,
        fontsize=9,
    )


def _calibration(figure: "Figure", report: ModelReport) -> None:
    [axes] = _panels(figure, "Is the risk what it says?", report.holdout, [4.9], 3)
    known = (*report.current.calibration, *report.candidate.calibration)
    foot = _power_of_ten_below(share for point in known for share in point[:2])
    axes.plot([foot, 1], [foot, 1], "--", color=QUIET, lw=1, label="as it should be")
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
    _legend(axes, figure, columns=2)


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
    [line] = axes.plot(risks, heights, color=colour, lw=1.4, marker=marker, ms=5, label=name)
    # A point in a corner is not cut in half.
    line.set_clip_on(False)
    none = [predicted for predicted, observed, _ in points if not observed]
    if none:
        [hollow] = axes.plot(none, [foot] * len(none), color=colour, marker=marker, ms=5, ls="none")
        hollow.set(mfc=PAPER, clip_on=False, label=f"{name}: no fraud in the group")


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
    [axes] = _panels(figure, "How much fraud is caught, and at what price?", held, [4.2], 3)
    rate = held.frauds / held.records
    axes.axhline(rate, color=QUIET, lw=1, ls="--", label=f"by chance ({rate:.1%})")
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
    _legend(axes, figure)


def _scores(figure: "Figure", report: ModelReport) -> None:
    """How many honest requests and frauds have which confidence, for both models."""
    title = "Which confidence do fraud and honest requests get?"
    panels = _panels(figure, title, report.holdout, [2.1, 2.1], 1)
    bins = (*report.candidate.histogram, *report.current.histogram)
    highest = max((max(one[1:]) for one in bins), default=0)
    for axes, (name, _, _, curves) in zip(panels, reversed(_both(report)), strict=True):
        axes.set_title(name, loc="left", size=10)
        _histogram(axes, curves.histogram)
        axes.set(xlim=(0, 1), ylim=(0.5, max(10, 1.6 * highest)), ylabel="requests")
    panels[-1].set_xlabel("confidence")
    _legend(panels[-1], figure, columns=2)


def _histogram(axes: "Axes", bins: Sequence[ScoreBin]) -> None:
    """Bars in pairs; their heights grow with powers of ten, because fraud is rare."""
    width = 1 / max(1, len(bins))
    kinds = (("honest requests", HONEST, 1, 0.08), ("fraud", FRAUD, 2, 0.5))
    for label, colour, place, aside in kinds:
        begins = [one[0] + aside * width for one in bins]
        counts = [one[place] for one in bins]
        axes.bar(begins, counts, 0.42 * width, align="edge", color=colour, label=label)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(lambda count, _: f"{count:,.0f}" if count >= 1 else "")
    axes.grid(visible=False, axis="x")


def _percent(share: float, _: Any) -> str:
    return f"{100 * share:g} %"
