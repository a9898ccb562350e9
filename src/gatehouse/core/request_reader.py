"""Decodes and validates a body in one fast pass; a body that fails is walked again, slowly, so that
all its problems are reported at once, by the paths the caller wrote.

One definition serves both passes and the OpenAPI document: the request's struct, its `Meta`
constraints, the `parse` of its own types, and its optional `problems` for fields taken together.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, Generic, TypeVar

import msgspec
from msgspec import inspect

from gatehouse.core.errors import RequestRefused
from gatehouse.core.validation import TypeWalk, bare_type, join_path, parse_own_type

T = TypeVar("T", bound=msgspec.Struct)

_MOST_PROBLEMS: Final = 100
_LONGEST_KEY: Final = 64
_MANY_DIGITS: Final = 4


class RequestReader(Generic[T]):
    """Reads bodies of one kind of request."""

    def __init__(self, kind: type[T]) -> None:
        self._decode = msgspec.json.Decoder(kind, dec_hook=parse_own_type).decode
        self._info = inspect.type_info(kind)
        self._problems = _compile_problems(self._info)

    def read_part(self, part: msgspec.Raw) -> T:
        """The same for a part of a body that was read already."""
        try:
            request = self._decode(part)
        except (msgspec.DecodeError, RecursionError, ValueError):
            return self.read(bytes(part))
        if self._problems(request):
            raise self._all_problems(bytes(part))
        return request

    def read(self, body: bytes) -> T:
        """The request, or `RequestRefused` with everything that is wrong with it."""
        try:
            request = self._decode(body.decode("utf-8"))
        except UnicodeDecodeError:
            raise _malformed("the body is not UTF-8") from None
        except msgspec.ValidationError:
            pass
        except (msgspec.DecodeError, RecursionError, ValueError) as error:
            raise _malformed(_syntax(error)) from None
        else:
            if not self._problems(request):
                return request
        raise self._all_problems(body)

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


def _compile_problems(info: inspect.Type) -> Callable[[Any], bool]:
    """A quick test whether a well-formed value, or a struct inside it, objects to its fields.

    Worked out once per type, so that requests do not pay for looking into plain fields.
    """
    info, _ = bare_type(info)
    if isinstance(info, inspect.UnionType):
        options = [_compile_problems(each) for each in info.types if _may_object(each)]
        if len(options) == 1:
            only = options[0]
            return lambda value: value is not None and only(value)
        return lambda value: value is not None and any(option(value) for option in options)
    if isinstance(info, inspect.ListType):
        inner = _compile_problems(info.item_type)
        return lambda value: any(inner(element) for element in value)
    assert isinstance(info, inspect.StructType)
    own = getattr(info.cls, "problems", None)
    fields = [(f.name, _compile_problems(f.type)) for f in info.fields if _may_object(f.type)]

    def objects(value: Any) -> bool:
        if own is not None:
            for _problem in own(value):
                return True
        for name, test in fields:  # noqa: SIM110  # quicker than any() here
            if test(getattr(value, name)):
                return True
        return False

    return objects


def _may_object(info: inspect.Type) -> bool:
    """Whether a type has, or holds, a struct with `problems` of its own."""
    match bare_type(info)[0]:
        case inspect.UnionType(types=types):
            return any(_may_object(each) for each in types)
        case inspect.ListType(item_type=item):
            return _may_object(item)
        case inspect.StructType(cls=cls, fields=fields):
            return hasattr(cls, "problems") or any(_may_object(field.type) for field in fields)
        case _:
            return False


class _JsonWalk(TypeWalk):
    """Compares a JSON value with a type; collects messages by field."""

    def __init__(self) -> None:
        self.fields: dict[str, list[str]] = {}

    def report(self, path: str, message: str) -> None:
        if len(self.fields) < _MOST_PROBLEMS:
            self.fields.setdefault(path, []).append(message)

    def report_key(self, path: str, key: str, message: str) -> None:
        self.report(self.key_path(path, key), message)

    def key_path(self, path: str, key: str) -> str:
        return join_path(path, _shown_key(key))

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


def _shown_key(key: str) -> str:
    """A key that the caller chose, for a path: it may be a value that went to the wrong place.

    A long one is cut, and many digits are hidden, because they could be a card or an identifier.
    """
    shown = key if len(key) <= _LONGEST_KEY else key[:_LONGEST_KEY] + "…"
    if sum(char.isdecimal() for char in shown) < _MANY_DIGITS:
        return shown or '""'
    return "".join("#" if char.isdecimal() else char for char in shown)
