"""Fills the packet for a provider with what is readable of the orders."""

from typing import Any, Final

from gatehouse.admin.evidence.types.compelling import SharedElement
from gatehouse.admin.evidence.types.desk import DeliveryGiven
from gatehouse.admin.evidence.types.orders import HASHED, elements_of
from gatehouse.admin.evidence.types.packet import (
    SHORTEST_DEVICE_ID,
    DisputedTransaction,
    EnhancedEvidence,
    EvidencePacket,
    Goods,
    PacketAddress,
    PriorTransaction,
    VisaPacket,
    to_fill_in,
)
from gatehouse.admin.evidence.use_cases.finding import FoundEvidence
from gatehouse.decisions.order_envelope import OrderEnvelope
from gatehouse.decisions.record import DecisionRecord

_NOTHING: Final = OrderEnvelope()
_CHARGE: Final = "ch_"


class ReadableOrder:
    """What is readable of an order: what its account had kept, or else what its record says."""

    def __init__(self, record: DecisionRecord, kept: OrderEnvelope | None) -> None:
        said = {
            name: value
            for name, value in elements_of(record).items()
            if not value.startswith(HASHED)
        }
        kept = kept or _NOTHING
        self.ip_address = kept.ip_address or said.get(SharedElement.IP_ADDRESS)
        self.device_id = kept.device_id or said.get(SharedElement.DEVICE)
        self.user_id = kept.user_id or said.get(SharedElement.ACCOUNT)
        self.email = kept.email
        self.product = kept.product
        text = said.get(SharedElement.SHIPPING_ADDRESS)
        self.shipping = kept.shipping or (None if text is None else {"line1": text})

    def values(self) -> dict[str, Any]:
        """The fields of a transaction in a packet."""
        device = self.device_id
        return {
            "customer_account_id": self.user_id,
            "customer_device_id": device
            if device is not None and len(device) >= SHORTEST_DEVICE_ID
            else None,
            "customer_email_address": self.email,
            "customer_purchase_ip": self.ip_address,
            "product_description": self.product,
            "shipping_address": None if self.shipping is None else PacketAddress(**self.shipping),
        }


def packet_of(found: FoundEvidence, delivery: DeliveryGiven | None) -> EvidencePacket | None:
    """The packet of a dispute that two earlier orders answer; None when they do not."""
    if not found.evidence.qualified or found.evidence.pair is None:
        return None
    whole = VisaPacket(
        _disputed(found, delivery or DeliveryGiven()),
        [_prior(found, request_id) for request_id in found.evidence.pair],
    )
    return EvidencePacket(EnhancedEvidence(whole), to_fill_in(whole))


def readable(found: FoundEvidence, request_id: str) -> ReadableOrder:
    """What is readable of the disputed order, or of an earlier one."""
    mine = request_id == found.record.request_id
    record = found.record if mine else found.records[request_id]
    return ReadableOrder(record, found.envelopes.get(request_id))


def _disputed(found: FoundEvidence, delivery: DeliveryGiven) -> DisputedTransaction:
    values = readable(found, found.record.request_id).values()
    if delivery.product:
        values["product_description"] = delivery.product
    goods: Goods | None = delivery.goods
    if goods is None and values["shipping_address"] is not None:
        goods = Goods.MERCHANDISE
    return DisputedTransaction(merchandise_or_services=goods, **values)


def _prior(found: FoundEvidence, request_id: str) -> PriorTransaction:
    return PriorTransaction(
        charge=_charge(found.records[request_id]), **readable(found, request_id).values()
    )


def _charge(record: DecisionRecord) -> str | None:
    """The provider's id of the payment, if it was made here."""
    for stage in record.stages:
        known = stage.result.get("paymentId")
        if isinstance(known, str) and known.startswith(_CHARGE):
            return known
    return None
