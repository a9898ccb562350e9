"""Reads forms that carry a file, part by part, and stops at the first part beyond its limits."""

from typing import TYPE_CHECKING, Final

import msgspec
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

if TYPE_CHECKING:
    from python_multipart.multipart import MultipartCallbacks

MOST_PARTS: Final = 50
_SHORTEST_BOUNDARY: Final = 16
"""Browsers choose longer ones; a body full of what looks like a short one is slow to read."""
_MOST_HEADERS: Final = 4
_HEADER_BYTES: Final = 1024


class BadParts(ValueError):
    """The body is not such a form, or has more parts or longer headers than forms of ours."""


class FormPart(msgspec.Struct):
    """A field, or a file if it has a file name."""

    name: str = ""
    file_name: str | None = None
    content: bytearray = msgspec.field(default_factory=bytearray)


def read_parts(content_type: str, body: bytes) -> list[FormPart]:
    """The parts of a whole body, in its order."""
    boundary = parse_options_header(content_type)[1].get(b"boundary", b"")
    if len(boundary) < _SHORTEST_BOUNDARY:
        raise BadParts
    reader = _Reader()
    try:
        parser = MultipartParser(
            boundary,
            reader.callbacks(),
            max_header_count=_MOST_HEADERS,
            max_header_size=_HEADER_BYTES,
        )
        parser.write(body)
    except FormParserError:
        raise BadParts from None
    if not reader.is_complete:
        raise BadParts
    return reader.parts


class _Reader:
    """Takes what the parser finds."""

    def __init__(self) -> None:
        self.parts: list[FormPart] = []
        self.is_complete = False
        self._header = bytearray()
        self._value = bytearray()

    def callbacks(self) -> "MultipartCallbacks":
        return {
            "on_part_begin": self._begin_part,
            "on_part_data": lambda data, start, end: self._add(data[start:end]),
            "on_header_begin": self._begin_header,
            "on_header_field": lambda data, start, end: self._header.extend(data[start:end]),
            "on_header_value": lambda data, start, end: self._value.extend(data[start:end]),
            "on_header_end": self._end_header,
            "on_end": self._end,
        }

    def _begin_part(self) -> None:
        if len(self.parts) == MOST_PARTS:
            raise BadParts
        self.parts.append(FormPart())

    def _add(self, data: bytes) -> None:
        self.parts[-1].content += data

    def _begin_header(self) -> None:
        self._header, self._value = bytearray(), bytearray()

    def _end_header(self) -> None:
        if self._header.lower() != b"content-disposition":
            return
        # Browsers write names in UTF-8; the function reads bytes as Latin-1 and gives them back.
        known = parse_options_header(bytes(self._value))[1]
        part = self.parts[-1]
        part.name = known.get(b"name", b"").decode("utf-8", "replace")
        if b"filename" in known:
            part.file_name = known[b"filename"].decode("utf-8", "replace")

    def _end(self) -> None:
        self.is_complete = True
