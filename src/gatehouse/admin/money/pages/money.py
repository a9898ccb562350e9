"""Money of an account: balance, usage, statements and prices; operators add and correct amounts."""

from collections import defaultdict
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from markupsafe import Markup
from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin.accounts.use_cases import accounts
from gatehouse.admin.approvals.pages import propose
from gatehouse.admin.approvals.use_cases.proposed import (
    AdjustBalance,
    SetCreditLimit,
    SetPrices,
    TopUpBalance,
)
from gatehouse.admin.figures.use_cases.usage import UsageLine, usage_figures
from gatehouse.admin.money.pages.months import (
    chosen_month,
    chosen_period,
    months,
    sheet,
    today,
)
from gatehouse.admin.money.pages.statement_pdf import item_text, statement_pdf
from gatehouse.admin.money.types import AccountStatement
from gatehouse.admin.money.use_cases import money
from gatehouse.admin.money.use_cases.money import LedgerSearch
from gatehouse.admin.money.use_cases.statement_rows import CSV_HEADINGS, csv_rows, statement_rows
from gatehouse.admin.money.use_cases.statements import quick_account_statement
from gatehouse.billing.fees import OF_LIST
from gatehouse.billing.ledger import EntryKind, charged_items
from gatehouse.billing.statement import Period
from gatehouse.console.charts.charts import Series, Words, stacked_chart
from gatehouse.console.forms.forms import FormRefused
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.serving.cookies import Notice
from gatehouse.console.visit import Visit
from gatehouse.core.clock import parse_time
from gatehouse.core.errors import ApprovalNeeded
from gatehouse.core.files.csv_output import csv_lines
from gatehouse.core.money import MICROS_PER_UNIT, format_amount
from gatehouse.store.accounts.price_list import fees_of

_DAYS: Final = 30
_ON_A_PAGE: Final = 50
_LATEST: Final = 5


def show_money(visit: Visit) -> Response:
    """The balance, how long it lasts, what was used, and what things cost."""
    overview = accounts.get(*visit.opened)
    balance = money.get_balance(*visit.opened)
    pace = money.spending_pace(*visit.opened)
    tomorrow = today(visit) + timedelta(days=1)
    period = Period(tomorrow - timedelta(days=_DAYS), tomorrow)
    used = usage_figures(visit.session, visit.desk.columns, visit.account_id, period)
    return visit.render(
        "money/money.html",
        state=overview.state,
        lasts_ms=None if pace is None else pace.lasts_ms(overview.state.available),
        spent=None if used is None else sum(each.charged for each in used),
        requests=sum(each.requests for each in used or ()),
        days=_DAYS,
        chart=_usage_chart(visit, used or [], period),
        credits=[(each, parse_time(each.expires_at)) for each in balance.credits],
        latest=money.latest_movements(*visit.opened, _LATEST),
        fees=_fees(visit),
    )


def show_statement(visit: Visit) -> Response:
    """The statement of a month."""
    made = _statement(visit)
    rows = [(row, item_text(visit, row)) for row in statement_rows(made.statement)]
    return visit.render(
        "money/statement.html",
        made=made.statement,
        rows=rows,
        month=chosen_month(visit),
        months=months(visit),
        is_over=made.statement.at_ms >= made.statement.period.end_ms,
    )


def download_csv(visit: Visit) -> Response:
    """The statement for spreadsheets."""
    made = _statement(visit)
    text = csv_lines([CSV_HEADINGS, *csv_rows(made)])
    return sheet(visit, text.encode(), "text/csv; charset=utf-8", "csv")


def download_pdf(visit: Visit) -> Response:
    """The statement to file and to print."""
    return sheet(visit, statement_pdf(visit, _statement(visit)), "application/pdf", "pdf")


def show_ledger(visit: Visit) -> Response:
    """Every entry that moved the balance, newest first."""
    search = LedgerSearch(_ON_A_PAGE, after=visit.query.get("after") or None)
    page = money.ledger_page(*visit.opened, search)
    details = [_detail(visit, line) for line in page.lines]
    return visit.render(
        "money/ledger.html", lines=list(zip(page.lines, details, strict=True)), older=page.next
    )


def top_up(visit: Visit) -> Response:
    """Add money, once for each reference."""
    micros = _amount(visit)
    if micros <= 0:
        raise visit.refuse("amount", "money.problems.positive")
    reference = visit.entered("reference") or None
    note = visit.entered("note")
    try:
        done = money.top_up(*visit.opened, micros, note, reference)
    except ApprovalNeeded:
        return propose(visit, TopUpBalance(micros, note, reference))
    if done.recorded_before_at_ms is not None:
        return visit.redirect("money", notice="money.notices.known")
    return visit.redirect("money", notice=_moved(visit, "money.notices.topped_up", micros))


def adjust(visit: Visit) -> Response:
    """Correct the balance, upwards or downwards."""
    reason = visit.entered("reason")
    if not reason:
        raise visit.refuse("reason", "money.problems.reason")
    micros = _amount(visit)
    if not micros:
        raise visit.refuse("amount", "money.problems.zero")
    reference = visit.entered("reference") or None
    until = visit.entered("until") or None
    try:
        done = money.adjust(*visit.opened, micros, reason, reference, until)
    except ApprovalNeeded:
        return propose(visit, AdjustBalance(micros, reason, reference, until))
    if done.recorded_before_at_ms is not None:
        return visit.redirect("money", notice="money.notices.known")
    return visit.redirect("money", notice=_moved(visit, "money.notices.adjusted", micros))


def set_credit(visit: Visit) -> Response:
    """Say how far below nothing the balance may go; empty is that the account pays in advance."""
    typed = visit.entered("limit")
    limit = visit.read_amount("limit", typed) if typed else None
    if limit is not None and limit < 0:
        raise visit.refuse("limit", "money.problems.limit")
    try:
        money.set_credit_limit(*visit.opened, limit)
    except ApprovalNeeded:
        return propose(visit, SetCreditLimit(limit))
    if limit is None:
        return visit.redirect("money", notice="money.notices.in_advance")
    return visit.redirect("money", notice=_moved(visit, "money.notices.credit", limit))


def set_prices(visit: Visit) -> Response:
    """Set what each function costs from now on."""
    fees = _sent_fees(visit)
    try:
        money.set_prices(*visit.opened, fees)
    except ApprovalNeeded:
        return propose(visit, SetPrices(fees))
    return visit.redirect("money", notice="money.notices.priced")


def _sent_fees(visit: Visit) -> dict[str, str]:
    """What the form changes, as exact decimals; every field that is none is refused at once."""
    fees: dict[str, str] = {}
    problems: dict[str, str] = {}
    for name, fee, is_own, _ in _fees(visit):
        typed = visit.entered(name)
        try:
            if typed and (micros := visit.read_amount(name, typed)) != fee:
                fees[name] = format_amount(micros)
            elif not typed and is_own and name in visit.form:
                fees[name] = OF_LIST
        except FormRefused as refused:
            problems |= refused.problems
    if problems:
        raise FormRefused(problems)
    return fees


def _moved(visit: Visit, key: str, micros: int) -> Notice:
    """Names the amount, so that one that was typed wrongly is noticed."""
    return Notice(key, {"amount": visit.money(micros)})


def _statement(visit: Visit) -> AccountStatement:
    days = visit.desk.ledger_days
    return quick_account_statement(*visit.opened, chosen_period(visit), days)


def _usage_chart(visit: Visit, used: list[UsageLine], period: Period) -> Markup:
    days = [period.first + timedelta(days=n) for n in range((period.end - period.first).days)]
    charged: dict[str, dict[date, int]] = defaultdict(dict)
    for line in used:
        charged[line.operation][line.day] = line.charged
    series = [
        Series(visit.function(operation), [by_day.get(day, 0) / MICROS_PER_UNIT for day in days])
        for operation, by_day in charged.items()
    ]
    words = Words(
        title=visit.text("money.usage"),
        axis=visit.text("money.columns.amount"),
        description=visit.text("money.usage_words", days=len(days)),
        label=visit.text("money.day"),
        table=visit.text("common.data"),
        write=lambda value: visit.money(round(value * MICROS_PER_UNIT)),
    )
    labels = [visit.formats.moment(_noon_ms(day), "day") for day in days]
    return stacked_chart(words, labels, series)


def _noon_ms(day: date) -> int:
    """The middle of a day in UTC, which most people's calendars call the same day."""
    return int(datetime(day.year, day.month, day.day, 12, tzinfo=UTC).timestamp() * 1000)


def _fees(visit: Visit) -> list[tuple[str, int, bool, str]]:
    """Every function with its fee, whether it is the account's own, and the fee as one types it."""
    assert visit.account is not None
    own = visit.account.fees
    fees = fees_of(visit.session.settings, visit.account, visit.session.clock())
    return [(name, fee, name in own, visit.amount_to_type(fee)) for name, fee in fees.items()]


def _detail(visit: Visit, line: money.LedgerLine) -> str:
    entry = line.entry
    if entry.kind is not EntryKind.CLOSE:
        return " · ".join(
            each for each in (line.payment_reference, visit.said(entry.detail or "")) if each
        )
    return ", ".join(
        f"{visit.function(name)} {visit.money(fee)}" for name, fee in charged_items(entry.detail)
    )


def _amount(visit: Visit) -> int:
    return visit.read_amount("amount", visit.form["amount"])


_SEE: Final[dict[str, Any]] = {"permission": Permission.SEE_MONEY}
_CHANGE: Final[dict[str, Any]] = {"permission": Permission.OPERATE, "again": show_money}
_BOOK: Final[dict[str, Any]] = {"permission": Permission.BOOK}

PAGES: Final[Declarations] = (
    Page("/a/{account}/money", "money", show_money, **_SEE),
    Page("/a/{account}/money/statement", "statement", show_statement, **_SEE),
    Page("/a/{account}/money/statement.csv", "statement-csv", download_csv, **_SEE),
    Page("/a/{account}/money/statement.pdf", "statement-pdf", download_pdf, **_SEE),
    Page("/a/{account}/money/ledger", "ledger", show_ledger, **_SEE),
    Action("/a/{account}/money/top-up", "money-top-up", top_up, **_CHANGE),
    Action("/a/{account}/money/adjust", "money-adjust", adjust, **{**_CHANGE, **_BOOK}),
    Action("/a/{account}/money/credit", "money-credit", set_credit, **_CHANGE),
    Action("/a/{account}/money/prices", "money-prices", set_prices, **_CHANGE),
)
