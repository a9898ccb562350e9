"""Reports what became of the money of months."""

from gatehouse.access.roles import Permission
from gatehouse.admin.outcomes.types.money import (
    FORMULA,
    MoneyMonth,
    MoneyReport,
    MoneyReportWanted,
    money_of,
)
from gatehouse.admin.outcomes.use_cases.day_sums import money_of_month
from gatehouse.core.months import CalendarMonth
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
    found, month = list[MoneyMonth](), CalendarMonth.at(reading.now_ms)
    for _ in range(wanted.months):
        groups = money_of_month(reading, account_id, month)
        found += money_of(str(month), groups)
        month = month.before
    return MoneyReport(found, FORMULA())
