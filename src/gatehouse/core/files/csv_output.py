"""CSV for spreadsheets, as RFC 4180 has it, in which no cell becomes a formula."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Final

# A cell begins with a formula, also in the full width of East Asian text; and so may what follows a
# semicolon, a tab or the end of a line: spreadsheets of many countries take these for separators.
_BEGINS: Final = r"(?:(?<=[;\t\r\n])|^)"
_FORMULA: Final = r"(?=[\"']*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])"
_TO_GUARD: Final = re.compile(_BEGINS + _FORMULA)
_GUARDED: Final = re.compile(f"{_BEGINS}'{_FORMULA}")


def csv_lines(rows: Iterable[Sequence[object]]) -> str:
    """Rows as lines of CSV, the last one ended too."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue()


def plain_cell(text: str | None) -> str:
    """People's own words as a cell that every spreadsheet shows as text."""
    return _TO_GUARD.sub("'", text or "")


def meant_cell(cell: str) -> str:
    """What a cell of a file says that may have been made by `plain_cell`."""
    return _GUARDED.sub("", cell)
