"""Writes what all pages of the documentation have: code, menus, and the page around them.

Whatever comes from a document is escaped here.
"""

import re
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Final
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
<main id="content"{tried}>{content}</main>
<script>{script}</script></body></html>
"""


def page(title: str, brand: str, menu: str, content: str, *, can_try: bool = False) -> str:
    """A whole page; `brand`, `menu` and `content` are HTML. Its calls can be tried if so wanted."""
    return _PAGE.format(
        **{"title": escape(title), "brand": brand, "menu": menu, "content": content},
        tried=" data-try" if can_try else "",
        **{"icon": _ICON, "style": _STYLE, "script": _SCRIPT},
    )


def refusal(status: int, message: str, request_id: str) -> str:
    """What a browser shows of a request that was refused."""
    menu = links("Gatehouse", {"/docs": "API reference", "/docs/guides/README": "Guides"})
    content = (
        f'<section class="guide"><h1>{status}</h1><p>{message}</p><p>{request_id}</p></section>'
    )
    return page(f"{status} · Gatehouse", "Gatehouse", menu, content)


def code(text: str) -> str:
    """Lines of code with their strings and words coloured."""
    plain = escape(text, quote=False)
    found = _TOKEN.sub(lambda token: f'<span class="{token.lastgroup}">{token[0]}</span>', plain)
    return f'<div class="code"><pre tabindex="0"><code>{found}</code></pre></div>'


def links(group: str, addresses: Mapping[str, str]) -> str:
    """A group of a menu: HTML by address."""
    items = (f'<li><a href="{escape(at)}">{text}</a></li>' for at, text in addresses.items())
    return f'<p class="group">{group}</p>\n<ul aria-label="{group}">{"".join(items)}</ul>\n'
