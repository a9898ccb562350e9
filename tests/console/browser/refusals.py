"""Forms that are sent with something that the server refuses, and what the page says then."""

import contextlib
from typing import Any, Final, NamedTuple

from playwright.sync_api import Response, expect

from gatehouse.console.pages import Page
from gatehouse.console.routes import DECLARED
from tests.console.browser.past import path_to
from tests.console.browser.site import WIDTHS, Visitor

_SEND: Final = """([action, typed]) => {
    const leads = (each, name) => new URL(each.getAttribute(name), location.href).pathname;
    const buttons = [...document.querySelectorAll("button[formaction]")];
    const own = buttons.find(each => leads(each, "formaction") === action);
    const form = own?.form
        ?? [...document.forms].filter(each => leads(each, "action") === action).at(-1);
    if (!form) throw new Error(`no form ${action}`);
    form.noValidate = true;
    let pressed = own;
    for (const [name, value] of Object.entries(typed)) {
        const fields = [...form.elements].filter(each => each.name === name);
        for (const field of fields) {
            if (field.tagName === "BUTTON" && field.value === value) pressed = field;
            if (field.tagName === "BUTTON") continue;
            if (field.type === "checkbox") { field.checked = field.value === value; continue; }
            const offered = [...(field.options ?? [])].some(each => each.value === value);
            if (field.tagName === "SELECT" && !offered) field.add(new Option(value, value));
            field.value = value;
        }
        if (!fields.length) throw new Error(`no field ${name}`);
    }
    form.requestSubmit(pressed);
}"""
"""Fills a form and sends it, though the browser would have held back what it knows to be wrong."""
_SAID: Final = """() => {
    const seen = each => each !== null && each.checkVisibility() && each.innerText.trim() !== "";
    const alerts = [...document.querySelectorAll("main [role=alert]")].filter(seen);
    const wrong = [...document.querySelectorAll("main [aria-invalid=true]")];
    const explained = each => (each.getAttribute("aria-describedby") ?? "").split(" ")
        .some(id => seen(document.getElementById(id)));
    const focused = document.activeElement;
    return {
        alerts: alerts.length,
        wrong: wrong.map(each => each.name),
        unexplained: wrong.filter(each => !explained(each)).map(each => each.name),
        hidden: wrong.filter(each => !each.checkVisibility()).map(each => each.name),
        focused: wrong.includes(focused) || alerts.includes(focused),
    };
}"""
_LED_TO: Final = "main :is([aria-invalid=true], [role=alert]):focus"
_LED_MS: Final = 5_000
_KEPT: Final = """([action, names]) => {
    const path = (each, name) => new URL(each.getAttribute(name), location.href).pathname;
    const own = [...document.querySelectorAll("button[formaction]")]
        .find(each => path(each, "formaction") === action);
    const form = own?.form
        ?? [...document.forms].filter(each => path(each, "action") === action).at(-1);
    form?.setAttribute("data-refused", "");
    return Object.fromEntries(names.map(name => {
        const fields = [...(form?.elements ?? [])].filter(each => each.name === name);
        const ticked = fields.filter(each => each.type !== "checkbox" || each.checked);
        return [name, ticked.map(each => each.value).join()];
    }));
}"""


_REFUSED: Final = ("[data-refused]", "main [role=alert]")
"""The form that was sent, and what is said of it."""


class Refusal(NamedTuple):
    """A form of a page, what is typed into it, and what is wrong with that."""

    page: str
    action: str
    typed: dict[str, str]
    wrong: str = ""
    """The field that is wrong; none when it is the form as a whole."""
    status: int = 422
    forgotten: frozenset[str] = frozenset()
    """What must not be shown again, and buttons."""
    query: str = ""


_PATHS: Final = {(isinstance(each, Page), each.name): each.path for each in DECLARED}


def refuse(visitor: Visitor, refusal: Refusal, known: dict[str, str], *, whole: bool) -> None:
    """Send a form that is refused, and look at the page that says so, or at its form alone."""
    page = visitor.page
    action = path_to(_PATHS[False, refusal.action], known)
    visitor.open(path_to(_PATHS[True, refusal.page], known) + refusal.query)
    page.wait_for_load_state()
    with page.expect_navigation(), page.expect_response(_is_form) as answered:
        page.evaluate(_SEND, [action, refusal.typed])
    assert answered.value.status == refusal.status, _told(refusal, answered.value.status)
    # A script leads to what is wrong when the page has loaded.
    with contextlib.suppress(AssertionError):
        expect(page.locator(_LED_TO)).to_have_count(1, timeout=_LED_MS)
    said: dict[str, Any] = page.evaluate(_SAID)
    expected = {
        "alerts": 1,
        "wrong": [refusal.wrong] if refusal.wrong else [],
        "unexplained": [],
        "hidden": [],
        "focused": True,
    }
    assert said == expected, _told(refusal, said)
    typed = {name: value for name, value in refusal.typed.items() if name not in refusal.forgotten}
    kept = page.evaluate(_KEPT, [action, list(typed)])
    assert kept == typed, _told(refusal, kept)
    # The page itself has been looked at in every window.
    visitor.fits(WIDTHS[0])
    visitor.check(*(() if whole else [each for each in _REFUSED if page.locator(each).count()]))


def _is_form(answer: Response) -> bool:
    return answer.request.method == "POST" and answer.request.is_navigation_request()


def _told(refusal: Refusal, found: object) -> str:
    return f"{refusal.action} on {refusal.page}: {found}"
