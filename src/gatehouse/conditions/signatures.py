"""The operators of conditions, and the functions: what they take and what they give.

Both are closed sets: a tree that names anything else is refused when it is read or made.
"""

from typing import Final

import msgspec

from gatehouse.core.stages.signal import Type


class Signature(msgspec.Struct, frozen=True):
    """What a function takes and gives."""

    takes: tuple[Type, ...] = ()
    """The type of each argument. Empty: two or more values of one type."""
    gives: Type | None = None
    """None: the same type as its arguments."""
    at_most: int = 0
    """How many arguments a function of any number of them takes."""
    any_of: tuple[Type, ...] = ()
    """Which types the arguments of such a function can have."""
    about: str = ""

    @property
    def fewest(self) -> int:
        """How many arguments it needs."""
        return len(self.takes) or 2

    @property
    def most(self) -> int:
        """How many arguments it can take."""
        return len(self.takes) or self.at_most


COMPARISONS: Final = ("=", "<>", "<", "<=", ">", ">=")
SUMS: Final = ("+", "-", "*", "/", "%")

_N, _T, _B = Type.NUMBER, Type.TEXT, Type.BOOLEAN
_MOST: Final = 20

SIGNATURES: Final[dict[str, Signature]] = {
    "ABS": Signature((_N,), _N, about="the number without its sign"),
    "FLOOR": Signature((_N,), _N, about="the next whole number below"),
    "CEIL": Signature((_N,), _N, about="the next whole number above"),
    "ROUND": Signature((_N,), _N, about="the nearest whole number, halves away from zero"),
    "COALESCE": Signature(at_most=_MOST, any_of=(_N, _T, _B), about="the first that is known"),
    "NULLIF": Signature(at_most=2, any_of=(_N, _T, _B), about="the first, unknown if both equal"),
    "LEAST": Signature(at_most=_MOST, any_of=(_N, _T), about="the least that is known"),
    "GREATEST": Signature(at_most=_MOST, any_of=(_N, _T), about="the greatest that is known"),
    "LOWER": Signature((_T,), _T, about="the text with small letters for A to Z"),
    "UPPER": Signature((_T,), _T, about="the text with capitals for a to z"),
    "LENGTH": Signature((_T,), _N, about="how many characters the text has"),
    "STARTS_WITH": Signature((_T, _T), _B, about="whether a text begins with another"),
    "ENDS_WITH": Signature((_T, _T), _B, about="whether a text ends with another"),
    "CONTAINS": Signature((_T, _T), _B, about="whether a text has another in it"),
    "HAS": Signature((Type.WORDS, _T), _B, about="whether a word is among words"),
}
