"""Rules in a real browser: edited by keyboard alone, previewed while typing, applied."""

import contextlib
import re
from typing import Final

from playwright.sync_api import Locator, Page, Route, expect

from gatehouse.access.roles import UserRole
from gatehouse.admin.configurations.use_cases.configurations import NewVersion
from gatehouse.admin.rule_sets.use_cases import rule_sets
from tests.console.browser.site import Site, needs_chromium
from tests.harness import until

RULES = b"""\
rule_set: shop
rules:
  - name: much
    condition: order.amount > 30
    outcome: REVIEW
"""
_TRIES: Final = 10
_MOST_STEPS: Final = 60
"""Links and fields between the editor and the field below it."""
_SOON_MS: Final = 2000
_OFFERED_MS: Final = 400
_ASKS_ONLY_WHEN_TOLD: Final = """
const wait = window.setTimeout;
window.setTimeout = (then, ms, ...rest) => wait(then, ms === 350 ? 3_600_000 : ms, ...rest);
"""
"""The pause after which the page asks by itself never ends, however long a test takes."""
IDLE = "#draft:not([aria-busy])"
"""The preview is what the text says."""


def _version(site: Site) -> int:
    with site.home.session() as session:
        return rule_sets.get(session, site.account_id, "shop").version


def _go_to_the_mistake(page: Page) -> None:
    """Follow its link by keyboard; a preview that comes just then puts another in its place."""
    editor = page.locator(".cm-content")
    for _ in range(_TRIES):
        page.locator("#draft [data-go]").first.focus()
        page.keyboard.press("Enter")
        with contextlib.suppress(AssertionError):
            expect(editor).to_be_focused(timeout=_SOON_MS)
            return
    expect(editor).to_be_focused()


def _leave_the_editor(page: Page, field: Locator) -> None:
    """Go on to a field below by Escape and Tab, as the hint at the editor says."""
    page.locator(IDLE).wait_for()
    # Escape first closes the completions, if they are open.
    page.keyboard.press("Escape")
    expect(page.locator(".cm-tooltip-autocomplete")).to_have_count(0)
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(page.locator(".cm-content")).not_to_be_focused()
    for _ in range(_MOST_STEPS):
        if field.evaluate("field => field === document.activeElement"):
            return
        page.keyboard.press("Tab")
    expect(field).to_be_focused()


@needs_chromium
def test_a_rule_is_changed_by_keyboard_with_completion_and_mistakes(site: Site) -> None:
    with site.home.session() as session:
        rule_sets.apply(session, site.account_id, NewVersion(RULES))
    with site.visit(site.token(UserRole.MANAGER)) as visitor:
        page = visitor.open(f"/a/{site.account_id}/rules/shop/edit")
        page.locator(".cm-content").focus()
        page.keyboard.press("Control+End")
        page.keyboard.type("  - name: far")
        # Time in which words would be offered if a name were taken for a part of a condition.
        page.wait_for_timeout(_OFFERED_MS)
        page.keyboard.type("\ncondition: ip.countr")
        page.get_by_role("option", name=re.compile(r"ip\.country")).wait_for()
        page.keyboard.press("Enter")
        page.keyboard.type(" = 1\noutcome: REVIEW\n")
        expect(page.locator(".cm-line", has_text="- name: far")).to_have_text("  - name: far")
        page.locator("#draft [data-line]").first.wait_for()
        page.locator(".cm-lint-marker-error").first.wait_for()
        page.locator(IDLE).wait_for()
        _go_to_the_mistake(page)
        page.keyboard.press("End")
        page.keyboard.press("Backspace")
        page.keyboard.type("'GB")
        expect(page.locator(".cm-line", has_text="ip.country")).to_contain_text("ip.country = 'GB'")
        page.locator("#draft .changes").wait_for()
        _leave_the_editor(page, page.get_by_label("Comment"))
        page.keyboard.type("orders from there")
        page.locator(IDLE).wait_for()
        visitor.check()
        page.locator(".cm-content").focus()
        page.keyboard.press("Control+Enter")
        page.get_by_text("Version 2 is in force.").wait_for()
        visitor.check()
        assert _version(site) == 2
        paths = ("history", "versions/2", "build", "build?rule=much", "rule/far", "findings")
        for path in paths:
            visitor.open(f"/a/{site.account_id}/rules/shop/{path}")
            visitor.check()
        visitor.open(f"/a/{site.account_id}/pipelines/1")
        visitor.check()
        visitor.open(f"/a/{site.account_id}/pipelines/1/edit")
        page.locator("#draft .notice").first.wait_for()
        page.locator(IDLE).wait_for()
        visitor.check()


@needs_chromium
def test_an_answer_about_an_older_text_is_not_taken_for_one_about_the_newer(site: Site) -> None:
    with site.home.session() as session:
        rule_sets.apply(session, site.account_id, NewVersion(RULES.replace(b"shop", b"older")))
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    with site.visit(site.token(UserRole.MANAGER)) as visitor:
        visitor.page.add_init_script(_ASKS_ONLY_WHEN_TOLD)
        page = visitor.open(f"/a/{site.account_id}/rules/older/edit")
        draft, ask = page.locator("#draft"), page.get_by_role("button", name="Check now")
        expect(draft).not_to_have_attribute("aria-busy", "true")
        page.route("**/rules/preview", hold)
        ask.click()
        # Each call of the page lets Playwright pass on what the browser has told meanwhile.
        until(lambda: page.title() and held)
        page.locator(".cm-content").press_sequentially("x")
        held[0].fulfill(content_type="text/html", body="<p data-line=1>about the older text</p>")
        # What was answered before this has been dealt with by then.
        page.evaluate("async () => { await (await fetch('/healthz')).text(); }")
        assert draft.get_attribute("aria-busy") == "true"
        assert "about the older text" not in draft.inner_text()
        page.unroute_all()
        ask.click()
        expect(draft).not_to_have_attribute("aria-busy", "true")
        expect(draft.locator("[data-line]").first).to_be_visible()


@needs_chromium
def test_the_same_works_without_scripts_on_a_phone(site: Site) -> None:
    phone = {"viewport": {"width": 390, "height": 800}}
    with site.home.session() as session:
        rule_sets.apply(session, site.account_id, NewVersion(RULES.replace(b"shop", b"plain")))
    token = site.token(UserRole.ADMINISTRATOR)
    with site.visit(token, java_script_enabled=False, **phone) as visitor:
        page = visitor.open(f"/a/{site.account_id}/rules/plain/build")
        visitor.fits()
        page.get_by_label("Signal").fill("ip.tor")
        page.get_by_label("Comparison").select_option("yes")
        page.get_by_label("Name", exact=True).fill("onion")
        page.get_by_role("button", name="See what it would do").click()
        page.get_by_text("Review if the address is an exit of Tor.").wait_for()
        visitor.fits()
        page.get_by_label("Comment").fill("watch it")
        page.get_by_role("button", name="Apply").click()
        page.get_by_text("Version 2 is in force.").wait_for()
        visitor.fits()
        expect(page.get_by_role("button", name="Shadow")).to_have_attribute("aria-pressed", "true")
        page.get_by_role("button", name="Live").click()
        page.get_by_text("Version 3 is in force.").wait_for()
        expect(page.get_by_role("button", name="Live")).to_have_attribute("aria-pressed", "true")
        page.get_by_text("onion: Live").wait_for()
