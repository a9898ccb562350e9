"""Writes small databases in the MaxMind format, as the tests need them."""

import ipaddress
from collections.abc import Mapping
from typing import Any

Node = list[Any]
"""What lies to the left and to the right: another node, the place of a record, or nothing."""

_EXTENDED = 7
_MARKER = b"\xab\xcd\xefMaxMind.com"


def encode(value: Any) -> bytes:
    """A value as the data section has it."""
    match value:
        case bool():
            return _head(14, int(value))
        case int():
            return _integer(6, value)
        case str():
            return _head(2, len(value.encode())) + value.encode()
        case list():
            return _head(11, len(value)) + b"".join(map(encode, value))
        case dict():
            pairs = (encode(name) + encode(one) for name, one in value.items())
            return _head(7, len(value)) + b"".join(pairs)
    raise TypeError(value)


def _integer(kind: int, value: int) -> bytes:
    data = value.to_bytes((value.bit_length() + 7) // 8, "big")
    return _head(kind, len(data)) + data


def _head(kind: int, size: int) -> bytes:
    length = b"" if size < 29 else bytes([size - 29])
    short = min(size, 29)
    if kind <= _EXTENDED:
        return bytes([kind << 5 | short]) + length
    return bytes([short, kind - _EXTENDED]) + length


def make(
    rows: Mapping[str, Any],
    database_type: str = "Test",
    *,
    built: int = 1_790_000_000,
    ip_version: int = 6,
    record_bits: int = 24,
) -> bytes:
    """A database with a record for each network; IPv4 lies at the bottom of an IPv6 tree."""
    root: Node = [None, None]
    data = b""
    networks = sorted(map(ipaddress.ip_network, rows), key=lambda network: network.prefixlen)
    for network in networks:
        _insert(root, network, ip_version, len(data))
        data += encode(rows[str(network)])
    nodes = _numbered(root)
    places = {id(node): number for number, node in enumerate(nodes)}

    def record(child: Any) -> int:
        if child is None:
            return len(nodes)
        return places[id(child)] if isinstance(child, list) else len(nodes) + 16 + int(child)

    tree = b"".join(_pair(record(left), record(right), record_bits) for left, right in nodes)
    # Readers insist on the size of each of these integers.
    about = {
        "binary_format_major_version": _integer(5, 2),
        "binary_format_minor_version": _integer(5, 0),
        "build_epoch": _integer(9, built),
        "database_type": encode(database_type),
        "description": encode({"en": "a test"}),
        "ip_version": _integer(5, ip_version),
        "languages": encode(["en"]),
        "node_count": _integer(6, len(nodes)),
        "record_size": _integer(5, record_bits),
    }
    metadata = b"".join(encode(name) + value for name, value in about.items())
    return tree + bytes(16) + data + _MARKER + _head(7, len(about)) + metadata


def _insert(root: Node, network: Any, ip_version: int, place: int) -> None:
    lead = 96 if ip_version == 6 and network.version == 4 else 0
    bits = "0" * lead + f"{int(network.network_address):0{network.max_prefixlen}b}"
    node = root
    for bit in bits[: lead + network.prefixlen - 1]:
        side = int(bit)
        if not isinstance(node[side], list):
            node[side] = [node[side], node[side]]
        node = node[side]
    node[int(bits[lead + network.prefixlen - 1])] = place


def _numbered(root: Node) -> list[Node]:
    nodes = [root]
    for node in nodes:
        nodes += [child for child in node if isinstance(child, list)]
    return nodes


def _pair(left: int, right: int, bits: int) -> bytes:
    if bits == 28:
        middle = (left >> 24 << 4 | right >> 24).to_bytes(1, "big")
        return (left & 0xFFFFFF).to_bytes(3, "big") + middle + (right & 0xFFFFFF).to_bytes(3, "big")
    return left.to_bytes(bits // 8, "big") + right.to_bytes(bits // 8, "big")
