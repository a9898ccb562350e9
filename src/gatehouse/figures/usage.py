"""Counts an account's requests by day and operation on the copy, as the database would."""

from datetime import date
from typing import Final

from gatehouse.billing.statement import DAY_MS, Period
from gatehouse.figures.account_columns import DECISIONS, AccountColumns
from gatehouse.figures.engine import NOT_READY, FiguresNotReady
from gatehouse.store.accounts.usage import UsageLine

_EPOCH_DAY: Final = date(1970, 1, 1).toordinal()


def count_usage(columns: AccountColumns, period: Period) -> list[UsageLine]:
    """The requests of a period; `FiguresNotReady` while the copy does not have all of them."""
    with columns.reading() as asking:
        coverage = columns.coverage
        is_there = coverage.complete or (coverage.since_ms or period.end_ms) < period.start_ms
        if not is_there:
            raise FiguresNotReady(NOT_READY)
        rows = asking.ask(
            f"SELECT at_ms // {DAY_MS} AS day, operation, count(*), sum(fees_micros)::BIGINT "  # noqa: S608
            f"FROM {DECISIONS} WHERE id_ms >= {period.start_ms} AND id_ms < {period.end_ms} "
            "GROUP BY day, operation ORDER BY day, operation"
        )
    return [UsageLine(date.fromordinal(_EPOCH_DAY + row[0]), *row[1:]) for row in rows]
