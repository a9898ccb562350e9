"""Papers as PDF files: headings, names with values, sentences and tables.

The letters are those that every PDF reader has; a text in others is written in Latin ones.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final

from anyascii import anyascii
from fpdf import FPDF
from fpdf.enums import WrapMode, XPos, YPos

_ENCODING: Final = "cp1252"
_LINE: Final = 5.5
_NAME_WIDTH: Final = 50
_LONGEST: Final = 600
"""Characters of one value; no more of it are printed."""

Pairs = Iterable[tuple[str, object]]


class Paper(FPDF):
    """Pages with a foot; the same content makes the same bytes."""

    def __init__(self, title: str, at_ms: int) -> None:
        super().__init__(format="A4")
        self.core_fonts_encoding = _ENCODING
        self.set_creation_date(datetime.fromtimestamp(at_ms / 1000, UTC))
        self.set_title(latin(title))
        self.set_auto_page_break(auto=True, margin=20)
        self.replaced = False
        """Whether letters were written in Latin ones."""
        self.add_page()
        self.set_font("helvetica", "B", 15)
        self._say(title)

    def footer(self) -> None:
        """The number of the page."""
        self.set_y(-15)
        self.set_font("helvetica", "", 8)
        self.cell(0, _LINE, f"{self.page_no()}/{{nb}}", align="R")

    def section(self, title: str, pairs: Pairs) -> None:
        """A heading, and names with their values; what is not known is left out."""
        known = [(name, str(value)) for name, value in pairs if value not in (None, "")]
        if not known:
            return
        self.ln(3)
        self.set_font("helvetica", "B", 11)
        self._say(title)
        for name, value in known:
            self.set_font("helvetica", "B", 9)
            self.cell(_NAME_WIDTH, _LINE, latin(name))
            self.set_font("helvetica", "", 9)
            self._say(value)

    def sheet(
        self, title: str, headings: Sequence[str], rows: Iterable[Sequence[str]], words: int = 1
    ) -> None:
        """A heading and a table; all columns but the first ones, which are words, are figures."""
        shares = [3.0 if place < words else 2.0 for place in range(len(headings))]
        whole = self.epw / sum(shares)
        aligned = ["L" if place < words else "R" for place in range(len(headings))]
        self.ln(3)
        self.set_font("helvetica", "B", 11)
        self._say(title)
        for place, row in enumerate([headings, *rows]):
            self.set_font("helvetica", "" if place else "B", 8)
            widths = [share * whole for share in shares]
            cells = [self._wrapped(*each) for each in zip(row, widths, strict=True)]
            height = _LINE * max(map(len, cells))
            if self.will_page_break(height):
                self.add_page()
            top, left = self.get_y(), self.l_margin
            for lines, width, align in zip(cells, widths, aligned, strict=True):
                for below, text in enumerate(lines):
                    self.set_xy(left, top + below * _LINE)
                    self.cell(width, _LINE, text, align=align)
                left += width
            self.set_xy(self.l_margin, top + height)
            self.line(self.l_margin, top + height, left, top + height)

    def _wrapped(self, text: str, width: float) -> list[str]:
        """The lines of a cell; nothing of it is cut."""
        lines, whole, most = [""], latin(text[:_LONGEST]), width - 2 * self.c_margin
        if self.get_string_width(whole) <= most:
            return [whole]
        for letter in whole:
            if self.get_string_width(lines[-1] + letter) > most:
                # At a space where there is one, so that words stay whole.
                kept, space, rest = lines[-1].rpartition(" ")
                lines[-1:] = [kept, rest] if space else [lines[-1], ""]
            lines[-1] += letter
        return lines

    def words(self, text: str) -> None:
        """A sentence."""
        self.set_font("helvetica", "", 10)
        self._say(text)

    def _say(self, text: str) -> None:
        shown = latin(text[:_LONGEST])
        self.replaced |= shown != " ".join(text[:_LONGEST].split())
        at = (XPos.LMARGIN, YPos.NEXT)
        self.multi_cell(0, _LINE, shown, wrapmode=WrapMode.CHAR, new_x=at[0], new_y=at[1])


def latin(text: str) -> str:
    """One line of text in the letters that every PDF reader has."""
    plain = "".join(
        each if each.encode(_ENCODING, "ignore") and each.isprintable() else _latin(each)
        for each in text
    )
    return " ".join(plain.split())


def _latin(letter: str) -> str:
    if letter.isspace():
        return " "
    # What has no Latin form, and half of a surrogate pair, is left out.
    return anyascii(letter) if letter.isprintable() else ""
