"""What the layout of a field is compiled to: a function that writes it and one that reads it."""

from collections.abc import Callable
from typing import NamedTuple

from gatehouse.connectors.iso8583.roles import Role
from gatehouse.connectors.iso8583.values import Values

Write = Callable[[Values], bytes | None]
"""The bytes, or None when the values have nothing for them."""
Read = Callable[[bytes, int, dict[Role, str]], int]
"""Reads what begins at an offset, notes the values, and returns where it ends."""
ReadAll = Callable[[bytes, dict[Role, str]], None]
"""Reads all bytes that it is given, and notes the values."""


class FieldCodec(NamedTuple):
    """A field that can be written and read, with its length where it has one."""

    write: Write
    read: Read


class EnclosedCodec(NamedTuple):
    """The content of a field whose length stands elsewhere."""

    write: Write
    read: ReadAll
