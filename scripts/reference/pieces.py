"""Writes the pieces of the reference: prose, tables, sections, code in several languages.

Whatever comes from a document is escaped here.
"""

import re
from collections.abc import Iterable, Mapping
from html import escape
from typing import Final, NamedTuple

from gatehouse.api.docs.markup import code

_ROW: Final = (
    '<tr role="row"><th scope="row" role="rowheader">{}</th>'
    '<td role="cell">{}</td><td role="cell">{}</td></tr>\n'
)


class Row(NamedTuple):
    """A row of a table of three columns, and the rows that can be folded away below it."""

    name: str
    kind: str
    about: str
    label: str = ""
    below: tuple["Row", ...] = ()

    @property
    def size(self) -> int:
        """How many rows are below it."""
        return sum(1 + row.size for row in self.below)


def inline(text: str) -> str:
    """Text with its code marked."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(text))


def prose(text: str) -> str:
    """Paragraphs."""
    parts = re.split(r"\n\s*\n", text.strip())
    return "".join(f"<p>{inline(part)}</p>\n" for part in parts if part)


def breakable(path: str) -> str:
    """A path that may wrap after its separators, with what leads to the last name set back."""
    text = re.sub(r"([./])(?=[\w{*])", r"\1<wbr>", escape(path))
    lead, dot, last = text.rpartition(".")
    return f'<span class="lead">{lead}{dot}</span>{last}' if dot else text


def mark(word: str) -> str:
    """A word beside a name."""
    kind = "mark required" if word == "required" else "mark"
    return f' <span class="{kind}">{escape(word)}</span>' if word else ""


def block(title: str, text: str) -> str:
    """Code under a title."""
    return f"<figure><figcaption>{escape(title)}</figcaption>{code(text)}</figure>\n"


def alternatives(group: str, texts: Mapping[str, str]) -> str:
    """Code in several languages, of which one is unfolded at a time."""
    return "".join(
        f'<details class="sample" name="{group}"{"" if number else " open"}>'
        f"<summary>{escape(language)}</summary>{code(text)}</details>\n"
        for number, (language, text) in enumerate(texts.items())
    )


def titled(title: str, content: str) -> str:
    """Content under a small heading, if there is any."""
    return f"<h3>{escape(title)}</h3>\n{content}" if content else ""


def section(anchor: str, title: str, *content: str) -> str:
    """A section with its heading."""
    return (
        f'<section id="{anchor}" aria-labelledby="{anchor}-title">\n'
        f'<h2 id="{anchor}-title">{escape(title)}</h2>\n{"".join(content)}</section>\n'
    )


def table(heads: tuple[str, str, str], rows: Iterable[Row], most_open: int = 0) -> str:
    """A table; what is below a row is unfolded when it has no more than `most_open` rows.

    Its roles keep it a table for screen readers when a narrow window stacks the cells.
    """
    head = "".join(f'<th scope="col" role="columnheader">{text}</th>' for text in heads)
    head = f'<thead role="rowgroup"><tr role="row">{head}</tr></thead>\n'
    body = "".join(_row(heads, row, most_open) for row in rows)
    shown = f'<table role="table">\n{head}<tbody role="rowgroup">\n{body}</tbody></table>\n'
    return shown if body else ""


def _row(heads: tuple[str, str, str], row: Row, most_open: int) -> str:
    shown = _ROW.format(row.name, row.kind, row.about)
    if not row.below:
        return shown
    size = row.size
    fields = "1 field" if size == 1 else f"{size} fields"
    opened = " open" if size <= most_open else ""
    return (
        f'{shown}<tr role="row" class="below"><td role="cell" colspan="3"><details{opened}>'
        f"<summary>{fields} of <code>{escape(row.label)}</code></summary>"
        f"{table(heads, row.below, most_open).strip()}</details></td></tr>\n"
    )
