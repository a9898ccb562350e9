"""Parties whose calls are measured are asked for no more than they can do."""

import asyncio
import os

import pytest

from gatehouse.connectors.sandbox.parties import SandboxGateway
from gatehouse.core.cards.network_ids import NetworkIdSealer
from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.money import Payment
from gatehouse.core.secrets import keyring
from gatehouse.core.secrets.keyring import KeyRing
from gatehouse.gateway.operating import (
    Offer,
    OperationAnswer,
    OperationEnd,
    OperationKind,
    PaymentOperation,
)
from gatehouse.gateway.port import (
    Authorization,
    GatewayAnswer,
    NoGateway,
    PaymentGateway,
    ReferringGateway,
    Reversal,
)
from gatehouse.operations.measured import MeasuredGateway, Observe, Outside
from tests.connectors.fakes import authorization

SEALER = NetworkIdSealer(KeyRing({(keyring.PAYMENTS, 1): bytes(32)}))


def measured(
    gateway: PaymentGateway, observe: Observe = lambda *said: None, outside: Outside | None = None
) -> MeasuredGateway:
    return MeasuredGateway(gateway, observe, outside, SEALER, os.urandom)


class Referring:
    """A gateway that needs a reference, and cannot be reached."""

    def __init__(self, outside: Outside) -> None:
        self._outside = outside
        self.waiting: list[int] = []

    def refer(self, authorization: Authorization) -> str | None:
        return "shelf 7"

    async def authorize(self, authorization: Authorization) -> GatewayAnswer:
        raise ConnectorFailed("no line")

    async def reverse(self, reversal: Reversal) -> None:
        self.waiting.append(self._outside.waiting)


def test_a_gateway_is_asked_for_a_reference_only_if_it_has_one() -> None:
    assert isinstance(measured(Referring(Outside())), ReferringGateway)
    for gateway in (SandboxGateway(), NoGateway()):
        assert not isinstance(measured(gateway), ReferringGateway)


def test_no_request_waits_for_a_reversal() -> None:
    seen: list[tuple[object, ...]] = []
    outside = Outside()
    referring = Referring(outside)
    gateway = measured(referring, lambda *said: seen.append(said[:3]), outside)
    asyncio.run(gateway.reverse(Reversal("req_1", Payment(100, "EUR"), "acct_1")))
    assert (referring.waiting, outside.waiting) == ([0], 0)
    with pytest.raises(ConnectorFailed):
        asyncio.run(gateway.authorize(authorization()))
    assert outside.waiting == 0
    assert seen == [("gateway", "reverse", "answered"), ("gateway", "authorize", "failed")]


class Approving(Referring):
    """Approves, with a reference that holds the network's id, and keeps what it is asked about."""

    def __init__(self, said: str) -> None:
        super().__init__(Outside())
        self.said = said
        self.asked: list[str | None] = []

    async def authorize(self, authorization: Authorization) -> GatewayAnswer:
        return GatewayAnswer(True, "00", reference=self.said)

    async def reverse(self, reversal: Reversal) -> None:
        self.asked.append(reversal.payment.reference)

    def offer(self, operation: PaymentOperation) -> Offer:
        self.asked.append(operation.payment.reference)
        return Offer.ONCE

    async def operate(self, operation: PaymentOperation) -> OperationAnswer:
        self.asked.append(operation.payment.reference)
        return OperationAnswer(OperationEnd.SUCCEEDED)


def test_what_is_told_of_an_authorized_payment_is_sealed_for_all_but_the_party() -> None:
    party = Approving("000001/1115083000/ABC/A1B2C3/MCC1234567890")
    gateway, asked = measured(party), authorization()
    answer = asyncio.run(gateway.authorize(asked))
    assert answer.reference is not None
    assert answer.reference.startswith("sealed:1.")
    # Requests stored before this version have references that are not sealed.
    for kept in (answer.reference, party.said):
        payment = Payment(100, "EUR", kept)
        reversal = Reversal(asked.request_id, payment, asked.account_id)
        operation = PaymentOperation(
            operation_id="op_1",
            kind=OperationKind.CAPTURE,
            request_id=asked.request_id,
            account_id=asked.account_id,
            payment=payment,
            amount_minor=100,
        )
        asyncio.run(gateway.reverse(reversal))
        gateway.offer(operation)
        asyncio.run(gateway.operate(operation))
    assert party.asked == [party.said] * 6
    elsewhere = Reversal("req_other", Payment(100, "EUR", answer.reference), asked.account_id)
    with pytest.raises(ConnectorFailed) as failed:
        asyncio.run(gateway.reverse(elsewhere))
    assert not failed.value.sent
    party.said = f"ours {asked.number.reveal()}"
    assert asyncio.run(gateway.authorize(asked)).reference is None
