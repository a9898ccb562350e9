"""Orders of the demo shop that were accepted, as its acquirer tells of them afterwards."""

from typing import Final, NamedTuple

import msgspec

from gatehouse.admin.outcomes.types.outcome import OutcomeKind, OutcomeNetwork
from gatehouse.admin.sandbox.use_cases.past import DAY_MS, DemoOrder
from gatehouse.core.clock import iso_time

_TO_ANSWER_MS: Final = 20 * DAY_MS
_ELSEWHERE: Final = {"10.4": "4837"}
"""Reason codes of Visa in the words of Mastercard."""


class _PaidOrder(msgspec.Struct, rename="camel", gc=False):
    amount: float
    currency: str


class _PaidCard(msgspec.Struct, rename="camel", gc=False):
    card_number: str


class _Sent(msgspec.Struct, rename="camel", gc=False):
    order: _PaidOrder


class _Paid(msgspec.Struct, rename="camel", gc=False):
    """What a body says of its payment."""

    sentry_request: _Sent | None = None
    pre_check_request: _PaidCard | None = None

    @property
    def order(self) -> _PaidOrder | None:
        """The order, if something is bought."""
        return None if self.sentry_request is None else self.sentry_request.order


class DemoSale(NamedTuple):
    """An order that was accepted."""

    at_ms: int
    paid: _Paid

    @property
    def settled_ms(self) -> int:
        """When it is settled: on the day after."""
        return self.at_ms + DAY_MS

    def settled(self, request_id: str) -> dict[str, object]:
        """Its settlement, as an acquirer tells it."""
        return self._told(OutcomeKind.SETTLED, "st", request_id, self.settled_ms)

    def disputed(self, request_id: str, reason: str, now_ms: int) -> dict[str, object]:
        """A dispute about it."""
        network = self._network
        code = reason if network is OutcomeNetwork.VISA else _ELSEWHERE.get(reason, reason)
        told = self._told(OutcomeKind.DISPUTE, "dp", request_id, now_ms)
        answer_by = iso_time(now_ms + _TO_ANSWER_MS)
        return told | {"reason": code, "stage": "FIRST", "respondBy": answer_by}

    @property
    def _network(self) -> OutcomeNetwork:
        card = self.paid.pre_check_request
        first = "" if card is None else card.card_number[:1]
        return {"4": OutcomeNetwork.VISA, "5": OutcomeNetwork.MASTERCARD}.get(
            first, OutcomeNetwork.OTHER
        )

    def _told(
        self, kind: OutcomeKind, prefix: str, request_id: str, at_ms: int
    ) -> dict[str, object]:
        assert self.paid.order is not None, "only orders are sold"
        return {
            **{"kind": kind, "reference": f"{prefix}-{request_id[-12:]}", "at": iso_time(at_ms)},
            **{"network": self._network, "requestId": request_id, "merchantId": "M-1"},
            **{"region": "EU", "amount": self.paid.order.amount},
            "currency": self.paid.order.currency,
        }


_decode: Final = msgspec.json.Decoder(_Paid).decode


def sale_of(order: DemoOrder) -> DemoSale | None:
    """What is sold with an order; None when only a card is checked."""
    paid = _decode(order.body)
    return None if paid.order is None else DemoSale(order.at_ms, paid)
