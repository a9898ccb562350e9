"""Pictures are drawn from a report alone, the same each time, whatever is missing in it."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from gatehouse.core.errors import InvalidInput
from gatehouse.training.report import plot_terms, plots
from gatehouse.training.report.plot_style import DARK
from gatehouse.training.report.plots import draw, interval
from gatehouse.training.report.report import (
    Curves,
    ModelComparison,
    ModelReport,
    ReportPeriod,
    TermShape,
)
from tests.training.material import figures, report

# Every worker collects all tests; only the one that draws loads the package.
if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAMES = ["calibration.svg", "precision-recall.svg", "scores.svg", "terms.svg"]


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return draw(report(), tmp_path_factory.mktemp("pictures") / "new" / "folder")


def test_four_pictures_are_drawn_into_a_folder_that_is_made(drawn: list[Path]) -> None:
    assert [path.name for path in drawn] == NAMES
    for path in drawn:
        assert path.parent.parts[-2:] == ("new", "folder")
        assert ElementTree.parse(path).getroot().tag.endswith("svg")


def test_the_same_report_gives_the_same_files_whatever_the_user_likes(
    drawn: list[Path], tmp_path: Path
) -> None:
    import matplotlib as mpl

    with mpl.rc_context({"font.size": 20, "axes.grid": False}):
        again = draw(report(), tmp_path)
        assert mpl.rcParams["font.size"] == 20
    assert [path.read_bytes() for path in drawn] == [path.read_bytes() for path in again]


def test_pictures_name_both_models_and_every_learned_term(drawn: list[Path]) -> None:
    calibration, recall, scores, terms = (path.read_text() for path in drawn)
    # The writer leaves each text as a comment beside its outlines.
    for picture in (calibration, recall, scores):
        assert "<!-- current model (prior-2)" in picture
        assert "<!-- this model" in picture
        assert "2,000 requests, 60 of them fraud" in picture
    assert "average precision 0.600" in recall
    assert "this model: no fraud in the group" in calibration
    assert "honest requests" in scores
    assert "IP_VPN" in terms
    assert "PACE" in terms
    assert "IP_TOR_EXIT" not in terms


@pytest.mark.parametrize("picture", [plots._calibration, plots._precision_recall, plots._scores])
def test_no_words_lie_over_a_curve(picture: Callable[["Figure", ModelReport], None]) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure()
    FigureCanvasAgg(figure)
    picture(figure, report())
    figure.draw_without_rendering()
    [legend] = figure.legends
    said = [legend.get_window_extent(), *(text.get_window_extent() for text in figure.texts)]
    for axes in figure.axes:
        assert [one for one in said if axes.get_window_extent().overlaps(one)] == []
        assert [one for one in said if axes.xaxis.label.get_window_extent().overlaps(one)] == []


def test_every_colour_of_a_picture_has_another_where_pages_are_dark(drawn: list[Path]) -> None:
    for path in drawn:
        rules, picture = path.read_text().split("</style>", 1)
        assert rules.count("!important") == 2 * len(DARK)
        used = set(re.findall(r"(?:fill|stroke): (#[0-9a-f]{6})", picture))
        assert len(used) >= 4
        assert used <= set(DARK)


@pytest.mark.parametrize(
    "bare",
    [
        report(terms=()),
        report(
            candidate=Curves(),
            current=Curves(),
            holdout=ReportPeriod("", "", 1, 0),
            figures=ModelComparison(None, figures(None, None)),
            terms=(TermShape("FLAT", (), (0.0,), 0, "learned"),),
        ),
    ],
    ids=["no terms", "nothing"],
)
def test_a_report_in_which_much_is_missing_can_be_drawn(bare: ModelReport, tmp_path: Path) -> None:
    assert len(draw(bare, tmp_path)) == 4


def test_of_many_terms_those_are_drawn_that_move_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plot_terms, "MOST_PANELS", 2)
    terms = tuple(
        TermShape(f"SIGNAL_{number}X", (0.5,), (0.0, -0.1 * number), 100, "learned", (0.5, 0.5))
        for number in range(4)
    )
    picture = draw(report(terms=terms), tmp_path)[3].read_text()
    assert "SIGNAL_3X" in picture
    assert "SIGNAL_2X" in picture
    assert "SIGNAL_1X" not in picture
    assert "the 2 that move most of 4" in picture


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInput, match="cannot write"):
        draw(report(), tmp_path / "file")


def test_an_observed_share_has_an_interval_that_narrows_with_the_requests() -> None:
    assert interval(0.0, 10) == pytest.approx((0.0, 0.2775), abs=1e-3)
    assert interval(1.0, 10) == pytest.approx((0.7225, 1.0), abs=1e-3)
    low, high = interval(0.1, 1000)
    assert 0.08 < low < 0.1 < high < 0.122
