"""The gateway that passes each payment on to the connector of its route, and its reversal too."""

import asyncio
import logging
from collections.abc import Iterator
from typing import Final

import msgspec

from gatehouse.connectors.definition import Function
from gatehouse.connectors.routing.checks import nobody
from gatehouse.connectors.routing.roster import Roster
from gatehouse.connectors.routing.seat import Seat
from gatehouse.core.errors import ConnectorFailed, GatehouseError
from gatehouse.gateway.operating import (
    Offer,
    OperationAnswer,
    PaymentOperation,
    offer_of,
    operate,
)
from gatehouse.gateway.port import Authorization, GatewayAnswer, Reversal

_log: Final = logging.getLogger("gatehouse.connectors")


class _Reference(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who may have a payment, and how each would find it."""

    connectors: dict[str, str | None]


class RoutedGateway:
    """Gives a payment to one connector; to another one only if nothing was sent to the first.

    The reference of a payment names the connector that may have it. It is stored before anything is
    sent there, so that any server knows where the payment must be reversed, and where not.
    """

    def __init__(self, roster: Roster) -> None:
        self._roster = roster

    def refer(self, authorization: Authorization) -> str:
        """The connector that is going to be given the payment, with its own reference.

        It names nobody while nobody takes payments. Many requests end before their payment, so none
        of them spends the probe of a connector whose breaker is open.
        """
        for seat in self._seats(authorization):
            if seat.gateway is not None and seat.would_take:
                return _write({seat.name: seat.refer(authorization)})
        return _write({})

    async def authorize(self, authorization: Authorization) -> GatewayAnswer:
        """The answer of the first connector to which the payment could be sent."""
        failure: ConnectorFailed | None = None
        stored = _read(authorization.payment.reference)
        for seat in self._in_order(authorization, stored):
            if seat.gateway is None or not seat.takes():
                continue
            if stored is not None and seat.name in stored:
                own = stored[seat.name]
            else:
                own = seat.refer(authorization)
                await _redirect(authorization, _write({seat.name: own}))
            payment = msgspec.structs.replace(authorization.payment, reference=own)
            given = msgspec.structs.replace(authorization, payment=payment)
            try:
                answer = await seat.ask("authorize", seat.gateway.authorize(given))
            except ConnectorFailed as error:
                if error.sent:
                    raise
                failure = error
            else:
                served = _write({seat.name: answer.reference or own})
                return msgspec.structs.replace(answer, reference=served, party=seat.name)
        raise failure or nobody(Function.GATEWAY)

    async def reverse(self, reversal: Reversal) -> None:
        """Return when no connector that may have heard of the payment lets it stand."""
        stored = _read(reversal.payment.reference)
        if stored is None:
            own = reversal.payment.reference
            stored = {seat.name: own for seat in self._known_for(reversal)}
        results = await asyncio.gather(
            *(self._reverse(reversal, name, own) for name, own in stored.items()),
            return_exceptions=True,
        )
        for result in results:
            if isinstance(result, BaseException):
                raise result

    def offer(self, operation: PaymentOperation) -> Offer:
        """How the connector that has the payment takes an operation on it."""
        seat, own = self._serving(operation)
        assert seat.gateway is not None
        return offer_of(seat.gateway, own)

    async def operate(self, operation: PaymentOperation) -> OperationAnswer:
        """Ask the connector that has the payment, and no other."""
        seat, own = self._serving(operation)
        assert seat.gateway is not None
        if not seat.would_take:
            raise ConnectorFailed(f"connector {seat.name} takes nothing now", sent=False)
        # As with reversals: its end says nothing about whether payments will be authorized.
        done = operate(seat.gateway, own)
        return await seat.ask(operation.kind.lower(), done, tells=False)

    def _serving(self, operation: PaymentOperation) -> tuple[Seat, PaymentOperation]:
        """The connector that has a payment, and the operation in its words."""
        stored = _read(operation.payment.reference) or {}
        if len(stored) != 1:
            raise ConnectorFailed("nothing tells which connector has the payment", sent=False)
        [(name, own)] = stored.items()
        seat = self._roster.seat(name)
        if seat is None or seat.gateway is None:
            raise ConnectorFailed(f"connector {name} is not in use", sent=False)
        payment = msgspec.structs.replace(operation.payment, reference=own)
        return seat, msgspec.structs.replace(operation, payment=payment)

    def _in_order(
        self, authorization: Authorization, stored: dict[str, str | None] | None
    ) -> Iterator[Seat]:
        """The connectors of the payment's route; that of its reference comes first."""
        for is_first in (True, False):
            for seat in self._seats(authorization):
                if (stored is not None and seat.name in stored) is is_first:
                    yield seat

    def _known_for(self, reversal: Reversal) -> list[Seat]:
        """Every connector that a payment of the account can have been given to."""
        found = self._roster.all_for(Function.GATEWAY, reversal.account_id)
        if not found:
            raise ConnectorFailed("no route tells which connector may have the payment")
        return found

    async def _reverse(self, reversal: Reversal, name: str, own: str | None) -> None:
        seat = self._roster.seat(name)
        if seat is None or seat.gateway is None:
            # It may have the payment, so that nobody can say that it does not stand.
            about = {"connector": name, "requestId": reversal.request_id}
            _log.error("a payment cannot be reversed: its connector is not in use", extra=about)
            raise ConnectorFailed(f"connector {name} is not in use")
        payment = msgspec.structs.replace(reversal.payment, reference=own)
        given = msgspec.structs.replace(reversal, payment=payment)
        # Each failed payment is followed by its reversal: were that to count as a success, a party
        # that answers reversals and fails at payments would be given payments for ever.
        await seat.ask("reverse", seat.gateway.reverse(given), tells=False)

    def _seats(self, authorization: Authorization) -> Iterator[Seat]:
        number, account_id = authorization.number, authorization.account_id
        return self._roster.candidates(Function.GATEWAY, number, account_id)


async def _redirect(authorization: Authorization, reference: str) -> None:
    """Store where the payment is sent next; `ConnectorFailed` when that is not certain."""
    if authorization.redirect is None:
        return
    try:
        await authorization.redirect(reference)
    except GatehouseError as error:
        raise ConnectorFailed(f"where a payment goes is not stored: {error}", sent=False) from None


_decode: Final = msgspec.json.Decoder(_Reference).decode


def _write(references: dict[str, str | None]) -> str:
    return msgspec.json.encode(_Reference(references)).decode()


def _read(reference: str | None) -> dict[str, str | None] | None:
    """What `refer` wrote; None when there is nothing, or something that another gateway wrote."""
    if reference is None:
        return None
    try:
        return _decode(reference).connectors
    except msgspec.DecodeError:
        return None
