"""The gateway that passes each payment on to the connector of its route, and its reversal too."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Iterator
from typing import Final

import msgspec

from gatehouse.connectors.definition import Function
from gatehouse.connectors.routing.checks import nobody
from gatehouse.connectors.routing.roster import Roster
from gatehouse.connectors.routing.seat import Seat
from gatehouse.core.errors import ConnectorFailed
from gatehouse.gateway.port import Authorization, GatewayAnswer, Reversal

_log: Final = logging.getLogger("gatehouse.connectors")
_MOST_REMEMBERED: Final = 10_000


class _Reference(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who may have a payment, and how each would find it."""

    connectors: dict[str, str | None]


class RoutedGateway:
    """Gives a payment to one connector; to another one only if nothing was sent to the first."""

    def __init__(self, roster: Roster) -> None:
        self._roster = roster
        self._asked: OrderedDict[str, tuple[str, ...]] = OrderedDict()
        """Of payments that failed here, the connectors that may have heard of them."""

    def refer(self, authorization: Authorization) -> str | None:
        """Every connector that may be given the payment, each with its own reference."""
        found = {
            seat.name: seat.refer(authorization)
            for seat in self._seats(authorization)
            if seat.gateway is not None
        }
        return _write(found) if found else None

    async def authorize(self, authorization: Authorization) -> GatewayAnswer:
        """The answer of the first connector to which the payment could be sent."""
        asked: list[str] = []
        try:
            return await self._authorize(authorization, asked)
        except BaseException:
            self._asked[authorization.request_id] = tuple(asked)
            if len(self._asked) > _MOST_REMEMBERED:
                self._asked.popitem(last=False)
            raise

    async def _authorize(self, authorization: Authorization, asked: list[str]) -> GatewayAnswer:
        failure: ConnectorFailed | None = None
        stored = _read(authorization.payment.reference)
        for seat in self._seats(authorization):
            # After a crash, only the connectors in the stored reference are asked for a reversal.
            unknown = stored is not None and seat.name not in stored
            if unknown or seat.gateway is None or not seat.takes():
                continue
            own = seat.refer(authorization) if stored is None else stored[seat.name]
            payment = msgspec.structs.replace(authorization.payment, reference=own)
            given = msgspec.structs.replace(authorization, payment=payment)
            asked.append(seat.name)
            try:
                answer = await seat.ask("authorize", seat.gateway.authorize(given))
            except ConnectorFailed as error:
                if error.sent:
                    raise
                asked.pop()
                failure = error
            else:
                served = _write({seat.name: answer.reference or own})
                return msgspec.structs.replace(answer, reference=served)
        raise failure or nobody(Function.GATEWAY)

    async def reverse(self, reversal: Reversal) -> None:
        """Return when no connector that may have heard of the payment lets it stand."""
        stored = _read(reversal.payment.reference)
        asked = self._asked.get(reversal.request_id)
        if asked is not None:
            names = list(asked)
        elif stored is not None:
            names = list(stored)
        else:
            names = [seat.name for seat in self._known_for(reversal)]
        references = stored or dict.fromkeys(names, reversal.payment.reference)
        results = await asyncio.gather(
            *(self._reverse(reversal, name, references.get(name)) for name in names),
            return_exceptions=True,
        )
        for result in results:
            if isinstance(result, BaseException):
                raise result

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
