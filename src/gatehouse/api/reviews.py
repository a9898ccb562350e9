"""The routes of reviews: list, show, assign, resolve and correct them. All are free of charge."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

import msgspec

from gatehouse.access.accounts import Caller
from gatehouse.access.actors import Actor
from gatehouse.admin.decisions.use_cases.decisions import LiveDecisions
from gatehouse.admin.reviews.queries.reviews import AlreadyResolved, NotResolved
from gatehouse.admin.reviews.types import (
    UNASSIGNED,
    BulkResolution,
    ReviewAssignment,
    ReviewChange,
    ReviewNote,
    ReviewPage,
    ReviewResolution,
    ReviewVerdict,
    person_name,
)
from gatehouse.admin.reviews.use_cases.public_reviews import public_results, public_review
from gatehouse.admin.reviews.use_cases.review_desk import AlreadyAssigned, Assignment
from gatehouse.admin.reviews.use_cases.reviews import (
    NOBODY,
    ReviewFinding,
    ReviewSearch,
    ReviewState,
    ReviewView,
)
from gatehouse.admin.reviews.worker import LiveReviews
from gatehouse.api.body import Receive
from gatehouse.api.body_reader import BodyReader, refuse_unread
from gatehouse.api.context import Reply, RequestContext
from gatehouse.api.entry import Entry, path_id
from gatehouse.api.problems import Problem
from gatehouse.api.query import PAGE_PARAMETERS, read_query, read_search
from gatehouse.core.errors import InvalidInput, NotFound
from gatehouse.store.decisions.review_events import TooManyEvents

SCOPE: Final = "reviews"
STATUSES: Final[dict[str, ReviewState | None]] = {
    "open": ReviewState.OPEN,
    "approved": ReviewState.APPROVED,
    "declined": ReviewState.DECLINED,
    "all": None,
}
DEFAULT_STATUS: Final = "open"
ORDERS: Final = ("newest", "oldest")
_PARAMETERS: Final = ("status", "assignee", "order", *PAGE_PARAMETERS)
_ONE: Final = "reviewResponse"

T = TypeVar("T", bound=ReviewChange)
Which = tuple[Actor, str, str]
"""Who changes which review: the actor, the account and the request."""


class Reviews:
    """Makes the handlers of the routes of reviews."""

    def __init__(self, entry: Entry, reviews: LiveReviews, decisions: LiveDecisions) -> None:
        self._entry = entry
        self._reviews = reviews
        self._decisions = decisions
        self._resolutions = BodyReader(ReviewResolution)
        self._bulk = BodyReader(BulkResolution)
        self._notes = BodyReader(ReviewNote)
        self._assignments = BodyReader(ReviewAssignment)

    async def listing(self, context: RequestContext, _receive: Receive) -> Reply:
        """The account's reviews, by default those that are open, newest first."""
        caller = await self._entry.authenticate(context, SCOPE, "reviewsResponse", takes_query=True)
        account = caller.account
        search = _read_query(context.scope["query_string"])
        more = msgspec.structs.replace(search, limit=search.limit + 1)
        found = await self._reviews.search(caller.actor, account.account_id, more)
        shown = [public_review(one, account.currency) for one in found[: search.limit]]
        return await self._entry.answer(context, ReviewPage(shown, len(found) > search.limit))

    async def review(self, context: RequestContext, receive: Receive) -> Reply:
        """One review; a POST resolves it first."""
        if context.scope["method"] == "POST":
            return await self._change(
                context,
                receive,
                self._resolutions,
                lambda which, wanted: self._reviews.resolve(*which, _finding(wanted)),
            )
        caller = await self._entry.authenticate(context, SCOPE, _ONE)
        with _problems():
            found = await self._reviews.get(
                caller.actor, caller.account.account_id, path_id(context)
            )
        return await self._answer(context, caller, found)

    async def correction(self, context: RequestContext, receive: Receive) -> Reply:
        """Correct the resolution of a review."""
        return await self._change(
            context,
            receive,
            self._resolutions,
            lambda which, wanted: self._reviews.correct(*which, _finding(wanted)),
        )

    async def note(self, context: RequestContext, receive: Receive) -> Reply:
        """Add a note to a review."""
        return await self._change(
            context,
            receive,
            self._notes,
            lambda which, wanted: self._reviews.note(*which, wanted.text),
        )

    async def assignment(self, context: RequestContext, receive: Receive) -> Reply:
        """Give a review to a person, or to nobody."""
        return await self._change(
            context,
            receive,
            self._assignments,
            lambda which, wanted: self._reviews.assign(
                *which, Assignment(wanted.assignee, bool(wanted.take_over))
            ),
        )

    async def resolutions(self, context: RequestContext, receive: Receive) -> Reply:
        """Resolve many reviews alike, each on its own."""
        caller = await self._entry.authenticate(context, SCOPE, "resolutionsResponse")
        wanted = await self._read(context, receive, self._bulk)
        actor = caller.actor.acting_for(wanted.reviewer)
        done = await self._reviews.resolve_many(
            actor, caller.account.account_id, wanted.request_ids, _finding(wanted)
        )
        return await self._entry.answer(context, public_results(done))

    async def _change(
        self,
        context: RequestContext,
        receive: Receive,
        reader: BodyReader[T],
        change: Callable[[Which, T], Awaitable[ReviewView]],
    ) -> Reply:
        """Change one review as its body says, and answer with it."""
        caller = await self._entry.authenticate(context, SCOPE, _ONE)
        wanted = await self._read(context, receive, reader)
        actor = caller.actor.acting_for(wanted.reviewer)
        with _problems():
            found = await change((actor, caller.account.account_id, path_id(context)), wanted)
        return await self._answer(context, caller, found)

    async def _answer(self, context: RequestContext, caller: Caller, found: ReviewView) -> Reply:
        """Answer with one review, whose decision is explained."""
        account, why = caller.account, None
        if found.record is not None:
            why = await self._decisions.explain(caller.actor, account.account_id, found.record)
        return await self._entry.answer(context, public_review(found, account.currency, why))

    async def _read(self, context: RequestContext, receive: Receive, reader: BodyReader[T]) -> T:
        wanted = reader.read(context, await self._entry.body(context, receive))
        refuse_unread(context)
        return wanted


def _finding(wanted: ReviewResolution) -> ReviewFinding:
    return ReviewFinding(wanted.resolution is ReviewVerdict.APPROVE, wanted.reason)


@contextmanager
def _problems() -> Iterator[None]:
    """Turns the refusals of the use cases into answers."""
    try:
        yield
    except NotFound:
        raise Problem("not_found", details=["no such review for this account"]) from None
    except AlreadyResolved as late:
        raise Problem("already_resolved", details=[str(late)]) from None
    except AlreadyAssigned as taken:
        raise Problem("already_assigned", details=[str(taken)]) from None
    except NotResolved as early:
        raise Problem("not_resolved", details=[str(early)]) from None
    except TooManyEvents as full:
        raise Problem("invalid_request", details=[str(full)]) from None


def _read_query(query_string: bytes) -> ReviewSearch:
    """The reviews that a query asks for, or the `Problem` with all its errors."""
    query = read_query(query_string, _PARAMETERS)
    wrong: dict[str, list[str]] = {}
    # Answers show the states in capitals, so both spellings are accepted.
    status = query.values.get("status", DEFAULT_STATUS).lower()
    if status not in STATUSES:
        wrong["status"] = [f"must be one of {', '.join(STATUSES)}"]
    order = query.values.get("order", ORDERS[0])
    if order not in ORDERS:
        wrong["order"] = [f"must be one of {', '.join(ORDERS)}"]
    assignee = query.values.get("assignee")
    if assignee is not None:
        try:
            assignee = NOBODY if assignee == UNASSIGNED else person_name(assignee)
        except InvalidInput as error:
            wrong["assignee"] = [str(error)]
    page = read_search(query, wrong)
    return ReviewSearch(
        STATUSES[status], page.before, page.limit, assignee, oldest_first=order == "oldest"
    )
