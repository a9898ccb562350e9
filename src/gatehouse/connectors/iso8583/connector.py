"""A connector that speaks ISO 8583: checks, names and payments over the same connections."""

from gatehouse.connectors.connector import ConnectorState
from gatehouse.connectors.iso8583.checks import Iso8583Checks
from gatehouse.connectors.iso8583.dialect import Dialect
from gatehouse.connectors.iso8583.link.matching import LinkCounts
from gatehouse.connectors.iso8583.link.pool import LinkPool
from gatehouse.connectors.iso8583.link.pool_options import PoolOptions
from gatehouse.connectors.iso8583.payments import Iso8583Gateway, PaymentCodes
from gatehouse.connectors.iso8583.roles import MessageKind
from gatehouse.core.clock import Clock


class Iso8583Connector:
    """One party, reached over ISO 8583; what it offers is what its dialect has messages for."""

    def __init__(
        self, dialect: Dialect, options: PoolOptions, codes: PaymentCodes, clock: Clock
    ) -> None:
        self.pool = LinkPool(dialect, options, clock)
        kinds = dialect.kinds
        checks = Iso8583Checks(self.pool, dialect) if MessageKind.CHECK in kinds else None
        self.issuer = checks
        """For PreCheck."""
        self.identities = checks if checks is not None and checks.carries_names else None
        """For ID Verify: names alone."""
        self.gateway: Iso8583Gateway | None = None
        """For Gateway."""
        if can_pay(dialect):
            self.gateway = Iso8583Gateway(self.pool, dialect, clock, codes)

    @property
    def counts(self) -> LinkCounts:
        """What happened on its connections since the start."""
        return self.pool.exchange.counts

    async def start(self) -> None:
        """Begin to open connections; returns at once."""
        self.pool.start()

    async def stop(self) -> None:
        """Let what is in flight end, sign off and close all connections."""
        await self.pool.drain()
        if self.gateway is not None:
            await self.gateway.stop()
        await self.pool.close()

    def state(self) -> ConnectorState:
        """How it is now."""
        return self.pool.state()


def can_pay(dialect: Dialect) -> bool:
    """Whether a dialect has authorizations, and reversals without which none may be sent."""
    reversals = {MessageKind.REVERSE, MessageKind.REVERSE_ADVICE}
    return MessageKind.AUTHORIZE in dialect.kinds and not reversals.isdisjoint(dialect.kinds)
