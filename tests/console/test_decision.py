"""The page of one decision: why, against what is normal, masked, and what a role may do there."""

import re
from typing import Any

import httpx
import msgspec
import pytest

from gatehouse.access.roles import UserRole
from gatehouse.admin.configurations.use_cases.configurations import NewVersion
from gatehouse.admin.entities.types import EntityType
from gatehouse.admin.entities.use_cases.standing import LIST_KINDS
from gatehouse.admin.feedback.use_cases.record import feedback_of, label_that_counts
from gatehouse.admin.lists.types import NewList
from gatehouse.admin.lists.use_cases import lists
from gatehouse.admin.lists.use_cases.lists import EntryPage
from gatehouse.admin.reviews.use_cases.reviews import get_review
from gatehouse.admin.rule_sets.use_cases import rule_sets
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.wording.labels import Label
from gatehouse.decisions.record import decode
from gatehouse.rules.list_entries import ListKind
from gatehouse.store.admin import audit
from gatehouse.store.tables import REVIEWS
from tests.admin.recorded import OTHER_CARD, Recorder
from tests.console.harness import Console
from tests.console.wrong_numbers import WRONG_NUMBERS
from tests.decisions.samples import SAMPLES

RULES = b"""
rule_set: shop
rules:
  - name: large
    description: Orders above 100.
    condition: order.amount > 100
    outcome: REVIEW
"""
HOSTILE = (
    "<script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "{{ 7 * 7 }}",
    "W" * 120,
    "\u202eevil\u202c \u05d0\u05d1\u05d2",
)
ANALYST, MANAGER, VIEWER = UserRole.ANALYST, UserRole.MANAGER, UserRole.VIEWER


@pytest.fixture(scope="module")
def shop(console: Console) -> Recorder:
    """The decisions of the console's account."""
    rule_sets.apply(console.session, console.account_id, NewVersion(RULES))
    recorder = Recorder(console.session, console.account_id)
    for amount in (20.0, 30.0):
        recorder.keep(amount=amount, reasons={"SESSION_TOO_YOUNG": -0.5})
    return recorder


@pytest.fixture(scope="module", autouse=True)
def large(console: Console, shop: Recorder) -> str:
    """An order that a rule sent to review; it is there before any test keeps another one."""
    return to_review(console, shop)


def to_review(console: Console, shop: Recorder) -> str:
    request_id = shop.keep(
        amount=250.0,
        card=OTHER_CARD,
        decision=Outcome.REVIEW,
        matched=["large"],
        pipeline=None,
        reasons={"SESSION_TOO_YOUNG": -2.0, "ORDER_PLAUSIBLE": 0.1},
        measured={"SESSION_TOO_YOUNG": 3.0, "ORDER_PLAUSIBLE": 1.0},
    )
    row = {"account_id": console.account_id, "request_id": request_id, "at_ms": 1, "state": "OPEN"}
    with console.session.database.writing() as connection:
        connection.execute(REVIEWS.insert(), row)
    return request_id


def path(console: Console, request_id: str, more: str = "") -> str:
    return f"/a/{console.account_id}/decisions/{request_id}{more}"


def show(console: Console, request_id: str, role: UserRole = ANALYST, **known: str) -> str:
    answer = console.as_role(role, **known).get(path(console, request_id))
    assert answer.status_code == 200
    return answer.text


def last_line(console: Console) -> audit.AuditLine:
    """The newest line of the audit log."""
    with console.session.reading() as connection:
        return audit.read(connection, None, 1000)[-1]


def test_the_page_says_why_in_a_sentence(console: Console, large: str) -> None:
    shown = show(console, large)
    assert "Sent to review because the rule large matched." in shown
    assert "Orders above 100." in shown
    assert "order.amount &gt; 100" in shown
    assert "$250.00" in shown
    assert "Rules <code>RULES</code>" in shown
    german = show(console, large, locale="de")
    assert "Regeln <code>RULES</code>" in german
    assert "Zur Prüfung, weil die Regel large zutraf." in german
    assert "250,00" in german


def test_the_page_says_what_would_have_changed_it(console: Console, shop: Recorder) -> None:
    rules: dict[str, Any] = {"matched": ["large"], "pipeline": None, "only": ("Rules",)}
    request_id = shop.keep(amount=250.0, decision=Outcome.REVIEW, **rules)
    changed = "It would have been ACCEPT if order.amount had been at most 100 (it was 250)."
    assert changed in show(console, request_id)


def test_an_imported_order_is_not_said_to_have_met_rules(console: Console, shop: Recorder) -> None:
    kept = shop.record(request_id := shop.keep()[:-4] + "past", "u-1", only=(), pipeline=None)
    shop.insert(msgspec.structs.replace(kept, operation="import", decision=None))
    shown = show(console, request_id)
    assert "nothing was decided or charged" in shown
    assert "No rule matched" not in shown
    assert "What would have changed it" not in shown


def test_scores_of_single_outcomes_are_shown_where_there_are_any(
    console: Console, shop: Recorder, large: str
) -> None:
    scores = {"outcomeScores": {"cardTesting": 0.4321, "fraudDispute": 0.01, "from-later": 1}}
    shown = show(console, shop.keep(scored=scores))
    assert "<dt>Card testing</dt><dd>43.21%</dd>" in shown
    assert "<dt>Fraud dispute</dt><dd>1.00%</dd>" in shown
    assert "from-later</dt>" not in shown
    assert "outcome-scores" not in show(console, large)


def test_reasons_are_bars_with_a_line_where_they_usually_end(console: Console, large: str) -> None:
    shown = show(console, large)
    assert "what is normal for this user, from 2 earlier decisions" in shown
    assert '<rect class="against" x="6.0"' in shown
    assert '<line class="usual" x1="76.5"' in shown
    assert "usually $20.00, from $20.00 to $30.00" in shown
    assert "Never before" in shown


def test_personal_data_is_masked_until_somebody_reveals_it(console: Console, large: str) -> None:
    before = last_line(console)
    masked = show(console, large)
    for personal in ("u-4711", "203.0.113.7", "dev-1"):
        assert personal not in masked
    assert last_line(console) == before
    answer = console.as_role(ANALYST).post(path(console, large, "/reveal"))
    assert answer.status_code == 200
    for personal in ("u-4711", "203.0.113.7", "dev-1"):
        assert personal in answer.text
    line = last_line(console)
    assert line.actor.startswith("user:person")
    assert large in str(line.details)
    assert "u-4711" not in str(line.details)


def test_who_may_not_is_neither_shown_a_form_nor_heard(console: Console, large: str) -> None:
    viewer, analyst = show(console, large, VIEWER), show(console, large, ANALYST)
    for action in ("reveal", "label", "review", "list"):
        where = path(console, large, f"/{action}")
        assert f'action="{where}"' not in viewer
        assert console.as_role(VIEWER).post(where, {"label": "FRAUD"}).status_code == 403
        stranger = console.as_role(MANAGER, console.other_id)
        assert stranger.post(where, {"label": "FRAUD"}).status_code == 404
    for page in (analyst, show(console, large, MANAGER)):
        assert f'action="{path(console, large, "/list")}"' in page


def test_a_decision_of_another_account_does_not_exist(console: Console, large: str) -> None:
    theirs = f"/a/{console.other_id}/decisions/{large}"
    answer = console.as_role(UserRole.OPERATOR).get(theirs)
    assert answer.status_code == 404
    assert console.as_role(UserRole.OPERATOR).post(f"{theirs}/reveal").status_code == 404


def test_a_decision_is_labelled_from_here(console: Console, shop: Recorder) -> None:
    request_id = shop.keep()
    where = path(console, request_id, "/label")
    assert follow(console, where, label="CHARGEBACK").status_code == 200
    said = feedback_of(console.session, console.account_id, request_id)
    assert label_that_counts(said) is Label.CHARGEBACK
    assert said[0].actor.startswith("user:person")
    refused = console.as_role(ANALYST).post(where, {"label": "PERHAPS"})
    assert refused.status_code == 422
    assert refused.text.count('role="alert"') == 1


def test_a_review_is_resolved_from_here(console: Console, shop: Recorder) -> None:
    request_id = to_review(console, shop)
    where = path(console, request_id, "/review")
    empty = console.as_role(ANALYST).post(where, {"verdict": "approve", "why": " "})
    assert empty.status_code == 422
    assert "Say why" in empty.text
    assert follow(console, where, verdict="decline", why=HOSTILE[0]).status_code == 200
    assert get_review(console.session, console.account_id, request_id).review.state == "DECLINED"
    shown = show(console, request_id)
    assert HOSTILE[0] not in shown
    assert "&lt;script&gt;" in shown
    again = console.as_role(ANALYST).post(where, {"verdict": "approve", "why": "x"})
    assert again.status_code == 409


def test_an_entity_is_put_on_a_list_from_here(console: Console, large: str) -> None:
    page = show(console, large, MANAGER)
    [entry] = re.findall(r'<option value="(user/[^"]+/blocked-users)"', page)
    where, browser = path(console, large, "/list"), console.as_role(MANAGER)
    form = {"entry": entry, "reason": "stolen", "days": "30"}
    other_kind = entry.replace("blocked-users", "blocked-networks")
    for days in ("0", "3651", *WRONG_NUMBERS):
        assert browser.post(where, form | {"days": days}).status_code == 422
    assert browser.post(where, form | {"entry": ""}).status_code == 422
    assert browser.post(where, form | {"entry": other_kind}).status_code == 422
    assert browser.post(where, form | {"entry": "user/AAAA/blocked-users"}).status_code == 404
    assert browser.post(where, form).status_code == 303
    page_wanted = EntryPage(console.session.clock())
    [listed] = lists.entries(console.session, console.account_id, "blocked-users", page_wanted)
    assert (listed.value, listed.reason) == ("u-4711", "stolen")
    assert listed.expires_at_ms is not None


def test_each_entity_is_offered_only_the_lists_that_can_hold_it(
    console: Console, large: str
) -> None:
    kinds = {
        each.name: each.kind for each in lists.overview(console.session, console.account_id).lists
    }
    page = show(console, large, MANAGER)
    offered = re.findall(r'<option value="([a-z]+)/[^/"]+/([^"]+)"', page)
    assert offered
    assert all(kinds[name] == LIST_KINDS[EntityType(kind)] for kind, name in offered)


def test_where_no_list_can_hold_an_entity_the_page_says_so_and_leads_to_a_new_one(
    console: Console, large: str
) -> None:
    said = "No list holds this yet: Devices."
    new_list = f"/a/{console.account_id}/lists?kind=devices"
    page = show(console, large, MANAGER)
    assert said in page
    assert f'href="{new_list}#name"' in page
    assert said not in show(console, large, ANALYST)
    form = console.as_role(MANAGER).get(new_list).text
    assert '<option value="devices" selected>' in form
    lists.create(console.session, console.account_id, NewList("lost", ListKind.DEVICES))
    page = show(console, large, MANAGER)
    assert said not in page
    assert re.search(r'<option value="device/[^/"]+/lost"', page)


@pytest.mark.parametrize("text", HOSTILE)
def test_what_customers_send_is_only_text(console: Console, shop: Recorder, text: str) -> None:
    request_id = shop.keep(
        text[:100],
        device=text[:90],
        reference=text,
        signals={"custom.note": text, "email.domain": text, "order.affiliate": text},
    )
    browser = console.as_role(ANALYST)
    for answer in (
        browser.get(path(console, request_id)),
        browser.post(path(console, request_id, "/reveal")),
    ):
        assert answer.status_code == 200
        assert "<script>alert" not in answer.text
        assert "<img src=x" not in answer.text
        assert ">49<" not in answer.text


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("idverify_first", "No match"),
        ("precheck_not_completed", "Not completed, not charged"),
        ("pipeline_declined", "Declined because of what Gateway found."),
        ("sentry_first", "confidence that the request is legitimate"),
    ],
)
def test_every_function_has_its_part_of_the_page(console: Console, name: str, said: str) -> None:
    record = decode(SAMPLES[name])
    Recorder(console.session, console.other_id).insert(record)
    browser = console.as_role(MANAGER, console.other_id)
    answer = browser.get(f"/a/{console.other_id}/decisions/{record.request_id}")
    assert answer.status_code == 200
    assert said in answer.text


def follow(console: Console, where: str, **form: str) -> httpx.Response:
    """Send a form and open the page that it leads to."""
    browser = console.as_role(ANALYST)
    answer = browser.post(where, form)
    assert answer.status_code == 303
    return browser.get(answer.headers["location"])
