"""Counts an account's requests by day and operation; the database adds up."""

from datetime import date
from typing import Final

import msgspec
import sqlalchemy as sa

from gatehouse.billing.ledger import EntryKind
from gatehouse.billing.statement import DAY_MS, Period
from gatehouse.core.ids import first_id
from gatehouse.store.tables import DECISIONS, LEDGER_ENTRIES

_EPOCH_DAY: Final = date(1970, 1, 1).toordinal()
_D: Final = DECISIONS.c
_E: Final = LEDGER_ENTRIES.c


class UsageLine(msgspec.Struct, frozen=True):
    """The requests of one operation on one day."""

    day: date
    operation: str
    requests: int
    charged: int
    """In millionths."""


def usage(connection: sa.Connection, account_id: str, period: Period) -> list[UsageLine]:
    """The decided requests of a period by day and operation."""
    closed = (
        (_E.account_id == _D.account_id)
        & (_E.reference == _D.request_id)
        & (_E.kind == EntryKind.CLOSE.value)
    )
    # Named in a query of their own: what is grouped by must be the same expression everywhere.
    each = (
        sa.select(
            (_D.at_ms // DAY_MS).label("day"),
            _D.operation,
            sa.func.coalesce(-_E.amount, 0).label("charged"),
        )
        .select_from(DECISIONS.outerjoin(LEDGER_ENTRIES, closed))
        .where(_D.account_id == account_id)
        .where(_D.request_id >= first_id("req", period.start_ms))
        .where(_D.request_id < first_id("req", period.end_ms))
        .subquery("each")
    )
    alike = (each.c.day, each.c.operation)
    query = sa.select(*alike, sa.func.count(), sa.func.sum(each.c.charged))
    return [
        UsageLine(date.fromordinal(_EPOCH_DAY + int(day)), operation, requests, int(charged))
        for day, operation, requests, charged in connection.execute(
            query.group_by(*alike).order_by(*alike)
        )
    ]
