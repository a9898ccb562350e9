"""Use case: what happened in a span of time, beside the span before it."""

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
    session: AdminSession, columns: AccountColumns, span: FigureSpan, bucket: Bucket | None = None
) -> Overview:
    """Decisions by outcome over time, rates, fraud, latency and operations.

    Without a bucket, one that fits the span is chosen.
    """
    session.actor.check_account(columns.account_id)
    return count_overview(columns, span, bucket)
