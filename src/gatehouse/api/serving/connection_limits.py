"""What one connection may take, and all of them together."""

from collections.abc import Callable

import msgspec

from gatehouse.api.serving.shedding import LoadGate
from gatehouse.core.ip_networks import Network
from gatehouse.settings.settings import Settings


class Limits(msgspec.Struct, frozen=True):
    """What one connection may take, and all of them together."""

    header_timeout_s: float
    body_timeout_s: float
    write_timeout_s: float
    header_bytes: int
    header_lines: int
    connections: int
    proxies: tuple[Network, ...]
    admits: Callable[[], bool] = lambda: True
    """Asked for each request of the API whether there is room for it."""
    is_full: Callable[[], bool] = lambda: False
    """Whether `admits` would say no now; asked before anything is parsed."""

    @classmethod
    def of(cls, settings: Settings, gate: LoadGate | None = None) -> "Limits":
        """The limits that an operator has set."""
        asked = {} if gate is None else {"admits": gate.admits, "is_full": gate.is_full}
        return cls(
            header_timeout_s=settings.header_timeout_ms / 1000,
            body_timeout_s=settings.body_timeout_ms / 1000,
            write_timeout_s=settings.write_timeout_ms / 1000,
            header_bytes=settings.max_header_bytes,
            header_lines=settings.max_header_lines,
            connections=settings.max_connections,
            proxies=settings.trusted_proxies,
            **asked,
        )
