"""Captures and refunds: 0220 and 0200, repeated as 0221 and 0201 where the dialect has these.

Every message about one operation has the same STAN, time and RRN, which follow from its id, so that
a host knows a repeat from whichever server it comes.
"""

from collections.abc import Mapping
from hashlib import blake2b
from typing import Final

from gatehouse.connectors.iso8583.card_values import amount_values, refuse_other_amount
from gatehouse.connectors.iso8583.dialect import Dialect
from gatehouse.connectors.iso8583.layout.numbers import (
    MOST_STANS,
    PaymentReference,
    rrn_of,
    transmission_time,
)
from gatehouse.connectors.iso8583.link.exchange import Outgoing
from gatehouse.connectors.iso8583.link.pool import LinkPool
from gatehouse.connectors.iso8583.roles import MessageKind, Role
from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.ids import id_time_ms
from gatehouse.core.money import Payment
from gatehouse.gateway.operating import (
    VOIDS_ONLY,
    Offer,
    OperationAnswer,
    OperationEnd,
    OperationKind,
    PaymentOperation,
)

KINDS: Final[Mapping[OperationKind, tuple[MessageKind, MessageKind]]] = {
    OperationKind.CAPTURE: (MessageKind.CAPTURE, MessageKind.CAPTURE_REPEAT),
    OperationKind.REFUND: (MessageKind.REFUND, MessageKind.REFUND_REPEAT),
}
_UNSURE: Final = frozenset(
    ("06", "09", "19", "20", "22", "68", "90", "91", "92", "94", "96", "98"),
)
"""The host failed, is late, or has the message already: nobody knows whether it was done."""


class Iso8583Operations:
    """Asks a host for captures and refunds."""

    def __init__(self, pool: LinkPool, dialect: Dialect, original_mti: str) -> None:
        self._pool = pool
        self._kinds = dialect.kinds
        self._original_mti = original_mti

    def offer(self, operation: PaymentOperation) -> Offer:
        """Voids, which are reversals, and what the dialect has messages for."""
        if operation.kind is OperationKind.VOID:
            return Offer.REPEATABLE
        first, repeat = KINDS[operation.kind]
        if first not in self._kinds:
            return Offer.NONE
        return Offer.REPEATABLE if repeat in self._kinds else Offer.ONCE

    async def ask(
        self, operation: PaymentOperation, approved: frozenset[str], partly: frozenset[str]
    ) -> OperationAnswer:
        """What the host says; codes of `partly` approve something else than was asked for."""
        first, repeat = KINDS[operation.kind]
        values = self._values(operation)
        is_repeat = operation.is_repeat and repeat in self._kinds
        kind = repeat if is_repeat else first
        answer = (await self._pool.ask(Outgoing(kind, values, resends=is_repeat))).values
        code = answer.get(Role.RESPONSE_CODE)
        if code is None or code in _UNSURE or (code in partly and code not in approved):
            raise ConnectorFailed(f"the host does not say how an operation ended: {code}")
        refuse_other_amount(values, answer)
        end = OperationEnd.SUCCEEDED if code in approved else OperationEnd.REFUSED
        return OperationAnswer(end, code, values[Role.RRN])

    def _values(self, operation: PaymentOperation) -> dict[Role, str]:
        digest = blake2b(operation.operation_id.encode(), digest_size=8).digest()
        sent_s = id_time_ms(operation.operation_id) // 1000
        values = amount_values(Payment(operation.amount_minor, operation.payment.currency)) | {
            Role.STAN: f"{int.from_bytes(digest, 'big') % MOST_STANS + 1:06d}",
            Role.TRANSMITTED_AT: transmission_time(sent_s),
            Role.RRN: rrn_of(operation.operation_id),
            Role.ORIGINAL_RRN: rrn_of(operation.request_id),
        }
        reference = PaymentReference.parse(operation.payment.reference)
        if reference is not None:
            values |= reference.original_values(self._original_mti)
        return values


def operations_of(kinds: frozenset[MessageKind]) -> frozenset[OperationKind]:
    """What can be done with payments in a dialect that has these messages."""
    return VOIDS_ONLY | {kind for kind, (first, _) in KINDS.items() if first in kinds}
