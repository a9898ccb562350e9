"""Intervals of figures: as the published formulas have them, wide where little is known."""

import pytest

from gatehouse.training.intervals import (
    area_interval,
    figure_interval,
    precision_interval,
    share_interval,
)
from tests.training.material import figures


def test_a_share_has_the_interval_of_wilson() -> None:
    assert share_interval(0.5, 60) == pytest.approx((0.377, 0.623), abs=0.001)
    assert share_interval(0.0, 10) == pytest.approx((0.0, 0.278), abs=0.001)
    assert share_interval(0.5, 0) is None


def test_an_area_has_the_interval_of_hanley_and_mcneil() -> None:
    assert area_interval(0.9, 60, 1940) == pytest.approx((0.848, 0.952), abs=0.001)
    assert area_interval(1.0, 5, 5) == (1.0, 1.0)
    assert area_interval(0.9, 0, 10) is None


def test_an_average_precision_stays_between_nothing_and_all() -> None:
    assert precision_interval(0.6, 60) == pytest.approx((0.472, 0.716), abs=0.001)
    low, high = precision_interval(1e-9, 1) or (9, 9)
    assert 0 <= low < high <= 1
    assert precision_interval(1.0, 60) is None


def test_fewer_frauds_make_every_interval_wider() -> None:
    for name in ("auc", "average_precision", "recall_at_1", "recall_at_5"):
        low, high = figure_interval(figures(0.9, 0.6, frauds=600), name) or (0, 9)
        lower, higher = figure_interval(figures(0.9, 0.6, frauds=6), name) or (9, 0)
        assert lower < low < high < higher


def test_what_has_no_interval_gets_none() -> None:
    assert figure_interval(figures(0.9, 0.6), "ece") is None
    assert figure_interval(figures(None, None), "auc") is None
