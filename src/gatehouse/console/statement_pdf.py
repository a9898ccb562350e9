"""A statement as a PDF: the account, the period, and every line that moved the balance."""

from datetime import UTC, datetime
from typing import Final

from anyascii import anyascii
from fpdf import FPDF
from fpdf.enums import XPos, YPos

from gatehouse.admin.statement_rows import StatementRow, statement_rows
from gatehouse.admin.statements import AccountStatement
from gatehouse.console.visit import Visit
from gatehouse.intel.places import shown_amounts

_WIDTHS: Final = (24, 62, 32, 20, 24, 28)
"""Of the columns, in millimetres."""
_LINE: Final = 6.0


class _Sheet(FPDF):
    """Pages with the same head and foot."""

    def __init__(self, visit: Visit, one: AccountStatement) -> None:
        super().__init__(format="A4")
        self._visit = visit
        self._one = one
        self.set_creation_date(datetime.fromtimestamp(one.statement.at_ms / 1000, UTC))
        self.set_title(visit.text("money.statement"))
        self.set_author(visit.text("common.product"))
        self.set_auto_page_break(auto=True, margin=20)

    def header(self) -> None:
        """The account and the period, on every page."""
        account, made = self._one.account, self._one.statement
        self.set_font("helvetica", "B", 14)
        self._say(f"{self._visit.text('money.statement')}: {account.name}")
        self.set_font("helvetica", "", 9)
        self._say(f"{account.account_id}, {account.currency}")
        self._say(
            self._visit.text(
                "money.period",
                first=self._visit.formats.day(made.period.first),
                end=self._visit.formats.day(made.period.end),
            )
        )
        if made.at_ms < made.period.end_ms:
            self._say(self._visit.text("money.not_over"))
        self.ln(4)
        self.set_font("helvetica", "B", 8)
        self.row([self._visit.text(f"money.columns.{name}") for name in _COLUMNS])
        self.set_font("helvetica", "", 8)

    def footer(self) -> None:
        """The number of the page."""
        self.set_y(-15)
        self.set_font("helvetica", "", 8)
        self.cell(0, _LINE, f"{self.page_no()}/{{nb}}", align="R")

    def row(self, cells: list[str]) -> None:
        """One line of the table; the last three columns are figures."""
        for number, (text, width) in enumerate(zip(cells, _WIDTHS, strict=True)):
            align = "R" if number >= 3 else "L"
            self.cell(width, _LINE, _fitting(self, text, width), border="B", align=align)
        self.ln(_LINE)

    def _say(self, text: str) -> None:
        self.cell(0, _LINE, _latin(text), new_x=XPos.LMARGIN, new_y=YPos.NEXT)


_COLUMNS: Final = ("date", "item", "reference", "count", "unit_fee", "amount")


def statement_pdf(visit: Visit, one: AccountStatement) -> bytes:
    """The file; the same statement makes the same bytes."""
    rows, currency = statement_rows(one.statement), one.account.currency
    fees = shown_amounts([row.unit_fee for row in rows], currency)
    amounts = shown_amounts([row.amount for row in rows], currency)
    sheet = _Sheet(visit, one)
    sheet.add_page()
    for row, fee, amount in zip(rows, fees, amounts, strict=True):
        count = "" if row.count is None else visit.number(row.count)
        reference = row.reference or visit.said(row.note or "")
        day = visit.formats.day(row.date) if row.date else ""
        sheet.row([day, item_text(visit, row), reference, count, fee, amount])
    return bytes(sheet.output())


def item_text(visit: Visit, row: StatementRow) -> str:
    """What a line is about, in the person's language."""
    name = visit.text("money.items." + row.item.replace(" ", "_").replace("-", "_"))
    return f"{name} {visit.function(row.fee_type or '')}".strip()


def _latin(text: str) -> str:
    """Text in the letters that every PDF reader has; others are written in Latin ones."""
    return "".join(
        each if each.encode("cp1252", "ignore") and each.isprintable() else anyascii(each)
        for each in text
    )


def _fitting(sheet: FPDF, text: str, width: float) -> str:
    shown = _latin(text)
    while shown and sheet.get_string_width(shown) > width - 2:
        shown = shown[:-1]
    return shown
