"""Who has a review, while pages about it are opened and left in a real browser."""

from collections.abc import Iterator
from typing import Final

import pytest
from playwright.sync_api import Page

from gatehouse.access.roles import UserRole
from gatehouse.admin.reviews.queries import review_claims
from tests.console.browser.reviewing import open_reviews
from tests.console.browser.site import Site, Visitor, needs_chromium
from tests.harness import until

pytestmark = needs_chromium
_NOTE_WHAT_IS_SENT: Final = """() => {
    const send = window.fetch;
    window.fetch = (url, ...rest) => {
        localStorage.setItem("sent", `${localStorage.getItem("sent") ?? ""} ${url}`);
        return send(url, ...rest);
    };
}"""
"""A page that is left tells nobody what it sends; what is stored stays for the next page."""


@pytest.fixture
def waiting(site: Site) -> list[str]:
    """Two reviews that nobody has and no other test opens."""
    return open_reviews(site, 2)


@pytest.fixture
def visitor(site: Site) -> Iterator[Visitor]:
    with site.visit(site.token(UserRole.ANALYST)) as visitor:
        yield visitor


def _held(site: Site) -> set[str]:
    with site.home.session() as session, session.reading() as connection:
        return {each.request_id for each in review_claims.claims(connection, site.account_id)}


def _open(site: Site, page: Page, kind: str, request_id: str) -> None:
    """Open a page, and wait until the review is the person's."""
    with page.expect_response(f"**/reviews/{request_id}/claim"):
        page.goto(f"/a/{site.account_id}/{kind}/{request_id}")


def test_closing_one_of_two_tabs_keeps_the_review_of_the_other(
    site: Site, visitor: Visitor, waiting: list[str]
) -> None:
    other = visitor.page.context.new_page()
    for page, request_id in zip((visitor.page, other), waiting, strict=True):
        _open(site, page, "reviews", request_id)
    assert _held(site) >= set(waiting)
    other.close(run_before_unload=True)
    until(lambda: waiting[1] not in _held(site))
    assert waiting[0] in _held(site)


def test_a_review_stays_with_who_goes_on_to_its_decision(
    site: Site, visitor: Visitor, waiting: list[str]
) -> None:
    page = visitor.page
    _open(site, page, "reviews", waiting[0])
    page.evaluate(_NOTE_WHAT_IS_SENT)
    with page.expect_response(f"**/reviews/{waiting[0]}/claim"):
        page.get_by_role("link", name="Whole decision").click()
    page.wait_for_url("**/decisions/req_*")
    assert page.evaluate("localStorage.getItem('sent')") is None
    assert waiting[0] in _held(site)
    page.evaluate(_NOTE_WHAT_IS_SENT)
    page.get_by_role("link", name="Decisions").first.click()
    page.wait_for_url("**/decisions")
    assert page.evaluate("localStorage.getItem('sent')").endswith(f"{waiting[0]}/leave")
    until(lambda: waiting[0] not in _held(site))


def test_closing_the_decision_keeps_its_review_that_is_open_beside_it(
    site: Site, visitor: Visitor, waiting: list[str]
) -> None:
    review, decision = visitor.page, visitor.page.context.new_page()
    # The review is not kept because its time had come.
    review.add_init_script("window.setInterval = () => 0")
    _open(site, review, "reviews", waiting[0])
    _open(site, decision, "decisions", waiting[0])
    with review.expect_response(f"**/reviews/{waiting[0]}/claim"):
        decision.close(run_before_unload=True)
    until(lambda: waiting[0] in _held(site))
