"""Compares networks of internet addresses, of both versions."""

import ipaddress
from collections.abc import Iterable

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def is_inside(network: Network, others: Iterable[Network]) -> bool:
    """Whether a network is one of these, or a part of one."""
    # Only networks of one version are compared, which the type checker cannot see.
    return any(
        network.version == other.version and network.subnet_of(other)  # type: ignore[arg-type]
        for other in others
    )
