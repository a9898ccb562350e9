"""Decisions that are watched live, in a real browser: new ones disturb nobody at the keyboard."""

from playwright.sync_api import Locator, Page, Response, expect

from gatehouse.access.roles import UserRole
from tests.admin.recorded import Recorder
from tests.console.browser.site import Site, needs_chromium

_MARK = """document.querySelector("#rows table").dataset.marked = "yes" """


def _is_unchanged(answer: Response) -> bool:
    return "shown=" in answer.url and answer.status == 204


def _row(page: Page, request_id: str) -> Locator:
    return page.locator(f'#rows a[href$="/{request_id}"]')


@needs_chromium
def test_new_decisions_are_told_and_wait_until_nobody_is_in_the_table(site: Site) -> None:
    with site.home.session() as session, site.visit(site.token(UserRole.ANALYST)) as visitor:
        shop = Recorder(session, site.account_id, days_ago=0)
        page = visitor.open(f"/a/{site.account_id}/decisions?live=yes")
        visitor.check()
        page = visitor.open(f"/a/{site.account_id}/decisions?live=yes")
        status, table = page.get_by_role("status"), page.locator("#rows table")

        page.evaluate(_MARK)
        page.wait_for_event("response", _is_unchanged)
        expect(table).to_have_attribute("data-marked", "yes")
        expect(status).to_be_empty()

        link = page.locator("#rows tbody a").first
        link.focus()
        first = shop.keep()
        expect(status).to_have_text("One new decision")
        second = shop.keep()
        expect(status).to_have_text("2 new decisions")
        expect(link).to_be_focused()
        expect(table).to_have_attribute("data-marked", "yes")

        page.get_by_role("link", name="Stop watching").focus()
        expect(_row(page, second)).to_be_visible()
        expect(_row(page, first)).to_be_visible()
        expect(status).to_have_text("2 new decisions")
        page.wait_for_event("response", _is_unchanged)

        shop.keep()
        expect(status).to_have_text("One new decision")
