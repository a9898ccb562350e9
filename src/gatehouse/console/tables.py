"""Tables of pages: each cell learns the name of its column, which it shows where rows are cards."""

import re
from collections.abc import Sequence
from typing import Final

from markupsafe import Markup, escape

Column = str | tuple[str, str]
"""The heading of a column, or the heading and a class."""

_OPENING: Final = re.compile(r"<(tr|t[dh])\b([^>]*)>")
_SPAN: Final = re.compile(r'colspan="(\d+)"')


def labelled(rows: str, columns: Sequence[Column]) -> Markup:
    """The rows of a table, each cell with the heading of its column as `data-label`."""
    headings = [str(each if isinstance(each, str) else each[0]) if each else "" for each in columns]
    place = 0

    def label(found: re.Match[str]) -> str:
        nonlocal place
        name, rest = found.groups()
        if name == "tr":
            place = 0
            return found[0]
        span = _SPAN.search(rest)
        heading = "" if span or place >= len(headings) else headings[place]
        place += int(span[1]) if span else 1
        return f'<{name}{rest} data-label="{escape(heading)}">'

    # What stands here was escaped when the rows were made; only opening tags are added to.
    return Markup(_OPENING.sub(label, rows))  # noqa: S704
