"""Bins: cut between measurements, never through them, and where the mass is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatehouse.training.binning import NOT_MEASURED, choose_cuts, put_into_bins


def _even(values: list[float]) -> np.ndarray:
    return np.full(len(values), 1.0)


@given(st.lists(st.floats(-1e9, 1e9) | st.sampled_from([0.1, 0.2, 0.3]), max_size=60))
def test_cuts_ascend_and_part_what_differs(values: list[float]) -> None:
    cuts = choose_cuts(np.array(values), _even(values), 100)
    assert list(cuts) == sorted(set(cuts))
    assert len(cuts) == max(len(set(values)) - 1, 0)
    assert len(set(np.searchsorted(cuts, values, side="right"))) == len(set(values))


@pytest.mark.parametrize("most", [2, 5, 64])
def test_there_are_no_more_bins_than_asked_for(most: int) -> None:
    values = list(np.random.default_rng(1).normal(size=1000))
    assert len(choose_cuts(np.array(values), _even(values), most)) == most - 1


def test_one_value_that_is_most_of_all_does_not_hide_the_others() -> None:
    values = [0.0] * 900 + [float(each) for each in range(1, 101)]
    cuts = choose_cuts(np.array(values), _even(values), 20)
    assert 2 <= len(cuts) < 20


def test_a_cut_is_as_short_as_can_be() -> None:
    values = [1.2345, 2.9876, 3.0, 4.0]
    assert choose_cuts(np.array(values), _even(values), 10) == (2.0, 3.0, 4.0)


def test_what_was_not_measured_has_a_bin_of_its_own() -> None:
    column = np.array([np.nan, 5.0, -np.inf, np.inf, 5.0])
    binned = put_into_bins("PACE", column, np.ones(5), 8)
    assert list(binned.bins) == [NOT_MEASURED, 2, 1, 3, 2]
    assert all(map(np.isfinite, binned.cuts))


def test_there_are_more_cuts_where_there_is_more_mass() -> None:
    values = np.arange(1000.0)
    masses = np.where(values >= 900, 9.0, 1.0)
    cuts = np.array(choose_cuts(values, masses, 20))
    assert np.count_nonzero(cuts > 900) >= 9
