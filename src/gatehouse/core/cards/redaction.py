"""Makes free text safe to record: no card numbers, no characters that a database refuses.

All text of a caller passes through here before it is recorded or logged. What would be taken for a
card number in a request is one here too: 12 to 19 digits of a known brand, or with a check digit.
"""

import re
from collections.abc import Iterator
from typing import Final

from gatehouse.core.cards.brands import brand_of, passes_luhn

MASK: Final = "[card]"
FEWEST_DIGITS: Final = 12
LONGEST_NUMBER: Final = 19
# What people, forms and programs put between the groups of a number, such as " - " or ": ".
_DIGIT_RUN: Final = re.compile(r"\d(?:[\W_]{0,4}\d){11,}")
_GROUP: Final = re.compile(r"\d+")
_DIGITS: Final = b"0123456789"
_UNFIT: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
# Beyond this many digits in a row nothing legitimate is lost by masking without a closer look.
_LONGEST_EXAMINED: Final = 64
_USUAL_GROUP: Final = 4
_LONGEST_WRITTEN: Final = 5 * LONGEST_NUMBER
_EVEN_SIZES: Final = (1, 2, 4, 5, 6)
"""Groups of three are those of addresses, and longer ones those of dates."""
_LONG_NUMBER: Final = 1e9
_INEXACT: Final = 1e16
_LONGER_THAN_CARDS: Final = 1e19


def recordable(text: str) -> str:
    """The text with card-like digit runs masked and control characters replaced."""
    if not text.isprintable():
        text = _UNFIT.sub("\N{REPLACEMENT CHARACTER}", text)
    if len(text) < FEWEST_DIGITS or (text.isascii() and digits_in(text) < FEWEST_DIGITS):
        return text
    return _DIGIT_RUN.sub(_masked, text)


def digits_in(text: str) -> int:
    """How many digits there are in an ASCII text; an expression takes twice as long."""
    return len(text) - len(text.encode().translate(None, _DIGITS))


def recordable_id(text: str) -> str:
    """A party's id made safe.

    Some have ids of 22 digits, of which `recordable` would mask most by chance: one of digits alone
    that is longer than any card number stays.
    """
    is_long = len(text) > LONGEST_NUMBER and text.isdigit() and text.isascii()
    return text if is_long else recordable(text)


def holds_card_number(text: str) -> bool:
    """Whether something in a text would be masked."""
    # The mask itself may stand in the text: a form has a field `data[card][number]`.
    return recordable(text).count(MASK) > text.count(MASK)


def recordable_start(text: str, length: int) -> str:
    """The start of a text, made safe; the rest of a long text costs no time."""
    examined = 4 * length
    kept = recordable(text[:examined])
    if len(text) > examined and len(kept) < length + _LONGEST_WRITTEN:
        # Nearly all was masked, so the end is near. A number that was cut in two stands there.
        kept = kept[: kept.rfind(MASK) + len(MASK)]
    return kept[:length]


def recordable_trace(text: str) -> str:
    """A stack trace made safe line by line, so that it can still be read."""
    return "\n".join(recordable(line) for line in text.splitlines())


def is_card_like(number: float) -> bool:
    """Whether a number, as it is written, could be that of a card; the decimals count as digits."""
    size = abs(number)
    # The digits of 59.900000000000006 are those of a sum, not of a card.
    if size < _LONG_NUMBER:
        return False
    if isinstance(number, float) and size >= _INEXACT:
        return size < _LONGER_THAN_CARDS  # The last digits are lost, but not the first sixteen.
    return holds_card_number(repr(number))


def _masked(run: re.Match[str]) -> str:
    text = run.group()
    groups = [_ascii(digits) for digits in _GROUP.findall(text)]
    return MASK if _holds_card_number(groups) else text


def _ascii(digits: str) -> str:
    return digits if digits.isascii() else "".join([str(int(digit)) for digit in digits])


def _holds_card_number(groups: list[str]) -> bool:
    if sum(map(len, groups)) > _LONGEST_EXAMINED:
        return True
    if any(len(digits) >= FEWEST_DIGITS and _group_holds_one(digits) for digits in groups):
        return True
    if len(groups) == 1:
        return False
    # Groups are only ever put together whole: in a date with a time, digits from the middle of one
    # to the middle of another often look like a number.
    return (_is_even(groups) and _is_card("".join(groups))) or any(map(_is_card, _spans(groups)))


def _group_holds_one(digits: str) -> bool:
    # A number inside a longer one must be of a known brand and have a check digit, or most long
    # order numbers would be masked by chance.
    return _is_card(digits) or any(
        _begins_with_card(digits[start:]) for start in range(len(digits) - FEWEST_DIGITS + 1)
    )


def _is_card(digits: str) -> bool:
    """Whether a request with this number would be taken."""
    if not FEWEST_DIGITS <= len(digits) <= LONGEST_NUMBER:
        return False
    brand = brand_of(digits)
    if brand is not None and len(digits) not in brand.lengths:
        return False
    return passes_luhn(digits) or (brand is not None and not brand.uses_luhn)


def _begins_with_card(digits: str) -> bool:
    brand = brand_of(digits)
    return brand is not None and any(
        length <= len(digits) and passes_luhn(digits[:length]) for length in brand.lengths
    )


def _spans(groups: list[str]) -> Iterator[str]:
    """The digits of neighbouring groups, where these begin as the numbers of a brand do.

    Something may stand right before the first of them or right after the last.
    """
    for first in range(len(groups) - 1):
        following = groups[first + 1 :]
        for start in _with_glue_and_without(
            groups[first], following[0], slice(-_USUAL_GROUP, None)
        ):
            if brand_of("".join([start, *following[:7]]).ljust(8, "0")) is None:
                continue
            digits, previous = start, start
            for group in following:
                if len(digits) >= LONGEST_NUMBER:
                    break
                for end in _with_glue_and_without(group, previous, slice(_USUAL_GROUP)):
                    yield digits + end
                digits, previous = digits + group, group


def _with_glue_and_without(group: str, neighbour: str, inner: slice) -> tuple[str, ...]:
    """A group, and its end or start if the number could begin or end within it."""
    glued = len(group) > _USUAL_GROUP == len(neighbour)
    return (group, group[inner]) if glued else (group,)


def _is_even(groups: list[str]) -> bool:
    """Whether they are grouped as numbers are printed: all alike, but for a shorter last one."""
    size = len(groups[0])
    if size not in _EVEN_SIZES or len(groups[-1]) > size:
        return False
    return all(len(group) == size for group in groups[:-1])
