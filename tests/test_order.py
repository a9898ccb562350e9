"""The order in which workers begin tests: the longest first, and together what belongs together."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.conftest import BEGUN_FIRST
from tests.order import FOLDERS, spread

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Named:
    """A test with a name and marks."""

    nodeid: str
    marks: tuple[str, ...] = field(default=())

    def iter_markers(self) -> Iterator[pytest.Mark]:
        """Its marks."""
        return (pytest.Mark(name, (), {}, _ispytest=True) for name in self.marks)


ORDINARY = [Named(f"tests/test_browser.py::test_{number}") for number in range(9)]
PAGES = [Named("test_first_page", ("browser",)), Named("test_second_page", ("browser",))]
SLOW = [Named("tests/test_slow.py::test_it")]
GROUPS = (("browser",), ("test_slow.py",))


def test_each_worker_begins_with_a_group_of_its_own() -> None:
    tests = [*ORDINARY, *SLOW, *PAGES]
    assert spread(tests, GROUPS, 2) == [*PAGES, *ORDINARY[:4], *SLOW, *ORDINARY[4:]]


def test_one_worker_begins_with_all_groups() -> None:
    assert spread([*ORDINARY, *SLOW, *PAGES], GROUPS, 1) == [*SLOW, *PAGES, *ORDINARY]


@pytest.mark.parametrize("workers", range(1, 20))
def test_nothing_is_lost_or_run_twice(workers: int) -> None:
    tests = [*PAGES, *ORDINARY, *SLOW]
    assert sorted(spread(tests, GROUPS, workers), key=tests.index) == tests


def test_groups_and_folders_name_what_there_is() -> None:
    files = {path.name for path in (ROOT / "tests").rglob("test_*.py")}
    named = {name for group in BEGUN_FIRST for name in group if name.endswith(".py")}
    assert named <= files
    assert [folder for folder in FOLDERS if not (ROOT / folder).is_dir()] == []
