"""The steps on the way to a level that an account was told of in a month."""

import sqlalchemy as sa

from gatehouse.admin.programmes import queries
from gatehouse.admin.programmes.types.report import ProgrammeAlert
from gatehouse.core.clock import Moment
from gatehouse.core.filling import filled
from gatehouse.core.months import CalendarMonth
from gatehouse.store.admin.admin_session import AdminSession


def alerts_of_month(
    connection: sa.Connection, account_id: str, month: CalendarMonth
) -> list[ProgrammeAlert]:
    """Those of a month, newest first."""
    return [
        filled(
            ProgrammeAlert,
            row,
            merchant_id=row.merchant_id or None,
            region=row.region or None,
            at=Moment(row.at_ms),
        )
        for row in queries.alerts_of(connection, account_id, str(month))
    ]


def alerts_now(session: AdminSession, account_id: str) -> list[ProgrammeAlert]:
    """Those of this month, the furthest first, without metering anything."""
    with session.account_reading(account_id) as connection:
        found = alerts_of_month(connection, account_id, CalendarMonth.at(session.clock()))
    return sorted(found, key=lambda each: -each.percent)
