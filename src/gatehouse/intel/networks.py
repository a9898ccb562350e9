"""Who holds an internet address and where, read from a packed table that ships with the package."""

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Annotated, Final, Literal, Protocol

import msgspec
from msgspec import Meta

from gatehouse.intel.addresses import Address
from gatehouse.intel.agents.claims import Claims
from gatehouse.intel.packed import (
    Day,
    PackedDataError,
    Sha256,
    integers,
    read_description,
    shipped_file,
    unpack_head,
)

MAGIC: Final = b"GHNETS1\n"
DATA_FILE: Final = "networks.bin.gz"
SOURCE_FILE: Final = "networks.json"

# The bits of an autonomous system's class.
HOSTING: Final = 1
VPN: Final = 2
RELAY: Final = 4
MOBILE: Final = 8


class AddressFacts(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """What the feeds know about an address.

    Each degree says how far its claim can be believed: 1 for fresh data, less for old, 0 for none.
    A relay hides ordinary consumers, for example iCloud Private Relay. Behind an address of a
    mobile carrier are many people. The last three come from the operator's own lists.
    """

    country: str | None = None
    asn: int | None = None
    organisation: str | None = None
    hosting: float = 0.0
    vpn: float = 0.0
    tor: float = 0.0
    proxy: float = 0.0
    relay: float = 0.0
    mobile: bool = False
    blocked: bool = False
    allowed: bool = False
    country_blocked: bool = False


class AddressBook(Protocol):
    """The port to what is known about addresses."""

    def look(self, address: Address, day: int) -> AddressFacts:
        """The facts about a public address on a day, counted from 1970: data grows old."""
        ...


class Feed(msgspec.Struct, frozen=True):
    """Where a set of facts came from, how old it is, and how to recognise it."""

    name: str
    kind: str
    source: str
    licence: str
    date: str | None
    rows: int
    sha256: str | None
    origin: Literal["shipped", "operator"] = "shipped"


class NetworkPackage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A package that the table was made from."""

    package: str
    version: str
    upstream: str
    attribution: str
    date: Day
    rows: int


class NetworkSource(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the table came from, under which licence, and how to recognise its data file.

    The date is that of the oldest package.
    """

    packages: Annotated[tuple[NetworkPackage, ...], Meta(min_length=1)]
    licence: str
    licence_url: str
    date: Day
    rows: Annotated[int, Meta(ge=1)]
    sha256: Sha256


class Contents(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The head of the packed table: its countries, and how much of everything follows."""

    countries: list[Annotated[str, Meta(pattern=r"^[A-Z]{2}\Z")]]
    systems: Annotated[int, Meta(ge=0)]
    names: Annotated[int, Meta(ge=0)]
    v4: Annotated[int, Meta(ge=1)]
    v6: Annotated[int, Meta(ge=1)]


class Ranges(msgspec.Struct, frozen=True):
    """Adjoining ranges of addresses in ascending order; each ends where the next one starts.

    The first starts at zero. An IPv6 range starts with the upper 64 bits of an address. Zero as
    country or holder means that none is known.

    These are no `Segments`: filling those from the file's columns would take 0.4 s at every start,
    twice as long as reading the file.
    """

    starts: "array[int]"
    countries: bytes
    holders: "array[int]"


class Systems(msgspec.Struct, frozen=True):
    """The autonomous systems: their numbers, their holders' names and their classes."""

    numbers: "array[int]"
    names: list[str]
    classes: bytes


class PackedNetworks:
    """The country, autonomous system, holder and class of every address, by bisection."""

    __slots__ = ("_countries", "_systems", "_v4", "_v6", "feed")

    def __init__(
        self, countries: list[str], systems: Systems, v4: Ranges, v6: Ranges, feed: Feed
    ) -> None:
        self._countries = (None, *countries)
        self._systems = systems
        self._v4 = v4
        self._v6 = v6
        self.feed = feed

    def find(self, address: Address) -> Claims:
        """What the table says about an address."""
        if address.version == 4:
            ranges, key = self._v4, address.value
        else:
            ranges, key = self._v6, address.value >> 64
        place = bisect_right(ranges.starts, key) - 1
        country = self._countries[ranges.countries[place]]
        holder = ranges.holders[place] - 1
        if holder < 0:
            return Claims(country)
        systems = self._systems
        kind = systems.classes[holder]
        return Claims(
            country,
            systems.numbers[holder],
            systems.names[holder],
            kind & HOSTING != 0,
            kind & VPN != 0,
            relay=kind & RELAY != 0,
            mobile=kind & MOBILE != 0,
        )


_contents_decoder = msgspec.json.Decoder(Contents)


def load_networks() -> PackedNetworks:
    """Read the table that ships with the package."""
    return read_networks(shipped_file(DATA_FILE), shipped_file(SOURCE_FILE))


def read_networks(packed: bytes, source: bytes) -> PackedNetworks:
    """Build a table from the bytes of its two files, or refuse them as a whole."""
    about = read_description(source, SOURCE_FILE, packed, NetworkSource)
    contents, systems, v4, v6 = _unpack(packed)
    return PackedNetworks(contents.countries, systems, v4, v6, _feed(about))


def _feed(about: NetworkSource) -> Feed:
    packages = [f"{package.package} {package.version}" for package in about.packages]
    return Feed(
        name="networks",
        kind="networks",
        source=", ".join(packages),
        licence=about.licence,
        date=about.date,
        rows=about.rows,
        sha256=about.sha256,
    )


def _unpack(packed: bytes) -> tuple[Contents, Systems, Ranges, Ranges]:
    head, payload = unpack_head(packed, DATA_FILE, MAGIC)
    try:
        contents = _contents_decoder.decode(head)
    except msgspec.DecodeError as error:
        raise PackedDataError(f"{DATA_FILE} has a malformed head: {error}") from error
    names, numbers, classes, *ranges = _columns(payload, contents)
    try:
        holders = str(names, "utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise PackedDataError(f"{DATA_FILE} holds malformed names: {error}") from error
    if len(holders) != contents.systems:
        raise PackedDataError(f"{DATA_FILE} names {len(holders)} systems of {contents.systems}")
    systems = Systems(integers("I", numbers), holders, bytes(classes))
    return contents, systems, _ranges("I", ranges[:3]), _ranges("Q", ranges[3:])


def _columns(payload: memoryview, contents: Contents) -> list[memoryview]:
    """The columns in the order of the file.

    Names, numbers and classes of the systems; then starts, countries and holders of the ranges,
    first of IPv4, then of IPv6.
    """
    of_systems = (contents.names, 4 * contents.systems, contents.systems)
    of_v4 = (4 * contents.v4, contents.v4, 4 * contents.v4)
    of_v6 = (8 * contents.v6, contents.v6, 4 * contents.v6)
    lengths = of_systems + of_v4 + of_v6
    if len(payload) != sum(lengths):
        raise PackedDataError(f"{DATA_FILE} has columns of {len(payload)} bytes: the wrong length")
    ends = accumulate(lengths)
    return [payload[end - length : end] for end, length in zip(ends, lengths, strict=True)]


def _ranges(code: str, columns: Sequence[memoryview]) -> Ranges:
    starts, countries, holders = columns
    size = array(code).itemsize
    return Ranges(integers(code, _woven(starts, size)), bytes(countries), integers("I", holders))


def _woven(column: memoryview, size: int) -> bytearray:
    """Integers from a column of all lowest bytes, then all second bytes, which packs better."""
    count = len(column) // size
    woven = bytearray(len(column))
    for place in range(size):
        woven[place::size] = column[place * count : (place + 1) * count]
    return woven
