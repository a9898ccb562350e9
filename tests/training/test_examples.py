"""Examples: what goes in comes out, and nothing that is no signal does."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatehouse.training.examples import Examples

CODES = ("AMOUNT", "HOUR", "PACE")

measured = st.dictionaries(
    st.sampled_from([*CODES, "STRANGER"]), st.floats(allow_nan=False), max_size=4
)


def _examples(*requests: dict[str, float]) -> Examples:
    examples = Examples(CODES)
    for at, signals in enumerate(requests):
        examples.add(float(at), signals)
    return examples


@given(st.lists(measured, max_size=12), st.data())
def test_a_matrix_holds_what_was_added(requests: list[dict[str, float]], data: Any) -> None:
    examples = _examples(*requests)
    places = st.lists(st.integers(0, max(len(requests) - 1, 0)), max_size=20 if requests else 0)
    rows = np.array(data.draw(places), np.int64)
    expected = [[requests[row].get(code, math.nan) for code in CODES] for row in rows]
    assert np.array_equal(
        examples.matrix(rows), np.array(expected).reshape(len(rows), 3), equal_nan=True
    )


def test_rows_are_numbered_in_the_order_in_which_they_came() -> None:
    examples = Examples(CODES)
    assert [examples.add(at, {}) for at in (5.0, 7.0, 6.0)] == [0, 1, 2]
    assert len(examples) == 3
    assert list(examples.at_s) == [5.0, 7.0, 6.0]
    assert list(examples.times(np.array([2, 0]))) == [6.0, 5.0]


def test_a_label_is_unknown_until_it_is_set_and_can_be_taken_back() -> None:
    examples = _examples({}, {}, {})
    examples.set_label(0, True)
    examples.set_label(1, False)
    assert list(examples.labels) == [1, 0, -1]
    examples.set_label(0, None)
    assert list(examples.outcomes(np.arange(3))) == [-1, 0, -1]


def test_examples_can_grow_after_they_were_read() -> None:
    examples = _examples({"AMOUNT": 1.0})
    rows = np.arange(1)
    held = (examples.matrix(rows), examples.times(rows), examples.outcomes(rows))
    examples.add(2.0, {"PACE": 2.0})
    assert examples.matrix(np.arange(2))[1, 2] == 2.0
    assert len(held[0]) == 1


def test_a_request_that_cannot_be_read_leaves_nothing_behind() -> None:
    examples = _examples({"AMOUNT": 1.0})
    with pytest.raises(TypeError):
        examples.add(1.0, {"HOUR": 2.0, "PACE": None})  # type: ignore[dict-item]
    examples.add(1.0, {"PACE": 3.0})
    assert np.array_equal(
        examples.matrix(np.arange(2)),
        [[1.0, math.nan, math.nan], [math.nan, math.nan, 3.0]],
        equal_nan=True,
    )


def test_pieces_are_the_matrix() -> None:
    examples = _examples(*({"AMOUNT": float(at)} for at in range(40_000)))
    rows = np.arange(len(examples))[::-1]
    whole = examples.matrix(rows)
    pieces = list(examples.pieces(rows))
    assert len(pieces) > 1
    for place, piece in pieces:
        assert np.array_equal(piece, whole[place], equal_nan=True)
    assert sum(len(piece) for _, piece in pieces) == len(rows)


def test_more_than_256_signals_are_told_apart() -> None:
    examples = Examples([f"S{place}" for place in range(300)])
    examples.add(0.0, {"S299": 4.0, "S43": 1.0})
    matrix = examples.matrix(np.arange(1))
    assert (matrix[0, 299], matrix[0, 43]) == (4.0, 1.0)
    assert np.count_nonzero(~np.isnan(matrix)) == 2


def test_who_knows_something_else_shares_the_rest() -> None:
    examples = _examples({"AMOUNT": 1.0}, {"PACE": 2.0})
    examples.set_label(0, True, known_s=9.0)
    other = examples.with_labels(np.array([-1, 0], np.int8))
    other.set_label(1, True)
    assert list(examples.labels) == [1, -1]
    assert list(other.labels) == [-1, 1]
    assert list(examples.known_s) == [9.0, 1.0]
    assert np.array_equal(other.matrix(np.arange(2)), examples.matrix(np.arange(2)), equal_nan=True)


@pytest.mark.parametrize("at_s", [-1.0, 0.0, 0.5, 1.0, 3.0, 4.0])
def test_the_oldest_can_be_forgotten_and_more_be_added(at_s: float) -> None:
    requests = [{"AMOUNT": 1.0, "PACE": 2.0}, {}, {"HOUR": 3.0}, {"PACE": 4.0, "HOUR": 5.0}]
    examples = _examples(*requests)
    examples.set_label(3, True)
    count = examples.forget_before(at_s)
    assert count == sum(number < at_s for number in range(4))
    examples.add(4.0, {"AMOUNT": 6.0})
    fresh = _examples(*requests, {"AMOUNT": 6.0})
    rows = np.arange(len(examples))
    assert len(examples) == 5 - count
    assert list(examples.at_s) == list(fresh.at_s)[count:]
    assert list(examples.labels) == [-1, -1, -1, 1, -1][count:]
    assert np.array_equal(examples.matrix(rows), fresh.matrix(np.arange(count, 5)), equal_nan=True)
