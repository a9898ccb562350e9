"""The routes that search decisions and reviews. Both are free of charge."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType

from gatehouse.admin.decisions.use_cases.public_decisions import PublicDecision, public_decision
from gatehouse.admin.reviews.types import Review
from gatehouse.admin.reviews.use_cases.public_reviews import public_review
from gatehouse.admin.search.use_cases.decisions import LiveSearch
from gatehouse.admin.search.use_cases.filters import (
    DecisionSearchRequest,
    ReviewSearchRequest,
    WrongFilters,
)
from gatehouse.api.body import Receive
from gatehouse.api.body_reader import BodyReader, read_strictly
from gatehouse.api.context import Reply, RequestContext
from gatehouse.api.entry import Entry
from gatehouse.api.problems import Problem
from gatehouse.api.reviews import SCOPE as REVIEWS_SCOPE

_SCOPE: Final = "decisions"

_NextCursor = Annotated[
    str | None,
    Meta(description="Send it as `cursor` for what follows; null when there is nothing more."),
]


_StillIndexing = Annotated[
    bool | UnsetType,
    Meta(
        description="Only there, and true, while decisions of an earlier version are being "
        "indexed after an upgrade: some of them may be missing."
    ),
]


class DecisionMatches(msgspec.Struct, frozen=True, rename="camel"):
    """A page of decisions that were searched for, newest first."""

    decisions: list[PublicDecision]
    next_cursor: _NextCursor
    still_indexing: _StillIndexing = UNSET


class ReviewMatches(msgspec.Struct, frozen=True, rename="camel"):
    """A page of reviews that were searched for, oldest first."""

    reviews: list[Review]
    next_cursor: _NextCursor
    still_indexing: _StillIndexing = UNSET


class SearchRoutes:
    """Makes the handlers of these routes."""

    def __init__(self, entry: Entry, search: LiveSearch) -> None:
        self._entry = entry
        self._search = search
        self._decisions = BodyReader(DecisionSearchRequest)
        self._reviews = BodyReader(ReviewSearchRequest)

    async def decisions(self, context: RequestContext, receive: Receive) -> Reply:
        """Decisions to which every filter of the body applies."""
        caller = await self._entry.authenticate(context, _SCOPE, "decisionsResponse")
        body = await self._entry.body(context, receive)
        wanted = read_strictly(self._decisions, context, body)
        account = caller.account
        with _problems():
            found = await self._search.decisions(caller.actor, account.account_id, wanted)
        shown = [public_decision(record, account.currency) for record in found.records]
        page = DecisionMatches(shown, found.next_cursor, UNSET if found.complete else True)
        return await self._entry.answer(context, page)

    async def reviews(self, context: RequestContext, receive: Receive) -> Reply:
        """Reviews to which every filter of the body applies."""
        caller = await self._entry.authenticate(context, REVIEWS_SCOPE, "reviewsResponse")
        body = await self._entry.body(context, receive)
        wanted = read_strictly(self._reviews, context, body)
        account = caller.account
        with _problems():
            found = await self._search.reviews(caller.actor, account.account_id, wanted)
        shown = [public_review(one, account.currency) for one in found.reviews]
        page = ReviewMatches(shown, found.next_cursor, UNSET if found.complete else True)
        return await self._entry.answer(context, page)


@contextmanager
def _problems() -> Iterator[None]:
    """Turns filters that cannot be used into the answer that names them."""
    try:
        yield
    except WrongFilters as wrong:
        fields = {name: [problem] for name, problem in wrong.fields.items()}
        raise Problem("invalid_request", fields=fields) from None
