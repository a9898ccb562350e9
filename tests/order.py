"""Which tests are of which kind, and in what order the workers of a run begin them."""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, Final, Protocol, TypeVar

import pytest

FOLDERS: Final = {
    "tests/clients/": "node",
    "tests/console/browser/": "browser",
    "tests/docs/": "documentation",
}
"""What all tests of a folder are; elsewhere, tests say it themselves."""


class _Test(Protocol):
    @property
    def nodeid(self) -> str: ...

    def iter_markers(self) -> Iterator[Any]: ...


T = TypeVar("T", bound=_Test)


def mark_by_folder(items: Sequence[pytest.Item]) -> None:
    """Let tests of a folder be chosen and left out together."""
    for item in items:
        for folder, mark in FOLDERS.items():
            if item.nodeid.startswith(folder):
                item.add_marker(mark)


def spread(tests: Sequence[T], begun_first: Sequence[Sequence[str]], workers: int) -> list[T]:
    """The tests in an order in which each worker begins with those that take longest.

    A worker is given a part of the list, without gaps, and workers that have nothing left take
    from the ends of others' parts. So what stands at the beginning of a part stays together and
    shares what its first test starts: a browser, a virtual machine. Each entry of `begun_first`
    names such a group, by marks and by files; the last of two that fit counts.
    """
    groups: list[list[T]] = [[] for _ in range(max(workers, 1))]
    ordinary: list[T] = []
    for test in tests:
        names = {test.nodeid.partition("::")[0].rpartition("/")[2]}
        names.update(mark.name for mark in test.iter_markers())
        fits = [n for n, group in enumerate(begun_first) if not names.isdisjoint(group)]
        (groups[fits[-1] % len(groups)] if fits else ordinary).append(test)
    ordered: list[T] = []
    left, remaining = iter(ordinary), len(tests)
    for number, group in enumerate(groups):
        # As the scheduler divides: what remains by who remains.
        share = remaining // (len(groups) - number)
        ordered += group
        ordered += itertools.islice(left, max(0, share - len(group)))
        remaining -= share
    return [*ordered, *left]
