"""Use cases: search decisions and reviews."""

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final, NamedTuple

import msgspec
import sqlalchemy as sa

from gatehouse.admin.reviews.queries import reviews
from gatehouse.admin.reviews.use_cases.reviews import ReviewView, review_views
from gatehouse.admin.search.queries.pages import IdPage, PageWanted, find_page
from gatehouse.admin.search.queries.sources import (
    AnySource,
    IdSpan,
    OtherSource,
    by_review_states,
    every_decision,
    every_review,
)
from gatehouse.admin.search.use_cases.filters import (
    DEFAULT_PAGE,
    DecisionSearchRequest,
    ReviewSearchRequest,
    WrongFilters,
)
from gatehouse.admin.search.use_cases.sources import listed, sources_of, span_of
from gatehouse.admin.search.use_cases.values import SearchValues
from gatehouse.core.ids import is_id
from gatehouse.core.wording.sentences import Phrase
from gatehouse.decisions.record import DecisionRecord
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.named_cards import NamedCards
from gatehouse.store.decisions import decisions
from gatehouse.store.search.indexing import is_complete

_SEARCH_CURSOR: Final = Phrase("refused.search_cursor", "must be the nextCursor of the page before")

_MARK: Final = "1"


class FoundDecisions(msgspec.Struct, frozen=True):
    """A page of decisions, newest first."""

    records: list[DecisionRecord]
    next_cursor: str | None
    """None when there are no more."""
    complete: bool = True
    """Whether decisions of earlier versions are all in the index."""


class FoundIds(NamedTuple):
    """The ids of a page of decisions, newest first."""

    request_ids: list[str]
    next_cursor: str | None


class FoundReviews(msgspec.Struct, frozen=True):
    """A page of reviews, oldest first."""

    reviews: list[ReviewView]
    next_cursor: str | None
    complete: bool = True


class DecisionFinder:
    """Finds the decisions of one search, page by page; a card in it is named once for all pages."""

    def __init__(
        self,
        session: AdminSession,
        account_id: str,
        search: DecisionSearchRequest,
        columns: OtherSource | None = None,
    ) -> None:
        """Raises `WrongFilters` about all that cannot be used.

        `columns` finds by what only the copy in columns has, where there is one.
        """
        session.actor.check_reads(account_id)
        self._session = session
        self._account_id = account_id
        with NamedCards(session, account_id, "decisions") as cards:
            sources: list[AnySource] = [*sources_of(SearchValues(session, cards), search)]
        if columns is not None:
            sources.append(columns)
        self._has_all = columns is None or columns.is_complete
        self._sources = sources or [every_decision(account_id)]
        self._span = span_of(search.at)

    def decisions(self, cursor: str | None, limit: int) -> FoundDecisions:
        """A page of decisions, newest first."""
        with self._session.reading() as connection:
            page = self._page(connection, cursor, limit)
            prints = self._session.fingerprints
            found = decisions.get_many(connection, self._account_id, page.request_ids, prints)
            complete = self._has_all and is_complete(connection)
            return FoundDecisions(found, cursor_after(page.reached), complete)

    def ids(self, cursor: str | None, limit: int) -> FoundIds:
        """The ids alone, which need far less time; `limit` can be above that of a page."""
        with self._session.reading() as connection:
            page = self._page(connection, cursor, limit)
            return FoundIds(page.request_ids, cursor_after(page.reached))

    def _page(self, connection: sa.Connection, cursor: str | None, limit: int) -> IdPage:
        span, before = self._span, _read_cursor(cursor)
        if before is not None:
            span = span._replace(before=min(before, span.before or before))
        return find_page(connection, self._sources, PageWanted(span, limit))


def search_decisions(
    session: AdminSession,
    account_id: str,
    search: DecisionSearchRequest,
    columns: OtherSource | None = None,
) -> FoundDecisions:
    """The account's decisions to which all filters apply, newest first."""
    find = DecisionFinder(session, account_id, search, columns)
    return find.decisions(search.cursor, search.limit or DEFAULT_PAGE)


def search_reviews(
    session: AdminSession, account_id: str, search: ReviewSearchRequest
) -> FoundReviews:
    """The account's reviews to which all filters apply, oldest first."""
    with NamedCards(session, account_id, "reviews") as cards:
        sources = sources_of(SearchValues(session, cards), search)
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
        return FoundReviews(found, cursor_after(page.reached), is_complete(connection))


def cursor_after(reached: str | None) -> str | None:
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
        raise WrongFilters({"cursor": _SEARCH_CURSOR()})
    return cursor[len(_MARK) :]
