"""Parses phone numbers as people write them into one form that can be compared."""

import re
from functools import cache
from typing import Any, Final

import msgspec
import phonenumbers
from phonenumbers import NumberParseException, PhoneMetadata, PhoneNumber, ValidationResult

MAX_CHARACTERS: Final = 32
MAX_DIGITS: Final = 15
"""The most digits of a number in E.164."""
MAX_EXTENSION: Final = 11
"""The most digits of an extension; with it every canonical form fits into MAX_CHARACTERS."""

_ARGENTINA: Final = 54
_MEXICO: Final = 52
_OLD_MEXICAN_MOBILE: Final = re.compile(r"1[2-9][0-9]{9}")
_SEPARATORS: Final = str.maketrans("", "", " ().-/")
_DIGITS: Final = re.compile(r"[0-9 ().\-/]*")
_KINDS: Final = (
    "fixed_line", "mobile", "toll_free", "premium_rate", "shared_cost", "personal_number", "voip",
    "pager", "uan", "voicemail",
)  # fmt: skip
_CALLING_CODES: Final = frozenset(map(str, phonenumbers.COUNTRY_CODE_TO_REGION_CODE))
_EXIT_CODE: Final = re.compile(r"[\s(]*(?:00|011)(?=[\s().-]*[1-9])")
"""The prefixes for international calls: 00 in most of the world, 011 in North America."""


class Phone(msgspec.Struct, frozen=True):
    """One phone number. It is never printed, because it is personal data."""

    e164: str
    """The number with its calling code, such as ``+442079460958``."""
    national: str
    """The number within its country, without the trunk prefix."""
    extension: str | None = None
    country: str | None = None
    """The region of the number (ISO 3166 alpha-2), or None when the number plan does not tell."""

    @property
    def canonical(self) -> str:
        """The form that a record stores: E.164, then ``;ext=12`` for an extension."""
        return f"{self.e164};ext={self.extension}" if self.extension else self.e164

    @property
    def calling_code(self) -> str:
        """The country calling code, without the plus."""
        return self.e164[1 : len(self.e164) - len(self.national)]

    def __repr__(self) -> str:
        return "Phone(…)"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return []


def parse_phone(text: str, country: str | None = None) -> Phone | None:
    """The number in a text, or None when the text is not exactly one phone number.

    `country` is the region of a number without a calling code. The number must have a length that
    its country uses; whether it is in service is not checked.
    """
    if not 0 < len(text) <= MAX_CHARACTERS:
        return None
    text = _in_ascii(text)
    found = _read_plain(text) or _read(text, country.upper() if country else None)
    if found is None:
        # This comes last: in Johannesburg and Buenos Aires 011 is an area code.
        exit_code = _EXIT_CODE.match(text)
        if exit_code is not None:
            found = _read("+" + text[exit_code.end() :], None)
    return found


def plain_digits(text: str) -> str | None:
    """The digits, and a leading plus, of a number with only the usual separators; or None."""
    digits = text.translate(_SEPARATORS)
    return digits if digits.isascii() and digits.removeprefix("+").isdigit() else None


def calling_code_of(e164: str) -> str | None:
    """The calling code of a number in E.164, or None when no country has it."""
    for end in (2, 3, 4):
        if e164[1:end] in _CALLING_CODES:
            return e164[1:end]
    return None


def main_region(calling_code: str) -> str | None:
    """The region whose number plan a calling code uses; None for codes without a country."""
    region = phonenumbers.region_code_for_country_code(int(calling_code))
    return region if region.isalpha() and region != "ZZ" else None


@cache
def trunk_prefix(calling_code: str) -> str:
    """The digits before a national number within its country, such as the 0 of 020 7946 0958.

    Empty where there are none, and where the plan also gives those digits another meaning.
    """
    plan = _plan_of(calling_code)
    prefix = (plan.national_prefix if plan else None) or ""
    ways = (plan.national_prefix_for_parsing if plan else None) or ""
    return prefix if ways == prefix or ways.startswith(f"{prefix}|") else ""


def load_all_plans() -> None:
    """Load the number plans of all countries, which else happens when one is first used."""
    for calling_code in _CALLING_CODES:
        trunk_prefix(calling_code)
        _plain_plan(calling_code)


def _plan_of(calling_code: str) -> PhoneMetadata | None:
    region = main_region(calling_code)
    return PhoneMetadata.metadata_for_region(region) if region else None


class _Plain(msgspec.Struct, frozen=True):
    """The parts of a number plan that suffice for a number in E.164."""

    lengths: frozenset[int]
    prefix: re.Pattern[str]
    regions: tuple[tuple[str, re.Pattern[str]], ...]
    """The regions that share the plan, in order, each with a pattern for its numbers."""


@cache
def _plain_plan(calling_code: str) -> _Plain | None:
    plan = _plan_of(calling_code)
    if plan is None or plan.general_desc is None:
        return None
    return _Plain(
        lengths=frozenset(plan.general_desc.possible_length),
        # A leading zero goes to the library: in a few countries it is part of the number.
        prefix=re.compile(f"0|(?:{plan.national_prefix_for_parsing or '0'})"),
        regions=_regions_of(calling_code),
    )


def _regions_of(calling_code: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    regions = phonenumbers.COUNTRY_CODE_TO_REGION_CODE[int(calling_code)]
    if len(regions) == 1:
        return ((regions[0], re.compile("")),)
    return tuple((region, re.compile(_numbers_of(region))) for region in regions)


def _numbers_of(region: str) -> str:
    """A pattern for the numbers of a region that shares its calling code.

    The library tries the pattern of each kind of number in turn; one pattern for all is faster.
    """
    plan = PhoneMetadata.metadata_for_region(region)
    assert plan is not None
    assert plan.general_desc is not None
    if plan.leading_digits is not None:
        return str(plan.leading_digits)
    kinds = dict.fromkeys(
        kind.national_number_pattern
        for name in _KINDS
        if (kind := getattr(plan, name)) is not None and kind.national_number_pattern
    )
    every = plan.general_desc.national_number_pattern
    return f"(?=(?:{every})$)(?:{'|'.join(kinds)})$"


def _read_plain(text: str) -> Phone | None:
    """What `_read` finds in a plus, digits and separators, in 6 µs instead of 40.

    None means that `_read` has to decide.
    """
    digits = plain_digits(text)
    if digits is None or not digits.startswith("+"):
        return None
    code = calling_code_of(digits)
    plan = _plain_plan(code) if code else None
    if code is None or plan is None:
        return None
    national = digits[1 + len(code) :]
    if (
        len(digits) > MAX_DIGITS + 1
        or len(national) not in plan.lengths
        or plan.prefix.match(national)
    ):
        return None
    country = next((name for name, numbers in plan.regions if numbers.match(national)), None)
    return Phone(e164=digits, national=national, country=country)


def _read(text: str, region: str | None) -> Phone | None:
    if region is None and _DIGITS.fullmatch(text):
        return None  # The library would say the same, later.
    try:
        number = phonenumbers.parse(text, region)
    except NumberParseException:
        return None
    national = phonenumbers.national_significant_number(number)
    extension = number.extension or ""
    e164 = f"+{number.country_code}{national}"
    if (
        len(extension) > MAX_EXTENSION
        or len(e164) > MAX_DIGITS + 1
        or not _has_possible_length(number, national)
        or not _was_written(national, text, number)
        or not _is_settled(e164, national)
    ):
        return None
    country = phonenumbers.region_code_for_number(number)
    return Phone(
        e164=e164,
        national=national,
        extension=extension or None,
        country=country if country and country.isalpha() else None,
    )


def _has_possible_length(number: PhoneNumber, national: str) -> bool:
    if phonenumbers.is_possible_number_with_reason(number) == ValidationResult.IS_POSSIBLE:
        return True
    # Mexico dropped the 1 before mobile numbers in 2019, but it is still in use.
    return number.country_code == _MEXICO and bool(_OLD_MEXICAN_MOBILE.fullmatch(national))


def _was_written(national: str, text: str, number: PhoneNumber) -> bool:
    """Whether the text really has these digits.

    The library is too lenient: it silently drops one or two letters, and completes a local number
    with the only area code of a small country.
    """
    main, _, rest = text.partition(";")
    if rest.lower().startswith("phone-context="):
        return True
    # Letters stand for the keys of a phone: 1-800-FLOWERS.
    written = phonenumbers.normalize_digits_only(
        phonenumbers.convert_alpha_characters_in_number(main)
    )
    if number.country_code == _ARGENTINA and national.startswith("9"):
        # The mobile prefix is 15 after the area code within Argentina, 9 before it from abroad.
        national = national[-6:]
    return national in written if number.extension else written.endswith(national)


def _is_settled(e164: str, national: str) -> bool:
    """Whether parsing the result gives the same number; with a doubled leading zero it does not."""
    if not national.startswith("0"):
        return True
    again = phonenumbers.parse(e164)
    return phonenumbers.national_significant_number(again) == national


def _in_ascii(text: str) -> str:
    """The text with the digits of all scripts as ASCII; the library drops others beside letters."""
    if text.isascii():
        return text
    return "".join(str(int(mark)) if mark.isdecimal() else mark for mark in text)
