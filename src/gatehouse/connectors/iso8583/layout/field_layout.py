"""One field as a dialect file lays it out: how it is written, what it is, what is inside it."""

import re
from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta, Struct

from gatehouse.connectors.iso8583.layout.checks import encoding_problems, structure_problems
from gatehouse.connectors.iso8583.layout.formats import CountedIn, Encoding, Side
from gatehouse.connectors.iso8583.roles import Role
from gatehouse.core.api_values import doc
from gatehouse.core.reading.validation import Checked

Format = Annotated[
    str,
    doc(
        "such as n6 (fixed), n..19 (two digits of length before it) or ans...999",
        pattern=r"(?:n|a|an|ans|b|z)(?:\.{2,4})?[1-9][0-9]{0,3}",
    ),
]
FieldNumber = Annotated[
    str, doc("the number of a field, from 2 to 128", pattern=r"[1-9][0-9]{0,2}")
]
Name = Annotated[str, doc("a name in lower case", pattern=r"[a-z][a-z0-9_-]{0,39}")]
Text = Annotated[str, Meta(min_length=1, max_length=999)]


class FieldLayout(Checked, Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One field, or a part of one: how it is written and what it is."""

    format: Format
    role: Role | None = None
    parameter: Name | None = None
    """What is written where no value is given for the role, or where there is no role."""
    value: Text | None = None
    """What is always written."""
    encoding: Encoding | None = None
    length: Encoding | None = None
    length_bytes: Annotated[int, Meta(ge=1, le=4)] | None = None
    counted_in: CountedIn | None = None
    pad: Side | None = None
    cut: bool = False
    """Whether a value that is too long is cut, and signs that cannot be sent are replaced."""
    parts: "tuple[FieldLayout, ...]" = ()
    tags: "TagLayout | None" = None
    bitmap: "BitmapLayout | None" = None

    def problems(self) -> Iterator[tuple[str, str]]:
        """What a place can hold: one thing."""
        inside = [
            name
            for name, given in (("parts", self.parts), ("tags", self.tags), ("bitmap", self.bitmap))
            if given
        ]
        if len(inside) > 1:
            yield inside[1], f"cannot be beside {inside[0]}: a field has one structure"
        if inside and (self.role or self.parameter or self.value):
            yield inside[0], "needs a field without role, parameter and value of its own"
        if self.value and (self.role or self.parameter):
            yield "value", "is always written: there is no use for a role or parameter beside it"
        yield from encoding_problems(self)
        yield from structure_problems(self)


class TagLayout(Checked, Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Values behind tags and lengths; tags that are not listed are skipped."""

    entries: "Annotated[dict[Text, FieldLayout], Meta(min_length=1, max_length=200)]"
    tag: Encoding = Encoding.ASCII
    tag_bytes: Annotated[int, Meta(ge=1, le=4)] = 2
    length: Encoding = Encoding.ASCII
    length_bytes: Annotated[int, Meta(ge=1, le=4)] = 2
    before: Annotated[str, Meta(max_length=16)] = ""
    """Characters in front of the first tag; those of a message that comes are skipped."""
    ber: bool = False
    """Tags and lengths as EMV has them: as many bytes as their first one says."""

    def problems(self) -> Iterator[tuple[str, str]]:
        """Tags have the size that is said."""
        for name in ("tag", "length"):
            if getattr(self, name) is Encoding.HEX:
                yield name, "must be ascii, ebcdic, bcd or binary"
        if isinstance(self.before, str) and not self.before.isascii():
            yield "before", "must be of ASCII characters"
        if not isinstance(self.entries, dict) or not isinstance(self.tag_bytes, int):
            return
        binary = self.ber or self.tag in (Encoding.BINARY, Encoding.BCD)
        for tag in self.entries:
            if binary and re.fullmatch(r"(?:[0-9A-F]{2}){1,4}", tag) is None:
                yield f"entries.{tag}", "the tag must be bytes in hexadecimal digits, in capitals"
            elif not self.ber and len(tag) != self.tag_bytes * (2 if binary else 1):
                yield f"entries.{tag}", f"the tag must have tag_bytes bytes: {self.tag_bytes}"
            elif not tag.isascii():
                yield f"entries.{tag}", "the tag must be of ASCII characters"


class BitmapLayout(Checked, Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Fields behind a bitmap of their own."""

    fields: "Annotated[dict[FieldNumber, FieldLayout], Meta(min_length=1)]"
    bytes: Annotated[int, Meta(ge=1, le=16)] = 8

    def problems(self) -> Iterator[tuple[str, str]]:
        """The bitmap has a bit for each field."""
        if isinstance(self.fields, dict) and isinstance(self.bytes, int):
            for number in self.fields:
                if number.isdecimal() and int(number) > self.bytes * 8:
                    yield f"fields.{number}", f"there are only {self.bytes * 8} bits"


def leaves_of(field: object) -> Iterator[FieldLayout]:
    """All places inside a field that hold one value; nothing for one that was refused."""
    if not isinstance(field, FieldLayout):
        return
    inner: list[FieldLayout] = list(field.parts)
    if field.tags is not None:
        inner += field.tags.entries.values()
    if field.bitmap is not None:
        inner += field.bitmap.fields.values()
    if not inner:
        yield field
    for each in inner:
        yield from leaves_of(each)


def roles_of(field: object) -> Iterator[Role]:
    """The roles inside a field."""
    return (leaf.role for leaf in leaves_of(field) if leaf.role is not None)


def parameters_of(field: object) -> Iterator[str]:
    """The parameters inside a field."""
    return (leaf.parameter for leaf in leaves_of(field) if leaf.parameter is not None)
