"""One HTTP request: its headers, its caller, and the reply that will be sent."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from gatehouse.access.accounts import Caller
from gatehouse.access.addresses import Header, caller_address, is_trusted, shown_address
from gatehouse.access.keys import IpAddress
from gatehouse.access.limits import Allowance
from gatehouse.api.serving.in_flight import InFlight
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.ip_networks import Network
from gatehouse.core.reading.unread_fields import FieldWarning

JSON: Final = b"application/json"
API_REVISION: Final = "2026-11-19"
"""When the API last gained something that callers can see; docs/api.md lists the revisions."""
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
    ignored: Mapping[str, str] = {}
    """Known parts of the body that nothing reads, by path, each with the reason."""
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
        return forwarded == {b"https"} and is_trusted(self.peer, proxies)

    @property
    def peer(self) -> str:
        """The address at the other end of the connection, which may be a proxy's."""
        client = self.scope.get("client")
        return client[0] if client else ""


def is_visible(text: bytes, most: int) -> bool:
    """Whether the text is 1 to `most` visible ASCII characters."""
    return 1 <= len(text) <= most and _VISIBLE.issuperset(text)


def _trace_id(given: bytes | None, request_id: str) -> str:
    if given is None or not is_visible(given, 128):
        return request_id
    return recordable(given.decode("ascii"))
