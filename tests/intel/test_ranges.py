"""Ranges of addresses: how they are written, and that every address finds its own."""

import ipaddress
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatehouse.intel import ranges
from gatehouse.intel.ranges import Spans, is_everything, overlay, read_span

V4 = 2**32 - 1
V6 = 2**128 - 1


def number(text: str) -> int:
    return int(ipaddress.ip_address(text))


@pytest.mark.parametrize(
    ("text", "version", "first", "last"),
    [
        ("192.0.2.7", 4, "192.0.2.7", "192.0.2.7"),
        ("192.0.2.0/24", 4, "192.0.2.0", "192.0.2.255"),
        ("192.0.2.9/24", 4, "192.0.2.0", "192.0.2.255"),
        ("192.0.2.7/32", 4, "192.0.2.7", "192.0.2.7"),
        ("192.0.2.7-192.0.2.9", 4, "192.0.2.7", "192.0.2.9"),
        ("192.0.2.7 - 192.0.2.9", 4, "192.0.2.7", "192.0.2.9"),
        ("2001:db8::1", 6, "2001:db8::1", "2001:db8::1"),
        ("2001:DB8::/127", 6, "2001:db8::", "2001:db8::1"),
        ("2001:db8::/31", 6, "2001:db8::", "2001:db9:ffff:ffff:ffff:ffff:ffff:ffff"),
        ("::ffff:192.0.2.0/120", 4, "192.0.2.0", "192.0.2.255"),
        ("192.0.2.7:8080", 4, "192.0.2.7", "192.0.2.7"),
        ("2002:808:808::/48", 4, "8.8.8.8", "8.8.8.8"),
        ("2002:808:808:1::1", 4, "8.8.8.8", "8.8.8.8"),
        ("2002:808::/32", 4, "8.8.0.0", "8.8.255.255"),
        ("64:ff9b::8.8.8.8", 4, "8.8.8.8", "8.8.8.8"),
        ("64:ff9b::808:800/120", 4, "8.8.8.0", "8.8.8.255"),
        ("2001::f7f7:f7f7", 4, "8.8.8.8", "8.8.8.8"),
        ("2001:ffff::-2002:808::", 6, "2001:ffff::", "2002:808::"),
        ("2002:808:808::-2002:808:808:ffff::", 4, "8.8.8.8", "8.8.8.8"),
        ("2002::/16", 6, "2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        ("64:ff9b::/96", 6, "64:ff9b::", "64:ff9b::ffff:ffff"),
        ("2001::/32", 6, "2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff"),
    ],
)
def test_an_address_a_network_and_a_range_are_read(
    text: str, version: int, first: str, last: str
) -> None:
    assert read_span(text) == (version, number(first), number(last))


@pytest.mark.parametrize(
    "text",
    ["", "-", "/", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.4/33", "1.2.3.4/",
     "::/129", "1.2.3.4/-1", "1.2.3.4/٨", "1.2.3.4/255.255.255.0", "1.2.3.9-1.2.3.4",
     "1.2.3.4-::1", "1.2.3.4-", "::1%eth0", "1.2.3.4 x", "host", "1\x00.2.3.4", "\ud800",
     "1.2.3.4/0x8", "2001:db8:::1", "1.2.3.4:", "1.2.3.4:65536", "1.2.3.4:80:x",
     "1.2.3.4:80/24", "1.2.3:80",
     "1.2.3.4-1.2.3.5-1.2.3.6"],
)  # fmt: skip
def test_nothing_else_is_read(text: str) -> None:
    assert read_span(text) is None


@pytest.mark.parametrize("text", ["0.0.0.0/0", "::/0", "0.0.0.0-255.255.255.255", "::ffff:0:0/96"])
def test_the_whole_internet_is_known_for_what_it_is(text: str) -> None:
    span = read_span(text)
    assert span is not None
    assert is_everything(span)


@pytest.mark.parametrize("prefix", [65, 66, 96, 112, 127, 128, 64, 63, 48])
def test_networks_of_ipv6_end_exactly_where_they_end(prefix: int) -> None:
    network = ipaddress.ip_network((number("2001:db8:1:2:8000::"), prefix), strict=False)
    spans = Spans()
    span = read_span(str(network))
    assert span is not None
    spans.add(span)
    segments = spans.segments()
    first, last = int(network.network_address), int(network.broadcast_address)
    found = [segments.find(6, value) for value in (first - 1, first, last, last + 1)]
    assert found == [0, 1, 1, 0]


def test_the_last_addresses_there_are_can_be_on_a_list() -> None:
    spans = Spans()
    spans.add((4, V4 - 1, V4))
    spans.add((6, V6, V6))
    segments = spans.segments()
    assert [segments.find(4, V4 - 2), segments.find(4, V4)] == [0, 1]
    assert [segments.find(6, V6 - 1), segments.find(6, V6)] == [0, 1]


def test_of_ranges_within_each_other_the_narrowest_counts() -> None:
    spans = Spans()
    for first, last, value in [(20, 29, 2), (0, 99, 1), (22, 24, 3), (22, 24, 4), (95, 120, 5)]:
        spans.add((4, first, last), value)
    segments = spans.segments()
    places = (0, 19, 20, 21, 22, 24, 25, 29, 30, 94, 95, 99, 100, 120, 121)
    found = [segments.find(4, place) for place in places]
    assert found == [1, 1, 2, 2, 4, 4, 2, 2, 1, 1, 5, 5, 5, 5, 0]


def test_of_ranges_that_overlap_in_part_the_narrowest_counts_too() -> None:
    spans = Spans()
    for first, last, value in [(0, 9, 1), (5, 30, 2), (8, 20, 3), (25, 60, 4)]:
        spans.add((4, first, last), value)
    segments = spans.segments()
    found = [segments.find(4, place) for place in (0, 7, 9, 10, 20, 21, 30, 31, 60, 61)]
    assert found == [1, 1, 1, 3, 3, 2, 2, 4, 4, 0]


def test_the_table_is_no_longer_than_it_must_be() -> None:
    spans = Spans()
    for first in random.Random(4).sample(range(1000), 1000):
        spans.add((4, first, first))
    assert list(spans.segments().segments(4)) == [(0, 1), (1000, 0)]


@pytest.mark.parametrize("version", [4, 6])
def test_what_is_sorted_piece_by_piece_is_sorted(
    version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing else can run while a list is sorted, so that no long one ever is."""
    monkeypatch.setattr(ranges, "_CHUNK", 7)
    spans = Spans()
    for first in random.Random(5).sample(range(0, 3000, 3), 1000):
        spans.add((version, first << 60, (first + 1) << 60) if version == 6 else (4, first, first))
    assert max(map(len, spans._chunks[version])) <= 7
    segments = list(spans.segments().segments(version))
    assert len(segments) == 2000
    assert segments == sorted(segments)


small = st.tuples(st.integers(0, 40), st.integers(0, 12)).map(lambda one: (one[0], sum(one)))


@given(st.sampled_from([4, 6]), st.lists(small, max_size=12), st.booleans())
def test_every_address_is_on_a_list_or_not_whatever_the_ranges(
    version: int, rows: list[tuple[int, int]], high: bool
) -> None:
    # The halves of an IPv6 address meet within these ranges.
    base = (1 << 64) - 20 if version == 6 else V4 - 52 if high else 0
    spans = Spans()
    for first, last in rows:
        spans.add((version, base + first, base + last))
    segments = spans.segments()
    for place in range(53):
        expected = any(first <= place <= last for first, last in rows)
        assert segments.find(version, base + place) == expected


@given(st.sampled_from([4, 6]), st.lists(small, max_size=12))
def test_every_address_has_the_number_of_the_narrowest_range_around_it(
    version: int, rows: list[tuple[int, int]]
) -> None:
    spans = Spans()
    for row, (first, last) in enumerate(rows, 1):
        spans.add((version, first, last), row)
    segments = spans.segments()
    for place in range(54):
        around = [
            (last - first, -row, row)
            for row, (first, last) in enumerate(rows, 1)
            if first <= place <= last
        ]
        assert segments.find(version, place) == (min(around)[2] if around else 0)


@given(st.lists(st.lists(small, max_size=6), max_size=6))
def test_lists_laid_over_each_other_each_still_hold_their_own(
    lists: list[list[tuple[int, int]]],
) -> None:
    layers = []
    for rows in lists:
        spans = Spans()
        for first, last in rows:
            spans.add((4, first, last))
            spans.add((6, first << 70, (last << 70) + 1))
        layers.append(spans.segments())
    segments, combinations = overlay(layers)
    assert combinations[0] == ()
    assert len(set(combinations)) == len(combinations)
    for place in range(54):
        expected = tuple(
            number
            for number, rows in enumerate(lists)
            if any(first <= place <= last for first, last in rows)
        )
        assert combinations[segments.find(4, place)] == expected
        assert combinations[segments.find(6, place << 70)] == expected
