"""Compiles the layout of a field into two functions: one writes it, one reads it."""

from collections.abc import Mapping

from gatehouse.connectors.iso8583.compiled import EnclosedCodec, FieldCodec
from gatehouse.connectors.iso8583.content import (
    Content,
    Lengths,
    byte_content,
    length_table,
    packed_digits,
    text_content,
)
from gatehouse.connectors.iso8583.definition import EncodingLayout
from gatehouse.connectors.iso8583.layout.field_layout import FieldLayout, roles_of
from gatehouse.connectors.iso8583.layout.formats import CountedIn, Encoding, Side, parse_format
from gatehouse.connectors.iso8583.layout.malformed import MalformedMessage
from gatehouse.connectors.iso8583.layout.plain_fields import (
    PlainField,
    ascii_digits,
    packed_digits_on_the_right,
    text_on_the_left,
)
from gatehouse.connectors.iso8583.layout.structures import bitmap_structure, tag_structure
from gatehouse.connectors.iso8583.roles import Role
from gatehouse.connectors.iso8583.values import Give, Take, ValueCompiler, Values


class FieldCompiler:
    """Knows how a dialect writes what its fields do not say."""

    def __init__(
        self,
        encoding: EncodingLayout,
        parameters: Mapping[str, str],
        codes: Mapping[Role, Mapping[str, str]],
    ) -> None:
        self._encoding = encoding
        self._values = ValueCompiler(parameters, codes)

    def field(self, name: str, layout: FieldLayout) -> FieldCodec:
        """A field with its length before it, or of fixed size."""
        plain = self._plain(name, layout)
        if plain is not None:
            return plain
        made = self._field(name, layout)
        roles, default = tuple(roles_of(layout)), made.write({})

        def write(values: Values) -> bytes | None:
            for role in roles:
                if role in values:
                    return made.write(values)
            return default

        return FieldCodec(write, made.read)

    def _plain(self, name: str, layout: FieldLayout) -> FieldCodec | None:
        kind, dots, size = parse_format(layout.format)
        if layout.role is None or dots or layout.pad or not self._values.is_plain(layout):
            return None
        encoding, fit = self._encoding_of(layout), self._values.fit(name, layout)
        default = self.enclosed(name, layout).write({})
        field = PlainField(name, layout.role, kind, size, fit, default)
        if kind == "n" and encoding is Encoding.ASCII:
            return ascii_digits(field)
        if kind == "n" and encoding is Encoding.BCD:
            return packed_digits_on_the_right(field)
        if kind in ("a", "an", "ans"):
            page = self._encoding.code_page if encoding is Encoding.EBCDIC else None
            return text_on_the_left(field, page)
        return None

    def _field(self, name: str, layout: FieldLayout) -> FieldCodec:
        parsed = parse_format(layout.format)
        if layout.tags is not None or layout.bitmap is not None:
            return _counted(name, self.enclosed(name, layout), self._lengths(layout, parsed.size))
        content = self._content(name, layout)
        take, give = self._values.take(name, layout), self._values.give(name, layout)
        if not parsed.dots:
            return _fixed(name, content, take, give, self._fixed_characters(layout))
        return self._variable(name, layout, content, take, give)

    def enclosed(self, name: str, layout: FieldLayout) -> EnclosedCodec:
        """A field without its length: the value of a tag, or what stands behind a length."""
        if layout.tags is not None:
            return tag_structure(name, layout.tags, self.enclosed, self._encoding.code_page)
        if layout.bitmap is not None:
            return bitmap_structure(name, layout.bitmap, self.field)
        return self._enclosed_value(name, layout)

    def _enclosed_value(self, name: str, layout: FieldLayout) -> EnclosedCodec:
        content = self._content(name, layout)
        take, give = self._values.take(name, layout), self._values.give(name, layout)
        fixed = not parse_format(layout.format).dots
        most = self._fixed_characters(layout)
        wrong = f"{name} has a wrong length"

        def write(values: Values) -> bytes | None:
            text = take(values)
            return None if text is None else content.encode(text)

        def read(raw: bytes, values: dict[Role, str]) -> None:
            if give is None:
                return
            if len(raw) > content.size(most) or (fixed and len(raw) < content.size(most)):
                raise MalformedMessage(wrong)
            characters = most if fixed else len(raw) * (2 if content.halved else 1)
            give(content.decode(raw, characters), values)

        return EnclosedCodec(write, read)

    def _content(self, name: str, layout: FieldLayout) -> Content:
        kind, encoding = parse_format(layout.format).content, self._encoding_of(layout)
        if kind == "b":
            in_ebcdic = self._encoding.text is Encoding.EBCDIC
            return byte_content(name, encoding, self._encoding.code_page if in_ebcdic else None)
        if encoding is Encoding.BCD:
            return packed_digits(name, kind, layout.pad or Side.LEFT)
        page = self._encoding.code_page if encoding is Encoding.EBCDIC else None
        return text_content(name, kind, page)

    def _encoding_of(self, layout: FieldLayout) -> Encoding:
        if layout.encoding is not None:
            return layout.encoding
        kind = parse_format(layout.format).content
        if kind == "b":
            return self._encoding.binary
        return self._encoding.numbers if kind in ("n", "z") else self._encoding.text

    def _fixed_characters(self, layout: FieldLayout) -> int:
        """The most characters, as the content counts them: of hexadecimal digits, two per byte."""
        size = parse_format(layout.format).size
        return size * 2 if self._encoding_of(layout) is Encoding.HEX else size

    def _lengths(self, layout: FieldLayout, most: int) -> Lengths:
        encoding = layout.length or self._encoding.length
        if encoding is Encoding.BINARY:
            width = layout.length_bytes or (1 if most <= 255 else 2)
        else:
            width = parse_format(layout.format).dots
        return length_table(encoding, width, most, self._encoding.code_page)

    def _variable(
        self, name: str, layout: FieldLayout, content: Content, take: Take, give: Give | None
    ) -> FieldCodec:
        in_bytes = (layout.counted_in or self._encoding.counted_in) is CountedIn.BYTES
        most = self._fixed_characters(layout)
        unit = 2 if in_bytes and self._encoding_of(layout) is Encoding.HEX else 1
        counts_text = content.halved and not in_bytes
        largest = content.size(most) if in_bytes else most
        lengths = self._lengths(layout, largest // unit)
        width, written, lengths_read = lengths
        bad_length, short = f"{name} has a length that cannot be", f"{name} is cut off"

        def write(values: Values) -> bytes | None:
            text = take(values)
            if text is None:
                return None
            raw = content.encode(text)
            return written[len(text) if counts_text else len(raw) // unit] + raw

        def read(data: bytes, at: int, values: dict[Role, str]) -> int:
            start = at + width
            count = lengths_read.get(data[at:start])
            if count is None:
                raise MalformedMessage(bad_length)
            size = (count + 1) // 2 if counts_text else count * unit
            end = start + size
            if end > len(data):
                raise MalformedMessage(short)
            if give is not None and count:
                characters = count if counts_text else size * (2 if content.halved else 1)
                give(content.decode(data[start:end], characters), values)
            return end

        return FieldCodec(write, read)


def _fixed(
    name: str, content: Content, take: Take, give: Give | None, characters: int
) -> FieldCodec:
    size, short = content.size(characters), f"{name} is cut off"
    encode, decode = content.encode, content.decode

    def write(values: Values) -> bytes | None:
        text = take(values)
        return None if text is None else encode(text)

    def read(data: bytes, at: int, values: dict[Role, str]) -> int:
        end = at + size
        if end > len(data):
            raise MalformedMessage(short)
        if give is not None:
            give(decode(data[at:end], characters), values)
        return end

    return FieldCodec(write, read)


def _counted(name: str, inside: EnclosedCodec, lengths: Lengths) -> FieldCodec:
    width, written, read_lengths = lengths
    too_long, bad_length = f"{name} is too long", f"{name} has a length that cannot be"
    short = f"{name} is cut off"

    def write(values: Values) -> bytes | None:
        raw = inside.write(values)
        if raw is None:
            return None
        if len(raw) >= len(written):
            raise MalformedMessage(too_long)
        return written[len(raw)] + raw

    def read(data: bytes, at: int, values: dict[Role, str]) -> int:
        start = at + width
        count = read_lengths.get(data[at:start])
        if count is None:
            raise MalformedMessage(bad_length)
        end = start + count
        if end > len(data):
            raise MalformedMessage(short)
        inside.read(data[start:end], values)
        return end

    return FieldCodec(write, read)
