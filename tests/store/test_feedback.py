"""Feedback on both databases: kept in order, for its own account, and the last word counts."""

import asyncio
import threading

import pytest
import sqlalchemy as sa

from gatehouse.access.actors import Actor
from gatehouse.admin.feedback.worker.live import LiveFeedback
from gatehouse.admin.reviews.use_cases.reviews import ReviewFinding, resolve_review
from gatehouse.core.errors import Conflict, NotFound, StoreUnavailable
from gatehouse.core.wording.labels import Label, LabelSource
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.feedback import feedback, feedback_history, statements
from gatehouse.store.feedback.statements import (
    MOST_REQUESTS,
    MOST_STATEMENTS,
    FeedbackStatement,
    FeedbackSubject,
    LabelOutcome,
    LabelReport,
    TooManyStatements,
)
from gatehouse.store.state import lock_changes
from gatehouse.store.tables import AUDIT, DECISIONS, FEEDBACK
from tests.harness import make_account
from tests.store.deciding import keep_decision, label
from tests.store.reviewing import open_review

MOMENT_MS = 1_790_000_000_000
NOW_MS = MOMENT_MS + 1_000_000
FRAUD = FeedbackStatement(Label.FRAUD)
GOOD = FeedbackStatement(Label.LEGITIMATE)
GONE = FeedbackStatement(Label.WITHDRAWN)
LOST = FeedbackStatement(Label.CHARGEBACK, MOMENT_MS + 5, 59_900_000, "USD")


def decide(
    session: AdminSession,
    account_id: str,
    *,
    at_ms: int = MOMENT_MS,
    transaction: str | None = None,
    reference: str | None = None,
    times: int = 1,
) -> list[str]:
    """Keep decisions as the close of requests leaves them."""
    names = {"transaction_reference": transaction, "client_reference": reference}
    return [keep_decision(session, account_id, at_ms, **names) for _ in range(times)]


def say(
    session: AdminSession,
    account_id: str,
    ids: list[str],
    statement: FeedbackStatement,
    now_ms: int = NOW_MS,
) -> list[LabelOutcome]:
    return label(session, account_id, ids, statement, now_ms)


def found(session: AdminSession, account_id: str, **subject: str) -> list[str]:
    with session.reading() as connection:
        return feedback.find(connection, account_id, FeedbackSubject(**subject))


def told(session: AdminSession, account_id: str, request_id: str) -> list[tuple[str, str | None]]:
    """The labels of the history, newest first, each with the one before it."""
    with session.reading() as connection:
        said = feedback.history(connection, account_id, request_id)
    return [(one.label, one.previous) for one in said]


def test_requests_are_found_by_each_of_their_names_oldest_first(session: AdminSession) -> None:
    merchant, other = make_account(session), make_account(session)
    [late] = decide(session, merchant, at_ms=MOMENT_MS + 9, transaction="t-1", reference="order-1")
    [early] = decide(session, merchant, transaction="t-1", reference="order-2")
    decide(session, other, transaction="t-1", reference="order-1")
    assert found(session, merchant, request_id=early) == [early]
    assert found(session, merchant, transaction="t-1") == [early, late]
    assert found(session, merchant, client_reference="order-1") == [late]


def test_what_names_no_request_of_the_account_is_not_found(session: AdminSession) -> None:
    merchant, other = make_account(session), make_account(session)
    decide(session, merchant, transaction="t-1")
    [theirs] = decide(session, other, transaction="t-2")
    ids = (theirs, "", "req_00000000000000000000000000", "req_\x00", "\udcff", "x" * 100_000)
    for request_id in ids:
        with pytest.raises(NotFound, match="check the id"):
            found(session, merchant, request_id=request_id)
    with pytest.raises(NotFound):
        found(session, merchant, transaction="t-2")
    with pytest.raises(NotFound):
        found(session, merchant, client_reference="x" * 100_000)


def test_a_name_of_too_many_requests_is_refused(session: AdminSession) -> None:
    merchant = make_account(session)
    decide(session, merchant, reference="all", times=MOST_REQUESTS)
    assert len(found(session, merchant, client_reference="all")) == MOST_REQUESTS
    decide(session, merchant, reference="all")
    with pytest.raises(Conflict, match="name each by its request id"):
        found(session, merchant, client_reference="all")


def test_the_last_word_counts_and_every_word_stays_in_the_history(session: AdminSession) -> None:
    merchant = make_account(session)
    [request] = decide(session, merchant)
    assert told(session, merchant, request) == []
    assert say(session, merchant, [request], FRAUD) == [
        LabelOutcome(request, Label.FRAUD, None, changed=True, recorded_at_ms=NOW_MS)
    ]
    assert say(session, merchant, [request], GOOD)[0].previous == Label.FRAUD
    assert say(session, merchant, [request], GONE)[0].previous == Label.LEGITIMATE
    assert say(session, merchant, [request], LOST, NOW_MS + 7)[0].previous is None
    assert told(session, merchant, request) == [
        ("CHARGEBACK", None),
        ("WITHDRAWN", "LEGITIMATE"),
        ("LEGITIMATE", "FRAUD"),
        ("FRAUD", None),
    ]
    with session.reading() as connection:
        newest = feedback.history(connection, merchant, request)[0]
    assert (newest.found_at_ms, newest.amount, newest.currency) == (
        MOMENT_MS + 5,
        59_900_000,
        "USD",
    )
    assert (newest.recorded_at_ms, newest.actor, newest.source) == (NOW_MS + 7, "test", "command")


def test_the_same_said_again_is_kept_once(session: AdminSession) -> None:
    merchant = make_account(session)
    [request] = decide(session, merchant)
    say(session, merchant, [request], LOST)
    again = say(session, merchant, [request], LOST, NOW_MS + 1)
    assert again == [
        LabelOutcome(
            request, Label.CHARGEBACK, Label.CHARGEBACK, changed=False, recorded_at_ms=NOW_MS
        )
    ]
    more = FeedbackStatement(Label.CHARGEBACK, MOMENT_MS + 5, 60_000_000, "USD")
    assert say(session, merchant, [request], more)[0].changed
    assert told(session, merchant, request) == [("CHARGEBACK", "CHARGEBACK"), ("CHARGEBACK", None)]


def test_withdrawing_a_label_that_never_was_changes_nothing(session: AdminSession) -> None:
    merchant = make_account(session)
    [request] = decide(session, merchant)
    [noted] = say(session, merchant, [request], FeedbackStatement(Label.WITHDRAWN, amount=1))
    assert (noted.changed, noted.previous) == (False, None)
    assert told(session, merchant, request) == []


def test_many_are_told_together_as_if_one_after_the_other(session: AdminSession) -> None:
    merchant, other = make_account(session), make_account(session)
    first, second = decide(session, merchant, times=2)
    [theirs] = decide(session, other)

    def telling(account_id: str, ids: list[str], statement: FeedbackStatement) -> LabelReport:
        return LabelReport(account_id, ids, statement, "test", LabelSource.IMPORT)

    with session.database.writing() as connection:
        lock_changes(connection)
        answers = feedback.record_all(
            connection,
            [
                telling(merchant, [first, second], FRAUD),
                telling(other, [theirs], GOOD),
                telling(merchant, [second], GOOD),
                telling(merchant, [second], GOOD),
                telling(merchant, [], GOOD),
            ],
            NOW_MS,
        )
    kept = [each for each in answers if not isinstance(each, TooManyStatements)]
    assert [[(one.previous, one.changed) for one in each] for each in kept] == [
        [(None, True), (None, True)],
        [(None, True)],
        [("FRAUD", True)],
        [("LEGITIMATE", False)],
        [],
    ]
    with session.reading() as connection:
        assert [row.seq for row in feedback_history.rows_after(connection, 0, 10)] == [1, 2, 3, 4]


def test_only_the_account_s_own_feedback_is_seen(session: AdminSession) -> None:
    merchant, other = make_account(session), make_account(session)
    [request] = decide(session, merchant)
    say(session, merchant, [request], FRAUD)
    with pytest.raises(NotFound):
        told(session, other, request)
    with session.reading() as connection:
        assert feedback_history.labels(connection, other, 0, NOW_MS) == {}


def test_so_much_is_said_about_a_request_and_no_more(session: AdminSession) -> None:
    merchant = make_account(session)
    full, other = decide(session, merchant, reference="order-1", times=2)
    telling = [
        LabelReport(
            merchant, [full], FeedbackStatement(Label.FRAUD, amount=number), "test", LabelSource.API
        )
        for number in range(MOST_STATEMENTS + 2)
    ]
    with session.database.writing() as connection:
        lock_changes(connection)
        answers = feedback.record_all(connection, telling, NOW_MS)
    assert [isinstance(each, TooManyStatements) for each in answers] == [
        False
    ] * MOST_STATEMENTS + [True] * 2
    # What counts can still be said again, and what is said of several is said of all or none.
    assert not say(session, merchant, [full], telling[MOST_STATEMENTS - 1].statement)[0].changed
    for statement in (GOOD, GONE):
        with pytest.raises(TooManyStatements, match=r"100 statements .* what was said last stays"):
            say(session, merchant, [other, full], statement)
    assert told(session, merchant, other) == []
    live = LiveFeedback(session, Followed(session))
    with pytest.raises(TooManyStatements):
        asyncio.run(
            live.record(
                Actor.key("a", merchant),
                merchant,
                FeedbackSubject(client_reference="order-1"),
                GOOD,
            )
        )
    with session.reading() as connection:
        said = feedback.history(connection, merchant, full)
    assert [one.amount for one in said] == list(range(MOST_STATEMENTS - 1, -1, -1))


def test_a_review_of_which_too_much_was_said_can_be_resolved(session: AdminSession) -> None:
    merchant = make_account(session)
    request = open_review(session, merchant)
    telling = [
        LabelReport(
            merchant,
            [request],
            FeedbackStatement(Label.FRAUD, amount=number),
            "test",
            LabelSource.API,
        )
        for number in range(MOST_STATEMENTS)
    ]
    with session.database.writing() as connection:
        lock_changes(connection)
        feedback.record_all(connection, telling, NOW_MS)
    resolve_review(session, merchant, request, ReviewFinding(approve=True, reason="fine"))
    assert told(session, merchant, request)[0] == ("LEGITIMATE", "FRAUD")
    assert len(told(session, merchant, request)) == MOST_STATEMENTS


def test_a_label_of_a_later_version_says_nothing(
    session: AdminSession, caplog: pytest.LogCaptureFixture
) -> None:
    merchant = make_account(session)
    [request] = decide(session, merchant)
    say(session, merchant, [request], FRAUD)
    with session.database.writing() as connection:
        connection.execute(FEEDBACK.update().values(label="SUSPECTED"))
    statements.label_in.cache_clear()
    for _ in range(2):
        with session.reading() as connection:
            assert feedback_history.labels(connection, merchant, 0, NOW_MS) == {}
            assert feedback_history.labels_with_times(connection, merchant, 0, NOW_MS) == {}
            assert [row.label for row in feedback_history.rows_after(connection, 0, 10)] == [
                "WITHDRAWN"
            ]
            assert len(feedback_history.listing(connection, merchant, 0, None, 10)) == 1
        assert told(session, merchant, request) == [("WITHDRAWN", None)]
    assert [each.message for each in caplog.records].count(
        "a label is unknown to this version and counts as withdrawn"
    ) == 1
    assert say(session, merchant, [request], GOOD)[0].previous is None


def test_what_counts_is_read_once_for_each_request(session: AdminSession) -> None:
    merchant, other = make_account(session), make_account(session)
    first, second = decide(session, merchant, times=2)
    [theirs] = decide(session, other)
    say(session, merchant, [first, second], FRAUD)
    say(session, other, [theirs], GOOD)
    say(session, merchant, [first], GOOD)
    say(session, merchant, [second], LOST)

    def read(after: int, until: int, limit: int = 10) -> list[tuple[int, str, Label | None]]:
        with session.reading() as connection:
            rows = feedback_history.rows_in_force(connection, after, until, limit)
        assert all(row.record is not None for row in rows)
        return [(row.seq, row.label, row.previous) for row in rows]

    assert read(0, 5) == [(3, GOOD.label, None), (4, GOOD.label, None), (5, LOST.label, None)]
    assert read(0, 5, limit=1) == [(3, GOOD.label, None)]
    assert read(3, 5) == [(4, GOOD.label, None), (5, LOST.label, None)]
    # What was said after the second number does not replace anything yet.
    assert read(0, 4) == [(2, FRAUD.label, None), (3, GOOD.label, None), (4, GOOD.label, None)]


def test_labels_are_the_newest_of_each_request_of_the_span(session: AdminSession) -> None:
    merchant = make_account(session)
    early, fraud, good, lost, gone, unknown, late = (
        decide(session, merchant, at_ms=MOMENT_MS + n)[0] for n in (-1, 0, 5, 6, 7, 8, 10)
    )
    say(session, merchant, [early, fraud, late, gone, good], FRAUD)
    say(session, merchant, [good], GOOD)
    say(session, merchant, [lost], GOOD)
    say(session, merchant, [lost], LOST)
    say(session, merchant, [gone], GONE)
    with session.reading() as connection:
        labels = feedback_history.labels(connection, merchant, MOMENT_MS, MOMENT_MS + 10)
        between = feedback_history.labels_between(connection, merchant, fraud, lost)
    assert labels == {fraud: True, good: False, lost: True}
    assert unknown not in labels
    assert {name: known.fraud for name, known in between.items()} == labels


def test_a_follower_gets_each_row_with_its_record_and_the_previous_label(
    session: AdminSession,
) -> None:
    merchant, other = make_account(session), make_account(session)
    [mine], [theirs] = decide(session, merchant), decide(session, other)
    with session.reading() as connection:
        assert feedback.newest(connection) == 0
        assert feedback_history.rows_after(connection, 0, 10) == []
    say(session, merchant, [mine], FRAUD)
    say(session, other, [theirs], GOOD)
    say(session, merchant, [mine], GONE)
    with session.database.writing() as connection:
        connection.execute(DECISIONS.delete().where(DECISIONS.c.request_id == theirs))
    with session.reading() as connection:
        assert feedback.newest(connection) == 3
        rows = feedback_history.rows_after(connection, 0, 10)
        assert feedback_history.rows_after(connection, 1, 1) == [rows[1]]
        assert feedback_history.rows_after(connection, 3, 10) == []
    assert rows == [
        (1, merchant, Label.FRAUD, None, f'{{"requestId":"{mine}"}}'),
        (2, other, Label.LEGITIMATE, None, None),
        (3, merchant, Label.WITHDRAWN, Label.FRAUD, f'{{"requestId":"{mine}"}}'),
    ]


def test_rows_of_many_writers_are_numbered_without_gaps_and_none_is_lost(
    session: AdminSession,
) -> None:
    merchant = make_account(session)
    requests = decide(session, merchant, times=12)
    threads = [
        threading.Thread(target=say, args=(session, merchant, requests[n::4], FRAUD))
        for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with session.reading() as connection:
        assert [row.seq for row in feedback_history.rows_after(connection, 0, 100)] == list(
            range(1, 13)
        )
        assert set(feedback_history.labels(connection, merchant, 0, NOW_MS)) == set(requests)


class Followed:
    """Counts how often a server was told to look, and what it could see then."""

    def __init__(self, session: AdminSession, *, fails: bool = False) -> None:
        self._office = session
        self._fails = fails
        self.seen: list[int] = []

    async def __call__(self) -> None:
        with self._office.reading() as connection:
            self.seen.append(feedback.newest(connection))
        if self._fails:
            raise StoreUnavailable("away")


def test_a_server_writes_all_who_wait_at_once_and_refuses_each_on_its_own(
    session: AdminSession,
) -> None:
    merchant, other = make_account(session), make_account(session)
    one, two = decide(session, merchant, transaction="t-1", times=2)
    decide(session, merchant, reference="all", times=MOST_REQUESTS + 1)
    followed = Followed(session)
    live = LiveFeedback(session, followed)

    async def work() -> None:
        answers = await asyncio.gather(
            live.record(
                Actor.key("a", merchant), merchant, FeedbackSubject(transaction="t-1"), FRAUD
            ),
            live.record(Actor.key("b", other), other, FeedbackSubject(transaction="t-1"), GOOD),
            live.record(Actor.key("c", merchant), merchant, FeedbackSubject(request_id=two), GOOD),
            live.record(
                Actor.key("a", merchant), merchant, FeedbackSubject(client_reference="all"), GOOD
            ),
            return_exceptions=True,
        )
        kept, missing, last, many = answers
        assert isinstance(kept, list)
        assert [(noted.request_id, noted.changed) for noted in kept] == [(one, True), (two, True)]
        assert isinstance(missing, NotFound)
        assert isinstance(last, list)
        assert [noted.previous for noted in last] == [Label.FRAUD]
        assert isinstance(many, Conflict)
        # One commit for all of them, and it was followed before anybody was answered.
        assert followed.seen == [3]
        said = await live.history(Actor.key("a", merchant), merchant, two)
        assert [(row.label, row.actor, row.source) for row in said] == [
            ("LEGITIMATE", "key:c", "api"),
            ("FRAUD", "key:a", "api"),
        ]
        with pytest.raises(NotFound):
            await live.history(Actor.key("a", other), other, two)
        with pytest.raises(NotFound):
            await live.record(Actor.key("b", other), other, FeedbackSubject(request_id=one), GOOD)
        assert followed.seen == [3]

    asyncio.run(work())
    with session.reading() as connection:
        lines = connection.scalars(sa.select(AUDIT.c.action)).all()
    assert not [action for action in lines if "feedback" in action]


def test_more_than_fit_into_one_batch_are_all_answered(sqlite_session: AdminSession) -> None:
    merchant = make_account(sqlite_session)
    requests = decide(sqlite_session, merchant, times=150)
    followed = Followed(sqlite_session)
    live = LiveFeedback(sqlite_session, followed)

    async def work() -> None:
        waiting = [
            live.record(Actor.key("a", merchant), merchant, FeedbackSubject(request_id=each), FRAUD)
            for each in requests
        ]
        answers = await asyncio.gather(*waiting)
        assert [noted.request_id for [noted] in answers] == requests
        assert followed.seen == [64, 128, 150]
        assert not (
            await live.record(
                Actor.key("a", merchant), merchant, FeedbackSubject(request_id=requests[0]), FRAUD
            )
        )[0].changed

    asyncio.run(work())


def test_a_sender_that_goes_away_is_recorded_and_the_others_are_answered(
    sqlite_session: AdminSession,
) -> None:
    merchant = make_account(sqlite_session)
    first, second = decide(sqlite_session, merchant, times=2)
    live = LiveFeedback(sqlite_session, Followed(sqlite_session))

    async def work() -> None:
        gone = asyncio.create_task(
            live.record(
                Actor.key("a", merchant), merchant, FeedbackSubject(request_id=first), FRAUD
            )
        )
        stays = asyncio.create_task(
            live.record(
                Actor.key("b", merchant), merchant, FeedbackSubject(request_id=second), FRAUD
            )
        )
        await asyncio.sleep(0)
        gone.cancel()
        assert (await stays)[0].changed
        assert gone.cancelled()
        assert len(await live.history(Actor.key("a", merchant), merchant, first)) == 1

    asyncio.run(work())


def test_what_was_kept_is_answered_even_if_it_cannot_be_followed(
    sqlite_session: AdminSession,
) -> None:
    merchant = make_account(sqlite_session)
    [request] = decide(sqlite_session, merchant)
    live = LiveFeedback(sqlite_session, Followed(sqlite_session, fails=True))
    noted = asyncio.run(
        live.record(Actor.key("a", merchant), merchant, FeedbackSubject(request_id=request), FRAUD)
    )
    assert noted[0].changed
    assert told(sqlite_session, merchant, request) == [("FRAUD", None)]


def test_only_what_cannot_be_written_fails(sqlite_session: AdminSession) -> None:
    merchant = make_account(sqlite_session)
    first, second = decide(sqlite_session, merchant, times=2)
    live = LiveFeedback(sqlite_session, Followed(sqlite_session))
    too_large = FeedbackStatement(Label.FRAUD, amount=2**70)

    async def work() -> None:
        good, bad = await asyncio.gather(
            live.record(
                Actor.key("a", merchant), merchant, FeedbackSubject(request_id=first), FRAUD
            ),
            live.record(
                Actor.key("a", merchant), merchant, FeedbackSubject(request_id=second), too_large
            ),
            return_exceptions=True,
        )
        assert isinstance(good, list)
        assert isinstance(bad, OverflowError)

    asyncio.run(work())
    assert told(sqlite_session, merchant, first) == [("FRAUD", None)]
    assert told(sqlite_session, merchant, second) == []


def test_a_database_that_is_away_is_said_to_be_away(sqlite_session: AdminSession) -> None:
    merchant = make_account(sqlite_session)
    [request] = decide(sqlite_session, merchant)
    followed = Followed(sqlite_session)
    live = LiveFeedback(sqlite_session, followed)
    subject = FeedbackSubject(request_id=request)
    with sqlite_session.database.writing() as connection:
        connection.execute(sa.text("ALTER TABLE feedback RENAME TO elsewhere"))
    with pytest.raises(StoreUnavailable):
        asyncio.run(live.record(Actor.key("a", merchant), merchant, subject, FRAUD))
    assert followed.seen == []
    with sqlite_session.database.writing() as connection:
        connection.execute(sa.text("ALTER TABLE elsewhere RENAME TO feedback"))
    assert asyncio.run(live.record(Actor.key("a", merchant), merchant, subject, FRAUD))[0].changed


def test_the_newest_word_is_found_by_the_index_however_long_the_history(
    sqlite_session: AdminSession,
) -> None:
    merchant = make_account(sqlite_session)
    [request] = decide(sqlite_session, merchant)
    plans: list[str] = []

    def look(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        if "max(" in statement and "decisions" in statement:
            plans.append(statement)

    engine = sqlite_session.database.engine
    sa.event.listen(engine, "before_cursor_execute", look)
    say(sqlite_session, merchant, [request], FRAUD)
    [statement] = plans
    with sqlite_session.reading() as connection:
        marks = statement.count("?")
        explained = connection.exec_driver_sql(
            f"EXPLAIN QUERY PLAN {statement}", tuple([merchant, request][:marks])
        )
        plan = " | ".join(row[3] for row in explained)
    assert "SCAN" not in plan
    assert "feedback_by_request (account_id=? AND request_id=?)" in plan
