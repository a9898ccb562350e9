"""Many decisions at once in the console: chosen rows, or all that fit, and the undo of it all."""

import re
from collections.abc import Iterator

import pytest

from gatehouse.access.roles import UserRole
from gatehouse.admin.approvals.use_cases import approvals
from gatehouse.admin.reviews.use_cases.reviews import get_review
from gatehouse.store.tables import REVIEWS
from tests.admin.recorded import Recorder
from tests.console.harness import Browser, Console
from tests.console.test_decision import to_review


@pytest.fixture(scope="module")
def shop(console: Console) -> Recorder:
    return Recorder(console.session, console.account_id)


@pytest.fixture
def waiting(console: Console, shop: Recorder) -> Iterator[list[str]]:
    yield [to_review(console, shop) for _ in range(3)]
    with console.session.database.writing() as connection:
        connection.execute(REVIEWS.delete())


@pytest.fixture
def ada(console: Console) -> Browser:
    return console.as_role(UserRole.ANALYST, login="ada@shop.test")


def _states(console: Console, waiting: list[str]) -> list[str]:
    found = (get_review(console.session, console.account_id, each) for each in waiting)
    return [each.review.state for each in found]


def test_chosen_reviews_are_declined_and_brought_back_with_one_button(
    console: Console, ada: Browser, waiting: list[str]
) -> None:
    path = f"/a/{console.account_id}/bulk"
    queue = ada.get(f"/a/{console.account_id}/reviews").text
    assert queue.count('name="id"') == 3
    assert 'value="list/' not in queue
    boss = console.as_role(UserRole.MANAGER, login="boss@shop.test")
    assert 'value="list/' in boss.get(f"/a/{console.account_id}/reviews").text
    chosen = {"id": waiting[:2], "from": "reviews", "do": "decline"}
    assert ada.post(path, chosen).status_code == 422
    done = ada.post(path, {**chosen, "reason": "one attack, card 4242424242424242"})
    assert _states(console, waiting) == ["DECLINED", "DECLINED", "OPEN"]
    told = get_review(console.session, console.account_id, waiting[0]).review.reason or ""
    assert "one attack" in told
    assert "4242424242424242" not in told
    page = ada.get(done.headers["location"]).text
    undo = re.findall(rf"{path}/blk_\w+/undo", page)[0]
    ben = console.as_role(UserRole.ANALYST, login="ben@shop.test")
    assert ben.post(undo).status_code == 409
    ada.post(undo)
    assert _states(console, waiting) == ["OPEN"] * 3


def test_what_could_not_be_undone_is_not_called_undone(
    console: Console, waiting: list[str]
) -> None:
    boss = console.as_role(UserRole.MANAGER, login="boss@shop.test")
    path = f"/a/{console.account_id}/bulk"
    listed = {"id": waiting, "from": "reviews", "do": "list/user/blocked-users"}
    done = boss.post(path, listed).headers["location"]
    assert "Done." in boss.get(done).text
    approvals.set_wanted(console.session, console.account_id, ["lists"])
    boss.post(re.sub(r"\?.*", "/undo", done))
    page = boss.get(done).text
    assert "Nothing was undone." in page
    assert "Can be undone until" not in page


def test_all_that_fit_are_shown_before_anything_happens(
    console: Console, ada: Browser, waiting: list[str]
) -> None:
    path = f"/a/{console.account_id}/bulk"
    everything = {"all": "yes", "from": "reviews", "do": "mine"}
    asked = ada.post(path, everything)
    assert "Change 3 decisions?" in asked.text
    assert get_review(console.session, console.account_id, waiting[0]).review.assignee is None
    ada.post(path, {**everything, "sure": "yes"})
    found = (get_review(console.session, console.account_id, each) for each in waiting)
    assert {each.review.assignee for each in found} == {"ada@shop.test"}
    found_ones = {"all": "yes", "from": "decisions", "query": "decision=REVIEW", "sure": "yes"}
    done = ada.post(path, {**found_ones, "do": "label/FRAUD"})
    assert "Done." in ada.get(done.headers["location"]).text
    assert ada.post(path, {**everything, "do": "list/user/bad"}).status_code == 422
    viewer = console.as_role(UserRole.VIEWER, login="eve@shop.test")
    assert viewer.post(path, everything).status_code == 403
