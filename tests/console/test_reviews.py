"""The queue of reviews: one after the other, each with one person."""

import re
from collections.abc import Iterator

import httpx
import pytest

from gatehouse.access.roles import UserRole
from gatehouse.admin.people.use_cases import users
from gatehouse.admin.reviews.use_cases import review_claims
from gatehouse.admin.reviews.use_cases.reviews import ReviewState, get_review
from gatehouse.store.tables import REVIEWS
from tests.admin.recorded import Recorder
from tests.console.harness import Browser, Console
from tests.console.test_decision import HOSTILE, to_review

ANALYST = UserRole.ANALYST


@pytest.fixture(scope="module")
def shop(console: Console) -> Recorder:
    return Recorder(console.session, console.account_id)


@pytest.fixture
def waiting(console: Console, shop: Recorder) -> Iterator[list[str]]:
    """Three reviews that wait, the oldest first."""
    yield [to_review(console, shop) for _ in range(3)]
    with console.session.database.writing() as connection:
        connection.execute(REVIEWS.delete())


@pytest.fixture
def ada(console: Console) -> Browser:
    return console.as_role(ANALYST, login="ada@shop.test")


def _path(console: Console, *rest: str) -> str:
    return "/".join((f"/a/{console.account_id}/reviews", *rest))


def _state(console: Console, request_id: str) -> ReviewState:
    return get_review(console.session, console.account_id, request_id).review.state


def test_an_analyst_works_through_the_queue(
    console: Console, ada: Browser, waiting: list[str]
) -> None:
    queue = ada.get(_path(console)).text
    assert waiting[0] in queue
    assert "u-4711" not in queue
    begun = ada.post(_path(console, "next"))
    assert begun.headers["location"] == _path(console, waiting[0])
    sent = {"verdict": "approve", "offered": "known_customer", "why": "buys every week"}
    done = ada.post(_path(console, waiting[0], "resolve"), sent)
    assert done.headers["location"] == _path(console, waiting[1]) + f"?undo={waiting[0]}"
    kept = get_review(console.session, console.account_id, waiting[0]).review
    assert (kept.state, kept.reason) == ("APPROVED", "Known customer: buys every week")
    ada.post(_path(console, waiting[1], "resolve"), {"verdict": "decline", "why": "a stolen card"})
    assert _state(console, waiting[1]) is ReviewState.DECLINED


def test_two_analysts_never_get_the_same_review(
    console: Console, ada: Browser, waiting: list[str]
) -> None:
    ben = console.as_role(ANALYST, login="ben@shop.test", name="Ben")
    ada.post(_path(console, "next"))
    assert ben.post(_path(console, "next")).headers["location"] == _path(console, waiting[1])
    late = ben.post(_path(console, waiting[0], "resolve"), {"verdict": "approve", "why": "me too"})
    assert late.status_code == 409
    assert _state(console, waiting[0]) is ReviewState.OPEN
    assert "Ada Quinn has this review open" in ben.get(_path(console, waiting[0])).text
    ben.post(_path(console, waiting[0], "claim"), {"take_over": "yes"})
    assert ada.post(_path(console, waiting[0], "claim"), fragment=True).status_code == 409


def test_a_review_is_free_again_when_its_page_is_left(
    console: Console, ada: Browser, waiting: list[str]
) -> None:
    ada.post(_path(console, "next"))
    ada.post(_path(console, waiting[0], "leave"), fragment=True)
    ben = console.as_role(ANALYST, login="ben@shop.test")
    assert ben.post(_path(console, "next")).headers["location"] == _path(console, waiting[0])


def test_a_page_that_is_closed_leaves_what_another_page_asked_for_meanwhile(
    console: Console, ada: Browser, waiting: list[str]
) -> None:
    claim, leave = (_path(console, waiting[0], each) for each in ("claim", "leave"))
    for page in ("the decision", "the review"):
        ada.post(claim, {"page": page}, fragment=True)
    ben = console.as_role(ANALYST, login="ben@shop.test")
    ada.post(leave, {"page": "the decision"}, fragment=True)
    assert ben.post(claim, fragment=True).status_code == 409
    ada.post(leave, {"page": "the review"}, fragment=True)
    assert ben.post(claim, fragment=True).status_code == 204


def test_leaving_one_of_two_reviews_gives_only_that_one_back(
    console: Console, ada: Browser, waiting: list[str]
) -> None:
    for one in waiting[:2]:
        assert ada.post(_path(console, one, "claim"), fragment=True).status_code == 204
    leave = _path(console, waiting[1], "leave")
    assert f'data-leave="{leave}"' in ada.get(_path(console, waiting[1])).text
    ben = console.as_role(ANALYST, login="ben@shop.test")
    ben.post(leave, fragment=True)
    assert _next_of(console, ben) == waiting[2]
    ada.post(leave, fragment=True)
    ben.post(_path(console, waiting[2], "leave"), fragment=True)
    assert _next_of(console, ben) == waiting[1]


def _next_of(console: Console, browser: Browser) -> str:
    return browser.post(_path(console, "next")).headers["location"].rpartition("/")[2]


def test_a_review_that_is_passed_over_or_resolved_is_nobody_s(
    console: Console, ada: Browser, waiting: list[str]
) -> None:
    ben = console.as_role(ANALYST, login="ben@shop.test")
    ada.post(_path(console, "next"))
    ada.post(_path(console, "next"), {"after": waiting[0]})
    assert _next_of(console, ben) == waiting[0]
    ada.post(_path(console, waiting[1], "resolve"), {"verdict": "approve", "why": "known"})
    assert "has this review open" not in ben.get(_path(console, waiting[1])).text


def test_nobody_decides_past_a_colleague_on_the_page_of_the_decision(
    console: Console, ada: Browser, waiting: list[str]
) -> None:
    one, said = waiting[0], "Ada Quinn has this review open"
    page, form = f"/a/{console.account_id}/decisions/{one}", {"verdict": "approve", "why": "me"}
    ben = console.as_role(ANALYST, login="ben@shop.test", name="Ben")
    free = ben.get(page).text
    assert f'action="{page}/review"' in free
    assert f'data-leave="{_path(console, one, "leave")}"' in free
    ada.post(_path(console, one, "claim"))
    taken = ben.get(page).text
    assert said in taken
    assert f'action="{page}/review"' not in taken
    assert "data-claim" not in taken
    assert said in console.as_role(UserRole.VIEWER).get(page).text
    for path in (f"{page}/review", _path(console, one, "resolve")):
        late = ben.post(path, form)
        assert late.status_code == 409
        assert re.search(rf'role="alert"[^>]*>\s*<p>{said}', late.text)
    assert _state(console, one) is ReviewState.OPEN
    ben.post(_path(console, one, "claim"), {"take_over": "yes"})
    assert "Ben has this review open" in ada.get(page).text
    assert ben.post(f"{page}/review", form).status_code == 303
    assert _state(console, one) is ReviewState.APPROVED
    assert "has this review open" not in ada.get(page).text


def test_a_claim_ends_by_itself(console: Console, waiting: list[str]) -> None:
    ada = console.as_role(ANALYST).visitor
    ben = console.as_role(ANALYST).visitor
    assert ada is not None
    assert ben is not None
    about = console.session, console.account_id
    assert review_claims.claim_next(*about, ada) == waiting[0]
    begun = console.session.clock
    console.session.clock = lambda: begun() + review_claims.CLAIM_MS
    try:
        assert review_claims.claim_next(*about, ben) == waiting[0]
    finally:
        console.session.clock = begun


def test_a_review_can_be_passed_over(console: Console, ada: Browser, waiting: list[str]) -> None:
    ada.post(_path(console, "next"))
    passed = ada.post(_path(console, "next"), {"after": waiting[0]})
    assert passed.headers["location"] == _path(console, waiting[1])


def test_reviews_are_assigned_noted_and_corrected(
    console: Console, ada: Browser, waiting: list[str]
) -> None:
    one = waiting[0]
    ada.post(_path(console, one, "assign"), {"me": "yes"})
    assert one in ada.get(f"{_path(console)}?view=mine").text
    for login, role in (("cara@shop.test", ANALYST), ("eve@shop.test", UserRole.FINANCE)):
        users.invite(console.session, console.account_id, login, role)
    offered = ada.get(_path(console, one)).text.partition("<datalist")[2]
    assert "cara@" in offered
    assert "eve@" not in offered
    assert one not in ada.get(f"{_path(console)}?view=unassigned").text
    for words in HOSTILE:
        ada.post(_path(console, one, "note"), {"note": words})
    page = ada.get(_path(console, one)).text
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    ada.post(_path(console, one, "resolve"), {"verdict": "decline", "offered": "stolen_card"})
    ada.post(_path(console, one, "correct"), {"verdict": "approve", "why": "the bank was wrong"})
    assert _state(console, one) is ReviewState.APPROVED
    assert "the bank was wrong" in ada.get(_path(console, one)).text
    assert one in ada.get(f"{_path(console)}?view=resolved").text


def test_a_decision_needs_a_reason(console: Console, ada: Browser, waiting: list[str]) -> None:
    answer = ada.post(_path(console, waiting[0], "resolve"), {"verdict": "decline"})
    assert answer.status_code == 422
    assert "why-problem" in answer.text
    assert _state(console, waiting[0]) is ReviewState.OPEN


def test_viewers_look_and_decide_nothing(console: Console, waiting: list[str]) -> None:
    viewer = console.as_role(UserRole.VIEWER)
    page = viewer.get(_path(console, waiting[0])).text
    assert 'name="verdict"' not in page
    sent = {"verdict": "approve", "why": "x"}
    assert viewer.post(_path(console, waiting[0], "resolve"), sent).status_code == 403
    assert viewer.post(_path(console, "next")).status_code == 403
    assert _state(console, waiting[0]) is ReviewState.OPEN


@pytest.mark.parametrize("role", [UserRole.VIEWER, UserRole.FINANCE])
def test_what_reviewers_write_about_a_customer_is_for_reviewers_alone(
    console: Console, ada: Browser, waiting: list[str], role: UserRole
) -> None:
    one, account = waiting[0], f"/a/{console.account_id}"
    ada.post(_path(console, one, "note"), {"note": "called twice"})
    ada.post(_path(console, one, "resolve"), {"verdict": "decline", "why": "ships abroad"})
    ada.post(_path(console, one, "correct"), {"verdict": "approve", "why": "paid cash before"})
    written = ("called twice", "ships abroad", "paid cash before")
    own = ada.get(_path(console, one)).text
    assert all(words in own for words in written)
    reader = console.as_role(role)
    decision = f"{account}/decisions/{one}"
    [entity] = re.findall(r'<a class="entity-link" href="([^"]+/user/[^"]+)"', own)
    for path in (_path(console), f"{_path(console)}?view=resolved", decision, entity):
        answer = reader.get(path)
        assert answer.status_code == 200
        assert not any(words in answer.text for words in written), path
    page = reader.get(_path(console, one)).text
    assert not any(words in page for words in written)
    assert page.count("<strong>Note</strong>") == 1
    assert "shown to people who work on reviews" in page
    assert "shown to people who work on reviews" not in own
    # A file of decisions has the reason that counts, for those who work on reviews, and no notes.
    file = ada.post(f"{account}/decisions/export", {"format": "jsonl"}).text
    assert [words in file for words in written] == [False, False, True]
    file = reader.post(f"{account}/decisions/export", {"format": "jsonl"}).text
    assert not any(words in file for words in written)


def test_an_empty_queue_says_so(console: Console, ada: Browser) -> None:
    assert "No reviews are waiting" in ada.get(_path(console)).text
    assert ada.post(_path(console, "next")).headers["location"] == _path(console)


def test_a_review_is_taken_from_a_colleague_only_when_that_was_asked(
    console: Console, ada: Browser, waiting: list[str]
) -> None:
    ben = console.as_role(ANALYST, login="ben@shop.test")
    assign = _path(console, waiting[0], "assign")
    page = ada.get(_path(console, waiting[0])).text
    assert re.search(r'<button[^>]*name="me"[^>]*data-key="c"', page)
    # A colleague takes it while the page is open; the button of the page then takes nothing away.
    ben.post(assign, {"me": "yes"})
    late = ada.post(assign, {"me": "yes"})
    assert late.status_code == 409
    assert "ben@shop.test has" in late.text
    assert _assignee(console, waiting[0]) == "ben@shop.test"
    # By now the key opens a question, and its answer names the colleague.
    asked = ada.get(_path(console, waiting[0])).text
    assert re.search(r'<summary[^>]*data-key="c"', asked)
    assert "ben@shop.test has this review. Take it over?" in asked
    assert not re.search(r'<button[^>]*data-key="c"', asked)
    ada.post(assign, {"me": "yes", "instead_of": "ben@shop.test"})
    assert _assignee(console, waiting[0]) == "ada@shop.test"
    # What another page still shows takes nothing away either.
    cara = console.as_role(ANALYST, login="cara@shop.test")
    stale = {"me": "yes", "instead_of": "ben@shop.test"}
    assert cara.post(assign, stale).status_code == 409


def _assignee(console: Console, request_id: str) -> str | None:
    return get_review(console.session, console.account_id, request_id).review.assignee


def test_the_keys_of_a_page_are_in_its_help(
    console: Console, ada: Browser, waiting: list[str]
) -> None:
    for path, own in ((_path(console), "j"), (_path(console, waiting[0]), "a")):
        dialog = (
            ada.get(path).text.partition('<dialog class="keyboard"')[2].partition("</dialog>")[0]
        )
        for key in ("?", "Ctrl+Enter", "Esc", own):
            assert f"<kbd>{key}</kbd>" in dialog
    elsewhere = ada.get(f"/a/{console.account_id}/decisions").text
    assert '<dialog class="keyboard"' in elsewhere


def test_the_queue_counts_what_waits_and_its_filters_are_in_its_address(
    console: Console, ada: Browser, waiting: list[str]
) -> None:
    mine, most = waiting[1], waiting[2]
    ada.post(_path(console, mine, "assign"), {"me": "yes"})
    with console.session.database.writing() as connection:
        worth = REVIEWS.update().where(REVIEWS.c.request_id == most)
        connection.execute(worth.values(at_risk=7_000_000_000, currency="USD"))
    page = ada.get(_path(console))
    for tab in ("All open (3)", "Mine (1)", "Unassigned (2)", "Overdue (3)"):
        assert f">{tab}</a>" in page.text
    assert "$7,000.00" in page.text
    assert [waiting.index(each) for each in _listed(page)] == [2, 0, 1]
    assert _listed(ada.get(_path(console) + "?order=age")) == waiting
    assert _listed(ada.get(_path(console) + "?view=mine")) == [mine]
    assert _listed(ada.get(_path(console) + "?currency=EUR")) == []
    assert _listed(ada.get(_path(console) + "?view=x&order=y&after=z")) == []


def test_a_decision_is_undone_on_the_page_after_it(
    console: Console, ada: Browser, waiting: list[str]
) -> None:
    done = ada.post(_path(console, waiting[0], "resolve"), {"verdict": "decline", "why": "stolen"})
    after = ada.get(done.headers["location"])
    assert _path(console, waiting[0], "undo") in after.text
    ben = console.as_role(ANALYST, login="ben@shop.test")
    assert ben.post(_path(console, waiting[0], "undo")).status_code == 409
    back = ada.post(_path(console, waiting[0], "undo"))
    assert back.headers["location"] == _path(console, waiting[0])
    assert _state(console, waiting[0]) is ReviewState.OPEN
    assert "Undone: the review is open again" in ada.get(back.headers["location"]).text


def _listed(page: httpx.Response) -> list[str]:
    return re.findall(r"<small class=\"muted\">(req_\w+)</small>", page.text)
