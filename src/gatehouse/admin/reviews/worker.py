"""The use cases of reviews on a running server: on a thread, and one change at a time."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from gatehouse.access.actors import Actor
from gatehouse.admin.feedback.worker.live import announce
from gatehouse.admin.reviews.use_cases.review_bulk import ResolvedItem, resolve_reviews
from gatehouse.admin.reviews.use_cases.review_desk import Assignment, add_note, assign_review
from gatehouse.admin.reviews.use_cases.reviews import (
    ReviewFinding,
    ReviewSearch,
    ReviewView,
    correct_review,
    get_open_review,
    get_review,
    list_reviews,
    resolve_review,
)
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.throttle import Pace

Done = TypeVar("Done")


class LiveReviews:
    """The use cases for callers of the API; refusals are those of the use cases."""

    def __init__(
        self, session: AdminSession, labels_recorded: Callable[[], Awaitable[None]]
    ) -> None:
        """`labels_recorded` is awaited after every resolution, before its sender is answered."""
        self._session = session
        self._labels_recorded = labels_recorded
        self._pace = Pace(session.database)
        self._one_at_a_time = asyncio.Lock()

    async def get(self, actor: Actor, account_id: str, request_id: str) -> ReviewView:
        """One review with its history."""
        session = self._acting(actor)
        return await asyncio.to_thread(get_review, session, account_id, request_id)

    async def search(self, actor: Actor, account_id: str, search: ReviewSearch) -> list[ReviewView]:
        """Reviews in the order that the search asks for."""
        session = self._acting(actor)
        return await asyncio.to_thread(list_reviews, session, account_id, search)

    async def note(self, actor: Actor, account_id: str, request_id: str, text: str) -> ReviewView:
        """Add a note durably."""
        return await self._change(add_note, actor, account_id, request_id, text)

    async def assign(
        self, actor: Actor, account_id: str, request_id: str, wanted: Assignment
    ) -> ReviewView:
        """Give a review to a person, or to nobody."""
        return await self._change(assign_review, actor, account_id, request_id, wanted)

    async def resolve(
        self, actor: Actor, account_id: str, request_id: str, finding: ReviewFinding
    ) -> ReviewView:
        """Resolve an open review durably."""
        session = self._acting(actor)
        # Refusals do not wait for the rest between two changes.
        await asyncio.to_thread(get_open_review, session, account_id, request_id)
        return await self._label(resolve_review, actor, account_id, request_id, finding)

    async def correct(
        self, actor: Actor, account_id: str, request_id: str, finding: ReviewFinding
    ) -> ReviewView:
        """Correct the resolution of a review durably."""
        return await self._label(correct_review, actor, account_id, request_id, finding)

    async def resolve_many(
        self, actor: Actor, account_id: str, request_ids: Sequence[str], finding: ReviewFinding
    ) -> list[ResolvedItem]:
        """Resolve reviews alike, each on its own."""
        return await self._label(resolve_reviews, actor, account_id, request_ids, finding)

    def _acting(self, actor: Actor) -> AdminSession:
        return self._session.acting_as(actor)

    async def _label(self, use_case: Callable[..., Done], actor: Actor, *given: Any) -> Done:
        """A change that labels requests, of which others are told."""
        done = await self._change(use_case, actor, *given)
        await announce(self._labels_recorded)
        return done

    async def _change(self, use_case: Callable[..., Done], actor: Actor, *given: Any) -> Done:
        async with self._one_at_a_time:
            return await asyncio.to_thread(use_case, self._acting(actor), *given, self._pace)
