"""Use cases: search decisions and reviews, for commands and running servers."""

import asyncio
import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final

import msgspec

from gatehouse.access.actors import Actor
from gatehouse.admin.reviews import ReviewView, review_views
from gatehouse.admin.search.filters import (
    DEFAULT_PAGE,
    DecisionSearchRequest,
    ReviewSearchRequest,
    WrongFilters,
)
from gatehouse.admin.search.sources import listed, sources_of, span_of
from gatehouse.admin.search.values import SearchValues
from gatehouse.core.ids import is_id
from gatehouse.decisions.record import DecisionRecord
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.decisions import decisions, reviews
from gatehouse.store.search.indexing import is_complete
from gatehouse.store.search.pages import PageWanted, find_page
from gatehouse.store.search.sources import IdSpan, by_review_states, every_decision, every_review

_MARK: Final = "1"


class FoundDecisions(msgspec.Struct, frozen=True):
    """A page of decisions, newest first."""

    records: list[DecisionRecord]
    next_cursor: str | None
    """None when there are no more."""
    complete: bool = True
    """Whether decisions of earlier versions are all in the index."""


class FoundReviews(msgspec.Struct, frozen=True):
    """A page of reviews, oldest first."""

    reviews: list[ReviewView]
    next_cursor: str | None
    complete: bool = True


def search_decisions(
    session: AdminSession, account_id: str, search: DecisionSearchRequest
) -> FoundDecisions:
    """The account's decisions to which all filters apply, newest first."""
    session.actor.check_account(account_id)
    sources = sources_of(SearchValues(session, account_id), search)
    span, cursor = span_of(search.at), _read_cursor(search.cursor)
    if cursor is not None:
        span = span._replace(before=min(cursor, span.before or cursor))
    with session.reading() as connection:
        wanted = PageWanted(span, search.limit or DEFAULT_PAGE)
        page = find_page(connection, sources or [every_decision(account_id)], wanted)
        found = decisions.get_many(connection, account_id, page.request_ids, session.fingerprints)
        return FoundDecisions(found, _cursor(page.reached), is_complete(connection))


def search_reviews(
    session: AdminSession, account_id: str, search: ReviewSearchRequest
) -> FoundReviews:
    """The account's reviews to which all filters apply, oldest first."""
    session.actor.check_account(account_id)
    sources = sources_of(SearchValues(session, account_id), search)
    if search.status is None:
        sources.append(every_review(account_id))
    else:
        sources.append(by_review_states(account_id, listed(search.status)))
    span, cursor = span_of(search.at), _read_cursor(search.cursor)
    if cursor is not None:
        span = IdSpan(max(cursor, span.after or cursor), span.before)
    with session.reading() as connection:
        page = find_page(
            connection, sources, PageWanted(span, search.limit or DEFAULT_PAGE, newest_first=False)
        )
        stored = reviews.get_many(connection, account_id, page.request_ids)
        found = review_views(session, connection, account_id, stored)
        return FoundReviews(found, _cursor(page.reached), is_complete(connection))


class LiveSearch:
    """The same use cases for callers of the API, on a thread."""

    def __init__(self, session: AdminSession) -> None:
        self._session = session

    async def decisions(
        self, actor: Actor, account_id: str, search: DecisionSearchRequest
    ) -> FoundDecisions:
        """Decisions, newest first."""
        session = self._session.acting_as(actor)
        return await asyncio.to_thread(search_decisions, session, account_id, search)

    async def reviews(
        self, actor: Actor, account_id: str, search: ReviewSearchRequest
    ) -> FoundReviews:
        """Reviews, oldest first."""
        session = self._session.acting_as(actor)
        return await asyncio.to_thread(search_reviews, session, account_id, search)


def _cursor(reached: str | None) -> str | None:
    """Where the next page begins, in a form that callers hand back as it is."""
    if reached is None:
        return None
    return urlsafe_b64encode(f"{_MARK}{reached}".encode()).decode().rstrip("=")


def _read_cursor(text: str | None) -> str | None:
    if text is None:
        return None
    try:
        cursor = urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode()
    except (binascii.Error, UnicodeError, ValueError):
        cursor = ""
    if not (cursor.startswith(_MARK) and is_id(cursor[len(_MARK) :], "req")):
        raise WrongFilters({"cursor": "must be the nextCursor of the page before"})
    return cursor[len(_MARK) :]
