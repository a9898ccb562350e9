"""Reads the files that people write: YAML in, checked structs out, every mistake with its place.

Every scalar is text until a field asks for something else. All mistakes are told at once. A running
server never imports this.
"""

import difflib
import re
from collections.abc import Iterable
from typing import Any, Final, TypeVar

from msgspec import inspect

from gatehouse.core.yaml_files import (
    LARGEST_DOCUMENT,
    MOST_FLAWS,
    Document,
    DocumentRefused,
    FilePosition,
    Flaw,
    join_path,
    load_document,
    shown_key,
)

__all__ = [
    "LARGEST_DOCUMENT",
    "MOST_FLAWS",
    "Document",
    "DocumentRefused",
    "FilePosition",
    "Flaw",
    "convert_part",
    "load_document",
    "read_document",
    "suggestion",
]

T = TypeVar("T")

_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,18}")
_DECIMAL: Final = re.compile(r"[+-]?(?:[0-9]{1,18}(?:\.[0-9]{0,18})?|\.[0-9]{1,18})")
_INVALID: Final = object()


def read_document(content: bytes, kind: type[T]) -> tuple[T, Document]:
    """A file as a struct, or `DocumentRefused` with everything that is wrong with it."""
    document = load_document(content)
    value, flaws = convert_part(document, "", document.data, kind)
    if flaws or value is None:
        raise DocumentRefused(flaws)
    return value, document


def convert_part(
    document: Document, path: str, data: Any, kind: type[T]
) -> tuple[T | None, list[Flaw]]:
    """One part of a file as a value of a type; None and what is wrong when it is none."""
    flaws: list[Flaw] = []
    value = _Conversion(document, flaws).convert(inspect.type_info(kind), data, path)
    return (None if flaws else value), flaws


class _Conversion:
    """Compares plain data with a type, notes every difference, and builds the value."""

    def __init__(self, document: Document, flaws: list[Flaw]) -> None:
        self._document = document
        self._flaws = flaws

    def convert(self, info: inspect.Type, data: Any, path: str) -> Any:
        """The value, or _INVALID after a flaw was noted."""
        match info:
            case inspect.Metadata(type=inner):
                problem = _text_problem(info, data) if isinstance(data, str) else None
                return self._note(path, problem) if problem else self.convert(inner, data, path)
            case inspect.UnionType(types=types):
                # Of texts, only "nothing or one kind" can be told apart.
                [inner] = [each for each in types if not isinstance(each, inspect.NoneType)]
                return self.convert(inner, data, path)
            case inspect.AnyType():
                return data
            case inspect.StructType():
                return self._struct(info, data, path)
            case inspect.ListType(item_type=item) | inspect.VarTupleType(item_type=item):
                return self._list(info, item, data, path)
            case inspect.DictType():
                return self._dict(info, data, path)
            case _:
                return self._scalar(info, data, path)

    def _note(self, path: str, message: str) -> Any:
        self._flaws.append(self._document.flaw(path, message))
        return _INVALID

    def _struct(self, info: inspect.StructType, data: Any, path: str) -> Any:
        if not isinstance(data, dict):
            return self._note(path, "must be a mapping: lines of the form `key: value`")
        values = {}
        known = [field.encode_name for field in info.fields]
        for field in info.fields:
            here = join_path(path, field.encode_name)
            if field.encode_name in data:
                values[field.name] = self.convert(field.type, data[field.encode_name], here)
            elif field.required:
                values[field.name] = self._note(here, "is required")
        unknown = [key for key in data if key not in known]
        for key in unknown:
            place = self._document.key_place(join_path(path, key))
            # Guessing what was meant takes its time; a file full of rubbish is not worth it.
            meant = suggestion(key, known) if len(self._flaws) < MOST_FLAWS else ""
            message = f"is not known{meant}"
            self._flaws.append(Flaw(join_path(path, shown_key(key)), *place, message))
        if unknown or any(value is _INVALID for value in values.values()):
            return _INVALID
        return info.cls(**values)

    def _list(self, info: Any, item: inspect.Type, data: Any, path: str) -> Any:
        if not isinstance(data, list):
            return self._note(path, "must be a list: lines that begin with `- `, or [a, b]")
        problem = _length_problem(info, len(data), "entries")
        if problem:
            return self._note(path, problem)
        values = [self.convert(item, value, f"{path}[{n}]") for n, value in enumerate(data)]
        return tuple(values) if isinstance(info, inspect.VarTupleType) else values

    def _dict(self, info: inspect.DictType, data: Any, path: str) -> Any:
        if not isinstance(data, dict):
            return self._note(path, "must be a mapping: lines of the form `key: value`")
        problem = _length_problem(info, len(data), "entries")
        if problem:
            return self._note(path, problem)
        built = {}
        for key, value in data.items():
            problem = _text_problem(info.key_type, key)
            if problem:
                place = self._document.key_place(join_path(path, key))
                self._flaws.append(
                    Flaw(join_path(path, shown_key(key)), *place, f"the key {problem}")
                )
            built[key] = self.convert(info.value_type, value, join_path(path, key))
        return built

    def _scalar(self, info: inspect.Type, data: Any, path: str) -> Any:
        if not isinstance(data, str):
            return self._note(path, "must be a single value")
        try:
            return _read_scalar(info, data)
        except ValueError as error:
            return self._note(path, str(error))


def _read_scalar(info: inspect.Type, text: str) -> Any:
    match info:
        case inspect.StrType():
            problem = _text_problem(info, text)
            if problem:
                raise ValueError(problem)
            return text
        case inspect.BoolType():
            if text.lower() not in ("true", "false"):
                raise ValueError("must be true or false")
            return text.lower() == "true"
        case inspect.IntType() | inspect.FloatType():
            return _read_number(info, text)
        case inspect.EnumType(cls=cls):
            words = [str(member.value) for member in cls]
            if text not in words:
                raise ValueError(f"must be one of {', '.join(words)}")
            return cls(text)
        case inspect.CustomType(cls=cls):
            return cls.parse(text)  # type: ignore[attr-defined]  # our own types all have it
        case _:
            raise TypeError(f"files cannot hold a {info}")


def _read_number(info: inspect.IntType | inspect.FloatType, text: str) -> int | float:
    whole = isinstance(info, inspect.IntType)
    if (_WHOLE if whole else _DECIMAL).fullmatch(text) is None:
        raise ValueError("must be a whole number" if whole else "must be a number")
    number: int | float = int(text) if whole else float(text)
    if info.ge is not None and number < info.ge:
        raise ValueError(f"must be at least {info.ge}")
    if info.le is not None and number > info.le:
        raise ValueError(f"must be at most {info.le}")
    if info.gt is not None and number <= info.gt:
        raise ValueError(f"must be more than {info.gt}")
    if info.lt is not None and number >= info.lt:
        raise ValueError(f"must be less than {info.lt}")
    return number


def _text_problem(info: inspect.Type, text: str) -> str | None:
    wording = None
    while isinstance(info, inspect.Metadata):
        # A pattern says little to people; what describes the field says it in words.
        wording = wording or (info.extra_json_schema or {}).get("description")
        info = info.type
    if not isinstance(info, inspect.StrType):
        return None
    # All patterns are of the whole text; searching, `$` would overlook a line break at its end.
    if info.pattern is not None and re.fullmatch(info.pattern, text) is None:
        return f"must be {wording}" if wording else f"must match {info.pattern}"
    if info.min_length is not None and len(text) < info.min_length:
        return "must not be empty" if not text else f"needs at least {info.min_length} characters"
    if info.max_length is not None and len(text) > info.max_length:
        return f"must have at most {info.max_length} characters"
    return None


def _length_problem(info: Any, length: int, what: str) -> str | None:
    if info.min_length is not None and length < info.min_length:
        return f"needs at least {info.min_length} {what}"
    if info.max_length is not None and length > info.max_length:
        return f"must have at most {info.max_length} {what}, and has {length}"
    return None


def suggestion(word: str, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown word: what may have been meant, or what there is."""
    words = list(known)
    near = difflib.get_close_matches(word[:64], words, 1)
    if near:
        return f"; did you mean {near[0]}?"
    return f"; there are {', '.join(words)}" if len(words) <= 16 else ""
