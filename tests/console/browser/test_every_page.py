"""Every page of the console in a real browser, as an administrator and as an operator.

The browser must not complain, axe must find nothing in light and dark, nothing may be offered that
the role lacks, no window from a phone's to a desktop's must scroll sideways, and each page must say
what it is about before any script runs. The queue of reviews is worked by keyboard alone.
"""

from typing import Final

from playwright.sync_api import Page as BrowserPage
from playwright.sync_api import expect

from gatehouse.access.roles import UserRole
from gatehouse.console.pages import Page, Reach
from tests.admin.people.signing_in import PASSWORD
from tests.console.browser.offered import check_offers, pages_of
from tests.console.browser.past import path_to, wait_for_figures
from tests.console.browser.reviewing import open_reviews
from tests.console.browser.site import Site, Visitor, needs_chromium

SHOWS_MORE: Final = {"money", "accounts"}
"""Pages on which an operator finds what nobody else does."""

_SENT: Final = """text => {
    const main = new DOMParser().parseFromString(text, "text/html").querySelector("main");
    for (const each of main.querySelectorAll(
        "[hidden], noscript, template, script, details:not([open]) > :not(summary)")) each.remove();
    const titles = main.querySelectorAll("h1").length;
    for (const each of main.querySelectorAll("h1, .page-header")) each.remove();
    return [titles, main.textContent];
}"""
"""How many titles a page was sent with, and what is to be read besides them."""

pytestmark = needs_chromium


def _walk(visitor: Visitor, role: UserRole, known: dict[str, str], looked_at: set[Page]) -> None:
    """Look closely at some pages, and at what all offer; fails with what is wrong with any."""
    found = []
    for each in pages_of(role):
        path = path_to(each.path, known)
        try:
            if each in looked_at:
                check_offers(visitor.open(path), role)
                _check_without_scripts(visitor)
                visitor.fits()
                visitor.check()
            else:
                answer = visitor.page.context.request.get(path)
                assert answer.status == 200, f"{path}: {answer.status}"
                check_offers(visitor.page, role, answer)
        except AssertionError as problem:
            found.append(str(problem))
    assert found == [], "\n".join(found)


def _check_without_scripts(visitor: Visitor) -> None:
    """The page has a title and something below it in what was sent, which scripts may change."""
    assert visitor.answer is not None
    [titles, text] = visitor.page.evaluate(_SENT, visitor.answer.text())
    assert titles == 1, f"{visitor.page.url} has {titles} titles without scripts"
    assert text.strip(), f"{visitor.page.url} says nothing without scripts"


def test_an_administrator_opens_every_page_of_the_account(
    site: Site, known: dict[str, str]
) -> None:
    role = UserRole.ADMINISTRATOR
    with site.visit(site.token(role)) as visitor:
        wait_for_figures(visitor)
        _walk(visitor, role, known, looked_at=set(pages_of(role)))


def test_an_operator_opens_every_page_of_the_installation_and_of_the_account(
    site: Site, known: dict[str, str]
) -> None:
    role = UserRole.OPERATOR
    looked_at = {
        each
        for each in pages_of(role)
        if each.reach is Reach.INSTALLATION or each.name in SHOWS_MORE
    }
    with site.visit(site.token(role)) as visitor:
        visitor.open("/me")
        _walk(visitor, role, known, looked_at)


def test_a_chart_tells_values_and_a_shorter_span_is_dragged(site: Site) -> None:
    with site.visit(site.token(UserRole.VIEWER)) as visitor:
        wait_for_figures(visitor)
        page = visitor.page
        before = page.locator("#from").input_value()
        chart = page.locator(".plot-live .u-over").first
        chart.hover()
        expect(page.locator(".plot-tip").first).to_contain_text("Money accepted")
        box = chart.bounding_box()
        assert box is not None
        middle = box["x"] + box["width"] / 2
        page.mouse.down()
        page.mouse.move(middle + box["width"] / 5, box["y"] + 20)
        page.mouse.up()
        page.wait_for_url("**from=*")
        assert page.locator("#from").input_value() > before


def _read(page: BrowserPage, words: str) -> None:
    """Wait for the page that says so, and for its scripts."""
    page.get_by_text(words).wait_for()
    page.wait_for_load_state()


def test_a_review_is_found_and_resolved_by_keyboard_alone(
    site: Site, known: dict[str, str]
) -> None:
    site.token(UserRole.ANALYST)
    open_reviews(site, 3)
    with site.visit() as visitor:
        page = visitor.open("/sign-in")
        press = page.keyboard.press
        page.get_by_label("E-mail").focus()
        page.keyboard.type("analyst@browser.example")
        press("Tab")
        page.keyboard.type(PASSWORD)
        press("Enter")
        page.wait_for_url(f"**/a/{site.account_id}/")
        page.get_by_role("link", name="Reviews", exact=True).first.press("Enter")
        page.wait_for_url("**/reviews")
        rows = page.locator("[data-row] a")
        waiting = rows.count()
        press("j")
        press("j")
        expect(rows.nth(1)).to_be_focused()
        press("k")
        expect(rows.first).to_be_focused()
        press("Enter")
        page.wait_for_url("**/reviews/req_*")
        first = page.url
        # The one with most at risk is a colleague's: the key asks first.
        press("c")
        expect(page.get_by_role("button", name="Take it over")).to_be_focused()
        press("Enter")
        _read(page, "The review is assigned.")
        press("m")
        expect(page.get_by_label("Note for colleagues")).to_be_focused()
        page.keyboard.type("nadcm?")
        expect(page.get_by_label("Note for colleagues")).to_have_value("nadcm?")
        press("Control+Enter")
        _read(page, "The note is added.")
        press("a")
        expect(page.get_by_label("Reason", exact=True)).to_be_focused()
        press("ArrowDown")
        press("Tab")
        page.keyboard.type("and a word")
        press("Escape")
        press("a")
        _read(page, "Accepted. Here is the next one.")
        assert page.url != first
        second = page.url
        press("n")
        page.wait_for_url(lambda url: url != second)
        press("u")
        page.wait_for_url("**/reviews")
        assert rows.count() == waiting - 1
        press("?")
        expect(page.get_by_role("dialog", name="Keyboard")).to_be_visible()
        press("n")
        page.get_by_label("Single letters").press("Space")
        press("Escape")
        press("n")
        expect(page.locator(".shortcuts")).to_have_attribute("data-off", "")
        assert page.url.endswith("/reviews")
        page.locator(".sidebar .person summary").press("Enter")
        page.get_by_role("button", name="Keyboard").press("Enter")
        page.get_by_label("Single letters").press("Space")
        press("Escape")
        press("n")
        page.wait_for_url("**/reviews/req_*")
        press("d")
        expect(page.get_by_label("Reason", exact=True)).to_be_focused()
        page.keyboard.type("Stolen")
        press("Escape")
        press("d")
        _read(page, "Declined.")
