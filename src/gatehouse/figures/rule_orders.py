"""The newest orders that a rule matched, for people who want to see what it is about."""

from typing import Final

from gatehouse.core.api_values import CamelStruct
from gatehouse.core.money import MICROS_PER_UNIT
from gatehouse.figures.account_columns import DECISIONS, AccountColumns
from gatehouse.figures.buckets import FigureSpan
from gatehouse.figures.workspace import text

MOST_ORDERS: Final = 50


class MatchedOrder(CamelStruct):
    """One request that a rule matched."""

    request_id: str
    at_ms: int
    outcome: str | None
    fraud: bool | None
    """What it turned out to be; None where that is not known."""
    currency: str | None
    micros: int | None
    country: str | None
    """Of the card."""
    others: tuple[str, ...]
    """Other rules of the set that matched it, also those that only watch."""


def matched_orders(
    columns: AccountColumns, rule_set: str, rule: str, span: FigureSpan, most: int
) -> list[MatchedOrder]:
    """The newest requests of the span that a rule matched, also where it only watched."""
    of_set, of_rule = text(f"{rule_set}/"), text(f"/{rule}")
    named = f"starts_with(each, {of_set}) AND ends_with(each, {of_rule})"
    fields = 'request_id, at_ms, outcome, fraud, currency, amount, "card.country"'
    with columns.reading() as asking:
        rows = asking.ask(
            f"SELECT {fields}, list_filter(names, lambda each: starts_with(each, {of_set})) "  # noqa: S608
            f"FROM (SELECT *, list_concat(matched, shadow) AS names FROM {DECISIONS} "
            f"WHERE id_ms >= {span.since_ms} AND id_ms < {span.until_ms}) "
            f"WHERE list_bool_or(list_transform(names, lambda each: {named})) "
            f"ORDER BY id_ms DESC LIMIT {min(most, MOST_ORDERS)}"
        )
    found = []
    for request_id, at_ms, outcome, fraud, currency, amount, country, names in rows:
        micros = None if amount is None else int(amount * MICROS_PER_UNIT)
        others = tuple(sorted({each.rsplit("/", 1)[-1] for each in names} - {rule}))
        about = (request_id, at_ms, outcome, fraud, currency, micros, country, others)
        found.append(MatchedOrder(*about))
    return found
