"""Finds the known word that a misspelt one stands for."""

import difflib
from collections.abc import Iterable
from typing import Final

_LONGEST_GUESS: Final = 80


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that is most like a misspelt one, by letters and digits only."""
    plain = {letters(each): each for each in known}
    close = difflib.get_close_matches(letters(word[:_LONGEST_GUESS]), plain, n=1)
    return plain[close[0]] if close else None


def letters(word: str) -> str:
    """The letters and digits of a word in lower case: what two spellings of it share."""
    return "".join(char for char in word.lower() if char.isalnum())
