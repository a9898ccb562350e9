"""Many reviews at once: find the open ones of a kind, and resolve them alike."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Final

import msgspec
import sqlalchemy as sa

from gatehouse.admin.reviews.use_cases.reviews import (
    AlreadyResolved,
    ReviewFinding,
    ReviewSearch,
    ReviewState,
    ReviewView,
    StoredReview,
    list_reviews,
    resolve_in,
    review_change,
    stored_review,
)
from gatehouse.core.errors import GatehouseError, InvalidInput, NotFound
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.throttle import Pace

_REVIEWS_MANY: Final = Phrase(
    "refused.reviews_many",
    "more than {most} open reviews are meant, which is the most at once; say more exactly which",
)
_REVIEWS_AT_ONCE: Final = Phrase(
    "refused.reviews_at_once", "at most {most} reviews are resolved at once"
)
_REVIEWS_EXAMINED: Final = Phrase(
    "refused.reviews_examined",
    "there are more than {most} open reviews; say more exactly which, by assignee or age",
)

MOST_AT_ONCE: Final = 500
"""How many reviews are resolved by one call."""
MOST_EXAMINED: Final = 10_000
"""How many open reviews are examined for those of a kind, oldest first."""
_PAGE: Final = 500
# One takes 7 ms of the processor, and requests wait for the write lock meanwhile.
_IN_ONE_TRANSACTION: Final = 5


class ReviewFilter(msgspec.Struct, frozen=True):
    """Which open reviews are meant: those for which all that is given holds."""

    assignee: str | None = None
    """The person who has them, or `NOBODY`."""
    opened_before_ms: int | None = None
    rule: str | None = None
    """A rule that matched."""
    tag: str | None = None

    def holds(self, view: ReviewView) -> bool:
        """Whether a review is meant, by its summary."""
        summary = view.summary
        rules, tags = ([], []) if summary is None else (summary.rules, summary.tags)
        return (self.rule is None or self.rule in rules) and (self.tag is None or self.tag in tags)


class ResolvedItem(msgspec.Struct, frozen=True):
    """What became of one of many reviews: its state, or why it was not resolved."""

    request_id: str
    review: StoredReview | None
    """As it is now; None when there is none."""
    refusal: GatehouseError | None = None


class _NothingChanged(Exception):
    """Ends a change that has nothing to write, and so no audit line."""


def find_open_reviews(
    session: AdminSession, account_id: str, wanted: ReviewFilter
) -> list[ReviewView]:
    """The open reviews that are meant, oldest first; `InvalidInput` when they are too many."""
    meant = (view for view in _open_reviews(session, account_id, wanted) if wanted.holds(view))
    found = list(islice(meant, MOST_AT_ONCE + 1))
    if len(found) > MOST_AT_ONCE:
        raise InvalidInput(_REVIEWS_MANY(most=MOST_AT_ONCE))
    return found


def examine_reviews(
    session: AdminSession, account_id: str, request_ids: Sequence[str]
) -> list[ResolvedItem]:
    """What would keep these reviews from being resolved; nothing is changed."""
    session.actor.check_account(account_id)
    with session.reading() as connection:
        return [_looked_at(connection, account_id, name) for name in _at_once(request_ids)]


def resolve_reviews(
    session: AdminSession,
    account_id: str,
    request_ids: Sequence[str],
    finding: ReviewFinding,
    pace: Pace | None = None,
) -> list[ResolvedItem]:
    """Resolve many open reviews alike; one that cannot be resolved does not stop the others."""
    session.actor.check_account(account_id)
    pace = pace or Pace(session.database)
    wanted = _at_once(request_ids)
    done: list[ResolvedItem] = []
    for start in range(0, len(wanted), _IN_ONE_TRANSACTION):
        batch = wanted[start : start + _IN_ONE_TRANSACTION]
        done += _resolve_batch(session, account_id, batch, finding, pace)
    return done


def _at_once(request_ids: Sequence[str]) -> list[str]:
    """Each once, in their order; `InvalidInput` when they are too many."""
    wanted = list(dict.fromkeys(request_ids))
    if len(wanted) > MOST_AT_ONCE:
        raise InvalidInput(_REVIEWS_AT_ONCE(most=MOST_AT_ONCE))
    return wanted


def _open_reviews(
    session: AdminSession, account_id: str, wanted: ReviewFilter
) -> Iterator[ReviewView]:
    after = None
    for _ in range(MOST_EXAMINED // _PAGE):
        search = ReviewSearch(ReviewState.OPEN, after, _PAGE, wanted.assignee, oldest_first=True)
        page = list_reviews(session, account_id, search)
        for view in page:
            if wanted.opened_before_ms is not None and view.review.at_ms >= wanted.opened_before_ms:
                return
            yield view
        if len(page) < _PAGE:
            return
        after = page[-1].review.request_id
    raise InvalidInput(_REVIEWS_EXAMINED(most=MOST_EXAMINED))


def _resolve_batch(
    session: AdminSession,
    account_id: str,
    batch: Sequence[str],
    finding: ReviewFinding,
    pace: Pace,
) -> list[ResolvedItem]:
    """What became of each; without any that is open, no lock is taken."""
    with session.reading() as connection:
        before = {name: _looked_at(connection, account_id, name) for name in batch}
    if all(item.refusal is not None for item in before.values()):
        return [*before.values()]
    done = []
    with suppress(_NothingChanged), review_change(session, account_id, pace) as change:
        for name in batch:
            # Somebody else may have resolved it meanwhile.
            item = _looked_at(change.connection, account_id, name)
            if item.refusal is None:
                item = ResolvedItem(name, resolve_in(change, account_id, name, finding))
            done.append(item)
        if change.audit_head is None:
            raise _NothingChanged
    return done


def _looked_at(connection: sa.Connection, account_id: str, request_id: str) -> ResolvedItem:
    try:
        review = stored_review(connection, account_id, request_id)
    except NotFound as missing:
        return ResolvedItem(request_id, None, missing)
    is_open = review.state is ReviewState.OPEN
    return ResolvedItem(request_id, review, None if is_open else AlreadyResolved(review))
