"""Facts about a card's first six digits, read from a packed table that ships with the package."""

import hashlib
import lzma
import sys
from array import array
from importlib import resources
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

MAGIC: Final = b"GHBINS1\n"
BINS: Final = 1_000_000
LENGTH_BYTES: Final = 4
DATA_FILE: Final = "bins.bin.xz"
SOURCE_FILE: Final = "bins.json"


class BinDataError(Exception):
    """The packed table is damaged, or its two files do not belong together."""


class BinFacts(msgspec.Struct, frozen=True, gc=False):
    """What is known about one BIN; None means that the source does not say."""

    brand: str | None
    country: str | None
    funding: str | None
    prepaid: bool | None


class BinSource(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the table came from, under which licence, and how to recognise its data file."""

    package: str
    version: str
    upstream: str
    licence: str
    licence_url: str
    attribution: str
    date: Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}$")]
    rows: Annotated[int, Meta(ge=1, le=BINS)]
    sha256: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]


class BinTable:
    """Every known BIN, found by direct index."""

    __slots__ = ("_facts", "_index", "source")

    def __init__(
        self, index: "array[int]", facts: tuple[BinFacts | None, ...], source: BinSource
    ) -> None:
        self._index = index
        self._facts = facts
        self.source = source

    @property
    def rows(self) -> int:
        """How many BINs the table knows."""
        return self.source.rows

    def facts(self, bin_digits: str) -> BinFacts | None:
        """The facts for the first six digits, or None when they are unknown or not six digits."""
        head = bin_digits[:6]
        # Bare int() would also take signs, spaces, underscores and the digits of other scripts.
        if len(head) != 6 or not head.isascii() or not head.isdigit():
            return None
        return self._facts[self._index[int(head)]]


_FactsRow = tuple[
    Annotated[str, Meta(pattern=r"^[a-z][a-z0-9-]*$")] | None,
    Annotated[str, Meta(pattern=r"^[A-Z]{2}$")] | None,
    Literal["CREDIT", "DEBIT", "CHARGE"] | None,
    bool | None,
]
_facts_decoder = msgspec.json.Decoder(list[_FactsRow])
_source_decoder = msgspec.json.Decoder(BinSource)


def load_bins() -> BinTable:
    """Read the table that ships with the package."""
    folder = resources.files("gatehouse.intel") / "data"
    try:
        packed = (folder / DATA_FILE).read_bytes()
        source = (folder / SOURCE_FILE).read_bytes()
    except OSError as error:
        raise BinDataError(f"the BIN table cannot be read: {error}") from error
    return read_bins(packed, source)


def read_bins(packed: bytes, source: bytes) -> BinTable:
    """Build a table from the bytes of its two files, or refuse them as a whole."""
    try:
        about = _source_decoder.decode(source)
    except msgspec.DecodeError as error:
        raise BinDataError(f"{SOURCE_FILE} is malformed: {error}") from error
    # The build proves that every index entry has its facts; the digest ties us to that proof,
    # because looking at a million entries again would double the time to start.
    if hashlib.sha256(packed).hexdigest() != about.sha256:
        raise BinDataError(f"{DATA_FILE} is not the file that {SOURCE_FILE} describes")
    facts, index = _unpack(packed)
    return BinTable(index, (None, *facts), about)


def _unpack(packed: bytes) -> tuple[list[BinFacts], "array[int]"]:
    try:
        payload = memoryview(lzma.decompress(packed, format=lzma.FORMAT_XZ))
    except lzma.LZMAError as error:
        raise BinDataError(f"{DATA_FILE} does not decompress: {error}") from error
    start = len(MAGIC) + LENGTH_BYTES
    if bytes(payload[: len(MAGIC)]) != MAGIC:
        raise BinDataError(f"{DATA_FILE} does not open with {MAGIC!r}")
    middle = start + int.from_bytes(payload[len(MAGIC) : start], "little")
    index: array[int] = array("H")
    if len(payload) != middle + BINS * index.itemsize:
        raise BinDataError(f"{DATA_FILE} holds {len(payload)} bytes, which is the wrong length")
    try:
        facts = [BinFacts(*row) for row in _facts_decoder.decode(payload[start:middle])]
    except msgspec.DecodeError as error:
        raise BinDataError(f"{DATA_FILE} lists malformed facts: {error}") from error
    index.frombytes(payload[middle:])
    if sys.byteorder == "big":
        index.byteswap()
    return facts, index
