"""Finds the fields of a body that nothing reads, so that a misspelt field does not stay unnoticed.

A second, strict decoder that only compares names answers for an ordinary body (0.4 µs for a
PreCheck, 3 µs for a whole pipeline). Only a body that it refuses is walked.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final

import msgspec
from msgspec import inspect

from gatehouse.core.api_values import doc
from gatehouse.core.errors import RequestRefused
from gatehouse.core.reading.field_hints import FieldHints
from gatehouse.core.reading.request_reader import read_json
from gatehouse.core.reading.validation import bare_type, join_path, shown_key
from gatehouse.core.wording.sentences import Phrase

_MOST_WARNINGS: Final = 20
_UNKNOWN: Final = Phrase("invalid.unknown_field", "is not a known field{hint}")
_ONE_MORE: Final = Phrase("invalid.one_more_unread", "1 more field is not read")
_MORE: Final = Phrase("invalid.more_unread", "{count} more fields are not read")
_NONE_IGNORED: Final[Mapping[str, str]] = {}


class FieldWarning(msgspec.Struct, frozen=True):
    """A field of a request that nothing reads."""

    path: Annotated[
        str,
        doc("Path of the field; empty in the entry that counts the fields not listed.", "cardCvv"),
    ]
    message: Annotated[
        str,
        doc(
            "Why nothing reads it, and which field may have been meant.",
            "is not a known field; did you mean cardCvv2Value?",
        ),
    ]


class _Shape(msgspec.Struct, frozen=True):
    """What the names in an object, or in each object of a list, can be."""

    place: str
    """Path of the object in the type, `[]` for every entry of a list."""
    fields: dict[str, "_Shape | None"]
    """The shape of each field's value; None when its value holds no names of ours."""
    in_list: bool
    reports: bool
    """Whether unknown names are to be reported; otherwise they are errors already."""
    flat: bool
    """Whether no field has a shape."""


class UnreadFields:
    """Finds such fields in bodies of one kind of request."""

    def __init__(self, kind: type[msgspec.Struct]) -> None:
        shape = _shape_of(inspect.type_info(kind), "", in_list=False)
        assert shape is not None
        self._shape = shape
        self._hints = FieldHints(_names(shape))
        self._compare_names = msgspec.json.Decoder(_strict_type(shape)).decode

    def find(
        self, body: bytes, ignored: Mapping[str, str] = _NONE_IGNORED
    ) -> tuple[FieldWarning, ...]:
        """The fields that nothing reads; `ignored` are known ones, each with why it is not read."""
        if not ignored:
            try:
                self._compare_names(body)
            except (msgspec.DecodeError, RecursionError, ValueError):
                pass
            else:
                return ()
        try:
            data = read_json(body)
        except RequestRefused:
            return ()
        walk = _Walk(self._hints, ignored)
        walk.enter(self._shape, data, "")
        return walk.warnings()

    def blank(self, data: Any) -> list[str]:
        """Take the values of unknown fields out of a decoded body, and tell their paths.

        One of them may be a misspelt code.
        """
        return list(_blank(self._shape, data, ""))


class _Walk:
    """Walks over one body and notes the fields that nothing reads."""

    def __init__(self, hints: FieldHints, ignored: Mapping[str, str]) -> None:
        self._hints = hints
        self._ignored = ignored
        self._found: list[FieldWarning] = []
        self._more = 0

    def warnings(self) -> tuple[FieldWarning, ...]:
        """What was found, in the order of the body."""
        if not self._more:
            return tuple(self._found)
        said = _ONE_MORE() if self._more == 1 else _MORE(count=self._more)
        return (*self._found, FieldWarning("", said))

    def enter(self, shape: _Shape, value: Any, path: str) -> None:
        """Look at a value that should be an object, or a list of them."""
        if shape.in_list and isinstance(value, list):
            names = shape.fields.keys()
            for index, item in enumerate(value):
                if isinstance(item, dict) and not (shape.flat and item.keys() <= names):
                    self._object(shape, item, f"{path}[{index}]")
        elif not shape.in_list and isinstance(value, dict):
            self._object(shape, value, path)

    def _object(self, shape: _Shape, value: dict[str, Any], path: str) -> None:
        fields = shape.fields
        for key, inner in value.items():
            if key not in fields:
                if shape.reports:
                    self._note(shape, path, key)
            elif self._ignored and join_path(path, key) in self._ignored:
                if inner is not None:
                    self._add(join_path(path, key), self._ignored[join_path(path, key)])
            elif (below := fields[key]) is not None:
                self.enter(below, inner, join_path(path, key))
            elif self._ignored:
                self._inside(join_path(path, key))

    def _inside(self, path: str) -> None:
        """Note what is ignored inside a value whose names are the caller's own."""
        for each, why in self._ignored.items():
            if each.startswith((f"{path}.", f"{path}[")):
                self._add(each, why)

    def _note(self, shape: _Shape, path: str, key: str) -> None:
        if len(self._found) >= _MOST_WARNINGS:
            self._more += 1
            return
        shown = shown_key(key)
        # A key that may not be shown is a value in the wrong place, not a misspelt name.
        hint = self._hints.hint(shape.place, key) if shown == key else ""
        self._add(join_path(path, shown), _UNKNOWN(hint=hint))

    def _add(self, path: str, message: str) -> None:
        if len(self._found) >= _MOST_WARNINGS:
            self._more += 1
            return
        self._found.append(FieldWarning(path, message))


def _blank(shape: _Shape, value: Any, path: str) -> Iterator[str]:
    if shape.in_list and isinstance(value, list):
        objects = [(f"{path}[{index}]", each) for index, each in enumerate(value)]
    else:
        objects = [(path, value)]
    for place, each in objects:
        for key in each if isinstance(each, dict) else ():
            if key not in shape.fields:
                each[key] = None
                yield join_path(place, key)
            elif (below := shape.fields[key]) is not None:
                yield from _blank(below, each[key], join_path(place, key))


def _shape_of(info: inspect.Type, place: str, *, in_list: bool) -> _Shape | None:
    """The shape of a type's values; None when they hold no names of ours."""
    bare, _ = bare_type(info)
    match bare:
        case inspect.UnionType(types=types):
            shapes = [_shape_of(one, place, in_list=in_list) for one in types]
            return next((shape for shape in shapes if shape is not None), None)
        case inspect.ListType(item_type=item) | inspect.VarTupleType(item_type=item):
            return _shape_of(item, f"{place}[]", in_list=True)
        case inspect.StructType():
            fields = {
                field.encode_name: _shape_of(
                    field.type, join_path(place, field.encode_name), in_list=False
                )
                for field in bare.fields
            }
            flat = not any(fields.values())
            return _Shape(place, fields, in_list, not bare.forbid_unknown_fields, flat)
    return None


def _strict_type(shape: _Shape) -> Any:
    """A type that decodes objects of this shape and refuses names that are not in it."""
    fields: list[Any] = []
    renamed: dict[str, str] = {}
    for number, (name, below) in enumerate(shape.fields.items()):
        kind = Any if below is None else _strict_type(below) | None
        fields.append((f"field_{number}", kind, None))
        renamed[f"field_{number}"] = name
    strict: Any = msgspec.defstruct(
        "Names", fields, rename=renamed, forbid_unknown_fields=True, gc=False
    )
    return list[strict] if shape.in_list else strict


def _names(shape: _Shape) -> Iterator[tuple[str, str]]:
    for name, below in shape.fields.items():
        yield shape.place, name
        if below is not None:
            yield from _names(below)
