"""Which tests are of which kind, and which of them a worker of a run begins first."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import pytest

FOLDERS: Final = {
    "tests/clients/": "node",
    "tests/console/browser/": "browser",
    "tests/docs/": "documentation",
}
"""What all tests of a folder are; elsewhere, tests say it themselves."""
SHARED: Final = frozenset({"browser", "spark"})
"""Marks of tests that share what the first of them starts: a browser, a virtual machine."""
LONGEST: Final = (
    *("browser", "spark", "test_openapi.py", "test_learning_page.py", "test_every_route.py"),
    *("test_foreign_ids.py", "test_bad_input.py", "test_quickstart_python.py", "test_velocity.py"),
    *("test_container_restore.py", "test_typescript.py", "test_connector_faults.py"),
    *("test_cost_of_bodies.py", "test_refused_configurations.py", "test_secrets_stay_secret.py"),
    *("test_generated_clients.py", "test_samples.py", "test_erased_person.py", "test_watching.py"),
    *("test_same_answers.py", "test_house.py", "test_kill.py", "test_upgrade.py"),
    *("test_stopping.py"),
    *("test_shared_memory.py", "test_tutorial.py", "test_attacks.py", "test_compose.py"),
    *("test_pipelines_page.py", "test_archive_page.py", "test_idverify_page.py"),
    *("test_connectors_page.py", "test_first_change_page.py", "test_beside.py", "test_german.py"),
    *("test_said_refusals.py", "test_first_run.py", "test_new_subject.py", "test_fill.py"),
    *("test_point_in_time.py", "test_keeping.py", "node", "documentation"),
)
"""What takes longest, by marks and by names of files: it is begun before all others."""


class _Test(Protocol):
    @property
    def nodeid(self) -> str: ...

    def iter_markers(self) -> Iterator[Any]: ...


@dataclass(frozen=True)
class Batch:
    """Tests that one worker runs together, by their places in the list of all."""

    tests: tuple[int, ...]
    shares: frozenset[str]
    """What they share with other batches."""


def mark_by_folder(items: Sequence[pytest.Item]) -> None:
    """Let tests of a folder be chosen and left out together."""
    for item in items:
        for folder, mark in FOLDERS.items():
            if item.nodeid.startswith(folder):
                item.add_marker(mark)


def in_batches(tests: Sequence[_Test]) -> list[Batch]:
    """All tests, those of a file together because they share fixtures, the longest first."""
    found: dict[tuple[str, frozenset[str]], list[int]] = {}
    ranks: dict[tuple[str, frozenset[str]], int] = {}
    for number, test in enumerate(tests):
        file = test.nodeid.partition("::")[0]
        marks = {mark.name for mark in test.iter_markers()}
        key = file, SHARED & marks
        found.setdefault(key, []).append(number)
        names = {*marks, file.rpartition("/")[2]}
        rank = next((n for n, name in enumerate(LONGEST) if name in names), len(LONGEST))
        ranks[key] = min(rank, ranks.get(key, rank))
    ordered = sorted(found, key=lambda key: ranks[key])
    return [Batch(tuple(found[key]), key[1]) for key in ordered]


def take(left: list[Batch], own: Collection[str], others: Collection[str]) -> Batch:
    """The batch that a worker runs next, taken from those that are left.

    It is one that needs what the worker has started; else the first that needs nothing which only
    another worker has; at last, any.
    """
    places = range(len(left))
    mine = (n for n in places if not left[n].shares.isdisjoint(own))
    free = (n for n in places if left[n].shares.isdisjoint(others))
    return left.pop(next(mine, next(free, 0)))
