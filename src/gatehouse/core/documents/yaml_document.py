"""What a YAML file holds, as plain data that remembers where everything stood."""

import bisect
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

import msgspec

from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import InvalidInput
from gatehouse.core.reading.validation import join_path
from gatehouse.core.wording.sentences import Phrase, lines

PLACE: Final = Phrase("document.place", "line {line}, column {column}: {message}")
_PLACE_OF: Final = Phrase("document.place_of", "line {line}, column {column}: {path}: {message}")
_AND_MORE: Final = Phrase("document.and_more", "and {count} more")

MOST_FLAWS: Final = 100
_LONGEST_SHOWN: Final = 64

_PLAIN: Final = re.compile(r"(?s:.)")
_CHARACTERS: Final = {
    "'": re.compile(r"''|(?s:.)"),
    '"': re.compile(r"\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\U[0-9a-fA-F]{8}|\\(?s:.)|(?s:.)"),
}
"""How one character of a text is written, by the quotes around it."""
_BLANK_ESCAPES: Final = frozenset(" \t\nntrvfNLP_")


class FilePosition(NamedTuple):
    """Where something stands in a file, both counted from 1."""

    line: int
    column: int


class Flaw(msgspec.Struct, frozen=True):
    """One mistake: what is wrong, of what, and where."""

    path: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return str(self.said())

    def said(self) -> str:
        """The mistake with its place, as a sentence."""
        phrase = _PLACE_OF if self.path else PLACE
        return phrase(line=self.line, column=self.column, path=self.path, message=self.message)


class DocumentRefused(InvalidInput):
    """The file cannot be used; all that is wrong with it, in the file's order."""

    def __init__(self, flaws: Iterable[Flaw]) -> None:
        ordered = sorted(flaws, key=lambda flaw: (flaw.line, flaw.column))
        self.flaws: tuple[Flaw, ...] = tuple(ordered[:MOST_FLAWS])
        said = [flaw.said() for flaw in self.flaws]
        if len(ordered) > MOST_FLAWS:
            said.append(_AND_MORE(count=len(ordered) - MOST_FLAWS))
        super().__init__(lines(said))


class Scalar(NamedTuple):
    """A text, where it begins and ends in the source, and how it was written."""

    value: str
    start: int
    end: int
    style: str


class Document:
    """The content of a file as plain dicts, lists and texts, which remembers where each stood."""

    def __init__(self, source: str) -> None:
        self.data: Any = None
        self.source = source
        self._line_starts = [0, *(found.end() for found in re.finditer("\n", source))]
        self.starts: dict[str, int] = {}
        """Where each value begins, by its path."""
        self.keys: dict[str, int] = {}
        """Where each key begins, by the path of its value."""
        self.scalars: dict[str, Scalar] = {}

    def place(self, path: str) -> FilePosition:
        """Where the value of a path begins; of something missing, where it should be inside."""
        while path not in self.starts and path:
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return self.at(self.starts.get(path, 0))

    def key_place(self, path: str) -> FilePosition:
        """Where the key of a path begins."""
        found = self.keys.get(path)
        return self.place(path) if found is None else self.at(found)

    def offset_place(self, path: str, line: int, column: int) -> FilePosition:
        """Where a position inside a text stands in the file.

        What can be seen is matched one by one, whatever the style did to the white space.
        """
        scalar = self.scalars.get(path)
        if scalar is None:
            return self.place(path)
        value = scalar.value.split("\n")
        before = "\n".join((*value[: line - 1], "".join(value[line - 1 : line])[: column - 1]))
        rest = "".join(value[line - 1 : line])[column - 1 : column]
        seen = sum(not char.isspace() for char in before)
        on_blank = not rest or rest.isspace()
        last = scalar.start
        for number, index in enumerate(self._visible(scalar)):
            last = index
            if number == seen - 1 and on_blank:
                return self.at(index + 1)
            if number == seen and not on_blank:
                break
        return self.at(last)

    def flaw(self, path: str, message: str) -> Flaw:
        """A mistake in the value of a path."""
        return Flaw(path, *self.place(path), message)

    def key_flaw(self, path: str, key: str, message: str) -> Flaw:
        """A mistake in a key inside a path."""
        place = self.key_place(join_path(path, key))
        return Flaw(join_path(path, shown_key(key)), *place, message)

    def flaw_inside(self, path: str, line: int, column: int, message: str) -> Flaw:
        """A mistake at a position inside a text."""
        return Flaw(path, *self.offset_place(path, line, column), message)

    def at(self, index: int) -> FilePosition:
        """The position of a character of the source."""
        line = bisect.bisect_right(self._line_starts, index)
        return FilePosition(line, index - self._line_starts[line - 1] + 1)

    def _visible(self, scalar: Scalar) -> Iterator[int]:
        """The source's positions of a text's characters, without white space."""
        _, start, end, style = scalar
        if style in ("|", ">"):
            start = self.source.find("\n", start, end) + 1
        elif style:
            start, end = start + 1, end - 1
        for found in _CHARACTERS.get(style, _PLAIN).finditer(self.source, start, end):
            if not _is_blank(found.group()):
                yield found.start()


def _is_blank(written: str) -> bool:
    """Whether a character of a text, as it was written, is white space."""
    if written[0] != "\\" or len(written) == 1:
        return written.isspace()
    if len(written) == 2:
        return written[1] in _BLANK_ESCAPES
    return chr(int(written[2:], 16)).isspace()


def shown_key(key: str) -> str:
    """An author's key as it may be repeated in a message."""
    shown = recordable(key)
    return shown if len(shown) <= _LONGEST_SHOWN else f"{shown[:_LONGEST_SHOWN]}…"
