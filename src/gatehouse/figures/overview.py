"""Counts decisions for the overview: outcomes over time, fraud by month, latency, operations.

Decisions are counted together by part of the span, operation and review first. Everything else is
made from these counts, so that the number of decisions matters once.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import msgspec

from gatehouse.core.money import MICROS_PER_UNIT
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.figures.account_columns import DECISIONS, AccountColumns, Coverage
from gatehouse.figures.buckets import Borders, Bucket, FigureSpan, zone_of
from gatehouse.figures.engine import ColumnConnection
from gatehouse.figures.layout import stage_us
from gatehouse.figures.span_parts import OF_PART, put_parts
from gatehouse.figures.workspace import quoted, text

TOTAL: Final = "total"
"""The latency of all stages together."""
_QUANTILES: Final = (0.5, 0.9, 0.95, 0.99)
_MONTHS: Final = 12
_SORTED: Final = 50_000
"""So many times are sorted for percentiles, or up to twice as many."""
_COUNTS: Final = (
    *("requests", "accepted", "reviewed", "declined"),
    *("labelled", "fraud", "fees_micros"),
    *("taken_micros", "turned_away_micros", "saved_micros", "lost_micros"),
)


class OutcomeCounts(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """How many requests there were, and what became of them."""

    requests: int = 0
    accepted: int = 0
    reviewed: int = 0
    declined: int = 0
    labelled: int = 0
    """Requests of which it is known what they turned out to be."""
    fraud: int = 0
    fees_micros: int = 0
    taken_micros: int = 0
    """The worth of orders that were accepted at once or by a person, in the currency asked for."""
    turned_away_micros: int = 0
    """Of those that were declined, and are not known to be fraud."""
    saved_micros: int = 0
    """Of those that were declined, and turned out to be fraud."""
    lost_micros: int = 0
    """Of those that were accepted, and turned out to be fraud."""

    @property
    def decided(self) -> int:
        """Requests with an outcome; single checks have none."""
        return self.accepted + self.reviewed + self.declined

    @property
    def approval_rate(self) -> float | None:
        """The share that was accepted at once."""
        return _share(self.accepted, self.decided)

    @property
    def review_rate(self) -> float | None:
        """The share that a person had to look at."""
        return _share(self.reviewed, self.decided)

    @property
    def decline_rate(self) -> float | None:
        """The share that was declined at once."""
        return _share(self.declined, self.decided)

    @property
    def fraud_rate(self) -> float | None:
        """The share of fraud among what has a label."""
        return _share(self.fraud, self.labelled)


class BucketCounts(OutcomeCounts, frozen=True, kw_only=True):
    """The same for a part of the span."""

    start_ms: int


class MonthFraud(msgspec.Struct, frozen=True, rename="camel"):
    """The orders of one month, and what is known of them by now."""

    start_ms: int
    requests: int
    labelled: int
    fraud: int

    @property
    def fraud_rate(self) -> float | None:
        """The share of fraud among what has a label."""
        return _share(self.fraud, self.labelled)


class OperationCounts(OutcomeCounts, frozen=True, kw_only=True):
    """The same for one operation."""

    operation: str


class Latency(msgspec.Struct, frozen=True, rename="camel"):
    """How long requests took, in microseconds: in all stages together, or in one of them."""

    name: str
    requests: int
    """How many were looked at: all, or some of very many."""
    p50: int
    p90: int
    p95: int
    p99: int


class ReviewCounts(msgspec.Struct, frozen=True, rename="camel"):
    """What became of the reviews of the span."""

    open: int
    approved: int
    declined: int


class Overview(msgspec.Struct, frozen=True, rename="camel"):
    """The figures of a span, and of the span of the same length before it."""

    since_ms: int
    until_ms: int
    bucket: Bucket
    coverage: Coverage
    counts: OutcomeCounts
    before: OutcomeCounts
    over_time: tuple[BucketCounts, ...]
    by_operation: tuple[OperationCounts, ...]
    fraud_by_month: tuple[MonthFraud, ...]
    """By month of the order: of the span, or of the last twelve months if that is more."""
    latency: tuple[Latency, ...]
    latency_before: tuple[Latency, ...]
    reviews: ReviewCounts


def count_overview(
    columns: AccountColumns, span: FigureSpan, currency: str, bucket: Bucket | None = None
) -> Overview:
    """The figures of the span; money is that of orders in one currency."""
    bucket = bucket or span.usual_bucket
    before = span.before
    borders = Borders(span, bucket)
    months = Borders(_months(span), Bucket.MONTH)
    with columns.reading() as asking:
        coverage = columns.coverage
        _count_all(asking, span, borders, currency)
        return Overview(
            since_ms=span.since_ms,
            until_ms=span.until_ms,
            bucket=bucket,
            coverage=coverage,
            counts=_counts(asking, now=True),
            before=_counts(asking, now=False),
            over_time=_over_time(asking, borders),
            by_operation=_by_operation(asking),
            fraud_by_month=_by_month(asking, months, span.until_ms),
            latency=_latency(asking, columns.layout.stages, span),
            latency_before=_latency(asking, columns.layout.stages, before),
            reviews=_reviews(asking),
        )


def _count_all(asking: ColumnConnection, span: FigureSpan, borders: Borders, currency: str) -> None:
    """Count both spans; of the one before, only the whole."""
    put_parts(asking, "parts", borders, span.until_ms)
    within = f"id_ms >= {span.before.since_ms} AND id_ms < {span.until_ms}"
    worth = f"""CASE WHEN "order.currency" = {text(currency)} THEN "order.amount" END"""
    # Every decision is added up once; what depends on its outcome is sorted out of the sums.
    alike = (
        f"SELECT id_ms >= {span.since_ms} AS now, start, operation, outcome, review, "  # noqa: S608
        f"fraud, count(*) AS many, sum(fees_micros) AS fees, "
        f"sum(({worth})::DECIMAL(24, 6)) AS worth "
        f"FROM {DECISIONS} LEFT JOIN parts ON {OF_PART} WHERE {within} GROUP BY ALL"
    )
    asking.ask(
        f"CREATE TEMP TABLE counted AS SELECT now, start, operation, review, "  # noqa: S608
        f"{_sums()}, {_money()} FROM ({alike}) GROUP BY ALL"
    )


def _sums() -> str:
    outcomes = {"accepted": Outcome.ACCEPT, "reviewed": Outcome.REVIEW, "declined": Outcome.DECLINE}
    counted = [
        f"sum(many) FILTER (WHERE outcome = '{one.value}') AS {name}"
        for name, one in outcomes.items()
    ]
    counted.append("sum(many) FILTER (WHERE fraud IS NOT NULL) AS labelled")
    counted.append("sum(many) FILTER (WHERE fraud) AS fraud")
    return f"sum(many) AS requests, {', '.join(counted)}, sum(fees) AS fees_micros"


def _money() -> str:
    """What orders come to, by what became of them, in millionths."""
    took = "(outcome = 'ACCEPT' OR review = 'APPROVED')"
    refused = "(outcome = 'DECLINE' OR review = 'DECLINED')"
    wanted = {
        "taken_micros": took,
        "turned_away_micros": f"{refused} AND fraud IS DISTINCT FROM true",
        "saved_micros": f"{refused} AND fraud",
        "lost_micros": f"{took} AND fraud",
    }
    return ", ".join(
        f"sum(worth) FILTER (WHERE {each}) * {MICROS_PER_UNIT} AS {name}"
        for name, each in wanted.items()
    )


def _added() -> str:
    return ", ".join(f"coalesce(sum({name}), 0)::HUGEINT" for name in _COUNTS)


def _counts(asking: ColumnConnection, *, now: bool) -> OutcomeCounts:
    [row] = asking.ask(f"SELECT {_added()} FROM counted WHERE now = {now}")  # noqa: S608
    return OutcomeCounts(**_named(row))


def _by_operation(asking: ColumnConnection) -> tuple[OperationCounts, ...]:
    rows = asking.ask(
        f"SELECT operation, {_added()} FROM counted WHERE now GROUP BY operation "  # noqa: S608
        "ORDER BY sum(requests) DESC, operation"
    )
    return tuple(OperationCounts(operation=row[0], **_named(row[1:])) for row in rows)


def _over_time(asking: ColumnConnection, borders: Borders) -> tuple[BucketCounts, ...]:
    rows = asking.ask(f"SELECT start, {_added()} FROM counted WHERE now GROUP BY start")  # noqa: S608
    found = {row[0]: _named(row[1:]) for row in rows}
    return tuple(BucketCounts(start_ms=start, **found.get(start, {})) for start in borders.starts)


def _by_month(asking: ColumnConnection, borders: Borders, until_ms: int) -> tuple[MonthFraud, ...]:
    put_parts(asking, "months", borders, until_ms)
    rows = asking.ask(
        "SELECT start, count(*), count(fraud), count(*) FILTER (WHERE fraud) "  # noqa: S608
        f"FROM {DECISIONS} JOIN months ON {OF_PART} "
        f"WHERE id_ms >= {borders.starts[0]} AND id_ms < {until_ms} GROUP BY start"
    )
    found = {start: counts for start, *counts in rows}
    return tuple(MonthFraud(start, *found.get(start, (0, 0, 0))) for start in borders.starts)


def _latency(
    asking: ColumnConnection, stages: Sequence[str], span: FigureSpan
) -> tuple[Latency, ...]:
    columns = {TOTAL: "duration_us", **{name: quoted(stage_us(name)) for name in stages}}
    asked = ", ".join(
        f"count({column}), quantile_disc({column}, {list(_QUANTILES)})"
        for column in columns.values()
    )
    within = f"id_ms >= {span.since_ms} AND id_ms < {span.until_ms}"
    [(requests,)] = asking.ask(f"SELECT count(*) FROM {DECISIONS} WHERE {within}")  # noqa: S608
    # Of very many requests those of some milliseconds are enough, whatever they were.
    every = max(1, requests // _SORTED)
    if every > 1:
        within += f" AND id_ms % {every} = 0"
    [row] = asking.ask(f"SELECT {asked} FROM {DECISIONS} WHERE {within}")  # noqa: S608
    found = zip(columns, row[::2], row[1::2], strict=True)
    return tuple(Latency(name, count, *times) for name, count, times in found if count)


def _reviews(asking: ColumnConnection) -> ReviewCounts:
    rows = asking.ask("SELECT review, sum(requests)::BIGINT FROM counted WHERE now GROUP BY 1")
    known = dict(rows)
    return ReviewCounts(*(int(known.get(state, 0)) for state in ("OPEN", "APPROVED", "DECLINED")))


def _months(span: FigureSpan) -> FigureSpan:
    last = datetime.fromtimestamp((span.until_ms - 1) / 1000, zone_of(span.zone))
    years, month = divmod(last.year * 12 + last.month - _MONTHS, 12)
    first = last.replace(
        year=years, month=month + 1, day=1, hour=0, minute=0, second=0, microsecond=0
    )
    since_ms = min(span.since_ms, max(0, round(first.timestamp() * 1000)))
    return FigureSpan(since_ms, span.until_ms, span.zone)


def _named(row: Sequence[Any]) -> dict[str, int]:
    return dict(zip(_COUNTS, map(int, row), strict=True))


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
