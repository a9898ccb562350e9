"""The guides of the project as pages of the server, so that a reader has those of its version.

They are read from the checkout, or from where the package was installed, and rendered when they
are asked for. Only files that were found at the start of reading are served.
"""

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from html import escape
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import TYPE_CHECKING, Any, Final

from gatehouse.api.body import Receive
from gatehouse.api.context import Reply, RequestContext
from gatehouse.api.docs import markup
from gatehouse.api.docs.pages import HTML, PublicPage
from gatehouse.api.docs.search_index import GuideSection, IndexedSection, indexed_guide
from gatehouse.api.problems import Problem

if TYPE_CHECKING:
    from markdown_it.token import Token

_ADDRESS: Final = "/docs/guides/"
_INDEX: Final = "docs/README.md"
API_GUIDE: Final = "docs/api.md"
_BESIDE: Final = ("SECURITY.md", "CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md")
"""Pages that stand beside the folder of the guides."""
_COMMENT: Final = re.compile(r"^<!--.*?-->\n", re.MULTILINE | re.DOTALL)
_HEADING: Final = re.compile(r"^(#{1,3}) (.+)$", re.MULTILINE)
_FENCE: Final = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def guides_root() -> Path | None:
    """The folder with `docs/`: the checkout's, or the installed one; None when there is neither."""
    places = (Path(__file__).parents[4], Path(sys.prefix) / "share" / "gatehouse")
    return next((place for place in places if (place / API_GUIDE).is_file()), None)


class GuidePages:
    """Every guide below a folder, as pages."""

    def __init__(self, root: Path | None) -> None:
        self._root = root
        self._pages: dict[str, PublicPage] = {}

    async def answer(self, context: RequestContext, receive: Receive) -> Reply:
        """The guide that the path names."""
        name: str = context.scope["path_params"]["name"]
        page = self._pages.get(name)
        if page is None:
            file = self._files.get(name)
            if file is None:
                raise Problem("not_found")
            page = self._pages[name] = PublicPage(
                lambda: self._render(file).encode(), HTML, markup.POLICY_HEADERS
            )
        return await page.answer(context, receive)

    @cached_property
    def titles(self) -> dict[str, str]:
        """The guides that menus name, by their addresses; what the index names comes first."""
        if self._root is None:
            return {}
        linked = re.findall(r"\]\(((?:\.\./)?[\w-]+\.md)", self._text(_INDEX))
        names = [_INDEX, *(normpath(f"docs/{name}") for name in dict.fromkeys(linked))]
        return {guide_address(file): headings_of(self._text(file))[0][1] for file in names}

    def sections(self) -> Iterator[IndexedSection]:
        """Every section of the guides that menus name."""
        for address in self.titles:
            text = _COMMENT.sub("", self._text(self._files[address.removeprefix(_ADDRESS)]))
            yield from indexed_guide(address, _split(text))

    @cached_property
    def _files(self) -> Mapping[str, str]:
        """The files that are served, by the names in their addresses."""
        if self._root is None:
            return {}
        found = (str(file.relative_to(self._root)) for file in self._root.glob("docs/**/*.md"))
        beside = (name for name in _BESIDE if (self._root / name).is_file())
        return {_name(file): file for file in (*found, *beside)}

    def _text(self, file: str) -> str:
        assert self._root is not None
        return (self._root / file).read_text("utf-8")

    def _render(self, file: str) -> str:
        text = _COMMENT.sub("", self._text(file))
        headings = headings_of(text)
        parts = _Renderer(file, {*self._files.values()}, self._drawing).sections(text, headings)
        here = {f"#{anchor}": escape(title) for level, title, anchor in headings if level == 2}
        others = {address: escape(title) for address, title in self.titles.items()}
        groups = {
            "This page": here,
            "API": {"/docs": "API reference", "/docs/manage": "Management API"},
            "Guides": others,
        }
        menu = "".join(markup.links(*group) for group in groups.items() if group[1])
        return markup.page(f"{headings[0][1]} · Gatehouse", "Gatehouse", menu, "".join(parts))

    def _drawing(self, file: str) -> str | None:
        """A drawing of the documentation, as markup that stands in the page."""
        place = f"docs/diagrams/{PurePosixPath(file).name}"
        is_there = file == place and self._root is not None and (self._root / file).is_file()
        return self._text(file) if is_there and file.endswith(".svg") else None


class _Renderer:
    """Turns the Markdown of one file into sections of HTML."""

    def __init__(self, file: str, served: set[str], drawing: Callable[[str], str | None]) -> None:
        # Only readers of guides need it, and a server starts without it.
        from markdown_it import MarkdownIt

        self._folder, self._served, self._drawing = PurePosixPath(file).parent, served, drawing
        options = {"html": False, "xhtmlOut": False}
        self._parser = MarkdownIt("commonmark", options).enable("table")
        for kind in ("fence", "code_block"):
            self._parser.add_render_rule(kind, _code)
        self._parser.add_render_rule("image", lambda _, *given: self._picture(*given))
        # A window that is too narrow for a table scrolls it.
        opening, closing = '<div class="scroll" tabindex="0"><table>\n', "</table></div>\n"
        self._parser.add_render_rule("table_open", lambda *_: opening)
        self._parser.add_render_rule("table_close", lambda *_: closing)

    def sections(self, text: str, headings: Sequence[tuple[int, str, str]]) -> Iterator[str]:
        """The text in one section per chapter."""
        tokens = self._parser.parse(text)
        anchors = iter(headings)
        opened: list[tuple[str, list[Any]]] = []
        for token in tokens:
            self._relink(token.children or [])
            if token.type in {"th_open", "td_open"}:
                _style_cell(token)
            if token.type == "heading_open" and token.tag in {"h1", "h2", "h3"}:
                anchor = next(anchors)[2]
                if token.tag == "h3":
                    token.attrSet("id", anchor)
                else:
                    token.attrSet("id", f"{anchor}-title")
                    opened.append((anchor, []))
            opened[-1][1].append(token)
        for anchor, part in opened:
            inner = self._parser.renderer.render(part, self._parser.options, {})
            labelled = f'aria-labelledby="{anchor}-title"'
            yield f'<section class="guide" id="{anchor}" {labelled}>\n{inner}</section>\n'

    def _relink(self, tokens: "Sequence[Token]") -> None:
        """Let links to other guides lead to their pages; links to other files are only text."""
        dropped = False
        for token in tokens:
            if token.type == "link_open":
                address = self._address(str(token.attrGet("href") or ""))
                dropped = address is None
                token.attrSet("href", address or "")
            if dropped and token.type in {"link_open", "link_close"}:
                token.type, token.tag, token.nesting, token.content = "text", "", 0, ""

    def _picture(self, tokens: "Sequence[Token]", at: int, *_: object) -> str:
        """A drawing, or in words what a photograph shows: servers of the API have none of them."""
        file = normpath(self._folder / str(tokens[at].attrGet("src")))
        return self._drawing(file) or f"<em>{escape(tokens[at].content)}</em>"

    def _address(self, link: str) -> str | None:
        if link.startswith(("#", "http://", "https://")):
            return link
        name, hash_mark, anchor = link.partition("#")
        file = normpath(self._folder / name)
        return guide_address(file) + hash_mark + anchor if file in self._served else None


def _code(_renderer: object, tokens: "Sequence[Token]", at: int, *_: object) -> str:
    return markup.code(tokens[at].content.rstrip("\n"))


def _style_cell(cell: "Token") -> None:
    """Say how a cell is aligned by a class: the policy of the page forbids styles of its own."""
    if "right" in str(cell.attrs.pop("style", "")):
        cell.attrSet("class", "right")
    if cell.tag == "th":
        cell.attrSet("scope", "col")


def _name(file: str) -> str:
    return file.removeprefix("docs/").removesuffix(".md")


def guide_address(file: str) -> str:
    """Where a guide is served."""
    return _ADDRESS + _name(file)


def _split(text: str) -> Iterator[GuideSection]:
    """The parts of a guide, each from its heading to the next one."""
    # What is fenced keeps its length, so that places in both texts are the same.
    bare = _FENCE.sub(lambda fenced: " " * len(fenced[0]), text)
    starts = [found.start() for found in _HEADING.finditer(bare)]
    ends = [*starts[1:], len(text)]
    for (_, title, anchor), start, end in zip(headings_of(text), starts, ends, strict=True):
        yield GuideSection(title, anchor, text[start:end])


def headings_of(text: str) -> list[tuple[int, str, str]]:
    """Level, title and anchor of every heading, with the anchors that code hosts give them."""
    seen: Counter[str] = Counter()
    found = []
    for marks, words in _HEADING.findall(_FENCE.sub("", text)):
        title = words.strip().replace("`", "")
        anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        found.append((len(marks), title, f"{anchor}-{seen[anchor]}" if seen[anchor] else anchor))
        seen[anchor] += 1
    return found
