"""gatehouse ledger show: every movement of money, with the balance after it."""

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from gatehouse.admin.money.command.money_options import (
    FormatOption,
    From,
    SheetFormat,
    To,
    chosen_format,
    period_argument,
)
from gatehouse.admin.opening import open_account
from gatehouse.billing.ledger import EntryKind, charged_items
from gatehouse.cli.arguments import AccountAlias, AccountOption, AsJson, option
from gatehouse.cli.output import money as money_data
from gatehouse.cli.output import show, shown_amount, shown_amounts, table
from gatehouse.core.clock import iso_time
from gatehouse.core.files.csv_output import csv_lines, plain_cell

if TYPE_CHECKING:
    from gatehouse.admin.money.use_cases.money import LedgerLine, LedgerPage

_HEADINGS: Final = ("AT", "KIND", "REFERENCE", "AMOUNT", "BALANCE", "HELD", "DETAIL")
_RIGHT: Final = frozenset({"AMOUNT", "BALANCE", "HELD"})
_CSV_HEADINGS: Final = (
    *("accountId", "at", "kind", "entry", "reference", "currency"),
    *("amount", "balance", "held", "detail"),
)


def show_entries(  # noqa: PLR0913, PLR0917  # each option says which entries
    alias: AccountAlias = None,
    account: AccountOption = None,
    first: From = None,
    end: To = None,
    kind: Annotated[
        list[EntryKind] | None,
        option(
            "Only of this kind; repeat. Default: all but AUTHORIZE.", "--kind", case_sensitive=False
        ),
    ] = None,
    oldest_first: Annotated[
        bool, option("Oldest entries first. Default: newest.", "--oldest-first")
    ] = False,
    limit: Annotated[int, option("At most so many.", min=1, max=100_000)] = 50,
    after: Annotated[
        str | None, option("Continue where the page before ended.", metavar="NEXT")
    ] = None,
    form: FormatOption = SheetFormat.TABLE,
    as_json: AsJson = False,
) -> None:
    """Show the entries of an account, each with the balance after it."""
    from gatehouse.admin.accounts.use_cases import accounts
    from gatehouse.admin.money.use_cases import money

    form = chosen_format(form, as_json=as_json)
    session, account_id = open_account(account)
    named = first is not None or end is not None
    period = period_argument(None, first, end, session.clock()) if named else None
    search = money.LedgerSearch(
        limit,
        None if period is None else period.start_ms,
        None if period is None else period.end_ms,
        tuple(kind or ()),
        oldest_first,
        after,
    )
    page = money.ledger_page(session, account_id, search)
    currency = accounts.get(session, account_id).account.currency
    if form is SheetFormat.CSV:
        typer.echo(csv_lines([_CSV_HEADINGS, *_csv_rows(page, account_id, currency)]), nl=False)
        return
    data = {
        "accountId": account_id,
        "entries": [_data(line, currency) for line in page.lines],
        "next": page.next,
    }
    show(data, _sheet(page, currency), form is SheetFormat.JSON)


def _data(line: "LedgerLine", currency: str) -> dict[str, Any]:
    entry = line.entry
    is_close = entry.kind is EntryKind.CLOSE
    items = charged_items(entry.detail) if is_close else []
    return {
        "at": iso_time(entry.at_ms),
        "kind": entry.kind.value,
        "entry": entry.reference,
        "reference": line.payment_reference,
        "amount": money_data(entry.amount, currency),
        "balance": money_data(line.balance, currency),
        "held": money_data(entry.held, currency),
        "items": [{"feeType": name, "fee": money_data(fee, currency)} for name, fee in items],
        "note": None if is_close else entry.detail,
    }


def _sheet(page: "LedgerPage", currency: str) -> str:
    if not page.lines:
        return "no entries"
    columns = zip(
        shown_amounts([line.entry.amount for line in page.lines], currency),
        shown_amounts([line.balance for line in page.lines], currency),
        shown_amounts([line.entry.held for line in page.lines], currency),
        strict=True,
    )
    rows = [
        (
            *(iso_time(line.entry.at_ms), line.entry.kind.value),
            line.payment_reference or line.entry.reference,
            *(*amounts, _detail(line, currency)),
        )
        for line, amounts in zip(page.lines, columns, strict=True)
    ]
    more = "" if page.next is None else f"\nthere are more: --after {page.next}"
    return table(_HEADINGS, rows, _RIGHT) + more


def _csv_rows(page: "LedgerPage", account_id: str, currency: str) -> list[tuple[object, ...]]:
    from gatehouse.intel.places import raw_amounts

    return [
        (
            *(account_id, iso_time(line.entry.at_ms), line.entry.kind.value),
            *(line.entry.reference, plain_cell(line.payment_reference), currency),
            *raw_amounts([line.entry.amount, line.balance, line.entry.held], currency),
            plain_cell(_detail(line, currency)),
        )
        for line in page.lines
    ]


def _detail(line: "LedgerLine", currency: str) -> str:
    """The items of a close with their fees, or what people noted."""
    entry = line.entry
    if entry.kind is not EntryKind.CLOSE:
        return entry.detail or ""
    items = charged_items(entry.detail)
    return ", ".join(f"{fee_type} {shown_amount(fee, currency)}" for fee_type, fee in items)
