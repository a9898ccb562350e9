"""Reads the packed tables that ship with the package: a compressed data file, and a JSON file that
describes the data and holds its digest.
"""

import gzip
import hashlib
import lzma
import sys
import zlib
from array import array
from importlib import resources
from typing import Annotated, Final, Protocol, TypeVar

import msgspec
from msgspec import Meta

LENGTH_BYTES: Final = 4
"""Behind the magic bytes, these hold the length of the JSON head that follows."""

Day = Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}\Z")]
Sha256 = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]


class PackedDataError(Exception):
    """A packed table is damaged, or its two files do not belong together."""


class PackageSource(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The package that a table was made from, its licence, and how to recognise the data."""

    package: str
    version: str
    upstream: str
    licence: str
    licence_url: str
    attribution: str
    date: Day
    rows: Annotated[int, Meta(ge=1)]
    sha256: Sha256


class _Description(Protocol):
    @property
    def sha256(self) -> str: ...


D = TypeVar("D", bound=_Description)


def shipped_file(name: str) -> bytes:
    """The bytes of a data file that ships with the package."""
    try:
        return (resources.files("gatehouse.intel") / "data" / name).read_bytes()
    except OSError as error:
        raise PackedDataError(f"{name} cannot be read: {error}") from error


def read_description(source: bytes, name: str, packed: bytes, kind: type[D]) -> D:
    """The description of a data file, which must be the file that it describes."""
    try:
        about = msgspec.json.decode(source, type=kind)
    except msgspec.DecodeError as error:
        raise PackedDataError(f"{name} is malformed: {error}") from error
    # The build proves that the table is whole; the digest ties us to that proof, because looking
    # at every row again would take as long as reading them.
    if hashlib.sha256(packed).hexdigest() != about.sha256:
        raise PackedDataError(f"the data file is not the file that {name} describes")
    return about


def unpack(packed: bytes, name: str) -> memoryview:
    """What a data file holds: compressed with gzip, or with xz, as its name says."""
    decompress = gzip.decompress if name.endswith(".gz") else lzma.decompress
    try:
        return memoryview(decompress(packed))
    except (lzma.LZMAError, OSError, EOFError, zlib.error) as error:
        raise PackedDataError(f"{name} cannot be unpacked: {error}") from error


def unpack_head(packed: bytes, name: str, magic: bytes) -> tuple[memoryview, memoryview]:
    """The JSON head of a data file that opens with magic bytes, and what follows the head."""
    payload = unpack(packed, name)
    start = len(magic) + LENGTH_BYTES
    if bytes(payload[: len(magic)]) != magic:
        raise PackedDataError(f"{name} does not open with {magic!r}")
    middle = start + int.from_bytes(payload[len(magic) : start], "little")
    return payload[start:middle], payload[middle:]


def integers(code: str, column: memoryview | bytearray | bytes) -> "array[int]":
    """A column of integers, which files keep with the lowest byte first."""
    found: array[int] = array(code)
    found.frombytes(column)
    if sys.byteorder == "big":
        found.byteswap()
    return found
