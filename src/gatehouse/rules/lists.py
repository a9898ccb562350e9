"""What is on an account's lists at a moment: the look-up that rules make.

The cost of a look-up does not grow with the list.
"""

from collections.abc import Callable, Mapping, Sequence
from socket import AF_INET, AF_INET6, inet_ntop, inet_pton
from typing import Final, Generic, TypeVar

from gatehouse.intel.ranges import nested_segments, read_span
from gatehouse.rules.list_entries import ListKind

T = TypeVar("T")
COVERING: Final = (ListKind.NETWORKS, ListKind.BINS, ListKind.DOMAINS)
"""Kinds of lists whose entries cover other values than themselves."""
MARKED: Final = (ListKind.USERS, ListKind.DEVICES, ListKind.WORDS)
"""Kinds of lists whose entries can be names; one that was erased is found by its mark."""
Mark = Callable[[str], str]
IsListed = Callable[[str, int], bool]
"""Whether a value is on one list at a moment."""


class AccountLists:
    """All lists of an account, by name."""

    def __init__(self, lists: Mapping[str, IsListed]) -> None:
        self._lists = lists

    def has(self, name: str, value: str, at_ms: int) -> bool:
        """Whether a value is on a list; an unknown list is empty."""
        is_listed = self._lists.get(name)
        return is_listed is not None and is_listed(value, at_ms)


def membership(
    kind: ListKind, entries: Mapping[str, int | None], mark: Mark | None = None
) -> IsListed:
    """Look-ups in a list as it is; an entry counts until its expiry, which may be None."""
    if kind in COVERING or mark is not None:
        find = ListIndex(kind, entries, mark).find

        def is_covered(value: str, at_ms: int) -> bool:
            for expires_at_ms in find(value):
                if expires_at_ms is None or expires_at_ms > at_ms:
                    return True
            return False

        return is_covered
    get = entries.get

    def is_listed(value: str, at_ms: int) -> bool:
        expires_at_ms = get(value, 0)
        return expires_at_ms is None or expires_at_ms > at_ms

    return is_listed


def past_membership(
    kind: ListKind, spans: Mapping[str, Sequence[int]], mark: Mark | None = None
) -> IsListed:
    """Look-ups in the past of a list, from when each entry was added and ended, in turn."""
    find = ListIndex(kind, spans, mark).find

    def was_listed(value: str, at_ms: int) -> bool:
        for times in find(value):
            for start in range(0, len(times), 2):
                if times[start] <= at_ms < times[start + 1]:
                    return True
        return False

    return was_listed


def covering_entries(kind: ListKind, value: str) -> list[str]:
    """Every entry that could cover a value on a list of this kind; there are few of them.

    Of networks, the value is an address, or a network that has to lie within.
    """
    if kind is ListKind.BINS:
        return [value[:length] for length in range(1, len(value) + 1)]
    if kind is ListKind.DOMAINS:
        labels = value.split(".")
        return [".".join(labels[place:]) for place in range(len(labels))]
    if kind is not ListKind.NETWORKS:
        return [value]
    address, _, length = value.partition("/")
    family, bits = (AF_INET6, 128) if ":" in value else (AF_INET, 32)
    try:
        number = int.from_bytes(inet_pton(family, address), "big")
        narrowest = bits - int(length or bits)
    except (OSError, ValueError):
        return []
    return [
        f"{inet_ntop(family, (number >> free << free).to_bytes(bits // 8, 'big'))}/{bits - free}"
        for free in range(narrowest, bits)
    ]


class ListIndex(Generic[T]):
    """Finds what was stored under the entries that cover a value: itself, or what it is part of.

    A network is found by bisection, a domain by its labels.
    """

    def __init__(self, kind: ListKind, entries: Mapping[str, T], mark: Mark | None = None) -> None:
        self._mark = mark
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
        entries = self._entries
        values = (value,) if self._mark is None else (value, self._mark(value))
        return [entries[each] for each in values if each in entries]

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
