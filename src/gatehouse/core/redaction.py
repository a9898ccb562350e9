"""Makes free text safe to record: no card numbers, no characters that a database refuses.

All text of a caller passes through here before it is recorded or logged.
"""

import re
from typing import Final

from gatehouse.core.brands import brand_of, passes_luhn

MASK: Final = "[card]"
_DIGIT_RUN: Final = re.compile(r"\d(?:[^\w:]{0,2}_?\d){12,}")
_UNFIT: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
# Beyond this many digits in a row nothing legitimate is lost by masking without a closer look.
_LONGEST_EXAMINED: Final = 64


def recordable(text: str) -> str:
    """The text with card-like digit runs masked and control characters replaced."""
    if len(text) < 13 and text.isprintable():
        return text
    return _DIGIT_RUN.sub(_masked, _UNFIT.sub("\N{REPLACEMENT CHARACTER}", text))


def recordable_trace(text: str) -> str:
    """A stack trace made safe line by line, so that it can still be read."""
    return "\n".join(recordable(line) for line in text.splitlines())


def _masked(run: re.Match[str]) -> str:
    digits = "".join(str(int(char)) for char in run.group() if char.isdecimal())
    return MASK if _holds_card_number(digits) else run.group()


def _holds_card_number(digits: str) -> bool:
    if len(digits) > _LONGEST_EXAMINED:
        return True
    if len(digits) <= 19 and passes_luhn(digits):
        return True
    # A number can hide inside a longer run; there it must also look like a real brand's, or most
    # long order numbers would be masked by chance.
    return any(
        _looks_like_card(digits[start : start + length])
        for start in range(len(digits) - 12)
        for length in range(13, min(19, len(digits) - start) + 1)
    )


def _looks_like_card(digits: str) -> bool:
    brand = brand_of(digits)
    return brand is not None and len(digits) in brand.lengths and passes_luhn(digits)
