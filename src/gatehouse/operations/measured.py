"""Outside parties whose calls are measured: how each ended, and how long it took."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from gatehouse.core.errors import ConnectorFailed
from gatehouse.gateway.port import (
    Authorization,
    GatewayAnswer,
    PaymentGateway,
    ReferringGateway,
    Reversal,
)
from gatehouse.idverify.source import HolderResults, Holders, IdentityEnquiry, IdentitySource
from gatehouse.precheck.issuer import CardEnquiry, Issuer, IssuerAnswer

Observe = Callable[[str, str, str, float], None]
"""Takes the connector, the call, its outcome and the seconds."""
T = TypeVar("T")


class Outside:
    """Counts the requests that wait for an outside party now."""

    __slots__ = ("waiting",)

    def __init__(self) -> None:
        self.waiting = 0


class _Measured:
    def __init__(self, connector: str, observe: Observe, outside: Outside | None = None) -> None:
        self._connector = connector
        self._observe = observe
        self._outside = outside or Outside()

    async def _ask(self, call: str, answer: Awaitable[T]) -> T:
        """What a request waits for."""
        self._outside.waiting += 1
        try:
            return await self._measure(call, answer)
        finally:
            self._outside.waiting -= 1

    async def _measure(self, call: str, answer: Awaitable[T]) -> T:
        started, outcome = time.perf_counter(), "defect"
        try:
            found = await answer
            outcome = "answered"
            return found
        except ConnectorFailed as failure:
            waits = failure.answered and not failure.sent
            outcome = "unsent" if waits else "failed"
            raise
        except asyncio.CancelledError:
            # The engine gives a call up in this way when its time is over.
            outcome = "timeout"
            raise
        finally:
            self._observe(self._connector, call, outcome, time.perf_counter() - started)


class MeasuredIssuer(_Measured):
    """An issuer whose calls are measured."""

    def __init__(self, issuer: Issuer, observe: Observe, outside: Outside | None = None) -> None:
        super().__init__("issuer", observe, outside)
        self._issuer = issuer

    async def check(self, enquiry: CardEnquiry) -> IssuerAnswer:
        """Ask about one card."""
        return await self._ask("check", self._issuer.check(enquiry))


class MeasuredIdentities(_Measured):
    """An identity source whose calls are measured."""

    def __init__(
        self, source: IdentitySource, observe: Observe, outside: Outside | None = None
    ) -> None:
        super().__init__("identities", observe, outside)
        self._source = source

    async def find(self, enquiry: IdentityEnquiry) -> Holders | HolderResults:
        """Ask who holds a card."""
        return await self._ask("find", self._source.find(enquiry))


class MeasuredGateway(_Measured):
    """A payment gateway whose calls are measured."""

    def __init__(
        self, gateway: PaymentGateway, observe: Observe, outside: Outside | None = None
    ) -> None:
        super().__init__("gateway", observe, outside)
        self._gateway = gateway
        self._refer = gateway.refer if isinstance(gateway, ReferringGateway) else None

    def refer(self, authorization: Authorization) -> str | None:
        """What a reversal has to know; nothing is sent."""
        return None if self._refer is None else self._refer(authorization)

    async def authorize(self, authorization: Authorization) -> GatewayAnswer:
        """Ask for one payment."""
        return await self._ask("authorize", self._gateway.authorize(authorization))

    async def reverse(self, reversal: Reversal) -> None:
        """Ask for one reversal."""
        await self._measure("reverse", self._gateway.reverse(reversal))
