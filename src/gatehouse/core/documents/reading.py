"""Reads the files that people write: YAML in, checked structs out, every mistake with its place.

Every scalar is text until a field asks for something else. All mistakes are reported at once. A
running server never imports this.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

from msgspec import inspect

from gatehouse.core.documents.yaml_document import (
    MOST_FLAWS,
    Document,
    DocumentRefused,
    FilePosition,
    Flaw,
)
from gatehouse.core.documents.yaml_files import LARGEST_DOCUMENT, MAPPING, load_document
from gatehouse.core.reading.spelling import nearest
from gatehouse.core.reading.validation import TypeWalk, join_path
from gatehouse.core.wording.sentences import Phrase

__all__ = [
    "ADDED",
    "GONE",
    "INPUT",
    "LARGEST_DOCUMENT",
    "MOST_FLAWS",
    "Document",
    "DocumentRefused",
    "FilePosition",
    "Flaw",
    "changed_lines",
    "convert_part",
    "load_document",
    "nearest",
    "suggestion",
]

ADDED: Final = Phrase("change.added", "+ {what}")
GONE: Final = Phrase("change.gone", "- {what}")
_ADDED_AS: Final = Phrase("change.added_as", "+ {what}{key}: {after}")
_GONE_WAS: Final = Phrase("change.gone_was", "- {what}{key}: {before}")
_CHANGED: Final = Phrase("change.changed", "~ {what}{key}: {before} -> {after}")
INPUT: Final = Phrase("change.input", "input ")

_BOOLEAN: Final = Phrase("document.boolean", "must be true or false")
_WHOLE_SAID: Final = Phrase("document.whole", "must be a whole number")
_NUMBER: Final = Phrase("document.number", "must be a number")
_LIST: Final = Phrase("document.list", "must be a list: lines that begin with `- `, or [a, b]")
_SINGLE: Final = Phrase("document.single", "must be a single value")
_UNKNOWN: Final = Phrase("document.unknown", "is not known{hint}")
_NEAR: Final = Phrase("document.near", "; did you mean {near}?")
_THERE_ARE: Final = Phrase("document.there_are", "; there are {known}")

T = TypeVar("T")

_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,18}")
_DECIMAL: Final = re.compile(r"[+-]?(?:[0-9]{1,18}(?:\.[0-9]{0,18})?|\.[0-9]{1,18})")
_MOST_LISTED: Final = 16


def convert_part(
    document: Document, path: str, data: Any, kind: type[T]
) -> tuple[T | None, list[Flaw]]:
    """One part of a file as a value of a type; None and its flaws when it does not fit."""
    walk = _DocumentWalk(document)
    value = walk.convert(inspect.type_info(kind), data, path)
    return (None if walk.flaws else value), walk.flaws


class _DocumentWalk(TypeWalk):
    """Compares a part of a file with a type; collects flaws with their places."""

    def __init__(self, document: Document) -> None:
        self.flaws: list[Flaw] = []
        self._document = document

    def report(self, path: str, message: str, key: str | None = None) -> None:
        document = self._document
        flaw = (
            document.flaw(path, message) if key is None else document.key_flaw(path, key, message)
        )
        self.flaws.append(flaw)

    def key_path(self, path: str, key: str) -> str:
        return join_path(path, key)

    def is_scalar(self, _info: inspect.Type, data: Any) -> bool:
        return isinstance(data, str)

    def read_scalar(self, info: inspect.Type, data: Any) -> Any:
        match info:
            case inspect.BoolType():
                if data.lower() not in ("true", "false"):
                    raise ValueError(_BOOLEAN())
                return data.lower() == "true"
            case inspect.IntType():
                if _WHOLE.fullmatch(data) is None:
                    raise ValueError(_WHOLE_SAID())
                return int(data)
            case inspect.FloatType():
                if _DECIMAL.fullmatch(data) is None:
                    raise ValueError(_NUMBER())
                return float(data)
        return data

    def expected(self, infos: Sequence[inspect.Type]) -> str:
        match infos[0]:
            case inspect.StructType() | inspect.DictType():
                return MAPPING()
            case inspect.ListType() | inspect.VarTupleType():
                return _LIST()
            case _:
                return _SINGLE()

    def unknown_problem(self, info: inspect.StructType, key: str) -> str | None:
        known = [field.encode_name for field in info.fields]
        # A guess costs time, and flaws beyond the limit are not shown.
        return unknown_word(key, known) if len(self.flaws) < MOST_FLAWS else _UNKNOWN(hint="")


def unknown_word(word: str, known: Iterable[str]) -> str:
    """What is said of a word that is none of the known ones."""
    return _UNKNOWN(hint=suggestion(word, known))


def suggestion(word: str, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown word: the nearest known word, or all of them."""
    words = list(known)
    near = nearest(word, words)
    if near is not None:
        return _NEAR(near=near)
    return _THERE_ARE(known=", ".join(words)) if len(words) <= _MOST_LISTED else ""


def changed_lines(label: str, old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[str]:
    """What differs between two versions, by key: `+` for new, `-` for gone, `~` for changed."""
    for key in dict.fromkeys((*old, *new)):
        before, after = old.get(key), new.get(key)
        if before is None:
            yield _ADDED_AS(what=label, key=key, after=after)
        elif after is None:
            yield _GONE_WAS(what=label, key=key, before=before)
        elif before != after:
            yield _CHANGED(what=label, key=key, before=before, after=after)
