"""What a page offers: where its links, forms and buttons lead, and whether a role may go there."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from playwright.sync_api import APIResponse
from playwright.sync_api import Page as BrowserPage

from gatehouse.access.roles import PERMISSIONS, UserRole
from gatehouse.console.pages import Action, Declared, Page, Reach
from gatehouse.console.routes import DECLARED

CLOSED: Final = [each for each in DECLARED if each.reach is not Reach.PUBLIC]
DOWNLOADS: Final = {
    *("rules-words", "statement-csv", "statement-pdf", "usage-csv", "report-csv", "report-pdf"),
    *("accounts-csv", "invoice-pdf", "invoice-csv", "invoice-json", "invoice-ubl"),
    "model-file",
}
_OFFERED: Final = """([here, text]) => {
    const shown = text === null ? document : new DOMParser().parseFromString(text, "text/html");
    const found = [];
    const note = (method, path) => {
        const url = new URL(path, here);
        if (url.origin === location.origin) found.push([method.toUpperCase(), url.pathname]);
    };
    for (const each of shown.querySelectorAll("a[href], area[href]"))
        note("get", each.getAttribute("href"));
    for (const each of shown.forms)
        note(each.getAttribute("method") || "get", each.getAttribute("action") || here);
    for (const each of shown.querySelectorAll("[formaction]"))
        note(each.getAttribute("formmethod") || each.form.method, each.getAttribute("formaction"));
    for (const name of ["hx-get", "data-hx-get", "hx-post", "data-hx-post"])
        for (const each of shown.querySelectorAll(`[${name}]`))
            note(name.split("-").pop(), each.getAttribute(name) || here);
    return found;
}"""
"""Everything on a page that leads to another one, as a method and a path."""


def may(role: UserRole, declared: Declared) -> bool:
    """Whether a role may open a page or send a form."""
    return declared.is_for(PERMISSIONS[role])


def pages_of(role: UserRole) -> list[Page]:
    """The pages that a role may open, without files."""
    return [
        each
        for each in CLOSED
        if isinstance(each, Page) and may(role, each) and each.name not in DOWNLOADS
    ]


def check_offers(page: BrowserPage, role: UserRole, answer: APIResponse | None = None) -> None:
    """Fail if anything on the page, or on one that was sent, leads where the role may not go."""
    place, text = (page.url, None) if answer is None else (answer.url, answer.text())
    offered = {(str(method), str(path)) for method, path in page.evaluate(_OFFERED, [place, text])}
    assert offered, place
    found = (_problem(role, method, path) for method, path in sorted(offered))
    problems = [each for each in found if each is not None]
    assert problems == [], f"{place} offers a {role}: {problems}"


class _Route(NamedTuple):
    """A declared page with the paths that lead to it."""

    method: str
    pattern: re.Pattern[str]
    declared: Declared


def _routes() -> Iterator[_Route]:
    for each in DECLARED:
        parts = (
            "[^/]+" if part.startswith("{") else re.escape(part) for part in each.path.split("/")
        )
        method = "POST" if isinstance(each, Action) else "GET"
        yield _Route(method, re.compile("/".join(parts)), each)


_ROUTES: Final = list(_routes())


def _problem(role: UserRole, method: str, path: str) -> str | None:
    if path.startswith("/static/"):
        return None
    fitting = (
        each.declared for each in _ROUTES if each.method == method and each.pattern.fullmatch(path)
    )
    declared = next(fitting, None)
    if declared is None:
        return f"{method} {path}, which leads nowhere"
    return None if may(role, declared) else f"{method} {path}, which needs {declared.permission}"
