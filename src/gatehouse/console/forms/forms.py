"""Reads what a form sends, within a size, a count and a time."""

import asyncio
import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import parse_qsl

import msgspec
from starlette.requests import ClientDisconnect, Request

from gatehouse.console.forms.parts import BadParts, read_parts
from gatehouse.console.refusals import PageRefused

MOST_FIELDS: Final = 500
_URLENCODED: Final = "application/x-www-form-urlencoded"
_MULTIPART: Final = "multipart/form-data"
_READ_S: Final = 15.0
_UNFIT: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")

Values = Mapping[str, tuple[str, ...]]
"""What was sent, by name; a name may come several times."""


class FirstValues(dict[str, str]):
    """The first value of each name; an empty one of a name that was not sent."""

    def __init__(self, sent: Values) -> None:
        super().__init__((name, values[0]) for name, values in sent.items())

    def __missing__(self, name: str) -> str:
        return ""


class Upload(msgspec.Struct, frozen=True):
    """A file that a form sent."""

    name: str
    content: bytes


class SentForm(msgspec.Struct, frozen=True):
    """The fields and files of a form."""

    values: Values = {}
    files: Mapping[str, Upload] = {}


class FormRefused(Exception):
    """What was sent cannot be used; the form is shown again with these texts."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        super().__init__("a form was refused")
        self.problems = problems
        """What to do, by the name of the field; the empty name stands for the whole form."""


class SentBody(msgspec.Struct, frozen=True):
    """What was sent, before anybody looked into it."""

    content_type: str
    content: bytes


async def read_body(request: Request, most_bytes: int) -> SentBody:
    """The body of a request, within a size and a time."""
    length = request.headers.get("content-length", "0")
    if length.isdecimal() and len(length) < 12 and int(length) > most_bytes:
        raise PageRefused(413, "problems.too_large")
    content = bytearray()
    try:
        async with asyncio.timeout(_READ_S):
            async for part in request.stream():
                content += part
                if len(content) > most_bytes:
                    raise PageRefused(413, "problems.too_large")
    except (TimeoutError, ClientDisconnect):
        raise PageRefused(408, "problems.too_slow") from None
    return SentBody(request.headers.get("content-type", ""), bytes(content))


def read_form(body: SentBody, *, takes_files: bool = False) -> SentForm:
    """The form in a body; large ones take a while, so this runs on a thread."""
    kind = body.content_type.partition(";")[0].strip().lower()
    if not body.content:
        return SentForm()
    if kind == _URLENCODED:
        return SentForm(read_pairs(body.content.decode("utf-8", "replace")))
    if kind == _MULTIPART and takes_files:
        return _read_parts(body)
    raise PageRefused(415, "problems.wrong_form")


def read_pairs(encoded: str) -> Values:
    """The pairs of a query or a form."""
    try:
        pairs = parse_qsl(
            encoded, keep_blank_values=True, errors="replace", max_num_fields=MOST_FIELDS
        )
    except ValueError:
        raise PageRefused(400, "problems.too_many_fields") from None
    return _grouped(pairs)


def _grouped(pairs: list[tuple[str, str]]) -> Values:
    found: dict[str, tuple[str, ...]] = {}
    for name, value in pairs:
        # Browsers end lines of text areas with both characters.
        found[name] = (*found.get(name, ()), fit(value.replace("\r\n", "\n")))
    return found


def fit(text: str) -> str:
    """A text without the characters that a database may not look for."""
    return _UNFIT.sub("\N{REPLACEMENT CHARACTER}", text)


def _read_parts(body: SentBody) -> SentForm:
    try:
        parts = read_parts(body.content_type, body.content)
    except BadParts:
        raise PageRefused(400, "problems.wrong_form") from None
    pairs: list[tuple[str, str]] = []
    files: dict[str, Upload] = {}
    for part in parts:
        if part.file_name is None:
            pairs.append((part.name, part.content.decode("utf-8", "replace")))
        elif part.file_name:
            files[part.name] = Upload(_UNFIT.sub("", part.file_name)[:200], bytes(part.content))
    return SentForm(_grouped(pairs), files)
