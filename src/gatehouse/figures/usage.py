"""Counts an account's requests by day and operation on the copy, as the database would."""

from collections.abc import Sequence
from datetime import date
from typing import Final

from gatehouse.billing.statement import DAY_MS, Period
from gatehouse.figures.account_columns import DECISIONS, AccountColumns
from gatehouse.figures.buckets import Bucket, FigureSpan, Part
from gatehouse.figures.engine import NOT_READY, FiguresNotReady
from gatehouse.figures.kept_parts import Rows, parts_of
from gatehouse.figures.span_parts import within_parts
from gatehouse.store.accounts.usage import UsageLine

_EPOCH_DAY: Final = date(1970, 1, 1).toordinal()


def count_usage(columns: AccountColumns, period: Period) -> list[UsageLine]:
    """The requests of a period; `FiguresNotReady` while the copy does not have all of them."""
    days = parts_of(FigureSpan(period.start_ms, period.end_ms), Bucket.DAY)
    changes = columns.parts.changes
    with columns.reading() as asking:
        coverage = columns.coverage
        is_there = coverage.complete or (coverage.since_ms or period.end_ms) < period.start_ms
        if not is_there:
            raise FiguresNotReady(NOT_READY)

        def count(parts: Sequence[Part]) -> Rows:
            return asking.ask(
                "SELECT start, operation, count(*), sum(fees_micros)::BIGINT "  # noqa: S608
                f"FROM {within_parts(asking, DECISIONS, parts)} GROUP BY start, operation"
            )

        found = columns.parts.rows("usage", days, changes, count)
    return [
        UsageLine(date.fromordinal(_EPOCH_DAY + start_ms // DAY_MS), *row)
        for (start_ms, _), rows in found.items()
        for row in sorted(rows)
    ]
