"""Decodes and validates a body in one fast pass; a body that fails is walked again, slowly, so that
all its problems are reported at once, by the paths the caller wrote.

One definition serves both passes and the OpenAPI document: the request's struct, its `Meta`
constraints, the `parse` of its own types, and, if it is `Checked`, its `problems` for fields taken
together.
"""

import contextlib
import re
from collections.abc import Sequence
from typing import Any, Final, Generic, TypeVar

import msgspec
from msgspec import inspect

from gatehouse.core.errors import RequestRefused
from gatehouse.core.validation import TypeWalk, join_path, parse_own_type, shown_key

T = TypeVar("T", bound=msgspec.Struct)

MOST_PROBLEMS: Final = 100
MORE_PROBLEMS: Final = f"there are more problems than the first {MOST_PROBLEMS}, which are named"
MOST_CONTAINERS: Final = 4096
"""Objects and arrays in one body; each costs far more time than the two bytes it is written in."""
MOST_EXPONENTS: Final = 32
"""Numbers with an exponent in one body; one such as 1e308 takes the decoder up to 20 µs."""
MOST_LONG_NUMBERS: Final = 1024
"""Numbers of more digits than a fraction holds; one half-way between two takes most of a µs."""
_EXPONENT: Final = re.compile(rb"[\[,:\s]-?\d[\d.]*[eE]")
_DIGITS_ALIKE: Final = bytes.maketrans(b"123456789.E", b"0000000000e")
_LONG_NUMBER: Final = re.compile(rb"[\[,:\s]-?\d[\d.]{16,}")


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
        _check_containers(body)
        _check_numbers(body)
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
        try:
            walk.convert(self._info, raw, "")
        except _EnoughProblems:
            return RequestRefused("invalid_request", fields=walk.fields, details=[MORE_PROBLEMS])
        if not walk.fields:
            return RequestRefused("invalid_request", details=["a field is given more than once"])
        return RequestRefused("invalid_request", fields=walk.fields)


def read_json(body: bytes) -> Any:
    """Any JSON value, or `RequestRefused` when the body is none."""
    try:
        return msgspec.json.decode(body.decode("utf-8"))
    except (UnicodeDecodeError, msgspec.DecodeError, RecursionError, ValueError) as error:
        raise _malformed(_syntax(error)) from None


def _check_containers(body: bytes) -> None:
    # Brackets inside texts count too: telling them apart would cost more than counting.
    if len(body) > MOST_CONTAINERS and body.count(b"[") + body.count(b"{") > MOST_CONTAINERS:
        raise _malformed(f"the body has more than {MOST_CONTAINERS} objects and arrays")


def _check_numbers(body: bytes) -> None:
    # Counting signs takes no time, and few bodies have so many that it is worth a closer look.
    letters = body.count(b"e") + body.count(b"E")
    # The letter of an exponent follows a digit or a point. Looking for that takes a quarter of the
    # time of the expression: 4 µs instead of 17 for the body of a pipeline.
    if (
        letters > MOST_EXPONENTS
        and body.translate(_DIGITS_ALIKE).count(b"0e") > MOST_EXPONENTS
        and _count(_EXPONENT, body) > MOST_EXPONENTS
    ):
        raise _malformed(f"the body has more than {MOST_EXPONENTS} numbers with an exponent")
    if len(body) <= 16 * MOST_LONG_NUMBERS:
        return
    digits = len(body) - len(body.translate(None, b"0123456789"))
    if digits > 16 * MOST_LONG_NUMBERS and _count(_LONG_NUMBER, body) > MOST_LONG_NUMBERS:
        raise _malformed(f"the body has more than {MOST_LONG_NUMBERS} long numbers")


def _count(pattern: re.Pattern[bytes], body: bytes) -> int:
    return sum(1 for _ in pattern.finditer(body))


def _malformed(detail: str) -> RequestRefused:
    return RequestRefused("malformed_body", details=[detail])


def _syntax(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "the body is nested too deeply"
    if isinstance(error, msgspec.DecodeError):
        return str(error)
    return "the body holds a number that is too long"


_ANY_VALUE: Final = (
    (inspect.StrType(), str),
    (inspect.IntType(), int),
    (inspect.BoolType(), bool),
    (inspect.ListType(inspect.AnyType()), list),
    (inspect.DictType(inspect.StrType(), inspect.AnyType()), dict),
)


class _EnoughProblems(Exception):
    """As many problems were found as are reported."""


class _JsonWalk(TypeWalk):
    """Compares a JSON value with a type; collects messages by field."""

    def __init__(self) -> None:
        self.fields: dict[str, list[str]] = {}
        self._count = 0

    def report(self, path: str, message: str, key: str | None = None) -> None:
        if self._count == MOST_PROBLEMS:
            raise _EnoughProblems
        self._count += 1
        messages = self.fields.setdefault(path if key is None else self.key_path(path, key), [])
        if message not in messages:
            messages.append(message)

    def convert(self, info: inspect.Type, data: Any, path: str) -> Any:
        if isinstance(info, inspect.StructType) and isinstance(data, dict):
            # Most lines of a long list are fine, and the fast pass sees that ten times as quickly.
            with contextlib.suppress(msgspec.ValidationError):
                return msgspec.convert(data, info.cls, dec_hook=parse_own_type)
        return super().convert(info, data, path)

    def unchecked(self, info: inspect.DictType) -> frozenset[type]:
        value = info.value_type
        if info.key_type != inspect.StrType() or not isinstance(value, inspect.UnionType):
            return frozenset()
        return frozenset(kind for member, kind in _ANY_VALUE if member in value.types)

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
