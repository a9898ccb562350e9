"""Use case: what happened in a span of time, beside the span before it."""

import msgspec

from gatehouse.admin.alerts.use_cases import alerts_between
from gatehouse.admin.outcomes.use_cases.counting import disputes_between
from gatehouse.admin.reviews.use_cases.reviews import open_reviews_at
from gatehouse.figures.account_columns import AccountColumns, Coverage
from gatehouse.figures.buckets import Bucket, FigureSpan
from gatehouse.figures.engine import FiguresNotReady
from gatehouse.figures.overview import (
    BucketCounts,
    Latency,
    MonthFraud,
    OperationCounts,
    OutcomeCounts,
    Overview,
    ReviewCounts,
    count_overview,
)
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession

# What faces need.
__all__ = [
    "Bucket",
    "BucketCounts",
    "Coverage",
    "FigureSpan",
    "FiguresNotReady",
    "Latency",
    "MonthFraud",
    "OperationCounts",
    "OutcomeCounts",
    "Overview",
    "ReviewCounts",
]


def overview(
    session: AdminSession,
    columns: AccountColumns,
    span: FigureSpan,
    bucket: Bucket | None = None,
    *,
    with_latency: bool = True,
) -> Overview:
    """Decisions by outcome over time, rates, fraud, latency and operations.

    Without a bucket, one that fits the span is chosen. Latency takes longest: it is sorted anew
    each time, and not everybody shows it.
    """
    with session.account_reading(columns.account_id) as connection:
        currency = accounts.get(connection, columns.account_id).currency
    return count_overview(columns, span, currency, bucket, with_latency=with_latency)


class Standing(msgspec.Struct, frozen=True):
    """What the columns do not tell: disputes and alerts of a span, and the backlog at its end."""

    disputes: int
    disputed_micros: int
    """In the currency of the account."""
    backlog: int
    """Reviews that are open."""
    alerts: int


def standing(session: AdminSession, account_id: str, since_ms: int, until_ms: int) -> Standing:
    """Disputes and alerts of a span of time, and the reviews that were open when it ended."""
    with session.account_reading(account_id) as connection:
        currency = accounts.get(connection, account_id).currency
        span = (since_ms, until_ms)
        disputes, micros = disputes_between(connection, account_id, *span, currency)
        backlog = open_reviews_at(connection, account_id, until_ms, session.clock())
        return Standing(disputes, micros, backlog, alerts_between(connection, account_id, *span))
