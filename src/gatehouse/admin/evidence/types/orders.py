"""A decision record as an order that can be compared with others."""

from collections.abc import Sequence
from typing import Any, Final

from gatehouse.admin.evidence.types.compelling import (
    DAY_MS,
    TECHNICAL,
    EvidenceOrder,
    SharedElement,
)
from gatehouse.admin.outcomes.types.kept import OutcomeRow
from gatehouse.admin.outcomes.types.outcome import OutcomeKind
from gatehouse.core.ids import id_time_ms
from gatehouse.decisions.order_envelope import OrderEnvelope
from gatehouse.decisions.record import DecisionRecord, event_of
from gatehouse.decisions.search_terms import micros_of

_SIGNALS: Final = {
    SharedElement.IP_ADDRESS: "ip.address",
    SharedElement.DEVICE: "device.id",
    SharedElement.ACCOUNT: "user.id",
    SharedElement.SHIPPING_ADDRESS: "custom.shippingAddress",
}
_ENTITIES: Final = {
    SharedElement.IP_ADDRESS: "address",
    SharedElement.DEVICE: "device_id",
    SharedElement.ACCOUNT: "user",
}
_DOUBTED: Final = frozenset((OutcomeKind.DISPUTE, OutcomeKind.FRAUD_REPORT, OutcomeKind.ALERT))
"""An inquiry is one, too: evidence says that nobody disputed the order, and its issuer asked."""
_RENEWAL: Final = "RECURRING_PURCHASE"
HASHED: Final = "#"
"""How a value begins of which only a keyed hash is kept."""


def elements_of(record: DecisionRecord) -> dict[SharedElement, str]:
    """What a record keeps of each element.

    The merchant starts a renewal, so its IP address and device are not the customer's.
    """
    signals, event = record.signals or {}, event_of(record)
    entities = {} if event is None else dict(event.entities)
    found: dict[SharedElement, str] = {}
    for each in SharedElement:
        value: Any = signals.get(_SIGNALS[each]) or entities.get(_ENTITIES.get(each, ""))
        # Of an IPv6 address an event keeps the network alone, which is no address.
        if isinstance(value, str) and value and not value.endswith("/64"):
            found[each] = value
    if signals.get("event.type") == _RENEWAL:
        return {each: value for each, value in found.items() if each not in TECHNICAL}
    return found


def amount_of(record: DecisionRecord, outcomes: Sequence[OutcomeRow] = ()) -> int | None:
    """What was paid in millionths: what was settled, or else what was to be paid."""
    for each in outcomes:
        if each.kind is OutcomeKind.SETTLED and each.amount is not None:
            return each.amount
    event = event_of(record)
    amount = (record.signals or {}).get("order.amount")
    if amount is None and event is not None:
        amount = event.amount
    return micros_of(amount) if isinstance(amount, int | float) else None


def order_of(
    record: DecisionRecord,
    card: str,
    outcomes: Sequence[OutcomeRow],
    *,
    is_fraud: bool = False,
    kept: OrderEnvelope | None = None,
    shipping: str | None = None,
) -> EvidenceOrder:
    """An order with what became of it; `shipping` is the kept address as records would have it."""
    elements = elements_of(record)
    if shipping is not None:
        elements.setdefault(SharedElement.SHIPPING_ADDRESS, shipping)
    settled = [each.at_ms for each in outcomes if each.kind is OutcomeKind.SETTLED]
    disputed = [each.at_ms for each in outcomes if each.kind is OutcomeKind.DISPUTE]
    merchants = {each.merchant_id: None for each in outcomes if each.merchant_id}
    amount = amount_of(record, outcomes)
    return EvidenceOrder(
        record.request_id,
        card,
        (min(settled) if settled else id_time_ms(record.request_id)) // DAY_MS,
        elements,
        settled=bool(settled),
        disputed=is_fraud or any(each.kind in _DOUBTED for each in outcomes),
        amount_micros=1 if amount is None else amount,
        described=kept is not None and kept.product is not None,
        merchant_id=next(iter(merchants), None),
        dispute_day=max(disputed) // DAY_MS if disputed else None,
    )
