"""Reads databases in the MaxMind format, of any publisher.

The records show what a database tells, because publishers name databases and fields in their own
ways. Its type names the publisher, and shows what it tells where the records do not.
"""

import contextlib
import hashlib
import logging
import tempfile
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address
from typing import BinaryIO, Final

import maxminddb
from maxminddb.reader import Metadata

from gatehouse.core.limits.lru_cache import LruCache
from gatehouse.intel.addresses import Address
from gatehouse.intel.agents.claims import (
    NOTHING,
    About,
    Claims,
    NoRoom,
    Refused,
    read_asn,
    read_country,
    read_text,
)
from gatehouse.intel.feeds.freshness import iso_date

_log: Final = logging.getLogger("gatehouse.intel")

_FLAGS: Final = {
    "hosting": ("is_hosting_provider", "hosting"),
    "vpn": ("is_anonymous_vpn", "vpn"),
    "tor": ("is_tor_exit_node", "tor"),
    "proxy": ("is_public_proxy", "is_residential_proxy", "proxy"),
    "relay": ("relay",),
}
"""Our names, and those of MaxMind's Anonymous IP and Anonymous Plus and of IPinfo's privacy."""
_TRUE: Final = (True, "true", "True", "1")
_MOST_KNOWN: Final = 65_536
_SAMPLED: Final = 500
_NETWORK_BITS: Final = {4: 24, 6: 48}
"""How long the prefix of `Address.network` is."""
_CHUNK: Final = 1 << 20


class AddressDatabase:
    """An open database, on a copy of its file."""

    __slots__ = ("_is_damaged", "_known", "_only_v4", "_reader", "about")

    def __init__(self, reader: maxminddb.Reader, about: About, *, only_v4: bool) -> None:
        self.about = about
        self._reader = reader
        self._only_v4 = only_v4
        self._is_damaged = False
        # Decoding a record with its names in eight languages costs ten times what finding it does.
        self._known: LruCache[str, Claims] = LruCache(_MOST_KNOWN)

    def claims(self, address: Address) -> Claims:
        """What the database says about an address."""
        found = self._known.find(address.network)
        if found is not None:
            return found
        if self._only_v4 and address.version == 6:
            return NOTHING
        try:
            record, prefix = self._reader.get_with_prefix_len(address.text)
        except (maxminddb.InvalidDatabaseError, ValueError) as error:
            if not self._is_damaged:
                self._is_damaged = True
                extra = {"source": self.about.source, "reason": str(error)}
                _log.warning("a database holds damaged records, which are passed over", extra=extra)
            return NOTHING
        found = claims_of(record)
        if prefix <= _NETWORK_BITS[address.version]:
            self._known.put(address.network, found)
        return found


def claims_of(record: object) -> Claims:
    """What a record of any of the known layouts says."""
    if not isinstance(record, dict) or not record:
        return NOTHING
    country = record.get("country_code") or record.get("country")
    if isinstance(country, dict):
        country = country.get("iso_code")
    asn = read_asn(record.get("autonomous_system_number") or record.get("asn"))
    organisation = None
    if asn is not None:
        named = record.get("autonomous_system_organization") or record.get("as_name")
        organisation = read_text(named or record.get("name"))
    flags = {
        flag: float(any(record.get(name) in _TRUE for name in names))
        for flag, names in _FLAGS.items()
    }
    sureness = record.get("anonymizer_confidence")
    if isinstance(sureness, int) and 0 < sureness < 100:
        flags["vpn"] *= sureness / 100
    return Claims(read_country(country), asn, organisation, **flags)


def copy_database(file: BinaryIO, most_bytes: int) -> tuple[AddressDatabase, str]:
    """Open a copy of a file; gives also the SHA-256 of what was copied.

    Overwriting a file while its pages are mapped kills the process that reads them, so only a copy
    that nobody else can change is mapped. The copy has no name and goes with its last reader.
    """
    digest, size = hashlib.sha256(), 0
    with _room():
        # It is closed below; only its creation can fail for lack of room.
        copy = tempfile.NamedTemporaryFile(prefix="gatehouse-", suffix=".mmdb")  # noqa: SIM115
    with copy:
        while part := file.read(_CHUNK):
            digest.update(part)
            with _room():
                copy.write(part)
                copy.flush()
            size += len(part)
            if size > most_bytes:
                raise Refused(f"is larger than {most_bytes >> 20} MiB")
        try:
            reader = maxminddb.open_database(copy.name)
            metadata = reader.metadata()
        except (maxminddb.InvalidDatabaseError, ValueError, TypeError):
            # The library's message names the copy, and does not tell these two apart.
            raise Refused("is no MaxMind database, or was cut off") from None
    about = _about(reader, metadata)
    return AddressDatabase(reader, about, only_v4=metadata.ip_version == 4), digest.hexdigest()


@contextlib.contextmanager
def _room() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise NoRoom(f"cannot be copied to the folder TMPDIR: {error.strerror}") from None


def _about(reader: maxminddb.Reader, metadata: Metadata) -> About:
    named = read_text(metadata.database_type) or "not stated"
    try:
        told = _told(_samples(reader, metadata.ip_version))
    except (maxminddb.InvalidDatabaseError, ValueError) as error:
        raise Refused(f"is damaged: {error}") from None
    if "anonymous" in named.lower() or "privacy" in named.lower():
        told.add("anonymity")
    if not told:
        raise Refused(
            f"is a database of the type {named!r}, whose records name neither countries nor "
            "networks nor anonymity"
        )
    source, licence = _publisher(named)
    kind = "+".join(part for part in ("country", "asn", "anonymity") if part in told)
    date = iso_date(metadata.build_epoch)
    return About(kind, source, licence, date, int(metadata.node_count))


def _samples(reader: maxminddb.Reader, ip_version: int) -> Iterator[object]:
    """The first records of each version, and some from all over the IPv4 space.

    Each is asked for by its address. The reader can go through all records by itself, but follows
    a damaged tree in circles, writes beyond its memory, and ends the process.
    """
    yield from _walk(reader, IPv4Address(0), 32)
    for top in range(1, 224):
        yield reader.get(f"{top}.{top}.{top}.{top}")
    if ip_version == 6:
        yield from _walk(reader, IPv6Address("2000::"), 128)


def _walk(
    reader: maxminddb.Reader, start: IPv4Address | IPv6Address, bits: int
) -> Iterator[object]:
    value = int(start)
    for _ in range(_SAMPLED):
        record, prefix = reader.get_with_prefix_len(type(start)(value))
        yield record
        left = bits - min(max(prefix, 1), bits)
        value = (value >> left) + 1 << left
        if value >> bits:
            return


def _told(records: Iterator[object]) -> set[str]:
    told = set()
    for record in records:
        claims = claims_of(record)
        if claims.country is not None:
            told.add("country")
        if claims.asn is not None:
            told.add("asn")
        if claims.flags:
            told.add("anonymity")
    return told


def _publisher(named: str) -> tuple[str, str]:
    """Who publishes databases of a type, and under which terms."""
    lower = named.lower()
    if lower.startswith("geolite2"):
        return f"MaxMind {named}", "GeoLite2 End User License Agreement"
    if lower.startswith("geoip"):
        return f"MaxMind {named}", "MaxMind's agreement"
    if lower.startswith("dbip"):
        return f"DB-IP {named}", "CC BY 4.0" if "lite" in lower else "DB-IP's agreement"
    if lower.startswith("ipinfo"):
        return f"IPinfo {named}", "CC BY-SA 4.0" if "lite" in lower else "IPinfo's agreement"
    return named, "not stated"
