"""Reports what became of the money of months."""

from gatehouse.access.roles import Permission
from gatehouse.admin.outcomes.queries import sums
from gatehouse.admin.outcomes.types.money import (
    MoneyReport,
    MoneyReportWanted,
    money_of,
    months_back,
)
from gatehouse.store.admin.admin_session import Reading
from gatehouse.store.admin.use_case import use_case


@use_case(
    "GET /outcomes/report",
    scope="manage:feedback",
    permission=Permission.SEE,
    operation="reportOutcomes",
    answers="outcomesReportResponse",
)
def report_money(reading: Reading, account_id: str, wanted: MoneyReportWanted) -> MoneyReport:
    """Report what became of the money.

    Settled, refunded, reported as fraud and disputed, by month and currency, with how the disputes
    of the month ended. Amounts of different currencies are never added.
    """
    found = []
    for month, since_ms, until_ms in months_back(reading.now_ms, wanted.months):
        found += money_of(month, sums.groups(reading.connection, account_id, since_ms, until_ms))
    return MoneyReport(found)
