"""The sandbox's parties as a connector, to try routes without a party outside."""

from collections.abc import Coroutine
from typing import Any, Final, TypeVar

from gatehouse.connectors.connector import ConnectorState
from gatehouse.connectors.part_reader import Definition, PartReader
from gatehouse.connectors.sandbox.parties import SandboxGateway, SandboxIdentities, SandboxIssuer
from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.limits.timeouts import with_timeout
from gatehouse.gateway.operating import (
    EVERY_OPERATION,
    Offer,
    OperationAnswer,
    OperationKind,
    PaymentOperation,
)
from gatehouse.gateway.port import Authorization, GatewayAnswer, Reversal
from gatehouse.idverify.source import HolderResults, Holders, IdentityEnquiry, NoRecords
from gatehouse.precheck.issuer import CardEnquiry, IssuerAnswer

T = TypeVar("T")


class SandboxDefinition(Definition, frozen=True, kw_only=True, tag="sandbox"):
    """A connector to nobody: it knows the trigger cards, and moves no money."""

    def operations(self) -> frozenset[OperationKind]:
        """All of them."""
        return EVERY_OPERATION

    def unfit_for_production(self) -> tuple[str, ...]:
        """It answers for cards that it knows nothing about."""
        return ("it is a sandbox, which answers for cards that it knows nothing about",)


def read_sandbox(part: PartReader) -> SandboxDefinition | None:
    """The definition of a part, or None after its flaws were noted."""
    return part.convert(SandboxDefinition)


def make_sandbox(_name: str, definition: SandboxDefinition) -> "SandboxConnector":
    """A connector by its definition."""
    return SandboxConnector(definition.timeout_ms / 1000)


_PEOPLE: Final = SandboxIdentities(NoRecords())
_ISSUER: Final = SandboxIssuer()
_GATEWAY: Final = SandboxGateway()


class SandboxConnector:
    """Its own issuer, identity source and gateway; it gives silent cards up after a time."""

    def __init__(self, limit_s: float) -> None:
        self.issuer = self.identities = self.gateway = self
        self._limit_s = limit_s
        self._in_flight = 0

    async def start(self) -> None:
        """There is nothing to open."""

    async def stop(self) -> None:
        """There is nothing to close, and what is in flight needs nothing."""

    def state(self) -> ConnectorState:
        """How it is now."""
        return ConnectorState(connections=0, wanted=0, in_flight=self._in_flight)

    async def check(self, enquiry: CardEnquiry) -> IssuerAnswer:
        """Answer by the triggers in the enquiry."""
        return await self._within(_ISSUER.check(enquiry))

    async def find(self, enquiry: IdentityEnquiry) -> Holders | HolderResults:
        """Who holds a card of the sandbox."""
        return await self._within(_PEOPLE.find(enquiry))

    async def authorize(self, authorization: Authorization) -> GatewayAnswer:
        """Answer by the triggers in the card number."""
        return await self._within(_GATEWAY.authorize(authorization))

    async def reverse(self, reversal: Reversal) -> None:
        """Nothing was paid, so nothing stands."""
        await self._within(_GATEWAY.reverse(reversal))

    def offer(self, operation: PaymentOperation) -> Offer:
        """Everything, as often as it is asked."""
        return _GATEWAY.offer(operation)

    async def operate(self, operation: PaymentOperation) -> OperationAnswer:
        """Answer by the triggers in the amount."""
        return await self._within(_GATEWAY.operate(operation))

    async def _within(self, work: Coroutine[Any, Any, T]) -> T:
        self._in_flight += 1
        try:
            return await with_timeout(self._limit_s, work)
        except TimeoutError:
            raise ConnectorFailed("the sandbox did not answer in time") from None
        finally:
            self._in_flight -= 1
