"""Money as integers in millionths of a currency unit, read from and written to exact decimals.

Nothing here ever touches a float: an amount enters as text or integer and leaves as text.
"""

import re
from functools import lru_cache
from typing import Final

import msgspec

from gatehouse.core.wording.sentences import Phrase

_AMOUNT_SAID: Final = Phrase(
    "invalid.amount", "an amount is a decimal number with at most six decimals, such as 12.50"
)
_AMOUNT_MOST: Final = Phrase("invalid.amount_most", "an amount is at most {most}")

MICROS_PER_UNIT: Final = 1_000_000
# Far below what a 64-bit column holds, so that sums of amounts cannot overflow it.
MAX_AMOUNT: Final = 1_000_000_000 * MICROS_PER_UNIT

_AMOUNT = re.compile(r"(-?)([0-9]{1,10})(?:\.([0-9]{1,6}))?")


class Payment(msgspec.Struct, frozen=True, omit_defaults=True):
    """An amount to be paid, in the smallest unit of its currency."""

    amount_minor: int
    currency: str
    reference: str | None = None
    """How the gateway finds the payment, where the request id is not enough."""


def parse_amount(text: str) -> int:
    """Read a decimal such as ``12.5`` into millionths; refuse what would lose a millionth."""
    match = _AMOUNT.fullmatch(text.strip())
    if match is None:
        raise ValueError(_AMOUNT_SAID())
    sign, units, decimals = match.groups()
    micros = int(units) * MICROS_PER_UNIT + int((decimals or "").ljust(6, "0"))
    if micros > MAX_AMOUNT:
        raise ValueError(_AMOUNT_MOST(most=format_amount(MAX_AMOUNT)))
    return -micros if sign else micros


def display_amount(micros: int, decimals: int) -> str:
    """Write millionths for people: 1234500000 with two decimals is ``1,234.50``.

    `decimals` is the fewest that are written, as the currency has them. An amount that needs more
    gets them: nothing is ever rounded.
    """
    units, rest = divmod(abs(micros), MICROS_PER_UNIT)
    fraction = f"{rest:06d}".rstrip("0").ljust(decimals, "0")
    sign = "-" if micros < 0 else ""
    return f"{sign}{units:,}.{fraction}" if fraction else f"{sign}{units:,}"


def decimals_needed(micros: int) -> int:
    """How many decimals an amount has when it is written exactly."""
    return len(f"{abs(micros) % MICROS_PER_UNIT:06d}".rstrip("0"))


@lru_cache(maxsize=4096)
def format_amount(micros: int) -> str:
    """Write millionths as the shortest exact decimal: 50000 is ``0.05``, 100000000 is ``100``."""
    units, rest = divmod(abs(micros), MICROS_PER_UNIT)
    sign = "-" if micros < 0 else ""
    return f"{sign}{units}.{rest:06d}".rstrip("0") if rest else f"{sign}{units}"
