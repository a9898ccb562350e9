"""Ranges of addresses as sorted tables, in which any address is found by bisection."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush, merge
from itertools import islice
from socket import AF_INET, AF_INET6, inet_pton
from typing import Final, TypeVar

from gatehouse.intel.addresses import is_port

RangeRow = tuple[int, int, int]
"""The version of the addresses, the first of them, the last of them."""

_BITS: Final = {4: 32, 6: 128}
_HALF: Final = 64
_LOW: Final = 2**_HALF - 1
_V4_MAX: Final = 2**32 - 1
_ROW_BITS: Final = 24
_CHUNK: Final = 16_384
"""How many keys are sorted at a time: sorting a list blocks all other threads."""

_MAPPED: Final = 0xFFFF << 32
_WRAPS: Final = ((_MAPPED, 0), (0x64FF9B << 96, 0), (0x2002 << 112, 80))
"""Where IPv6 holds IPv4 addresses (mapped, NAT64, 6to4), and how many bits follow the address.
Such addresses are always looked up as IPv4."""
_TEREDO: Final = 0x20010000

T = TypeVar("T")


def read_span(text: str) -> RangeRow | None:
    """The addresses that a text names: one, a network as 192.0.2.0/24, or a range as first-last.

    A port after an IPv4 address, as in lists of proxies, is ignored.
    """
    first, hyphen, last = text.partition("-")
    if hyphen:
        return read_ends(first.rstrip(), last.lstrip())
    span = _read(text)
    return None if span is None else _unwrapped(span)


def read_ends(first: str, last: str) -> RangeRow | None:
    """The range from the first address that one text names to the last that another names."""
    one, other = _read(first), _read(last)
    if one is None or other is None or one[0] != other[0] or one[1] > other[2]:
        return None
    return _unwrapped((one[0], one[1], other[2]))


def _read(text: str) -> RangeRow | None:
    address, slash, prefix = text.partition("/")
    host, _, port = address.partition(":")
    if "." in host and not slash and is_port(port):
        address = host
    try:
        if ":" in address:
            version, bits, value = 6, 128, int.from_bytes(inet_pton(AF_INET6, address), "big")
        else:
            version, bits, value = 4, 32, int.from_bytes(inet_pton(AF_INET, address), "big")
    except (OSError, ValueError):
        return None
    around = 0
    if slash:
        if not (prefix.isascii() and prefix.isdigit() and len(prefix) <= 3 and int(prefix) <= bits):
            return None
        around = (1 << (bits - int(prefix))) - 1
    return version, value & ~around, value | around


def read_numbers(first: str, last: str) -> RangeRow | None:
    """The range between two addresses that are written as numbers, or None."""
    if not all(text.isascii() and text.isdigit() and len(text) <= 39 for text in (first, last)):
        return None
    start, end = int(first), int(last)
    if start > end or end >= 1 << _BITS[6]:
        return None
    return _unwrapped((4 if end <= _V4_MAX else 6, start, end))


def is_everything(span: RangeRow) -> bool:
    """Whether a range holds every address, which is always a mistake in a list."""
    return span[1] == 0 and span[2] == (1 << _BITS[span[0]]) - 1


def _unwrapped(span: RangeRow) -> RangeRow:
    """A range of IPv6 as the range of IPv4 that it wraps, if it wraps one."""
    version, first, last = span
    if version == 4:
        return span
    for start, shift in _WRAPS:
        if start <= first and last >> shift <= (start >> shift) + _V4_MAX:
            inner = 4, (first - start) >> shift, (last - start) >> shift
            # Tables of the whole space have a row for all of NAT64 and for all of 6to4.
            return inner if start == _MAPPED or not is_everything(inner) else span
    if first == last and first >> 96 == _TEREDO:
        return 4, ~first & _V4_MAX, ~first & _V4_MAX
    return span


class Segments:
    """A number for every address: the address space cut where the number changes, 0 for nothing.

    IPv6 addresses are held as two halves, so networks of any size are exact. Arrays are filled one
    by one and never made from lists: creating and freeing long lists blocks all other threads.
    """

    __slots__ = ("_bounds", "_high", "_low", "_values4", "_values6")

    def __init__(self) -> None:
        self._bounds = array("I")
        self._high = array("Q")
        self._low = array("Q")
        # Each begins with the number of what lies before the first bound.
        self._values4 = array("I", [0])
        self._values6 = array("I", [0])

    def find(self, version: int, value: int) -> int:
        """The number of the segment that an address lies in."""
        if version == 4:
            return self._values4[bisect_right(self._bounds, value)]
        high = value >> _HALF
        at = bisect_right(self._high, high)
        if at and self._high[at - 1] == high:
            begins = bisect_left(self._high, high, 0, at)
            at = bisect_right(self._low, value & _LOW, begins, at)
        return self._values6[at]

    def segments(self, version: int) -> Iterator[tuple[int, int]]:
        """Where each segment of a version begins, and its number."""
        if version == 4:
            return zip(self._bounds, islice(self._values4, 1, None), strict=True)
        bounds = (high << _HALF | low for high, low in zip(self._high, self._low, strict=True))
        return zip(bounds, islice(self._values6, 1, None), strict=True)

    def put(self, version: int, at: int, number: int) -> None:
        """Set the number from an address on, in place of any number set there before.

        Addresses come in ascending order.
        """
        if version == 4:
            bounds, values = self._bounds, self._values4
            if bounds and bounds[-1] == at:
                bounds.pop()
                values.pop()
            if number != values[-1]:
                bounds.append(at)
                values.append(number)
            return
        high, low, values = self._high, self._low, self._values6
        if high and high[-1] == at >> _HALF and low[-1] == at & _LOW:
            high.pop()
            low.pop()
            values.pop()
        if number != values[-1]:
            high.append(at >> _HALF)
            low.append(at & _LOW)
            values.append(number)


class Spans:
    """Collects ranges with their numbers in the order of a file, then turns them into segments."""

    def __init__(self) -> None:
        self._chunks: dict[int, list[list[int]]] = {4: [[]], 6: [[]]}
        self._numbers = array("I")

    def __len__(self) -> int:
        return len(self._numbers)

    def add(self, span: RangeRow, number: int = 1) -> None:
        """Add a range; at most 2**24 of them."""
        version, first, last = span
        bits = _BITS[version]
        # One integer that sorts by the first address, then the widest range, then the file's order.
        key = (first << bits | (1 << bits) - 1 - last) << _ROW_BITS | len(self._numbers)
        self._numbers.append(number)
        chunks = self._chunks[version]
        chunks[-1].append(key)
        if len(chunks[-1]) == _CHUNK:
            chunks[-1].sort(reverse=True)
            chunks.append([])

    def segments(self) -> Segments:
        """The segments. Where ranges overlap the narrowest counts, of equal ones the last.

        The collected ranges are freed.
        """
        made = Segments()
        for version in (4, 6):
            self._cut(version, made)
        return made

    def _cut(self, version: int, made: Segments) -> None:
        bits = _BITS[version]
        end, rows = 1 << bits, (1 << _ROW_BITS) - 1
        cuts, numbers = _Cuts(version, made), self._numbers
        chunks = self._chunks[version]
        chunks[-1].sort(reverse=True)
        for key in merge(*map(_emptied, chunks)):
            rest, row = key >> _ROW_BITS, key & rows
            cuts.open(rest >> bits, end - (rest & end - 1), row, numbers[row])
        cuts.close(end)


def _emptied(chunk: list[int]) -> Iterator[int]:
    """The items of a list from the last to the first, each freed when it is taken."""
    while chunk:
        yield chunk.pop()


class _Cuts:
    """Walks over ranges in order of their first address and notes where the number changes."""

    def __init__(self, version: int, made: Segments) -> None:
        self._version = version
        self._end = 1 << _BITS[version]
        self._made = made
        self._around: list[tuple[int, int, int, int]] = []
        """A heap of the ranges that are open, the narrowest first, of equal ones the last: width,
        row, the address after the range, and its number. Only the first is sure to be open."""

    def open(self, first: int, behind: int, row: int, number: int) -> None:
        """A range begins; it ends before the address `behind`."""
        around = self._around
        if around and around[0][2] <= first:
            self.close(first)
        heappush(around, (behind - first, -row, behind, number))
        self._made.put(self._version, first, around[0][3])

    def close(self, at: int) -> None:
        """Close all ranges that end at an address or before it."""
        around = self._around
        while around and around[0][2] <= at:
            behind = heappop(around)[2]
            while around and around[0][2] <= behind:
                heappop(around)
            if behind < self._end:
                self._made.put(self._version, behind, around[0][3] if around else 0)


def overlay(layers: Sequence[Segments]) -> tuple[Segments, tuple[tuple[int, ...], ...]]:
    """Combine sets of addresses, so that one bisection finds which of them hold an address.

    The numbers of the segments count the combinations that occur; each combination lists the
    layers that hold an address there. The first combination is that of none.
    """
    numbers = {0: 0}
    made = Segments()
    for version in (4, 6):
        mask, last = 0, None
        for at, layer, number in merge(
            *(_changes(layers, one, version) for one in range(len(layers)))
        ):
            if last is not None and at != last:
                made.put(version, last, numbers.setdefault(mask, len(numbers)))
            last = at
            mask = mask | 1 << layer if number else mask & ~(1 << layer)
        if last is not None:
            made.put(version, last, numbers.setdefault(mask, len(numbers)))
    combinations = tuple(
        tuple(layer for layer in range(len(layers)) if mask >> layer & 1) for mask in numbers
    )
    return made, combinations


def _changes(
    layers: Sequence[Segments], layer: int, version: int
) -> Iterator[tuple[int, int, int]]:
    return ((at, layer, number) for at, number in layers[layer].segments(version))


def nested_segments(rows: Iterable[tuple[RangeRow, T]]) -> tuple[Segments, list[tuple[T, ...]]]:
    """Networks, each with something stored under it, as segments.

    The number of a segment is the index of everything stored under the networks that cover it, the
    widest first. Two networks never overlap in part: one lies inside the other, or they are apart.
    """
    spans = Spans()
    covering: list[tuple[T, ...]] = [()]
    around: list[tuple[int, int, int]] = []
    """The networks around the current one, the widest first: version, last address, number."""
    for span, stored in sorted(rows, key=_wide_first):
        version, first, last = span
        while around and around[-1][:2] < (version, first):
            around.pop()
        number = len(covering)
        covering.append((*covering[around[-1][2] if around else 0], stored))
        around.append((version, last, number))
        spans.add(span, number)
    return spans.segments(), covering


def _wide_first(row: tuple[RangeRow, object]) -> int:
    """One integer that sorts by the version, then the first address, then the widest range."""
    version, first, last = row[0]
    return ((version << 128 | first) << 128) - last
