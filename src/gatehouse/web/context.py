"""One HTTP request: its headers, its caller, and the reply that will be sent."""

import ipaddress
from typing import Any, Final

import msgspec

from gatehouse.access.accounts import Caller
from gatehouse.access.keys import IpAddress
from gatehouse.access.limits import Allowance
from gatehouse.core.redaction import recordable
from gatehouse.settings import Network

JSON: Final = b"application/json"
Header = tuple[bytes, bytes]
_VISIBLE: Final = frozenset(range(0x21, 0x7F))


class Reply(msgspec.Struct, frozen=True, gc=False):
    """Status, headers and body of an answer."""

    status: int
    body: bytes
    headers: tuple[Header, ...] = ()
    content_type: bytes = JSON
    cache_control: bytes = b"no-store"


class RequestContext(msgspec.Struct):
    """What is known about a request while it is answered."""

    scope: Any
    request_id: str
    headers: dict[bytes, bytes] = {}
    trace_id: str = ""
    route: str = "unmatched"
    field: str | None = None
    caller: Caller | None = None
    allowance: Allowance | None = None
    code: str | None = None
    reply: Reply | None = None

    def __post_init__(self) -> None:
        self.headers = dict(self.scope["headers"])
        self.trace_id = _trace_id(self.headers.get(b"x-request-id"), self.request_id)

    def header(self, name: bytes) -> str | None:
        """A header's text, or None."""
        value = self.headers.get(name)
        return None if value is None else value.decode("latin-1")

    def address(self, proxies: tuple[Network, ...]) -> IpAddress | None:
        """The caller's address; a forwarded address counts only from a trusted proxy."""
        address = _parse(self._peer())
        forwarded = self.header(b"x-forwarded-for")
        if forwarded is None or not _trusted(address, proxies):
            return address
        for hop in reversed(forwarded.split(",")):
            # Entries to the left of a hop that is unreadable or untrusted may be forged.
            address = _parse(_without_port(hop.strip()))
            if not _trusted(address, proxies):
                break
        return address

    def is_secure(self, proxies: tuple[Network, ...]) -> bool:
        """Whether the request came over TLS, here or at a trusted proxy."""
        if self.scope["scheme"] == "https":
            return True
        forwarded = self.header(b"x-forwarded-proto")
        return forwarded == "https" and _trusted(_parse(self._peer()), proxies)

    def _peer(self) -> str:
        client = self.scope.get("client")
        return client[0] if client else ""


def is_visible(text: bytes, most: int) -> bool:
    """Whether the text is 1 to `most` visible ASCII characters."""
    return 1 <= len(text) <= most and _VISIBLE.issuperset(text)


def _trace_id(given: bytes | None, request_id: str) -> str:
    if given is None or not is_visible(given, 128):
        return request_id
    return recordable(given.decode("ascii"))


def _parse(text: str) -> IpAddress | None:
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
