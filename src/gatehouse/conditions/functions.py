"""The functions that compiled conditions call; each does what DuckDB's of the same name does.

A number that is NULL is NaN, any other value that is NULL is None. No function raises.
"""

import math
import re
from collections.abc import Callable
from typing import Any, Final

import re2

NULL_NUMBER: Final = math.nan

_LARGEST: Final = 2.0**53
_SMALL_LETTERS: Final = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
_CAPITALS: Final = {code + 32: code for code in range(ord("A"), ord("Z") + 1)}
_SURROGATES = re.compile("[\ud800-\udfff]")


def _finite(number: float) -> float:
    return number if number - number == 0.0 else NULL_NUMBER


def _divided(left: float, right: float) -> float:
    return left / right if right else NULL_NUMBER


def _remainder(left: float, right: float) -> float:
    # With the sign of the dividend; infinity has no remainder.
    return math.fmod(left, right) if right and left - left == 0.0 else NULL_NUMBER


def _floor(number: float) -> float:
    return float(math.floor(number)) if not math.isnan(number) else number


def _ceil(number: float) -> float:
    return float(math.ceil(number)) if not math.isnan(number) else number


def _round(number: float) -> float:
    """Halves go away from zero."""
    if math.isnan(number):
        return number
    whole = float(math.trunc(number))
    return whole + math.copysign(1.0, number) if abs(number - whole) >= 0.5 else whole


def _coalesce_number(*numbers: float) -> float:
    for number in numbers:
        if not math.isnan(number):
            return number
    return NULL_NUMBER


def _coalesce_other(*values: Any) -> Any:
    for value in values:
        if value is not None:
            return value
    return None


def _nullif_number(value: float, unwanted: float) -> float:
    return NULL_NUMBER if value == unwanted else value


def _nullif_other(value: Any, unwanted: Any) -> Any:
    return None if value == unwanted else value


def _least_number(*numbers: float) -> float:
    return min((each for each in numbers if not math.isnan(each)), default=NULL_NUMBER)


def _greatest_number(*numbers: float) -> float:
    return max((each for each in numbers if not math.isnan(each)), default=NULL_NUMBER)


def _least_other(*texts: str | None) -> str | None:
    return min((each for each in texts if each is not None), default=None)


def _greatest_other(*texts: str | None) -> str | None:
    return max((each for each in texts if each is not None), default=None)


def _lower(text: str | None) -> str | None:
    if text is None:
        return None
    return text.lower() if text.isascii() else text.translate(_SMALL_LETTERS)


def _upper(text: str | None) -> str | None:
    if text is None:
        return None
    return text.upper() if text.isascii() else text.translate(_CAPITALS)


def _length(text: str | None) -> float:
    return NULL_NUMBER if text is None else len(text)


def _custom_number(value: Any) -> float:
    """A custom input that is declared as a number; True and False are not numbers here."""
    if (type(value) is float or type(value) is int) and -_LARGEST < value < _LARGEST:
        number: float = value
        return number
    return NULL_NUMBER


def _custom_text(value: Any) -> str | None:
    return value if type(value) is str else None


def _custom_boolean(value: Any) -> bool | None:
    return value if type(value) is bool else None


_FUNCTIONS: Final[tuple[Callable[..., Any], ...]] = (
    *(_finite, _divided, _remainder, _floor, _ceil, _round, _lower, _upper, _length),
    *(_coalesce_number, _coalesce_other, _nullif_number, _nullif_other),
    *(_least_number, _least_other, _greatest_number, _greatest_other),
    *(_custom_number, _custom_text, _custom_boolean),
)
# Without builtins of its own, compiled code finds these names and no others.
BUILTINS: Final[dict[str, Any]] = {
    "__builtins__": {},
    "null": NULL_NUMBER,
    "abs": abs,
    "float": float,
    **{function.__name__.removeprefix("_"): function for function in _FUNCTIONS},
}


def matching(expression: str) -> Callable[[str], bool]:
    """A function that tells whether a whole text fits a regular expression."""
    fits = re2.compile(expression).fullmatch

    def matches(text: str) -> bool:
        try:
            return fits(text) is not None
        except UnicodeEncodeError:
            # A lone surrogate counts as one character, and equals none that an author can write.
            return fits(_SURROGATES.sub("\ufffd", text)) is not None

    return matches
