"""Amounts as people type them: one language's thousands are another one's decimals."""

import pytest
from babel import Locale

from gatehouse.console.forms.typed_amounts import (
    AmountForm,
    AmountRefused,
    amount_form,
    read_amount,
    write_amount,
)

ENGLISH, GERMAN, SWISS = (amount_form(Locale.parse(name)) for name in ("en", "de", "de_CH"))
SPACED = AmountForm(",", "\N{NO-BREAK SPACE}")


@pytest.mark.parametrize(
    ("form", "typed", "micros"),
    [
        (ENGLISH, "0", 0),
        (ENGLISH, "1000", 1_000_000_000),
        (ENGLISH, "1,000", 1_000_000_000),
        (ENGLISH, " 1,234,567.891 ", 1_234_567_891_000),
        (ENGLISH, "0.011", 11_000),
        (ENGLISH, "1.0000", 1_000_000),
        (ENGLISH, "-12.5", -12_500_000),
        (ENGLISH, "\N{MINUS SIGN}12.50", -12_500_000),
        (GERMAN, "1000", 1_000_000_000),
        (GERMAN, "1.000", 1_000_000_000),
        (GERMAN, "1.000,00", 1_000_000_000),
        (GERMAN, "12,50", 12_500_000),
        (GERMAN, "0,000001", 1),
        (SWISS, "1’000.50", 1_000_500_000),
        (SWISS, "1'000.50", 1_000_500_000),
        (SPACED, "1 000,50", 1_000_500_000),
        (SPACED, "1\N{NARROW NO-BREAK SPACE}000,50", 1_000_500_000),
    ],
)
def test_an_amount_is_read_with_and_without_groups(
    form: AmountForm, typed: str, micros: int
) -> None:
    assert read_amount(typed, form) == micros


@pytest.mark.parametrize(
    ("form", "typed", "key", "values"),
    [
        (ENGLISH, "12,50", "separator", {"decimal": ".", "example": "12.50"}),
        (GERMAN, "12.50", "separator", {"decimal": ",", "example": "12,50"}),
        (GERMAN, "1,234.50", "separator", {"decimal": ",", "example": "1234,50"}),
        (SWISS, "12,50", "separator", {"decimal": ".", "example": "12.50"}),
        (ENGLISH, "1.000", "two_ways", {"larger": "1000", "smaller": "1"}),
        (ENGLISH, "-12.345", "two_ways", {"larger": "-12345", "smaller": "-12.3450"}),
        (GERMAN, "1,000", "two_ways", {"larger": "1000", "smaller": "1"}),
        (GERMAN, "1000000001", "largest", {"most": "1.000.000.000"}),
    ],
)
def test_what_could_be_meant_differently_is_refused_with_what_to_write(
    form: AmountForm, typed: str, key: str, values: dict[str, str]
) -> None:
    with pytest.raises(AmountRefused) as refused:
        read_amount(typed, form)
    assert (refused.value.key, refused.value.values) == (key, values)


@pytest.mark.parametrize(
    "typed",
    [
        *("", "-", ".", "1,", "1.", ",5", "1e3", "nan", "much", "$5", "+5", "--5", "١٢"),
        *("1,00,0", "1,0000", "0,001", "01,000", "1,000,00", "1 000", "1.2.3", "0.1234567"),
        *("9" * 11, "9" * 400, "1,000" * 100, "1,,000", "1.000.000"),
    ],
)
def test_what_is_no_amount_is_refused(typed: str) -> None:
    with pytest.raises(AmountRefused):
        read_amount(typed, ENGLISH)


def test_a_currency_with_three_decimals_has_them() -> None:
    assert read_amount("1.250", ENGLISH, currency_decimals=3) == 1_250_000


@pytest.mark.parametrize("form", [ENGLISH, GERMAN, SWISS, SPACED])
@pytest.mark.parametrize("micros", [0, 1, 11_000, 12_500_000, -12_345_000, 1_234_567_800_000])
def test_what_a_form_shows_is_read_again_as_the_same(form: AmountForm, micros: int) -> None:
    assert read_amount(write_amount(micros, form), form) == micros
    assert read_amount(write_amount(micros, form, grouped=True), form) == micros


def test_no_amount_of_a_form_is_another_one_in_another_language() -> None:
    for micros in (1_000_000_000, 12_500_000, 12_345_000, 1_234_567_800_000):
        typed = write_amount(micros, GERMAN)
        try:
            assert read_amount(typed, ENGLISH) == micros
        except AmountRefused:
            continue
