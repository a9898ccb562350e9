"""Writes the pieces of HTML pages: prose, code, tables, sections, menus, and the page around them.

Whatever comes from a document is escaped here.
"""

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Final, NamedTuple
from urllib.parse import quote

_FILES: Final = files("gatehouse.api.docs")
_STYLE: Final = _FILES.joinpath("reference.css").read_text("utf-8")
_SCRIPT: Final = re.sub(
    r"^ +(?://.*\n)?", "", _FILES.joinpath("reference.js").read_text("utf-8"), flags=re.MULTILINE
)
"""Without its comments, which browsers need not load."""

_ICON: Final = "data:image/svg+xml," + quote(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">'
    '<rect width="16" height="16" rx="3" fill="#0a5f78"/>'
    '<path d="M4 13V7a4 4 0 0 1 8 0v6M8 3v10M4 9h8" fill="none" stroke="#fff"/></svg>'
)
"""A gate, drawn in the page itself: browsers would ask for an icon, which costs a request."""


def _hashed(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


CONTENT_POLICY: Final = (
    f"default-src 'none'; style-src {_hashed(_STYLE)}; script-src {_hashed(_SCRIPT)}; "
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Admits the style, the script and the icon that every page carries, and the index of the search
from the same server; nothing else.
"""
POLICY_HEADERS: Final = ((b"content-security-policy", CONTENT_POLICY.encode()),)

_TOKEN: Final = re.compile(
    r'(?P<key>"(?:[^"\\]|\\.)*"(?=:))|(?P<text>"(?:[^"\\]|\\.)*")'
    r"|(?P<word>(?<![\w.:/-])(?:true|false|null|True|False|None|-?\d[\d.eE+-]*)(?!\w))"
)
_PAGE: Final = """\
<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="{icon}">
<title>{title}</title>
<style>{style}</style></head>
<body><a class="skip" href="#content">Skip to the content</a>
<nav aria-label="Contents"><p class="brand">{brand}</p>
<div class="search" role="search" hidden><label for="find">Search</label>
<input id="find" type="search" placeholder="Search (press /)" autocomplete="off" \
aria-describedby="found"><p id="found" role="status"></p></div>
<details class="menu"><summary>Menu</summary><div>
{menu}</div></details></nav>
<main id="content">{content}</main>
<script>{script}</script></body></html>
"""
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


def page(title: str, brand: str, menu: str, content: str) -> str:
    """A whole page; `brand`, `menu` and `content` are HTML."""
    return _PAGE.format(
        **{"title": escape(title), "brand": brand, "menu": menu, "content": content},
        **{"icon": _ICON, "style": _STYLE, "script": _SCRIPT},
    )


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


def code(text: str) -> str:
    """Lines of code with their strings and words coloured."""
    plain = escape(text, quote=False)
    found = _TOKEN.sub(lambda token: f'<span class="{token.lastgroup}">{token[0]}</span>', plain)
    return f'<div class="code"><pre tabindex="0"><code>{found}</code></pre></div>'


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


def links(group: str, addresses: Mapping[str, str]) -> str:
    """A group of a menu: HTML by address."""
    items = (f'<li><a href="{escape(at)}">{text}</a></li>' for at, text in addresses.items())
    return f'<p class="group">{group}</p>\n<ul aria-label="{group}">{"".join(items)}</ul>\n'


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
