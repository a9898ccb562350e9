"""What is older than the policy keeps is deleted with all that hangs on it, and nothing else is."""

import asyncio
from collections.abc import Iterator

import pytest
import sqlalchemy as sa

from gatehouse.access.actors import Actor
from gatehouse.admin.feedback.worker.label_follower import LabelFollower
from gatehouse.admin.privacy.use_cases.retention import (
    DailyRetention,
    DeletedRows,
    RetentionHooks,
    RetentionPolicy,
    count_old,
    run_retention,
)
from gatehouse.core.errors import InvalidInput, NotFound
from gatehouse.sentry.memory.memory import MemoryEvent
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.tables import DECISIONS, FEEDBACK, IDEMPOTENCY, REVIEWS, SEARCH_ENTRIES
from tests.admin.shop import DAY_MS, Shop
from tests.harness import Home


@pytest.fixture
def shop(session: AdminSession) -> Shop:
    return Shop(session)


def test_old_decisions_go_with_all_that_hangs_on_them(shop: Shop) -> None:
    old, new = shop.decide(40), shop.decide(20)
    for each in (old, new):
        shop.review(each, "APPROVED")
        shop.label(each, 10)
        shop.answer(each, DAY_MS)
    assert count_old(shop.session, RetentionPolicy(decisions=30)).decisions == 1
    deleted = shop.run(decisions=30)
    assert (deleted.decisions, deleted.feedback, deleted.reviews) == (1, 1, 1)
    for table in (DECISIONS, SEARCH_ENTRIES, FEEDBACK, REVIEWS):
        assert shop.ids(table) == {new}, table.name
    assert shop.run(decisions=30).total == 0


def test_an_answer_goes_with_its_decision_also_before_its_time(shop: Shop) -> None:
    old, new = shop.decide(9), shop.decide(1)
    for each in (old, new):
        shop.answer(each, DAY_MS)
    assert shop.run(decisions=7).answers == 1
    with shop.session.reading() as connection:
        answered = IDEMPOTENCY.c.answer.is_not(None)
        query = sa.select(IDEMPOTENCY.c.request_id).where(answered)
        assert list(connection.scalars(query)) == [new]


def test_what_is_not_over_stays(shop: Shop) -> None:
    reviewed, doubtful, reversed_, old = (shop.decide(90) for _ in range(4))
    shop.review(reviewed, "OPEN")
    shop.label(reviewed, 80)
    shop.doubt(doubtful, "FAILED")
    shop.doubt(reversed_, "REVERSED")
    shop.label(old, 80)
    assert count_old(shop.session, RetentionPolicy(decisions=30)).decisions == 2
    assert shop.run(decisions=30, reviews=1).decisions == 2
    assert shop.ids(DECISIONS) == {reviewed, doubtful}
    assert shop.ids(REVIEWS) == {reviewed}
    assert reviewed in shop.ids(FEEDBACK)
    # With nothing left to do there is no line in the trail, either.
    before = shop.trail()
    shop.run(decisions=30)
    assert shop.trail() == before


def test_labels_and_reviews_can_go_before_their_decisions(shop: Shop) -> None:
    first, second, third = shop.decide(50), shop.decide(50), shop.decide(50)
    for each, days_ago in ((first, 40), (second, 35), (third, 5)):
        shop.label(each, days_ago)
        shop.review(each, "DECLINED")
    assert shop.run(feedback=30).feedback == 2
    assert shop.ids(FEEDBACK) == {third}
    assert shop.run(reviews=30).reviews == 3
    assert shop.ids(DECISIONS) == {first, second, third}


def test_the_trail_says_what_was_deleted_and_nothing_else(shop: Shop) -> None:
    shop.decide(40)
    shop.run(decisions=30)
    begun, ended = shop.trail()[-2:]
    assert begun.action == "retention.begin"
    assert ended.details["deleted"]["decisions"] == 1
    assert begun.details["runId"] == ended.details["runId"]


def test_a_run_that_is_stopped_is_continued_by_the_next(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gatehouse.admin.privacy.use_cases.retention.DECISIONS_AT_ONCE", 2)
    for _ in range(7):
        shop.decide(40)
    batches: Iterator[bool] = iter([False, False, True])
    hooks = RetentionHooks(stopped=lambda: next(batches, True), rests=False)
    policy = RetentionPolicy(decisions=30)
    assert run_retention(shop.session, policy, hooks).decisions == 4
    assert shop.run(decisions=30).decisions == 3


def test_a_server_runs_once_a_day_whichever_of_them_it_is(shop: Shop) -> None:
    shop.decide(40)
    policy = RetentionPolicy(decisions=30)
    ran = DailyRetention(shop.session, policy).look()
    assert ran is not None
    assert ran.decisions == 1
    assert DailyRetention(shop.session, policy).look() is None
    assert shop.trail()[-1].actor == "retention"


def test_a_server_that_stops_leaves_the_rest_to_the_next(shop: Shop) -> None:
    shop.decide(40)
    policy = RetentionPolicy(decisions=30)
    stopping = DailyRetention(shop.session, policy)
    stopping._stopped.set()
    assert stopping.look() == DeletedRows()
    ran = DailyRetention(shop.session, policy).look()
    assert ran is not None
    assert ran.decisions == 1


def test_followers_hear_of_labels_after_others_are_gone(shop: Shop) -> None:
    """The newest row stays, although its decision is gone, until there is a newer one."""
    old, new = shop.decide(40), shop.decide(1, user="u-2")
    noted: list[str] = []

    def note(event: MemoryEvent, *, fraud: bool | None, previous: bool | None = None) -> None:
        noted.append(event.entities[0][1])

    follower = LabelFollower(shop.session.database, note, lambda: False)
    shop.label(old, 3)
    asyncio.run(follower.catch_up())
    shop.run(decisions=30)
    late = LabelFollower(shop.session.database, note, lambda: False)
    asyncio.run(late.catch_up())
    shop.label(new, 1)
    for each in (follower, late):
        asyncio.run(each.catch_up())
    assert noted == ["u-1", "u-2", "u-2"]
    assert shop.ids(FEEDBACK) == {old, new}
    shop.decide(40)
    shop.run(decisions=30)
    assert shop.ids(FEEDBACK) == {new}


def test_the_ledger_is_right_without_records_that_expired(sqlite_home: Home) -> None:
    account_id = sqlite_home.account()
    with sqlite_home.server() as server, server.client(sqlite_home.key(account_id)) as client:
        client.post("/api/v1/sentry", json={"account": {"userId": "u-1"}})
    with sqlite_home.session() as session:
        later = session.acting_as(session.actor)
        later.clock = lambda: session.clock() + 2 * DAY_MS
        assert run_retention(later, RetentionPolicy(decisions=1)).decisions == 1
    verified = sqlite_home.ok("ledger", "verify", "--json").json
    assert (verified["problems"], verified["recordsExpired"]) == ([], 1)


def test_a_key_of_an_account_may_not_run_it(shop: Shop) -> None:
    session = shop.session.acting_as(Actor.key("key_1", shop.account_id))
    with pytest.raises(NotFound, match="only for operators"):
        run_retention(session, RetentionPolicy(decisions=1))


def test_a_policy_needs_days_that_make_sense() -> None:
    with pytest.raises(InvalidInput, match="1 to 36500 days"):
        RetentionPolicy(decisions=0)
