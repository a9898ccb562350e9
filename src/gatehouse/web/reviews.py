"""The routes of reviews: list, show and resolve them. All are free of charge."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from gatehouse.admin.reviews import LiveReviews, ReviewFinding, ReviewSearch
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import NotFound
from gatehouse.core.text import is_blank
from gatehouse.core.validation import Checked
from gatehouse.pipeline.settlement import Search
from gatehouse.store.decisions.reviews import LONGEST_REASON, AlreadyResolved, Reviewed, ReviewState
from gatehouse.store.requests.intents import IntentState
from gatehouse.web.body import Receive
from gatehouse.web.body_reader import BodyReader, refuse_unread
from gatehouse.web.context import Reply, RequestContext
from gatehouse.web.entry import Entry, path_id
from gatehouse.web.envelope import Timestamp
from gatehouse.web.problems import Problem
from gatehouse.web.query import PAGE_PARAMETERS, read_query, read_search
from gatehouse.web.records import PublicDecision, public_decision

SCOPE: Final = "reviews"
STATUSES: Final[dict[str, ReviewState | None]] = {
    "open": ReviewState.OPEN,
    "approved": ReviewState.APPROVED,
    "declined": ReviewState.DECLINED,
    "all": None,
}
DEFAULT_STATUS: Final = "open"
_PARAMETERS: Final = ("status", *PAGE_PARAMETERS)


class ReviewVerdict(StrEnum):
    """The reviewer's verdict."""

    APPROVE = "APPROVE"
    DECLINE = "DECLINE"


class ReviewResolution(Checked, msgspec.Struct, frozen=True, rename="camel"):
    """The reviewer's verdict on a decision, with the reason."""

    resolution: Annotated[
        ReviewVerdict,
        Meta(
            description="`APPROVE` when the payment was legitimate, `DECLINE` when it was fraud.",
            examples=["APPROVE"],
        ),
    ]
    reason: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=LONGEST_REASON,
            description="Why, kept with the review; card numbers in it are masked.",
            examples=["Known customer, confirmed by phone"],
        ),
    ]

    def problems(self) -> Iterator[tuple[str, str]]:
        """What is wrong with the reason beyond its form."""
        if isinstance(self.reason, str) and is_blank(self.reason):
            yield "reason", "must not be blank"


class Review(msgspec.Struct, frozen=True, rename="camel"):
    """A decision that waits for a reviewer, or was resolved by one."""

    request_id: Annotated[str, Meta(description="The `requestId` of the decision.")]
    status: Annotated[ReviewState, Meta(description="Whether it is open, and else the verdict.")]
    created_at: Annotated[Timestamp, Meta(description="When it was opened (RFC 3339).")]
    resolved_at: Annotated[Timestamp | None, Meta(description="When it was resolved (RFC 3339).")]
    resolved_by: Annotated[
        str | None, Meta(description="The key, or the operator, that resolved it.")
    ]
    reason: Annotated[str | None, Meta(description="Why, in the reviewer's words.")]
    payment_status: Annotated[
        IntentState | None,
        Meta(
            description="Of the payment that was authorized before the review: `REVIEW` while it "
            "waits, `REVERSE` when it is being reversed because the review was declined, then "
            "`REVERSED` or `FAILED`; null when there is none, or it stays as it is."
        ),
    ]
    decision: Annotated[PublicDecision | None, Meta(description="The decision it speaks of.")]


class ReviewPage(msgspec.Struct, frozen=True, rename="camel"):
    """A page of reviews, newest first."""

    reviews: list[Review]
    has_more: Annotated[bool, Meta(description="Whether there are older ones.")]


class Reviews:
    """Makes the handlers of the routes of reviews."""

    def __init__(self, entry: Entry, reviews: LiveReviews) -> None:
        self._entry = entry
        self._reviews = reviews
        self._reader = BodyReader(ReviewResolution)

    async def listing(self, context: RequestContext, _receive: Receive) -> Reply:
        """The account's reviews, newest first; by default those that are open."""
        caller = await self._entry.authenticate(context, SCOPE, "reviewsResponse", takes_query=True)
        account = caller.account
        state, page = _read_query(context.scope["query_string"])
        search = ReviewSearch(state, page.before, page.limit + 1)
        found = await self._reviews.search(caller.actor, account.account_id, search)
        shown = [public_review(one, account.currency) for one in found[: page.limit]]
        return await self._entry.answer(context, ReviewPage(shown, len(found) > page.limit))

    async def review(self, context: RequestContext, receive: Receive) -> Reply:
        """One review; a POST resolves it first."""
        caller = await self._entry.authenticate(context, SCOPE, "reviewResponse")
        which = (caller.actor, caller.account.account_id, path_id(context))
        try:
            if context.scope["method"] == "POST":
                wanted = self._reader.read(context, await self._entry.body(context, receive))
                refuse_unread(context)
                approve = wanted.resolution is ReviewVerdict.APPROVE
                found = await self._reviews.resolve(*which, ReviewFinding(approve, wanted.reason))
            else:
                found = await self._reviews.get(*which)
        except NotFound:
            raise Problem("not_found", details=["no such review for this account"]) from None
        except AlreadyResolved as late:
            raise Problem("already_resolved", details=[str(late)]) from None
        return await self._entry.answer(context, public_review(found, caller.account.currency))


def _read_query(query_string: bytes) -> tuple[ReviewState | None, Search]:
    """The requested state and page, or the `Problem` with all errors of the query."""
    query = read_query(query_string, _PARAMETERS)
    # Answers show the states in capitals, so both spellings are accepted.
    status = query.values.get("status", DEFAULT_STATUS).lower()
    wrong = {} if status in STATUSES else {"status": [f"must be one of {', '.join(STATUSES)}"]}
    return STATUSES.get(status), read_search(query, wrong)


def public_review(found: Reviewed, currency: str) -> Review:
    """A stored review in the shape of the API."""
    review, record = found.review, found.record
    resolved_at_ms = review.resolved_at_ms
    return Review(
        request_id=review.request_id,
        status=review.state,
        created_at=iso_time(review.at_ms),
        resolved_at=None if resolved_at_ms is None else iso_time(resolved_at_ms),
        resolved_by=review.actor,
        reason=review.reason,
        payment_status=found.payment,
        decision=None if record is None else public_decision(record, currency),
    )
