"""CSV for spreadsheets: no cell becomes a formula, and every text comes back as it was."""

import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatehouse.core.files.csv_output import csv_lines, meant_cell, plain_cell

FORMULA = re.compile(r'"*[=+\-@\uff1d\uff0b\uff0d\uff20]')


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("a;=1+1;b", "a;'=1+1;b"),
        ("a\n=1+1", "a\n'=1+1"),
        ("a\t@x", "a\t'@x"),
        ('a;"=1+1"', 'a;\'"=1+1"'),
        ("'=1+1", "''=1+1"),
        ("well - done; a=b", "well - done; a=b"),
        ("it's", "it's"),
        ("", ""),
    ],
)
def test_a_guard_stands_before_whatever_a_spreadsheet_could_take_for_a_formula(
    text: str, cell: str
) -> None:
    assert plain_cell(text) == cell


@given(st.text(alphabet="a=+-@'\";,\t\r\n \uff1d", max_size=12))
def test_neither_separator_opens_a_formula_and_the_text_comes_back(text: str) -> None:
    cell = plain_cell(text)
    assert meant_cell(cell) == text
    line = csv_lines([["x", cell, -5]])
    [read] = csv.reader(io.StringIO(line, newline=""))
    assert read == ["x", cell, "-5"]
    # What a spreadsheet makes of the line that separates by something else, quotes or not.
    for part in re.split(r"[;\t\r\n]", line)[1:]:
        assert FORMULA.match(part) is None


def test_numbers_stay_numbers() -> None:
    assert csv_lines([[-5, "-5.00"]]) == "-5,-5.00\r\n"
