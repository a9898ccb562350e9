"""Counts the orders of a span in groups of those that are alike, for reports on months.

An order is a decision with an outcome. All figures of a report are sums over these groups.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from gatehouse.core.stages.outcomes import Outcome
from gatehouse.figures.account_columns import DECISIONS, AccountColumns
from gatehouse.figures.engine import NOT_READY, ColumnConnection, FiguresNotReady
from gatehouse.figures.span_parts import MADE_HERE

MOST_RULES: Final = 300
_MARKET: Final = 'coalesce("billing.country", "card.country", "ip.country")'
_MICROS: Final = "sum(amount * 1000000)::HUGEINT"
_NUMBER: Final = "count(*) AS number"
_IDS: Final = {"request_id": "VARCHAR"}
_NONE: Final = (0, 0, 0, 0)
_DECLINED: Final = f"outcome = '{Outcome.DECLINE.value}'"


class OrderGroup(NamedTuple):
    """Orders that are alike."""

    outcome: str
    review: str | None
    """OPEN, APPROVED or DECLINED, if a person was to look at them."""
    fraud: bool | None
    """What they turned out to be; None while nothing is known."""
    disputed: bool
    currency: str | None
    market: str | None
    """The country of the billing address, or of the card, or of the network address."""
    number: int
    micros: int

    @property
    def accepted(self) -> bool:
        """Whether they were accepted in the end: at once, or by a person."""
        return self.outcome == Outcome.ACCEPT or (
            self.outcome == Outcome.REVIEW and self.review == "APPROVED"
        )

    @property
    def declined(self) -> bool:
        """Whether they were declined in the end: at once, or by a person."""
        return self.outcome == Outcome.DECLINE or (
            self.outcome == Outcome.REVIEW and self.review == "DECLINED"
        )


class RuleGroup(NamedTuple):
    """What one rule matched, in all versions of its rule set."""

    rule_set: str
    rule: str
    shadow: bool
    hits: int
    declined: int
    """Of these, orders that were declined at once."""
    fraud: int
    legitimate: int


class OrderSpan(NamedTuple):
    """The orders of a span, in groups, and what the copy knows besides."""

    requests: int
    orders: list[OrderGroup]
    rules: list[RuleGroup]
    labels: dict[str, bool]
    """Of requests that were asked for: whether they are fraud, where that is known."""
    spans: list[list[OrderGroup]]
    """The orders of further spans that were asked for, without markets and disputes."""


class AskedOrders(NamedTuple):
    """Which orders are asked for, and what is known of them elsewhere."""

    since_ms: int
    until_ms: int
    disputed: Sequence[str]
    """Requests of the span whose payments were disputed."""
    resolved: Sequence[str]
    """Requests whose labels are wanted."""
    spans: Sequence[tuple[int, int]] = ()


def count_orders(columns: AccountColumns, asked: AskedOrders) -> OrderSpan:
    """Count them; `FiguresNotReady` while the copy does not have all of them."""
    first_ms = min(asked.since_ms, *(since for since, _ in asked.spans), asked.until_ms)
    with columns.reading() as asking:
        coverage = columns.coverage
        if not coverage.complete and (coverage.since_ms or asked.until_ms) >= first_ms:
            raise FiguresNotReady(NOT_READY)
        within = f"id_ms >= {asked.since_ms} AND id_ms < {asked.until_ms} AND {MADE_HERE}"
        asking.put("disputed", _IDS, [asked.disputed])
        [(requests,)] = asking.ask(f"SELECT count(*) FROM {DECISIONS} WHERE {within}")  # noqa: S608
        return OrderSpan(
            requests,
            _orders(asking, within),
            _rules(asking, within),
            _labels(asking, asked.resolved),
            [_plain_orders(asking, since, until) for since, until in asked.spans],
        )


def _orders(asking: ColumnConnection, within: str) -> list[OrderGroup]:
    rows = asking.ask(
        "SELECT outcome, review, fraud, "  # noqa: S608  # numbers and names of columns
        "request_id IN (SELECT request_id FROM disputed) AS disputed, "
        f"currency, {_MARKET} AS market, {_NUMBER}, {_MICROS} "
        f"FROM {DECISIONS} WHERE {within} AND outcome IS NOT NULL GROUP BY ALL"
    )
    return [_group(row) for row in rows]


def _plain_orders(asking: ColumnConnection, since_ms: int, until_ms: int) -> list[OrderGroup]:
    rows = asking.ask(
        f"SELECT outcome, review, fraud, FALSE, NULL, NULL, {_NUMBER}, 0 FROM {DECISIONS} "  # noqa: S608
        f"WHERE id_ms >= {since_ms} AND id_ms < {until_ms} AND outcome IS NOT NULL GROUP BY ALL"
    )
    return [_group(row) for row in rows]


def _group(row: Sequence[object]) -> OrderGroup:
    *alike, number, micros = row
    return OrderGroup(*alike, int(str(number)), int(str(micros or 0)))  # type: ignore[call-arg,arg-type]  # as the columns are


def _rules(asking: ColumnConnection, within: str) -> list[RuleGroup]:
    # Orders that matched the same rules are counted together, and only then taken apart.
    asking.ask(
        f"CREATE TEMP TABLE alike AS SELECT matched, shadow, outcome, fraud, {_NUMBER} "  # noqa: S608
        f"FROM {DECISIONS} WHERE {within} GROUP BY ALL"
    )
    found: dict[tuple[str, str, bool], list[int]] = {}
    for column in ("matched", "shadow"):
        rows = asking.ask(
            f"SELECT name, sum(number)::BIGINT, {_summed(_DECLINED)}, {_summed('fraud')}, "  # noqa: S608
            f"{_summed('NOT fraud')} FROM (SELECT unnest({column}) AS name, * FROM alike) "
            "GROUP BY name"
        )
        for name, *counts in rows:
            # A match names the rule set, its version and the rule.
            rule_set, _, rest = name.partition("/")
            key = rule_set, rest.partition("/")[2], column == "shadow"
            found[key] = [sum(each) for each in zip(found.get(key, _NONE), counts, strict=True)]
    groups = [RuleGroup(*key, *counts) for key, counts in found.items()]
    return sorted(groups, key=lambda each: (-each.hits, each))[:MOST_RULES]


def _summed(condition: str) -> str:
    return f"coalesce(sum(number) FILTER (WHERE {condition}), 0)::BIGINT"


def _labels(asking: ColumnConnection, request_ids: Sequence[str]) -> dict[str, bool]:
    asking.put("resolved", _IDS, [request_ids])
    known: Mapping[str, bool] = dict(
        asking.ask(
            f"SELECT request_id, fraud FROM {DECISIONS} "  # noqa: S608
            "WHERE fraud IS NOT NULL AND request_id IN (SELECT request_id FROM resolved)"
        )
    )
    return dict(known)
