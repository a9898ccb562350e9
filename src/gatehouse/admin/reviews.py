"""Use cases about reviews: list them, show one, resolve one, for commands and running servers."""

import asyncio
from collections.abc import Awaitable, Callable

import msgspec

from gatehouse.access.actors import Actor
from gatehouse.admin.feedback.live import announce
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.throttle import Pace
from gatehouse.store.decisions import reviews
from gatehouse.store.decisions.reviews import AlreadyResolved, Reviewed, ReviewState, StoredReview

# What the store returns, for faces.
__all__ = ["AlreadyResolved", "ReviewState", "Reviewed", "StoredReview"]


class ReviewSearch(msgspec.Struct, frozen=True):
    """Which reviews are wanted: in a state or in any, older than a request."""

    state: ReviewState | None
    before: str | None
    limit: int


class ReviewFinding(msgspec.Struct, frozen=True):
    """What a person found about a decision, and why."""

    approve: bool
    reason: str


def list_reviews(session: AdminSession, account_id: str, search: ReviewSearch) -> list[Reviewed]:
    """The account's reviews with their decisions, newest first."""
    session.actor.check_account(account_id)
    with session.reading() as connection:
        found = reviews.listing(connection, account_id, search.state, search.before, search.limit)
        return reviews.with_records(connection, account_id, found, session.fingerprints)


def get_review(session: AdminSession, account_id: str, request_id: str) -> Reviewed:
    """One review with its decision; `NotFound` also about another account's."""
    session.actor.check_account(account_id)
    with session.reading() as connection:
        found = reviews.get(connection, account_id, request_id)
        return reviews.with_records(connection, account_id, [found], session.fingerprints)[0]


def get_open_review(session: AdminSession, account_id: str, request_id: str) -> Reviewed:
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
) -> Reviewed:
    """Resolve an open review and label its request; `AlreadyResolved` when it is not open."""
    # A resolved review is refused before the write lock is taken, which requests need.
    seen = get_open_review(session, account_id, request_id)
    pace = pace or Pace(session.database)
    with pace.turn(), session.change(unseen=True) as change:
        resolved = reviews.resolve(
            change, account_id, request_id, approve=finding.approve, reason=finding.reason
        )
        # The reason is a person's own words about a customer: it stays out of a log from which
        # nothing can be erased.
        state = resolved.state.value
        change.audit("review.resolve", account_id, requestId=request_id, state=state)
    return Reviewed(resolved, seen.record)


class LiveReviews:
    """The same use cases for callers of the API, on a thread and one change at a time."""

    def __init__(
        self, session: AdminSession, labels_recorded: Callable[[], Awaitable[None]]
    ) -> None:
        """`labels_recorded` is awaited after every resolution, before its sender is answered."""
        self._session = session
        self._labels_recorded = labels_recorded
        self._pace = Pace(session.database)
        self._one_at_a_time = asyncio.Lock()

    async def get(self, actor: Actor, account_id: str, request_id: str) -> Reviewed:
        """One review."""
        session = self._session.acting_as(actor)
        return await asyncio.to_thread(get_review, session, account_id, request_id)

    async def search(self, actor: Actor, account_id: str, search: ReviewSearch) -> list[Reviewed]:
        """Reviews, newest first."""
        session = self._session.acting_as(actor)
        return await asyncio.to_thread(list_reviews, session, account_id, search)

    async def resolve(
        self, actor: Actor, account_id: str, request_id: str, finding: ReviewFinding
    ) -> Reviewed:
        """Resolve an open review durably."""
        session = self._session.acting_as(actor)
        # Refusals do not wait for the rest between two changes.
        await asyncio.to_thread(get_open_review, session, account_id, request_id)
        async with self._one_at_a_time:
            resolved = await asyncio.to_thread(
                resolve_review, session, account_id, request_id, finding, self._pace
            )
        await announce(self._labels_recorded)
        return resolved
