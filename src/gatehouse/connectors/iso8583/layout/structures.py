"""Structures inside a field: values behind tags, and fields behind a bitmap of their own."""

from collections.abc import Callable

from gatehouse.connectors.iso8583.compiled import EnclosedCodec, FieldCodec
from gatehouse.connectors.iso8583.content import length_table
from gatehouse.connectors.iso8583.layout.field_layout import (
    BitmapLayout,
    FieldLayout,
    TagLayout,
    leaves_of,
)
from gatehouse.connectors.iso8583.layout.formats import Encoding
from gatehouse.connectors.iso8583.layout.malformed import MalformedMessage
from gatehouse.connectors.iso8583.roles import Role
from gatehouse.connectors.iso8583.values import Values

_Header = Callable[[bytes, int], tuple[bytes, int, int] | None]
"""The tag at an offset, where its value begins, and the value's length; None if it is none."""


def tag_structure(
    name: str,
    layout: TagLayout,
    compile_entry: Callable[[str, FieldLayout], EnclosedCodec],
    code_page: str,
) -> EnclosedCodec:
    """Values behind tags, in the order of the file; what is not listed is skipped."""
    listed = [
        (_tag_bytes(layout, tag, code_page), compile_entry(f"{name}, tag {tag}", each), each)
        for tag, each in layout.entries.items()
    ]
    entries = {tag: codec for tag, codec, _ in listed}
    writes = [(tag, codec.write, _has_more(each)) for tag, codec, each in listed]
    only_constants = not any(matters for _, _, matters in writes)
    written_length = _length_writer(name, layout, code_page)
    header = _ber_header if layout.ber else _plain_header(layout, code_page)
    before = layout.before.encode(code_page if layout.tag is Encoding.EBCDIC else "ascii")
    wrong = f"{name} has a tag or length that cannot be"

    def write(values: Values) -> bytes | None:
        pieces: list[bytes] = []
        wanted = only_constants
        for tag, write_entry, matters in writes:
            raw = write_entry(values)
            if raw is not None:
                pieces += (tag, written_length(len(raw)), raw)
                wanted |= matters
        return before + b"".join(pieces) if wanted and pieces else None

    def read(raw: bytes, values: dict[Role, str]) -> None:
        at = len(before)
        while at < len(raw):
            found = header(raw, at)
            if found is None or found[1] + found[2] > len(raw):
                raise MalformedMessage(wrong)
            tag, start, length = found
            at = start + length
            entry = entries.get(tag)
            if entry is not None:
                entry.read(raw[start:at], values)

    return EnclosedCodec(write, read)


def bitmap_structure(
    name: str, layout: BitmapLayout, compile_field: Callable[[str, FieldLayout], FieldCodec]
) -> EnclosedCodec:
    """Fields behind a bitmap; what follows a field that is not listed is left unread."""
    size = layout.bytes
    fields = [
        (1 << (size * 8 - number), compile_field(f"{name}.{number}", each), _has_more(each))
        for number, each in sorted(
            ((int(number), each) for number, each in layout.fields.items()),
            key=lambda item: item[0],
        )
    ]
    known = sum(bit for bit, _, _ in fields)
    only_constants = not any(matters for _, _, matters in fields)
    short, too_long = f"{name} is cut off", f"{name} is longer than its fields"

    def write(values: Values) -> bytes | None:
        bits, wanted = 0, only_constants
        pieces: list[bytes] = []
        for bit, each, matters in fields:
            raw = each.write(values)
            if raw is not None:
                bits |= bit
                pieces.append(raw)
                wanted |= matters
        return bits.to_bytes(size, "big") + b"".join(pieces) if wanted and bits else None

    def read(raw: bytes, values: dict[Role, str]) -> None:
        if len(raw) < size:
            raise MalformedMessage(short)
        bits, at = int.from_bytes(raw[:size], "big"), size
        unknown = (bits & ~known).bit_length()
        for bit, each, _ in fields:
            if bits & bit and bit >> unknown:
                at = each.read(raw, at, values)
        if at != len(raw) and not unknown:
            raise MalformedMessage(too_long)

    return EnclosedCodec(write, read)


def _has_more(layout: FieldLayout) -> bool:
    """Whether a field has more than constants in it."""
    return any(leaf.value is None for leaf in leaves_of(layout))


def _tag_bytes(layout: TagLayout, tag: str, code_page: str) -> bytes:
    if layout.ber or layout.tag in (Encoding.BINARY, Encoding.BCD):
        return bytes.fromhex(tag)
    return tag.encode(code_page if layout.tag is Encoding.EBCDIC else "ascii")


def _length_writer(name: str, layout: TagLayout, code_page: str) -> Callable[[int], bytes]:
    if layout.ber:
        return _ber_length
    written = length_table(layout.length, *_width_and_most(layout), code_page).written
    too_long = f"{name} has a value that is too long for its tag"

    def write(length: int) -> bytes:
        if length >= len(written):
            raise MalformedMessage(too_long)
        return written[length]

    return write


def _plain_header(layout: TagLayout, code_page: str) -> _Header:
    tag_size = layout.tag_bytes
    lengths = length_table(layout.length, *_width_and_most(layout), code_page)

    def header(raw: bytes, at: int) -> tuple[bytes, int, int] | None:
        middle = at + tag_size
        start = middle + lengths.width
        length = lengths.read.get(raw[middle:start])
        return None if length is None else (raw[at:middle], start, length)

    return header


def _width_and_most(layout: TagLayout) -> tuple[int, int]:
    """The width as the table of lengths counts it, and the longest value of a tag."""
    if layout.length is Encoding.BINARY:
        return layout.length_bytes, min(256**layout.length_bytes - 1, 9_999)
    digits = layout.length_bytes * (2 if layout.length is Encoding.BCD else 1)
    return digits, min(10**digits - 1, 9_999)


def _ber_length(length: int) -> bytes:
    if length < 0x80:
        return bytes((length,))
    return bytes((0x81, length)) if length < 0x100 else b"\x82" + length.to_bytes(2, "big")


def _ber_header(raw: bytes, at: int) -> tuple[bytes, int, int] | None:
    end = at + 1
    if raw[at] & 0x1F == 0x1F:
        while end < len(raw) and raw[end] & 0x80:
            end += 1
        end += 1
    if end >= len(raw):
        return None
    first, start = raw[end], end + 1
    if first < 0x80:
        return raw[at:end], start, first
    more = first & 0x7F
    if not 1 <= more <= 2 or start + more > len(raw):
        return None
    return raw[at:end], start + more, int.from_bytes(raw[start : start + more], "big")
