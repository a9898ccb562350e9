"""No two kinds of work take the same advisory lock, or they would wait for each other."""

import re
from pathlib import Path

from gatehouse.store import advisory_locks

SOURCE = Path(advisory_locks.__file__).parents[1]
BY_NAME = "hashtextextended"


def _numbers() -> dict[str, int]:
    return {name: value for name, value in vars(advisory_locks).items() if name.isupper()}


def test_every_number_is_another() -> None:
    numbers = _numbers()
    assert len(numbers) >= 3
    assert len(set(numbers.values())) == len(numbers)


def test_every_lock_is_taken_by_one_of_these_numbers_or_by_a_name() -> None:
    taken = [
        (path.name, what)
        for path in SOURCE.rglob("*.py")
        for what in re.findall(r"pg_\w*advisory\w*lock\w*\((\w+)", path.read_text())
    ]
    assert len(taken) >= 5
    assert [each for each in taken if each[1] not in {*_numbers(), BY_NAME}] == []
