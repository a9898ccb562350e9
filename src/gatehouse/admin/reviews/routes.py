"""The operations of reviews: list, show, assign, resolve and correct them."""

from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from gatehouse.access.actors import Actor
from gatehouse.admin.decisions.use_cases.decisions import LiveDecisions
from gatehouse.admin.reviews.queries.reviews import AlreadyResolved, NotResolved
from gatehouse.admin.reviews.types import (
    UNASSIGNED,
    BulkResolution,
    BulkResult,
    Review,
    ReviewAssignment,
    ReviewChange,
    ReviewNote,
    ReviewPage,
    ReviewResolution,
    ReviewVerdict,
    person_name,
)
from gatehouse.admin.reviews.use_cases.public_reviews import public_results, public_review
from gatehouse.admin.reviews.use_cases.review_desk import (
    AlreadyAssigned,
    Assignment,
    add_note,
    assign_review,
)
from gatehouse.admin.reviews.use_cases.review_undo import NotUndone, reopen_review
from gatehouse.admin.reviews.use_cases.reviews import (
    NOBODY,
    ReviewFinding,
    ReviewSearch,
    ReviewState,
    ReviewView,
    correct_review,
    get_open_review,
    get_review,
    list_reviews,
    resolve_review,
)
from gatehouse.admin.reviews.worker import LiveReviews
from gatehouse.admin.workload.use_cases.review_bulk import resolve_reviews
from gatehouse.api.free_operations import PAGE, FreeCall, free_operation, operations_of
from gatehouse.api.manage.endpoints import Parameter, one_of
from gatehouse.api.problems import Problem
from gatehouse.core.errors import InvalidInput, NotFound
from gatehouse.store.decisions.review_events import TooManyEvents

_STATUSES: Final = {**{each.lower(): each for each in ReviewState}, "all": None}
_CODES: Final = {
    AlreadyResolved: "already_resolved",
    AlreadyAssigned: "already_assigned",
    NotResolved: "not_resolved",
    NotUndone: "not_undone",
    TooManyEvents: "invalid_request",
}
_ORDERS: Final = {"newest": False, "oldest": True}
_ONE: Final = {"scope": "reviews", "field": "reviewResponse"}
_CHANGED: Final[dict[str, Any]] = {**_ONE, "told": "The review as it is then"}


def _assignee(text: str) -> str:
    try:
        return NOBODY if text == UNASSIGNED else person_name(text)
    except InvalidInput as error:
        raise ValueError(str(error)) from None


_QUERY: Final = (
    Parameter(
        "status",
        "Which of them.",
        {"type": "string", "enum": [*_STATUSES], "default": "open"},
        # Answers show the states in capitals, so both spellings are accepted.
        lambda text: one_of(_STATUSES)(text.lower()),
        ReviewState.OPEN,
    ),
    Parameter(
        "assignee",
        f"Only those that this person has; `{UNASSIGNED}` are those that nobody has.",
        {"type": "string"},
        _assignee,
    ),
    Parameter(
        "order",
        "Which come first.",
        {"type": "string", "enum": [*_ORDERS], "default": "newest"},
        one_of(_ORDERS),
        False,
    ),
    *PAGE,
)


class ReviewRoutes:
    """Answers calls about reviews."""

    def __init__(self, reviews: LiveReviews, decisions: LiveDecisions) -> None:
        self._reviews = reviews
        self._decisions = decisions

    @free_operation(
        "GET /reviews",
        scope="reviews",
        operation="listReviews",
        field="reviewsResponse",
        told="A page of reviews",
        query=_QUERY,
    )
    async def listing(self, call: FreeCall[None]) -> ReviewPage:
        """Reviews.

        Decisions that a person is to look at, newest first unless the oldest are asked for.
        """
        state, assignee, oldest_first, limit, before = (call.query[each.name] for each in _QUERY)
        search = ReviewSearch(state, before, limit + 1, assignee, oldest_first=oldest_first)
        found = await self._reviews.read(list_reviews, call.actor, call.account_id, search)
        shown = [public_review(one, call.currency) for one in found[:limit]]
        return ReviewPage(shown, len(found) > limit)

    @free_operation(
        "POST /reviews/resolutions",
        scope="reviews",
        operation="resolveReviews",
        field="resolutionsResponse",
        told="What became of each",
    )
    async def resolutions(self, call: FreeCall[BulkResolution]) -> BulkResult:
        """Resolve many reviews.

        One verdict on many reviews. Each is answered on its own: one that is resolved already, or
        is not there, does not keep the others from being resolved.
        """
        actor = call.actor.acting_for(call.body.reviewer)
        finding, request_ids = _finding(call.body), call.body.request_ids
        named = (actor, call.account_id, request_ids, finding)
        return public_results(await self._reviews.label(resolve_reviews, *named))

    @free_operation("GET /reviews/{request_id}", **_ONE, operation="getReview", told="The review")
    async def review(self, call: FreeCall[None]) -> Review:
        """One review.

        A review with its decision, its notes and its history, for the account it belongs to.
        """
        which = (call.actor, call.account_id, call.path["request_id"])
        return await self._shown(call, self._reviews.read(get_review, *which))

    @free_operation(
        "POST /reviews/{request_id}",
        **_CHANGED,
        operation="resolveReview",
        codes=frozenset({"already_resolved"}),
    )
    async def resolution(self, call: FreeCall[ReviewResolution]) -> Review:
        """Resolve a review.

        Says what a person found. A review is resolved once; of several who try at the same time
        one succeeds. What was found counts as feedback.
        """
        which = _which(call)
        with _problems():
            # Refusals do not wait for the rest between two changes.
            await self._reviews.read(get_open_review, *which)
        resolved = self._reviews.label(resolve_review, *which, _finding(call.body))
        return await self._shown(call, resolved)

    @free_operation(
        "POST /reviews/{request_id}/assignment",
        **_CHANGED,
        operation="assignReview",
        codes=frozenset({"already_assigned"}),
    )
    async def assignment(self, call: FreeCall[ReviewAssignment]) -> Review:
        """Assign a review.

        Gives a review to a person, or to nobody. A person who has it already keeps it, unless it
        is taken over. The same again changes nothing.
        """
        wanted = Assignment(call.body.assignee, bool(call.body.take_over))
        return await self._shown(call, self._reviews.change(assign_review, *_which(call), wanted))

    @free_operation("POST /reviews/{request_id}/notes", **_CHANGED, operation="noteReview")
    async def note(self, call: FreeCall[ReviewNote]) -> Review:
        """Add a note to a review.

        Adds what a person writes down. The newest note of the same key is not added twice, so a
        repeat is safe.
        """
        noted = self._reviews.change(add_note, *_which(call), call.body.text)
        return await self._shown(call, noted)

    @free_operation(
        "POST /reviews/{request_id}/correction",
        **_CHANGED,
        operation="correctReview",
        codes=frozenset({"already_resolved", "not_resolved"}),
    )
    async def correction(self, call: FreeCall[ReviewResolution]) -> Review:
        """Correct a resolution.

        Changes what a person found, and the label that counts as feedback. A payment that was
        reversed does not come back; one that stands is reversed with `DECLINE`, as by a first
        resolution. The same correction again changes nothing.
        """
        corrected = self._reviews.label(correct_review, *_which(call), _finding(call.body))
        return await self._shown(call, corrected)

    @free_operation(
        "POST /reviews/{request_id}/reopening",
        **_CHANGED,
        operation="reopenReview",
        codes=frozenset({"not_resolved", "not_undone"}),
    )
    async def reopening(self, call: FreeCall[ReviewChange]) -> Review:
        """Undo a resolution.

        For ten minutes, the one who resolved a review can take that back: the review is open
        again, and the label is what it was before, unless somebody has said something else since.
        What was told stays told; the event `review.reopened` follows. A resolution that a payment
        waited for cannot be undone.
        """
        return await self._shown(call, self._reviews.label(reopen_review, *_which(call)))

    async def _shown(self, call: FreeCall[Any], work: Awaitable[ReviewView]) -> Review:
        """The review that a call asks for or has changed, whose decision is explained."""
        with _problems():
            found = await work
        why = None
        if found.record is not None:
            why = await self._decisions.explain(call.actor, call.account_id, found.record)
        return public_review(found, call.currency, why)


OPERATIONS: Final = operations_of(ReviewRoutes)


def _which(call: FreeCall[Any]) -> tuple[Actor, str, str]:
    """Who changes which review: the actor, the account and the request."""
    return call.actor.acting_for(call.body.reviewer), call.account_id, call.path["request_id"]


def _finding(wanted: ReviewResolution) -> ReviewFinding:
    return ReviewFinding(wanted.resolution is ReviewVerdict.APPROVE, wanted.reason)


@contextmanager
def _problems() -> Iterator[None]:
    """Turns the refusals of the use cases into answers."""
    try:
        yield
    except NotFound:
        raise Problem("not_found", details=["no such review for this account"]) from None
    except (AlreadyResolved, AlreadyAssigned, NotResolved, NotUndone, TooManyEvents) as refused:
        raise Problem(_CODES[type(refused)], details=[str(refused)]) from None
