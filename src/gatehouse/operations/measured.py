"""Outside parties whose calls are measured: how each ended, and how long it took."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from gatehouse.core.errors import ConnectorFailed
from gatehouse.gateway.operating import (
    Offer,
    OperationAnswer,
    PaymentOperation,
    offer_of,
    operate,
)
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

    async def _ask(self, call: str, answer: Awaitable[T], *, requests: int = 1) -> T:
        """The answer, which so many `requests` wait for."""
        started, outcome = time.perf_counter(), "defect"
        self._outside.waiting += requests
        try:
            found = await answer
            outcome = "answered"
            return found
        except ConnectorFailed as failure:
            unsent = failure.answered and not failure.sent
            outcome = "unsent" if unsent else "failed"
            raise
        except asyncio.CancelledError:
            # The engine gives a call up in this way when its time is over.
            outcome = "timeout"
            raise
        finally:
            self._outside.waiting -= requests
            self._observe(self._connector, call, outcome, time.perf_counter() - started)


class MeasuredIssuer(_Measured):
    """An issuer whose calls are measured."""

    def __init__(self, issuer: Issuer, observe: Observe, outside: Outside | None = None) -> None:
        super().__init__("issuer", observe, outside)
        self._issuer = issuer

    def check(self, enquiry: CardEnquiry) -> Coroutine[Any, Any, IssuerAnswer]:
        """Ask about one card."""
        return self._ask("check", self._issuer.check(enquiry))


class MeasuredIdentities(_Measured):
    """An identity source whose calls are measured."""

    def __init__(
        self, source: IdentitySource, observe: Observe, outside: Outside | None = None
    ) -> None:
        super().__init__("identities", observe, outside)
        self._source = source

    def find(self, enquiry: IdentityEnquiry) -> Coroutine[Any, Any, Holders | HolderResults]:
        """Ask who holds a card."""
        return self._ask("find", self._source.find(enquiry))


class MeasuredGateway(_Measured):
    """A payment gateway whose calls are measured."""

    refer: Callable[[Authorization], str | None]
    """What a reversal has to know; there only if the gateway itself is a `ReferringGateway`."""

    def __init__(
        self, gateway: PaymentGateway, observe: Observe, outside: Outside | None = None
    ) -> None:
        super().__init__("gateway", observe, outside)
        self._gateway = gateway
        if isinstance(gateway, ReferringGateway):
            self.refer = gateway.refer

    def authorize(self, authorization: Authorization) -> Coroutine[Any, Any, GatewayAnswer]:
        """Ask for one payment."""
        return self._ask("authorize", self._gateway.authorize(authorization))

    async def reverse(self, reversal: Reversal) -> None:
        """Ask for one reversal."""
        await self._ask("reverse", self._gateway.reverse(reversal), requests=0)

    def offer(self, operation: PaymentOperation) -> Offer:
        """How the gateway takes an operation."""
        return offer_of(self._gateway, operation)

    async def operate(self, operation: PaymentOperation) -> OperationAnswer:
        """Ask for a capture or a refund."""
        name = operation.kind.lower()
        return await self._ask(name, operate(self._gateway, operation), requests=0)
