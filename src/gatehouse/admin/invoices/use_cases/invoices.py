"""Invoices as people and programs read them, and the entries of a month for bookkeeping."""

from collections.abc import Iterator
from typing import Annotated, Final

from gatehouse.access.roles import Permission
from gatehouse.admin.invoices import queries
from gatehouse.admin.invoices.types.invoice import (
    Invoice,
    InvoiceKind,
    InvoiceList,
    InvoiceSummary,
    Month,
    UblDocument,
)
from gatehouse.admin.invoices.types.ubl import ubl
from gatehouse.core.api_values import doc
from gatehouse.core.files.csv_output import plain_cell
from gatehouse.core.money import format_amount
from gatehouse.store.admin.admin_session import AdminSession, Reading
from gatehouse.store.admin.use_case import use_case

InvoiceId = Annotated[str, doc("Id or number.", "INV-000001", min_length=1, max_length=64)]
ENTRY_HEADINGS: Final = (
    *("month", "issuedOn", "number", "kind", "credits", "accountId", "buyer", "buyerVatId"),
    *("country", "currency", "taxCategory", "taxRate", "net", "tax", "total", "paid", "due"),
)
LINE_HEADINGS: Final = ("number", "item", "count", "unitPrice", "amount", "currency")


@use_case(
    "GET /invoices",
    scope="manage:billing",
    permission=Permission.SEE_MONEY,
    answers="invoicesResponse",
)
def list_invoices(reading: Reading, account_id: str) -> InvoiceList:
    """List invoices.

    Invoices and credit notes, the newest first; at most 1,000.
    """
    found = queries.listing(reading.connection, account_id)
    return InvoiceList([_summary(each) for each in found])


@use_case(
    "GET /invoices/{invoiceId}",
    scope="manage:billing",
    permission=Permission.SEE_MONEY,
    answers="invoiceResponse",
)
def get_invoice(reading: Reading, account_id: str, invoice_id: InvoiceId) -> Invoice:
    """Show an invoice.

    With the legal data of both sides and all its lines, as it was issued.
    """
    return queries.get(reading.connection, account_id, invoice_id)


@use_case(
    "GET /invoices/{invoiceId}/ubl",
    scope="manage:billing",
    permission=Permission.SEE_MONEY,
    answers="ublResponse",
)
def get_invoice_ubl(reading: Reading, account_id: str, invoice_id: InvoiceId) -> UblDocument:
    """Show an invoice as UBL.

    UBL 2.1 after EN 16931, for programs that read electronic invoices.
    """
    found = queries.get(reading.connection, account_id, invoice_id)
    return UblDocument(found.number, ubl(found))


def entries_of_month(session: AdminSession, month: Month) -> Iterator[tuple[str, ...]]:
    """The invoices of a month of all accounts, as cells below `ENTRY_HEADINGS`."""
    with session.installation_reading() as connection:
        found = queries.of_all(connection, month)
    for account_id, made in found:
        sign = -1 if made.kind is InvoiceKind.CREDIT_NOTE else 1
        amounts = (made.net, made.tax_amount, made.total, made.paid, made.due)
        buyer = made.buyer
        yield (
            *(made.month, made.issued_on.isoformat(), made.number, made.kind, made.credits or ""),
            *(account_id, plain_cell(buyer.name), buyer.vat_id or "", buyer.country),
            *(made.currency, made.tax.category, made.tax.rate),
            *(format_amount(sign * each.micros) for each in amounts),
        )


def line_cells(made: Invoice) -> list[tuple[str, ...]]:
    """The lines of an invoice, as cells below `LINE_HEADINGS`."""
    rows = [(line.item, line.count, line.unit_price, line.amount) for line in made.lines]
    cells = [
        (made.number, item, str(count), *_amounts(price.micros, amount.micros), made.currency)
        for item, count, price, amount in rows
    ]
    if made.volume_credit.micros:
        taken = -made.volume_credit.micros
        cells.append((made.number, "VOLUME_CREDIT", "1", *_amounts(taken, taken), made.currency))
    net, tax = made.net.micros, made.tax_amount.micros
    for name, micros in (("NET", net), ("TAX", tax), ("TOTAL", made.total.micros)):
        cells.append((made.number, name, "", "", format_amount(micros), made.currency))
    return cells


def _amounts(*micros: int) -> tuple[str, ...]:
    return tuple(format_amount(each) for each in micros)


def _summary(made: Invoice) -> InvoiceSummary:
    named = (made.invoice_id, made.number, made.kind, made.month, made.issued_on)
    return InvoiceSummary(*named, made.total, made.due)
