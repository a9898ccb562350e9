"""What is usual in a country: its languages, its currencies, its time zones, and how far it is.

Read once, at the first question, from a packed table that ships with the package.
"""

from array import array
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from gatehouse.core.money import decimals_needed, display_amount
from gatehouse.intel.networks import Feed
from gatehouse.intel.packed import (
    Day,
    PackedDataError,
    Sha256,
    integers,
    read_description,
    shipped_file,
    unpack,
)

DATA_FILE: Final = "places.msgpack.xz"
SOURCE_FILE: Final = "places.json"
UNKNOWN_DISTANCE: Final = 0xFFFF
"""Stands in the table of distances for a pair that nothing is known about."""

# Codes that people write for a country though ISO 3166 has another one for it.
COUNTRY_ALIASES: Final = {"UK": "GB", "EL": "GR", "AC": "SH", "TA": "SH", "IC": "ES", "EA": "ES"}

_MAX_ZONE: Final = 64
_NOTHING: Final[frozenset[str]] = frozenset()
_NOBODY: Final[Mapping[str, float]] = {}

_Country = Annotated[str, Meta(pattern=r"^[A-Z]{2}\Z")]
_Currency = Annotated[str, Meta(pattern=r"^[A-Z]{3}\Z")]
_Language = Annotated[str, Meta(pattern=r"^[a-z]{2,3}\Z")]
_Share = Annotated[float, Meta(ge=0, le=1)]


class PlaceSource(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where one part of the table came from."""

    name: str
    source: str
    upstream: str
    licence: str
    date: Day | None
    rows: Annotated[int, Meta(ge=1)]


class PlaceSources(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The description that ships beside the packed table, and the digest that ties them."""

    sha256: Sha256
    sources: list[PlaceSource]


class PackedPlaces(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table as it is packed."""

    countries: list[_Country]
    languages: dict[_Country, dict[_Language, _Share]]
    language_aliases: dict[_Language, _Language]
    currencies: dict[_Country, list[_Currency]]
    digits: dict[_Currency, Annotated[int, Meta(ge=0, le=4)]]
    zones: dict[str, list[_Country]]
    distances: bytes
    """Kilometres, two bytes for each pair: the first country with itself and with each later one,
    then the second with itself and with each later one, and so on."""


class PlaceTable(msgspec.Struct, frozen=True):
    """The table as it is asked."""

    languages: dict[str, dict[str, float]]
    language_aliases: dict[str, str]
    spoken: frozenset[str]
    currencies: dict[str, frozenset[str]]
    digits: dict[str, int]
    zones: dict[str, frozenset[str]]
    order: dict[str, int]
    distances: "array[int]"
    sources: PlaceSources


_packed_decoder = msgspec.msgpack.Decoder(PackedPlaces)


@cache
def load_places() -> PlaceTable:
    """Read the table that ships with the package; later calls give the same one."""
    return read_places(shipped_file(DATA_FILE), shipped_file(SOURCE_FILE))


def read_places(packed: bytes, source: bytes) -> PlaceTable:
    """Build a table from the bytes of its two files, or refuse them as a whole."""
    about = read_description(source, SOURCE_FILE, packed, PlaceSources)
    try:
        table = _packed_decoder.decode(unpack(packed, DATA_FILE))
    except msgspec.DecodeError as error:
        raise PackedDataError(f"{DATA_FILE} cannot be unpacked: {error}") from error
    size = len(table.countries)
    if len(table.distances) != size * (size + 1):
        raise PackedDataError(f"{DATA_FILE} does not have one distance for each pair of countries")
    return PlaceTable(
        languages=table.languages,
        language_aliases=table.language_aliases,
        spoken=frozenset[str]().union(*table.languages.values()),
        currencies={country: frozenset(codes) for country, codes in table.currencies.items()},
        digits=table.digits,
        zones={zone: frozenset(countries) for zone, countries in table.zones.items()},
        order={country: place for place, country in enumerate(table.countries)},
        distances=integers("H", table.distances),
        sources=about,
    )


def feeds() -> list[Feed]:
    """What `gatehouse intel status` says about the table: one line for each of its sources."""
    about = load_places().sources
    return [
        Feed(
            name=part.name,
            kind="places",
            source=f"{part.source} ({part.upstream})",
            licence=part.licence,
            date=part.date,
            rows=part.rows,
            sha256=about.sha256,
        )
        for part in about.sources
    ]


def is_country(code: str) -> bool:
    """Whether a code is of ISO 3166 alpha-2, or XK, which is in common use for Kosovo."""
    return code in load_places().order


def currencies_of(country: str) -> frozenset[str]:
    """The currencies that are legal tender in a country today; empty when it is unknown."""
    found = load_places().currencies
    return found.get(country) or found.get(country_code(country), _NOTHING)


def minor_digits(currency: str) -> int | None:
    """How many decimals ISO 4217 gives a currency, or None when it knows no such currency."""
    return load_places().digits.get(currency)


def shown_amount(micros: int, currency: str) -> str:
    """An amount for people, with the decimals of its currency and more where it needs them."""
    return display_amount(micros, minor_digits(currency) or 0)


def shown_amounts(column: Sequence[int | None], currency: str) -> list[str]:
    """Amounts that stand below each other, all with the same decimals; nothing for None."""
    given = [micros for micros in column if micros is not None]
    decimals = max([minor_digits(currency) or 0, *map(decimals_needed, given)])
    return ["" if micros is None else display_amount(micros, decimals) for micros in column]


def raw_amounts(column: Sequence[int | None], currency: str) -> list[str]:
    """The same without thousands separators, for spreadsheets."""
    return [shown.replace(",", "") for shown in shown_amounts(column, currency)]


def countries_of_zone(zone: str) -> frozenset[str]:
    """The countries that keep an IANA time zone, old names included; empty when it is unknown.

    A zone that stands for several countries because their clocks agree gives all of them.
    """
    found = load_places().zones
    return found.get(zone) or found.get(zone[:_MAX_ZONE].lower(), _NOTHING)


def distance_km(a: str, b: str) -> float | None:
    """The least distance between two countries: 0 for one and the same and for neighbours."""
    places = load_places()
    order = places.order
    first = order.get(a)
    second = order.get(b)
    if first is None or second is None:
        first = order.get(country_code(a))
        second = order.get(country_code(b))
        if first is None or second is None:
            return None
    if first > second:
        first, second = second, first
    # Row by row, each one shorter than the one before by the pairs that came already.
    found = places.distances[first * (2 * len(order) - first - 1) // 2 + second]
    return None if found == UNKNOWN_DISTANCE else float(found)


def languages_of(country: str) -> Mapping[str, float]:
    """The share of a country's people who speak each language, by the language's main code.

    English is there only where it is an official language.
    """
    found = load_places().languages
    return found.get(country) or found.get(country_code(country)) or _NOBODY


def main_language(language: str) -> str:
    """The one code under which the table keeps a language that has several."""
    return load_places().language_aliases.get(language, language)


def is_spoken(language: str) -> bool:
    """Whether the table knows a country where a language, by its main code, is spoken."""
    return language in load_places().spoken


def country_code(text: str) -> str:
    """A country's code as ISO 3166 writes it, from a code that may be written differently."""
    code = text[:3].upper()
    return COUNTRY_ALIASES.get(code, code)
