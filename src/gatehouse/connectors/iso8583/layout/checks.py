"""What must fit together in the layout of a field; fields that were refused are passed over."""

from collections.abc import Iterator
from typing import Any, Final

from gatehouse.connectors.iso8583.layout.formats import Encoding, ParsedFormat, parse_format

_ENCODINGS: Final = {
    "n": (Encoding.ASCII, Encoding.EBCDIC, Encoding.BCD),
    "z": (Encoding.ASCII, Encoding.EBCDIC, Encoding.BCD),
    "b": (Encoding.BINARY, Encoding.HEX),
}
_TEXT_ENCODINGS: Final = (Encoding.ASCII, Encoding.EBCDIC)


def _format_of(field: Any) -> ParsedFormat | None:
    return parse_format(field.format) if isinstance(field.format, str) else None


def encoding_problems(field: Any) -> Iterator[tuple[str, str]]:
    """What is wrong with how a field is to be written."""
    parsed = _format_of(field)
    if parsed is None:
        return
    allowed = _ENCODINGS.get(parsed.content, _TEXT_ENCODINGS)
    if isinstance(field.encoding, Encoding) and field.encoding not in allowed:
        yield "encoding", f"of {parsed.content} must be {' or '.join(allowed)}"
    if field.length is Encoding.HEX:
        yield "length", "must be ascii, ebcdic, bcd or binary"
    for name in ("length", "length_bytes", "counted_in"):
        if getattr(field, name) is not None and not parsed.dots:
            yield name, "is of no use: the format is fixed"
    if field.pad is not None and parsed.dots:
        yield "pad", "is of no use: the format is variable"
    if parsed.dots and parsed.size >= 10**parsed.dots:
        yield "format", f"{parsed.dots} digits of length do not reach {parsed.size}"


def structure_problems(field: Any) -> Iterator[tuple[str, str]]:
    """What is wrong with the parts, tags or bitmap of a field."""
    parsed = _format_of(field)
    if parsed is None:
        return
    if field.tags or field.bitmap:
        if parsed.content not in ("ans", "b") or field.encoding is Encoding.HEX:
            yield "format", "must be ans or b, not in hexadecimal digits, for tags or a bitmap"
        if not parsed.dots:
            yield "format", "must be variable, such as b...255, for tags or a bitmap"
    if field.parts and isinstance(field.parts, tuple):
        if parsed.content in ("b", "z"):
            yield "parts", "need a field of characters: n, a, an or ans"
        for index, part in enumerate(field.parts):
            is_last = index + 1 == len(field.parts)
            for name, problem in _part_problems(part, is_last and parsed.dots > 0):
                yield f"parts[{index}]{name}", problem
        total = sum(parse_format(part.format).size for part in field.parts)
        if total > parsed.size or (total < parsed.size and not parsed.dots):
            yield "parts", f"have {total} characters, and the field has {parsed.size}"


def _part_problems(part: Any, may_vary: bool) -> Iterator[tuple[str, str]]:
    inner = parse_format(part.format)
    if part.parts or part.tags or part.bitmap:
        yield "", "a part has no parts of its own"
    if inner.content in ("b", "z"):
        yield ".format", "must be n, a, an or ans"
    if inner.dots and not may_vary:
        yield ".format", "must be fixed: only the last part of a variable field may take the rest"
    for name in ("encoding", "length", "length_bytes", "counted_in"):
        if getattr(part, name) is not None:
            yield f".{name}", "is that of the whole field"
