"""What is wrong with a condition, and where."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Final

import msgspec

from gatehouse.core.documents.yaml_document import PLACE
from gatehouse.core.errors import InvalidInput
from gatehouse.core.wording.sentences import Phrase, any_of, lines

_MEANT: Final = Phrase("condition.meant", ", did you mean {names}?")

_MOST_SHOWN: Final = 20
_LONGEST_GUESS: Final = 100
_SIMILAR: Final = 0.75


class Mistake(msgspec.Struct, frozen=True):
    """One thing that is wrong, with its place in the condition's text (both counted from 1)."""

    line: int
    column: int
    length: int
    message: str

    def __str__(self) -> str:
        return str(self.said())

    def said(self) -> str:
        """The mistake with its place, as a sentence."""
        return PLACE(line=self.line, column=self.column, message=self.message)


class ConditionRefused(InvalidInput):
    """A condition that cannot be used; the text tells all mistakes, one on each line."""

    def __init__(self, mistakes: Sequence[Mistake]) -> None:
        self.mistakes = tuple(mistakes[:_MOST_SHOWN])
        super().__init__(lines(each.said() for each in self.mistakes))


class Notes:
    """The mistakes found so far in one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: dict[tuple[int, int, str], Mistake] = {}

    def add(self, start: int, end: int, message: str) -> None:
        """Note a mistake in a part of the text, given by offsets."""
        start = min(start, len(self._text))
        line_start = self._text.rfind("\n", 0, start) + 1
        line_end = self._text.find("\n", start)
        end = min(end, len(self._text) if line_end < 0 else line_end)
        line = self._text.count("\n", 0, start) + 1
        found = Mistake(line, start - line_start + 1, max(end - start, 1), message)
        self._found.setdefault((start, end, message), found)

    def refuse_if_any(self) -> None:
        """Raise if there are mistakes, in order of their place."""
        if self._found:
            raise ConditionRefused([self._found[key] for key in sorted(self._found)])


def did_you_mean(given: str, known: Iterable[str], before: str = "") -> str:
    """The end of a sentence that names the nearest known words; empty when none is near."""
    small = given.lower()[:_LONGEST_GUESS]
    by_small = {name.lower(): name for name in known}
    close = [small] if small in by_small else get_close_matches(small, by_small, 2, _SIMILAR)
    if not close:
        return ""
    return meant([before + by_small[each] for each in close])


def meant(names: Sequence[str]) -> str:
    """The end of a sentence that asks whether one of these was meant."""
    return _MEANT(names=any_of(names))
