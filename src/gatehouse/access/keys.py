"""API keys: their format, what is stored of them, and whether one may be used for a call."""

import base64
import ipaddress
import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

import msgspec

from gatehouse.core.errors import InvalidInput
from gatehouse.core.ids import Randomness
from gatehouse.core.secrets.hashing import keyed_hash
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.core.wording.sentences import Phrase, said_by

_NO_SCOPE: Final = Phrase("refused.no_scope", "no scope {scope}; there are {known}")
_NETWORK_FORM: Final = Phrase("refused.network_form", "{why}; a network looks like 203.0.113.0/24")

_OTHER_SCOPES: Final = ("pipeline", "decisions", "reviews", "feedback", "billing", "events")
MANAGE: Final = "manage"
"""The scope of everything that can be managed."""
ANY_MANAGE: Final = "manage:*"
"""Asked for where every key that manages something may call; no key has it."""
MANAGE_SCOPES: Final = (
    *(MANAGE, "manage:rules", "manage:pipelines", "manage:lists", "manage:feedback"),
    *("manage:identities", "manage:models", "manage:connectors", "manage:webhooks"),
    *("manage:keys", "manage:billing", "manage:account", "manage:people", "manage:payments"),
)
"""Scopes that a key has only if they were named when it was issued."""
_MANAGING: Final = frozenset(MANAGE_SCOPES)
_PREFIXES: Final = {"sandbox": "gh_sandbox_", "production": "gh_live_"}
_KEY: Final = re.compile(r"gh_(?:sandbox|live)_[A-Za-z0-9_-]{43}")

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address


OF_PLAYGROUND: Final = "(playground)"
"""The name of the key with which the console's playground calls the API; no other key has it."""


class KeyRefusal(StrEnum):
    """Why a presented key is refused."""

    INVALID = "invalid_key"
    OTHER_ENVIRONMENT = "wrong_environment"
    CLOSED = "account_closed"
    SCOPE = "scope_not_allowed"
    NETWORK = "network_not_allowed"


class ApiKey(msgspec.Struct, frozen=True):
    """A key as it is stored: everything but its text."""

    key_id: str
    account_id: str
    name: str
    scopes: tuple[str, ...]
    networks: tuple[str, ...]
    rate_limit_per_second: int | None
    created_at_ms: int
    expires_at_ms: int | None
    revoked_at_ms: int | None
    last_used_at_ms: int | None = None
    successor: str | None = None
    """The key that replaced this one when it was rotated."""
    parent: str | None = None
    """The key that issued this one; None if a person did."""

    @property
    def is_of_playground(self) -> bool:
        """Whether the console made it for its own calls."""
        return self.name == OF_PLAYGROUND

    def status(self, now_ms: int) -> str:
        """One word for lists: active, revoked or expired."""
        if self.revoked_at_ms is not None and self.revoked_at_ms <= now_ms:
            return "revoked"
        if self.expires_at_ms is not None and self.expires_at_ms <= now_ms:
            return "expired"
        return "active"

    def allows_address(self, address: IpAddress | None) -> bool:
        """Whether a caller at this address may use the key."""
        if not self.networks:
            return True
        if address is None:
            return False
        return any(address in ipaddress.ip_network(net) for net in self.networks)

    def allows_operation(self, scope: str) -> bool:
        """Whether the key is for this operation."""
        return covers(self.scopes, scope)


def covers(scopes: Sequence[str], wanted: str) -> bool:
    """Whether a key with these scopes has the one that is wanted."""
    if not wanted.startswith(MANAGE):
        return not scopes or wanted in scopes
    if wanted == ANY_MANAGE:
        return not _MANAGING.isdisjoint(scopes)
    return MANAGE in scopes or wanted in scopes


def new_key_text(environment: str, random_bytes: Randomness) -> str:
    """A key of 256 random bits whose prefix tells its environment."""
    body = base64.urlsafe_b64encode(random_bytes(32)).rstrip(b"=").decode()
    return _PREFIXES[environment] + body


def key_hash(text: str, hashing_key: bytes) -> str:
    """The keyed hash under which a key is stored and found."""
    return keyed_hash(hashing_key, text.encode())


def examine_key_text(text: str, environment: str) -> KeyRefusal | None:
    """Why a key is refused by its format alone; None when it is well-formed."""
    if _KEY.fullmatch(text) is None:
        return KeyRefusal.INVALID
    if not text.startswith(_PREFIXES[environment]):
        return KeyRefusal.OTHER_ENVIRONMENT
    return None


def all_scopes() -> tuple[str, ...]:
    """One per operation, and those of managing.

    A key without scopes may use every operation, also those added later, and manages nothing.
    """
    operations = (spec.operation.name for spec in REGISTRY if spec.operation)
    return (*operations, *_OTHER_SCOPES, *MANAGE_SCOPES)


def check_scopes(scopes: Sequence[str]) -> tuple[str, ...]:
    """Scopes given by an operator."""
    known = all_scopes()
    for scope in scopes:
        if scope not in known:
            raise InvalidInput(_NO_SCOPE(scope=scope, known=", ".join(known)))
    return tuple(dict.fromkeys(scopes))


def check_networks(networks: Sequence[str]) -> tuple[str, ...]:
    """Caller networks given by an operator, in canonical form."""
    try:
        return tuple(str(ipaddress.ip_network(network)) for network in networks)
    except ValueError as error:
        raise InvalidInput(_NETWORK_FORM(why=said_by(error))) from None
