"""Parses a caller's internet address, and extracts IPv4 addresses that IPv6 addresses wrap."""

import re
from bisect import bisect_right
from socket import AF_INET, AF_INET6, inet_ntop, inet_pton
from typing import Final

import msgspec

MOST_IN_LIST: Final = 10
# Enough for an IPv6 address with an interface name, brackets and a port.
LONGEST: Final = 128


class Address(msgspec.Struct, frozen=True, gc=False):
    """An internet address; where IPv6 only wraps an IPv4 address, the latter.

    The network is the /24 around an IPv4 address or the /48 around an IPv6 address. An address is
    public when a stranger on the internet can have it.
    """

    text: str
    version: int
    value: int
    network: str
    is_public: bool
    wrapped: str | None = None

    @property
    def household(self) -> str:
        """The address, or the /64 around an IPv6 address.

        A device changes its address within its subnet every few hours, or as often as it likes.
        """
        if self.version == 4:
            return self.text
        subnet = (self.value >> 64 << 64).to_bytes(16, "big")
        return inet_ntop(AF_INET6, subnet) + "/64"


def _edges(*ranges: tuple[str, int]) -> tuple[int, ...]:
    """The first address of each range and the first address after it, in order."""
    edges: list[int] = []
    for start, bits in ranges:
        first = int.from_bytes(inet_pton(AF_INET, start), "big")
        edges += (first, first + (1 << (32 - bits)))
    return tuple(edges)


# Where no stranger on the internet can be (RFC 6890 and its registry), in ascending order.
_SPECIAL_V4: Final = _edges(
    ("0.0.0.0", 8),  # this network  # noqa: S104 - a range, no socket
    ("10.0.0.0", 8),  # private
    ("100.64.0.0", 10),  # shared by a carrier's customers
    ("127.0.0.0", 8),  # this host
    ("169.254.0.0", 16),  # link-local
    ("172.16.0.0", 12),  # private
    ("192.0.0.0", 24),  # protocol assignments
    ("192.0.2.0", 24),  # documentation
    ("192.168.0.0", 16),  # private
    ("198.18.0.0", 15),  # benchmarks
    ("198.51.100.0", 24),  # documentation
    ("203.0.113.0", 24),  # documentation
    ("224.0.0.0", 3),  # multicast, reserved, broadcast
)

# The same for the leading 32 bits of IPv6. Global unicast is 2000::/3 and nothing else.
_SPECIAL_V6: Final = (
    0,
    0x20000000,  # up to here: loopback, unspecified, and what is not assigned
    0x20010000,
    0x20010200,  # 2001::/23: protocol assignments
    0x20010DB8,
    0x20010DB9,  # 2001:db8::/32: documentation
    0x3FFF0000,
    0x3FFF1000,  # 3fff::/20: documentation
    0x40000000,  # from here: private, link-local, multicast, and what is not assigned
)

_MAPPED: Final = bytes(10) + b"\xff\xff"
_NAT64: Final = b"\x00\x64\xff\x9b" + bytes(8)
_6TO4: Final = b"\x20\x02"
_TEREDO: Final = b"\x20\x01\x00\x00"

_PORT: Final = re.compile(r"[0-9]{1,5}")
_ZONE: Final = re.compile(r"[A-Za-z0-9._~-]{1,64}")


def read_address(text: str) -> Address | None:
    """The address that the text names, or None when it names none.

    The text may carry a port, brackets, quotation marks, the name of an interface, surrounding
    space and the `for=` of a Forwarded header. Of a list with commas, as proxies write it, the
    first public address of at most ten counts, or else the first that can be read.
    """
    if "," not in text:
        return _read_one(text)
    fallback = None
    for part in text.split(",", MOST_IN_LIST)[:MOST_IN_LIST]:
        address = _read_one(part)
        if address is not None:
            if address.is_public:
                return address
            fallback = fallback or address
    return fallback


def _read_one(text: str) -> Address | None:
    text = text.strip()
    if len(text) > LONGEST:
        return None
    # RFC 7239: for="[2001:db8::1]:4711";proto=https
    if text[:4].lower() == "for=":
        text = text[4:].partition(";")[0].rstrip()
    if text[:1] == '"' == text[-1:]:
        text = text[1:-1]
    try:
        if text[:1] == "[":
            text, bracket, rest = text[1:].partition("]")
            if not bracket or not _is_port_or_nothing(rest):
                return None
        elif ":" in text:
            host, _, port = text.partition(":")
            if "." in host and is_port(port):
                text = host
        if ":" in text:
            return _from_v6(text)
        # No other text form of an IPv4 address is accepted, so the text is canonical already.
        return _from_v4(inet_pton(AF_INET, text), text, None)
    # A NUL or half a surrogate pair raises ValueError, any other bad text OSError.
    except (OSError, ValueError):
        return None


def _from_v4(packed: bytes, text: str, wrapped: str | None) -> Address:
    value = int.from_bytes(packed, "big")
    is_public = not bisect_right(_SPECIAL_V4, value) & 1
    return Address(text, 4, value, text[: text.rindex(".")] + ".0/24", is_public, wrapped)


def _from_v6(text: str) -> Address | None:
    text, percent, zone = text.partition("%")
    if percent and not _ZONE.fullmatch(zone):
        return None
    packed = inet_pton(AF_INET6, text)
    inner = _unwrap(packed)
    if inner is not None:
        return _from_v4(inner[1], inet_ntop(AF_INET, inner[1]), inner[0])
    value = int.from_bytes(packed, "big")
    network = inet_ntop(AF_INET6, packed[:6] + bytes(10)) + "/48"
    is_public = not bisect_right(_SPECIAL_V6, value >> 96) & 1
    return Address(inet_ntop(AF_INET6, packed), 6, value, network, is_public)


def _unwrap(packed: bytes) -> tuple[str, bytes] | None:
    """How an IPv6 address wraps an IPv4 address, and that address; None when it does not."""
    head = packed[:12]
    if head == _MAPPED:
        return "mapped", packed[12:]
    if head == _NAT64:
        return "nat64", packed[12:]
    if head[:2] == _6TO4:
        return "6to4", packed[2:6]
    if head[:4] == _TEREDO:
        # Teredo inverts the bits of its client's address, so that no router rewrites them.
        return "teredo", bytes(byte ^ 0xFF for byte in packed[12:])
    return None


def _is_port_or_nothing(text: str) -> bool:
    return not text or (text[0] == ":" and is_port(text[1:]))


def is_port(text: str) -> bool:
    """Whether a text is the number of a port."""
    return _PORT.fullmatch(text) is not None and int(text) < 65_536
