"""Reads what a form sends, within a size, a count and a time."""

import asyncio
import re
from collections.abc import Mapping
from email.parser import BytesParser
from email.policy import HTTP
from typing import Final
from urllib.parse import parse_qsl

import msgspec
from starlette.requests import Request

from gatehouse.console.refusals import PageRefused

MOST_FIELDS: Final = 500
_URLENCODED: Final = "application/x-www-form-urlencoded"
_MULTIPART: Final = "multipart/form-data"
_READ_S: Final = 15.0
_UNFIT: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")

Values = Mapping[str, tuple[str, ...]]
"""What was sent, by name; a name may come several times."""


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


async def read_form(request: Request, most_bytes: int) -> SentForm:
    """The form in the body of a request."""
    content_type = request.headers.get("content-type", "")
    kind = content_type.partition(";")[0].strip().lower()
    body = await _read_body(request, most_bytes)
    if not body:
        return SentForm()
    if kind == _URLENCODED:
        return SentForm(read_pairs(body.decode("utf-8", "replace")))
    if kind == _MULTIPART:
        return _read_parts(content_type, body)
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
        clean = _UNFIT.sub("\N{REPLACEMENT CHARACTER}", value.replace("\r\n", "\n"))
        found[name] = (*found.get(name, ()), clean)
    return found


async def _read_body(request: Request, most_bytes: int) -> bytes:
    length = request.headers.get("content-length", "0")
    if length.isdecimal() and len(length) < 12 and int(length) > most_bytes:
        raise PageRefused(413, "problems.too_large")
    body = bytearray()
    try:
        async with asyncio.timeout(_READ_S):
            async for part in request.stream():
                body += part
                if len(body) > most_bytes:
                    raise PageRefused(413, "problems.too_large")
    except TimeoutError:
        raise PageRefused(408, "problems.too_slow") from None
    return bytes(body)


def _read_parts(content_type: str, body: bytes) -> SentForm:
    head = b"Content-Type: " + content_type.encode("latin-1") + b"\r\n\r\n"
    message = BytesParser(policy=HTTP).parsebytes(head + body)
    pairs: list[tuple[str, str]] = []
    files: dict[str, Upload] = {}
    parts = list(message.iter_parts()) if message.is_multipart() else []
    if len(parts) > MOST_FIELDS:
        raise PageRefused(400, "problems.too_many_fields")
    for part in parts:
        name = str(part.get_param("name", "", header="content-disposition"))
        content = part.get_payload(decode=True)
        content = content if isinstance(content, bytes) else b""
        filename = part.get_filename()
        if filename is None:
            pairs.append((name, content.decode("utf-8", "replace")))
        elif filename:
            files[name] = Upload(_UNFIT.sub("", filename)[:200], content)
    return SentForm(_grouped(pairs), files)
