"""Usage of an account by key, pipeline or tag."""

from typing import Final

from starlette.responses import Response

from gatehouse.admin.money.pages.months import chosen_month, chosen_period, months, sheet
from gatehouse.admin.usage.types import UsagePer, UsageQuery, UsageResponse
from gatehouse.admin.usage.use_cases import CSV_HEADINGS, get_usage, quick_usage, usage_rows
from gatehouse.billing.statement import UsageBy
from gatehouse.console.pages import Declarations, Page
from gatehouse.console.visit import Visit
from gatehouse.core.files.csv_output import csv_lines

_BY: Final = (UsageBy.KEY, UsageBy.PIPELINE, UsageBy.TAG)


def show_usage(visit: Visit) -> Response:
    """The requests of a month and what they were charged, by key, pipeline or tag."""
    found = _usage(visit, _usage_query(visit, UsagePer.MONTH))
    return visit.render(
        "usage/usage.html",
        found=found,
        by=_usage_by(visit),
        choices=_BY,
        month=chosen_month(visit),
        months=months(visit),
        requests=sum(each.requests for each in found.groups),
        charged=sum(each.charged.micros for each in found.groups),
    )


def download_usage(visit: Visit) -> Response:
    """The same by day, for spreadsheets."""
    wanted = _usage_query(visit, UsagePer.DAY)
    found = _usage(visit, wanted)
    rows = usage_rows(visit.account_id, wanted, found)
    text = csv_lines([CSV_HEADINGS, *rows])
    return sheet(visit, text.encode(), "text/csv; charset=utf-8", "csv", "usage")


def _usage(visit: Visit, wanted: UsageQuery) -> UsageResponse:
    return quick_usage(*visit.opened, wanted, visit.desk.sender_days)


def _usage_by(visit: Visit) -> UsageBy:
    typed = visit.query["by"]
    return UsageBy(typed) if typed in _BY else UsageBy.KEY


def _usage_query(visit: Visit, per: UsagePer) -> UsageQuery:
    chosen_period(visit)
    return UsageQuery(month=chosen_month(visit), by=_usage_by(visit), per=per)


PAGES: Final[Declarations] = (
    Page("/a/{account}/money/usage", "usage", show_usage, does=get_usage),
    Page("/a/{account}/money/usage.csv", "usage-csv", download_usage, does=get_usage),
)
