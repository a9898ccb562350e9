"""gatehouse invoices: close months, credit, and read invoices as people and programs do."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

import msgspec
import typer

from gatehouse.admin.money.command.money_options import SheetFormat, chosen_format
from gatehouse.admin.opening import open_account, open_session
from gatehouse.cli.arguments import AccountOption, AsJson, amount_argument, argument, option
from gatehouse.cli.output import columns, sheet, show, shown_amount, warn
from gatehouse.core.errors import GatehouseError, InvalidInput
from gatehouse.core.files.csv_output import csv_lines

if TYPE_CHECKING:
    from gatehouse.admin.invoices.types.invoice import Invoice

app = typer.Typer(no_args_is_help=True)
T = TypeVar("T")

_MOST_BYTES: Final = 64 * 1024
NumberArgument = Annotated[str, argument("NUMBER", "Number of the invoice, or its id.")]
CreditReason = Annotated[str, option("Why; it is on the credit note.")]
CreditAmount = Annotated[str | None, option("Without tax. Default: what is left of the invoice.")]
FileArgument = Annotated[
    Path | None, argument("[FILE]", "TOML file; without it: show what is kept.")
]


class InvoiceForm(StrEnum):
    """How an invoice is printed."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    UBL = "ubl"


@app.command()
def seller(file: FileArgument = None, as_json: AsJson = False) -> None:
    """Say who runs the installation, from a TOML file, or show it."""
    from gatehouse.admin.invoices.types.invoice import Seller
    from gatehouse.admin.invoices.use_cases import parties

    session = open_session()
    kept = (
        parties.get_seller(session)
        if file is None
        else parties.set_seller(session, read_toml(file, Seller))
    )
    _print(kept, as_json=as_json)


@app.command()
def buyer(
    file: FileArgument = None, account: AccountOption = None, as_json: AsJson = False
) -> None:
    """Say whom an account's invoices are for and with which tax, from a TOML file, or show it."""
    from gatehouse.admin.invoices.types.invoice import BillingDetails
    from gatehouse.admin.invoices.use_cases import parties

    opened = open_account(account)
    kept = (
        parties.get_billing_details(*opened)
        if file is None
        else parties.set_billing_details(*opened, read_toml(file, BillingDetails))
    )
    _print(kept, as_json=as_json)


@app.command()
def close(
    month: Annotated[str, argument("YYYY-MM", "A month that is over.")],
    everyone: Annotated[bool, option("Of all accounts.", "--all")] = False,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Close a month for good and issue its invoices; months are closed one after the other."""
    from gatehouse.admin.accounts.use_cases import accounts
    from gatehouse.admin.invoices.use_cases import closing

    if not everyone:
        session, account_id = open_account(account)
        made = closing.close_month(session, account_id, month)
        _print_closed([made], as_json=as_json)
        return
    session, found, failed = open_session(), [], False
    for each in accounts.listing(session):
        account_id = each.account.account_id
        if month not in closing.months_to_close(session, account_id):
            continue
        try:
            found.append(closing.close_month(session, account_id, month))
        except GatehouseError as error:
            failed = True
            warn([f"{account_id}: {error}"])
    _print_closed(found, as_json=as_json)
    if failed:
        raise typer.Exit(1)


@app.command("list")
def list_invoices(account: AccountOption = None, as_json: AsJson = False) -> None:
    """List the invoices and credit notes of an account, newest first."""
    from gatehouse.admin.invoices.use_cases import invoices

    found = invoices.list_invoices(*open_account(account)).invoices
    rows = [
        msgspec.structs.asdict(each)
        | {"total": shown_amount(each.total.micros, each.total.currency)}
        | {"due": shown_amount(each.due.micros, each.due.currency)}
        | {"currency": each.total.currency}
        for each in found
    ]
    headings = ("NUMBER", "KIND", "MONTH", "ISSUED", "TOTAL", "DUE", "CURRENCY")
    fields = ("number", "kind", "month", "issued_on", "total", "due", "currency")
    text = columns(headings, rows, fields, {"TOTAL", "DUE"})
    show(found, text, as_json)


@app.command("show")
def show_invoice(
    number: NumberArgument,
    form: Annotated[
        InvoiceForm, option("For people, spreadsheets or programs.", "--format")
    ] = InvoiceForm.TABLE,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Print an invoice or credit note: for people, as CSV, JSON, or UBL after EN 16931."""
    from gatehouse.admin.invoices.use_cases import invoices

    opened = open_account(account)
    if form is InvoiceForm.UBL:
        typer.echo(invoices.get_invoice_ubl(*opened, number).xml, nl=False)
        return
    made = invoices.get_invoice(*opened, number)
    if form is InvoiceForm.CSV:
        cells = invoices.line_cells(made)
        typer.echo(csv_lines([invoices.LINE_HEADINGS, *cells]), nl=False)
        return
    _print(made, as_json=as_json or form is InvoiceForm.JSON)


@app.command()
def credit(
    number: NumberArgument,
    reason: CreditReason,
    amount: CreditAmount = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Credit an invoice, whole or in part, and add the amount to the balance."""
    from gatehouse.admin.invoices.use_cases import closing

    micros = None if amount is None else amount_argument(amount)
    made = closing.credit_invoice(*open_account(account), number, micros, reason)
    _print_closed([made], as_json=as_json)


@app.command()
def accounts(
    form: Annotated[
        SheetFormat, option("For people, spreadsheets or scripts.", "--format")
    ] = SheetFormat.TABLE,
    as_json: AsJson = False,
) -> None:
    """List the money of all accounts: balance, credit limit, usage of this month, invoices."""
    from gatehouse.admin.invoices.use_cases import all_accounts

    found = list(all_accounts.money_of_accounts(open_session()))
    headings = all_accounts.ACCOUNT_HEADINGS
    cells = [all_accounts.account_row(each) for each in found]
    form = chosen_format(form, as_json=as_json)
    if form is SheetFormat.CSV:
        typer.echo(csv_lines([headings, *cells]), nl=False)
        return
    data = [dict(zip(headings, row, strict=True)) for row in cells]
    shown = {
        "accountId": "ACCOUNT",
        "accountName": "NAME",
        "currency": "CURRENCY",
        "balance": "BALANCE",
        "creditLimit": "CREDIT LIMIT",
        "usedThisMonth": "USED",
        "invoiced": "INVOICED",
        "open": "OPEN",
    }
    right = {"BALANCE", "CREDIT LIMIT", "USED", "INVOICED", "OPEN"}
    text = columns(tuple(shown.values()), data, tuple(shown), right)
    show(data, text, form is SheetFormat.JSON)


@app.command()
def export(
    month: Annotated[str, argument("YYYY-MM", "Month of the invoices.")],
) -> None:
    """Print the invoices and credit notes of a month of all accounts as CSV, for bookkeeping."""
    from gatehouse.admin.invoices.use_cases import invoices

    rows = invoices.entries_of_month(open_session(), month)
    typer.echo(csv_lines([invoices.ENTRY_HEADINGS, *rows]), nl=False)


def _print_closed(found: "list[Invoice | None]", *, as_json: bool) -> None:
    issued = [each for each in found if each is not None]
    lines = [
        f"{each.number}  {shown_amount(each.total.micros, each.currency)} {each.currency}"
        f" for {each.buyer.name}"
        for each in issued
    ]
    text = "\n".join(lines) or "closed; there is nothing to invoice"
    show(issued, text, as_json)


def _print(kept: msgspec.Struct, *, as_json: bool) -> None:
    data: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(kept))
    show(kept, sheet(_flat(data).items()), as_json)


def _flat(data: dict[str, Any], before: str = "") -> dict[str, str]:
    """One line for each value, below each other."""
    found: dict[str, str] = {}
    for name, value in data.items():
        if isinstance(value, dict) and set(value) == {"currency", "amount"}:
            found[before + name] = f"{value['amount']} {value['currency']}"
        elif isinstance(value, dict):
            found |= _flat(value, f"{before}{name}.")
        elif isinstance(value, list):
            for number, each in enumerate(value, start=1):
                found |= _flat(each, f"{before}{name}.{number}.")
        elif value is not None:
            found[before + name] = str(value)
    return found


def read_toml(file: Path, kind: type[T]) -> T:
    """What a TOML file says."""
    import tomllib

    try:
        with file.open("rb") as opened:
            text = opened.read(_MOST_BYTES + 1)
        if len(text) > _MOST_BYTES:
            raise InvalidInput(f"{file} has more than {_MOST_BYTES:,} bytes")
        return msgspec.convert(tomllib.loads(text.decode()), kind)
    except OSError as error:
        raise InvalidInput(f"cannot read {file}: {error.strerror}") from None
    except ValueError as error:
        raise InvalidInput(f"{file}: {error}") from None
