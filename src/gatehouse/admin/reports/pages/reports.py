"""The reports of an account: a list, a month on one page, and the same as PDF and CSV."""

from typing import Any, Final

from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin.people.pages.profile import time_zones
from gatehouse.admin.reports.pages.sheets import Share, report_csv, tables_of, written
from gatehouse.admin.reports.types.months import ZonedMonth
from gatehouse.admin.reports.types.report import MonthlyReport, ReportSettings, ReportWanted
from gatehouse.admin.reports.use_cases import making, reports, settings
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.visit import Visit
from gatehouse.core.errors import NotFound
from gatehouse.core.files.paper import Paper
from gatehouse.figures.engine import FiguresNotReady

_ALL: Final = "/a/{account}/reports"
_OFFERED: Final = 13
"""Months that a report can be made on with one click; the API makes older ones."""
FORMULAS: Final = (
    *("orders", "acceptance", "review", "decline", "fraud_rate", "dispute_rate"),
    *("turned_away", "saved", "wrongly_declined", "median", "target", "waiting", "overturned"),
    *("precision", "market", "changes"),
)


def show_reports(visit: Visit) -> Response:
    """The months with their reports, and those that have none yet."""
    zone = settings.zone_of_account(*visit.opened)
    now = ZonedMonth.at(visit.now_ms, zone)
    made = reports.list_reports(*visit.opened).reports
    known = {each.month: each.made_at for each in made}
    months = dict.fromkeys([*(str(now.moved(-back)) for back in range(_OFFERED)), *known])
    return visit.render(
        "reports/reports.html",
        months=[(each, known.get(each)) for each in months],
        now=str(now),
        settings=settings.get_settings(*visit.opened),
        zones=[(each, each.replace("_", " ")) for each in ("UTC", *time_zones())],
    )


def show_report(visit: Visit) -> Response:
    """A month on one page: as it was made, or while it goes on, as of now."""
    report, is_kept = _report(visit)
    if report is None:
        return visit.render("reports/waiting.html", month=visit.place("month"))
    counts = report.counts
    headline: list[tuple[str, Share]] = [
        ("acceptance", Share(counts.accepted, counts.orders)),
        ("review", Share(counts.reviewed, counts.orders)),
        ("fraud_rate", Share(counts.fraud, counts.labelled)),
        ("dispute_rate", Share(counts.disputed, counts.accepted)),
    ]
    return visit.render(
        "reports/report.html",
        report=report,
        is_kept=is_kept,
        headline=[(name, written(visit, share)) for name, share in headline],
        tables=tables_of(report),
        written=lambda cell: written(visit, cell),
        formulas=FORMULAS,
    )


def make(visit: Visit) -> Response:
    """Make the report on a month, in place of one that was made before."""
    wanted = visit.given(ReportWanted)
    reports.check_begun(*visit.opened, wanted.month)
    columns = visit.columns
    try:
        making.make_report(visit.session, columns, wanted.month)
    except FiguresNotReady:
        return visit.redirect("report", month=wanted.month)
    return visit.redirect("report", month=wanted.month, notice="reports.notices.made")


def save_settings(visit: Visit) -> Response:
    """Choose the time zone of months."""
    settings.set_settings(*visit.opened, visit.given(ReportSettings))
    return visit.redirect("reports", notice="reports.notices.zone")


def download_csv(visit: Visit) -> Response:
    """The report as CSV."""
    report, _ = _report(visit)
    if report is None:
        return visit.render("reports/waiting.html", month=visit.place("month"))
    return _file(report_csv(visit, report), report, "csv", "text/csv; charset=utf-8")


def download_pdf(visit: Visit) -> Response:
    """The report as PDF."""
    report, _ = _report(visit)
    if report is None:
        return visit.render("reports/waiting.html", month=visit.place("month"))
    return _file(report_pdf(visit, report), report, "pdf", "application/pdf")


def report_pdf(visit: Visit, report: MonthlyReport) -> bytes:
    """The file; the same report makes the same bytes."""
    assert visit.account is not None
    month = visit.formats.month(report.month)
    paper = Paper(f"{visit.account.name}: {month}", report.made_at)
    paper.words(_as_of(visit, report))
    for table in tables_of(report):
        paper.sheet(
            visit.text(f"reports.tables.{table.name}"),
            [visit.text(f"reports.columns.{name}") for name in table.columns],
            [[written(visit, cell) for cell in row] for row in table.rows],
            table.words,
        )
    paper.ln(3)
    for name in FORMULAS:
        paper.words(visit.text(f"reports.formulas.{name}"))
    return bytes(paper.output())


def _as_of(visit: Visit, report: MonthlyReport) -> str:
    made = visit.formats.moment(report.made_at)
    return visit.text("reports.as_of", zone=report.time_zone, made=made)


def _file(content: bytes, report: MonthlyReport, ending: str, content_type: str) -> Response:
    named = {"content-disposition": f'attachment; filename="report-{report.month}.{ending}"'}
    return Response(content, media_type=content_type, headers=named)


def _report(visit: Visit) -> tuple[MonthlyReport | None, bool]:
    """The report that was made, else as of now; None while the figures are being prepared."""
    month = visit.place("month")
    try:
        return reports.get_report(*visit.opened, month), True
    except NotFound:
        zone = settings.zone_of_account(*visit.opened)
        if month not in (
            str(ZonedMonth.at(visit.now_ms, zone).moved(-back)) for back in range(_OFFERED)
        ):
            raise
    columns, session = visit.columns, visit.session
    try:
        found = visit.desk.columns.answers.ask(
            visit.account_id,
            ("report", month, str(zone)),
            lambda: making.count_month(session, columns, month),
        )
    except FiguresNotReady:
        return None, False
    return found.answer, False


_SEE: Final[dict[str, Any]] = {"permission": Permission.SEE_AUDIT}
_MONTH: Final = f"{_ALL}/{{month}}"

PAGES: Final[Declarations] = (
    Page(_ALL, "reports", show_reports, group="watch", does=reports.list_reports),
    Action(f"{_ALL}/make", "report-make", make, again=show_reports, does=reports.start_report),
    Action(
        f"{_ALL}/zone",
        "report-zone",
        save_settings,
        again=show_reports,
        does=settings.set_settings,
    ),
    Page(_MONTH, "report", show_report, does=reports.get_report),
    Page(f"{_MONTH}/csv", "report-csv", download_csv, **_SEE),
    Page(f"{_MONTH}/pdf", "report-pdf", download_pdf, **_SEE),
)
