"""Use cases of people who work through the reviews in a browser: one review, one person."""

from collections.abc import Mapping
from typing import Final

import sqlalchemy as sa

from gatehouse.access.visitors import Visitor
from gatehouse.admin.reviews.queries import review_claims, reviews
from gatehouse.admin.reviews.queries.review_claims import ReviewClaim
from gatehouse.admin.reviews.use_cases.reviews import (
    ReviewFinding,
    ReviewSearch,
    ReviewState,
    resolve_in,
    review_change,
)
from gatehouse.core.errors import Conflict
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.admin.admin_session import AdminSession

# What the store returns, for faces.
__all__ = ["ReviewClaim"]

_REVIEW_CLAIMED: Final = Phrase("refused.review_claimed", "{name} has this review open")

CLAIM_MS: Final = 90_000
"""How long a claim lasts after the page was last seen open."""
_LOOKED_AT: Final = 200
"""How many open reviews are looked through for one that nobody has."""


class AlreadyClaimed(Conflict):
    """Somebody else has the review open."""

    def __init__(self, claim: ReviewClaim) -> None:
        super().__init__(_REVIEW_CLAIMED(name=claim.name))
        self.claim = claim


def claim_review(
    session: AdminSession,
    account_id: str,
    request_id: str,
    person: Visitor,
    *,
    page: str = "",
    take_over: bool = False,
) -> ReviewClaim:
    """Take a review for as long as its page is open; or `AlreadyClaimed`."""
    session.actor.check_account(account_id)
    wanted = _claim(session, request_id, person, page)
    with session.database.writing() as connection:
        reviews.get(connection, account_id, request_id)
        if take_over:
            review_claims.take_over(connection, account_id, wanted)
            return wanted
        return _take(connection, account_id, wanted, session.clock())


def claim_next(
    session: AdminSession,
    account_id: str,
    person: Visitor,
    after: str | None = None,
    *,
    by_risk: bool = False,
) -> str | None:
    """Take the next open review that nobody else works on; None when there is none.

    That is the oldest one, or with `by_risk` the one that puts most money at risk. Reviews that
    are assigned to the person come first. `after` leaves out what comes before it, so that a review
    can be passed over.
    """
    session.actor.check_account(account_id)
    with session.database.writing() as connection:
        search = ReviewSearch(
            ReviewState.OPEN, after, _LOOKED_AT, oldest_first=True, by_risk=by_risk
        )
        found = reviews.listing(connection, account_id, search)
        taken = _by_others(session, review_claims.claims(connection, account_id), person)
        free = [
            each
            for each in found
            if each.request_id not in taken and each.assignee in (None, person.login)
        ]
        free.sort(key=lambda each: each.assignee is None)
        for each in free:
            wanted = _claim(session, each.request_id, person)
            counts = review_claims.claim(connection, account_id, wanted, session.clock())
            if counts.user_id == person.user_id:
                return each.request_id
    return None


def release_review(
    session: AdminSession, account_id: str, request_id: str, person: Visitor, *, page: str = ""
) -> None:
    """Give back a review that the person has open.

    A page that is closed names itself: what another page asked for in the meantime stays.
    """
    session.actor.check_account(account_id)
    with session.database.writing() as connection:
        reviews.get(connection, account_id, request_id)
        review_claims.release(connection, account_id, request_id, person.user_id, page)


def resolve_claimed(
    session: AdminSession,
    account_id: str,
    request_id: str,
    person: Visitor,
    finding: ReviewFinding,
) -> None:
    """Resolve a review that nobody else has open; or `AlreadyClaimed`."""
    with review_change(session, account_id) as change:
        connection = change.connection
        # A review that is resolved needs nobody who has it.
        if reviews.get(connection, account_id, request_id).state is ReviewState.OPEN:
            # A colleague may have taken it since the page was made.
            wanted = _claim(session, request_id, person)
            _take(connection, account_id, wanted, change.now_ms)
        resolve_in(change, account_id, request_id, finding)
        review_claims.release(connection, account_id, request_id, person.user_id, "")


def claims_of_others(
    session: AdminSession, account_id: str, person: Visitor
) -> Mapping[str, ReviewClaim]:
    """What colleagues have open now, by request."""
    with session.account_reading(account_id) as connection:
        found = review_claims.claims(connection, account_id)
    return _by_others(session, found, person)


def _take(
    connection: sa.Connection, account_id: str, wanted: ReviewClaim, now_ms: int
) -> ReviewClaim:
    counts = review_claims.claim(connection, account_id, wanted, now_ms)
    if counts.user_id != wanted.user_id:
        raise AlreadyClaimed(counts)
    return counts


def _by_others(
    session: AdminSession, found: list[ReviewClaim], person: Visitor
) -> dict[str, ReviewClaim]:
    now_ms = session.clock()
    return {
        each.request_id: each
        for each in found
        if each.until_ms > now_ms and each.user_id != person.user_id
    }


def _claim(session: AdminSession, request_id: str, person: Visitor, page: str = "") -> ReviewClaim:
    until_ms = session.clock() + CLAIM_MS
    return ReviewClaim(request_id, person.user_id, person.name, until_ms, page)
