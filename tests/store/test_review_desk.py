"""Reviews in the hands of several people, on both databases: notes, assignment, correction."""

import threading
from collections.abc import Callable

import pytest
import sqlalchemy as sa

from gatehouse.access.actors import Actor
from gatehouse.admin.reviews.queries.reviews import AlreadyResolved, NotResolved
from gatehouse.admin.reviews.types import person_name
from gatehouse.admin.reviews.use_cases.review_desk import (
    AlreadyAssigned,
    Assignment,
    add_note,
    assign_review,
    person_of,
    take_oldest,
)
from gatehouse.admin.reviews.use_cases.reviews import (
    NOBODY,
    EventKind,
    PaymentEffect,
    ReviewFinding,
    ReviewSearch,
    ReviewState,
    correct_review,
    get_review,
    list_reviews,
    payment_sentence,
    resolve_review,
)
from gatehouse.admin.workload.use_cases.review_bulk import (
    MOST_AT_ONCE,
    ReviewFilter,
    find_open_reviews,
    resolve_reviews,
)
from gatehouse.core.errors import GatehouseError, InvalidInput, NotFound
from gatehouse.core.wording.labels import Label
from gatehouse.store.admin import audit
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.decisions import review_events
from gatehouse.store.decisions.review_events import MOST_OF_A_KIND, TooManyEvents
from gatehouse.store.feedback import feedback
from gatehouse.store.requests import intents
from gatehouse.store.tables import AUDIT, REVIEW_EVENTS, REVIEWS
from tests.harness import make_account
from tests.store.reviewing import MOMENT_MS, keep_payment, kept_payment, open_review

APPROVE, DECLINE = ReviewFinding(True, "known"), ReviewFinding(False, "stolen")


def labels(session: AdminSession, account: str, request: str) -> list[Label]:
    """What was said about a request, oldest first."""
    with session.reading() as connection:
        return [one.label for one in feedback.history(connection, account, request)][::-1]


def found_by(session: AdminSession, account: str, search: ReviewSearch) -> list[str]:
    return [one.review.request_id for one in list_reviews(session, account, search)]


def test_a_correction_changes_the_finding_and_the_label_and_stays_in_the_history(
    session: AdminSession, account: str
) -> None:
    request = open_review(session, account)
    with pytest.raises(NotResolved, match="is open"):
        correct_review(session, account, request, DECLINE)
    resolve_review(session, account, request, APPROVE)
    colleague = session.acting_as(Actor.operator("bob"))
    done = correct_review(colleague, account, request, DECLINE)
    assert (done.review.state, done.review.actor) == (ReviewState.DECLINED, "cli:bob")
    assert (done.review.reason, payment_sentence(done)) == ("stolen", None)
    assert [(one.kind, one.actor, one.details.state, one.words) for one in done.events] == [
        (EventKind.OPENED, "service", None, None),
        (EventKind.RESOLVED, "test", ReviewState.APPROVED, "known"),
        (EventKind.CORRECTED, "cli:bob", ReviewState.DECLINED, "stolen"),
    ]
    assert labels(session, account, request) == [Label.LEGITIMATE, Label.FRAUD]
    # The same again changes nothing; somebody else is told who found it.
    assert correct_review(colleague, account, request, DECLINE) == done
    with pytest.raises(AlreadyResolved, match="was DECLINED by cli:bob at"):
        correct_review(session, account, request, DECLINE)
    with session.reading() as connection:
        *_, line = audit.read(connection, account, 10)
    assert (line.action, line.details) == (
        "review.correct",
        {"requestId": request, "state": "DECLINED"},
    )


def test_a_payment_that_stands_is_reversed_by_a_correction_as_by_a_resolution(
    session: AdminSession, account: str
) -> None:
    request = open_review(session, account)
    keep_payment(session, account, request)
    approved = resolve_review(session, account, request, APPROVE)
    assert payment_sentence(approved) == "its payment stands"
    assert kept_payment(session, request) is None
    declined = correct_review(session, account, request, DECLINE)
    assert payment_sentence(declined) == "its payment is being reversed"
    assert (declined.payment, kept_payment(session, request)) == (
        "REVERSE",
        ("REVERSE", "declined_review"),
    )
    with session.reading() as connection:
        due = intents.get(connection, request)
        assert intents.anything_due(connection, session.clock())
    assert (due.account_id, due.amount_minor, due.currency) == (account, 5990, "USD")


def test_a_reversal_that_nobody_asked_for_yet_is_called_off(
    session: AdminSession, account: str
) -> None:
    request = open_review(session, account)
    keep_payment(session, account, request)
    resolve_review(session, account, request, DECLINE)
    approved = correct_review(session, account, request, APPROVE)
    assert payment_sentence(approved) == "its payment stands"
    assert kept_payment(session, request) is None
    assert correct_review(session, account, request, DECLINE).payment == "REVERSE"


def test_a_payment_that_was_reversed_does_not_come_back(
    session: AdminSession, account: str
) -> None:
    request = open_review(session, account)
    keep_payment(session, account, request)
    resolve_review(session, account, request, DECLINE)
    with session.database.writing() as connection:
        [claimed] = intents.claim(connection, session.clock() + 1, session.clock() + 9, 9)
    approved = correct_review(session, account, request, APPROVE)
    assert payment_sentence(approved) == (
        "its payment was sent to be reversed before, and a correction cannot bring it back"
    )
    assert (claimed.request_id, approved.payment) == (request, "REVERSE")
    again = correct_review(session, account, request, DECLINE)
    assert again.events[-1].details.effect is PaymentEffect.LOST
    with session.reading() as connection:
        assert intents.get(connection, request).attempts == 1


def test_a_payment_that_no_review_reverses_stays_as_it_is(
    session: AdminSession, account: str
) -> None:
    request = open_review(session, account)
    resolve_review(session, account, request, APPROVE)
    assert correct_review(session, account, request, DECLINE).payment is None
    assert kept_payment(session, request) is None


def test_notes_are_kept_in_order_and_not_twice_by_one_repeat(
    session: AdminSession, account: str
) -> None:
    request = open_review(session, account)
    colleague = session.acting_as(Actor.operator("bob"))
    for who, text in (
        (session, " called\n4242 4242 4242 4242 "),
        (session, "called 4242424242424242"),
        (colleague, "called [card]"),
        (session, "no answer"),
    ):
        view = add_note(who, account, request, text)
    notes = [(one.actor, one.words) for one in view.events if one.kind is EventKind.NOTE]
    assert notes == [
        ("test", "called [card]"),
        ("cli:bob", "called [card]"),
        ("test", "no answer"),
    ]
    assert view.notes == 3
    for wrong in ("", " \n", "x" * 2001):
        with pytest.raises(InvalidInput, match="a note has 1 to 2000 characters"):
            add_note(session, account, request, wrong)
    with session.reading() as connection:
        everything = str([row._asdict() for row in connection.execute(sa.select(AUDIT))])
    assert everything.count("review.note") == 3
    assert "answer" not in everything


def test_a_review_keeps_a_bounded_number_of_notes_and_can_still_be_resolved(
    session: AdminSession, account: str
) -> None:
    request = open_review(session, account)
    add_note(session, account, request, "first")
    with session.database.writing() as connection:
        [row] = connection.execute(sa.select(REVIEW_EVENTS)).all()
        rows = [{**row._asdict(), "seq": number} for number in range(2, MOST_OF_A_KIND + 1)]
        connection.execute(REVIEW_EVENTS.insert(), rows)
    with pytest.raises(TooManyEvents, match="more are not kept"):
        add_note(session, account, request, "one more")
    assert resolve_review(session, account, request, APPROVE).notes == MOST_OF_A_KIND


def test_a_review_is_with_one_person_who_is_told_when_it_is_taken(
    session: AdminSession, account: str
) -> None:
    request = open_review(session, account)
    given = assign_review(session, account, request, Assignment(" Amelia "))
    assert given.review.assignee == "Amelia"
    assert assign_review(session, account, request, Assignment("Amelia")) == given
    with pytest.raises(AlreadyAssigned, match="Amelia has req_"):
        assign_review(session, account, request, Assignment("bob"))
    taken = assign_review(session, account, request, Assignment("bob", take_over=True))
    free = assign_review(session, account, request, Assignment(None))
    assert (taken.review.assignee, free.review.assignee) == ("bob", None)
    told = [one.details.assignee for one in free.events if one.kind is EventKind.ASSIGNED]
    assert told == ["Amelia", "bob", None]
    with session.reading() as connection:
        lines = [one.details for one in audit.read(connection, account, 10)][-3:]
    assert [line["assigned"] for line in lines] == [True, True, False]


@pytest.mark.parametrize(
    "name",
    ["", " ", "me", "Unassigned", "-x", "x" * 65, "a\nb", "4242424242424242", "a<b>", "a\x00"],
)
def test_only_a_name_of_a_person_is_taken(name: str) -> None:
    with pytest.raises(InvalidInput):
        person_name(name)


def test_i_am_the_one_who_logged_in() -> None:
    assert person_of(Actor.operator("amelia"), "ME") == "amelia"
    assert person_of(Actor.operator("root (login amelia)"), "me") == "amelia"
    assert person_of(Actor.operator("root"), "jos\u0065\u0301@shop.test") == "jos\xe9@shop.test"


def test_everybody_who_takes_the_oldest_gets_another_one(
    session: AdminSession, account: str
) -> None:
    requests = [open_review(session, account, MOMENT_MS + number) for number in range(4)]
    resolve_review(session, account, requests[0], APPROVE)
    taken: list[str] = []

    def take(person: str) -> None:
        taken.append(take_oldest(session, account, person).review.request_id)

    together([lambda name=name: take(name) for name in ("a", "b", "c")])  # type: ignore[misc]
    assert sorted(taken) == requests[1:]
    with pytest.raises(NotFound, match="without an assignee"):
        take_oldest(session, account, "d")


def test_reviews_are_found_by_who_has_them_in_both_orders(
    session: AdminSession, account: str
) -> None:
    requests = [open_review(session, account, MOMENT_MS + number) for number in range(6)]
    for request in requests[:4]:
        assign_review(session, account, request, Assignment("amelia"))
    assign_review(session, account, requests[4], Assignment("bob"))
    resolve_review(session, account, requests[1], APPROVE)
    resolve_review(session, account, requests[2], DECLINE)

    def found(
        state: ReviewState | None, who: str | None, after: str | None = None, limit: int = 9
    ) -> list[int]:
        oldest = found_by(session, account, ReviewSearch(state, after, limit, who, True))
        return [requests.index(one) for one in oldest]

    assert found(ReviewState.OPEN, None) == [0, 3, 4, 5]
    assert found(ReviewState.OPEN, "amelia") == [0, 3]
    assert found(ReviewState.OPEN, NOBODY) == [5]
    assert found(None, "amelia") == [0, 1, 2, 3]
    assert found(None, "amelia", limit=2) == [0, 1]
    assert found(None, "amelia", after=requests[1]) == [2, 3]
    assert found(ReviewState.APPROVED, "amelia") == [1]
    newest = found_by(session, account, ReviewSearch(None, requests[3], 2, "amelia"))
    assert newest == [requests[2], requests[1]]


def test_of_many_each_is_resolved_on_its_own(session: AdminSession, account: str) -> None:
    other = open_review(session, make_account(session))
    requests = [open_review(session, account) for _ in range(12)]
    resolve_review(session, account, requests[3], DECLINE)
    wanted = [requests[0], *requests, "req_x", other]
    done = resolve_reviews(session, account, wanted, APPROVE)
    refused = {one.request_id: type(one.refusal) for one in done if one.refusal is not None}
    assert refused == {requests[3]: AlreadyResolved, "req_x": NotFound, other: NotFound}
    assert len(done) == 14
    assert {labels(session, account, one)[0] for one in requests[4:]} == {Label.LEGITIMATE}
    with session.reading() as connection:
        lines = [one.action for one in audit.read(connection, account, 50)]
    assert lines.count("review.resolve") == 12
    again = resolve_reviews(session, account, requests, DECLINE)
    assert all(isinstance(one.refusal, AlreadyResolved) for one in again)
    with pytest.raises(InvalidInput, match=f"at most {MOST_AT_ONCE}"):
        resolve_reviews(session, account, [f"req_{n}" for n in range(MOST_AT_ONCE + 1)], APPROVE)
    with pytest.raises(InvalidInput, match="a reason has"):
        resolve_reviews(session, account, [open_review(session, account)], ReviewFinding(True, ""))


def test_two_who_resolve_many_at_once_resolve_each_once(
    session: AdminSession, account: str
) -> None:
    requests = [open_review(session, account) for _ in range(8)]
    won: list[str] = []

    def run(finding: ReviewFinding) -> None:
        done = resolve_reviews(session, account, requests, finding)
        won.extend(one.request_id for one in done if one.refusal is None)

    together([lambda: run(APPROVE), lambda: run(DECLINE)])
    assert sorted(won) == requests
    assert all(len(labels(session, account, one)) == 1 for one in requests)


def test_open_reviews_are_described_by_age_rule_tag_and_person(
    session: AdminSession, account: str
) -> None:
    requests = [open_review(session, account, MOMENT_MS + number) for number in range(3)]
    assign_review(session, account, requests[1], Assignment("amelia"))

    def found(wanted: ReviewFilter) -> list[int]:
        views = find_open_reviews(session, account, wanted)
        return [requests.index(one.review.request_id) for one in views]

    assert found(ReviewFilter(rule="new-card", tag="ip_hosting")) == [0, 1, 2]
    assert found(ReviewFilter(opened_before_ms=MOMENT_MS + 2)) == [0, 1]
    assert found(ReviewFilter(assignee=NOBODY)) == [0, 2]
    assert found(ReviewFilter(assignee="amelia", tag="high-value")) == [1]
    assert found(ReviewFilter(rule="other")) == found(ReviewFilter(tag="other")) == []


@pytest.mark.parametrize("delete", [False, True])
def test_what_people_wrote_about_a_request_can_be_erased(
    session: AdminSession, account: str, delete: bool
) -> None:
    request, still_open, other = (open_review(session, account) for _ in range(3))
    for each in (request, still_open, other):
        add_note(session, account, each, "lives in Main Street")
    resolve_review(session, account, request, APPROVE)
    with session.database.writing() as connection:
        wanted = [request, still_open]
        assert review_events.erase(connection, account, wanted, delete=delete) == 2
    with session.reading() as connection:
        left = {row.request_id for row in connection.execute(sa.select(REVIEWS))}
        words = {
            (row.request_id, row.words) for row in connection.execute(sa.select(REVIEW_EVENTS))
        }
    gone = {request} if delete else set()
    assert left == {request, still_open, other} - gone
    assert {name for name, told in words if told is not None} == {other}
    if not delete:
        shown = get_review(session, account, request)
        assert (shown.review.reason, shown.notes) == (None, 1)


def together(calls: list[Callable[[], None]]) -> None:
    """Run calls at the same time; the first error is raised."""
    errors: list[GatehouseError] = []

    def guarded(call: Callable[[], None]) -> None:
        try:
            call()
        except GatehouseError as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
