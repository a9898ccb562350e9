"""Reads phone numbers and e-mail addresses, and compares them with those on record.

The characters alone decide on most requests. The libraries for number plans and forms of addresses
are slow, and are used only where the characters leave a doubt.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from rapidfuzz.distance import OSA, Prefix

from gatehouse.core.stages.stage import Contacts
from gatehouse.idverify.comparison import DIFFERENT, NOT_HELD, UNPARSABLE, Comparison, best_of
from gatehouse.idverify.response import Result
from gatehouse.intel.emails import KNOWN_DOMAINS, Email, parse_email
from gatehouse.intel.phones import (
    MAX_CHARACTERS,
    Phone,
    calling_code_of,
    main_region,
    parse_phone,
    plain_digits,
    trunk_prefix,
)

_EXACT: Final = Comparison(Result.MATCH, "exact")
_FOLDED: Final = Comparison(Result.MATCH, "folded")
_NATIONAL: Final = Comparison(Result.MATCH, "national")
_PROVIDER: Final = Comparison(Result.MATCH, "provider")
_EXTENSION: Final = Comparison(Result.PARTIAL_MATCH, "extension")
_MOBILE_PREFIX: Final = Comparison(Result.PARTIAL_MATCH, "mobile_prefix")
_TAG: Final = Comparison(Result.PARTIAL_MATCH, "tag")
_TYPO: Final = Comparison(Result.PARTIAL_MATCH, "typo")

_TAIL: Final = 4
_SHORTEST_FOR_TAIL: Final = 9
"""A number this long (plus included) has more national digits than the tail that is compared."""

_MOBILE_PREFIXES: Final = {
    "54": ("9", 11),  # Argentina: before mobiles, from abroad only
    "52": ("1", 11),  # Mexico: before mobiles, until 2019
    "39": ("0", None),  # Italy: before fixed lines, once only at home
}
"""By calling code: a digit that is not always written, and the length of a number with it."""


def read_contacts(email: str | None, phone: str | None) -> Contacts:
    """What was sent, read once for all that needs it."""
    address = None if email is None else parse_email(email)
    number = None if phone is None else parse_phone(phone)
    return Contacts(
        mailbox=None if address is None else address.canonical,
        number=None if number is None else number.e164,
        email_domain=None if address is None else address.domain,
        phone_country=None if number is None else number.country,
    )


def compare_phones(sent: str, held: Sequence[str]) -> Comparison:
    """How a sent number compares with the numbers on record, which are in E.164."""
    if not held:
        return NOT_HELD
    if sent in held:
        return _EXACT
    if len(sent) > MAX_CHARACTERS:
        return UNPARSABLE
    digits = plain_digits(sent)
    return best_of(
        (_compare_digits(digits, one) if digits else None) or _compare_readings(sent, one)
        for one in held
    )


def _compare_digits(digits: str, held: str) -> Comparison | None:
    """The result that the digits alone decide, or None when the country's number plan is needed."""
    number, _, extension = held.partition(";ext=")
    if digits in (number, number[1:]):
        return _EXTENSION if extension else _FOLDED
    # Number plans add and remove digits only at the front, so different last digits are different
    # numbers.
    if len(number) >= _SHORTEST_FOR_TAIL and not number.endswith(digits[-_TAIL:]):
        return DIFFERENT
    code = calling_code_of(number)
    if code and not digits.startswith("+"):
        national = number[1 + len(code) :]
        if digits in (national, trunk_prefix(code) + national):
            return _EXTENSION if extension else _NATIONAL
    return None


def _compare_readings(sent: str, held: str) -> Comparison:
    """The best result over all that the text can mean in the country of the number on record."""
    number, _, extension = held.partition(";ext=")
    code = calling_code_of(number) or ""
    outcomes = (
        _compare_numbers(phone, number, extension, code, same)
        for phone, same in _readings(sent, code)
    )
    best = best_of(outcomes)
    return UNPARSABLE if best is NOT_HELD else best


def _readings(sent: str, code: str) -> Iterator[tuple[Phone, Comparison]]:
    """The numbers that the text can mean, each with the reason code for a match with it."""
    ways: list[tuple[str, str | None, Comparison]] = [(sent, None, _FOLDED)]
    if code and "+" not in sent and "＋" not in sent:
        # Without separators the text stays within the length limit when a prefix is added.
        bare = plain_digits(sent) or sent
        ways += [
            (f"+{bare}", None, _FOLDED),
            (sent, main_region(code), _NATIONAL),
            (f"+{code} {bare}", None, _NATIONAL),
        ]
    for text, region, same in ways:
        phone = parse_phone(text, region)
        if phone is not None:
            yield phone, same


def _compare_numbers(
    phone: Phone, number: str, extension: str, code: str, same: Comparison
) -> Comparison:
    if phone.e164 == number:
        return same if (phone.extension or "") == extension else _EXTENSION
    if code == phone.calling_code and code in _MOBILE_PREFIXES:
        there = number[1 + len(code) :]
        if _without_prefix(code, phone.national) == _without_prefix(code, there):
            return _MOBILE_PREFIX
    return DIFFERENT


def _without_prefix(code: str, national: str) -> str:
    prefix, length = _MOBILE_PREFIXES[code]
    if length is not None and len(national) != length:
        return national
    return national.removeprefix(prefix)


def compare_emails(sent: str, held: Sequence[str]) -> Comparison:
    """How a sent address compares with the addresses on record."""
    if not held:
        return NOT_HELD
    if sent in held:
        return _EXACT
    ours = parse_email(sent)
    if ours is None:
        return UNPARSABLE
    return best_of(_compare_addresses(ours, parse_email(one)) for one in held)


def _compare_addresses(ours: Email, theirs: Email | None) -> Comparison:
    if theirs is None:
        return DIFFERENT
    if ours.canonical == theirs.canonical:
        return _FOLDED if (ours.local, ours.domain) == (theirs.local, theirs.domain) else _PROVIDER
    our_name, _, our_home = ours.canonical.rpartition("@")
    their_name, _, their_home = theirs.canonical.rpartition("@")
    if our_home == their_home:
        if _untagged(our_name) == _untagged(their_name):
            return _TAG
        return _TYPO if _is_typo_of_name(our_name, their_name) else DIFFERENT
    if ours.local == theirs.local and _is_typo_of_domain(ours.domain, theirs.domain):
        return _TYPO
    return DIFFERENT


def _untagged(name: str) -> str:
    """The name without a possible tag; Yahoo's canonical names keep the hyphen of theirs."""
    base = name if name.startswith('"') else name.partition("+")[0].removesuffix("-")
    return base or name


_NAME_LENGTH: Final = 6
"""Shorter names are too similar: maria and mario are two people."""
_LABEL_LENGTH: Final = 5
_GENERIC_ENDS: Final = frozenset(("com", "net", "org"))


def _is_typo_of_name(ours: str, theirs: str) -> bool:
    """Whether one typing error explains the difference, rather than two people's names."""
    if min(len(ours), len(theirs)) < _NAME_LENGTH or '"' in (ours[0], theirs[0]):
        return False
    edit = _one_edit(ours, theirs)
    if edit is None:
        return False
    place, touched = edit
    # Digits distinguish namesakes at a provider, and first letters members of a family.
    starts_word = place == 0 or not ours[place - 1].isalnum()
    return not _has_digit(touched) and not (starts_word and any(map(str.isalnum, touched)))


def _is_typo_of_domain(ours: str, theirs: str) -> bool:
    """Whether one typing error explains the difference, rather than another mail provider."""
    if ours in KNOWN_DOMAINS and theirs in KNOWN_DOMAINS:
        return False
    our_labels, their_labels = ours.split("."), theirs.split(".")
    if len(our_labels) != len(their_labels):
        return False
    unequal = [pair for pair in zip(our_labels, their_labels, strict=True) if pair[0] != pair[1]]
    if len(unequal) != 1:
        return False
    [(one, other)] = unequal
    edit = _one_edit(one, other)
    if edit is None or edit[0] == 0 or _has_digit(edit[1]) or "xn--" in (one[:4], other[:4]):
        return False
    if (our_labels[-1], their_labels[-1]) == (one, other):
        # Two letters are a country, where the same domain may belong to another company.
        known = ours in KNOWN_DOMAINS or theirs in KNOWN_DOMAINS
        return bool(_GENERIC_ENDS & {one, other}) and (known or min(len(one), len(other)) > 2)
    return max(len(one), len(other)) >= _LABEL_LENGTH


def _has_digit(text: str) -> bool:
    return any(mark.isdigit() for mark in text)


def _one_edit(one: str, other: str) -> tuple[int, str] | None:
    """Where the only difference is and its letters: one too many, too few or wrong, or two swapped.

    None when the texts are equal or differ in more than that.
    """
    if OSA.distance(one, other, score_cutoff=1) != 1:
        return None
    if len(one) > len(other):
        one, other = other, one
    place = Prefix.similarity(one, other)
    if len(one) < len(other):
        return place, other[place]
    if one[place + 1 :] == other[place + 1 :]:
        return place, one[place] + other[place]
    return place, one[place : place + 2]
