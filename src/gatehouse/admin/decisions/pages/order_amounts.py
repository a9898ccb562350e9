"""Amounts of orders as a person is used to: any currency, or none that is known."""

from decimal import Decimal
from typing import Final

from gatehouse.admin.decisions.use_cases.request_subject import OrderAmount
from gatehouse.console.visit import Visit

_MICROS: Final = 1_000_000


def shown_order(visit: Visit, amount: OrderAmount | None) -> str:
    """What is to be paid; a dash when nobody said it."""
    if amount is None:
        return "–"
    return shown_amount(visit, Decimal(bytes(amount.amount).decode()), amount.currency)


def shown_amount(visit: Visit, amount: Decimal | float, currency: str | None) -> str:
    """An amount in its currency, or as a plain number."""
    if currency is None:
        return visit.number(float(amount))
    return visit.money(round(Decimal(amount) * _MICROS), currency)
