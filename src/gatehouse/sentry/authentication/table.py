"""The limits of strong customer authentication by region and day, and the rates of currencies.

They stand in a file with dates and sources, because they change by a date and because some are
known from summaries alone: an operator can replace the file. No other module knows a figure.
"""

import datetime
import tomllib
from fractions import Fraction
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from gatehouse.core.errors import InvalidInput
from gatehouse.core.wording.sentences import Phrase

FILE: Final = "table.toml"
LARGEST_FILE: Final = 1_000_000
MILLION: Final = 1_000_000
"""Rates of fraud are counted in parts of this."""
_MOST: Final = 1_000_000
_WRONG: Final = Phrase("refused.authentication_table", "{name}: {why}")

Country = Annotated[str, Meta(pattern=r"^[A-Z]{2}\Z")]
Currency = Annotated[str, Meta(pattern=r"^[A-Z]{3}\Z")]
_Units = Annotated[int, Meta(ge=0, le=_MOST)]
_Source = Annotated[str, Meta(min_length=1)]


class LowValueLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Article 16: the amount of a payment, and what went before since the last authentication."""

    amount: _Units
    sum: _Units
    count: _Units
    source: _Source


class RiskBand(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Article 18: up to which amount a rate of fraud allows an exemption."""

    up_to: _Units
    reference_rate: Annotated[int, Meta(ge=0, le=MILLION)]
    """Millionths of the value of all payments; a rate that is equal is allowed."""
    source: _Source


class ScaRegime(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"bands": "band"}):
    """The rules of a region from a day on."""

    name: Annotated[str, Meta(pattern=r"^[A-Z][A-Z0-9_]{0,15}\Z")]
    since: datetime.date
    currency: Currency
    source: _Source
    countries: tuple[Country, ...]
    low_value: LowValueLimits
    bands: tuple[RiskBand, ...]
    """The smallest first."""


class CurrencyRates(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one euro is in other currencies, as of a day."""

    as_of: datetime.date
    source: _Source
    for_one_euro: dict[Currency, Annotated[str, Meta(pattern=r"^\d{1,9}(\.\d{1,9})?\Z")]]


class AuthenticationTable(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"regimes": "regime"}
):
    """All regions and rates."""

    as_of: datetime.date
    finding_effect: Annotated[float, Meta(ge=0, le=10)]
    high_risk_countries: tuple[Country, ...]
    regimes: tuple[ScaRegime, ...]
    rates: CurrencyRates

    def regime_of(self, country: str, day: datetime.date) -> ScaRegime | None:
        """The rules that hold for an acquirer of a country on a day; None where none do."""
        found = [each for each in self.regimes if country in each.countries and each.since <= day]
        return max(found, key=lambda each: each.since, default=None)

    def converted(self, micros: int, currency: str, into: str) -> int | None:
        """An amount in another currency, halves up; None without both rates."""
        if currency == into:
            return micros
        rates = self.rates.for_one_euro
        if currency not in rates or into not in rates:
            return None
        part, whole = _ratio(rates[into], rates[currency])
        return (2 * micros * part + whole) // (2 * whole)

    def problems(self) -> list[str]:
        """What is wrong beyond the form."""
        found = [
            f"{regime.name}: the bands must grow"
            for regime in self.regimes
            if [band.up_to for band in regime.bands]
            != sorted({band.up_to for band in regime.bands})
        ]
        zero = [code for code, rate in self.rates.for_one_euro.items() if not Fraction(rate)]
        return found + [f"{code}: a rate cannot be 0" for code in zero]


# A shop has a few currencies, and fractions are slow to make.
@lru_cache(1024)
def _ratio(rate: str, to: str) -> tuple[int, int]:
    exact = Fraction(rate) / Fraction(to)
    return exact.numerator, exact.denominator


def read_authentication_table(text: str, name: str = FILE) -> AuthenticationTable:
    """The table in a file; `InvalidInput` says what is wrong with it."""
    try:
        table = msgspec.convert(tomllib.loads(text), AuthenticationTable)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise InvalidInput(_WRONG(name=name, why=str(error))) from None
    problems = table.problems()
    if problems:
        raise InvalidInput(_WRONG(name=name, why="; ".join(problems)))
    return table


# A server reads it once, an operator's file like the one that ships.
@lru_cache(8)
def load_authentication_table(path: Path | None = None) -> AuthenticationTable:
    """The operator's table, or the one that ships."""
    if path is None:
        shipped = resources.files("gatehouse.sentry.authentication") / FILE
        return read_authentication_table(shipped.read_text(encoding="utf-8"))
    try:
        with path.open("rb") as file:
            text = file.read(LARGEST_FILE + 1)
        if len(text) > LARGEST_FILE:
            raise InvalidInput(_WRONG(name=path.name, why=f"is larger than {LARGEST_FILE} bytes"))
        return read_authentication_table(text.decode(), path.name)
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(_WRONG(name=path.name, why=type(error).__name__)) from None
