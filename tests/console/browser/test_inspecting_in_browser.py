"""One decision and one entity in a real browser: by keyboard, in both themes, on a phone."""

import pytest

from gatehouse.access.roles import UserRole
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.store.tables import REVIEWS
from tests.admin.recorded import OTHER_CARD, Recorder
from tests.console.browser.site import Site, needs_chromium

HOSTILE = "<script>alert(document.domain)</script><img src=x onerror=alert(1)>"
PHONE = {"viewport": {"width": 390, "height": 800}}


@pytest.fixture(scope="module")
def decision(site: Site) -> str:
    """An order of a known user that waits for a review, with everything on it that is shown."""
    with site.home.session() as session:
        shop = Recorder(session, site.account_id)
        for amount in (20.0, 30.0, 40.0):
            shop.keep(amount=amount)
        shop.keep("u-2002", card=OTHER_CARD)
        request_id = shop.keep(
            amount=250.0,
            reference=HOSTILE,
            device=HOSTILE[:60],
            rule_set="starter",
            decision=Outcome.REVIEW,
            matched=["machine", "sentry-low"],
            reasons={"SESSION_TOO_YOUNG": -2.0, "ORDER_PLAUSIBLE": 0.1},
            measured={"SESSION_TOO_YOUNG": 3.0, "ORDER_PLAUSIBLE": 1.0},
        )
        row = {"account_id": site.account_id, "request_id": request_id, "at_ms": 1, "state": "OPEN"}
        with session.database.writing() as connection:
            connection.execute(REVIEWS.insert(), row)
    return request_id


@needs_chromium
def test_a_decision_is_inspected_labelled_and_revealed_by_keyboard(
    site: Site, decision: str
) -> None:
    with site.visit(site.token(UserRole.MANAGER)) as visitor:
        page = visitor.open(f"/a/{site.account_id}/decisions/{decision}")
        visitor.fits()
        assert page.get_by_text("u-4711").count() == 0
        page.get_by_role("button", name="Reveal personal data").focus()
        page.keyboard.press("Enter")
        page.get_by_text("Personal data is shown").wait_for()
        assert page.locator(".entity-list").get_by_text("u-4711").is_visible()
        page.get_by_text("Raw record").focus()
        page.keyboard.press("Enter")
        visitor.check()
        page.get_by_role("link", name="Hide it").press("Enter")
        page.get_by_role("combobox", name="What it turned out to be").focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.get_by_text("The label was saved.").wait_for()
        page.get_by_role("textbox", name="Reason").first.fill("The customer called.")
        page.get_by_role("button", name="Accept").press("Enter")
        page.get_by_text("The order was accepted.").wait_for()


@needs_chromium
def test_an_entity_is_found_and_its_neighbours_are_read(site: Site, decision: str) -> None:
    with site.visit(site.token(UserRole.ANALYST), **PHONE) as visitor:
        page = visitor.open(f"/a/{site.account_id}/entities")
        page.get_by_label("What it is known by").fill("u-4711")
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="Everything that happened").wait_for()
        visitor.fits()
        page.get_by_text("Show as a table").press("Enter")
        assert page.get_by_role("table").first.get_by_text("u…02").first.is_visible()
        visitor.check()
        visitor.open(f"/a/{site.account_id}/decisions/{decision}")
        visitor.fits()


@needs_chromium
def test_decisions_are_filtered_by_an_amount_and_offered_in_parts(
    site: Site, decision: str
) -> None:
    with site.visit(site.token(UserRole.ANALYST)) as visitor:
        page = visitor.open(f"/a/{site.account_id}/decisions")
        page.get_by_text("More filters").click()
        page.get_by_label("Amount from").fill("0.50")
        page.keyboard.press("Enter")
        page.wait_for_url("**/decisions?currency=USD&least=0.5")
        assert page.get_by_label("Amount from").input_value() == "0.50"
        visitor.fits()
        # A past of more than one file would take minutes to make; this asks for its second part.
        page.evaluate(
            """() => document.querySelector("form[action$='/decisions/export']").append(
                Object.assign(document.createElement("input"),
                    {type: "hidden", name: "part", value: "2"}))"""
        )
        page.get_by_role("button", name="CSV").click()
        page.get_by_role("heading", name="Part 2").wait_for()
        visitor.fits()
        visitor.check()
        with page.expect_download() as taken:
            page.get_by_role("button", name="Download as CSV").click()
        assert taken.value.suggested_filename == f"decisions-{site.account_id}-part-2.csv"
