"""The queue of reviews: one after the other, each with one person."""

from collections.abc import Iterator

import pytest

from gatehouse.access.roles import UserRole
from gatehouse.admin import review_claims
from gatehouse.admin.people import users
from gatehouse.admin.reviews import ReviewState, get_review
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
    assert done.headers["location"] == _path(console, waiting[1])
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
    ada.post(_path(console, "leave"), fragment=True)
    ben = console.as_role(ANALYST, login="ben@shop.test")
    assert ben.post(_path(console, "next")).headers["location"] == _path(console, waiting[0])


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


def test_an_empty_queue_says_so(console: Console, ada: Browser) -> None:
    assert "Nothing waits" in ada.get(_path(console)).text
    assert ada.post(_path(console, "next")).headers["location"] == _path(console)
