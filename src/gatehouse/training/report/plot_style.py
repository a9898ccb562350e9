"""How pictures look: their colours on white and on black, their letters, and how they are written.

A picture follows its reader: where pages are dark, so is the picture. A program that knows nothing
of that shows it on white.
"""

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import InvalidInput

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPER: Final = "#ffffff"
INK: Final = "#1f2328"
QUIET: Final = "#5f6671"
GRID: Final = "#e8eaed"
BARS: Final = "#d5d9de"
CANDIDATE: Final = "#0b6e99"
CURRENT: Final = "#c8641b"
HONEST: Final = "#8fa3b5"
FRAUD: Final = "#b3261e"

DARK: Final = {
    PAPER: "#0d1117",
    INK: "#e6edf3",
    QUIET: "#9aa4b0",
    GRID: "#272e38",
    BARS: "#39424e",
    CANDIDATE: "#56c2ee",
    CURRENT: "#f79a55",
    HONEST: "#60758a",
    FRAUD: "#ff8078",
}
"""What stands for each colour where pages are dark."""

STYLE: Final[dict[Any, Any]] = {
    "svg.hashsalt": "gatehouse",
    "font.size": 10,
    "figure.facecolor": PAPER,
    "axes.facecolor": PAPER,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "legend.frameon": False,
}

_FIRST_STYLE: Final = "<defs>\n  <style"


def write(figure: "Figure", path: Path) -> Path:
    """Write a picture as SVG into a folder, which is made if need be."""
    drawn = io.StringIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None})
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_following_the_reader(drawn.getvalue()), encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a path"
        raise InvalidInput(f"cannot write {recordable(str(path))}: {reason}") from None
    return path


def _following_the_reader(svg: str) -> str:
    """The same picture with its colours for dark pages."""
    rules = [
        f'[style*="{what}: {light}"]{{{what}:{dark} !important}}'
        for light, dark in DARK.items()
        for what in ("fill", "stroke")
    ]
    dark = f"<style>@media (prefers-color-scheme: dark) {{{' '.join(rules)}}}</style>"
    head, found, rest = svg.partition(_FIRST_STYLE)
    return f"{head}{dark}\n {found}{rest}"
