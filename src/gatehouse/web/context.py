"""One HTTP request: its headers, its caller, and the reply that will be sent."""

import ipaddress
from functools import lru_cache
from typing import Any, Final

import msgspec

from gatehouse.access.accounts import Caller
from gatehouse.access.keys import IpAddress
from gatehouse.access.limits import Allowance
from gatehouse.core.redaction import recordable
from gatehouse.core.unread_fields import FieldWarning
from gatehouse.setting_kinds import Network
from gatehouse.web.in_flight import InFlight

JSON: Final = b"application/json"
Header = tuple[bytes, bytes]
_LONGEST_ADDRESS: Final = 64
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
    warnings: tuple[FieldWarning, ...] = ()
    """Fields of the body that nothing reads."""
    strict: bool = False
    """Whether the caller prefers such fields to be errors."""
    slots: InFlight | None = None
    """Where a slot was taken for this request."""

    def __post_init__(self) -> None:
        self.headers = dict(self.scope["headers"])
        self.trace_id = _trace_id(self.headers.get(b"x-request-id"), self.request_id)

    def take_slot(self, slots: InFlight) -> None:
        """Count as a request that is being worked on, or be refused."""
        slots.take()
        self.slots = slots

    def give_slot_back(self) -> None:
        """Count no longer as a request that is being worked on."""
        if self.slots is not None:
            self.slots.give_back()
            self.slots = None

    def header(self, name: bytes) -> str | None:
        """A header's text, or None."""
        value = self.headers.get(name)
        return None if value is None else value.decode("latin-1")

    def lines(self, name: bytes) -> list[bytes]:
        """The values of every line of a header, in the order in which they came."""
        return [value for each, value in self.scope["headers"] if each == name]

    def address(self, proxies: tuple[Network, ...]) -> IpAddress | None:
        """The caller's address; a forwarded address counts only from a trusted proxy."""
        return caller_address(self.peer, self.scope["headers"], proxies)

    def shown_address(self, proxies: tuple[Network, ...]) -> str | None:
        """The caller's address for a log line."""
        return shown_address(self.peer, self.scope["headers"], proxies)

    def is_secure(self, proxies: tuple[Network, ...]) -> bool:
        """Whether the request came over TLS, here or at a trusted proxy."""
        if self.scope["scheme"] == "https":
            return True
        # One line of several may be the client's own, so none may say anything else.
        forwarded = set(self.lines(b"x-forwarded-proto"))
        return forwarded == {b"https"} and _trusted(_parse(self.peer), proxies)

    @property
    def peer(self) -> str:
        """The address at the other end of the connection, which may be a proxy's."""
        client = self.scope.get("client")
        return client[0] if client else ""


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


def is_visible(text: bytes, most: int) -> bool:
    """Whether the text is 1 to `most` visible ASCII characters."""
    return 1 <= len(text) <= most and _VISIBLE.issuperset(text)


def _trace_id(given: bytes | None, request_id: str) -> str:
    if given is None or not is_visible(given, 128):
        return request_id
    return recordable(given.decode("ascii"))


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
