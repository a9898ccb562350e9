"""Decodes and validates a body in one fast pass; a body that fails is walked again, slowly, so that
all its problems are reported at once, by the paths the caller wrote.

One definition serves both passes and the OpenAPI document: the request's struct, its `Meta`
constraints, the `parse` of its own types, and, if it is `Checked`, its `problems` for fields taken
together.
"""

import contextlib
import re
from collections.abc import Sequence
from itertools import islice
from typing import Any, Final, Generic, TypeVar

import msgspec
from msgspec import inspect

from gatehouse.core.errors import RequestRefused
from gatehouse.core.reading.mended_bodies import mend
from gatehouse.core.reading.validation import TypeWalk, join_path, parse_own_type, shown_key
from gatehouse.core.wording.sentences import Phrase, any_of

_KINDS: Final = Phrase("invalid.kinds", "must be {kinds}")

_MORE_PROBLEMS: Final = Phrase(
    "invalid.more_problems", "there are more problems than the first {most}, which are named"
)
_UTF8: Final = Phrase("invalid.utf8", "the body is not UTF-8")
_OBJECT: Final = Phrase("invalid.object", "the body must be a JSON object")
_TWICE: Final = Phrase("invalid.twice", "a field is given more than once")
_CONTAINERS: Final = Phrase(
    "invalid.containers", "the body has more than {most} objects and arrays"
)
_COMMAS: Final = Phrase(
    "invalid.commas", "the body is larger than 64 KiB and has more than {most} commas"
)
_COLONS: Final = Phrase(
    "invalid.colons", "the body is larger than 64 KiB and has more than {most} colons"
)
_EXPONENTS: Final = Phrase(
    "invalid.exponents", "the body has more than {most} numbers with an exponent"
)
_LONG_NUMBERS: Final = Phrase("invalid.long_numbers", "the body has more than {most} long numbers")
_DEEP: Final = Phrase("invalid.deep", "the body is nested too deeply")
_LONG_NUMBER_SAID: Final = Phrase("invalid.long_number", "the body holds a number that is too long")
_SYNTAX: Final = Phrase(
    "invalid.syntax", "the body is not valid JSON: see line {line}, byte {byte}"
)
_TRUNCATED: Final = Phrase("invalid.truncated", "the body is not valid JSON: it ends too early")
_NONE_OF: Final = Phrase("invalid.none_of", "is none of {known}")
_AN_OBJECT: Final = Phrase("invalid.an_object", "an object")
_AN_ARRAY: Final = Phrase("invalid.an_array", "an array")
_AN_INTEGER: Final = Phrase("invalid.an_integer", "an integer")
_A_NUMBER: Final = Phrase("invalid.a_number", "a number")
_A_BOOLEAN: Final = Phrase("invalid.a_boolean", "true or false")
_A_STRING: Final = Phrase("invalid.a_string", "a string")

T = TypeVar("T", bound=msgspec.Struct)

MOST_PROBLEMS: Final = 100
MORE_PROBLEMS: Final = _MORE_PROBLEMS(most=MOST_PROBLEMS)
MOST_CONTAINERS: Final = 4096
"""Objects and arrays in one body; each costs far more time than the two bytes it is written in."""
_LARGE: Final = 65_536
MOST_COMMAS: Final = 16_384
MOST_COLONS: Final = 8192
"""In a body above 64 KiB, which is for carts: a thousand lines have a few thousand of each."""
MOST_EXPONENTS: Final = 32
"""Numbers with an exponent in one body; one such as 1e308 takes the decoder up to 20 µs."""
MOST_LONG_NUMBERS: Final = 1024
"""Numbers of more digits than a fraction holds; one half-way between two takes most of a µs."""
_EXPONENT: Final = re.compile(rb"[\[,:\s]-?\d[\d.]*[eE]")
_SHORT: Final = 512
_DIGITS_ALIKE: Final = bytes.maketrans(b"123456789.E", b"0000000000e")
_PLACE: Final = re.compile(r"\(byte (\d+)\)\Z")
_LONG_NUMBER: Final = re.compile(rb"[\[,:\s]-?\d[\d.]{16,}")


class RequestReader(Generic[T]):
    """Reads bodies of one kind of request."""

    def __init__(self, kind: type[T]) -> None:
        self._decode = msgspec.json.Decoder(kind, dec_hook=parse_own_type).decode
        self._info = inspect.type_info(kind)

    def read_part(self, part: msgspec.Raw, dropped: dict[str, str] | None = None) -> T:
        """The same for a part of a body that was read already."""
        try:
            return self._decode(part)
        except (msgspec.DecodeError, RecursionError, ValueError):
            return self.read(bytes(part), dropped)

    def read(self, body: bytes, dropped: dict[str, str] | None = None) -> T:
        """The request, or `RequestRefused` with everything that is wrong with it.

        `dropped` is told what was taken out because it must not be kept: path and reason.
        """
        _check_containers(body)
        _check_numbers(body)
        try:
            return self._decode(body.decode("utf-8"))
        except UnicodeDecodeError:
            raise _malformed(_UTF8()) from None
        except msgspec.ValidationError:
            pass
        except (msgspec.DecodeError, RecursionError, ValueError) as error:
            raise _malformed(_syntax(error, body)) from None
        return self._read_mended(body, {} if dropped is None else dropped)

    def _read_mended(self, body: bytes, dropped: dict[str, str]) -> T:
        try:
            mended = mend(body.decode("utf-8"))
            again = msgspec.json.encode(mended.content) if mended.changed else b""
        except (msgspec.DecodeError, RecursionError, ValueError) as error:
            raise _malformed(_syntax(error, body)) from None
        dropped.update(mended.dropped)
        with contextlib.suppress(msgspec.ValidationError):
            if again:
                return self._decode(again)
        raise self._all_problems(mended.content)

    def _all_problems(self, raw: Any) -> RequestRefused:
        if not isinstance(raw, dict):
            return _malformed(_OBJECT())
        walk = _JsonWalk()
        try:
            walk.convert(self._info, raw, "")
        except _EnoughProblems:
            return RequestRefused("invalid_request", fields=walk.fields, details=[MORE_PROBLEMS])
        if not walk.fields:
            return RequestRefused("invalid_request", details=[_TWICE()])
        return RequestRefused("invalid_request", fields=walk.fields)


def read_json(body: bytes) -> Any:
    """Any JSON value, or `RequestRefused` when the body is none."""
    try:
        return msgspec.json.decode(body.decode("utf-8"))
    except (UnicodeDecodeError, msgspec.DecodeError, RecursionError, ValueError) as error:
        raise _malformed(_syntax(error, body)) from None


def check_long_cart(body: bytes) -> None:
    """Refuse a body with a cart that is long for another reason than its cart."""
    if len(body) > _LARGE:
        if body.count(b",") > MOST_COMMAS:
            raise _malformed(_COMMAS(most=MOST_COMMAS))
        if body.count(b":") > MOST_COLONS:
            raise _malformed(_COLONS(most=MOST_COLONS))


def _check_containers(body: bytes) -> None:
    # Brackets inside texts count too: telling them apart would cost more than counting.
    if len(body) > MOST_CONTAINERS and body.count(b"[") + body.count(b"{") > MOST_CONTAINERS:
        raise _malformed(_CONTAINERS(most=MOST_CONTAINERS))


def _check_numbers(body: bytes) -> None:
    # Few short bodies have so many letters of exponents that it is worth a closer look; most others
    # do, and counting would not save it. The letter of an exponent follows a digit or a point.
    # Looking for that takes a quarter of the time of the expression.
    if (
        (len(body) > _SHORT or body.count(b"e") + body.count(b"E") > MOST_EXPONENTS)
        and body.translate(_DIGITS_ALIKE).count(b"0e") > MOST_EXPONENTS
        and _has_more(_EXPONENT, body, MOST_EXPONENTS)
    ):
        raise _malformed(_EXPONENTS(most=MOST_EXPONENTS))
    if len(body) <= 16 * MOST_LONG_NUMBERS:
        return
    digits = len(body) - len(body.translate(None, b"0123456789"))
    if digits > 16 * MOST_LONG_NUMBERS and _has_more(_LONG_NUMBER, body, MOST_LONG_NUMBERS):
        raise _malformed(_LONG_NUMBERS(most=MOST_LONG_NUMBERS))


def _has_more(pattern: re.Pattern[bytes], body: bytes, most: int) -> bool:
    return next(islice(pattern.finditer(body), most, None), None) is not None


def _malformed(detail: str) -> RequestRefused:
    return RequestRefused("malformed_body", details=[detail])


def _syntax(error: Exception, body: bytes) -> str:
    """What is wrong with a body that is no JSON; in English, as the decoder says it."""
    if isinstance(error, RecursionError):
        return _DEEP()
    if isinstance(error, UnicodeError):
        return _UTF8()
    if isinstance(error, msgspec.DecodeError):
        found = _PLACE.search(str(error))
        if found is None:
            return _TRUNCATED.worded(str(error))
        line = body.count(b"\n", 0, int(found[1])) + 1
        return _SYNTAX.worded(str(error), line=line, byte=int(found[1]))
    return _LONG_NUMBER_SAID()


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
        return _KINDS(kinds=any_of([_named(each) for each in infos]))

    def unknown_problem(self, info: inspect.StructType, _key: str) -> str | None:
        if not info.forbid_unknown_fields:
            return None
        return _NONE_OF(known=", ".join(field.encode_name for field in info.fields))


def _named(info: inspect.Type) -> str:
    match info:
        case inspect.StructType() | inspect.DictType():
            return _AN_OBJECT()
        case inspect.ListType() | inspect.VarTupleType():
            return _AN_ARRAY()
        case inspect.IntType():
            return _AN_INTEGER()
        case inspect.FloatType():
            return _A_NUMBER()
        case inspect.BoolType():
            return _A_BOOLEAN()
        case _:
            return _A_STRING()
