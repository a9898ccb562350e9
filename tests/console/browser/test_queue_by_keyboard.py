"""The queue of reviews by keyboard: decide, take it back, choose rows and change them alike."""

from gatehouse.access.roles import UserRole
from gatehouse.admin.reviews.use_cases.reviews import get_review
from tests.console.browser.reviewing import open_reviews
from tests.console.browser.site import Site, needs_chromium

pytestmark = needs_chromium


def _state(site: Site, request_id: str) -> str:
    with site.home.session() as session:
        return get_review(session, site.account_id, request_id).review.state


def test_two_keys_decide_one_takes_it_back_and_rows_are_changed_alike(site: Site) -> None:
    first, second = open_reviews(site, 2)
    queue = f"/a/{site.account_id}/reviews"
    with site.visit(site.token(UserRole.ANALYST)) as visitor:
        page = visitor.page
        page.goto(f"{queue}/{first}")
        page.keyboard.press("3")
        page.keyboard.press("d")
        page.wait_for_url("**undo=*")
        assert _state(site, first) == "DECLINED"
        page.keyboard.press("z")
        page.wait_for_url(f"**/{first}")
        assert _state(site, first) == "OPEN"
        page.goto(f"{queue}?view=unassigned&order=age")
        for request_id in (first, second):
            page.locator(f"tr:has-text('{request_id}') a").first.focus()
            page.keyboard.press("x")
        page.locator("#bulk-do").select_option("decline")
        page.locator("#bulk-reason").fill("one attack")
        page.keyboard.press("Escape")
        page.keyboard.press("b")
        page.wait_for_url("**/bulk/blk_*")
        assert {_state(site, each) for each in (first, second)} == {"DECLINED"}
        page.keyboard.press("z")
        page.get_by_text("Undone. What was told").wait_for()
        assert {_state(site, each) for each in (first, second)} == {"OPEN"}
        page.set_viewport_size({"width": 390, "height": 800})
        page.goto(queue)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
