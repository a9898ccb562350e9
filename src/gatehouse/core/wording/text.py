"""Tells whether a text is blank to a reader, invisible characters included."""

import unicodedata
from typing import Final

# Spaces and separators, controls, and format characters such as zero-width and direction marks.
_SHAPELESS: Final = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf", "Cs"})
# Characters that Unicode counts as letters, marks or symbols, but that are invisible.
_FILLERS: Final = frozenset(
    map(
        chr,
        (
            *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180F, 0x2800, 0x3164, 0xFFA0),
            *range(0x180B, 0x180E),
            *range(0xFE00, 0xFE10),
            *range(0xE0100, 0xE01F0),
        ),
    )
)


def is_blank(text: str) -> bool:
    """Whether a reader would see nothing: no text, only white space or invisible characters."""
    if text and "!" <= text[0] <= "~":
        return False
    return all(char in _FILLERS or unicodedata.category(char) in _SHAPELESS for char in text)
