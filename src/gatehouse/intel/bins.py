"""Facts about a card's first six digits, read from a packed table that ships with the package."""

from array import array
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from gatehouse.intel.packed import (
    PackageSource,
    PackedDataError,
    integers,
    read_description,
    shipped_file,
    unpack_head,
)

MAGIC: Final = b"GHBINS1\n"
BINS: Final = 1_000_000
DATA_FILE: Final = "bins.bin.xz"
SOURCE_FILE: Final = "bins.json"


class BinFacts(msgspec.Struct, frozen=True, gc=False):
    """What is known about one BIN; None means that the source does not say."""

    brand: str | None
    country: str | None
    funding: str | None
    prepaid: bool | None


class BinTable:
    """Every known BIN, found by direct index."""

    __slots__ = ("_facts", "_index", "source")

    def __init__(
        self, index: "array[int]", facts: tuple[BinFacts | None, ...], source: PackageSource
    ) -> None:
        self._index = index
        self._facts = facts
        self.source = source

    def facts(self, bin_digits: str) -> BinFacts | None:
        """The facts for the first six digits, or None when they are unknown or not six digits."""
        head = bin_digits[:6]
        # Bare int() would also take signs, spaces, underscores and the digits of other scripts.
        if len(head) != 6 or not head.isascii() or not head.isdigit():
            return None
        return self._facts[self._index[int(head)]]


_FactsRow = tuple[
    Annotated[str, Meta(pattern=r"^[a-z][a-z0-9-]*\Z")] | None,
    Annotated[str, Meta(pattern=r"^[A-Z]{2}\Z")] | None,
    Literal["CREDIT", "DEBIT", "CHARGE"] | None,
    bool | None,
]
_facts_decoder = msgspec.json.Decoder(list[_FactsRow])


def load_bins() -> BinTable:
    """Read the table that ships with the package."""
    return read_bins(shipped_file(DATA_FILE), shipped_file(SOURCE_FILE))


def read_bins(packed: bytes, source: bytes) -> BinTable:
    """Build a table from the bytes of its two files, or refuse them as a whole."""
    about = read_description(source, SOURCE_FILE, packed, PackageSource)
    head, index = unpack_head(packed, DATA_FILE, MAGIC)
    if len(index) != 2 * BINS:
        raise PackedDataError(f"{DATA_FILE} has an index of {len(index)} bytes: the wrong length")
    try:
        facts = [BinFacts(*row) for row in _facts_decoder.decode(head)]
    except msgspec.DecodeError as error:
        raise PackedDataError(f"{DATA_FILE} lists malformed facts: {error}") from error
    return BinTable(integers("H", index), (None, *facts), about)
