"""Amounts as people type them: read and written in the form of a locale.

A point groups thousands in one language and begins the decimals in another. What a person of
either habit could have meant differently is therefore refused rather than read.
"""

import re
from functools import cache
from typing import Final

import msgspec
from babel import Locale
from babel.numbers import get_decimal_symbol, get_group_symbol

from gatehouse.core.money import MAX_AMOUNT, MICROS_PER_UNIT, decimals_needed, parse_amount

EXAMPLE: Final = 1_234_500_000
"""Shows both marks of a form."""
_MARKS: Final = str.maketrans(
    {
        "\N{MINUS SIGN}": "-",
        "\N{NO-BREAK SPACE}": " ",
        "\N{NARROW NO-BREAK SPACE}": " ",
        "\N{RIGHT SINGLE QUOTATION MARK}": "'",
    }
)
"""Marks that pages write, and what keyboards have instead."""
_MOST_UNITS: Final = 10
_MOST_DECIMALS: Final = 6
_THOUSAND: Final = 3


class AmountForm(msgspec.Struct, frozen=True):
    """The marks with which a locale writes numbers."""

    decimal: str
    group: str


class AmountRefused(ValueError):
    """What was typed is no amount of this form; `key` names the text that says why."""

    def __init__(self, key: str, **values: str) -> None:
        super().__init__(key)
        self.key = key
        self.values = values


@cache
def amount_form(locale: Locale) -> AmountForm:
    """The form of a locale."""
    return AmountForm(get_decimal_symbol(locale), get_group_symbol(locale))


def read_amount(typed: str, form: AmountForm, currency_decimals: int = 2) -> int:
    """The millionths of an amount; `AmountRefused` for what is none or could be two."""
    found = _parts(typed, form)
    if found is None:
        raise _not_read(typed, form)
    sign, units, decimals = found
    if currency_decimals != _THOUSAND and _looks_grouped(units, decimals):
        raise AmountRefused(
            "two_ways",
            larger=sign + units + decimals,
            smaller=write_amount(parse_amount(f"{sign}{units}.{decimals}"), form),
        )
    try:
        return parse_amount(_canonical(found))
    except ValueError:
        most = write_amount(MAX_AMOUNT, form, grouped=True)
        raise AmountRefused("largest", most=most) from None


def write_amount(micros: int, form: AmountForm, *, grouped: bool = False) -> str:
    """An exact amount as it is typed.

    Without groups nobody of another language reads another amount, so fields have none.
    """
    units, rest = divmod(abs(micros), MICROS_PER_UNIT)
    decimals = f"{rest:06d}"[: decimals_needed(micros)]
    if decimals:
        decimals = decimals.ljust(2, "0")
    if _looks_grouped(str(units), decimals):
        decimals += "0"
    whole = f"{units:,}".replace(",", form.group) if grouped else str(units)
    return ("-" if micros < 0 else "") + (f"{whole}{form.decimal}{decimals}" if decimals else whole)


def _parts(typed: str, form: AmountForm) -> tuple[str, str, str] | None:
    """Sign, units and decimals, without groups; None for what is not of this form."""
    match = _pattern(form).fullmatch(typed.strip().translate(_MARKS))
    if match is None:
        return None
    units = re.sub("[^0-9]", "", match["units"])
    return (match["sign"], units, match["decimals"] or "") if len(units) <= _MOST_UNITS else None


@cache
def _pattern(form: AmountForm) -> re.Pattern[str]:
    decimal, group = (re.escape(mark.translate(_MARKS)) for mark in (form.decimal, form.group))
    return re.compile(
        rf"(?P<sign>-?)(?P<units>[0-9]+|[1-9][0-9]{{0,2}}(?:{group}[0-9]{{3}})+)"
        rf"(?:{decimal}(?P<decimals>[0-9]{{1,{_MOST_DECIMALS}}}))?"
    )


def _looks_grouped(units: str, decimals: str) -> bool:
    """Whether the decimals of an amount look like thousands to people of another language."""
    return len(decimals) == _THOUSAND and len(units) <= _THOUSAND and not units.startswith("0")


def _not_read(typed: str, form: AmountForm) -> AmountRefused:
    """Why a text is no amount; one of another language is shown in this form."""
    elsewhere = AmountForm("," if form.decimal == "." else ".", form.decimal)
    found = _parts(typed, elsewhere)
    if found is not None:
        try:
            meant = parse_amount(_canonical(found))
        except ValueError:
            pass
        else:
            example = write_amount(meant, form)
            return AmountRefused("separator", decimal=form.decimal, example=example)
    return AmountRefused("form", example=write_amount(EXAMPLE, form, grouped=True))


def _canonical(found: tuple[str, str, str]) -> str:
    sign, units, decimals = found
    return f"{sign}{units}.{decimals}" if decimals else f"{sign}{units}"
