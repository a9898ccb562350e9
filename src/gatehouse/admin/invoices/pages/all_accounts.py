"""The money of all accounts, for who looks after it: one page, and a file for spreadsheets."""

from collections import Counter
from itertools import islice
from typing import Final

from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin.invoices.use_cases.all_accounts import (
    ACCOUNT_HEADINGS,
    account_row,
    money_of_accounts,
)
from gatehouse.console.pages import Declarations, Page
from gatehouse.console.visit import Visit
from gatehouse.core.files.csv_output import csv_lines

_ON_A_PAGE: Final = 50


def show_all(visit: Visit) -> Response:
    """The accounts with their balances, credit, invoices and usage, some at a time."""
    wanted = visit.query["q"].strip()[:200]
    after = visit.query.get("after") or None
    days = visit.desk.ledger_days
    rest = money_of_accounts(visit.session, days, wanted=wanted, after=after)
    found = list(islice(rest, _ON_A_PAGE + 1))
    sums: dict[str, Counter[str]] = {}
    for each in found[:_ON_A_PAGE]:
        of_currency = sums.setdefault(each.account.currency, Counter())
        of_currency.update(balance=each.state.balance, used=each.used, open=each.open)
    return visit.render(
        "invoices/all_accounts.html",
        found=found[:_ON_A_PAGE],
        sums=sorted(sums.items()),
        wanted=wanted,
        more=found[_ON_A_PAGE - 1].account.account_id if len(found) > _ON_A_PAGE else None,
    )


def download(visit: Visit) -> Response:
    """The same of all accounts, for spreadsheets."""
    found = money_of_accounts(visit.session, visit.desk.ledger_days)
    text = csv_lines([ACCOUNT_HEADINGS, *(account_row(each) for each in found)])
    disposition = 'attachment; filename="money-of-all-accounts.csv"'
    headers = {"content-disposition": disposition}
    return Response(text.encode(), headers=headers, media_type="text/csv; charset=utf-8")


PAGES: Final[Declarations] = (
    Page("/installation/money", "installation-money", show_all, permission=Permission.BOOK),
    Page("/installation/money.csv", "accounts-csv", download, permission=Permission.BOOK),
)
