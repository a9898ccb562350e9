"""Bodies that are made to cost a server time: hostile values at every place of a request's type."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import msgspec
from msgspec import inspect

from gatehouse.core.reading.validation import bare_type

FULL: Final = 62_000
"""Bytes of a value that nearly fills a body."""
FULL_OF_CARTS: Final = 258_000
"""The same where there are carts."""


class _Filler:
    """Makes values of about so many bytes."""

    def __init__(self, full: int) -> None:
        self.full = full

    def filled(self, piece: str, joint: str = ",") -> str:
        return joint.join([piece] * (self.full // (len(piece.encode()) + len(joint))))

    def array(self, piece: str) -> str:
        return f"[{self.filled(piece)}]"

    def keys(self, value: str, most: int | None = None) -> str:
        count = min(most or self.full, self.full // (len(value) + 10))
        pieces = [f'"k{number:04d}":{value}' for number in range(count)]
        return "{" + ",".join(pieces) + "}"


TEXTS: Final = {
    "letters": "a",
    "digits": "4",
    "card numbers": "4242 4242-4242 4242 ",
    "numbers that almost are cards": "4242424242424241 ",
    "separated digits": "4 - 1:2.",
    "spaces": " ",
    "words": "ab ",
    "addresses": "a.b@",
    "dots": ".",
    "brackets": "(;",
    "language tags": "en-US,",
    "products": "Mozilla/5.0 (X11; ",
    "address": "1:",
    "slashes": "http://",
    "percent signs": "%41",
    "combining marks": "\u0301",
    "ideographs": "王小",
    "controls": "\\u0001",
    "wide digits": "４",
    "non-breaking spaces": "1\u00a0",
}


@cache
def _values(full: int) -> dict[str, str]:
    filler = _Filler(full)
    filled, array, keys = filler.filled, filler.array, filler.keys
    return {
        "a long text": json.dumps("q" * full),
        **{f"a text of {name}": f'"{filled(piece, "")}"' for name, piece in TEXTS.items()},
        "an array of numbers": array("0"),
        "an array of texts": array('"x"'),
        "an array of nulls": array("null"),
        "an array of empty objects": array("{}"),
        "an array of wrong lines": array('{"price":"x"}'),
        "an array of lines": array('{"itemId":"a","category":"b c","price":1,"quantity":1}'),
        "a thousand lines with one wrong": "[" + '{"itemId":"a","category":"b"},' * 999 + "0]",
        "an array of whole fractions": array("1.0"),
        "lines with whole fractions": "[" + '{"itemId":1.0,"price":1.0},' * 999 + "{}]",
        "an array of arrays": array("[[]]"),
        "an object of numbers": keys("1"),
        "an object of nulls": keys("null"),
        "an object of objects": keys('{"a":{}}'),
        "an object of texts": keys('"word word"'),
        "five hundred keys with one null": keys("1", 499)[:-1] + ',"z":null}',
        "objects with security codes": keys('{"cvv":1}', 499),
        "arrays of objects": keys("[" + "{}," * 7 + "{}]", 499),
        "one key many times": "{" + filled('"a":1') + "}",
        "a long key": '{"' + "k" * full + '":1}',
        "a key of digits": '{"' + "4" * full + '":null}',
        "deep arrays": "[" * 900 + "]" * 900,
        "deeper arrays": "[" * 30_000 + "]" * 30_000,
        "deep objects": '{"a":' * 300 + "1" + "}" * 300,
        "deep and wide": array("[" * 100 + "]" * 100),
        "a long number": "9" * 4000,
        "a longer number": "9" * full,
        "a long fraction": "1." + "9" * full,
        "many long numbers": array("9" * 4000),
        "many numbers as long as they may be": array("9" * 640),
        "an array of large exponents": array("1e308"),
        "an array of small exponents": array("-2.5E-308"),
        "as many exponents as there may be": "[" + ",".join(["1e308"] * 32) + "]",
        "an array of numbers between two others": array("9007199254740993.0"),
        "as many of these as there may be": "[" + ",".join(["9007199254740993.0"] * 1024) + "]",
        "a large exponent": "1e" + "9" * 400,
    }


UNKNOWN: Final = "nothingOfOurs"


def hostile_bodies(
    kind: type, normal: dict[str, Any], every: int = 1, full: int = FULL
) -> Iterator[tuple[str, bytes]]:
    """A normal body with one value replaced, at a place of the type, by a hostile one.

    With 1, each value is tried at each place. With more, one in so many of these pairs is, and
    each value and each place are in some of them.
    """
    paths = [*places(inspect.type_info(kind)), (UNKNOWN,)]
    step = min(every, len(paths))
    for at, path in enumerate(paths):
        for name, value in list(_values(full).items())[at % step :: step]:
            yield f"{name} as {'.'.join(path)}", with_value(normal, path, value)
    yield "nothing but brackets", b"[" * full
    yield "an endless text", b'{"' + b"a" * full
    yield (
        "a fault at the end",
        with_value(normal, (UNKNOWN,), _values(full)["an object of texts"])[:-1] + b"x",
    )


def places(info: inspect.Type, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The paths of all fields of a type, without those inside lists."""
    bare, _ = bare_type(info)
    if path:
        yield path
    if isinstance(bare, inspect.UnionType):
        inner = [bare_type(each)[0] for each in bare.types]
        structs = [each for each in inner if isinstance(each, inspect.StructType)]
        bare = structs[0] if structs else bare
    if isinstance(bare, inspect.StructType):
        for field in bare.fields:
            found = places(field.type, (*path, field.encode_name))
            yield from found


def with_value(body: dict[str, Any], path: tuple[str, ...], value: str) -> bytes:
    """The body with a value, given as JSON, at a path."""
    name, *rest = path
    before = {key: msgspec.Raw(json.dumps(each).encode()) for key, each in body.items()}
    if rest:
        inner = body.get(name)
        before[name] = msgspec.Raw(
            with_value(inner if isinstance(inner, dict) else {}, tuple(rest), value)
        )
    else:
        before[name] = msgspec.Raw(value.encode())
    return msgspec.json.encode(before)
