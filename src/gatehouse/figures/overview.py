"""Counts decisions for the overview: outcomes over time, fraud by month, latency, operations.

Decisions are counted together by part of the span, operation and review first. Everything else is
made from these counts, so that the number of decisions matters once.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from gatehouse.core.api_values import CamelStruct
from gatehouse.core.money import MICROS_PER_UNIT
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.figures.account_columns import DECISIONS, AccountColumns, Coverage
from gatehouse.figures.buckets import Borders, Bucket, FigureSpan, Part, zone_of
from gatehouse.figures.engine import ColumnConnection
from gatehouse.figures.kept_parts import Rows, parts_of
from gatehouse.figures.layout import stage_us
from gatehouse.figures.span_parts import MADE_HERE, within_parts
from gatehouse.figures.workspace import quoted, text

TOTAL: Final = "total"
"""The latency of all stages together."""
_QUANTILES: Final = (0.5, 0.9, 0.95, 0.99)
_MONTHS: Final = 12
_SORTED: Final = 50_000
"""So many times are sorted for percentiles, or up to twice as many."""
_TOOK: Final = "(outcome = 'ACCEPT' OR review = 'APPROVED')"
_REFUSED: Final = "(outcome = 'DECLINE' OR review = 'DECLINED')"
_SUMS: Final = {
    "requests": "sum(many)",
    "accepted": f"sum(many) FILTER (WHERE outcome = '{Outcome.ACCEPT.value}')",
    "reviewed": f"sum(many) FILTER (WHERE outcome = '{Outcome.REVIEW.value}')",
    "declined": f"sum(many) FILTER (WHERE outcome = '{Outcome.DECLINE.value}')",
    "labelled": "sum(many) FILTER (WHERE fraud IS NOT NULL)",
    "fraud": "sum(many) FILTER (WHERE fraud)",
    "fees_micros": "sum(fees)",
    "taken_micros": f"sum(worth) FILTER (WHERE {_TOOK}) * {MICROS_PER_UNIT}",
    "turned_away_micros": f"sum(worth) FILTER (WHERE {_REFUSED} AND fraud IS DISTINCT FROM true) "
    f"* {MICROS_PER_UNIT}",
    "saved_micros": f"sum(worth) FILTER (WHERE {_REFUSED} AND fraud) * {MICROS_PER_UNIT}",
    "lost_micros": f"sum(worth) FILTER (WHERE {_TOOK} AND fraud) * {MICROS_PER_UNIT}",
}
"""What is summed up, of decisions that are alike."""
_BY: Final = ("operation", "review")
_OF_MONTH: Final = ("requests", "labelled", "fraud")


class OutcomeCounts(CamelStruct, kw_only=True):
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


class MonthFraud(CamelStruct):
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


class Latency(CamelStruct):
    """How long requests took, in microseconds: in all stages together, or in one of them."""

    name: str
    requests: int
    """How many were looked at: all, or some of very many."""
    p50: int
    p90: int
    p95: int
    p99: int


class ReviewCounts(CamelStruct):
    """What became of the reviews of the span."""

    open: int
    approved: int
    declined: int


class Overview(CamelStruct):
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
    columns: AccountColumns,
    span: FigureSpan,
    currency: str,
    bucket: Bucket | None = None,
    *,
    with_latency: bool = True,
) -> Overview:
    """The figures of the span; money is that of orders in one currency."""
    bucket = bucket or span.usual_bucket
    before, borders = span.before, Borders(span, bucket)
    months = Borders(_months(span), Bucket.MONTH)
    year = FigureSpan(months.starts[0], span.until_ms, span.zone)
    changes = columns.parts.changes
    with columns.reading() as asking:
        coverage = columns.coverage

        def counted(parts: Sequence[Part]) -> dict[Part, Rows]:
            return columns.parts.rows(
                ("overview", currency), parts, changes, lambda some: _count(asking, some, currency)
            )

        now = counted(parts_of(span, bucket))
        then = _all(counted(parts_of(before, bucket)))
        by_month = _by_bucket(months, counted(parts_of(year, Bucket.MONTH)))
        stages = columns.layout.stages if with_latency else None
        return Overview(
            since_ms=span.since_ms,
            until_ms=span.until_ms,
            bucket=bucket,
            coverage=coverage,
            counts=OutcomeCounts(**_summed(_all(now))),
            before=OutcomeCounts(**_summed(then)),
            over_time=tuple(
                BucketCounts(start_ms=start, **_summed(rows))
                for start, rows in _by_bucket(borders, now).items()
            ),
            by_operation=_by_operation(_all(now)),
            fraud_by_month=tuple(
                MonthFraud(start, *map(_summed(rows).__getitem__, _OF_MONTH))
                for start, rows in by_month.items()
            ),
            latency=_latency(asking, stages, span),
            latency_before=_latency(asking, stages, before),
            reviews=_reviews(_all(now)),
        )


def _count(asking: ColumnConnection, parts: Sequence[Part], currency: str) -> Rows:
    """Count parts by operation and review, each row behind the start of its part."""
    worth = f"""CASE WHEN "order.currency" = {text(currency)} THEN "order.amount" END"""
    # Every decision is added up once; what depends on its outcome is sorted out of the sums.
    alike = (
        "SELECT start, operation, outcome, review, fraud, count(*) AS many, "  # noqa: S608
        f"sum(fees_micros) AS fees, sum(({worth})::DECIMAL(24, 6)) AS worth "
        f"FROM {within_parts(asking, DECISIONS, parts)} GROUP BY ALL"
    )
    sums = ", ".join(f"coalesce({sql}, 0)::HUGEINT" for sql in _SUMS.values())
    return asking.ask(f"SELECT start, {', '.join(_BY)}, {sums} FROM ({alike}) GROUP BY ALL")  # noqa: S608


def _all(parts: Mapping[Part, Rows]) -> Rows:
    return [row for rows in parts.values() for row in rows]


def _by_bucket(borders: Borders, parts: Mapping[Part, Rows]) -> dict[int, Rows]:
    """The rows of the parts of each bucket, by its start."""
    found: dict[int, Rows] = {start: [] for start in borders.starts}
    for (start_ms, _), rows in parts.items():
        found[borders.starts[bisect_right(borders.starts, start_ms) - 1]] += rows
    return found


def _summed(rows: Rows) -> dict[str, int]:
    """The counts of some rows together."""
    sums = [sum(each) for each in list(zip(*rows, strict=True))[len(_BY) :]]
    return dict(zip(_SUMS, sums, strict=True)) if sums else dict.fromkeys(_SUMS, 0)


def _by_operation(rows: Rows) -> tuple[OperationCounts, ...]:
    by: defaultdict[str, Rows] = defaultdict(list)
    for row in rows:
        by[row[0]].append(row)
    found = [OperationCounts(operation=name, **_summed(some)) for name, some in by.items()]
    return tuple(sorted(found, key=lambda each: (-each.requests, each.operation)))


def _reviews(rows: Rows) -> ReviewCounts:
    known = Counter[str | None]()
    for _, review, requests, *_ in rows:
        known[review] += requests
    return ReviewCounts(*(known[state] for state in ("OPEN", "APPROVED", "DECLINED")))


def _latency(
    asking: ColumnConnection, stages: Sequence[str] | None, span: FigureSpan
) -> tuple[Latency, ...]:
    if stages is None:
        return ()
    columns = {TOTAL: "duration_us", **{name: quoted(stage_us(name)) for name in stages}}
    asked = ", ".join(
        f"count({column}), quantile_disc({column}, {list(_QUANTILES)})"
        for column in columns.values()
    )
    within = f"id_ms >= {span.since_ms} AND id_ms < {span.until_ms} AND {MADE_HERE}"
    [(requests,)] = asking.ask(f"SELECT count(*) FROM {DECISIONS} WHERE {within}")  # noqa: S608
    # Of very many requests those of some milliseconds are enough, whatever they were.
    every = max(1, requests // _SORTED)
    if every > 1:
        within += f" AND id_ms % {every} = 0"
    [row] = asking.ask(f"SELECT {asked} FROM {DECISIONS} WHERE {within}")  # noqa: S608
    found = zip(columns, row[::2], row[1::2], strict=True)
    return tuple(Latency(name, count, *times) for name, count, times in found if count)


def _months(span: FigureSpan) -> FigureSpan:
    last = datetime.fromtimestamp((span.until_ms - 1) / 1000, zone_of(span.zone))
    years, month = divmod(last.year * 12 + last.month - _MONTHS, 12)
    first = last.replace(
        year=years, month=month + 1, day=1, hour=0, minute=0, second=0, microsecond=0
    )
    since_ms = min(span.since_ms, max(0, round(first.timestamp() * 1000)))
    return FigureSpan(since_ms, span.until_ms, span.zone)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
