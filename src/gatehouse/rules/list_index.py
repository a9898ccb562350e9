"""Finds which entries of a list cover a value, at a cost that does not grow with the list."""

from collections.abc import Callable, Mapping, Sequence
from socket import AF_INET, AF_INET6, inet_pton
from typing import Final, Generic, TypeVar

from gatehouse.rules.list_entries import ListKind

_MOST_BLOCKS: Final = 65_536

T = TypeVar("T")


class ListIndex(Generic[T]):
    """Finds what was stored under the entries that cover a value: itself, or what it is part of.

    A network is found by its prefixes, a domain by its labels.
    """

    def __init__(self, kind: ListKind, entries: Mapping[str, T]) -> None:
        self.find: Callable[[str], Sequence[T]] = self._same
        """Everything that was stored under the entries that cover a value."""
        if kind is ListKind.NETWORKS:
            self._four, self._six = _read_networks(entries)
            self.find = self._network
            return
        self._entries = entries
        if kind is ListKind.BINS:
            self._lengths = sorted({len(entry) for entry in entries})
            self.find = self._prefixes
        elif kind is ListKind.DOMAINS:
            self.find = self._domain

    def _same(self, value: str) -> Sequence[T]:
        return (self._entries[value],) if value in self._entries else ()

    def _prefixes(self, value: str) -> Sequence[T]:
        entries = self._entries
        prefixes = [value[:length] for length in self._lengths if length <= len(value)]
        return [entries[prefix] for prefix in prefixes if prefix in entries]

    def _domain(self, value: str) -> Sequence[T]:
        entries = self._entries
        found = []
        while value:
            if value in entries:
                found.append(entries[value])
            value = value.partition(".")[2]
        return found

    def _network(self, value: str) -> Sequence[T]:
        try:
            if ":" in value:
                return self._six.find(int.from_bytes(inet_pton(AF_INET6, value), "big"))
            return self._four.find(int.from_bytes(inet_pton(AF_INET, value), "big"))
        except (OSError, ValueError):
            return ()


_Level = tuple[int, dict[int, T]]
"""Networks of one length: how many bits they leave open, and what is under which prefix."""


class _Networks(Generic[T]):
    """The networks of one version of addresses, in one table for each length of prefix.

    Which lengths there are is noted for each block of addresses, and which networks hold a whole
    block is remembered, so that a list with all lengths costs little more than one with a few.
    """

    def __init__(self, bits: int, block: int) -> None:
        self._bits = bits
        self._outside = bits - block
        self._levels: dict[int, dict[int, T]] = {}
        self._marks: dict[int, int] = {}
        self._short: Sequence[_Level[T]] = ()
        self._blocks: dict[int, Sequence[_Level[T]]] = {}
        self._around: dict[int, list[T]] = {}

    def put(self, number: int, length: int, under: T) -> None:
        """Put something under a network."""
        shift = self._bits - length
        self._levels.setdefault(shift, {})[number >> shift] = under
        if shift <= self._outside:
            block = number >> self._outside
            self._marks[block] = self._marks.get(block, 0) | 1 << shift

    def close(self) -> None:
        """Make ready for finding, after the last network."""
        levels = tuple(self._levels.items())
        self._short = [level for level in levels if level[0] > self._outside]
        alike = {
            mark: [level for level in levels if mark >> level[0] & 1]
            for mark in set(self._marks.values())
        }
        self._blocks = {block: alike[mark] for block, mark in self._marks.items()}
        self._marks = {}

    def find(self, number: int) -> Sequence[T]:
        """What is under the networks that an address is in."""
        block = number >> self._outside
        found = self._around.get(block)
        if found is None:
            found = self._note(block)
        levels = self._blocks.get(block)
        if levels is None:
            return found
        return found + [
            under[part] for shift, under in levels if (part := number >> shift) in under
        ]

    def _note(self, block: int) -> list[T]:
        if len(self._around) >= _MOST_BLOCKS:
            self._around.clear()
        number = block << self._outside
        found = [under[part] for shift, under in self._short if (part := number >> shift) in under]
        self._around[block] = found
        return found


def _read_networks(entries: Mapping[str, T]) -> tuple[_Networks[T], _Networks[T]]:
    four, six = _Networks[T](32, 16), _Networks[T](128, 32)
    for network, under in entries.items():
        address, _, length = network.partition("/")
        if ":" in address:
            six.put(int.from_bytes(inet_pton(AF_INET6, address), "big"), int(length), under)
        else:
            four.put(int.from_bytes(inet_pton(AF_INET, address), "big"), int(length), under)
    four.close()
    six.close()
    return four, six
