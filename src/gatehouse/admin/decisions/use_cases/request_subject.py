"""Who ordered what, read out of the decision record.

A record keeps no e-mail address, no phone number and no card number: what is left of them is told.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Final

import msgspec

from gatehouse.core.api_values import CamelStruct, doc
from gatehouse.core.wording.sentences import Phrase
from gatehouse.decisions.record import DecisionRecord, event_of
from gatehouse.decisions.recorded_event import RecordedEvent
from gatehouse.intel.places import minor_digits

_ON: Final = Phrase("review.device_on", "{program} on {system}")
_TRAITS: Final = ("hosting", "vpn", "tor", "proxy", "relay", "mobile", "blocked", "allowed")
_REMEMBERED: Final = {"user": "user.id", "address": "ip.address", "country": "ip.country"}
_CATEGORY: Final = "category"
_HASHED: Final = "#"


class OrderAmount(msgspec.Struct, frozen=True):
    """What is to be paid, exactly."""

    currency: Annotated[str | None, doc("ISO 4217 code.", "USD")]
    amount: Annotated[
        msgspec.Raw, doc("Exact decimal number.", extra_json_schema={"type": "number"})
    ]

    def __str__(self) -> str:
        """The amount with the decimals of its currency, and more if it has more."""
        number = Decimal(bytes(self.amount).decode())
        exponent = number.normalize().as_tuple().exponent
        assert isinstance(exponent, int)
        digits = max(minor_digits(self.currency or "") or 0, -exponent)
        return f"{number:,.{digits}f} {self.currency or ''}".rstrip()


class ReviewedCustomer(CamelStruct):
    """Who ordered, as far as the record may tell it."""

    user_id: Annotated[str | None, doc("Your name for the user, or its hash.")]
    email: Annotated[str | None, doc("The e-mail address, masked but for its domain.", "…@a.test")]
    phone_country: Annotated[str | None, doc("Country of the phone number.")]
    billing_country: Annotated[str | None, doc("Country of the billing address.")]
    shipping_country: Annotated[str | None, doc("Country of the delivery.")]


class ReviewedOrder(CamelStruct):
    """What was ordered."""

    amount: Annotated[OrderAmount | None, doc("What is to be paid.")]
    items: Annotated[int | None, doc("Lines in the shopping cart.")]
    categories: Annotated[
        list[str], doc("What kinds of articles; those that are kept as a hash are not named.")
    ]
    client_reference_id: Annotated[
        str | int | None, doc("The caller's reference, card numbers masked.")
    ]


class ReviewedCard(CamelStruct):
    """Which card."""

    brand: Annotated[str | None, doc("Card brand.")]
    bin: Annotated[str | None, doc("First six or eight digits.")]
    last_four: Annotated[str | None, doc("Last four digits.")]
    country: Annotated[str | None, doc("Issuer's country.")]
    funding: Annotated[str | None, doc("CREDIT, DEBIT or CHARGE.")]
    prepaid: Annotated[bool | None, doc("Whether it is prepaid.")]


class ReviewedOrigin(CamelStruct):
    """From where."""

    ip_address: Annotated[str | None, doc("The customer's address.")]
    country: Annotated[str | None, doc("Country of the address.")]
    operator: Annotated[str | None, doc("Who runs its network.")]
    traits: Annotated[list[str], doc(f"What is known of it: of {', '.join(_TRAITS)}.")]
    device: Annotated[str | None, doc("Browser or program, and system.")]
    language: Annotated[str | None, doc("First language of the device.")]


class RequestSubject(msgspec.Struct, frozen=True):
    """Who ordered what, with which card, from where."""

    customer: ReviewedCustomer
    order: ReviewedOrder
    card: ReviewedCard | None
    origin: ReviewedOrigin


def subject_of(record: DecisionRecord) -> RequestSubject:
    """Who ordered what, as far as the record tells it."""
    event = event_of(record)
    signals = _remembered(event) if record.signals is None else record.signals
    return RequestSubject(
        customer=_customer(signals),
        order=_order(record, signals, event),
        card=_card(record, signals),
        origin=_origin(signals),
    )


def _remembered(event: RecordedEvent | None) -> dict[str, Any]:
    """What is known of a request to Sentry alone, under the names of signals."""
    if event is None:
        return {}
    named = {_REMEMBERED[kind]: value for kind, value in event.entities if kind in _REMEMBERED}
    return {**named, "order.amount": event.amount, "order.currency": event.currency}


def _customer(signals: Mapping[str, Any]) -> ReviewedCustomer:
    domain = signals.get("email.domain")
    return ReviewedCustomer(
        user_id=signals.get("user.id"),
        email=None if domain is None else f"…@{domain}",
        phone_country=signals.get("phone.country"),
        billing_country=signals.get("billing.country"),
        shipping_country=signals.get("shipping.country"),
    )


def _order(
    record: DecisionRecord, signals: Mapping[str, Any], event: RecordedEvent | None
) -> ReviewedOrder:
    amount = signals.get("order.amount")
    entities = [] if event is None else event.entities
    named = [value for kind, value in entities if kind == _CATEGORY]
    return ReviewedOrder(
        amount=None if amount is None else _amount(amount, signals.get("order.currency")),
        items=signals.get("order.items"),
        categories=[value for value in named if not value.startswith(_HASHED)],
        client_reference_id=record.client_reference_id,
    )


def _amount(amount: float, currency: str | None) -> OrderAmount:
    # A float stands for the shortest decimal number that it is read from.
    number = Decimal(repr(amount)).normalize()
    return OrderAmount(currency, msgspec.Raw(f"{number:f}".encode()))


def _card(record: DecisionRecord, signals: Mapping[str, Any]) -> ReviewedCard | None:
    kept = record.card
    if kept is not None:
        return ReviewedCard(
            kept.brand, kept.bin, kept.last_four, kept.country, kept.funding, kept.prepaid
        )
    # A card that was only described to the rules.
    if "card.bin" not in signals:
        return None
    brand, country, funding, prepaid = (
        signals.get(f"card.{name}") for name in ("brand", "country", "funding", "prepaid")
    )
    return ReviewedCard(brand, signals["card.bin"], None, country, funding, prepaid)


def _origin(signals: Mapping[str, Any]) -> ReviewedOrigin:
    program = signals.get("device.browser") or signals.get("device.kind")
    system = signals.get("device.system")
    return ReviewedOrigin(
        ip_address=signals.get("ip.address"),
        country=signals.get("ip.country"),
        operator=signals.get("ip.organisation"),
        traits=[trait for trait in _TRAITS if signals.get(f"ip.{trait}")],
        device=_ON(program=program, system=system) if program and system else program or system,
        language=signals.get("device.language"),
    )
