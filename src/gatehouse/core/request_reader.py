"""Decodes and validates a body in one fast pass; a body that fails is walked again, slowly, so that
all its problems are reported at once, by the paths the caller wrote.

One definition serves both passes and the OpenAPI document: the request's struct, its `Meta`
constraints, the `parse` of its own types, and, if it is `Checked`, its `problems` for fields taken
together.
"""

from collections.abc import Sequence
from typing import Any, Final, Generic, TypeVar

import msgspec
from msgspec import inspect

from gatehouse.core.errors import RequestRefused
from gatehouse.core.validation import TypeWalk, join_path, parse_own_type

T = TypeVar("T", bound=msgspec.Struct)

_MOST_PROBLEMS: Final = 100
_LONGEST_KEY: Final = 64
_MANY_DIGITS: Final = 3


class RequestReader(Generic[T]):
    """Reads bodies of one kind of request."""

    def __init__(self, kind: type[T]) -> None:
        self._decode = msgspec.json.Decoder(kind, dec_hook=parse_own_type).decode
        self._info = inspect.type_info(kind)

    def read_part(self, part: msgspec.Raw) -> T:
        """The same for a part of a body that was read already."""
        try:
            return self._decode(part)
        except (msgspec.DecodeError, RecursionError, ValueError):
            return self.read(bytes(part))

    def read(self, body: bytes) -> T:
        """The request, or `RequestRefused` with everything that is wrong with it."""
        try:
            return self._decode(body.decode("utf-8"))
        except UnicodeDecodeError:
            raise _malformed("the body is not UTF-8") from None
        except msgspec.ValidationError:
            raise self._all_problems(body) from None
        except (msgspec.DecodeError, RecursionError, ValueError) as error:
            raise _malformed(_syntax(error)) from None

    def _all_problems(self, body: bytes) -> RequestRefused:
        raw = read_json(body)
        if not isinstance(raw, dict):
            return _malformed("the body must be a JSON object")
        walk = _JsonWalk()
        walk.convert(self._info, raw, "")
        if not walk.fields:
            return RequestRefused("invalid_request", details=["a field is given more than once"])
        return RequestRefused("invalid_request", fields=walk.fields)


def read_json(body: bytes) -> Any:
    """Any JSON value, or `RequestRefused` when the body is none."""
    try:
        return msgspec.json.decode(body.decode("utf-8"))
    except (UnicodeDecodeError, msgspec.DecodeError, RecursionError, ValueError) as error:
        raise _malformed(_syntax(error)) from None


def _malformed(detail: str) -> RequestRefused:
    return RequestRefused("malformed_body", details=[detail])


def _syntax(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "the body is nested too deeply"
    if isinstance(error, msgspec.DecodeError):
        return str(error)
    return "the body holds a number that is too long"


class _JsonWalk(TypeWalk):
    """Compares a JSON value with a type; collects messages by field."""

    def __init__(self) -> None:
        self.fields: dict[str, list[str]] = {}

    def report(self, path: str, message: str, key: str | None = None) -> None:
        if len(self.fields) < _MOST_PROBLEMS:
            where = path if key is None else self.key_path(path, key)
            self.fields.setdefault(where, []).append(message)

    def key_path(self, path: str, key: str) -> str:
        return join_path(path, shown_key(key))

    def is_scalar(self, info: inspect.Type, data: Any) -> bool:
        match info:
            case inspect.IntType():
                return isinstance(data, int) and not isinstance(data, bool)
            case inspect.FloatType():
                return isinstance(data, int | float) and not isinstance(data, bool)
            case inspect.BoolType():
                return isinstance(data, bool)
            case _:
                return isinstance(data, str)

    def read_scalar(self, _info: inspect.Type, data: Any) -> Any:
        return data

    def expected(self, infos: Sequence[inspect.Type]) -> str:
        return f"must be {' or '.join(map(_named, infos))}"

    def unknown_problem(self, info: inspect.StructType, _key: str) -> str | None:
        if not info.forbid_unknown_fields:
            return None
        return f"is none of {', '.join(field.encode_name for field in info.fields)}"


def _named(info: inspect.Type) -> str:
    match info:
        case inspect.StructType() | inspect.DictType():
            return "an object"
        case inspect.ListType() | inspect.VarTupleType():
            return "an array"
        case inspect.IntType():
            return "an integer"
        case inspect.FloatType():
            return "a number"
        case inspect.BoolType():
            return "true or false"
        case _:
            return "a string"


def shown_key(key: str) -> str:
    """A key that the caller chose, for a path: it may be a value that went to the wrong place.

    A long one is cut, and many digits are hidden, because they could be a card or an identifier.
    """
    shown = key if len(key) <= _LONGEST_KEY else key[:_LONGEST_KEY] + "…"
    if sum(char.isdecimal() for char in shown) < _MANY_DIGITS:
        return shown or '""'
    return "".join("#" if char.isdecimal() else char for char in shown)
