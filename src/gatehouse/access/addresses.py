"""The address of a caller, believed only as far as trusted proxies vouch for it."""

import ipaddress
from functools import lru_cache
from typing import Final

from gatehouse.access.keys import IpAddress
from gatehouse.core.ip_networks import Network

Header = tuple[bytes, bytes]
_LONGEST_ADDRESS: Final = 64


def caller_address(
    peer: str, headers: list[Header], proxies: tuple[Network, ...]
) -> IpAddress | None:
    """The address of the caller behind trusted proxies, or None if theirs cannot be read."""
    address = _parse(peer)
    if not proxies or not _trusted(address, proxies):
        return address
    lines = [value for name, value in headers if name == b"x-forwarded-for"]
    if not lines:
        return address
    # Several lines are one list: a proxy may add a line of its own below the client's.
    for hop in reversed(b",".join(lines).decode("latin-1").split(",")):
        # Entries to the left of a hop that is unreadable or untrusted may be forged.
        address = _parse(_without_port(hop.strip()))
        if not _trusted(address, proxies):
            break
    return address


def shown_address(peer: str, headers: list[Header], proxies: tuple[Network, ...]) -> str | None:
    """The caller's address, or the proxy's if what that forwarded cannot be read."""
    if not proxies:
        return peer or None
    found = caller_address(peer, headers, proxies)
    return peer or None if found is None else str(found)


def is_trusted(peer: str, proxies: tuple[Network, ...]) -> bool:
    """Whether the other end of a connection is a trusted proxy."""
    return _trusted(_parse(peer), proxies)


def _parse(text: str) -> IpAddress | None:
    # The length is bounded, so that what is cached is small whatever strangers send.
    return _parse_short(text) if len(text) <= _LONGEST_ADDRESS else None


@lru_cache(4096)
def _parse_short(text: str) -> IpAddress | None:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _without_port(hop: str) -> str:
    """Some proxies write ``192.0.2.1:4711`` or ``[2001:db8::1]:4711``."""
    if hop.startswith("["):
        return hop[1:].partition("]")[0]
    return hop.partition(":")[0] if hop.count(":") == 1 else hop


def _trusted(address: IpAddress | None, proxies: tuple[Network, ...]) -> bool:
    return address is not None and any(address in network for network in proxies)
