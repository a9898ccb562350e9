"""Use cases of people who work on reviews together: notes, and who has which review."""

from typing import Final

import msgspec

from gatehouse.access.actors import Actor
from gatehouse.admin.reviews.queries import reviews
from gatehouse.admin.reviews.queries.reviews import NOBODY, ReviewSearch
from gatehouse.admin.reviews.types import LONGEST_NOTE, ME, UNASSIGNED, person_name
from gatehouse.admin.reviews.use_cases.reviews import ReviewView, get_review, review_change
from gatehouse.core.errors import Conflict, NotFound
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.throttle import Pace
from gatehouse.store.decisions import review_events
from gatehouse.store.decisions.review_events import (
    EventDetails,
    EventKind,
    ReviewState,
    storable_words,
)

_REVIEW_ASSIGNED: Final = Phrase("refused.review_assigned", "{assignee} has {request_id}")
_NONE_UNASSIGNED: Final = Phrase("refused.none_unassigned", "no open review is without an assignee")


class AlreadyAssigned(Conflict):
    """Somebody else has the review."""

    def __init__(self, request_id: str, assignee: str) -> None:
        super().__init__(_REVIEW_ASSIGNED(assignee=assignee, request_id=request_id))


class Assignment(msgspec.Struct, frozen=True):
    """Who is to have a review."""

    assignee: str | None
    """None for nobody."""
    take_over: bool = False
    """Whether it may be taken from somebody else."""


def person_of(actor: Actor, text: str) -> str:
    """The name of a person; `me` is the actor, by the login where the user was changed since."""
    if text.casefold() != ME:
        return person_name(text)
    return person_name(actor.name.rpartition("(login ")[2].removesuffix(")"))


def assignee_of(actor: Actor, text: str | None) -> str | None:
    """The assignee of a search: a person, nobody, or None for anybody."""
    if text is None:
        return None
    return NOBODY if text.casefold() == UNASSIGNED else person_of(actor, text)


def add_note(
    session: AdminSession, account_id: str, request_id: str, text: str, pace: Pace | None = None
) -> ReviewView:
    """Add a note to a review; the newest note again, by the same actor, is not added twice."""
    words = storable_words(text, LONGEST_NOTE, "note")
    before = get_review(session, account_id, request_id)
    notes = [event for event in before.events if event.kind is EventKind.NOTE]
    if notes and (notes[-1].actor, notes[-1].words) == (str(session.actor), words):
        return before
    with review_change(session, account_id, pace) as change:
        event = (account_id, request_id, EventKind.NOTE)
        review_events.add(change, event, EventDetails(), words)
        # The note is a person's own words about a customer, as a reason is.
        change.audit("review.note", account_id, requestId=request_id)
    return get_review(session, account_id, request_id)


def assign_review(
    session: AdminSession,
    account_id: str,
    request_id: str,
    wanted: Assignment,
    pace: Pace | None = None,
) -> ReviewView:
    """Give a review to a person or to nobody; `AlreadyAssigned` when somebody else has it."""
    assignee = None if wanted.assignee is None else person_name(wanted.assignee)
    before = get_review(session, account_id, request_id)
    if before.review.assignee == assignee:
        return before
    with review_change(session, account_id, pace) as change:
        has_it = reviews.get(change.connection, account_id, request_id).assignee
        if assignee is not None and has_it not in (None, assignee) and not wanted.take_over:
            raise AlreadyAssigned(request_id, has_it)
        reviews.assign(change, account_id, request_id, assignee)
        assigned = assignee is not None
        change.audit("review.assign", account_id, requestId=request_id, assigned=assigned)
    return get_review(session, account_id, request_id)


def take_oldest(
    session: AdminSession, account_id: str, person: str, pace: Pace | None = None
) -> ReviewView:
    """Give a person the oldest open review that nobody has; `NotFound` when there is none."""
    assignee = person_name(person)
    free = ReviewSearch(ReviewState.OPEN, None, 1, NOBODY, oldest_first=True)
    with review_change(session, account_id, pace) as change:
        found = reviews.listing(change.connection, account_id, free)
        if not found:
            raise NotFound(_NONE_UNASSIGNED())
        request_id = found[0].request_id
        reviews.assign(change, account_id, request_id, assignee)
        change.audit("review.assign", account_id, requestId=request_id, assigned=True)
    return get_review(session, account_id, request_id)
