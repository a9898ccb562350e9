"""The operations that search decisions and reviews."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from msgspec import UNSET

from gatehouse.admin.decisions.use_cases.public_decisions import public_decision
from gatehouse.admin.reviews.use_cases.public_reviews import public_review
from gatehouse.admin.search.types import DecisionMatches, ReviewMatches
from gatehouse.admin.search.use_cases.decisions import search_decisions, search_reviews
from gatehouse.admin.search.use_cases.filters import (
    DecisionSearchRequest,
    ReviewSearchRequest,
    WrongFilters,
)
from gatehouse.api.free_operations import FreeCall, free_operation, operations_of
from gatehouse.api.problems import CARD_CODES, Problem
from gatehouse.store.admin.admin_session import AdminSession

_SEARCH: Final[dict[str, Any]] = {"told": "What was found", "codes": CARD_CODES, "strict": True}


class SearchRoutes:
    """Answers searches."""

    def __init__(self, session: AdminSession) -> None:
        self._session = session

    @free_operation(
        "POST /decisions/search",
        scope="decisions",
        operation="searchDecisions",
        field="decisionsResponse",
        envelope="DecisionMatches",
        **_SEARCH,
    )
    async def decisions(self, call: FreeCall[DecisionSearchRequest]) -> DecisionMatches:
        """Search decisions.

        The account's decisions, newest first, to which every filter applies. Filters are in the
        body: nothing of them is in a URL. Cards, contacts and users are compared by keyed
        fingerprints. A page can be short although there is more: `nextCursor` tells.
        """
        given = self._session.acting_as(call.actor), call.account_id, call.body
        with _problems():
            found = await asyncio.to_thread(search_decisions, *given)
        shown = [public_decision(record, call.currency) for record in found.records]
        return DecisionMatches(shown, found.next_cursor, UNSET if found.complete else True)

    @free_operation(
        "POST /reviews/search",
        scope="reviews",
        operation="searchReviews",
        field="reviewsResponse",
        envelope="ReviewMatches",
        **_SEARCH,
    )
    async def reviews(self, call: FreeCall[ReviewSearchRequest]) -> ReviewMatches:
        """Search reviews.

        The account's reviews, oldest first, to which every filter applies. Filters are in the
        body: nothing of them is in a URL. Cards, contacts and users are compared by keyed
        fingerprints. A page can be short although there is more: `nextCursor` tells.
        """
        given = self._session.acting_as(call.actor), call.account_id, call.body
        with _problems():
            found = await asyncio.to_thread(search_reviews, *given)
        shown = [public_review(one, call.currency) for one in found.reviews]
        return ReviewMatches(shown, found.next_cursor, UNSET if found.complete else True)


OPERATIONS: Final = operations_of(SearchRoutes)


@contextmanager
def _problems() -> Iterator[None]:
    """Turns filters that cannot be used into the answer that names them."""
    try:
        yield
    except WrongFilters as wrong:
        fields = {name: [problem] for name, problem in wrong.fields.items()}
        raise Problem("invalid_request", fields=fields) from None
