"""The evidence for an order as a PDF, in English, for an acquirer who takes no JSON.

The letters are those that every PDF reader has; a text in others is written in Latin ones, and the
paper says so.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from gatehouse.admin.evidence.types.compelling import SharedElement
from gatehouse.admin.evidence.types.desk import DeliveryGiven, KeptFile
from gatehouse.admin.evidence.types.orders import amount_of
from gatehouse.admin.evidence.use_cases.evidence import day_text, earlier_orders
from gatehouse.admin.evidence.use_cases.finding import FoundEvidence
from gatehouse.admin.evidence.use_cases.packets import ReadableOrder, readable
from gatehouse.admin.evidence.use_cases.verdicts import element_names, summary_of
from gatehouse.core.clock import iso_time
from gatehouse.core.files.paper import Pairs, Paper
from gatehouse.core.ids import id_time_ms
from gatehouse.core.money import format_amount
from gatehouse.decisions.record import DecisionRecord

_UNKNOWN: Final = "not kept; fill in"
_DEVICE_SIGNALS: Final = ("device.browser", "device.system", "device.kind")
_THREE_D_SECURE: Final = (
    ("3-D Secure version", "threeDS.version"),
    ("3-D Secure status", "threeDS.status"),
    ("Electronic commerce indicator", "threeDS.eci"),
    ("Exemption", "threeDS.exemption"),
)


def packet_pdf(
    found: FoundEvidence,
    delivery: DeliveryGiven | None,
    files: Sequence[KeptFile],
    account_name: str,
) -> bytes:
    """The file; the same evidence makes the same bytes."""
    record, dispute = found.record, found.dispute
    at_ms = id_time_ms(record.request_id)
    paper = Paper(f"Evidence for order {record.client_reference_id or record.request_id}", at_ms)
    paper.words(f"{account_name}: {summary_of(found.evidence)}.")
    if dispute is not None:
        amount = None if dispute.amount is None else format_amount(dispute.amount)
        pairs: Pairs = (
            ("Reference", dispute.reference),
            ("Network and reason", f"{dispute.network} {dispute.reason or ''}"),
            ("Raised", iso_time(dispute.at_ms)),
            ("Amount", amount and f"{amount} {dispute.currency or ''}"),
            ("Answer until", dispute.respond_by_ms and iso_time(dispute.respond_by_ms)),
        )
        paper.section("Dispute", pairs)
    mine = readable(found, record.request_id)
    paper.section("Order", _order(found, mine, delivery))
    paper.section("Checks at the time of the order", _checks(record))
    if delivery is not None:
        paper.section("Delivery, as the merchant states it", _delivery(delivery))
    paper.section("History of the card with this merchant", _history(found))
    for number, each in enumerate(earlier_orders(found), 1):
        order = readable(found, each.request_id)
        more: Pairs = (
            ("Day", f"{each.day}, {each.days_before} days before"),
            ("Amount", each.amount),
            ("Equal", element_names(each.matched)),
        )
        paper.section(
            f"Earlier order {number}: {each.request_id}", (*more, *_person(order), *_sold(order))
        )
    paper.section("Attached files", [(each.type, each.name) for each in files])
    if paper.replaced:
        paper.ln(3)
        paper.words("Some texts are written in Latin letters; the originals are in the record.")
    return bytes(paper.output())


def _order(found: FoundEvidence, order: ReadableOrder, delivery: DeliveryGiven | None) -> Pairs:
    record = found.record
    card, amount = record.card, amount_of(record, found.outcomes)
    currency = (record.signals or {}).get("order.currency") or ""
    sold = None if delivery is None else delivery.product
    return (
        ("Decision", record.request_id),
        ("Reference", record.client_reference_id),
        ("Time (UTC)", record.at),
        ("Amount", None if amount is None else f"{format_amount(amount)} {currency}"),
        ("Card", card and f"{card.brand or ''} **** {card.last_four or ''}"),
        *_person(order),
        ("Sold", sold or order.product or _UNKNOWN),
    )


def _person(order: ReadableOrder) -> Pairs:
    shipping = order.shipping
    return (
        ("Customer account", order.user_id),
        ("E-mail address", order.email),
        ("IP address", order.ip_address),
        ("Device", order.device_id),
        ("Shipping address", None if shipping is None else ", ".join(shipping.values())),
    )


def _sold(order: ReadableOrder) -> Pairs:
    return (("Sold", order.product or _UNKNOWN),)


def _checks(record: DecisionRecord) -> Pairs:
    signals = record.signals or {}
    found: list[tuple[str, object]] = []
    for stage in record.stages:
        result = stage.result
        found += (
            ("Address (AVS)", result.get("avsResult")),
            ("Security code (CVV2)", result.get("cvv2Result")),
            ("Approval code", result.get("approvalCode")),
        )
    found += [(name, signals.get(signal)) for name, signal in _THREE_D_SECURE]
    device = " ".join(str(signals[name]) for name in _DEVICE_SIGNALS if signals.get(name))
    return (
        *found,
        ("Device seen", device),
        ("Country of the IP address", signals.get("ip.country")),
    )


def _delivery(delivery: DeliveryGiven) -> Pairs:
    return (
        ("Goods or services", delivery.goods),
        ("Carrier", delivery.carrier),
        ("Tracking number", delivery.tracking_number),
        ("Delivered on", delivery.delivered_on),
        ("Delivered to", delivery.delivered_to),
    )


def _history(found: FoundEvidence) -> Pairs:
    """How often, and since when, the card came with what this order has."""
    this = found.order
    if this is None or not found.earlier:
        return ()
    counts: Counter[SharedElement] = Counter()
    first: dict[SharedElement, int] = {}
    for other in found.earlier.values():
        for name, value in this.elements.items():
            if other.elements.get(name) == value:
                counts[name] += 1
                first[name] = min(first.get(name, other.day), other.day)
    return [
        ("Earlier orders", len(found.earlier)),
        *(
            (f"Same {element_names((name,))}", f"{counts[name]}, since {day_text(first[name])}")
            for name in SharedElement
            if counts[name]
        ),
    ]
