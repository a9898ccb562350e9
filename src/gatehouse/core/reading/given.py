"""Reads what people type, into a form or behind a command, as the struct of a use case.

All limits are those that the API has. Fields are named as the program names them.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec
from msgspec import inspect

from gatehouse.core.errors import InvalidFields, RequestRefused
from gatehouse.core.reading.request_reader import RequestReader

T = TypeVar("T", bound=msgspec.Struct)
_WHOLE: Final = re.compile(r"-?[0-9]{1,18}")


def read_given(kind: type[T], given: Mapping[str, Any]) -> T:
    """The struct with these values, or `InvalidFields`; None leaves a field as it is."""
    names = {each.encode_name: each.name for each in msgspec.structs.fields(kind)}
    body = {word: given[name] for word, name in names.items() if given.get(name) is not None}
    try:
        return RequestReader(kind).read(msgspec.json.encode(body))
    except RequestRefused as refused:
        wrong = {names.get(path, path): why for path, why in refused.fields.items()}
        raise InvalidFields(wrong or {"": refused.details}) from None


def read_typed(kind: type[T], typed: Mapping[str, Sequence[str]], **read: Any) -> T:
    """The struct of what a form sent, or `InvalidFields`; an empty field is not given.

    `read` are fields that the form shows in a way of its own, and that its page has read.
    """
    info = inspect.type_info(kind)
    assert isinstance(info, inspect.StructType), "forms are read as structs"
    sent = {
        each.name: _value(each.type, typed.get(each.name, ()))
        for each in info.fields
        if each.name not in read
    }
    return read_given(kind, sent | read)


def _value(kind: inspect.Type, typed: Sequence[str]) -> Any:
    """A field as JSON would have it."""
    while isinstance(kind, inspect.Metadata):
        kind = kind.type
    if isinstance(kind, inspect.UnionType):
        kind = next(each for each in kind.types if not isinstance(each, inspect.NoneType))
        return _value(kind, typed) if any(typed) else None
    if isinstance(kind, inspect.BoolType):
        return any(typed)
    if isinstance(kind, inspect.ListType):
        return [each for each in typed if each]
    text = typed[0].strip() if typed else ""
    if isinstance(kind, inspect.IntType) and _WHOLE.fullmatch(text):
        return int(text)
    return text or None
