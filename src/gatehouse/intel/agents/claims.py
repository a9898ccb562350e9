"""What one feed claims about an address: how that is written, and when a feed is refused."""

import re
from typing import Final

import msgspec

from gatehouse.core.cards.redaction import recordable

MAX_TEXT: Final = 200
_MAX_ASN: Final = 2**32 - 1
_ASN: Final = re.compile(r"(?:AS)?([0-9]{1,10})", re.IGNORECASE)
_NO_COUNTRY: Final = frozenset({"AP", "EU", "XX", "ZZ"})
"""Codes for regions and for an unknown country."""
NOT_KNOWN: Final = frozenset({"", "-", "--", "0", "AS0", *_NO_COUNTRY})
"""The values of tables that know no country or no network."""


class Refused(Exception):
    """A feed is not used; the text says why."""


class NoRoom(Refused):
    """There is no disk space for the copy of a feed; it is tried again later."""


class Claims(msgspec.Struct, frozen=True, gc=False):
    """What one feed claims about an address; each degree is how sure the feed itself is.

    `mobile` comes from the shipped table and from lists, `blocked` and `allowed` from lists only.
    """

    country: str | None = None
    asn: int | None = None
    organisation: str | None = None
    hosting: float = 0.0
    vpn: float = 0.0
    tor: float = 0.0
    proxy: float = 0.0
    relay: float = 0.0
    mobile: float = 0.0
    blocked: float = 0.0
    allowed: float = 0.0

    @property
    def flags(self) -> bool:
        """Whether it says that the address hides who uses it."""
        return bool(self.hosting or self.vpn or self.tor or self.proxy or self.relay)


NOTHING: Final = Claims()


class About(msgspec.Struct, frozen=True):
    """What a file says about itself."""

    kind: str
    """What it tells; a database may tell several of `country`, `asn`, `anonymity`, joined by +."""
    source: str
    licence: str
    date: str | None
    rows: int
    """How many rows a text has, or nodes a database."""


def read_country(value: object) -> str | None:
    """The country that a value names by its two letters, or None."""
    if not isinstance(value, str) or len(value) != 2 or not (value.isascii() and value.isalpha()):
        return None
    code = value.upper()
    return None if code in _NO_COUNTRY else code


def read_asn(value: object) -> int | None:
    """The number of a network, given as a number or as text with or without AS, or None."""
    if isinstance(value, str):
        match = _ASN.fullmatch(value)
        value = int(match[1]) if match else None
    return value if isinstance(value, int) and 0 < value <= _MAX_ASN else None


def read_text(value: object) -> str | None:
    """A name or a remark out of a file, made safe for showing, or None."""
    return recordable(value[:MAX_TEXT]).strip() or None if isinstance(value, str) else None
