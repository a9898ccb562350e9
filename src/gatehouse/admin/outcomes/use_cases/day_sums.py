"""Sums of what became of payments in a month, by day.

What a day came to is kept in memory with the number of its changes, which the database counts. So
only days that changed are read again, whichever server changed them. A server of an earlier
version, which writes beside this one during an upgrade, counts no changes: so nothing is kept for
long.
"""

from collections.abc import Iterable, Iterator, Sequence
from operator import add
from typing import Any, Final

import sqlalchemy as sa

from gatehouse.admin.outcomes.queries.rows import changes_of_days
from gatehouse.admin.outcomes.tables import OUTCOMES
from gatehouse.admin.outcomes.types.counts import OutcomeGroup
from gatehouse.admin.outcomes.types.outcome import OutcomeKind
from gatehouse.billing.statement import DAY_MS
from gatehouse.core.money import MICROS_PER_UNIT
from gatehouse.core.months import CalendarMonth
from gatehouse.figures.buckets import Bucket, FigureSpan, Part
from gatehouse.figures.kept_parts import KeptParts, Rows, parts_of
from gatehouse.store.admin.admin_session import Reading

_O: Final = OUTCOMES.c
_Columns = tuple["sa.Column[Any]", ...]
_Day = tuple[int, int, int, int]
"""From a moment on and before another, how often it had changed, and when it was counted."""
KEPT_MS: Final = 600_000
ALIKE: Final[_Columns] = (
    *(_O.network, _O.merchant_id, _O.region),
    *(_O.kind, _O.reason, _O.stage, _O.result, _O.currency),
)
"""What outcomes of one group have in common."""
_BY_MONEY: Final[_Columns] = (_O.network, _O.kind, _O.stage, _O.result, _O.currency)
_METERED: Final = (OutcomeKind.SETTLED, OutcomeKind.FRAUD_REPORT, OutcomeKind.DISPUTE)
_NO_GROUP: Final = OutcomeGroup("", None, None, "", None, None, None, None, 0)
# Written out: what is grouped by must be the same expression everywhere.
_DAY: Final = sa.literal_column(f"outcomes.at_ms / {DAY_MS} * {DAY_MS}", sa.BigInteger)
_KEPT: Final = KeptParts()


def total(column: "sa.ColumnElement[Any]") -> "sa.ColumnElement[Any]":
    """The sum of a column, which is nothing where no row has a value."""
    return sa.func.coalesce(sa.func.sum(column), 0)


# Whole units and the rest apart: the sum of all millionths could be too large for a number.
WORTH: Final = (total(_O.amount // MICROS_PER_UNIT), total(_O.amount % MICROS_PER_UNIT))
_SUMS: Final = (
    *(sa.func.count(), total(_O.three_d_secure), sa.func.count(_O.three_d_secure)),
    *WORTH,
)


def events_of_month(
    reading: Reading, account_id: str, month: CalendarMonth, kept: KeptParts = _KEPT
) -> list[OutcomeGroup]:
    """Settlements, reports and disputes of a month, in groups of those that are alike."""
    found = _of_month(reading, account_id, month, ALIKE, kept)
    return [each for each in found if each.kind in _METERED]


def money_of_month(
    reading: Reading, account_id: str, month: CalendarMonth, kept: KeptParts = _KEPT
) -> list[OutcomeGroup]:
    """Outcomes of all kinds of a month with their amounts, by what became of them."""
    return _of_month(reading, account_id, month, _BY_MONEY, kept)


def _of_month(
    reading: Reading,
    account_id: str,
    month: CalendarMonth,
    alike: _Columns,
    kept: KeptParts,
) -> list[OutcomeGroup]:
    connection, now = reading.connection, reading.now_ms // KEPT_MS
    span = FigureSpan(month.since_ms, month.until_ms)
    # A reading sees outcomes and numbers of changes as of one moment.
    changes = changes_of_days(connection, account_id, span.since_ms, span.until_ms)
    days = [(*part, changes.get(part[0], 0), now) for part in parts_of(span, Bucket.DAY)]
    question = (str(connection.engine.url), account_id, *(each.name for each in alike))
    found = kept.rows(
        question, days, 0, lambda some: _count_days(connection, account_id, some, alike)
    )
    sums: dict[tuple[Any, ...], tuple[int, ...]] = {}
    for rows in found.values():
        for said, numbers in rows:
            known = sums.get(said)
            sums[said] = numbers if known is None else tuple(map(add, known, numbers))
    return [_group(alike, said, numbers) for said, numbers in sums.items()]


def _count_days(
    connection: sa.Connection, account_id: str, days: Sequence[_Day], alike: _Columns
) -> Rows:
    """The groups of some days, each behind the start of its day."""
    query = sa.select(_DAY, *alike, *_SUMS).group_by(_DAY, *alike)
    counted: Rows = []
    for since_ms, until_ms in _together(days):
        within = (_O.account_id == account_id, _O.at_ms >= since_ms, _O.at_ms < until_ms)
        for start_ms, *row in connection.execute(query.where(*within)):
            said, numbers = row[: len(alike)], row[len(alike) :]
            counted.append((start_ms, tuple(said), tuple(map(int, numbers))))
    return counted


def _together(days: Iterable[_Day]) -> Iterator[Part]:
    """Days that follow upon each other, as one span."""
    spans: list[Part] = []
    for since_ms, until_ms, *_ in days:
        if spans and spans[-1][1] == since_ms:
            spans[-1] = (spans[-1][0], until_ms)
        else:
            spans.append((since_ms, until_ms))
    return iter(spans)


def _group(alike: _Columns, said: Sequence[Any], numbers: Sequence[int]) -> OutcomeGroup:
    number, authenticated, answered, units, rest = numbers
    return _NO_GROUP._replace(
        **dict(zip((each.name for each in alike), said, strict=True)),
        number=number,
        authenticated=authenticated,
        told_authentication=answered,
        micros=units * MICROS_PER_UNIT + rest,
    )
