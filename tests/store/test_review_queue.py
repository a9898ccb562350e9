"""The queue of reviews on both databases: its order, its sums, a day's plan, and undo."""

from typing import Any
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa

from gatehouse.access.actors import Actor
from gatehouse.access.visitors import Visitor
from gatehouse.admin.decisions.use_cases.decisions import get_decision
from gatehouse.admin.reviews.use_cases import review_undo
from gatehouse.admin.reviews.use_cases.review_claims import claim_next
from gatehouse.admin.reviews.use_cases.review_undo import NotUndone, reopen_review
from gatehouse.admin.reviews.use_cases.reviews import (
    EventKind,
    ReviewFinding,
    ReviewSearch,
    ReviewState,
    correct_review,
    get_review,
    list_reviews,
    resolve_review,
)
from gatehouse.admin.workload.use_cases.queue import count_queue, plan_day
from gatehouse.core.errors import Conflict, NotFound
from gatehouse.core.wording.labels import Label
from gatehouse.decisions.money_at_risk import MoneyAtRisk, money_at_risk
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.feedback import feedback
from gatehouse.store.tables import EVENTS, REVIEWS
from tests.harness import make_account
from tests.store.reviewing import keep_payment, open_review

APPROVE, DECLINE = ReviewFinding(True, "known"), ReviewFinding(False, "stolen")
DAY_MS = 86_400_000
ADA = Visitor(user_id="ada", login="ada", name="Ada", session_id="s", csrf_token="c", roles={})


def _labels(session: AdminSession, account: str, request: str) -> list[Label]:
    with session.reading() as connection:
        return [one.label for one in feedback.history(connection, account, request)][::-1]


def test_what_puts_most_at_risk_comes_first_and_of_equal_ones_the_oldest(
    session: AdminSession, account: str
) -> None:
    worth = {5: "", 9: "", 1: "", 90: ""}
    for each_one in worth:
        worth[each_one] = open_review(session, account, at_risk=each_one)
    second_nine = open_review(session, account, at_risk=9)
    wanted = [worth[90], worth[9], second_nine, worth[5], worth[1]]
    found, after = [], None
    while True:
        search = ReviewSearch(ReviewState.OPEN, after, 2, oldest_first=True, by_risk=True)
        page = [one.review.request_id for one in list_reviews(session, account, search)]
        found += page
        if len(page) < 2:
            break
        after = page[-1]
    assert found == wanted
    assert claim_next(session, account, ADA, by_risk=True) == worth[90]
    assert claim_next(session, account, ADA, worth[90], by_risk=True) == worth[9]
    counts = count_queue(session, account)
    assert (counts.open, counts.of(None), counts.at_risk) == (5, 5, {"USD": 114})


AT_RISK: list[tuple[dict[str, Any], MoneyAtRisk]] = [
    ({"order.amount": 950.0, "order.currency": "USD"}, MoneyAtRisk(570_000_000, "USD")),
    ({"order.amount": 1e30, "order.currency": "USD"}, MoneyAtRisk((2**63 - 1) * 6 // 10, "USD")),
    ({"order.amount": 12.5}, MoneyAtRisk()),
    ({"user.id": "u-1"}, MoneyAtRisk()),
]


def test_money_at_risk_is_the_amount_times_the_probability_of_fraud(
    session: AdminSession, account: str
) -> None:
    for signals, told in AT_RISK:
        request = open_review(session, account, signals=signals)
        assert money_at_risk(get_decision(session, account, request)) == told


def test_the_plan_of_a_day_is_the_median_of_the_days_before(
    session: AdminSession, account: str
) -> None:
    now_ms, zone = session.clock(), ZoneInfo("UTC")
    assert plan_day(session, account, ADA, zone).usual is None
    for day, resolved in enumerate((1, 4, 2, 3)):
        at_ms = now_ms - day * DAY_MS
        for _ in range(resolved):
            done = open_review(session, account, at_ms)
            with session.database.writing() as connection:
                resolved_now = {"state": "APPROVED", "actor": "test", "resolved_at_ms": at_ms}
                connection.execute(
                    REVIEWS.update().where(REVIEWS.c.request_id == done).values(resolved_now)
                )
    for at_risk in (10, 30, 20):
        open_review(session, account, at_risk=at_risk)
    plan = plan_day(session, account, ADA, zone)
    assert (plan.usual, plan.done, plan.left, plan.at_risk) == (3, 1, 2, {"USD": 50})


def test_undo_leaves_a_review_as_if_nobody_had_resolved_it(
    session: AdminSession, account: str
) -> None:
    request = open_review(session, account)
    resolve_review(session, account, request, DECLINE)
    again = reopen_review(session, account, request)
    state = again.review
    assert (state.state, state.actor, state.reason) == (ReviewState.OPEN, None, None)
    assert [one.kind for one in again.events][1:] == [EventKind.RESOLVED, EventKind.REOPENED]
    assert _labels(session, account, request) == [Label.FRAUD, Label.WITHDRAWN]
    with session.reading() as connection:
        told = list(connection.scalars(sa.select(EVENTS.c.type).where(EVENTS.c.about == request)))
    assert told[-2:] == ["review.resolved", "review.reopened"]
    with pytest.raises(Conflict, match="nothing to undo"):
        reopen_review(session, account, request)
    assert resolve_review(session, account, request, APPROVE).review.state == "APPROVED"


def test_undo_is_refused_where_it_would_not_be_true(
    session: AdminSession, account: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    paid, others, corrected, late = (open_review(session, account) for _ in range(4))
    keep_payment(session, account, paid)
    for request in (paid, others, corrected, late):
        resolve_review(session, account, request, APPROVE)
    correct_review(session, account, corrected, DECLINE)
    bob = session.acting_as(Actor.operator("bob"))
    with pytest.raises(NotUndone, match="what becomes of money cannot be undone"):
        reopen_review(session, account, paid)
    with pytest.raises(NotUndone, match="not yours"):
        reopen_review(bob, account, others)
    with pytest.raises(NotUndone, match="is a correction"):
        reopen_review(session, account, corrected)
    with pytest.raises(NotFound):
        reopen_review(session, make_account(session), others)
    monkeypatch.setattr(review_undo, "UNDO_MS", -1)
    with pytest.raises(NotUndone, match="more than"):
        reopen_review(session, account, late)
    assert get_review(session, account, paid).review.state == "APPROVED"
