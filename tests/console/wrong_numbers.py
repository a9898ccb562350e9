"""Texts that look like numbers: their first digits are within bounds, or `int` fails on them."""

from typing import Final

WRONG_NUMBERS: Final = (
    "000001999999",
    "000000001999999",
    "000001" + "9" * 30,
    "000000001" + "9" * 5000,
    "²",
    "-1",
    "1.5",
)
