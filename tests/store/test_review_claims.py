"""Who has a review when two people ask for it at once, on a database where both can write."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import sqlalchemy as sa

from gatehouse.access.visitors import Visitor
from gatehouse.admin.reviews.queries import review_claims
from gatehouse.admin.reviews.queries.review_claims import ReviewClaim
from gatehouse.admin.reviews.use_cases.review_claims import (
    AlreadyClaimed,
    claim_review,
    resolve_claimed,
)
from gatehouse.admin.reviews.use_cases.reviews import (
    AlreadyResolved,
    ReviewFinding,
    ReviewState,
    get_review,
)
from gatehouse.core.errors import Conflict, InvalidInput
from gatehouse.store.admin.admin_session import AdminSession
from tests.harness import PATIENCE_S, Home
from tests.store.reviewing import open_review

NOW: Final = 1_700_000_000_000
SHOP: Final = "acct_shop"
REVIEW: Final = "req_review"


def _of(user: str, until_ms: int = NOW + 90_000) -> ReviewClaim:
    return ReviewClaim(REVIEW, user, user.title(), until_ms)


@pytest.fixture
def shared(tmp_path: Path, new_database: Callable[[], str]) -> Iterator[AdminSession]:
    """Data on PostgreSQL."""
    with Home(tmp_path / "home", new_database()).session() as session:
        yield session


def _claim(session: AdminSession, wanted: ReviewClaim) -> str:
    """Who has the review after somebody asked for it."""
    with session.database.writing() as connection:
        return review_claims.claim(connection, SHOP, wanted, NOW).user_id


def _take_over(session: AdminSession, wanted: ReviewClaim) -> None:
    with session.database.writing() as connection:
        review_claims.take_over(connection, SHOP, wanted)


def _release(session: AdminSession, user: str) -> None:
    with session.database.writing() as connection:
        review_claims.release(connection, SHOP, REVIEW, user, "")


def _holder(session: AdminSession) -> list[str]:
    with session.reading() as connection:
        return [each.user_id for each in review_claims.claims(connection, SHOP)]


def _meanwhile(session: AdminSession, word: str, act: Callable[[], object]) -> None:
    """Let another transaction act once, before the next statement that begins with a word."""
    waiting = [act]

    def before(*about: Any) -> None:
        if waiting and about[2].startswith(word):
            waiting.pop()()

    sa.event.listen(session.database.engine, "before_cursor_execute", before)


def test_one_of_two_people_gets_a_review_whose_claim_has_ended(shared: AdminSession) -> None:
    _take_over(shared, _of("zoe", until_ms=NOW - 1))
    _meanwhile(shared, "DELETE", lambda: _claim(shared, _of("ada")))
    assert _claim(shared, _of("ben")) == "ada"
    assert _holder(shared) == ["ada"]


@pytest.mark.parametrize("keeps", [True, False], ids=["keeping it", "leaving it"])
def test_a_review_that_was_taken_over_is_not_taken_back_by(
    shared: AdminSession, keeps: bool
) -> None:
    _claim(shared, _of("ada"))
    _meanwhile(shared, "DELETE", lambda: _take_over(shared, _of("ben")))
    if keeps:
        assert _claim(shared, _of("ada", until_ms=NOW + 120_000)) == "ben"
    else:
        _release(shared, "ada")
    assert _holder(shared) == ["ben"]


def test_two_people_can_take_a_review_over_at_once(shared: AdminSession) -> None:
    _meanwhile(shared, "INSERT", lambda: _take_over(shared, _of("ada")))
    _take_over(shared, _of("ben"))
    assert _holder(shared) == ["ben"]


APPROVE: Final = ReviewFinding(approve=True, reason="fine")


def _person(user: str) -> Visitor:
    return Visitor(
        user_id=user, login=user, name=user.title(), session_id="s", csrf_token="c", roles={}
    )


def _claims(session: AdminSession, account: str) -> list[tuple[str, str]]:
    with session.reading() as connection:
        found = review_claims.claims(connection, account)
    return [(each.user_id, each.page) for each in found]


def test_a_claimed_review_is_resolved_in_one_transaction(
    session: AdminSession, account: str
) -> None:
    request = open_review(session, account)
    begun: list[str] = []

    def note(_connection: sa.Connection) -> None:
        begun.append("")

    sa.event.listen(session.database.engine, "begin", note)
    claim_review(session, account, request, _person("ada"), page="one")
    assert len(begun) == 1
    resolve_claimed(session, account, request, _person("ada"), APPROVE)
    assert len(begun) == 2
    assert _claims(session, account) == []
    assert get_review(session, account, request).review.state is ReviewState.APPROVED


def test_a_refused_resolution_leaves_review_and_claim_as_they_were(
    session: AdminSession, account: str
) -> None:
    request = open_review(session, account)
    claim_review(session, account, request, _person("ada"), page="one")
    with pytest.raises(AlreadyClaimed):
        resolve_claimed(session, account, request, _person("ben"), APPROVE)
    with pytest.raises(InvalidInput):
        resolve_claimed(session, account, request, _person("ada"), ReviewFinding(True, " "))
    assert _claims(session, account) == [("ada", "one")]
    assert get_review(session, account, request).review.state is ReviewState.OPEN
    resolve_claimed(session, account, request, _person("ada"), APPROVE)
    # What is resolved is told before who has it open.
    claim_review(session, account, request, _person("ada"))
    with pytest.raises(AlreadyResolved):
        resolve_claimed(session, account, request, _person("ben"), APPROVE)


def test_one_of_two_people_resolves_a_review_at_once(session: AdminSession, account: str) -> None:
    request = open_review(session, account)
    together = threading.Barrier(2)
    refused: list[Conflict] = []

    def resolve(user: str) -> None:
        together.wait(PATIENCE_S)
        try:
            resolve_claimed(session, account, request, _person(user), APPROVE)
        except Conflict as error:
            refused.append(error)

    people = [threading.Thread(target=resolve, args=(user,)) for user in ("ada", "ben")]
    for each in people:
        each.start()
    for each in people:
        each.join(PATIENCE_S)
    assert [type(error) for error in refused] == [AlreadyResolved]
    assert _claims(session, account) == []
