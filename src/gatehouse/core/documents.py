"""Reads the files that people write: YAML in, checked structs out, every mistake with its place.

Every scalar is text until a field asks for something else. All mistakes are reported at once. A
running server never imports this.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

from msgspec import inspect

from gatehouse.core.spelling import nearest
from gatehouse.core.validation import TypeWalk, join_path
from gatehouse.core.yaml_document import MOST_FLAWS, Document, DocumentRefused, FilePosition, Flaw
from gatehouse.core.yaml_files import LARGEST_DOCUMENT, load_document

__all__ = [
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
                    raise ValueError("must be true or false")
                return data.lower() == "true"
            case inspect.IntType():
                if _WHOLE.fullmatch(data) is None:
                    raise ValueError("must be a whole number")
                return int(data)
            case inspect.FloatType():
                if _DECIMAL.fullmatch(data) is None:
                    raise ValueError("must be a number")
                return float(data)
        return data

    def expected(self, infos: Sequence[inspect.Type]) -> str:
        match infos[0]:
            case inspect.StructType() | inspect.DictType():
                return "must be a mapping: lines of the form `key: value`"
            case inspect.ListType() | inspect.VarTupleType():
                return "must be a list: lines that begin with `- `, or [a, b]"
            case _:
                return "must be a single value"

    def unknown_problem(self, info: inspect.StructType, key: str) -> str | None:
        known = [field.encode_name for field in info.fields]
        # A guess costs time, and flaws beyond the limit are not shown.
        meant = suggestion(key, known) if len(self.flaws) < MOST_FLAWS else ""
        return f"is not known{meant}"


def suggestion(word: str, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown word: the nearest known word, or all of them."""
    words = list(known)
    near = nearest(word, words)
    if near is not None:
        return f"; did you mean {near}?"
    return f"; there are {', '.join(words)}" if len(words) <= _MOST_LISTED else ""


def changed_lines(label: str, old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[str]:
    """What differs between two versions, by key: `+` for new, `-` for gone, `~` for changed."""
    for key in dict.fromkeys((*old, *new)):
        before, after = old.get(key), new.get(key)
        if before is None:
            yield f"+ {label}{key}: {after}"
        elif after is None:
            yield f"- {label}{key}: {before}"
        elif before != after:
            yield f"~ {label}{key}: {before} -> {after}"
