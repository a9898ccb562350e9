"""Which tests a worker runs next: the longest first, and together what belongs together."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.order import FOLDERS, LONGEST, Batch, in_batches, take

ROOT = Path(__file__).parents[1]
BROWSER, NOTHING = frozenset({"browser"}), frozenset[str]()
PAGES, MORE_PAGES = Batch((0,), BROWSER), Batch((1,), BROWSER)
ORDINARY, OTHERS = Batch((2,), NOTHING), Batch((3,), NOTHING)


@dataclass(frozen=True)
class Named:
    """A test with a name and marks."""

    nodeid: str
    marks: tuple[str, ...] = field(default=())

    def iter_markers(self) -> Iterator[pytest.Mark]:
        """Its marks."""
        return (pytest.Mark(name, (), {}, _ispytest=True) for name in self.marks)


def test_tests_of_a_file_stay_together_and_the_longest_come_first() -> None:
    tests = [
        Named("tests/a/test_one.py::test_first"),
        Named("tests/b/test_one.py::test_first"),
        Named("tests/a/test_one.py::test_second", ("browser",)),
        Named("tests/b/test_one.py::test_second"),
        Named(f"tests/{LONGEST[2]}::test_first"),
    ]
    longest = [Batch((2,), BROWSER), Batch((4,), NOTHING)]
    assert in_batches(tests) == [*longest, Batch((0,), NOTHING), Batch((1, 3), NOTHING)]


def test_a_worker_goes_on_with_what_needs_the_same_as_before() -> None:
    left = [ORDINARY, MORE_PAGES]
    assert take(left, own=BROWSER, others=BROWSER) == MORE_PAGES
    assert left == [ORDINARY]


def test_a_worker_leaves_what_another_one_has_begun_to_that_one() -> None:
    left = [PAGES, ORDINARY, OTHERS]
    assert take(left, own=NOTHING, others=BROWSER) == ORDINARY
    assert take(left, own=NOTHING, others=NOTHING) == PAGES
    assert left == [OTHERS]


def test_a_worker_that_would_be_idle_helps_with_what_another_one_has_begun() -> None:
    left = [PAGES, MORE_PAGES]
    assert take(left, own=NOTHING, others=BROWSER) == PAGES
    assert left == [MORE_PAGES]


def test_names_are_of_what_there_is() -> None:
    files = {path.name for path in (ROOT / "tests").rglob("test_*.py")}
    assert {name for name in LONGEST if name.endswith(".py")} <= files
    assert [folder for folder in FOLDERS if not (ROOT / folder).is_dir()] == []
