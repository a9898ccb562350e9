"""Money is exact, whatever happens to it."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatehouse.core.money import MAX_AMOUNT, display_amount, format_amount, parse_amount

amounts = st.integers(min_value=-MAX_AMOUNT, max_value=MAX_AMOUNT)


@given(amounts)
def test_what_is_written_reads_back_to_the_same_millionth(micros: int) -> None:
    assert parse_amount(format_amount(micros)) == micros


@given(amounts)
def test_the_text_is_the_exact_decimal(micros: int) -> None:
    assert Decimal(format_amount(micros)) == Decimal(micros) / 1_000_000


@given(st.lists(amounts, max_size=20))
def test_sums_never_lose_a_millionth(parts: list[int]) -> None:
    assert Decimal(sum(parts)) == sum(Decimal(format_amount(p)) for p in parts) * 1_000_000


@pytest.mark.parametrize(
    ("text", "micros"),
    [("0.05", 50_000), ("100", 100_000_000), ("-1.5", -1_500_000), (" 2.000001 ", 2_000_001)],
)
def test_amounts_are_read_as_people_write_them(text: str, micros: int) -> None:
    assert parse_amount(text) == micros


@pytest.mark.parametrize(
    "text", ["", "1e3", "0.0000001", "NaN", "1,5", "++1", "1.", ".5", "99999999999", "٣"]
)
def test_what_would_be_guessed_or_rounded_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="amount"):
        parse_amount(text)


def test_amounts_print_without_useless_zeros() -> None:
    assert [format_amount(m) for m in (50_000, 300_000, 100_000_000, 1, 0, -50_000)] == [
        "0.05",
        "0.3",
        "100",
        "0.000001",
        "0",
        "-0.05",
    ]


@given(amounts, st.integers(min_value=0, max_value=4))
def test_what_people_read_is_never_rounded(micros: int, decimals: int) -> None:
    shown = display_amount(micros, decimals)
    assert parse_amount(shown.replace(",", "")) == micros
    assert len(shown.partition(".")[2]) >= decimals


@pytest.mark.parametrize(
    ("micros", "decimals", "shown"),
    [
        (1_234_500_000, 2, "1,234.50"),
        (1_234_500_000, 3, "1,234.500"),
        (1_234_000_000, 0, "1,234"),
        (2_500, 2, "0.0025"),
        (-1_000_000_000_000, 2, "-1,000,000.00"),
        (500_000, 0, "0.5"),
    ],
)
def test_people_read_the_decimals_of_the_currency_and_more_where_needed(
    micros: int, decimals: int, shown: str
) -> None:
    assert display_amount(micros, decimals) == shown
