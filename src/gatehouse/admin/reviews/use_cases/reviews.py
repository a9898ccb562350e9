"""Use cases about reviews: list them, show one, resolve one, correct a resolution."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import msgspec
import sqlalchemy as sa

from gatehouse.admin.decisions.use_cases.decisions import explain_decision
from gatehouse.admin.decisions.use_cases.review_summary import (
    ReviewSummary,
    rule_descriptions,
    summarise,
)
from gatehouse.admin.reviews.queries import reviews
from gatehouse.admin.reviews.queries.reviews import (
    NOBODY,
    AlreadyResolved,
    Reviewed,
    ReviewFinding,
    ReviewSearch,
    StoredReview,
)
from gatehouse.admin.reviews.queries.reviews import get as stored_review
from gatehouse.admin.reviews.types import LONGEST_REASON
from gatehouse.explanations.explanation import Explanation
from gatehouse.store.admin.admin_session import AdminSession, Change
from gatehouse.store.admin.throttle import Pace
from gatehouse.store.configured.list_plans import chunks
from gatehouse.store.decisions import review_events
from gatehouse.store.decisions.review_events import (
    EventDetails,
    EventKind,
    PaymentEffect,
    ReviewEvent,
    ReviewState,
    storable_words,
)

# What the store takes and returns, for faces.
__all__ = [
    "NOBODY",
    "AlreadyResolved",
    "EventKind",
    "PaymentEffect",
    "ReviewEvent",
    "ReviewFinding",
    "ReviewSearch",
    "ReviewState",
    "Reviewed",
    "StoredReview",
    "stored_review",
]

PAYMENT_MEANING: Final = {
    PaymentEffect.STANDS: "its payment stands",
    PaymentEffect.REVERSED: "its payment is being reversed",
    PaymentEffect.LOST: (
        "its payment was sent to be reversed before, and a correction cannot bring it back"
    ),
}
"""What a resolution or a correction meant for the payment that waited for the review."""
_OPENED_BY: Final = "service"


class ReviewView(Reviewed, frozen=True):
    """A review as people see it."""

    summary: ReviewSummary | None = None
    """None when the record is gone."""
    events: tuple[ReviewEvent, ...] = ()
    """What happened to it, oldest first; only of a review that is shown alone."""


def list_reviews(session: AdminSession, account_id: str, search: ReviewSearch) -> list[ReviewView]:
    """The account's reviews with their decisions, newest first unless the oldest are to be."""
    session.actor.check_account(account_id)
    with session.reading() as connection:
        found = reviews.listing(connection, account_id, search)
        return review_views(session, connection, account_id, found)


def reviews_of(
    session: AdminSession, account_id: str, request_ids: Sequence[str]
) -> list[StoredReview]:
    """The reviews of some requests as they are now."""
    session.actor.check_account(account_id)
    with session.reading() as connection:
        return reviews.get_many(connection, account_id, request_ids)


def open_reviews_at(connection: sa.Connection, account_id: str, at_ms: int, now_ms: int) -> int:
    """How many reviews were open at a moment; at one that has not come, those that are now."""
    return reviews.open_at(connection, account_id, at_ms, now_ms)


def open_among(connection: sa.Connection, account_id: str, request_ids: Sequence[str]) -> list[str]:
    """Those of some requests of an account whose reviews are open."""
    return [
        each.request_id
        for some in chunks(request_ids)
        for each in reviews.get_many(connection, account_id, some)
        if each.state is ReviewState.OPEN
    ]


def resolved_among(
    connection: sa.Connection, account_id: str, request_ids: Sequence[str]
) -> dict[str, tuple[int, ReviewState]]:
    """When and how the reviews of some requests were resolved, those that are not open."""
    return {
        each.request_id: (each.resolved_at_ms, each.state)
        for each in reviews.get_many(connection, account_id, request_ids)
        if each.resolved_at_ms is not None and each.state is not ReviewState.OPEN
    }


def open_ids(session: AdminSession, account_id: str, search: ReviewSearch) -> list[str]:
    """The requests of the reviews that are wanted, without reading their decisions."""
    session.actor.check_account(account_id)
    with session.reading() as connection:
        return [each.request_id for each in reviews.listing(connection, account_id, search)]


def get_review(session: AdminSession, account_id: str, request_id: str) -> ReviewView:
    """One review with its decision and its history; `NotFound` also about another account's."""
    session.actor.check_account(account_id)
    with session.reading() as connection:
        found = reviews.get(connection, account_id, request_id)
        [view] = review_views(session, connection, account_id, [found])
        since = review_events.history(connection, account_id, request_id)
    opened = ReviewEvent(0, found.at_ms, _OPENED_BY, EventKind.OPENED, EventDetails(), None)
    return msgspec.structs.replace(view, events=(opened, *since))


def get_open_review(session: AdminSession, account_id: str, request_id: str) -> ReviewView:
    """One review that can be resolved; `AlreadyResolved` when it is not open."""
    found = get_review(session, account_id, request_id)
    if found.review.state is not ReviewState.OPEN:
        raise AlreadyResolved(found.review)
    return found


def resolve_review(
    session: AdminSession,
    account_id: str,
    request_id: str,
    finding: ReviewFinding,
    pace: Pace | None = None,
) -> ReviewView:
    """Resolve an open review and label its request; `AlreadyResolved` when it is not open.

    A payment that was authorized before is reversed with a review that is declined.
    """
    # A resolved review is refused before the write lock is taken, which requests need.
    get_open_review(session, account_id, request_id)
    with review_change(session, account_id, pace) as change:
        resolve_in(change, account_id, request_id, finding)
    return get_review(session, account_id, request_id)


def correct_review(
    session: AdminSession,
    account_id: str,
    request_id: str,
    finding: ReviewFinding,
    pace: Pace | None = None,
) -> ReviewView:
    """Correct the resolution of a review, and the label of its request.

    The same correction again changes nothing. `AlreadyResolved` when another one found the same
    before, `Conflict` while the review is open.
    """
    before = get_review(session, account_id, request_id)
    if _was_said(str(session.actor), before, finding):
        return before
    with review_change(session, account_id, pace) as change:
        corrected, effect = reviews.correct(change, account_id, request_id, finding)
        more = {} if effect is None else {"payment": effect.value}
        about = {"requestId": request_id, "state": corrected.state.value, **more}
        change.audit("review.correct", account_id, **about)
    return get_review(session, account_id, request_id)


@contextmanager
def review_change(
    session: AdminSession, account_id: str, pace: Pace | None = None
) -> Iterator[Change]:
    """Change reviews of an account beside running servers, which need not be told."""
    session.actor.check_account(account_id)
    with (pace or Pace(session.database)).turn(), session.change(unseen=True) as change:
        yield change


def resolve_in(
    change: Change, account_id: str, request_id: str, finding: ReviewFinding
) -> StoredReview:
    """Resolve an open review within a change, with its audit line; raises before it writes."""
    resolved, payment = reviews.resolve(change, account_id, request_id, finding)
    # The reason is a person's own words about a customer: it stays out of a log from which
    # nothing can be erased.
    more = {} if payment is None else {"payment": payment.value}
    about = {"requestId": request_id, "state": resolved.state.value, **more}
    change.audit("review.resolve", account_id, **about)
    return resolved


def explain_review(session: AdminSession, account_id: str, view: ReviewView) -> Explanation | None:
    """Why the decision of a review was made; None when its record is gone."""
    session.actor.check_account(account_id)
    return None if view.record is None else explain_decision(session, account_id, view.record)


def payment_sentence(view: ReviewView) -> str | None:
    """What the newest resolution meant for the payment; None when no payment waited for it."""
    told = [event.details.effect for event in view.events if event.details.state is not None]
    return None if not told or told[-1] is None else PAYMENT_MEANING[told[-1]]


def review_views(
    session: AdminSession,
    connection: sa.Connection,
    account_id: str,
    found: Sequence[StoredReview],
) -> list[ReviewView]:
    """Stored reviews of the account as people see them, without what happened to each."""
    session.actor.check_account(account_id)
    seen = reviews.with_records(connection, account_id, found, session.fingerprints)
    descriptions = rule_descriptions(connection, account_id, [one.record for one in seen])
    return [
        ReviewView(
            *(one.review, one.record, one.payment, one.notes),
            None if one.record is None else summarise(one.record, descriptions),
        )
        for one in seen
    ]


def _was_said(actor: str, view: ReviewView, finding: ReviewFinding) -> bool:
    """Whether the newest resolution is this correction, by the same actor with the same reason."""
    resolutions = [event for event in view.events if event.details.state is not None]
    if not resolutions or resolutions[-1].kind is not EventKind.CORRECTED:
        return False
    last = resolutions[-1]
    same = last.details.state is finding.state and last.actor == actor
    return same and last.words == storable_words(finding.reason, LONGEST_REASON, "reason")
