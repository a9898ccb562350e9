"""The reports of an account: listed, shown, and made by a job."""

from typing import Annotated, Any, Final

from gatehouse.access.roles import Permission
from gatehouse.admin.jobs.types import JobKind, JobResponse, MonthOrder
from gatehouse.admin.jobs.use_cases import shown_job, start_job
from gatehouse.admin.reports import queries
from gatehouse.admin.reports.types.months import ZonedMonth
from gatehouse.admin.reports.types.report import MonthlyReport, ReportList, ReportWanted
from gatehouse.admin.reports.use_cases.settings import zone_of_account
from gatehouse.core.api_values import doc
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import InvalidInput, NotFound
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.admin.admin_session import AdminSession, Reading
from gatehouse.store.admin.use_case import OF_DECISIONS, use_case

_NO_REPORT: Final = Phrase(
    "refused.no_report", "no report on {month} was made; have it made, or take another month"
)
_AHEAD: Final = Phrase("refused.report_ahead", "{month} has not begun yet")
ReportMonth = Annotated[str, doc("The month, such as 2026-10.")]
_MAY: Final[dict[str, Any]] = {
    "scope": "manage:account",
    "permission": Permission.SEE_AUDIT,
    "rights": OF_DECISIONS,
}


@use_case("GET /reports", answers="reportsResponse", **_MAY)
def list_reports(reading: Reading, account_id: str) -> ReportList:
    """List reports.

    The report on each month is made by itself once the month is over, and `report.ready` tells.
    """
    return ReportList(queries.listing(reading.connection, account_id))


@use_case("GET /reports/{month}", answers="reportResponse", **_MAY)
def get_report(reading: Reading, account_id: str, month: ReportMonth) -> MonthlyReport:
    """Show the report on a month.

    Orders, acceptance, fraud and disputes by number and money, reviews and who did them, rules,
    markets, and orders before and after each change of rules, as known when it was made.
    """
    found = queries.find(reading.connection, account_id, month)
    if found is None:
        raise NotFound(_NO_REPORT(month=recordable(month[:20])))
    return found


@use_case("POST /reports", operation="makeReport", answers="jobResponse", **_MAY)
def start_report(session: AdminSession, account_id: str, given: ReportWanted) -> JobResponse:
    """Make the report on a month.

    Starts a job. The report takes the place of the one on the same month, with all that was told
    since. A month that is not over yet is reported on up to now.
    """
    check_begun(session, account_id, given.month)
    order = MonthOrder(given.month)
    return shown_job(start_job(session, account_id, JobKind.MONTH_REPORT, order))


def check_begun(session: AdminSession, account_id: str, month: str) -> None:
    """Refuse a month that has not begun."""
    zone = zone_of_account(session, account_id)
    if ZonedMonth.named(month, zone).since_ms > session.clock():
        raise InvalidInput(_AHEAD(month=month))
