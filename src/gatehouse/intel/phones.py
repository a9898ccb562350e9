"""Reads phone numbers as people write them, and gives each one form that can be compared."""

import re
from functools import cache
from typing import Any, Final

import msgspec
import phonenumbers
from phonenumbers import NumberParseException, PhoneMetadata, PhoneNumber, ValidationResult

MAX_CHARACTERS: Final = 32
MAX_DIGITS: Final = 15
"""What E.164 allows a whole number."""
MAX_EXTENSION: Final = 11
"""Digits of an extension: what keeps the canonical form of any number within MAX_CHARACTERS."""

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
"""How most of the world, and North America, begin an international number without a plus."""


class Phone(msgspec.Struct, frozen=True):
    """One phone number. It is never printed, because it is personal data."""

    e164: str
    """The whole number, ``+442079460958``."""
    national: str
    """The number within its country, without the prefix that only dialling needs."""
    extension: str | None = None
    country: str | None = None
    """The region whose number this is (ISO 3166 alpha-2), None when the plan does not say."""

    @property
    def canonical(self) -> str:
        """The form in which a record keeps the number: E.164, and ``;ext=12`` if there is one."""
        return f"{self.e164};ext={self.extension}" if self.extension else self.e164

    @property
    def calling_code(self) -> str:
        """The country's digits, between the plus and the national number."""
        return self.e164[1 : len(self.e164) - len(self.national)]

    def __repr__(self) -> str:
        return "Phone(…)"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return []


def parse_phone(text: str, country: str | None = None) -> Phone | None:
    """The number that a text is, or None when it is not one whole phone number.

    `country` is where a number without a country's digits would be dialled. The number must have
    a length that its country uses; whether it is in service cannot be told from its digits.
    """
    if not 0 < len(text) <= MAX_CHARACTERS:
        return None
    text = _in_ascii(text)
    found = _read_plain(text) or _read(text, country.upper() if country else None)
    if found is None:
        # Only now: in Johannesburg and Buenos Aires 011 is an area, not the way out of the country.
        exit_code = _EXIT_CODE.match(text)
        if exit_code is not None:
            found = _read("+" + text[exit_code.end() :], None)
    return found


def plain_digits(text: str) -> str | None:
    """The digits, and a leading plus, of a number with only the usual separators; or None."""
    digits = text.translate(_SEPARATORS)
    return digits if digits.isascii() and digits.removeprefix("+").isdigit() else None


def calling_code_of(e164: str) -> str | None:
    """The country's digits of a whole number, or None when no country has them."""
    for end in (2, 3, 4):
        if e164[1:end] in _CALLING_CODES:
            return e164[1:end]
    return None


def main_region(calling_code: str) -> str | None:
    """The region that gives a calling code its number plan; None for codes without a country."""
    region = phonenumbers.region_code_for_country_code(int(calling_code))
    return region if region.isalpha() and region != "ZZ" else None


@cache
def trunk_prefix(calling_code: str) -> str:
    """What is dialled before a national number at home, such as the 0 of 020 7946 0958.

    Empty where there is none, and where the plan reads the same digits in other ways as well.
    """
    plan = _plan_of(calling_code)
    prefix = (plan.national_prefix if plan else None) or ""
    ways = (plan.national_prefix_for_parsing if plan else None) or ""
    return prefix if ways == prefix or ways.startswith(f"{prefix}|") else ""


def load_all_plans() -> None:
    """Load the number plans of all countries, which otherwise happens when one is first seen."""
    for calling_code in _CALLING_CODES:
        trunk_prefix(calling_code)
        _plain_plan(calling_code)


def _plan_of(calling_code: str) -> PhoneMetadata | None:
    region = main_region(calling_code)
    return PhoneMetadata.metadata_for_region(region) if region else None


class _Plain(msgspec.Struct, frozen=True):
    """What must be known of a number plan to read a whole number that is all digits."""

    lengths: frozenset[int]
    prefix: re.Pattern[str]
    regions: tuple[tuple[str, re.Pattern[str]], ...]
    """Whose plan it is, in order, each with how its numbers are told from those of the others."""


@cache
def _plain_plan(calling_code: str) -> _Plain | None:
    plan = _plan_of(calling_code)
    if plan is None or plan.general_desc is None:
        return None
    return _Plain(
        lengths=frozenset(plan.general_desc.possible_length),
        # A zero is for the library in any case: in a few countries it is part of the number.
        prefix=re.compile(f"0|(?:{plan.national_prefix_for_parsing or '0'})"),
        regions=_regions_of(calling_code),
    )


def _regions_of(calling_code: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    regions = phonenumbers.COUNTRY_CODE_TO_REGION_CODE[int(calling_code)]
    if len(regions) == 1:
        return ((regions[0], re.compile("")),)
    return tuple((region, re.compile(_numbers_of(region))) for region in regions)


def _numbers_of(region: str) -> str:
    """An expression for the numbers of a region that shares its calling code.

    The library asks for each kind of number in turn; all of them at once are as good and quicker.
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
    """What `_read` finds in a plus, digits and separators, but quickly; None is no verdict."""
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
        return None  # as the library would say, but late
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
    # Mexico gave up the 1 before its mobiles in 2019, but records and people still have it.
    return number.country_code == _MEXICO and bool(_OLD_MEXICAN_MOBILE.fullmatch(national))


def _was_written(national: str, text: str, number: PhoneNumber) -> bool:
    """Whether the text really has these digits.

    The library is kinder than the truth allows: it drops one or two letters in silence, and
    completes a local number with the only area code of a small country.
    """
    main, _, rest = text.partition(";")
    if rest.lower().startswith("phone-context="):
        return True
    # Letters are digits too, on the keys of a phone: 1-800-FLOWERS.
    written = phonenumbers.normalize_digits_only(
        phonenumbers.convert_alpha_characters_in_number(main)
    )
    if number.country_code == _ARGENTINA and national.startswith("9"):
        # The mobile prefix is 15 behind the area code at home, and 9 before it from abroad.
        national = national[-6:]
    return national in written if number.extension else written.endswith(national)


def _is_settled(e164: str, national: str) -> bool:
    """Whether reading the result gives the result again, as it does unless a zero was doubled."""
    if not national.startswith("0"):
        return True
    again = phonenumbers.parse(e164)
    return phonenumbers.national_significant_number(again) == national


def _in_ascii(text: str) -> str:
    """The text with every script's digits as ASCII: beside letters the library forgets others."""
    if text.isascii():
        return text
    return "".join(str(int(mark)) if mark.isdecimal() else mark for mark in text)
