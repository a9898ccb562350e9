"""Forms that are sent with something that the server refuses, and what the page says then."""

from typing import Any, Final, NamedTuple

from playwright.sync_api import Response, expect

from gatehouse.console.pages import Page
from gatehouse.console.routes import DECLARED
from tests.console.browser.past import path_to
from tests.console.browser.site import WIDTHS, Visitor

_FILL: Final = """const fill = (shown, action, typed) => {
    const leads = (each, name) => new URL(each.getAttribute(name), location.href).pathname;
    const buttons = [...shown.querySelectorAll("button[formaction]")];
    const own = buttons.find(each => leads(each, "formaction") === action);
    const form = own?.form
        ?? [...shown.forms].filter(each => leads(each, "action") === action).at(-1);
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
    return [form, pressed];
};"""
"""Fills a form, though the browser would have held back what it knows to be wrong."""
_SAID: Final = """const said = shown => {
    const shows = each => shown === document ? each.checkVisibility()
        : !each.closest("[hidden], details:not([open]) > :not(summary)");
    const seen = each => each !== null && shows(each) && each.innerText.trim() !== "";
    const alerts = [...shown.querySelectorAll("main [role=alert]")].filter(seen);
    const wrong = [...shown.querySelectorAll("main [aria-invalid=true]")];
    const explained = each => (each.getAttribute("aria-describedby") ?? "").split(" ")
        .some(id => seen(shown.getElementById(id)));
    const ids = [...shown.querySelectorAll("[id]")].map(each => each.id);
    const fields = [...shown.querySelectorAll("main :is(input, select, textarea)")];
    const named = each => each.type === "hidden" || each.labels.length
        || each.ariaLabel || each.hasAttribute("aria-labelledby");
    return {
        alerts: alerts.length,
        wrong: wrong.map(each => each.name),
        unexplained: wrong.filter(each => !explained(each)).map(each => each.name),
        hidden: wrong.filter(each => !shows(each)).map(each => each.name),
        focusable: wrong.length > 0 || alerts.some(each => each.matches(".problem[tabindex]")),
        unnamed: fields.filter(each => !named(each)).map(each => each.outerHTML),
        repeated: ids.filter((id, place) => ids.indexOf(id) !== place),
    };
};"""
_KEPT: Final = """const kept = (shown, action, names) => {
    const path = (each, name) => new URL(each.getAttribute(name), location.href).pathname;
    const own = [...shown.querySelectorAll("button[formaction]")]
        .find(each => path(each, "formaction") === action);
    const form = own?.form
        ?? [...shown.forms].filter(each => path(each, "action") === action).at(-1);
    return Object.fromEntries(names.map(name => {
        const fields = [...(form?.elements ?? [])].filter(each => each.name === name);
        const ticked = fields.filter(each => each.type !== "checkbox" || each.checked);
        return [name, ticked.map(each => each.value).join()];
    }));
};"""
_SEND: Final = f"""([action, typed]) => {{
    {_FILL}
    const [form, pressed] = fill(document, action, typed);
    form.requestSubmit(pressed);
}}"""
_LOOK: Final = f"""([action, names]) => {{
    {_SAID} {_KEPT}
    return [said(document), kept(document, action, names)];
}}"""
_ASK: Final = f"""async ([page, action, typed, names]) => {{
    {_FILL} {_SAID} {_KEPT}
    const read = async (path, options) => {{
        const answer = await fetch(path, {{...options, redirect: "manual"}});
        const shown = new DOMParser().parseFromString(await answer.text(), "text/html");
        return [answer.status, shown];
    }};
    const [, before] = await read(page);
    const [form, pressed] = fill(before, action, typed);
    const files = form.enctype === "multipart/form-data";
    const data = new FormData(form, pressed);
    const to = pressed?.getAttribute("formaction") ?? form.getAttribute("action");
    const body = files ? data : new URLSearchParams(data);
    const [status, after] = await read(to, {{method: "POST", body}});
    return [status, said(after), kept(after, action, names)];
}}"""
"""Sends a form without opening its page: what a browser would show is read, not drawn."""
_LED_TO: Final = "main :is([aria-invalid=true], [role=alert]):focus"


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


def refuse(visitor: Visitor, refusal: Refusal, known: dict[str, str]) -> None:
    """Send a form that is refused, and look closely at the page that says so."""
    page = visitor.page
    shown, action, names = _asked(refusal, known)
    visitor.open(shown)
    page.wait_for_load_state()
    with page.expect_navigation(), page.expect_response(_is_form) as answered:
        page.evaluate(_SEND, [action, refusal.typed])
    # A script leads to what is wrong when the page has loaded.
    expect(page.locator(_LED_TO)).to_have_count(1)
    _compare(refusal, [answered.value.status, *page.evaluate(_LOOK, [action, names])])
    # The page itself has been looked at in every window.
    visitor.fits(WIDTHS[-1])
    visitor.check()


def refuse_undrawn(visitor: Visitor, refusal: Refusal, known: dict[str, str]) -> None:
    """Send a form that is refused from another page, and read the page that says so."""
    shown, action, names = _asked(refusal, known)
    _compare(refusal, visitor.page.evaluate(_ASK, [shown, action, refusal.typed, names]))


def _asked(refusal: Refusal, known: dict[str, str]) -> tuple[str, str, list[str]]:
    """The page of the form, where the form leads, and the fields that are shown again."""
    shown = path_to(_PATHS[True, refusal.page], known) + refusal.query
    names = [name for name in refusal.typed if name not in refusal.forgotten]
    return shown, path_to(_PATHS[False, refusal.action], known), names


def _compare(refusal: Refusal, found: list[Any]) -> None:
    said = {
        "alerts": 1,
        "wrong": [refusal.wrong] if refusal.wrong else [],
        **{"unexplained": [], "hidden": [], "focusable": True, "unnamed": [], "repeated": []},
    }
    kept = {name: text for name, text in refusal.typed.items() if name not in refusal.forgotten}
    problem = f"{refusal.action} on {refusal.page}: {found}"
    assert found == [refusal.status, said, kept], problem


def _is_form(answer: Response) -> bool:
    return answer.request.method == "POST" and answer.request.is_navigation_request()
