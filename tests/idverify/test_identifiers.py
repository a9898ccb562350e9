"""Comparing government identifiers: exact, however punctuated, and never nearly."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib import import_module
from threading import Barrier, BrokenBarrierError
from types import ModuleType

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gatehouse.idverify import identifiers
from gatehouse.idverify.comparison import Comparison
from gatehouse.idverify.identifiers import compare_identifiers, has_wrong_checksum
from gatehouse.idverify.people import Identifier, IdentifierType
from gatehouse.idverify.response import Result
from tests.harness.rows import each

PASSPORT = IdentifierType.PASSPORT
LICENCE = IdentifierType.DRIVERLICENSE
NATIONAL = IdentifierType.NATIONALIDENTITY
TAX = IdentifierType.TAX
ARABIC_INDIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
FULL_WIDTH = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}

# One well-formed number for each, as the countries' own descriptions show them.
WELL_FORMED = {
    NATIONAL: {
        "AR": "20.123.456", "AT": "1237 010180", "BE": "85.07.30-033.28", "BG": "8032056031",
        "BR": "390.533.447-05", "CH": "756.9217.0769.85", "CL": "12531909-2",
        "CN": "360426199101010071", "CR": "3-0455-0175", "CU": "91021027775", "CZ": "710319/2745",
        "DK": "211062-5629", "DO": "001-1391820-5", "EC": "171430710-3", "EE": "36805280109",
        "ES": "54362315-K", "FI": "131052-308T", "FR": "2 95 10 99 126 111 93",
        "GR": "01013099997", "HR": "33392005961", "IE": "6433435F", "IL": "3933742-3",
        "IN": "2341 2341 2346", "IS": "120174-3399", "IT": "RCCMNL83S18D969H",
        "JP": "6214 9832 0257", "KR": "971013-9019902", "LI": "1234567", "LT": "33309240064",
        "LV": "161175-19997", "MX": "BOXW310820HNERXN09", "MY": "770305-02-1234",
        "NL": "1112.22.333", "NO": "151086 95088", "PE": "10117410-2", "PK": "34201-0891231-8",
        "PL": "44051401359", "PT": "00000000 0 ZZ4", "RO": "1630615123457", "SE": "880320-0016",
        "SI": "0101006500006", "SK": "710319/2745", "TH": "1-2345-45678-78-1",
        "TR": "17291716060", "US": "536-90-4399", "VE": "V-11470283-4", "ZA": "7503305044089",
    },
    TAX: {
        "AD": "U-132950-X", "AL": "J 91402501 L", "AR": "20-05536168-2", "AT": "59-119/9013",
        "AU": "123 456 782", "AZ": "140 155 5071", "BE": "0428.759.497", "BG": "175074752",
        "BR": "390.533.447-05", "BY": "200988541", "CA": "123-456-782", "CH": "CHE-100.155.212",
        "CL": "76086428-5", "CN": "91110000600037341L", "CO": "213.123.432-1",
        "CR": "3-101-999999", "CY": "10259033P", "CZ": "25123891", "DE": "36 574 261 809",
        "DK": "13585628", "DO": "1-01-85004-3", "DZ": "408 020 000 150 039",
        "EC": "1792060346-001", "EE": "100594102", "EG": "100-531-385", "ES": "B64717838",
        "FI": "2077474-0", "FO": "623857", "FR": "3023217600053", "GB": "1955839661",
        "GH": "C0000803561", "GN": "693-770-885", "GR": "094259216", "GT": "576937-K",
        "HR": "33392005961", "HU": "12892312", "ID": "01.312.166.0-091.000", "IE": "6433435F",
        "IL": "516179157", "IN": "ACUPA7085R", "IS": "00621", "IT": "00743110157",
        "JP": "5-8356-7825-6246", "KE": "A004416331M", "KR": "116-82-00276", "LI": "1234567",
        "LT": "119511515", "LU": "150 274 42", "LV": "4000 3521 600", "MA": "001561191000066",
        "MC": "53 0000 04605", "MD": "1008600038413", "ME": "02655284", "MK": "4030000375897",
        "MT": "1167-9112", "MX": "GODE 561231 GR8", "MZ": "400339910", "NL": "1112.22.333",
        "NO": "988 077 917", "NZ": "49-098-576", "PE": "20512333797", "PK": "34201-0891231-8",
        "PL": "8567346215", "PT": "501 964 843", "PY": "80028061-0", "RO": "185 472 90",
        "RS": "101134702", "RU": "123456789047", "SE": "123456-7897", "SG": "197401143C",
        "SI": "5022 3054", "SK": "202 274 96 19", "SM": "024165", "SN": "306 7221",
        "SV": "0614-050707-104-8", "TH": "0-99-4-000-61772-1", "TN": "1282182 W",
        "TR": "4540536920", "TW": "00501503", "UA": "1759013776", "US": "987-65-4329",
        "UY": "21-100342-001-7", "VE": "V-11470283-4", "VN": "0100233488", "ZA": "0001339050",
    },
}  # fmt: skip
ALL_WELL_FORMED = [
    (kind, country, value)
    for kind, values in WELL_FORMED.items()
    for country, value in values.items()
]


def checksum(identifier: Identifier) -> bool | None:
    return identifiers._check(identifier.type, identifier.value, identifier.country)


def held(kind: IdentifierType, value: str, country: str | None = None) -> tuple[Identifier, ...]:
    return (Identifier(kind, value, country),)


def outcome(
    kind: IdentifierType, sent: str, value: str, country: str | None = None
) -> tuple[Result, str | None]:
    found = compare_identifiers(kind, sent, held(kind, value, country))
    return found.result, found.why


MATCH, NO = Result.MATCH, Result.NO_MATCH


@pytest.mark.parametrize(
    ("kind", "sent", "value", "country"),
    [
        (PASSPORT, "543 210 987", "543210987", "US"),
        (PASSPORT, "45 10 № 123456", "4510123456", "RU"),
        (PASSPORT, "ab-123456", "AB123456", None),
        (LICENCE, "d123-4562", "D1234562", "US"),
        (LICENCE, "WDL*ABC123", "WDLABC123", "US"),
        (TAX, "987654329", "987-65-4329", "US"),
        (TAX, "987–65–4329", "987-65-4329", "US"),
        (NATIONAL, "12345678-z", "12345678Z", "ES"),
        (NATIONAL, "12.345.678/Z", "12345678Z", "ES"),
        (NATIONAL, "1234567 L", "01234567L", "ES"),
        (NATIONAL, "39337423", "039337423", "IL"),
        (NATIONAL, "8.112.189.876", "8112189876", "SE"),
        (NATIONAL, "19811218-9876", "811218-9876", "SE"),
        (NATIONAL, "811218-9876", "198112189876", "SE"),
        (NATIONAL, "131052308T", "131052-308T", "FI"),
        (TAX, "ES12345678Z", "12345678Z", "ES"),
        (TAX, "12345678Z", "ES-12345678-Z", "es"),
        (TAX, "DE 136695976", "136695976", "DE"),
        (TAX, "136695976", "DE136695976", "DE"),
        (TAX, "EL094259216", "094259216", "GR"),
        (TAX, "GR 94259216", "GR94259216", "GR"),
        (TAX, "CHE-109.322.551", "109322551", "CH"),
        (TAX, "43114403", "043114403", "NL"),
        (TAX, "39053344705", "390.533.447-05", "BR"),
        (PASSPORT, "кв123456", "КВ 123456", "UA"),
    ],
)
def test_punctuation_case_and_country_prefixes_do_not_matter(
    kind: IdentifierType, sent: str, value: str, country: str | None
) -> None:
    assert outcome(kind, sent, value, country) == (MATCH, "folded")
    assert outcome(kind, value, sent, country) == (MATCH, "folded")
    assert outcome(kind, sent.translate(FULL_WIDTH), value, country) == (MATCH, "folded")
    assert outcome(kind, sent.translate(ARABIC_INDIC), value, country) == (MATCH, "folded")


@pytest.mark.parametrize(
    ("kind", "sent", "value", "country"),
    [
        (PASSPORT, "543210988", "543210987", "US"),
        (PASSPORT, "54321098", "543210987", "US"),
        (PASSPORT, "O1234567", "01234567", "US"),
        (PASSPORT, "I1234567", "11234567", "US"),
        (PASSPORT, "АВ123456", "AB123456", "UA"),
        (PASSPORT, "US543210987", "543210987", "US"),
        (PASSPORT, "1234567", "01234567", "ES"),
        (NATIONAL, "12345678Z", "12345679Z", "ES"),
        (NATIONAL, "21345678Z", "12345678Z", "ES"),
        (NATIONAL, "811218+9876", "811218-9876", "SE"),
        (NATIONAL, "131052+308T", "131052-308T", "FI"),
        (NATIONAL, "131052A308T", "131052-308T", "FI"),
        (NATIONAL, "18811218-9876", "811218-9876", "SE"),
        (NATIONAL, "205812190016", "8112190016", "SE"),
        (TAX, "FR12345678Z", "12345678Z", "ES"),
        (TAX, "ES12345678Z", "12345678Z", None),
        (TAX, "2345678Z", "12345678Z", "ES"),
        (TAX, "12345678", "12345678Z", "ES"),
        (PASSPORT, "", "543210987", "US"),
        (PASSPORT, " - ", "543210987", "US"),
        (NATIONAL, "-", "-", "ES"),
        (NATIONAL, "", "", "ES"),
        (TAX, "ES", "-", "ES"),
        (PASSPORT, "²", "2", "US"),
    ],
)
def test_nothing_is_nearly_equal(
    kind: IdentifierType, sent: str, value: str, country: str | None
) -> None:
    assert outcome(kind, sent, value, country) == (NO, "different")


def test_only_the_same_type_is_compared() -> None:
    both = held(PASSPORT, "543210987", "US") + held(TAX, "987-65-4329", "US")
    assert compare_identifiers(TAX, "543210987", both).result is NO
    assert compare_identifiers(PASSPORT, "543210987", both).result is MATCH
    assert compare_identifiers(LICENCE, "543210987", both) == Comparison(Result.UNKNOWN, "not_held")


def test_the_best_of_all_held_identifiers_counts() -> None:
    two = held(PASSPORT, "543210987", "US") + held(PASSPORT, "AB123456", "GB")
    assert compare_identifiers(PASSPORT, "AB 123456", two) == Comparison(MATCH, "folded")
    assert compare_identifiers(PASSPORT, "AB123456", two) == Comparison(MATCH, "exact")


@each(ALL_WELL_FORMED)
def test_a_well_formed_number_passes_with_and_without_its_signs(
    kind: IdentifierType, country: str, value: str
) -> None:
    bare = "".join(mark for mark in value if mark.isalnum())
    for written in (value, bare, value.lower(), value.translate(FULL_WIDTH)):
        assert checksum(Identifier(kind, written, country)) is True
        assert outcome(kind, written, value, country.lower())[0] is MATCH


# Where numbers have no check digit, or a second kind that does without one.
LENIENT = {
    NATIONAL: "AR BE CR CU DK LI MY PK US",
    TAX: "AD AL CR DE DZ EG FO IN IS KE KR LI MX PK SM TN US",
}
STRICT = [row for row in ALL_WELL_FORMED if row[1] not in LENIENT[row[0]].split()]


@each(STRICT)
def test_a_number_with_a_wrong_digit_fails_but_still_equals_itself(
    kind: IdentifierType, country: str, value: str
) -> None:
    places = [at for at, mark in enumerate(value) if mark.isdigit()]
    wrong = [
        value[:at] + str((int(value[at]) + step) % 10) + value[at + 1 :]
        for at in places
        for step in (1, 3)
    ]
    failing = [one for one in wrong if checksum(Identifier(kind, one, country)) is False]
    assert len(failing) > len(wrong) / 2
    for one in failing[:3]:
        assert outcome(kind, one, one, country) == (MATCH, "exact")
        assert outcome(kind, one, value, country) == (NO, "different")
        assert has_wrong_checksum(kind, one, held(kind, one, country))
        assert has_wrong_checksum(kind, one, held(kind, value, country))


def test_a_wrong_number_that_is_well_formed_is_only_different() -> None:
    there = held(NATIONAL, "12345678Z", "ES")
    assert compare_identifiers(NATIONAL, "54362315K", there) == Comparison(NO, "different")
    assert not has_wrong_checksum(NATIONAL, "54362315K", there)


def test_a_number_needs_to_be_well_formed_in_only_one_of_the_countries_held() -> None:
    two = held(NATIONAL, "12345678Z", "ES") + held(NATIONAL, "36805280109", "EE")
    assert not has_wrong_checksum(NATIONAL, "33309240064", two)
    assert has_wrong_checksum(NATIONAL, "36805280108", two)
    assert not has_wrong_checksum(NATIONAL, "54362315K", two)


def test_a_match_is_judged_by_the_country_of_what_it_matches() -> None:
    two = held(NATIONAL, "36805280108", "ES") + held(NATIONAL, "12345678Z", "EE")
    assert has_wrong_checksum(NATIONAL, "36805280108", two)
    assert not has_wrong_checksum(NATIONAL, "36805280109", two)
    assert not has_wrong_checksum(TAX, "36805280108", two)
    assert not has_wrong_checksum(PASSPORT, "1", held(PASSPORT, "1", "ES"))


@pytest.mark.parametrize(
    ("kind", "value", "country"),
    [
        (PASSPORT, "543210987", "US"),
        (LICENCE, "D1234562", "US"),
        (NATIONAL, "12345678Z", None),
        (NATIONAL, "12345678Z", ""),
        (NATIONAL, "12345678Z", "XX"),
        (NATIONAL, "12345678Z", "GB"),
        (NATIONAL, "---", "ES"),
        # Numbers that are right in their countries, and that nobody can check.
        (NATIONAL, "880692310285", "FR"),
        (NATIONAL, "CA00000AA", "IT"),
        (NATIONAL, "ABC123456", "PL"),
        (TAX, "QQ123456C", "GB"),
    ],
)
def test_what_nobody_can_check_is_unknown_rather_than_wrong(
    kind: IdentifierType, value: str, country: str | None
) -> None:
    assert checksum(Identifier(kind, value, country)) is None


def test_a_number_of_another_shape_is_wrong_where_there_is_only_one() -> None:
    assert checksum(Identifier(NATIONAL, "123", "ES")) is False
    assert checksum(Identifier(NATIONAL, "1" * 64, "DK")) is False


@each((kind, country) for kind, names in identifiers._MODULES.items() for country in names)
def test_every_check_can_be_loaded_and_is_kept(kind: IdentifierType, country: str) -> None:
    checks = identifiers._checks_for(kind, country)
    known, _ = checks
    assert known
    assert identifiers._checks_for(kind, country) is checks


def test_most_of_the_world_is_covered() -> None:
    assert len(identifiers._MODULES[NATIONAL]) >= 48
    assert len(identifiers._MODULES[TAX]) >= 74


def test_an_identifier_is_never_printed() -> None:
    assert "543210987" not in repr(held(PASSPORT, "543210987", "US"))


countries = st.sampled_from([*identifiers._NATIONAL, *identifiers._TAX, "XX", "", "ﬁ"])
weird = st.text(max_size=64) | st.text(
    st.sampled_from("0123456789ABCXYZKabc-+/. ²é一٣０Ａ\ud800\x00"), max_size=64
)


@settings(deadline=None)
@given(kind=st.sampled_from(IdentifierType), sent=weird, value=weird, country=countries)
@example(kind=NATIONAL, sent="٣SI2", value="", country="PT")
@example(kind=NATIONAL, sent="-61I8J21X D6T4Hé6J", value="1", country="CN")
@example(kind=TAX, sent="1" * 64, value="0" * 64, country="DE")
def test_any_texts_can_be_compared(
    kind: IdentifierType, sent: str, value: str, country: str
) -> None:
    found = compare_identifiers(kind, sent, held(kind, value, country))
    assert found.result in (MATCH, NO)
    again = compare_identifiers(kind, value, held(kind, sent, country))
    assert found.result is again.result


@settings(deadline=None)
@given(kind=st.sampled_from(IdentifierType), value=weird, country=countries)
def test_any_value_equals_itself_if_it_says_anything(
    kind: IdentifierType, value: str, country: str
) -> None:
    says_something = any(mark.isalnum() for mark in value)
    if says_something:
        assert outcome(kind, value, value, country) == (MATCH, "exact")


def test_two_threads_never_import_checks_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python fails one of two imports that wait for each other's modules."""
    both_inside = Barrier(2)
    met = []

    def meet_inside(name: str) -> ModuleType:
        with suppress(BrokenBarrierError):
            both_inside.wait(timeout=0.5)
            met.append(name)
        return import_module(name)

    monkeypatch.setattr(identifiers, "import_module", meet_inside)
    identifiers._checks_for.cache_clear()
    with ThreadPoolExecutor(2) as threads:
        asked = [threads.submit(identifiers._checks_for, kind, "ES") for kind in (NATIONAL, TAX)]
    assert all(each.result() for each in asked)
    assert met == []
