"""Outside parties whose calls are measured: how each ended, and how long it took."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from msgspec.structs import replace

from gatehouse.core.cards.network_ids import NetworkIdSealer
from gatehouse.core.errors import ConnectorFailed, KeyMissing, SealBroken
from gatehouse.core.ids import Randomness
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
Asked = TypeVar("Asked", Reversal, PaymentOperation)


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
    """A payment gateway whose calls are measured.

    What it tells of authorized payments to find them by is sealed for everybody else.
    """

    refer: Callable[[Authorization], str | None]
    """What a reversal has to know; there only if the gateway itself is a `ReferringGateway`."""

    def __init__(
        self,
        gateway: PaymentGateway,
        observe: Observe,
        outside: Outside | None,
        sealer: NetworkIdSealer,
        randomness: Randomness,
    ) -> None:
        super().__init__("gateway", observe, outside)
        self._gateway = gateway
        self._sealer = sealer
        self._randomness = randomness
        if isinstance(gateway, ReferringGateway):
            self.refer = gateway.refer

    async def authorize(self, authorization: Authorization) -> GatewayAnswer:
        """Ask for one payment."""
        answer = await self._ask("authorize", self._gateway.authorize(authorization))
        reference, place = answer.reference, (authorization.account_id, authorization.request_id)
        if reference is not None:
            # A connector that tells the number itself is not listened to.
            told = authorization.number.reveal() in reference
            sealed = self._sealer.seal_reference(place, reference, self._randomness)
            answer = replace(answer, reference=None if told else sealed)
        return answer

    async def reverse(self, reversal: Reversal) -> None:
        """Ask for one reversal."""
        await self._ask("reverse", self._gateway.reverse(self._opened(reversal)), requests=0)

    def offer(self, operation: PaymentOperation) -> Offer:
        """How the gateway takes an operation."""
        return offer_of(self._gateway, self._opened(operation))

    async def operate(self, operation: PaymentOperation) -> OperationAnswer:
        """Ask for a capture or a refund."""
        done = operate(self._gateway, self._opened(operation))
        return await self._ask(operation.kind.lower(), done, requests=0)

    def _opened(self, about: Asked) -> Asked:
        """What is asked for, with the payment as the party knows it."""
        place = (about.account_id, about.request_id)
        try:
            reference = self._sealer.open_reference(place, about.payment.reference)
        except (KeyMissing, SealBroken) as error:
            raise ConnectorFailed(f"a payment cannot be found: {error}", sent=False) from None
        return replace(about, payment=replace(about.payment, reference=reference))
