"""The hour of an analyst and a manager: an attack shows itself and is stopped by two."""

import re
from itertools import count
from typing import Any, Final, NamedTuple

import httpx
import pytest
from playwright.sync_api import Request, expect

from gatehouse.access.roles import UserRole
from gatehouse.admin.accounts.use_cases import accounts
from gatehouse.admin.alerts.types.shown import AlertSearch
from gatehouse.admin.alerts.use_cases import list_alerts
from gatehouse.admin.approvals.use_cases import approvals
from gatehouse.admin.configurations.use_cases.configurations import NewVersion
from gatehouse.admin.keys import use_cases as keys
from gatehouse.admin.keys.types import NewKey
from gatehouse.admin.people.use_cases import users
from gatehouse.admin.reviews.use_cases.reviews import ReviewSearch, ReviewState, list_reviews
from gatehouse.admin.rule_sets.use_cases import rule_sets
from gatehouse.core.cards.brands import passes_luhn
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.store.tables import REVIEWS
from tests.admin.alerts.shop import learn
from tests.admin.recorded import Recorder
from tests.console.browser.site import Site, Visitor, needs_chromium
from tests.harness import until
from tests.harness.samples import PURCHASE

pytestmark = needs_chromium

HOSTILE: Final = "203.0.113.7"
BIN: Final = "42424242"
"""Of the cards that are tried out."""
ATTACK: Final = 300
REVIEWED: Final = 50
RULES: Final = b"""\
rule_set: starter
rules:
  - name: much
    condition: order.amount > 5000
    outcome: REVIEW
"""
"""Rules that say nothing to the attack."""


class Business(NamedTuple):
    """An account of its own, in which rules are under two pairs of eyes."""

    account_id: str
    key: str
    manager: str
    colleague: str


@pytest.fixture
def business(site: Site) -> Business:
    """Four usual weeks, and fifty orders that wait for a person."""
    with site.home.session() as session:
        account_id = accounts.create(session, "Hour", "USD", 10**12).account.account_id
        accounts.seed_defaults(session, account_id)
        rule_sets.apply(session, account_id, NewVersion(RULES))
        approvals.set_wanted(session, account_id, ["rules"])
        key = keys.issue(session, account_id, NewKey("shop")).key
        roles = {"ann": UserRole.MANAGER, "bea": UserRole.ADMINISTRATOR}
        links = [
            users.invite(session, account_id, f"{name}@hour.example", role).link
            for name, role in roles.items()
        ]
        learn(session, account_id)
        shop = Recorder(session, account_id, days_ago=0.1)
        rows = [
            {
                "account_id": account_id,
                "request_id": shop.keep(
                    decision=Outcome.REVIEW, address="198.51.100.9", later_ms=1000
                ),
                "at_ms": shop.at_ms,
                "state": "OPEN",
            }
            for _ in range(REVIEWED)
        ]
        with session.database.writing() as connection:
            connection.execute(REVIEWS.insert(), rows)
    return Business(account_id, key, *(site.follow(link) for link in links))


def _cards() -> list[str]:
    numbers = (f"{BIN}{rest:08d}" for rest in range(10 * (ATTACK + 1)))
    return [each for each in numbers if passes_luhn(each)]


def _order(client: httpx.Client, card: str) -> Any:
    """What the API answers to a small order of the attack, on another card than the one before."""
    visit = PURCHASE["sentryRequest"]
    visit = {
        **visit,
        "device": {**visit["device"], "ipAddress": HOSTILE, "sessionId": f"s-{card}"},
        "event": {**visit["event"], "transactionId": f"t-{card}"},
        "order": {**visit["order"], "amount": 1.0},
        "account": {"userId": f"u-{card}"},
    }
    rules = {"customerIp": HOSTILE, "cardNumber": card, "userId": f"u-{card}"}
    check = {**PURCHASE["preCheckRequest"], "cardNumber": card}
    body = {**PURCHASE, "rulesRequest": rules, "sentryRequest": visit, "preCheckRequest": check}
    answer = client.post("/api/v1/pipeline", json=body).json()
    assert answer["isSuccess"], answer
    return answer


def _alert(site: Site, account_id: str) -> str | None:
    with site.home.session() as session:
        found = list_alerts(session, account_id, AlertSearch()).alerts
    return found[0].id if found else None


def test_an_attack_is_seen_stopped_by_two_and_fifty_orders_are_reviewed(
    site: Site, business: Business
) -> None:
    *cards, last = _cards()[: ATTACK + 1]
    with site.visit(business.manager) as visitor, site.server.client(business.key) as client:
        for card in cards:
            _order(client, card)
        alert = until(lambda: _alert(site, business.account_id))
        home = f"/a/{business.account_id}/"
        page = visitor.open(home)
        visitor.check()
        page.locator(f'main a[href$="/alerts/{alert}"]').first.click()
        page.get_by_role("cell", name="Address").first.wait_for()
        visitor.check()
        _explore_it(visitor)
        visitor.open(f"{home}alerts/{alert}")
        rule = _propose_a_rule(visitor)
        assert rule not in _matched(_order(client, last))
        with site.visit(business.colleague) as other:
            other.open(f"{home}proposals").get_by_role("button", name="Approve").click()
            other.page.get_by_text("The change is approved and in force.").wait_for()
            other.check()
        until(lambda: rule in _matched(_order(client, last)))
        stopped = _order(client, last)
        assert stopped["pipelineResponse"]["decision"] == "DECLINE"
        path = f"{home}rules/starter/rule/{rule}"
        newest = page.locator(f'a[href$="/decisions/{stopped["requestId"]}"]')
        until(lambda: visitor.open(path) and newest.count())
        visitor.check()
        _review_by_keyboard(site, visitor, business.account_id)
        _take_the_report(visitor, business.account_id)


def _matched(answer: Any) -> list[str]:
    """The rules that an order fitted."""
    return [each["id"] for each in answer["pipelineResponse"]["rulesResponse"]["matchedRules"]]


def _explore_it(visitor: Visitor) -> None:
    """From the alert to its orders, and from these to what they have in common."""
    page = visitor.page
    page.get_by_role("link", name="See these decisions").click()
    page.get_by_role("link", name="Explore these").click()
    page.wait_for_url("**/explore?*")
    page.locator("#by").select_option("card.bin")
    page.get_by_role("button", name="Show", exact=True).click()
    page.wait_for_url("**by=card.bin*")
    # The console copies new decisions every other second.
    row = page.get_by_role("row", name=f"{BIN} {ATTACK}")
    until(lambda: visitor.open(page.url) and row.count())
    visitor.check()


def _propose_a_rule(visitor: Visitor) -> str:
    """Build a rule from what the alert says, see what it would do; returns its name."""
    page = visitor.page
    page.get_by_role("button", name="Write a rule in starter").click()
    page.get_by_label("Only watch at first").uncheck()
    visitor.check()
    rule = page.get_by_label("Name", exact=True).input_value()
    page.get_by_role("button", name="See what it would do").click()
    preview = page.locator(".draft.wide")
    expect(preview.locator(".flips")).to_contain_text(f"{ATTACK} requests")
    shown, page_box = preview.bounding_box(), page.locator("main").bounding_box()
    assert shown
    assert page_box
    assert shown["width"] > 0.9 * page_box["width"], "the preview has not the full width"
    visitor.check()
    page.get_by_label("Comment").fill("stop those who try out cards")
    page.get_by_role("button", name="Propose").click()
    page.wait_for_url("**/proposals*")
    page.get_by_text("This is yours: another person has to approve it.").wait_for()
    expect(page.get_by_role("button", name="Approve")).to_have_count(0)
    visitor.check()
    return rule


def _review_by_keyboard(site: Site, visitor: Visitor, account_id: str) -> None:
    """Two keys decide an order, and the next one is there with one page."""
    page, asked, keys_pressed = visitor.page, count(), count()
    visitor.open(f"/a/{account_id}/reviews")

    def note(request: Request) -> None:
        if request.resource_type == "document":
            next(asked)

    page.on("request", note)

    def press(key: str) -> None:
        next(keys_pressed)
        page.keyboard.press(key)

    press("n")
    for _ in range(REVIEWED):
        page.wait_for_url("**/reviews/req_*")
        before = page.url
        page.wait_for_load_state()
        press("3")
        press("d")
        page.wait_for_url(re.compile(f"^(?!{re.escape(before)}$)"))
    assert next(keys_pressed) <= 1 + 2 * REVIEWED
    # The page of each order, and the answer to its form, which leads to the next.
    assert next(asked) <= 2 * (REVIEWED + 1)
    with site.home.session() as session:
        states = list_reviews(session, account_id, ReviewSearch(ReviewState.DECLINED, None, 100))
        left = list_reviews(session, account_id, ReviewSearch(ReviewState.OPEN, None, 100))
    assert (len(states), left) == (REVIEWED, [])


def _take_the_report(visitor: Visitor, account_id: str) -> None:
    """The month that goes on, on one page and as files."""
    page = visitor.page
    visitor.open(f"/a/{account_id}/reports").locator("main th a").first.click()
    page.wait_for_url("**/reports/2*")
    visitor.check()
    for ending, content in (("PDF", b"%PDF-"), ("CSV", b"Declined,")):
        with page.expect_download() as taken:
            page.get_by_role("link", name=ending, exact=True).click()
        assert taken.value.suggested_filename.endswith(f".{ending.lower()}")
        assert content in taken.value.path().read_bytes()
    # Were the link to keep what it leads to whatever that is, nobody would see a refusal.
    page.get_by_role("link", name="PDF", exact=True).evaluate(
        "link => { link.href = link.href.replace(/reports.[0-9-]+/, 'reports/1999-01') }"
    )
    visitor.is_refused = True
    page.get_by_role("link", name="PDF", exact=True).click()
    page.get_by_text("No report on 1999-01 was made").wait_for()
