"""Adds groups of orders up to the figures of a report; everything here is a sum."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from gatehouse.admin.outcomes.types.money import MoneySum
from gatehouse.admin.reports.types.report import MarketMonth, OrderCounts, OrderMoney, RuleMonth
from gatehouse.core.money import format_amount
from gatehouse.figures.month_orders import OrderGroup, RuleGroup

MOST_CURRENCIES: Final = 30
MOST_MARKETS: Final = 60

_COUNTED: Final[dict[str, Callable[[OrderGroup], bool]]] = {
    "orders": lambda each: True,
    "accepted": lambda each: each.accepted,
    "reviewed": lambda each: each.review is not None or each.outcome == "REVIEW",
    "declined": lambda each: each.declined,
    "labelled": lambda each: each.accepted and each.fraud is not None,
    "fraud": lambda each: each.accepted and each.fraud is True,
    "disputed": lambda each: each.accepted and each.disputed,
}
_PAID: Final[dict[str, Callable[[OrderGroup], bool]]] = {
    **{name: _COUNTED[name] for name in ("orders", "accepted", "fraud", "disputed")},
    "turned_away": lambda each: each.declined,
    "saved": lambda each: each.declined and each.fraud is True,
    "wrongly_declined": lambda each: each.declined and each.fraud is False,
}


def counts_of(groups: Iterable[OrderGroup]) -> OrderCounts:
    """How many orders there were, and what became of them."""
    return OrderCounts(**_counted([*groups]))


def money_of(groups: Sequence[OrderGroup]) -> list[OrderMoney]:
    """The same in money: the currencies with most orders."""
    return [
        OrderMoney(currency, **{name: _total(some, holds) for name, holds in _PAID.items()})
        for currency, some in _by(groups, lambda each: each.currency)[:MOST_CURRENCIES]
        if currency is not None
    ]


def markets_of(groups: Sequence[OrderGroup]) -> list[MarketMonth]:
    """The countries with most orders."""
    found = _by(groups, lambda each: each.market)[:MOST_MARKETS]
    return [MarketMonth(country=country, **_counted(some)) for country, some in found]


def rules_of(groups: Iterable[RuleGroup]) -> list[RuleMonth]:
    """What each rule did."""
    return [RuleMonth(**each._asdict()) for each in groups]


def _counted(groups: Sequence[OrderGroup]) -> dict[str, int]:
    return {
        name: sum(each.number for each in groups if holds(each)) for name, holds in _COUNTED.items()
    }


def _total(groups: Iterable[OrderGroup], holds: Callable[[OrderGroup], bool]) -> MoneySum:
    wanted = [each for each in groups if holds(each)]
    micros = sum(each.micros for each in wanted)
    return MoneySum(sum(each.number for each in wanted), format_amount(micros))


def _by(groups: Iterable[OrderGroup], key: Callable[[OrderGroup], Any]) -> list[Any]:
    found: dict[str | None, list[OrderGroup]] = {}
    for each in groups:
        found.setdefault(key(each), []).append(each)
    return sorted(
        found.items(), key=lambda pair: (-sum(each.number for each in pair[1]), pair[0] or "")
    )
