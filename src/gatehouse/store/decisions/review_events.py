"""What happened to reviews: assignments, notes, resolutions and corrections, one row for each.

Rows are only added. Their details hold nothing about the customer; the words of a person are kept
apart, so that they can be erased.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

import msgspec
import sqlalchemy as sa

from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import Conflict, InvalidInput
from gatehouse.core.money import Payment
from gatehouse.core.wording.sentences import Phrase, phrases_of
from gatehouse.core.wording.text import is_blank
from gatehouse.store.admin.admin_session import Change
from gatehouse.store.database import struct_from
from gatehouse.store.tables import REVIEW_EVENTS, REVIEWS

_WORDS: Final = {
    called: Phrase(f"refused.words_{called}", f"a {called} has 1 to {{most}} characters")
    for called in ("note", "reason")
}

_REVIEW_EVENTS: Final = Phrase(
    "refused.review_events",
    "this review has {most} events of the kind {kind}, and more are not kept",
)

MOST_OF_A_KIND: Final = 100
"""How many events of one kind are kept about one review."""

_EVENT: Final = REVIEW_EVENTS.c


class ReviewState(StrEnum):
    """Whether a review is open, and how it was resolved."""

    OPEN = "OPEN"
    APPROVED = "APPROVED"
    DECLINED = "DECLINED"


STATE_WORDS: Final = phrases_of("word.review", {each.value: each.value for each in ReviewState})


class EventKind(StrEnum):
    """What can happen to a review."""

    OPENED = "OPENED"
    ASSIGNED = "ASSIGNED"
    NOTE = "NOTE"
    RESOLVED = "RESOLVED"
    CORRECTED = "CORRECTED"
    REOPENED = "REOPENED"


_KINDS: Final = phrases_of("word.review_event", {each.value: each.value for each in EventKind})


class PaymentEffect(StrEnum):
    """What became of the payment that waited for a review."""

    STANDS = "STANDS"
    """It was not reversed."""
    REVERSED = "REVERSED"
    """It stood until now, and is being reversed."""
    LOST = "LOST"
    """It was reversed before, and cannot be brought back."""


class EventDetails(msgspec.Struct, frozen=True, omit_defaults=True):
    """What changed: who has the review; or its state, and what that meant for the payment."""

    assignee: str | None = None
    state: ReviewState | None = None
    payment: Payment | None = None
    """The payment that waited for the review, if one did."""
    effect: PaymentEffect | None = None
    captured: bool = False
    """Whether the capture of the payment was asked for with it, because its pipeline says so."""


class ReviewEvent(msgspec.Struct, frozen=True):
    """One line of the history of a review."""

    seq: int
    at_ms: int
    actor: str
    kind: EventKind
    details: EventDetails
    words: str | None
    """The note or the reason; None when there is none, or it was erased."""


class TooManyEvents(Conflict):
    """A review has as many events of a kind as are kept."""

    def __init__(self, kind: EventKind) -> None:
        super().__init__(_REVIEW_EVENTS(most=MOST_OF_A_KIND, kind=_KINDS[kind]()))


_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(EventDetails).decode


def add(
    change: Change,
    event: tuple[str, str, EventKind],
    details: EventDetails,
    words: str | None = None,
) -> None:
    """Add an event of an account's request; the caller writes the audit line.

    `TooManyEvents` when the review has as many of its kind as are kept.
    """
    account_id, request_id, kind = event
    this = (_EVENT.account_id == account_id) & (_EVENT.request_id == request_id)
    query = sa.select(sa.func.max(_EVENT.seq), sa.func.sum(sa.case((_EVENT.kind == kind, 1))))
    last, alike = change.connection.execute(query.where(this)).one()
    if (alike or 0) >= MOST_OF_A_KIND:
        raise TooManyEvents(kind)
    row = {
        "account_id": account_id,
        "request_id": request_id,
        "seq": (last or 0) + 1,
        "at_ms": change.now_ms,
        "actor": str(change.actor),
        "kind": kind.value,
        "details": _encode(details).decode(),
        "words": words,
    }
    change.connection.execute(REVIEW_EVENTS.insert(), row)


def history(connection: sa.Connection, account_id: str, request_id: str) -> list[ReviewEvent]:
    """What happened to a review since it was opened, oldest first."""
    query = sa.select(REVIEW_EVENTS).where(
        _EVENT.account_id == account_id, _EVENT.request_id == request_id
    )
    rows = connection.execute(query.order_by(_EVENT.seq))
    return [struct_from(row, ReviewEvent, details=_decode(row.details)) for row in rows]


def payment_of(
    connection: sa.Connection, account_id: str, request_id: str
) -> tuple[Payment | None, PaymentEffect | None]:
    """The payment that waited for a review, and what became of it last."""
    told = [each.details for each in history(connection, account_id, request_id)]
    about_payment = [details for details in told if details.payment is not None]
    return (about_payment[-1].payment, about_payment[-1].effect) if about_payment else (None, None)


def count_notes(
    connection: sa.Connection, account_id: str, request_ids: Sequence[str]
) -> dict[str, int]:
    """How many notes each of these reviews has; those without any are left out."""
    query = sa.select(_EVENT.request_id, sa.func.count().label("notes")).where(
        _EVENT.account_id == account_id,
        _EVENT.request_id.in_(request_ids),
        _EVENT.kind == EventKind.NOTE.value,
    )
    rows = connection.execute(query.group_by(_EVENT.request_id))
    return {row.request_id: row.notes for row in rows}


def storable_words(words: str, most: int, called: str) -> str:
    """A person's words as they are kept, in one line, card numbers masked; or `InvalidInput`."""
    stored = recordable(" ".join(words.split()))
    if is_blank(words) or len(stored) > most:
        raise InvalidInput(_WORDS[called](most=most))
    return stored


def erase(
    connection: sa.Connection, account_id: str, request_ids: Sequence[str], *, delete: bool
) -> int:
    """Erase what people wrote about these requests; or `delete` all about them but open reviews.

    An open review is never deleted, because a payment may wait for it. Returns how many reviews
    were touched. The caller writes the audit line.
    """
    events = (_EVENT.account_id == account_id) & _EVENT.request_id.in_(request_ids)
    reviews = (REVIEWS.c.account_id == account_id) & REVIEWS.c.request_id.in_(request_ids)
    connection.execute(REVIEW_EVENTS.update().where(events).values(words=None))
    touched = connection.execute(REVIEWS.update().where(reviews).values(reason=None)).rowcount
    if delete:
        resolved = reviews & (REVIEWS.c.state != ReviewState.OPEN.value)
        gone = list(connection.scalars(sa.select(REVIEWS.c.request_id).where(resolved)))
        connection.execute(REVIEW_EVENTS.delete().where(events, _EVENT.request_id.in_(gone)))
        connection.execute(REVIEWS.delete().where(resolved))
    return touched
