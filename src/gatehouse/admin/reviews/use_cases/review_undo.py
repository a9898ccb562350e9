"""Use case: undo a resolution for ten minutes, as long as nothing was done because of it."""

from typing import Final

from gatehouse.admin.reviews.queries import reviews
from gatehouse.admin.reviews.queries.reviews import NotResolved, StoredReview
from gatehouse.admin.reviews.use_cases.reviews import ReviewView, get_review, review_change
from gatehouse.core.errors import Conflict
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.admin.admin_session import AdminSession, Change
from gatehouse.store.admin.throttle import Pace
from gatehouse.store.decisions import review_events
from gatehouse.store.decisions.review_events import EventKind, ReviewEvent, ReviewState

_OPEN: Final = Phrase("refused.undo_open", "{request_id} is open: there is nothing to undo")
_LATE: Final = Phrase(
    "refused.undo_late",
    "{request_id} was resolved more than {minutes} minutes ago; correct its resolution",
)
_OTHERS: Final = Phrase(
    "refused.undo_others",
    "the newest resolution of {request_id} is not yours, or is a correction; correct it",
)
_PAID: Final = Phrase(
    "refused.undo_paid",
    "a payment waited for {request_id}, and what becomes of money cannot be undone; correct the "
    "resolution: a payment that stands is then reversed, one that was reversed does not come back",
)

_CAPTURED: Final = Phrase(
    "refused.undo_captured",
    "the payment of {request_id} is captured, as its pipeline says, and that cannot be undone; "
    "correct the resolution, and refund the payment",
)

UNDO_MS: Final = 600_000
"""For so long the one who resolved a review may undo that."""
_MINUTE_MS: Final = 60_000


class NotUndone(Conflict):
    """A resolution cannot be undone, or not any more."""


def reopen_review(
    session: AdminSession, account_id: str, request_id: str, pace: Pace | None = None
) -> ReviewView:
    """Undo a resolution: the review is open again, and its label is what it was before.

    For ten minutes, by the one who resolved it, and unless a payment waited for it. `NotUndone`
    says why not.
    """
    get_review(session, account_id, request_id)
    with review_change(session, account_id, pace) as change:
        reopen_in(change, account_id, request_id)
    return get_review(session, account_id, request_id)


def reopen_in(
    change: Change, account_id: str, request_id: str, *, in_time: bool = False
) -> StoredReview:
    """Reopen a review within a change, with its audit line; raises before it writes.

    `in_time` is for one of many, whose time counts from the end of the last.
    """
    review = reviews.get(change.connection, account_id, request_id)
    events = review_events.history(change.connection, account_id, request_id)
    now_ms = (review.resolved_at_ms or 0) if in_time else change.now_ms
    refusal = _refusal(review, events, str(change.actor), now_ms)
    if refusal is not None:
        raise refusal
    change.audit("review.reopen", account_id, requestId=request_id)
    return reviews.reopen(change, account_id, request_id)


def can_undo(session: AdminSession, account_id: str, view: ReviewView) -> bool:
    """Whether the actor of the session may undo the resolution of a review now."""
    session.actor.check_account(account_id)
    return _refusal(view.review, view.events, str(session.actor), session.clock()) is None


def _refusal(
    review: StoredReview,
    events: "list[ReviewEvent] | tuple[ReviewEvent, ...]",
    actor: str,
    now: int,
) -> Conflict | None:
    about = {"request_id": review.request_id}
    if review.state is ReviewState.OPEN:
        return NotResolved(_OPEN(**about))
    found = [each for each in events if each.details.state is not None]
    if not found or found[-1].kind is not EventKind.RESOLVED or found[-1].actor != actor:
        return NotUndone(_OTHERS(**about))
    if found[-1].details.captured:
        return NotUndone(_CAPTURED(**about))
    if found[-1].details.payment is not None:
        return NotUndone(_PAID(**about))
    if found[-1].at_ms + UNDO_MS < now:
        return NotUndone(_LATE(**about, minutes=UNDO_MS // _MINUTE_MS))
    return None
