"""Reads whole numbers that forms and addresses write."""

from typing import Final

_DIGITS: Final = 9


def read_number(text: str, digits: int = _DIGITS) -> int | None:
    """A number of so many digits at most, or None.

    The length is looked at first: what is converted is what was checked, and `int` is never given
    more digits than it takes.
    """
    is_number = text.isascii() and text.isdigit() and len(text) <= digits
    return int(text) if is_number else None


def read_within(text: str, least: int, most: int) -> int | None:
    """A number within these bounds, or None."""
    number = read_number(text)
    return number if number is not None and least <= number <= most else None
