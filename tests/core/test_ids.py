"""Ids grow with time and have one shape."""

import os
import uuid

from hypothesis import given
from hypothesis import strategies as st

from gatehouse.core.ids import first_id, is_id, new_id

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
moments = st.integers(min_value=0, max_value=2**48 - 1)


def _value(text: str) -> int:
    value = 0
    for char in text.partition("_")[2]:
        value = value * 32 + _ALPHABET.index(char)
    return value


@given(moments, st.binary(min_size=10, max_size=10))
def test_an_id_is_a_version_seven_uuid_of_its_moment(now_ms: int, noise: bytes) -> None:
    made = uuid.UUID(int=_value(new_id("req", now_ms, lambda _: noise)))
    assert made.version == 7
    assert made.variant == uuid.RFC_4122
    assert made.int >> 80 == now_ms


@given(moments, moments)
def test_later_ids_sort_after_earlier_ones(one: int, other: int) -> None:
    first, second = sorted((one, other))
    if first != second:
        assert new_id("req", first, os.urandom) < new_id("req", second, os.urandom)


@given(moments, st.binary(min_size=10, max_size=10))
def test_a_moments_first_id_parts_the_ids_before_it_from_its_own(now_ms: int, noise: bytes) -> None:
    first = first_id("req", now_ms)
    assert first < new_id("req", now_ms, lambda _: noise)
    if now_ms:
        assert new_id("req", now_ms - 1, lambda _: noise) < first


def test_ten_thousand_ids_of_one_moment_are_distinct() -> None:
    assert len({new_id("req", 1, os.urandom) for _ in range(10_000)}) == 10_000


def test_the_shape_of_an_id_is_recognised() -> None:
    assert is_id(new_id("req", 1_794_708_000_000, os.urandom), "req")
    assert not is_id(new_id("key", 1_794_708_000_000, os.urandom), "req")
    assert not is_id("req_x", "req")
    assert not is_id("req_" + "u" * 26, "req")
