"""How commands tell people who ordered what, and what a stage found."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from gatehouse.admin.decisions.use_cases.request_subject import RequestSubject, ReviewedCard
from gatehouse.admin.outcomes.types.outcome import PaymentOutcome
from gatehouse.cli.output import table
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.clock import iso_time
from gatehouse.decisions.record import RecordedStage
from gatehouse.intel.places import minor_digits


def subject_cells(subject: RequestSubject) -> list[str]:
    """Amount, card and customer for a line of a list."""
    amount, customer = subject.order.amount, subject.customer
    cells = [
        "-" if amount is None else str(amount),
        _card(subject.card),
        joined(" ", customer.user_id, customer.email),
    ]
    return [recordable(cell) for cell in cells]


def subject_lines(subject: RequestSubject) -> Iterator[tuple[str, str]]:
    """The same in full, with where it came from: names and values."""
    return ((name, recordable(text)) for name, text in _lines(subject))


def became_of(outcomes: Sequence[PaymentOutcome]) -> str:
    """What became of the payment, one line each."""
    rows = [
        (
            each.kind,
            iso_time(each.at),
            joined(" ", each.amount, each.currency),
            each.reason or each.fraud_type or "-",
            each.result or each.stage or "-",
            recordable(each.reference),
        )
        for each in outcomes
    ]
    headings = ("OUTCOME", "AT", "AMOUNT", "REASON", "STATE", "REFERENCE")
    return table(headings, rows, right=("AMOUNT",))


def stage_facts(stage: RecordedStage) -> dict[str, Any]:
    """What a stage found; what was to be paid with the decimals of its currency."""
    facts = dict(stage.result)
    minor, currency = facts.get("amountMinor"), facts.get("currency")
    if isinstance(minor, int) and isinstance(currency, str):
        del facts["amountMinor"], facts["currency"]
        amount = Decimal(minor).scaleb(-(minor_digits(currency) or 0))
        facts["amount"] = f"{amount:,f} {currency}"
    return facts


def joined(separator: str, *parts: object) -> str:
    """The parts that there are, or a dash."""
    return separator.join(str(part) for part in parts if part) or "-"


def _lines(subject: RequestSubject) -> Iterator[tuple[str, str]]:
    customer, order, origin = subject.customer, subject.order, subject.origin
    countries = (
        customer.phone_country and f"phone {customer.phone_country}",
        customer.billing_country and f"billing {customer.billing_country}",
        customer.shipping_country and f"shipping {customer.shipping_country}",
    )
    yield "customer", joined(", ", customer.user_id, customer.email, *countries)
    items = order.items and f"{order.items:g} line{'' if order.items == 1 else 's'}"
    goods = order.categories and f"categories {' and '.join(order.categories)}"
    reference = order.client_reference_id and f"reference {order.client_reference_id}"
    amount = None if order.amount is None else str(order.amount)
    yield "order", joined(", ", amount, items, goods, reference)
    card = subject.card
    funding = card and card.funding
    prepaid = "prepaid" if card and card.prepaid else None
    yield "card", joined(", ", _card(card), funding, prepaid)
    traits = origin.traits and f"({', '.join(origin.traits)})"
    where = joined(" ", origin.operator, traits) if origin.operator or traits else None
    language = origin.language and f"language {origin.language}"
    yield "from", joined(", ", origin.ip_address, origin.country, where, origin.device, language)


def _card(card: ReviewedCard | None) -> str:
    if card is None:
        return "-"
    return joined(" ", card.brand, f"{card.bin or ''}…{card.last_four or ''}", card.country)
