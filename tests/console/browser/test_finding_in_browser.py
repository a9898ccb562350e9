"""The one box and Explore in a real browser: by keyboard, on a phone, down to one decision."""

from playwright.sync_api import expect

from gatehouse.access.roles import UserRole
from tests.console.browser.past import wait_for_figures
from tests.console.browser.site import Site, needs_chromium

PHONE = {"viewport": {"width": 390, "height": 800}}


@needs_chromium
def test_an_analyst_finds_by_keyboard_and_drills_down_to_a_decision(site: Site) -> None:
    with site.visit(site.token(UserRole.ANALYST)) as visitor:
        wait_for_figures(visitor)
        page = visitor.open(f"/a/{site.account_id}/explore?by=decision&also=operation")
        page.keyboard.press("Control+k")
        page.keyboard.type("card.country")
        expect(page.locator("#found button").first).to_contain_text("Explore decisions by")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.wait_for_url("**/explore?by=card.country")
        visitor.check()
        visitor.fits()
        page.reload()  # Without what was unfolded to be looked at.
        page.locator("tbody tr").first.get_by_role("link").nth(1).click()
        page.wait_for_url("**/decisions?**where=**")
        visitor.check()
        page.locator('tbody th a[href*="/decisions/req_"]').first.click()
        page.wait_for_url("**/decisions/req_*")


@needs_chromium
def test_the_box_and_explore_fit_a_phone_and_the_box_closes_with_escape(site: Site) -> None:
    with site.visit(site.token(UserRole.ANALYST), **PHONE) as visitor:
        wait_for_figures(visitor)
        page = visitor.open(f"/a/{site.account_id}/explore?by=card.country&also=ip.country")
        visitor.fits()
        page.locator(".menu > summary").click()
        page.locator(".menu [data-find]").click()
        page.keyboard.type("12.50 EUR")
        expect(page.locator("#found")).to_contain_text("Decisions about")
        visitor.fits()
        visitor.check()
        page.keyboard.press("Escape")
        expect(page.locator("#finder")).not_to_be_visible()
