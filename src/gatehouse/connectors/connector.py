"""What the service needs of a connector, whatever it speaks on the wire."""

from typing import Protocol

import msgspec

from gatehouse.gateway.port import PaymentGateway
from gatehouse.idverify.source import IdentitySource
from gatehouse.precheck.issuer import Issuer


class ConnectorState(msgspec.Struct, frozen=True):
    """How a connector is at this moment."""

    connections: int
    """Open and usable ones."""
    wanted: int
    """How many it tries to keep open; 0 when it opens them as they are needed."""
    in_flight: int
    """Requests that wait for an answer."""
    problem: str | None = None
    """Why it cannot be used, or why a connection was lost last; never holds card data."""
    late_answers: int = 0
    """Since the start: answers that came after their request was given up."""


class Connector(Protocol):
    """A party outside, reached over a network; it answers for the functions that it offers."""

    @property
    def issuer(self) -> Issuer | None:
        """For PreCheck."""

    @property
    def identities(self) -> IdentitySource | None:
        """For ID Verify."""

    @property
    def gateway(self) -> PaymentGateway | None:
        """For Gateway; a `ReferringGateway` where the request id is not enough for a reversal."""

    async def start(self) -> None:
        """Begin to open connections; returns at once, whether the party answers or not."""

    async def stop(self) -> None:
        """Let what is in flight end within its time limit, then close every connection."""

    def state(self) -> ConnectorState:
        """How it is now."""
