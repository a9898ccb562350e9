"""Reviews on both databases: found by their account, resolved once, in the audit log."""

import asyncio
import threading

import pytest
import sqlalchemy as sa

from gatehouse.access.actors import Actor
from gatehouse.admin.reviews.queries import reviews
from gatehouse.admin.reviews.queries.reviews import AlreadyResolved, StoredReview
from gatehouse.admin.reviews.use_cases.reviews import (
    ReviewFinding,
    ReviewSearch,
    ReviewState,
    get_review,
    list_reviews,
    resolve_review,
)
from gatehouse.admin.reviews.worker import LiveReviews
from gatehouse.core.errors import Conflict, GatehouseError, InvalidInput, NotFound, StoreUnavailable
from gatehouse.core.secrets import keyring
from gatehouse.core.wording.labels import Label, LabelSource
from gatehouse.store.admin import audit
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.feedback import feedback, feedback_history
from gatehouse.store.requests import intents
from gatehouse.store.tables import AUDIT, DECISIONS
from tests.harness import make_account
from tests.store.reviewing import MOMENT_MS, keep_payment, kept_payment, open_review


def resolve(
    session: AdminSession, account: str, request: str, *, approve: bool = True, reason: str = "fine"
) -> StoredReview:
    return resolve_review(session, account, request, ReviewFinding(approve, reason)).review


def get(session: AdminSession, account: str, request: str) -> StoredReview:
    with session.reading() as connection:
        return reviews.get(connection, account, request)


def listed(
    session: AdminSession, account: str, state: ReviewState | None, before: str | None = None
) -> list[str]:
    with session.reading() as connection:
        found = reviews.listing(connection, account, ReviewSearch(state, before, 2))
    return [review.request_id for review in found]


def test_a_review_is_resolved_once_and_the_next_is_told_by_whom_and_when(
    session: AdminSession,
) -> None:
    account = make_account(session)
    request = open_review(session, account)
    assert get(session, account, request) == StoredReview(request, MOMENT_MS, ReviewState.OPEN)
    done = resolve(session, account, request, approve=False, reason=" stolen card ")
    assert (done.state, done.actor, done.reason) == (ReviewState.DECLINED, "test", "stolen card")
    assert done.resolved_at_ms is not None
    assert get(session, account, request) == done
    with session.reading() as connection:
        [said] = feedback.history(connection, account, request)
    assert (said.label, said.source, said.actor) == (Label.FRAUD, LabelSource.REVIEW, "test")
    assert said.recorded_at_ms == done.resolved_at_ms
    with pytest.raises(AlreadyResolved, match="was DECLINED by test at 20") as late:
        resolve(session, account, request)
    assert isinstance(late.value, Conflict)
    assert get(session, account, request) == done


def test_resolving_leaves_one_line_in_the_trail_without_the_reason(session: AdminSession) -> None:
    account = make_account(session)
    request = open_review(session, account)
    resolve(session, account, request, reason="called the customer at home")
    with pytest.raises(AlreadyResolved):
        resolve(session, account, request)
    with session.reading() as connection:
        *_, line = audit.read(connection, account, 10)
        everything = str([row._asdict() for row in connection.execute(sa.select(AUDIT))])
        report = audit.verify(connection, session.ring.current(keyring.AUDIT)[1])
    assert (line.action, line.actor) == ("review.resolve", "test")
    assert line.details == {"requestId": request, "state": "APPROVED"}
    assert everything.count("review.resolve") == 1
    assert "called" not in everything
    assert report.problems == []


def test_of_many_who_resolve_at_once_one_wins(session: AdminSession) -> None:
    account = make_account(session)
    request = open_review(session, account)
    won: list[StoredReview] = []
    lost: list[GatehouseError] = []

    def run(approve: bool) -> None:
        try:
            won.append(resolve(session, account, request, approve=approve, reason=str(approve)))
        except GatehouseError as error:
            lost.append(error)

    threads = [threading.Thread(target=run, args=(number % 2 == 0,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [type(error) for error in lost] == [AlreadyResolved] * 5
    assert won == [get(session, account, request)]
    with session.reading() as connection:
        assert len(feedback.history(connection, account, request)) == 1


def test_nobody_sees_or_resolves_the_review_of_another_account(session: AdminSession) -> None:
    mine, other = make_account(session), make_account(session)
    request = open_review(session, mine)
    with pytest.raises(NotFound):
        get(session, other, request)
    with pytest.raises(NotFound):
        resolve(session, other, request)
    assert listed(session, other, None) == []
    assert get(session, mine, request).state is ReviewState.OPEN
    with session.reading() as connection:
        found = [get(session, mine, request)]
        assert (
            reviews.with_records(connection, other, found, session.fingerprints)[0].record is None
        )


@pytest.mark.parametrize(
    "request_id",
    ["", "req_", "req_00000000000000000000000000", "req_\x00", "\udcff", "x" * 100_000],
    ids=["empty", "short", "unknown", "nul", "surrogate", "huge"],
)
def test_what_is_no_review_is_not_found(session: AdminSession, request_id: str) -> None:
    account = make_account(session)
    with pytest.raises(NotFound):
        get(session, account, request_id)
    with pytest.raises(NotFound):
        resolve(session, account, request_id)


def test_a_reason_is_bounded_and_kept_without_card_numbers(session: AdminSession) -> None:
    account = make_account(session)
    request = open_review(session, account)
    for reason in ("", " \n\t", "\u200b", "x" * 501):
        with pytest.raises(InvalidInput, match="1 to 500 characters"):
            resolve(session, account, request, reason=reason)
    done = resolve(session, account, request, reason="4242 4242 4242 4242\x00\udcff\x1b[2J ok")
    assert done.reason == "[card]J ok"
    assert get(session, account, request) == done
    longest = open_review(session, account)
    assert resolve(session, account, longest, reason="x" * 500).reason == "x" * 500


def test_reviews_are_paged_newest_first_by_state(session: AdminSession) -> None:
    account = make_account(session)
    first, second, third, fourth = (open_review(session, account, MOMENT_MS + n) for n in range(4))
    resolve(session, account, second)
    resolve(session, account, third, approve=False)
    assert listed(session, account, None) == [fourth, third]
    assert listed(session, account, None, third) == [second, first]
    assert listed(session, account, ReviewState.OPEN) == [fourth, first]
    assert listed(session, account, ReviewState.OPEN, fourth) == [first]
    assert listed(session, account, ReviewState.APPROVED) == [second]
    assert listed(session, account, ReviewState.DECLINED) == [third]
    assert listed(session, account, ReviewState.DECLINED, third) == []


def test_each_review_comes_with_its_own_record(session: AdminSession) -> None:
    account = make_account(session)
    requests = [open_review(session, account) for _ in range(3)]
    with session.database.writing() as connection:
        connection.execute(DECISIONS.delete().where(DECISIONS.c.request_id == requests[1]))
    with session.reading() as connection:
        found = reviews.listing(connection, account, ReviewSearch(None, None, 10))
        pairs = reviews.with_records(connection, account, found, session.fingerprints)
        assert reviews.with_records(connection, account, [], session.fingerprints) == []
    assert [one.review.request_id for one in pairs] == requests[::-1]
    newest, missing, oldest = (one.record for one in pairs)
    assert missing is None
    assert newest is not None
    assert oldest is not None
    assert (newest.request_id, oldest.request_id) == (requests[2], requests[0])


def test_labels_are_what_people_found_within_the_span(session: AdminSession) -> None:
    account, other = make_account(session), make_account(session)
    early, fraud, good, unknown, late = (
        open_review(session, account, MOMENT_MS + n) for n in (-1, 0, 5, 6, 10)
    )
    resolve(session, account, early)
    resolve(session, account, fraud, approve=False)
    resolve(session, account, good)
    resolve(session, account, late)
    resolve(session, other, open_review(session, other, MOMENT_MS + 1))
    with session.reading() as connection:
        found = feedback_history.labels(connection, account, MOMENT_MS, MOMENT_MS + 10)
    assert found == {fraud: True, good: False}
    assert unknown not in found


def test_a_server_resolves_in_the_name_of_the_key(session: AdminSession) -> None:
    account = make_account(session)
    request, other = open_review(session, account), open_review(session, account)
    winners: list[str] = []
    seen: list[int] = []

    async def noted() -> None:
        with session.reading() as connection:
            seen.append(feedback.newest(connection))
        raise StoreUnavailable("away")

    live = LiveReviews(session, noted)
    another = Actor.key("x", account)

    async def work() -> None:
        both = [
            live.label(
                *(resolve_review, Actor.key(str(approve), account), account, request),
                ReviewFinding(approve, "seen"),
            )
            for approve in (True, False)
        ]
        told = await asyncio.gather(*both, return_exceptions=True)
        [first] = [one for one in told if not isinstance(one, BaseException)]
        [late] = [one for one in told if isinstance(one, BaseException)]
        assert isinstance(late, AlreadyResolved)
        state = "APPROVED" if first.review.actor == "key:True" else "DECLINED"
        assert first.review.state == state
        assert first.record is not None
        assert await live.read(get_review, another, account, request) == first
        winners.append(str(first.review.actor))
        # The follower of labels had read this one before the sender was answered.
        assert seen == [1]
        still_open = await live.read(
            list_reviews, another, account, ReviewSearch(ReviewState.OPEN, None, 10)
        )
        assert [one.review.request_id for one in still_open] == [other]
        with pytest.raises(AlreadyResolved):
            await live.label(
                resolve_review, another, account, request, ReviewFinding(True, "again")
            )
        with pytest.raises(NotFound):
            await live.label(
                resolve_review, another, "acct_other", other, ReviewFinding(True, "mine")
            )
        assert seen == [1]

    asyncio.run(work())
    with session.reading() as connection:
        *_, line = audit.read(connection, account, 10)
    assert (line.action, [line.actor]) == ("review.resolve", winners)


def test_a_declined_review_marks_its_payment_for_reversal_once(session: AdminSession) -> None:
    account = make_account(session)
    request, other = open_review(session, account), open_review(session, account)
    for each in (request, other):
        keep_payment(session, account, each)
    found = resolve_review(session, account, request, ReviewFinding(False, "stolen"))
    assert found.payment == "REVERSE"
    assert kept_payment(session, request) == ("REVERSE", "declined_review")
    assert kept_payment(session, other) == ("REVIEW", None)
    with session.reading() as connection:
        assert intents.anything_due(connection, session.clock())
        *_, line = audit.read(connection, account, 10)
    assert line.details == {"requestId": request, "state": "DECLINED", "payment": "REVERSE"}
    with pytest.raises(AlreadyResolved):
        resolve(session, account, request)
    assert kept_payment(session, request) == ("REVERSE", "declined_review")


def test_an_approved_review_lets_its_payment_stand_and_forgets_it(session: AdminSession) -> None:
    account = make_account(session)
    request = open_review(session, account)
    keep_payment(session, account, request)
    assert get_review(session, account, request).payment == "REVIEW"
    found = resolve_review(session, account, request, ReviewFinding(True, "called back"))
    assert found.payment is None
    assert kept_payment(session, request) is None


def test_a_review_without_a_payment_has_nothing_to_reverse(session: AdminSession) -> None:
    account = make_account(session)
    request = open_review(session, account)
    found = resolve_review(session, account, request, ReviewFinding(False, "stolen"))
    assert found.payment is None
    assert kept_payment(session, request) is None
