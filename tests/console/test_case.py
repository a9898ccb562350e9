"""The cards around a decision and a review: order, customer, history, linked people, disputes."""

import re
from html import unescape

import pytest

from gatehouse.access.roles import UserRole
from gatehouse.admin.audit.use_cases import LineSearch, search
from gatehouse.admin.decisions.pages.revealing import MOST_CASES
from gatehouse.core.ids import derived_id
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.wording.labels import Label
from gatehouse.decisions.order_envelope import EnvelopeSealer, OrderEnvelope
from gatehouse.store.decisions.evidence_table import ORDER_EVIDENCE
from gatehouse.store.feedback.statements import FeedbackStatement
from gatehouse.store.tables import REVIEWS
from tests.admin.recorded import OTHER_CARD, Recorder
from tests.console.disputed import keep_dispute
from tests.console.harness import Browser, Console
from tests.store.deciding import label

ANALYST, VIEWER = UserRole.ANALYST, UserRole.VIEWER
RING = derived_id("ring", 1_790_000_000_000, "case")
CART = {"order.items": 3, "shipping.country": "FR", "billing.country": "DE"}
SHIPPING = {"line1": "12 Rue Exemple", "city": "Lyon", "country": "FR"}
KEPT = OrderEnvelope(email="ada@private.test", shipping=SHIPPING, product="Running shoes")
SECRET = ("ada@private.test", "12 Rue Exemple", "Running shoes", "u-case", "dev-case")


@pytest.fixture(scope="module")
def case(console: Console) -> str:
    """An order for review in a ring, with a past, a dispute, and sealed evidence."""
    shop = Recorder(console.session, console.account_id)
    mine = {"device": "dev-case", "email": "#" + "d4" * 10, "address": "198.51.100.4"}
    theirs = {"device": "dev-case", "email": "#" + "e5" * 10, "address": "198.51.100.5"}
    others = {"device": "dev-else", "email": "#" + "f6" * 10, "address": "198.51.100.6"}
    earlier = shop.keep("u-case", amount=11.0, **mine)
    thief = shop.keep("u-thief", ring=RING, card=OTHER_CARD, amount=77.0, **theirs)
    waiting = {"ring": RING, "decision": Outcome.REVIEW, "signals": CART}
    found = shop.keep("u-case", amount=42.0, **mine, **waiting)
    shop.keep("u-of-the-card", amount=13.0, **others)
    shop.keep("u-stranger", card="4000056655665556", amount=99.0)
    for request_id in (earlier, thief):
        label(
            *(console.session, console.account_id, [request_id]),
            FeedbackStatement(Label.CARD_TESTING),
            console.session.clock(),
        )
    keep_dispute(console.session, console.account_id, "dp-case", found)
    wait_for_review(console, found)
    return found


def wait_for_review(console: Console, request_id: str) -> None:
    """Open its review, and keep what evidence needs."""
    place = (console.account_id, request_id)
    version, sealed = EnvelopeSealer(console.session.ring).seal(*place, KEPT)
    row = dict(zip(("account_id", "request_id"), place, strict=True))
    with console.session.database.writing() as connection:
        connection.execute(
            ORDER_EVIDENCE.insert(), {**row, "key_version": version, "sealed": sealed}
        )
        connection.execute(REVIEWS.insert(), {**row, "at_ms": 1, "state": "OPEN"})


def pages(console: Console, request_id: str) -> tuple[str, str]:
    mine = f"/a/{console.account_id}"
    return f"{mine}/decisions/{request_id}", f"{mine}/reviews/{request_id}"


def looks(console: Console, request_id: str) -> int:
    """How often the audit log says that somebody looked."""
    wanted = LineSearch(action="data.reveal", about={"requestId": request_id}, limit=100)
    return len(search(console.session, console.account_id, wanted))


def card(text: str, title: str) -> str:
    """The words of one card."""
    found = re.search(rf"<h2[^>]*>{re.escape(title)}</h2>(.*?)</section>", text, re.DOTALL)
    assert found, title
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", found[1])).split())


def test_both_pages_tell_the_case_and_a_viewer_sees_nobody(console: Console, case: str) -> None:
    for page in pages(console, case):
        shown = console.as_role(VIEWER).get(page).text
        assert all(each not in shown for each in SECRET)
        assert "u-thief" not in shown
        assert f'action="{page}/reveal"' not in shown
        assert card(shown, "Order") == (
            "Amount $42.00 Lines in the cart 3 Delivery FR Billing address DE"
        )
        assert card(shown, "Who") == "Customer u…se E-mail …@example.com"
        history = card(shown, "What this customer did")
        assert "$11.00" in history
        assert history.count("Card testing") == 1
        assert "$13.00 same card, somebody else" in history
        assert "$99.00" not in history
        linked = card(shown, "Linked people")
        assert RING in linked
        assert "100.0% 2 of 2 decisions looked at" in linked
        assert "User u-…rd Same: Card User u-…ef 1 fraud Same: Device" in linked
        dispute = card(shown, "Disputes")
        assert dispute.startswith("dp-case VISA 10.4 Undecided")
        assert "Answer until Dec 1, 2099" in dispute


def test_one_reveal_holds_for_the_session_and_leaves_one_line(console: Console, case: str) -> None:
    decision, review = pages(console, case)
    ann, before = console.as_role(ANALYST), looks(console, case)
    assert all(each not in ann.get(review).text for each in SECRET)
    assert all(each in ann.post(f"{review}/reveal").text for each in SECRET)
    for page in (decision, review):
        assert all(each in ann.get(page).text for each in SECRET)
        ann.post(f"{page}/reveal")
        assert all(each not in ann.get(f"{page}?masked=yes").text for each in SECRET)
    assert looks(console, case) == before + 1
    ben = console.as_role(ANALYST)
    ben.client.cookies.set("gatehouse-revealed", ann.client.cookies["gatehouse-revealed"])
    assert "ada@private.test" not in ben.get(decision).text
    ben.post(f"{decision}/reveal")
    assert looks(console, case) == before + 2


def test_who_may_not_reveal_is_refused_and_another_account_has_no_such_case(
    console: Console, case: str
) -> None:
    before = looks(console, case)
    for page in pages(console, case):
        assert console.as_role(VIEWER).post(f"{page}/reveal").status_code == 403
        theirs = page.replace(console.account_id, console.other_id)
        for method in (Browser.get, Browser.post):
            path = theirs if method is Browser.get else f"{theirs}/reveal"
            assert method(console.as_role(UserRole.OPERATOR), path).status_code == 404
    assert looks(console, case) == before


def test_the_same_people_of_another_account_are_nobody_here(console: Console, case: str) -> None:
    theirs = Recorder(console.session, console.other_id)
    other = theirs.keep("u-case", device="dev-case", ring=RING)
    shown = console.as_role(VIEWER, console.other_id)
    text = shown.get(f"/a/{console.other_id}/decisions/{other}").text
    assert "0 of 1 decision looked at" in card(text, "Linked people")
    for title in ("What this customer did", "Disputes"):
        assert f">{title}</h2>" not in text
    assert case not in text


def test_the_oldest_of_many_cases_is_masked_again(console: Console, case: str) -> None:
    shop, ann = Recorder(console.session, console.account_id), console.as_role(ANALYST)
    first, *rest = [shop.keep(f"u-many-{each}", only=()) for each in range(MOST_CASES + 1)]
    for each in (first, *rest):
        ann.post(pages(console, each)[0] + "/reveal")
    assert "u-many-0" not in ann.get(pages(console, first)[0]).text
    assert "u-many-1" in ann.get(pages(console, rest[0])[0]).text


def test_the_cards_speak_german(console: Console, case: str) -> None:
    shown = console.as_role(VIEWER, locale="de").get(pages(console, case)[1]).text
    assert "gleiche Karte, jemand anderes" in card(shown, "Was dieser Kunde getan hat")
    assert "betrachteten Entscheidungen" in card(shown, "Verbundene Personen")
