"""Reviews: decisions that a person has to look at, and what that person found.

A review is opened in the commit of its decision and resolved once. Its resolution is kept as
feedback in the same transaction: it labels the request as fraud or as legitimate.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from enum import StrEnum
from typing import Any, Final, TypeVar

import msgspec
import sqlalchemy as sa

from gatehouse.access.actors import Actor
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import Conflict, InvalidInput, NotFound
from gatehouse.core.ids import is_id
from gatehouse.core.labels import Label, LabelSource
from gatehouse.core.redaction import recordable
from gatehouse.core.text import is_blank
from gatehouse.decisions.record import DecisionRecord, decode
from gatehouse.store.admin.admin_session import AdminSession, Change
from gatehouse.store.admin.throttle import Pace
from gatehouse.store.database import Database
from gatehouse.store.feedback import feedback
from gatehouse.store.feedback.feedback_queue import make_known
from gatehouse.store.tables import DECISIONS, REVIEWS

LONGEST_REASON: Final = 500

T = TypeVar("T")


class ReviewState(StrEnum):
    """Whether a review is open, and how it was resolved."""

    OPEN = "OPEN"
    APPROVED = "APPROVED"
    DECLINED = "DECLINED"


class StoredReview(msgspec.Struct, frozen=True):
    """A review as it is stored."""

    request_id: str
    at_ms: int
    state: ReviewState
    resolved_at_ms: int | None = None
    actor: str | None = None
    reason: str | None = None


class Reviewed(msgspec.Struct, frozen=True):
    """A review together with the record of the decision it speaks of."""

    review: StoredReview
    record: DecisionRecord | None


class AlreadyResolved(Conflict):
    """The review is resolved already: a review is resolved once."""

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
    return _review(row)


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
    return [_review(row) for row in rows]


def with_records(
    connection: sa.Connection, account_id: str, found: Sequence[StoredReview]
) -> list[Reviewed]:
    """A page of reviews, each with its decision record."""
    wanted = [review.request_id for review in found]
    query = sa.select(DECISIONS.c.request_id, DECISIONS.c.record).where(
        DECISIONS.c.account_id == account_id, DECISIONS.c.request_id.in_(wanted)
    )
    records = {row.request_id: decode(row.record) for row in connection.execute(query)}
    return [Reviewed(review, records.get(review.request_id)) for review in found]


def resolve(
    change: Change, account_id: str, request_id: str, *, approve: bool, reason: str
) -> StoredReview:
    """Close an open review and label its request; `AlreadyResolved` when it is not open."""
    actor = str(change.actor)
    resolved = msgspec.structs.replace(
        get(change.connection, account_id, request_id),
        state=ReviewState.APPROVED if approve else ReviewState.DECLINED,
        resolved_at_ms=change.now_ms,
        actor=actor,
        reason=_kept_reason(reason),
    )
    # The state is part of the condition, so that of several at once exactly one succeeds.
    update = (
        REVIEWS.update()
        .where(_this(account_id, request_id), REVIEWS.c.state == ReviewState.OPEN.value)
        .values(
            state=resolved.state.value,
            resolved_at_ms=resolved.resolved_at_ms,
            actor=actor,
            reason=resolved.reason,
        )
    )
    if change.connection.execute(update).rowcount == 0:
        raise AlreadyResolved(get(change.connection, account_id, request_id))
    feedback.note(
        change.connection,
        account_id,
        [request_id],
        feedback.FeedbackStatement(Label.LEGITIMATE if approve else Label.FRAUD),
        actor=actor,
        source=LabelSource.REVIEW,
        now_ms=change.now_ms,
    )
    # The reason may be about a customer, and nothing can be erased from the audit log.
    change.audit("review.resolve", account_id, requestId=request_id, state=resolved.state.value)
    return resolved


class RecordedReviews:
    """The same for a running server: queries run on a thread, changes one at a time."""

    def __init__(self, session: AdminSession, noted: Callable[[], Awaitable[None]]) -> None:
        """`noted` is awaited after every resolution, before the caller is answered."""
        self._session = session
        self._noted = noted
        self._database: Database = session.database
        self._pace = Pace(session.database)
        self._one_at_a_time = asyncio.Lock()

    async def get(self, account_id: str, request_id: str) -> Reviewed:
        """One review, or `NotFound`."""

        def ask() -> Reviewed:
            with self._database.reading() as connection:
                found = get(connection, account_id, request_id)
                return with_records(connection, account_id, [found])[0]

        return await _on_a_thread(ask)

    async def search(
        self, account_id: str, state: ReviewState | None, before: str | None, limit: int
    ) -> list[Reviewed]:
        """Reviews, newest first."""

        def ask() -> list[Reviewed]:
            with self._database.reading() as connection:
                found = listing(connection, account_id, state, before, limit)
                return with_records(connection, account_id, found)

        return await _on_a_thread(ask)

    async def resolve(
        self, account_id: str, request_id: str, *, approve: bool, reason: str, actor: Actor
    ) -> Reviewed:
        """Resolve an open review in the name of the actor."""
        # Check for a resolved review before taking the write lock.
        seen = await self.get(account_id, request_id)
        if seen.review.state is not ReviewState.OPEN:
            raise AlreadyResolved(seen.review)
        session = self._session.acting_as(actor)

        def settle() -> StoredReview:
            with self._pace.turn(), session.change(unseen=True) as change:
                return resolve(change, account_id, request_id, approve=approve, reason=reason)

        async with self._one_at_a_time:
            resolved = await _on_a_thread(settle)
        await make_known(self._noted)
        return Reviewed(resolved, seen.record)


async def _on_a_thread(question: Callable[[], T]) -> T:
    return await asyncio.get_running_loop().run_in_executor(None, question)


def _kept_reason(reason: str) -> str:
    kept = recordable(reason.strip())
    if is_blank(reason) or len(kept) > LONGEST_REASON:
        raise InvalidInput(f"a reason has 1 to {LONGEST_REASON} characters")
    return kept


def _this(account_id: str, request_id: str) -> sa.ColumnElement[bool]:
    return sa.and_(REVIEWS.c.account_id == account_id, REVIEWS.c.request_id == request_id)


def _review(row: Any) -> StoredReview:
    return StoredReview(
        row.request_id,
        row.at_ms,
        ReviewState(row.state),
        row.resolved_at_ms,
        row.actor,
        row.reason,
    )
