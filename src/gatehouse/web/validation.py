"""Decodes and validates a body in one fast pass; a body that fails is walked again, slowly, so that
all its problems are reported at once, by the paths the caller wrote.

One definition serves both passes and the OpenAPI document: the request's struct, its `Meta`
constraints, the `parse` of its own types, and its optional `problems` for fields taken together.
"""

import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Final, Generic, TypeVar

import msgspec
from msgspec import inspect

from gatehouse.core.errors import InvalidRequest
from gatehouse.web.problems import Problem

T = TypeVar("T", bound=msgspec.Struct)

_INVALID: Final = object()
_MOST_PROBLEMS: Final = 100
_LONGEST_KEY: Final = 64
_MANY_DIGITS: Final = 4
ReportError = Callable[[str, str], None]


def parse_own_type(kind: type, value: Any) -> Any:
    """Turn JSON into one of our own types; msgspec calls this for every type it does not know."""
    if not isinstance(value, str):
        raise ValueError("must be a string")
    return kind.parse(value)  # type: ignore[attr-defined]  # our own types all have it


class RequestReader(Generic[T]):
    """Reads bodies of one kind of request."""

    def __init__(self, kind: type[T]) -> None:
        self._decode = msgspec.json.Decoder(kind, dec_hook=parse_own_type).decode
        self._info = inspect.type_info(kind)
        self._problems = _compile_problems(self._info)

    def read_part(self, part: msgspec.Raw) -> T:
        """The same for a part of a body that was read already; raises `InvalidRequest`."""
        try:
            request = self._decode(part)
            if not self._problems(request):
                return request
        except (msgspec.DecodeError, RecursionError, ValueError):
            pass
        try:
            return self.read(bytes(part))
        except Problem as problem:
            raise InvalidRequest(problem.fields, problem.details) from None

    def read(self, body: bytes) -> T:
        """The request, or a `Problem` that names everything wrong with it."""
        try:
            request = self._decode(body.decode("utf-8"))
        except UnicodeDecodeError:
            raise Problem("malformed_body", details=["the body is not UTF-8"]) from None
        except msgspec.ValidationError:
            pass
        except (msgspec.DecodeError, RecursionError, ValueError) as error:
            raise Problem("malformed_body", details=[_syntax(error)]) from None
        else:
            if not self._problems(request):
                return request
        raise self._all_problems(body)

    def _all_problems(self, body: bytes) -> Problem:
        raw = read_json(body)
        if not isinstance(raw, dict):
            return Problem("malformed_body", details=["the body must be a JSON object"])
        fields: dict[str, list[str]] = {}

        def report(path: str, message: str) -> None:
            if len(fields) < _MOST_PROBLEMS:
                fields.setdefault(path, []).append(message)

        _check(self._info, raw, "", report)
        if not fields:
            return Problem("invalid_request", details=["a field is given more than once"])
        return Problem("invalid_request", fields=fields)


def read_json(body: bytes) -> Any:
    """Any JSON value, or the `Problem` that it is none."""
    try:
        return msgspec.json.decode(body.decode("utf-8"))
    except (UnicodeDecodeError, msgspec.DecodeError, RecursionError, ValueError) as error:
        raise Problem("malformed_body", details=[_syntax(error)]) from None


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
    info = _bare(info)
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
    match _bare(info):
        case inspect.UnionType(types=types):
            return any(_may_object(each) for each in types)
        case inspect.ListType(item_type=item):
            return _may_object(item)
        case inspect.StructType(cls=cls, fields=fields):
            return hasattr(cls, "problems") or any(_may_object(field.type) for field in fields)
        case _:
            return False


def _check(info: inspect.Type, raw: Any, path: str, report: ReportError) -> Any:
    """Compare a JSON value with a type, report every difference, return the value or _INVALID."""
    if isinstance(info, inspect.Metadata):
        return _check(info.type, raw, path, report)
    if isinstance(info, inspect.UnionType):
        return _check_union(info, raw, path, report)
    if isinstance(info, inspect.AnyType | inspect.RawType):
        return raw
    if not _fits(info, raw):
        report(path, f"must be {_named(info)}")
        return _INVALID
    return _check_inside(info, raw, path, report)


def _check_inside(info: inspect.Type, raw: Any, path: str, report: ReportError) -> Any:
    """The value has the right JSON type; what is inside it may still be wrong."""
    match info:
        case inspect.StructType():
            return _check_struct(info, raw, path, report)
        case inspect.ListType():
            return [
                _check(info.item_type, value, f"{path}[{index}]", report)
                for index, value in enumerate(raw)
            ]
        case inspect.DictType():
            return {
                key: _check(info.value_type, value, _join(path, _shown_key(key)), report)
                for key, value in raw.items()
            }
        case inspect.CustomType():
            return _check_own_type(info, raw, path, report)
        case inspect.StrType():
            message = _string_problem(info, raw)
        case inspect.IntType() | inspect.FloatType():
            message = _number_problem(info, raw)
        case inspect.EnumType():
            words = [member.value for member in info.cls]
            message = None if raw in words else f"must be one of {', '.join(map(str, words))}"
        case _:
            message = None
    if message is None:
        return raw
    report(path, message)
    return _INVALID


def _check_struct(
    info: inspect.StructType, raw: dict[str, Any], path: str, report: ReportError
) -> Any:
    values: dict[str, Any] = {}
    for field in info.fields:
        here = _join(path, field.encode_name)
        if field.encode_name in raw:
            values[field.name] = _check(field.type, raw[field.encode_name], here, report)
        elif field.required:
            report(here, "is required")
            values[field.name] = _INVALID
        else:
            values[field.name] = field.default
    if info.forbid_unknown_fields:
        allowed = [field.encode_name for field in info.fields]
        for key in raw:
            if key not in allowed:
                report(_join(path, _shown_key(key)), f"is none of {', '.join(allowed)}")
    # The struct's own check sees the good fields; one that is not good equals nothing it tests.
    own = getattr(info.cls, "problems", None)
    if own is not None:
        for name, message in own(SimpleNamespace(**values)):
            report(_join(path, name), message)
    return raw


def _check_union(info: inspect.UnionType, raw: Any, path: str, report: ReportError) -> Any:
    members = [_bare(member) for member in info.types]
    if raw is None and any(isinstance(member, inspect.NoneType) for member in members):
        return None
    if raw is None:
        report(path, "must not be null")
        return _INVALID
    others = [member for member in members if not isinstance(member, inspect.NoneType)]
    for member in others:
        if _fits(member, raw):
            return _check_inside(member, raw, path, report)
    report(path, f"must be {' or '.join(_named(member) for member in others)}")
    return _INVALID


def _check_own_type(info: inspect.CustomType, raw: Any, path: str, report: ReportError) -> Any:
    try:
        return parse_own_type(info.cls, raw)
    except ValueError as error:
        report(path, str(error))
        return _INVALID


def _bare(info: inspect.Type) -> inspect.Type:
    return _bare(info.type) if isinstance(info, inspect.Metadata) else info


def _fits(info: inspect.Type, raw: Any) -> bool:
    """Whether the JSON value is of the JSON type that the type wants."""
    match info:
        case inspect.StructType() | inspect.DictType():
            return isinstance(raw, dict)
        case inspect.ListType():
            return isinstance(raw, list)
        case inspect.IntType():
            return isinstance(raw, int) and not isinstance(raw, bool)
        case inspect.FloatType():
            return isinstance(raw, int | float) and not isinstance(raw, bool)
        case inspect.BoolType():
            return isinstance(raw, bool)
        case inspect.NoneType():
            return raw is None
        case _:
            return isinstance(raw, str)


def _named(info: inspect.Type) -> str:
    match info:
        case inspect.StructType() | inspect.DictType():
            return "an object"
        case inspect.ListType():
            return "an array"
        case inspect.IntType():
            return "an integer"
        case inspect.FloatType():
            return "a number"
        case inspect.BoolType():
            return "true or false"
        case _:
            return "a string"


def _string_problem(info: inspect.StrType, raw: str) -> str | None:
    if info.min_length is not None and len(raw) < info.min_length:
        return (
            "must not be empty"
            if info.min_length == 1
            else f"must have {info.min_length} or more characters"
        )
    if info.max_length is not None and len(raw) > info.max_length:
        return f"must have at most {info.max_length} characters"
    return None


def _number_problem(info: inspect.IntType | inspect.FloatType, raw: float) -> str | None:
    # A whole number may have more digits than a fraction can hold.
    if isinstance(info, inspect.FloatType) and abs(raw) > sys.float_info.max:
        return "is out of range"
    if info.ge is not None and raw < info.ge:
        return f"must be at least {info.ge}"
    if info.le is not None and raw > info.le:
        return f"must be at most {info.le}"
    return None


def _shown_key(key: str) -> str:
    """A key that the caller chose, for a path: it may be a value that went to the wrong place.

    A long one is cut, and many digits are hidden, because they could be a card or an identifier.
    """
    shown = key if len(key) <= _LONGEST_KEY else key[:_LONGEST_KEY] + "…"
    if sum(char.isdecimal() for char in shown) < _MANY_DIGITS:
        return shown or '""'
    return "".join("#" if char.isdecimal() else char for char in shown)


def _join(path: str, name: str) -> str:
    if not name:
        return path
    return f"{path}.{name}" if path else name
