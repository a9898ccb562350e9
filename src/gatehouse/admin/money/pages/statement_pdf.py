"""A statement as a PDF: the account, the period, and every line that moved the balance."""

from datetime import UTC, datetime
from typing import Any, Final

from anyascii import anyascii
from fpdf import FPDF
from fpdf.enums import XPos, YPos

from gatehouse.admin.money.types import AccountStatement
from gatehouse.admin.money.use_cases.statement_rows import StatementRow, statement_rows
from gatehouse.console.visit import Visit
from gatehouse.intel.places import shown_amounts

_WIDTHS: Final = (22, 46, 54, 18, 22, 28)
"""Of the columns, in millimetres."""
_LINE: Final = 6.0
_NEXT_LINE: Final = 3.6
"""How far the lines of one cell are apart."""


class _Sheet(FPDF):
    """Pages with the same head and foot."""

    def __init__(self, visit: Visit, one: AccountStatement) -> None:
        super().__init__(format="A4")
        self.core_fonts_encoding = _ENCODING
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
        """One row of the table, as high as its longest cell; the last three are figures."""
        wrapped = [self._lines(*each) for each in zip(cells, _WIDTHS, strict=True)]
        height = _LINE + _NEXT_LINE * (max(map(len, wrapped)) - 1)
        if self.will_page_break(height):
            self.add_page()
        top = self.get_y()
        for number, (lines, width) in enumerate(zip(wrapped, _WIDTHS, strict=True)):
            left = self.l_margin + sum(_WIDTHS[:number])
            for below, text in enumerate(lines):
                self.set_xy(left, top + below * _NEXT_LINE)
                self.cell(width, _LINE, text, align="R" if number >= 3 else "L")
        self.set_xy(self.l_margin, top + height)
        self.line(self.l_margin, top + height, self.l_margin + sum(_WIDTHS), top + height)

    def _lines(self, text: str, width: float) -> list[str]:
        found: Any = self.multi_cell(width, text=_latin(text), dry_run=True, output="LINES")
        # What it gives back is encoded for the font already, and `cell` would encode it again.
        return [line.encode("latin-1").decode(_ENCODING) for line in found]

    def _say(self, text: str) -> None:
        self.multi_cell(0, _LINE, _latin(text), new_x=XPos.LMARGIN, new_y=YPos.NEXT)


_ENCODING: Final = "cp1252"
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
        about = "\n".join(filter(None, (row.reference, visit.said(row.note or ""))))
        day = visit.formats.day(row.date) if row.date else ""
        sheet.row([day, item_text(visit, row), about, count, fee, amount])
    return bytes(sheet.output())


def item_text(visit: Visit, row: StatementRow) -> str:
    """What a line is about, in the person's language."""
    name = visit.text("money.items." + row.item.replace(" ", "_").replace("-", "_"))
    return f"{name} {visit.function(row.fee_type or '')}".strip()


def _latin(text: str) -> str:
    """Text in the letters that every PDF reader has; others are written in Latin ones."""
    return "".join(
        each if each.encode(_ENCODING, "ignore") and each.isprintable() else anyascii(each)
        for each in text
    )
