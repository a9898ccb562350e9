"""How characters, digits, bytes and lengths can be written, and formats such as `n..19`."""

from enum import StrEnum
from typing import NamedTuple


class Encoding(StrEnum):
    """How characters, digits or bytes are written."""

    ASCII = "ascii"
    EBCDIC = "ebcdic"
    BCD = "bcd"
    BINARY = "binary"
    HEX = "hex"


class CountedIn(StrEnum):
    """What the length before a field counts; they differ for two digits in a byte."""

    CHARACTERS = "characters"
    BYTES = "bytes"


class Side(StrEnum):
    """Where a short value is filled up."""

    LEFT = "left"
    RIGHT = "right"


class CodePage(StrEnum):
    """The pages of EBCDIC that hosts use; they differ in a few signs."""

    CP037 = "cp037"
    CP500 = "cp500"
    CP1140 = "cp1140"


class ParsedFormat(NamedTuple):
    """A format such as `n..19`, taken apart."""

    content: str
    dots: int
    """How many digits of length stand before the value; 0 when it is fixed."""
    size: int
    """Characters, digits or, of `b`, bytes; the most when it is variable."""


def parse_format(text: str) -> ParsedFormat:
    """Take apart a format that fits its pattern."""
    content = text.rstrip("0123456789").rstrip(".")
    rest = text[len(content) :]
    return ParsedFormat(content, rest.count("."), int(rest.lstrip(".")))
