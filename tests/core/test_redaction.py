"""Card numbers in free text are masked however they are written; ordinary references are not."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatehouse.core.cards.brands import BRANDS, passes_luhn
from gatehouse.core.cards.numbers import CardNumber
from gatehouse.core.cards.redaction import MASK, is_card_like, recordable, recordable_start

SEPARATORS = ["", " ", "-", " - ", ":", ": ", ".", "/", "_", " / ", "\u2013", " \u2014 ", "\u00a0",
              "\u2009", "\u200b", "\u2011", ",", "|", "\t", "\r\n", " \u00b7 "]  # fmt: skip
DIGITS = [str.maketrans("0123456789", "".join(chr(zero + n) for n in range(10)))
          for zero in (ord("0"), 0x660, 0x966, 0xFF10, 0x1D7CE)]  # fmt: skip


def _fitting(start: str, length: int) -> str:
    """A number of a length that a request may hold, beginning as given."""
    body = start[: length - 1].ljust(length - 1, "7")
    return next(body + last for last in "0123456789" if passes_luhn(body + last))


@st.composite
def card_numbers(draw: st.DrawFn) -> str:
    brand = draw(st.sampled_from(BRANDS))
    prefix = draw(st.sampled_from(brand.prefixes.split())).partition("-")[0]
    length = draw(st.sampled_from(brand.lengths))
    tail = draw(st.text("0123456789", min_size=19, max_size=19))
    if not brand.uses_luhn and draw(st.booleans()):
        number = (prefix + tail)[:length]
    else:
        number = _fitting(prefix + tail, length)
    try:
        CardNumber.parse(number)
    except ValueError:
        # The digits that were drawn make it a number of another brand.
        return "4242424242424242"
    return number


def _groups(number: str, sizes: list[int]) -> list[str]:
    found, place = [], 0
    for size in sizes:
        found.append(number[place : place + size])
        place += size
    return [group for group in [*found, number[place:]] if group]


def _hides(kept: str, number: str) -> bool:
    digits = "".join(str(int(char)) for char in kept if char.isdecimal())
    return number not in digits


@given(card_numbers(), st.sampled_from(DIGITS))
def test_a_number_of_any_brand_in_any_digits_is_masked(number: str, digits: dict[int, int]) -> None:
    assert CardNumber.parse(number)
    assert (
        recordable(f"paid with {number.translate(digits)}, thanks") == f"paid with {MASK}, thanks"
    )


@given(card_numbers(), st.lists(st.sampled_from(SEPARATORS), min_size=5, max_size=5))
def test_groups_of_four_are_masked_with_any_separators(number: str, between: list[str]) -> None:
    groups = _groups(number, [4, 4, 4, 4])
    written = "".join([part for pair in zip(groups, between, strict=False) for part in pair])
    kept = recordable(f"card {written} x")
    assert MASK in kept
    assert _hides(kept, number)


@given(st.lists(st.integers(1, 8), max_size=12), st.sampled_from(SEPARATORS[1:]), st.data())
def test_a_number_in_any_groups_is_masked(
    sizes: list[int], separator: str, data: st.DataObject
) -> None:
    number = data.draw(card_numbers().filter(passes_luhn))
    kept = recordable(f"card {separator.join(_groups(number, sizes))} x")
    assert _hides(kept, number)


@given(
    card_numbers(), st.text("0123456789 -.:x", max_size=30), st.text("0123456789 -.:x", max_size=30)
)
def test_a_number_stays_hidden_whatever_stands_around_it(
    number: str, before: str, after: str
) -> None:
    if passes_luhn(number) or not (before[-1:] + after[:1]).isdecimal():
        glued = re.search(r"[0-9]\Z", before) or re.match(r"[0-9]", after)
        if passes_luhn(number) or glued is None:
            assert number not in recordable(f"{before}{number}{after}")


@given(card_numbers().filter(passes_luhn), st.text("0123456789", max_size=20))
def test_a_number_inside_a_longer_one_is_masked(number: str, more: str) -> None:
    assert recordable(more + number) == MASK
    assert recordable(number + more) == MASK


@pytest.mark.parametrize(
    "text",
    ["4242 - 4242 - 4242 - 4242", "4242:4242:4242:4242", "6200000000000003", "6200 0000 0000 0003",
     "8100-0000-0000-0001", "501800000009", "5018 0000 0009", "123456789015", "3782 822463 10005",
     "100\u00a04242\u20114242\u20114242\u20114242", "1004242 4242 4242 424299", "1" * 200,
     "٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢", "4 2 4 2 4 2 4 2 4 2 4 2 4 2 4 2"],
)  # fmt: skip
def test_each_way_of_writing_a_number_is_known(text: str) -> None:
    assert MASK in recordable(text)
    assert not re.search(r"\d{4}", recordable(text))


@pytest.mark.parametrize(
    "text",
    ["order-00001001", "2026-11-15T01:02:03Z", "2026-11-15 01:02:03", "+14155550132",
     "1234567890123", "+44 20 7946 0958", "192.168.100.101", "20261115-0007", "žluťoučký",
     "2026-11-15 01:02:03.123456", "978-3-1614-8410-0", "12.50; 3.99; 120.00", "00000000-0000",
     "Chrome/157.0.0.0 Safari/537.36"],
)  # fmt: skip
def test_ordinary_references_are_kept_as_they_are(text: str) -> None:
    assert recordable(text) == text


@pytest.mark.parametrize(
    ("digits", "most"), [(11, 0.0), (12, 0.12), (13, 0.15), (16, 0.4), (19, 0.65)]
)
def test_few_ordinary_numbers_are_masked_by_chance(digits: int, most: float) -> None:
    chance = random.Random(digits)
    numbers = ["".join(chance.choices("0123456789", k=digits)) for _ in range(2000)]
    masked = sum(MASK in recordable(number) for number in numbers)
    assert masked / len(numbers) <= most


@given(st.text(max_size=60))
def test_any_text_becomes_something_every_store_can_hold(text: str) -> None:
    kept = recordable(text)
    kept.encode("utf-8")
    assert "\x00" not in kept


@given(
    st.lists(card_numbers() | st.text("0123456789abc -", max_size=200), max_size=60),
    st.integers(8, 40),
)
def test_the_start_of_a_long_text_shows_no_part_of_a_number_that_was_cut(
    pieces: list[str], length: int
) -> None:
    text = " x ".join(pieces)
    kept = recordable_start(text, length)
    assert len(kept) <= length
    assert recordable(text).startswith(kept.removesuffix(MASK))


@pytest.mark.parametrize(
    "number",
    [
        4242424242424242,
        4242424242424242.0,
        -4242424242424242,
        42424242424242.42,
        501800000009.0,
        4242424242424242428.0,
    ],
)
def test_an_amount_can_be_a_card_number(number: float) -> None:
    assert is_card_like(number)


@pytest.mark.parametrize(
    "number", [0, 59.9, 59.900000000000006, 1e9, 123456789.12, 1e300, 0.1 + 0.2]
)
def test_ordinary_amounts_are_none(number: float) -> None:
    assert not is_card_like(number)
