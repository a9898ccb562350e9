"""Shapes: few steps, and nothing is what was not measured worth."""

import numpy as np
import pytest

from gatehouse.training.binning import put_into_bins
from gatehouse.training.sampling import Sample
from gatehouse.training.shaping import FARTHEST_NOT_MEASURED, MOST_CUTS, as_effects, make_shape


def _sample(column: np.ndarray, fraud: np.ndarray) -> Sample:
    rows = np.arange(len(column))
    return Sample(rows, fraud.astype(float), np.ones(len(column)), column[:, None])


def _column(missing: int, measured: int) -> tuple[np.ndarray, np.ndarray]:
    column = np.concatenate([np.full(missing, np.nan), np.arange(measured) % 4.0])
    return column, np.arange(missing + measured) % 10 == 0


def _mixed(sample: Sample) -> np.ndarray:
    """An order of time in which what was not measured is here and there."""
    return np.random.default_rng(1).permutation(len(sample.rows))


def test_scores_are_told_relative_to_what_was_not_measured() -> None:
    column, fraud = _column(200, 400)
    sample = _sample(column, fraud)
    binned = put_into_bins("PACE", column, sample.masses, 8)
    shape = make_shape(binned, np.array([0.5, 0.5, 1.0, 1.5, 2.0]), sample, _mixed(sample))
    assert shape.shift == 0.5
    assert shape.scores == pytest.approx((0.0, 0.5, 1.0, 1.5))
    assert as_effects(shape, 2.0)[1] == (0.0, -1.0, -2.0, -3.0)


def test_what_is_hardly_ever_missing_is_worth_nothing_on_average() -> None:
    column, fraud = _column(25, 400)
    sample = _sample(column, fraud & ~np.isnan(column))
    binned = put_into_bins("PACE", column, sample.masses, 8)
    shape = make_shape(binned, np.array([-9.0, 0.0, 1.0, 2.0, 3.0]), sample, _mixed(sample))
    assert shape.shift == 1.5


def test_missing_is_never_worth_very_much() -> None:
    column, fraud = _column(200, 400)
    sample = _sample(column, fraud)
    binned = put_into_bins("PACE", column, sample.masses, 8)
    shape = make_shape(binned, np.array([-19.0, 0.0, 1.0, 2.0, 3.0]), sample, _mixed(sample))
    assert shape.shift == 1.5 - FARTHEST_NOT_MEASURED


def test_steps_that_hardly_differ_are_joined() -> None:
    column, fraud = _column(200, 400)
    sample = _sample(column, fraud)
    binned = put_into_bins("PACE", column, sample.masses, 8)
    shape = make_shape(binned, np.array([0.0, 1.0, 1.004, 1.008, 2.0]), sample, _mixed(sample))
    assert shape.cuts == binned.cuts[2:]
    assert shape.scores == pytest.approx((1.004, 2.0), abs=0.002)


def test_many_steps_become_few_that_say_the_same() -> None:
    column = np.linspace(-3, 3, 2000)
    sample = _sample(column, np.arange(2000) % 10 == 0)
    binned = put_into_bins("PACE", column, sample.masses, 128)
    scores = np.concatenate([[0.0], np.sin(np.linspace(-3, 3, binned.size - 1))])
    shape = make_shape(binned, scores, sample, _mixed(sample))
    assert len(shape.cuts) == MOST_CUTS
    said = np.array(shape.scores)[np.searchsorted(shape.cuts, column, side="right")]
    assert np.abs(said + shape.shift - scores[binned.bins]).max() < 0.15


def test_steps_that_are_equal_once_rounded_are_one() -> None:
    column, fraud = _column(200, 400)
    sample = _sample(column, fraud)
    binned = put_into_bins("PACE", column, sample.masses, 8)
    shape = make_shape(binned, np.array([0.0, 1.0, 1.02, 1.04, 2.0]), sample, _mixed(sample))
    assert len(as_effects(shape, 1.0)[0]) == 3
    assert as_effects(shape, 0.0) == ((), (0.0,))


def test_missing_because_a_request_is_old_is_ordinary() -> None:
    column, fraud = _column(200, 400)
    sample = _sample(column, fraud)
    binned = put_into_bins("PACE", column, sample.masses, 8)
    scores = np.array([-2.0, 0.0, 1.0, 2.0, 3.0])
    in_order = np.arange(600)
    assert make_shape(binned, scores, sample, in_order).shift == 1.5
    # Some exceptions do not matter, many do.
    few, many = in_order.copy(), in_order.copy()
    few[[5, 505]] = few[[505, 5]]
    many[:20], many[500:520] = in_order[500:520], in_order[:20]
    assert make_shape(binned, scores, sample, few).shift == 1.5
    assert make_shape(binned, scores, sample, many).shift == -2.0
    # What was missing only lately is another matter.
    assert make_shape(binned, scores, sample, in_order[::-1]).shift == -2.0
