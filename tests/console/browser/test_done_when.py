"""Somebody who has never seen Gatehouse follows the printed link, and finds and does everything."""

from typing import Any

import httpx
from playwright.sync_api import Page, expect

from tests.console.browser.reviewing import open_reviews
from tests.console.browser.site import Site, needs_chromium
from tests.harness import until
from tests.harness.samples import PURCHASE

RULE = """
  - name: no-more-of-u-walk
    condition: user.id = 'u-walk'
    outcome: DECLINE
"""


def _order(client: httpx.Client) -> Any:
    """What the API answers to the order of a customer, as `make run` shows how to ask."""
    visit = {**PURCHASE["sentryRequest"], "account": {"userId": "u-walk"}}
    rules = {**PURCHASE["rulesRequest"], "userId": "u-walk"}
    body = {**PURCHASE, "rulesRequest": rules, "sentryRequest": visit}
    answer = client.post("/api/v1/pipeline", json=body).json()
    assert answer["isSuccess"], answer
    return answer


def _decided(client: httpx.Client) -> str:
    return str(_order(client)["pipelineResponse"]["decision"])


def _go_to(page: Page, name: str) -> None:
    """Use the navigation, and wait for the page and for its scripts."""
    page.locator(".sidebar").get_by_role("link", name=name, exact=True).click()
    page.get_by_role("heading", name=name, level=1).wait_for()
    page.wait_for_load_state()


@needs_chromium
def test_a_person_finds_why_an_order_was_declined_reviews_orders_and_changes_a_rule_that_counts(
    site: Site,
) -> None:
    waiting, _ = open_reviews(site, 2)
    with site.visit() as visitor, site.server.client(site.key) as client:
        page = visitor.open(site.demo_link())
        page.get_by_role("button", name="Open the console").click()
        page.wait_for_url(f"**/a/{site.account_id}/")

        _find_why_an_order_was_declined(page)
        _work_through_reviews_by_keyboard(page, waiting)
        assert _decided(client) != "DECLINE"
        _change_a_rule_with_the_preview(page)
        until(lambda: _decided(client) == "DECLINE")
        _see_the_change(page, _order(client)["requestId"])


def _find_why_an_order_was_declined(page: Page) -> None:
    _go_to(page, "Decisions")
    page.get_by_role("group", name="Outcome").get_by_label("Declined").check()
    page.get_by_role("button", name="Filter").click()
    page.wait_for_url("**decision=*")
    page.locator("#rows tbody a").first.click()
    page.wait_for_url("**/decisions/req_*")
    expect(page.locator("h1")).to_contain_text("Decline")
    assert page.locator(".verdict").inner_text()
    assert page.locator(".lead").first.inner_text()


def _work_through_reviews_by_keyboard(page: Page, waiting: str) -> None:
    _go_to(page, "Reviews")
    press = page.keyboard.press
    # Somebody else may have taken those above it.
    for row in page.locator("[data-row]").all():
        press("j")
        link = row.locator("a").first
        expect(link).to_be_focused()
        if waiting in str(link.get_attribute("href")):
            break
    press("Enter")
    for key, said in (("a", "Accepted."), ("d", "Declined.")):
        page.wait_for_url("**/reviews/req_*")
        page.locator("[data-key=a]").wait_for()
        page.wait_for_load_state()
        press(key)
        expect(page.get_by_label("Reason", exact=True)).to_be_focused()
        press("Tab")
        page.keyboard.type("the customer was called")
        press("Enter")
        page.get_by_text(said).wait_for()
        page.wait_for_load_state()


def _change_a_rule_with_the_preview(page: Page) -> None:
    _go_to(page, "Rules")
    # Of several rule sets the first is shown, and another test may have added one before it.
    ours = page.get_by_role("link", name="starter", exact=True)
    if ours.count():
        ours.click()
        page.wait_for_url("**set=starter*")
    page.get_by_role("link", name="Edit", exact=True).click()
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+End")
    page.keyboard.insert_text(RULE)
    page.locator("#draft").get_by_text("no-more-of-u-walk").first.wait_for()
    page.locator("#draft:not([aria-busy])").wait_for()
    page.get_by_label("Comment").fill("he tells everybody that he does not pay")
    page.get_by_role("button", name="Apply").click()
    page.get_by_text("is in force.").wait_for()


def _see_the_change(page: Page, request_id: str) -> None:
    _go_to(page, "Decisions")
    page.locator(f'a[href$="/{request_id}"]').click()
    expect(page.locator("h1")).to_contain_text("Decline")
    page.get_by_text("no-more-of-u-walk").first.wait_for()
