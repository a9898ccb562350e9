"""The time zone of an account, at whose midnights its months begin."""

from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec
import sqlalchemy as sa

from gatehouse.access.roles import Permission
from gatehouse.admin.reports.types.report import ReportSettings
from gatehouse.figures.buckets import zone_of
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession, Change, Reading
from gatehouse.store.admin.use_case import use_case

_POLICY: Final = "reports"
_MAY: Final[dict[str, Any]] = {"scope": "manage:account", "answers": "reportSettingsResponse"}


@use_case(
    "GET /policies/reports",
    operation="getReportSettings",
    permission=Permission.SEE_AUDIT,
    **_MAY,
)
def get_settings(reading: Reading, account_id: str) -> ReportSettings:
    """Show how reports are made.

    The time zone whose midnights months begin at.
    """
    return settings_of(reading.connection, account_id)


@use_case(
    "PUT /policies/reports",
    operation="setReportSettings",
    permission=Permission.ACCESS,
    **_MAY,
)
def set_settings(change: Change, account_id: str, given: ReportSettings) -> ReportSettings:
    """Set how reports are made.

    Reports that were made stay as they are.
    """
    zone_of(given.time_zone)
    accounts.set_policy(change, account_id, _POLICY, msgspec.to_builtins(given))
    return given


def settings_of(connection: sa.Connection, account_id: str) -> ReportSettings:
    """How the reports of an account are made."""
    stored = accounts.get(connection, account_id).policies.get(_POLICY, {})
    return msgspec.convert(stored, ReportSettings)


def zone_of_account(session: AdminSession, account_id: str) -> ZoneInfo:
    """Whose midnights the account's months begin at."""
    with session.account_reading(account_id) as connection:
        return zone_of(settings_of(connection, account_id).time_zone)
