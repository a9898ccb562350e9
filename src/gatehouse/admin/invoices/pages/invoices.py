"""Invoices of an account: the list, one of them, its files; operators close months and credit."""

from collections.abc import Callable
from typing import Any, Final

import msgspec
from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin.approvals.pages import propose
from gatehouse.admin.approvals.use_cases.proposed import CreditInvoice, SetBilling
from gatehouse.admin.invoices.pages.invoice_pdf import invoice_pdf, item_name
from gatehouse.admin.invoices.types.invoice import (
    BillingDetails,
    Invoice,
    Party,
    TaxCategory,
    TaxTerms,
)
from gatehouse.admin.invoices.use_cases import closing, invoices, parties
from gatehouse.console.forms.forms import FormRefused
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.serving.cookies import Notice
from gatehouse.console.visit import Visit
from gatehouse.core.errors import ApprovalNeeded, NotFound
from gatehouse.core.files.csv_output import csv_lines
from gatehouse.core.money import format_amount, parse_amount


def show_invoices(visit: Visit) -> Response:
    """Invoices and credit notes, newest first."""
    found = invoices.list_invoices(*visit.opened).invoices
    months = closing.months_to_close(*visit.opened)
    return visit.render("invoices/invoices.html", invoices=found, months=months)


def show_invoice(visit: Visit) -> Response:
    """One invoice with its lines."""
    made = _invoice(visit)
    names = [item_name(visit, line) for line in made.lines]
    lines = list(zip(made.lines, names, strict=True))
    return visit.render("invoices/invoice.html", made=made, lines=lines)


def show_details(visit: Visit) -> Response:
    """Whom the account's invoices are for, and with which tax."""
    values = dict.fromkeys((*Party.__struct_fields__, *TaxTerms.__struct_fields__), "")
    values |= {"category": TaxCategory.STANDARD, "rate": "0", "commitment": ""}
    try:
        kept = parties.get_billing_details(*visit.opened)
    except NotFound:
        return visit.render("invoices/details.html", kept=None, values=values, least=None)
    said = msgspec.structs.asdict(kept.buyer) | msgspec.structs.asdict(kept.tax)
    values |= {name: value or "" for name, value in said.items()}
    least = None if kept.commitment is None else parse_amount(kept.commitment)
    if least is not None:
        values["commitment"] = visit.amount_to_type(least)
    return visit.render("invoices/details.html", kept=kept, values=values, least=least)


def set_details(visit: Visit) -> Response:
    """Say whom invoices are for from now on; everything wrong with the form is said at once."""
    parts: dict[str, Callable[[], Any]] = {
        "buyer": lambda: visit.given(Party),
        "tax": lambda: visit.given(TaxTerms),
        "commitment": lambda: _commitment(visit),
    }
    read: dict[str, Any] = {}
    problems: dict[str, str] = {}
    for name, part in parts.items():
        try:
            read[name] = part()
        except FormRefused as refused:
            problems |= refused.problems
    if problems:
        raise FormRefused(problems)
    details = BillingDetails(**read)
    try:
        parties.set_billing_details(*visit.opened, details)
    except ApprovalNeeded:
        return propose(visit, SetBilling(details))
    return visit.redirect("billing-details", notice="invoices.notices.details")


def _commitment(visit: Visit) -> str | None:
    typed = visit.entered("commitment")
    if not typed:
        return None
    micros = visit.read_amount("commitment", typed)
    if micros < 0:
        raise visit.refuse("commitment", "invoices.problems.commitment")
    return format_amount(micros)


def close_month(visit: Visit) -> Response:
    """Close a month and issue its invoice."""
    month = visit.form["month"]
    made = closing.close_month(*visit.opened, month)
    if made is None:
        return visit.redirect("invoices", notice="invoices.notices.nothing")
    return visit.redirect(
        "invoices", notice=Notice("invoices.notices.issued", {"number": made.number})
    )


def credit(visit: Visit) -> Response:
    """Credit an invoice, in part or what is left of it."""
    reason = visit.entered("reason")
    if not reason:
        raise visit.refuse("reason", "invoices.problems.reason")
    typed = visit.entered("amount")
    micros = visit.read_amount("amount", typed) if typed else None
    number = visit.place("invoice")
    try:
        made = closing.credit_invoice(*visit.opened, number, micros, reason)
    except ApprovalNeeded:
        return propose(visit, CreditInvoice(number, reason, micros))
    return visit.redirect(
        "invoices", notice=Notice("invoices.notices.issued", {"number": made.number})
    )


def download_pdf(visit: Visit) -> Response:
    """The invoice to file and to print."""
    made = _invoice(visit)
    return _file(made, "pdf", "application/pdf", invoice_pdf(visit, made))


def download_csv(visit: Visit) -> Response:
    """Its lines for spreadsheets."""
    made = _invoice(visit)
    text = csv_lines([invoices.LINE_HEADINGS, *invoices.line_cells(made)])
    return _file(made, "csv", "text/csv; charset=utf-8", text.encode())


def download_json(visit: Visit) -> Response:
    """The invoice for programs."""
    made = _invoice(visit)
    return _file(made, "json", "application/json", msgspec.json.encode(made))


def download_ubl(visit: Visit) -> Response:
    """The electronic invoice after EN 16931."""
    made = _invoice(visit)
    found = invoices.get_invoice_ubl(*visit.opened, made.invoice_id)
    return _file(made, "xml", "application/xml", found.xml.encode())


def _invoice(visit: Visit) -> Invoice:
    return invoices.get_invoice(*visit.opened, visit.place("invoice"))


def _file(made: Invoice, ending: str, content_type: str, body: bytes) -> Response:
    disposition = f'attachment; filename="{made.number}.{ending}"'
    return Response(body, headers={"content-disposition": disposition}, media_type=content_type)


_ALL: Final = "/a/{account}/invoices"
_DETAILS: Final = f"{_ALL}/details"
_ONE: Final = f"{_ALL}/{{invoice}}"
_GET: Final[dict[str, Any]] = {"does": invoices.get_invoice}

PAGES: Final[Declarations] = (
    Page(_ALL, "invoices", show_invoices, does=invoices.list_invoices),
    Action(
        f"{_ALL}/close",
        "invoices-close",
        close_month,
        permission=Permission.BOOK,
        again=show_invoices,
    ),
    Page(_DETAILS, "billing-details", show_details, does=parties.get_billing_details),
    Action(
        _DETAILS,
        "billing-details-set",
        set_details,
        permission=Permission.OPERATE,
        again=show_details,
    ),
    Page(_ONE, "invoice", show_invoice, **_GET),
    Page(f"{_ONE}/pdf", "invoice-pdf", download_pdf, **_GET),
    Page(f"{_ONE}/csv", "invoice-csv", download_csv, **_GET),
    Page(f"{_ONE}/json", "invoice-json", download_json, **_GET),
    Page(f"{_ONE}/ubl", "invoice-ubl", download_ubl, does=invoices.get_invoice_ubl),
    Action(
        f"{_ONE}/credit",
        "invoice-credit",
        credit,
        permission=Permission.BOOK,
        again=show_invoice,
    ),
)
