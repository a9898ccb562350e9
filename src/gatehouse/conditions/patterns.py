"""Analyses a LIKE pattern once for both compilers, so that Python and DuckDB cannot disagree.

Most patterns ask how a text begins, how it ends or what is in it. Every other pattern becomes a
regular expression for RE2, which both engines use and which takes linear time.
"""

from enum import StrEnum
from typing import Final

import msgspec
import re2


class PatternShape(StrEnum):
    """The shapes of patterns."""

    EQUAL = "equal"
    PREFIX = "prefix"
    SUFFIX = "suffix"
    INSIDE = "inside"
    ANYTHING = "anything"
    EXPRESSION = "expression"


class Pattern(msgspec.Struct, frozen=True):
    """A shape, and the text that goes with it (for EXPRESSION, the regular expression)."""

    shape: PatternShape
    text: str


_MANY: Final = "%"
_ONE: Final = "_"


def parts_of(pattern: str, escape: str | None) -> list[tuple[str, bool]]:
    """The characters of a pattern, each with whether it is a wildcard.

    ValueError when it ends with the escape character, which then has nothing to escape.
    """
    parts: list[tuple[str, bool]] = []
    characters = iter(pattern)
    for character in characters:
        if character == escape:
            following = next(characters, None)
            if following is None:
                raise ValueError("ends with its escape character")
            parts.append((following, False))
        else:
            parts.append((character, character in (_MANY, _ONE)))
    return parts


def read_pattern(pattern: str, escape: str | None) -> Pattern:
    """What the pattern asks for."""
    parts = parts_of(pattern, escape)
    opens = closes = False
    inner = parts
    while inner and inner[0] == (_MANY, True):
        opens, inner = True, inner[1:]
    while inner and inner[-1] == (_MANY, True):
        closes, inner = True, inner[:-1]
    if any(wild for _, wild in inner):
        return Pattern(PatternShape.EXPRESSION, _expression(parts))
    text = "".join(character for character, _ in inner)
    if not text and opens:
        return Pattern(PatternShape.ANYTHING, "")
    if opens and closes:
        return Pattern(PatternShape.INSIDE, text)
    if opens:
        return Pattern(PatternShape.SUFFIX, text)
    return Pattern(PatternShape.PREFIX if closes else PatternShape.EQUAL, text)


def _expression(parts: list[tuple[str, bool]]) -> str:
    wildcards = {_MANY: ".*", _ONE: "."}
    return "(?s)" + "".join(
        wildcards[character] if wild else re2.escape(character) for character, wild in parts
    )
