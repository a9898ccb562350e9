"""CSV for spreadsheets, as RFC 4180 has it, in which no cell becomes a formula."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Final

# What spreadsheets take for the beginning of a formula, also in the full width of East Asian text.
_FORMULA: Final = tuple("=+-@\t\r\uff1d\uff0b\uff0d\uff20")


def csv_lines(rows: Iterable[Sequence[object]]) -> str:
    """Rows as lines of CSV, the last one ended too."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue()


def plain_cell(text: str | None) -> str:
    """People's own words as a cell that every spreadsheet shows as text."""
    words = text or ""
    return f"'{words}" if words.startswith(_FORMULA) else words


def meant_cell(cell: str) -> str:
    """What a cell of a file says that may have been made by `plain_cell`."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_FORMULA) else cell
