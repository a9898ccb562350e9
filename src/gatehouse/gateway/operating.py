"""What can be done with a payment that stands: captures, voids and refunds, over the same port.

A gateway that only authorizes and reverses can void payments, because a void is a reversal: it may
be asked for more than once. Captures and refunds move money, so each is sent again only where the
party does nothing twice for one id of an operation.
"""

from enum import StrEnum
from typing import Final, Protocol, runtime_checkable

import msgspec

from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.money import Payment
from gatehouse.gateway.port import PaymentGateway, Reversal


class OperationKind(StrEnum):
    """What is done with a payment."""

    CAPTURE = "CAPTURE"
    VOID = "VOID"
    REFUND = "REFUND"


EVERY_OPERATION: Final = frozenset(OperationKind)
VOIDS_ONLY: Final = frozenset({OperationKind.VOID})


class Offer(StrEnum):
    """How a party takes an operation."""

    NONE = "NONE"
    """Not at all."""
    ONCE = "ONCE"
    """A second message would be a second operation."""
    REPEATABLE = "REPEATABLE"
    """It does nothing twice for one id of an operation."""


class OperationEnd(StrEnum):
    """What the party says about an operation."""

    SUCCEEDED = "SUCCEEDED"
    REFUSED = "REFUSED"
    PENDING = "PENDING"
    """It was taken on; whether it succeeds is told later."""
    OTHER_AMOUNT = "OTHER_AMOUNT"
    """It answered about another amount or currency; said of charges of stored cards alone."""


class PaymentOperation(msgspec.Struct, frozen=True, kw_only=True):
    """One operation as the party is asked for it."""

    operation_id: str
    """The same whenever it is sent."""
    kind: OperationKind
    request_id: str
    """The reference that the authorization had."""
    account_id: str
    payment: Payment
    """As it was authorized."""
    amount_minor: int
    """Of the operation, in the payment's currency."""
    is_repeat: bool = False
    """Whether it was sent before, or may have been."""
    capture_reference: str | None = None
    """Of a refund: the party's name for the capture whose money is given back, if it gave one."""


class OperationAnswer(msgspec.Struct, frozen=True):
    """What the party answered."""

    end: OperationEnd
    response_code: str | None = None
    party_reference: str | None = None
    """The party's own name for the operation."""


@runtime_checkable
class OperatingGateway(PaymentGateway, Protocol):
    """A gateway that can do more with payments than take them back."""

    def offer(self, operation: PaymentOperation) -> Offer:
        """How it takes an operation; or `ConnectorFailed` when nobody can tell now."""

    async def operate(self, operation: PaymentOperation) -> OperationAnswer:
        """Ask for a capture or a refund, once; or `ConnectorFailed`, which says whether it was
        sent. The call is cancelled when its time is up.
        """


def offer_of(gateway: PaymentGateway, operation: PaymentOperation) -> Offer:
    """How a gateway takes an operation."""
    if isinstance(gateway, OperatingGateway):
        return gateway.offer(operation)
    return Offer.REPEATABLE if operation.kind is OperationKind.VOID else Offer.NONE


async def operate(gateway: PaymentGateway, operation: PaymentOperation) -> OperationAnswer:
    """Ask a gateway for an operation, once."""
    if operation.kind is OperationKind.VOID:
        given = Reversal(operation.request_id, operation.payment, operation.account_id)
        await gateway.reverse(given)
        return OperationAnswer(OperationEnd.SUCCEEDED)
    if not isinstance(gateway, OperatingGateway):
        raise ConnectorFailed("the gateway does not offer this", sent=False)
    return await gateway.operate(operation)
