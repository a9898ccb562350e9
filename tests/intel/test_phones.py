"""Phone numbers: how people write them, what is not one, and what never happens."""

import phonenumbers
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gatehouse.intel import phones
from gatehouse.intel.phones import (
    MAX_CHARACTERS,
    Phone,
    calling_code_of,
    main_region,
    parse_phone,
    trunk_prefix,
)
from tests.harness.rows import each

ARABIC_INDIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
FULL_WIDTH = str.maketrans("+0123456789", "＋０１２３４５６７８９")


def canonical(text: str, country: str | None = None) -> str | None:
    phone = parse_phone(text, country)
    return phone.canonical if phone else None


@pytest.mark.parametrize(
    "text",
    [
        "+442079460958",
        "+44 20 7946 0958",
        "+44 (0)20 7946 0958",
        "+44.20.7946.0958",
        "(+44) 20-7946-0958",
        "0044 20 7946 0958",
        "00442079460958",
        "011 44 20 7946 0958",
        "tel:+44-20-7946-0958",
        "Tel. +44 20 7946 0958",
        "  +44 20 7946 0958  ",
        "+44\u00a020\u00a07946\u00a00958",
        "+44 20 7946 0958".translate(ARABIC_INDIC),
        "00442079460958".translate(ARABIC_INDIC),
        "+442079460958".translate(FULL_WIDTH),
    ],
)
def test_a_number_with_its_country_reads_the_same_however_it_is_written(text: str) -> None:
    assert canonical(text) == "+442079460958"
    assert canonical(text, "US") == "+442079460958"


@pytest.mark.parametrize(
    ("text", "country", "expected"),
    [
        ("(415) 555-0132", "US", "+14155550132"),
        ("1 415 555 0132", "US", "+14155550132"),
        ("020 7946 0958", "GB", "+442079460958"),
        ("20 7946 0958", "gb", "+442079460958"),
        ("612 34 56 78", "ES", "+34612345678"),
        ("06 12 34 56 78", "FR", "+33612345678"),
        ("0171 1234567", "DE", "+491711234567"),
        ("06 12345678", "IT", "+390612345678"),
        ("347 123 4567", "IT", "+393471234567"),
        ("8 (916) 123-45-67", "RU", "+79161234567"),
        ("138 1234 5678", "CN", "+8613812345678"),
        ("090-1234-5678", "JP", "+819012345678"),
        ("098765 43210", "IN", "+919876543210"),
        ("(11) 91234-5678", "BR", "+5511912345678"),
        ("055 1234 567", "GH", "+233551234567"),
        ("011 442 0794", "ZA", "+27114420794"),
        ("04 12 345 678", "AU", "+61412345678"),
        ("0101 234 5678", "EG", "+201012345678"),
        ("0501234567", "AE", "+971501234567"),
        ("4002", "NU", "+6834002"),
    ],
)
def test_a_national_number_takes_the_country_that_is_given(
    text: str, country: str, expected: str
) -> None:
    assert canonical(text, country) == expected
    assert canonical(text.translate(ARABIC_INDIC), country) == expected


def test_a_national_number_without_a_country_is_not_a_whole_number() -> None:
    assert parse_phone("(415) 555-0132") is None
    assert parse_phone("(415) 555-0132", "XX") is None
    assert parse_phone("(415) 555-0132", "") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("+54 9 11 2345 6789", "+5491123456789"),
        ("+54 11 15 2345 6789", "+5491123456789"),
        ("+54 11 2345 6789", "+541123456789"),
        ("+52 55 1234 5678", "+525512345678"),
        ("+52 1 55 1234 5678", "+5215512345678"),
        ("+39 06 12345678", "+390612345678"),
        ("+39 6 12345678", "+39612345678"),
    ],
)
def test_a_mobile_prefix_that_was_written_is_kept(text: str, expected: str) -> None:
    assert canonical(text) == expected


@pytest.mark.parametrize(
    "ending", [" x12", " ext 12", " ext. 12", ";ext=12", " extension 12", "#12", ",,12", " доб. 12"]
)
def test_an_extension_is_recognised(ending: str) -> None:
    phone = parse_phone("+1 415 555 0132" + ending)
    assert phone is not None
    assert (phone.e164, phone.extension) == ("+14155550132", "12")
    assert phone.canonical == "+14155550132;ext=12"


def test_an_extension_in_other_digits_becomes_ascii() -> None:
    assert canonical("+14155550132 x١٢") == "+14155550132;ext=12"


def test_an_extension_that_would_not_fit_back_in_is_refused() -> None:
    longest = "+123456789012345;ext=12345678901"
    assert len(longest) == MAX_CHARACTERS
    assert canonical("+14155550132;ext=12345678901") == "+14155550132;ext=12345678901"
    assert parse_phone("+14155550132;ext=123456789012") is None


def test_the_parts_of_a_number_are_told_apart() -> None:
    phone = parse_phone("020 7946 0958", "GB")
    assert phone is not None
    assert (phone.calling_code, phone.national, phone.country) == ("44", "2079460958", "GB")


def test_a_number_that_belongs_to_no_country_has_none() -> None:
    phone = parse_phone("+800 1234 5678")
    assert phone is not None
    assert phone.country is None


@pytest.mark.parametrize("text", ["+1-800-FLOWERS", "+1 800 flowers", "+1 (800) FLO-WERS"])
def test_letters_are_digits_when_they_spell_out_a_number(text: str) -> None:
    assert canonical(text) == "+18003569377"


@pytest.mark.parametrize(
    "text",
    [
        "+1 415 5a55 0132",
        "+1 415 555 0132a",
        "+1 415 555 O132",
        "+1 415 555 0132 (home)",
        "my number is +1 415 555 0132 call",
        "+1-800-CALL-ATT-NOW",
    ],
)
def test_letters_that_only_slipped_in_spoil_a_number(text: str) -> None:
    assert parse_phone(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "+",
        "+1",
        "12",
        "+1 415",
        "555-0132",
        "+999 123 4567",
        "+1 415 555 0132 / +1 415 555 0133",
        "+46 00 484 125577",
        "not a number",
        "+1 415 555 01320",
        "٣",
        "+" * 32,
        "\ud800",
        "+44 20 7946 0958" + " " * 20,
    ],
)
def test_what_is_not_one_whole_number_is_none(text: str) -> None:
    assert parse_phone(text, "US") is None


@pytest.mark.parametrize(("text", "country"), [("886882", "SM"), ("555 1234", "AG")])
def test_an_area_code_that_was_not_written_is_not_made_up(text: str, country: str) -> None:
    assert parse_phone(text, country) is None


def test_a_tel_uri_brings_its_own_context() -> None:
    assert canonical("tel:5550132;phone-context=+1415") == "+14155550132"
    assert canonical("tel:+1-415-555-0132;isub=12") == "+14155550132"


def test_a_number_is_never_printed() -> None:
    phone = parse_phone("+14155550132")
    assert "415" not in repr(phone)
    assert "415" not in f"{phone} {[phone]}"
    assert phone is not None
    assert phone.__rich_repr__() == []


@each(sorted(phonenumbers.SUPPORTED_REGIONS))
def test_every_country_s_numbers_are_read_in_both_forms(region: str) -> None:
    number = phonenumbers.example_number(region)
    assert number is not None
    whole = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)
    spaced = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.INTERNATIONAL)
    at_home = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.NATIONAL)
    assert canonical(whole) == canonical(spaced) == canonical(at_home, region) == whole
    assert calling_code_of(whole) == str(number.country_code)


@pytest.mark.parametrize(
    ("code", "region", "trunk"),
    [("1", "US", "1"), ("44", "GB", "0"), ("39", "IT", ""), ("7", "RU", "8"), ("800", None, "")],
)
def test_a_calling_code_has_a_main_region_and_a_trunk_prefix(
    code: str, region: str | None, trunk: str
) -> None:
    assert main_region(code) == region
    assert trunk_prefix(code) == trunk


@pytest.mark.parametrize("text", ["", "+", "+9", "+999123", "+x44", "٤٤", "+044207"])
def test_a_number_of_no_country_has_no_calling_code(text: str) -> None:
    assert calling_code_of(text) is None


near_numbers = st.text(
    st.sampled_from("+＋0123456789٠١٢０１２ ()-./x#;ext=,~*abcABCtel:доб\u00a0"), max_size=34
)
regions = st.none() | st.sampled_from(sorted(phonenumbers.SUPPORTED_REGIONS)) | st.text(max_size=3)


@settings(deadline=None)
@given(text=st.text(max_size=40) | near_numbers, country=regions)
@example(text="\ud800+1415", country="US")
@example(text="+²³", country=None)
def test_any_text_is_a_number_or_none(text: str, country: str | None) -> None:
    phone = parse_phone(text, country)
    assert phone is None or isinstance(phone, Phone)


plain_numbers = st.builds(
    "{}{}{}".format,
    st.sampled_from(["+", "(+", " + ", "+0"]),
    st.sampled_from(sorted(phonenumbers.COUNTRY_CODE_TO_REGION_CODE)),
    st.text(st.sampled_from("0123456789 -./()"), min_size=3, max_size=14),
)


@settings(deadline=None, max_examples=1000)
@given(text=plain_numbers)
@example(text="+54 9 11 2345 6789")
@example(text="+52 1 55 1234 5678")
@example(text="+044 20 7946 0958")
@example(text="+800 1234 5678")
def test_the_quick_way_and_the_library_agree(text: str) -> None:
    quickly = phones._read_plain(text)
    assert quickly is None or quickly == phones._read(text, None)


SHARED = [
    (code, region)
    for code, regions in phonenumbers.COUNTRY_CODE_TO_REGION_CODE.items()
    for region in regions
    if len(regions) > 1
]


@pytest.mark.parametrize(("code", "region"), SHARED)
def test_countries_that_share_a_calling_code_are_told_apart_as_by_the_library(
    code: int, region: str
) -> None:
    numbers = [phonenumbers.example_number_for_type(region, kind) for kind in range(11)]
    texts = [phonenumbers.format_number(number, 0) for number in numbers if number]
    # Other last digits, other first digits: mostly numbers of a neighbour, or of nobody.
    texts += [text[:-2] + digits for text in texts for digits in ("00", "47", "99")]
    texts += [f"+{code}{digit}" + text[len(f"+{code}") + 1 :] for text in texts for digit in "2579"]
    for text in texts:
        quickly = phones._read_plain(text)
        assert quickly is None or quickly == phones._read(text, None)


@settings(deadline=None)
@given(text=near_numbers, country=regions)
def test_the_canonical_form_reads_as_itself(text: str, country: str | None) -> None:
    phone = parse_phone(text, country)
    if phone is not None:
        assert len(phone.canonical) <= MAX_CHARACTERS
        assert phone.canonical.isascii()
        assert parse_phone(phone.canonical) == phone
