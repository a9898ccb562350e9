"""Reviews: decisions that a person has to look at, and what that person found.

A review is opened in the commit of its decision and resolved once. The finding is recorded as
feedback in the same transaction: it labels the request as fraud or as legitimate.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

import msgspec
import sqlalchemy as sa

from gatehouse.core.clock import iso_time
from gatehouse.core.errors import Conflict, InvalidInput, NotFound
from gatehouse.core.fingerprints import Fingerprints
from gatehouse.core.ids import is_id
from gatehouse.core.labels import Label, LabelSource
from gatehouse.core.redaction import recordable
from gatehouse.core.text import is_blank
from gatehouse.decisions.record import DecisionRecord
from gatehouse.decisions.record_fingerprints import decode
from gatehouse.store.admin.admin_session import Change
from gatehouse.store.database import struct_from
from gatehouse.store.feedback import feedback
from gatehouse.store.feedback.statements import FeedbackStatement, LabelReport
from gatehouse.store.requests import intents
from gatehouse.store.requests.intents import IntentState
from gatehouse.store.tables import DECISIONS, REVIEWS

LONGEST_REASON: Final = 500


class ReviewState(StrEnum):
    """Whether a review is open, and how it was resolved."""

    OPEN = "OPEN"
    APPROVED = "APPROVED"
    DECLINED = "DECLINED"


class StoredReview(msgspec.Struct, frozen=True):
    """A review as it is stored; the last three fields are of the resolution."""

    request_id: str
    at_ms: int
    state: ReviewState
    resolved_at_ms: int | None = None
    actor: str | None = None
    reason: str | None = None


class Reviewed(msgspec.Struct, frozen=True):
    """A review together with the record of its decision."""

    review: StoredReview
    record: DecisionRecord | None
    payment: IntentState | None = None
    """Of the payment that is kept for the review, or was and is reversed."""


class AlreadyResolved(Conflict):
    """The review is not open any more: it is resolved once."""

    def __init__(self, review: StoredReview) -> None:
        at = "" if review.resolved_at_ms is None else f" at {iso_time(review.resolved_at_ms)}"
        super().__init__(f"{review.request_id} was {review.state} by {review.actor}{at}")
        self.review = review


def get(connection: sa.Connection, account_id: str, request_id: str) -> StoredReview:
    """The account's review of a request; `NotFound` also for a request of another account."""
    row = None
    if is_id(request_id, "req"):
        query = sa.select(REVIEWS).where(_this(account_id, request_id))
        row = connection.execute(query).first()
    if row is None:
        raise NotFound(f"account {recordable(account_id)} has no review {recordable(request_id)}")
    return struct_from(row, StoredReview)


def get_many(
    connection: sa.Connection, account_id: str, request_ids: Sequence[str]
) -> list[StoredReview]:
    """The account's reviews of some requests, oldest first."""
    query = sa.select(REVIEWS).where(
        REVIEWS.c.account_id == account_id, REVIEWS.c.request_id.in_(request_ids)
    )
    rows = connection.execute(query.order_by(REVIEWS.c.request_id))
    return [struct_from(row, StoredReview) for row in rows]


def listing(
    connection: sa.Connection,
    account_id: str,
    state: ReviewState | None,
    before: str | None,
    limit: int,
) -> list[StoredReview]:
    """The account's reviews in a state, or in any, newest first, before the request named."""
    query = sa.select(REVIEWS).where(REVIEWS.c.account_id == account_id)
    if state is not None:
        query = query.where(REVIEWS.c.state == state.value)
    if before is not None:
        query = query.where(REVIEWS.c.request_id < before)
    rows = connection.execute(query.order_by(REVIEWS.c.request_id.desc()).limit(limit))
    return [struct_from(row, StoredReview) for row in rows]


def with_records(
    connection: sa.Connection,
    account_id: str,
    found: Sequence[StoredReview],
    fingerprints: Fingerprints,
) -> list[Reviewed]:
    """A page of reviews, each with its decision record and its payment."""
    wanted = [review.request_id for review in found]
    query = sa.select(DECISIONS.c.request_id, DECISIONS.c.record).where(
        DECISIONS.c.account_id == account_id, DECISIONS.c.request_id.in_(wanted)
    )
    records = {
        row.request_id: decode(account_id, row.record, fingerprints)
        for row in connection.execute(query)
    }
    payments = intents.states_of(connection, account_id, wanted)
    return [
        Reviewed(review, records.get(review.request_id), payments.get(review.request_id))
        for review in found
    ]


def resolve(
    change: Change, account_id: str, request_id: str, *, approve: bool, reason: str
) -> tuple[StoredReview, IntentState | None]:
    """Close an open review, label its request and end the wait of its payment.

    Returns the review and what becomes of the payment. The caller writes the audit line.
    """
    actor = str(change.actor)
    resolved = msgspec.structs.replace(
        get(change.connection, account_id, request_id),
        state=ReviewState.APPROVED if approve else ReviewState.DECLINED,
        resolved_at_ms=change.now_ms,
        actor=actor,
        reason=_stored_reason(reason),
    )
    # The state is part of the condition: of several resolutions at once exactly one succeeds.
    update = (
        REVIEWS.update()
        .where(_this(account_id, request_id), REVIEWS.c.state == ReviewState.OPEN.value)
        .values(msgspec.structs.asdict(resolved))
    )
    if change.connection.execute(update).rowcount == 0:
        raise AlreadyResolved(get(change.connection, account_id, request_id))
    feedback.record(
        change.connection,
        LabelReport(
            account_id,
            [request_id],
            FeedbackStatement(Label.LEGITIMATE if approve else Label.FRAUD),
            actor,
            LabelSource.REVIEW,
        ),
        change.now_ms,
    )
    payment = intents.end_review(
        change.connection, account_id, request_id, change.now_ms, approved=approve
    )
    return resolved, payment


def _stored_reason(reason: str) -> str:
    stored = recordable(reason.strip())
    if is_blank(reason) or len(stored) > LONGEST_REASON:
        raise InvalidInput(f"a reason has 1 to {LONGEST_REASON} characters")
    return stored


def _this(account_id: str, request_id: str) -> sa.ColumnElement[bool]:
    return sa.and_(REVIEWS.c.account_id == account_id, REVIEWS.c.request_id == request_id)
