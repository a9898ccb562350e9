"""Finds which entries of a list cover a value, at a cost that does not grow with the list."""

from collections.abc import Callable, Mapping, Sequence
from socket import AF_INET, AF_INET6, inet_pton
from typing import Generic, TypeVar

from gatehouse.intel.ranges import nested_segments, read_span
from gatehouse.rules.list_entries import ListKind

T = TypeVar("T")


class ListIndex(Generic[T]):
    """Finds what was stored under the entries that cover a value: itself, or what it is part of.

    A network is found by bisection, a domain by its labels.
    """

    def __init__(self, kind: ListKind, entries: Mapping[str, T]) -> None:
        self.find: Callable[[str], Sequence[T]] = self._same
        """Everything that was stored under the entries that cover a value."""
        if kind is ListKind.NETWORKS:
            rows = ((read_span(entry), stored) for entry, stored in entries.items())
            self._segments, self._covering = nested_segments(
                (row, stored) for row, stored in rows if row is not None
            )
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
                version, number = 6, int.from_bytes(inet_pton(AF_INET6, value), "big")
            else:
                version, number = 4, int.from_bytes(inet_pton(AF_INET, value), "big")
        except (OSError, ValueError):
            return ()
        return self._covering[self._segments.find(version, number)]
