"""Places: languages, currencies, time zones and distances of countries, and how they are packed."""

import hashlib
import io
import json
import lzma
import pickle
from array import array
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripts.build_places import (
    PlainUnpickler,
    describe,
    language_aliases,
    language_shares,
    prove,
    read_currencies,
    read_digits,
    read_zones,
)
from scripts.country_distances import cities_of, decoded, degrees, owner

from gatehouse.intel.packed import PackedDataError
from gatehouse.intel.places import (
    UNKNOWN_DISTANCE,
    PackedPlaces,
    PlaceSource,
    countries_of_zone,
    country_code,
    currencies_of,
    distance_km,
    feeds,
    languages_of,
    load_places,
    minor_digits,
    read_places,
)

SOURCE = PlaceSource("languages", "a package", "https://example.com/", "CC0-1.0", "2026-01-02", 3)
TABLE = PackedPlaces(
    countries=["AD", "BE", "CH"],
    languages={"BE": {"nl": 0.55, "fr": 0.38}},
    language_aliases={"nld": "nl"},
    currencies={"BE": ["EUR"], "CH": ["CHF"]},
    digits={"EUR": 2, "CHF": 2},
    zones={"europe/brussels": ["BE"]},
    distances=array("H", [0, 660, UNKNOWN_DISTANCE, 0, 150, 0]).tobytes(),
)


def packed_of(table: PackedPlaces) -> tuple[bytes, bytes]:
    packed = lzma.compress(msgspec.msgpack.encode(table))
    return packed, describe(packed, [SOURCE])


@pytest.mark.parametrize(
    ("country", "currencies"),
    [
        ("DE", {"EUR"}),
        ("BG", {"EUR"}),
        ("HR", {"EUR"}),
        ("GB", {"GBP"}),
        ("UK", {"GBP"}),
        ("us", {"USD"}),
        ("CH", {"CHF"}),
        ("PA", {"PAB", "USD"}),
        ("ZW", {"USD", "ZWG"}),
        ("SL", {"SLE"}),
        ("CW", {"XCG"}),
        ("XK", {"EUR"}),
        ("AQ", set()),
        ("ZZ", set()),
        ("", set()),
    ],
)
def test_a_country_has_the_currencies_of_today(country: str, currencies: set[str]) -> None:
    assert currencies_of(country) == currencies


@pytest.mark.parametrize(
    ("currency", "digits"),
    [
        ("EUR", 2),
        ("JPY", 0),
        ("KWD", 3),
        ("CLF", 4),
        ("XCG", 2),
        ("IQD", 3),
        ("IRR", 2),
        ("LBP", 2),
    ],
)
def test_a_currency_has_the_decimals_of_iso_4217(currency: str, digits: int) -> None:
    assert minor_digits(currency) == digits


@pytest.mark.parametrize("code", ["BGN", "HRK", "DEM", "XAU", "XXX", "XTS", "eur", "", "EURO"])
def test_what_is_no_currency_of_today_has_no_decimals(code: str) -> None:
    assert minor_digits(code) is None


def test_every_currency_of_a_country_has_decimals() -> None:
    places = load_places()
    used = frozenset[str]().union(*places.currencies.values())
    assert used <= places.digits.keys()
    assert len(places.currencies) > 240


@pytest.mark.parametrize(
    ("zone", "countries"),
    [
        ("America/New_York", {"US"}),
        ("US/Eastern", {"US"}),
        ("Europe/Oslo", {"NO"}),
        ("Europe/Kyiv", {"UA"}),
        ("Europe/Kiev", {"UA"}),
        ("Asia/Calcutta", {"IN"}),
        ("asia/kolkata", {"IN"}),
        ("Asia/Saigon", {"VN"}),
        ("America/Buenos_Aires", {"AR"}),
        ("Japan", {"JP"}),
        ("Asia/Tokyo", {"JP"}),
    ],
)
def test_a_time_zone_has_its_countries_under_old_names_too(zone: str, countries: set[str]) -> None:
    assert countries_of_zone(zone) == countries


def test_a_zone_that_several_countries_keep_has_all_of_them() -> None:
    assert {"DE", "DK", "NO", "SE"} <= countries_of_zone("Europe/Berlin")
    assert {"GB", "JE"} <= countries_of_zone("GB-Eire")


@pytest.mark.parametrize(
    "zone", ["UTC", "Etc/GMT+5", "EST", "CET", "PST8PDT", "", "Mars/Base", "\ud800", "x" * 100_000]
)
def test_an_offset_or_an_unknown_zone_has_no_country(zone: str) -> None:
    assert countries_of_zone(zone) == frozenset()


@pytest.mark.parametrize(
    ("a", "b", "low", "high"),
    [
        ("DE", "DE", 0, 0),
        ("DE", "FR", 0, 0),
        ("GB", "IE", 0, 0),
        ("DK", "SE", 1, 30),
        ("GB", "FR", 20, 60),
        ("US", "RU", 1, 150),
        ("DE", "US", 4_500, 6_500),
        ("FR", "BR", 5_000, 8_000),
        ("NL", "VE", 6_000, 9_000),
        ("NO", "ZA", 8_000, 11_000),
        ("AU", "NZ", 500, 2_200),
        ("NZ", "ES", 17_000, 20_016),
        ("UK", "us", 3_500, 6_000),
    ],
)
def test_countries_are_as_far_apart_as_their_nearest_places(
    a: str, b: str, low: int, high: int
) -> None:
    found = distance_km(a, b)
    assert found is not None
    assert low <= found <= high
    assert distance_km(b, a) == found


@pytest.mark.parametrize(
    ("a", "b"), [("DE", "ZZ"), ("", "DE"), ("ZZ", "ZZ"), ("\ud800", "x" * 9999)]
)
def test_an_unknown_country_is_at_no_distance(a: str, b: str) -> None:
    assert distance_km(a, b) is None


def test_every_country_has_a_distance_to_every_other() -> None:
    countries = list(load_places().order)
    assert len(countries) == 250
    assert all(distance_km(one, "DE") is not None for one in countries)
    assert [one for one in countries if distance_km(one, one) != 0] == []


def test_languages_are_shares_of_people() -> None:
    assert languages_of("BE")["nl"] == 0.55
    assert languages_of("uk") == languages_of("GB")
    assert languages_of("ZZ") == {}
    shares = [share for found in load_places().languages.values() for share in found.values()]
    assert all(0 < share <= 1 for share in shares)


def test_english_is_listed_only_where_it_is_official() -> None:
    assert languages_of("US")["en"] > 0.9
    assert "en" in languages_of("IE")
    assert "en" not in languages_of("NL")


@pytest.mark.parametrize(("text", "code"), [("UK", "GB"), ("el", "GR"), ("de", "DE"), ("IC", "ES")])
def test_other_codes_of_a_country_are_understood(text: str, code: str) -> None:
    assert country_code(text) == code


@given(text=st.text(max_size=70))
def test_no_text_is_too_odd_to_ask_about(text: str) -> None:
    currencies_of(text)
    minor_digits(text)
    countries_of_zone(text)
    distance_km(text, "DE")
    languages_of(text)


def test_every_source_is_told_with_its_licence_rows_and_digest() -> None:
    found = {feed.name: feed for feed in feeds()}
    assert set(found) == {"languages", "currencies", "minor units", "time zones", "distances"}
    assert found["languages"].licence == "Unicode-3.0"
    assert found["minor units"].rows == len(load_places().digits)
    assert all(feed.origin == "shipped" and feed.sha256 for feed in found.values())


# --- how the table is packed ---


def test_a_packed_table_reads_back_as_it_was() -> None:
    packed, description = packed_of(TABLE)
    read = read_places(packed, description)
    assert read.languages == TABLE.languages
    assert read.currencies["BE"] == frozenset({"EUR"})
    assert read.sources.sha256 == hashlib.sha256(packed).hexdigest()
    prove(packed, description, TABLE)


def test_a_table_that_differs_or_names_an_unknown_country_is_not_proven() -> None:
    for wrong in (
        msgspec.structs.replace(TABLE, digits={"EUR": 3, "CHF": 2}),
        msgspec.structs.replace(TABLE, zones={"europe/paris": ["FR"]}),
    ):
        with pytest.raises(RuntimeError, match="read back"):
            prove(*packed_of(wrong), TABLE)


def test_a_data_file_that_is_not_the_described_one_is_refused() -> None:
    packed, description = packed_of(TABLE)
    with pytest.raises(PackedDataError, match="not the file"):
        read_places(packed + b"x", description)


def test_data_that_cannot_be_unpacked_is_refused() -> None:
    for wrong in (b"", b"not xz", lzma.compress(b"not msgpack"), packed_of(TABLE)[0][:-20]):
        with pytest.raises(PackedDataError, match="cannot be unpacked"):
            read_places(wrong, describe(wrong, [SOURCE]))


def test_a_table_with_too_few_distances_is_refused() -> None:
    short = msgspec.structs.replace(TABLE, distances=TABLE.distances[:-2])
    with pytest.raises(PackedDataError, match="one distance for each pair"):
        read_places(*packed_of(short))


@pytest.mark.parametrize("change", [{"sha256": "short"}, {"sources": 3}, {"colour": "red"}])
def test_a_malformed_description_is_refused(change: dict[str, object]) -> None:
    packed, description = packed_of(TABLE)
    with pytest.raises(PackedDataError, match="malformed"):
        read_places(packed, json.dumps(json.loads(description) | change).encode())


# --- how the table is made ---


def test_only_plain_data_is_unpickled() -> None:
    with pytest.raises(pickle.UnpicklingError, match="not plain data"):
        PlainUnpickler(io.BytesIO(pickle.dumps(print))).load()


def test_currencies_that_have_ended_or_are_no_tender_are_left_out() -> None:
    found: dict[str, list[tuple[str, Any, Any, bool]]] = {
        "CH": [("CHF", None, None, True), ("CHE", None, None, False)],
        "HR": [("HRK", None, (2023, 1, 14), True), ("EUR", None, None, True)],
        "AQ": [("XXX", None, None, False)],
    }
    read = read_currencies(found, ["CH", "HR", "AQ"], {"CHF": 2, "EUR": 2})
    assert read == {"BG": ["EUR"], "CH": ["CHF"], "HR": ["EUR"]}


def test_a_currency_that_iso_4217_no_longer_knows_stops_the_build() -> None:
    with pytest.raises(SystemExit, match="ISO 4217 knows no OLD"):
        read_currencies({"DE": [("OLD", None, None, True)]}, ["DE"], {"EUR": 2})


def test_decimals_are_read_where_there_are_any() -> None:
    rows = "".join(
        f"<CcyNtry><Ccy>{code}</Ccy><CcyMnrUnts>{units}</CcyMnrUnts></CcyNtry>"
        for code, units in (("EUR", "2"), ("XAU", "N.A."))
    )
    content = f'<ISO_4217 Pblshd="2026-01-01"><CcyTbl>{rows}<CcyNtry/></CcyTbl></ISO_4217>'
    assert read_digits(content.encode()) == ("2026-01-01", {"EUR": 2})


def test_languages_are_joined_under_their_main_code_and_english_must_be_official() -> None:
    aliases = language_aliases({"sh": "sr_Latn", "srp": "sr", "eng": "en", "deu": "de"})
    assert aliases["srp"] == aliases["sr"] == aliases["hr"] == "sh"
    assert "sh" not in aliases
    assert aliases["deu"] == "de"
    found: dict[str, dict[str, Any]] = {
        "sr": {"population_percent": 10.0, "official_status": "official"},
        "bs_Cyrl": {"population_percent": 99.0, "official_status": "official"},
        "en": {"population_percent": 45.0, "official_status": None},
        "de": {"population_percent": 0.01, "official_status": None},
        "it": {"population_percent": 130.0, "official_status": None},
    }
    assert language_shares(found, aliases) == {"it": 1.0, "sh": 0.99}


def test_old_zone_names_follow_their_links() -> None:
    zoneinfo = {
        "zone.tab": "# code\nNO\t+5955+01045\tEurope/Oslo\nDE\t+5230+01322\tEurope/Berlin",
        "zone1970.tab": "DE,NO\t+5230+01322\tEurope/Berlin\tmost of it",
        "tzdata.zi": "# 1\nL Europe/Berlin Europe/Oslo\nL Europe/Oslo Old\nL Europe/Berlin CET",
    }
    assert read_zones(zoneinfo) == {
        "europe/berlin": ["DE", "NO"],
        "europe/oslo": ["NO"],
        "old": ["NO"],
    }


@pytest.mark.parametrize(
    ("text", "whole", "value"),
    [("+5230", 2, 52.5), ("-01322", 3, -13 - 22 / 60), ("+353916", 2, 35 + 39 / 60 + 16 / 3600)],
)
def test_coordinates_are_read_as_degrees(text: str, whole: int, value: float) -> None:
    assert degrees(text, whole) == pytest.approx(value)


def test_land_far_from_the_mother_country_belongs_to_the_nearest_part() -> None:
    cities = cities_of(
        [["FR", "+4852+00220", "Europe/Paris"], ["GF", "+0456-05220", "America/Cayenne"]]
        + [[code, "-2000+05500", "Indian/Somewhere"] for code in ("GP", "MQ", "RE", "YT")]
    )
    assert owner("FR", (43.3, 5.4), cities) == "FR"
    assert owner("FR", (4.0, -53.0), cities) == "GF"
    assert owner("DE", (4.0, -53.0), cities) == "DE"


def test_long_straight_borders_get_points_in_between_but_not_across_the_date_line() -> None:
    plain = {"scale": [1.0, 1.0], "translate": [0.0, 0.0]}
    assert list(decoded([[10, 0], [1, 0]], plain)) == [
        (0.0, 10.0), (0.0, 10.25), (0.0, 10.5), (0.0, 10.75), (0.0, 11.0),
    ]  # fmt: skip
    assert list(decoded([[180, 70], [-360, 0]], plain)) == [(70.0, 180.0), (70.0, -180.0)]
