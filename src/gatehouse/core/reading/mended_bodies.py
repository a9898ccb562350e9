"""Mends a body that the fast pass refused: what a caller may write, and its types do not take.

A whole number may be written as `1.0` or `1e3`. What may be a security code or a PIN among the
merchant's own inputs is taken out, because it must not be kept and need not stop a sale.
"""

from math import isinf
from typing import Any, Final, NamedTuple

import msgspec

from gatehouse.core.reading.custom_inputs import take_codes

_INPUTS: Final = "customInputs"
_MOST_FRACTIONS: Final = 4096
"""Numbers with a point or an exponent that are looked at one by one; no body of ours has more."""


class MendedBody(NamedTuple):
    """A body as it is read after all."""

    content: Any
    changed: bool
    dropped: dict[str, str]
    """What was taken out, by its path, each with the reason."""


class _Numbers:
    """Reads numbers with a point or an exponent; those that are whole become integers."""

    def __init__(self) -> None:
        self.changed = False
        self.infinite = False
        self._left = _MOST_FRACTIONS

    def __call__(self, text: str) -> float:
        self._left -= 1
        if self._left < 0:
            raise ValueError("there are too many numbers with a point or an exponent")
        whole, _, fraction = text.partition(".")
        if fraction and not fraction.strip("0"):
            # As a fraction, a long number would lose its last digits.
            self.changed = True
            return int(whole)
        number = float(text)
        self.infinite |= isinf(number)
        if not number.is_integer() or (number == 0 and _has_digits(text)):
            return number
        self.changed = True
        return int(number)


def _has_digits(text: str) -> bool:
    """Whether a number is other than 0, although it may be too small to be told from it."""
    return bool(text.lower().partition("e")[0].strip("-0."))


def mend(body: str) -> MendedBody:
    """The content of a body with what can be mended; raises what decoders raise."""
    numbers = _Numbers()
    content = msgspec.json.Decoder(float_hook=numbers).decode(body)
    if numbers.infinite:
        raise ValueError("a number is too large")
    inputs = content.get(_INPUTS) if isinstance(content, dict) else None
    dropped = take_codes(inputs) if isinstance(inputs, dict) else {}
    return MendedBody(content, numbers.changed or bool(dropped), dropped)
