"""Reviews: decisions that a person has to look at, and what that person found.

A review is opened in the commit of its decision and resolved once; after that, its resolution can
be corrected. The finding is recorded as feedback in the same transaction: it labels the request as
fraud or as legitimate.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.admin.payments.use_cases.accepting import capture_accepted
from gatehouse.admin.reviews.types import LONGEST_REASON
from gatehouse.core.cards.fingerprints import Fingerprints
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import Conflict, NotFound
from gatehouse.core.events import EventName
from gatehouse.core.ids import first_id, is_id
from gatehouse.core.money import Payment
from gatehouse.core.wording.labels import Label, LabelSource
from gatehouse.core.wording.sentences import Phrase
from gatehouse.decisions.record import DecisionRecord
from gatehouse.decisions.record_fingerprints import decode
from gatehouse.store.admin.admin_session import Change
from gatehouse.store.database import struct_from
from gatehouse.store.decisions import review_events
from gatehouse.store.decisions.review_events import (
    STATE_WORDS,
    EventDetails,
    EventKind,
    PaymentEffect,
    ReviewState,
    storable_words,
)
from gatehouse.store.feedback import feedback
from gatehouse.store.feedback.statements import FeedbackStatement, LabelReport
from gatehouse.store.payments import operations
from gatehouse.store.requests import intents
from gatehouse.store.requests.intents import IntentState
from gatehouse.store.tables import DECISIONS, REVIEWS

_RESOLVED: Final = Phrase("refused.review_resolved", "{request_id} was {state} by {actor}")
_RESOLVED_AT: Final = Phrase(
    "refused.review_resolved_at", "{request_id} was {state} by {actor} at {at}"
)

_REVIEW_OPEN: Final = Phrase(
    "refused.review_open", "{request_id} is open: there is no resolution to correct; resolve it"
)

_NO_REVIEW: Final = Phrase("refused.no_review", "account {account} has no review {id}")

NOBODY: Final = ""
"""In a search: the assignee of reviews that nobody has."""


class StoredReview(msgspec.Struct, frozen=True):
    """A review as it is stored; the fields after the state are of its newest resolution."""

    request_id: str
    at_ms: int
    state: ReviewState
    resolved_at_ms: int | None = None
    actor: str | None = None
    reason: str | None = None
    assignee: str | None = None
    """Who has it."""
    at_risk: int = 0
    """In millionths of the currency: the order's amount times the probability of fraud."""
    currency: str | None = None


class ReviewSearch(msgspec.Struct, frozen=True):
    """Which reviews are wanted: in a state or in any, after a request in their order."""

    state: ReviewState | None
    after: str | None
    limit: int
    assignee: str | None = None
    """Only those that this person has, or `NOBODY`."""
    oldest_first: bool = False
    by_risk: bool = False
    """Whether what puts most money at risk comes first; of equal ones the oldest."""
    opened_before_ms: int | None = None
    currency: str | None = None


class ReviewFinding(msgspec.Struct, frozen=True):
    """What a person found about a decision, and why."""

    approve: bool
    reason: str

    @property
    def state(self) -> ReviewState:
        """The state of a review with this finding."""
        return ReviewState.APPROVED if self.approve else ReviewState.DECLINED


class Reviewed(msgspec.Struct, frozen=True):
    """A review together with the record of its decision."""

    review: StoredReview
    record: DecisionRecord | None
    payment: IntentState | None = None
    """Of the payment that is kept for the review, or was and is reversed."""
    notes: int = 0
    """How many there are."""


class AlreadyResolved(Conflict):
    """The review is not open any more: it is resolved once."""

    def __init__(self, review: StoredReview) -> None:
        state = STATE_WORDS[review.state]()
        about = {"request_id": review.request_id, "state": state, "actor": review.actor}
        at_ms = review.resolved_at_ms
        told = _RESOLVED(**about) if at_ms is None else _RESOLVED_AT(**about, at=iso_time(at_ms))
        super().__init__(told)
        self.review = review


class NotResolved(Conflict):
    """The review is open, so there is nothing to correct."""


def get(connection: sa.Connection, account_id: str, request_id: str) -> StoredReview:
    """The account's review of a request; `NotFound` also for a request of another account."""
    row = None
    if is_id(request_id, "req"):
        query = sa.select(REVIEWS).where(_this(account_id, request_id))
        row = connection.execute(query).first()
    if row is None:
        raise NotFound(_NO_REVIEW(account=recordable(account_id), id=recordable(request_id)))
    return struct_from(row, StoredReview)


def get_many(
    connection: sa.Connection, account_id: str, request_ids: Sequence[str]
) -> list[StoredReview]:
    """The account's reviews of some requests, oldest first."""
    query = sa.select(REVIEWS).where(
        REVIEWS.c.account_id == account_id, REVIEWS.c.request_id.in_(request_ids)
    )
    rows = connection.execute(query.order_by(REVIEWS.c.request_id))
    return [struct_from(row, StoredReview) for row in rows]


def listing(connection: sa.Connection, account_id: str, search: ReviewSearch) -> list[StoredReview]:
    """The account's reviews that are wanted, newest first unless the oldest are to be."""
    if search.state is None and search.assignee is not None:
        # One state after another: the indexes by assignee have the order within each.
        each = [msgspec.structs.replace(search, state=state) for state in ReviewState]
        found = [review for one in each for review in listing(connection, account_id, one)]
        found.sort(key=lambda review: review.request_id, reverse=not search.oldest_first)
        return found[: search.limit]
    column = REVIEWS.c
    query = sa.select(REVIEWS).where(column.account_id == account_id)
    if search.state is not None:
        query = query.where(column.state == search.state.value)
    if search.assignee is not None:
        wanted = None if search.assignee == NOBODY else search.assignee
        query = query.where(column.assignee == wanted)
    if search.opened_before_ms is not None:
        query = query.where(column.at_ms < search.opened_before_ms)
    if search.currency is not None:
        query = query.where(column.currency == search.currency)
    rows = connection.execute(_ordered(query, account_id, search).limit(search.limit))
    return [struct_from(row, StoredReview) for row in rows]


def open_at(connection: sa.Connection, account_id: str, at_ms: int, now_ms: int) -> int:
    """How many reviews were open at a moment."""
    column = REVIEWS.c
    count = sa.select(sa.func.count()).where(column.account_id == account_id, column.at_ms < at_ms)
    found = connection.scalar(count.where(column.state == ReviewState.OPEN.value)) or 0
    if at_ms >= now_ms:
        return found
    # Ids grow with time, so that what was opened later is not read.
    earlier = count.where(column.request_id < first_id("req", at_ms))
    return found + (connection.scalar(earlier.where(column.resolved_at_ms >= at_ms)) or 0)


def _ordered(query: Any, account_id: str, search: ReviewSearch) -> Any:
    """A query for reviews in their order, from the one after `search.after` on."""
    name, worth, after = REVIEWS.c.request_id, REVIEWS.c.at_risk, search.after
    if not search.by_risk:
        if after is not None:
            query = query.where(name > after if search.oldest_first else name < after)
        return query.order_by(name if search.oldest_first else name.desc())
    if after is not None:
        last = sa.select(worth).where(_this(account_id, after)).scalar_subquery()
        query = query.where((worth < last) | ((worth == last) & (name > after)))
    return query.order_by(worth.desc(), name)


def with_records(
    connection: sa.Connection,
    account_id: str,
    found: Sequence[StoredReview],
    fingerprints: Fingerprints,
) -> list[Reviewed]:
    """A page of reviews, each with its decision record, its payment and the number of notes."""
    wanted = [review.request_id for review in found]
    query = sa.select(DECISIONS.c.request_id, DECISIONS.c.record).where(
        DECISIONS.c.account_id == account_id, DECISIONS.c.request_id.in_(wanted)
    )
    records = {
        row.request_id: decode(account_id, row.record, fingerprints)
        for row in connection.execute(query)
    }
    payments = intents.states_of(connection, account_id, wanted)
    notes = review_events.count_notes(connection, account_id, wanted)
    return [
        Reviewed(review, records.get(name), payments.get(name), notes.get(name, 0))
        for name, review in zip(wanted, found, strict=True)
    ]


def resolve(
    change: Change, account_id: str, request_id: str, finding: ReviewFinding
) -> tuple[StoredReview, IntentState | None]:
    """Close an open review, label its request and end the wait of its payment.

    Returns the review and what becomes of the payment. The caller writes the audit line. When it
    raises, nothing was written.
    """
    connection = change.connection
    review = get(connection, account_id, request_id)
    if review.state is not ReviewState.OPEN:
        raise AlreadyResolved(review)
    resolved = _with_finding(change, review, finding)
    payment = intents.waiting_for_review(connection, account_id, request_id)
    _store(change, account_id, resolved)
    ended = intents.end_review(
        connection, account_id, request_id, change.now_ms, approved=finding.approve
    )
    effect = None
    if payment is not None:
        effect = PaymentEffect.STANDS if finding.approve else PaymentEffect.REVERSED
    captured = finding.approve and capture_accepted(change, account_id, request_id)
    details = EventDetails(state=resolved.state, payment=payment, effect=effect, captured=captured)
    event = (account_id, request_id, EventKind.RESOLVED)
    review_events.add(change, event, details, resolved.reason)
    _tell(change, EventName.REVIEW_RESOLVED, account_id, request_id, details)
    return resolved, ended


def correct(
    change: Change, account_id: str, request_id: str, finding: ReviewFinding
) -> tuple[StoredReview, PaymentEffect | None]:
    """Change what a resolved review found, the label of its request, and its payment if possible.

    Returns the review and what became of the payment, None when there is none. The caller writes
    the audit line.
    """
    review = get(change.connection, account_id, request_id)
    if review.state is ReviewState.OPEN:
        raise NotResolved(_REVIEW_OPEN(request_id=request_id))
    if review.state is finding.state:
        raise AlreadyResolved(review)
    corrected = _with_finding(change, review, finding)
    payment, effect = _correct_payment(change, account_id, request_id, approve=finding.approve)
    captured = finding.approve and capture_accepted(change, account_id, request_id)
    details = EventDetails(state=corrected.state, payment=payment, effect=effect, captured=captured)
    event = (account_id, request_id, EventKind.CORRECTED)
    review_events.add(change, event, details, corrected.reason)
    _store(change, account_id, corrected)
    _tell(change, EventName.REVIEW_CORRECTED, account_id, request_id, details)
    return corrected, effect


def reopen(change: Change, account_id: str, request_id: str) -> StoredReview:
    """Undo a resolution that nothing depends on any more; the caller has checked that.

    The label is what it was before, unless somebody has said something else since.
    """
    review = get(change.connection, account_id, request_id)
    said = feedback.history(change.connection, account_id, request_id)
    ours = (review.actor, review.resolved_at_ms, LabelSource.REVIEW)
    if said and (said[0].actor, said[0].recorded_at_ms, said[0].source) == ours:
        before = said[1].statement if len(said) > 1 else FeedbackStatement(Label.WITHDRAWN)
        report = _report(change, account_id, request_id, before)
        feedback.record(change.connection, report, change.now_ms)
    opened = msgspec.structs.replace(
        review, state=ReviewState.OPEN, resolved_at_ms=None, actor=None, reason=None
    )
    update = REVIEWS.update().where(_this(account_id, request_id))
    change.connection.execute(update.values(msgspec.structs.asdict(opened)))
    details = EventDetails(state=ReviewState.OPEN)
    review_events.add(change, (account_id, request_id, EventKind.REOPENED), details)
    _tell(change, EventName.REVIEW_REOPENED, account_id, request_id, details)
    return opened


def assign(change: Change, account_id: str, request_id: str, assignee: str | None) -> None:
    """Give a review to a person, or to nobody; the caller writes the audit line."""
    event = (account_id, request_id, EventKind.ASSIGNED)
    review_events.add(change, event, EventDetails(assignee=assignee))
    update = REVIEWS.update().where(_this(account_id, request_id)).values(assignee=assignee)
    change.connection.execute(update)
    change.event(EventName.REVIEW_ASSIGNED, account_id, request_id, {"assignee": assignee})


def _tell(
    change: Change, kind: EventName, account_id: str, request_id: str, details: EventDetails
) -> None:
    """Tell the account what a review found; the reason stays with the review."""
    change.event(kind, account_id, request_id, {"state": details.state, "payment": details.effect})


def _with_finding(change: Change, review: StoredReview, finding: ReviewFinding) -> StoredReview:
    return msgspec.structs.replace(
        review,
        state=finding.state,
        resolved_at_ms=change.now_ms,
        actor=str(change.actor),
        reason=storable_words(finding.reason, LONGEST_REASON, "reason"),
    )


def _store(change: Change, account_id: str, review: StoredReview) -> None:
    """Store a review with its new finding, and label its request."""
    # All changes hold one lock, so the row is as it was read: of several who resolve a review at
    # once, exactly one finds it open.
    update = REVIEWS.update().where(_this(account_id, review.request_id))
    change.connection.execute(update.values(msgspec.structs.asdict(review)))
    approved = review.state is ReviewState.APPROVED
    found = FeedbackStatement(Label.LEGITIMATE if approved else Label.FRAUD)
    report = _report(change, account_id, review.request_id, found)
    feedback.record(change.connection, report, change.now_ms)


def _report(
    change: Change, account_id: str, request_id: str, said: FeedbackStatement
) -> LabelReport:
    return LabelReport(account_id, [request_id], said, str(change.actor), LabelSource.REVIEW)


def _correct_payment(
    change: Change, account_id: str, request_id: str, *, approve: bool
) -> tuple[Payment | None, PaymentEffect | None]:
    """What a correction changes about the payment that waited for the review, if one did."""
    connection = change.connection
    payment, before = review_events.payment_of(connection, account_id, request_id)
    if payment is None:
        return None, None
    if approve:
        kept = intents.keep_reviewed(connection, account_id, request_id)
        return payment, PaymentEffect.STANDS if kept else PaymentEffect.LOST
    if before is PaymentEffect.STANDS:
        if operations.is_used(connection, account_id, request_id):
            # It was captured or voided meanwhile: a refund gives the money back.
            return payment, PaymentEffect.STANDS
        intents.reverse_reviewed(connection, account_id, request_id, payment, change.now_ms)
        return payment, PaymentEffect.REVERSED
    return payment, PaymentEffect.LOST


def _this(account_id: str, request_id: str) -> sa.ColumnElement[bool]:
    return sa.and_(REVIEWS.c.account_id == account_id, REVIEWS.c.request_id == request_id)
