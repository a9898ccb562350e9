"""Payments with an unknown result: which are due for reversal, and how their reversal ended.

The writer adds an intent, settles it or marks it for reversal in the commits of its request. The
functions here do the rest.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.core.errors import Conflict, NotFound
from gatehouse.core.events import EventName, NewEvent, encode_data
from gatehouse.core.ids import derived_id
from gatehouse.core.money import Payment
from gatehouse.store.admin.admin_session import Change
from gatehouse.store.database import struct_from
from gatehouse.store.events import outbox
from gatehouse.store.tables import GATEWAY_INTENTS, HOLDS

_INTENT: Final = GATEWAY_INTENTS.c
_DELETED_AT_ONCE: Final = 1000
_DECLINED_REVIEW: Final = "declined_review"


class IntentState(StrEnum):
    """The state of a payment without a clear answer."""

    OPEN = "OPEN"
    """Its request is in flight."""
    REVIEW = "REVIEW"
    """It was made, and its request waits for a review; it is reversed if that is declined."""
    REVERSE = "REVERSE"
    """It must be reversed."""
    REVERSED = "REVERSED"
    """The gateway has confirmed the reversal."""
    FAILED = "FAILED"
    """All attempts to reverse it failed; a person must handle it."""


_TOLD: Final = {
    IntentState.REVERSED: EventName.PAYMENT_REVERSED,
    IntentState.FAILED: EventName.PAYMENT_REVERSAL_FAILED,
}


class KeptIntent(msgspec.Struct, frozen=True):
    """A payment as it is stored."""

    request_id: str
    account_id: str
    amount_minor: int
    currency: str
    at_ms: int
    state: IntentState
    attempts: int
    next_at_ms: int | None
    """When the next step is due. While a payment is being reversed, it also shows its worker that
    no other worker has claimed the payment."""
    changed_at_ms: int
    detail: str | None
    reference: str | None = None
    """How the gateway finds it, where the request id is not enough."""

    @property
    def payment(self) -> Payment:
        """What is to be paid."""
        return Payment(self.amount_minor, self.currency, self.reference)


def anything_due(connection: sa.Connection, now_ms: int) -> bool:
    """Whether any payment is due for reversal."""
    return connection.scalar(sa.select(_INTENT.request_id).where(_due(now_ms)).limit(1)) is not None


def claim(connection: sa.Connection, now_ms: int, until_ms: int, at_most: int) -> list[KeptIntent]:
    """Claim due payments; no other server claims them before `until_ms`."""
    wanted = sa.select(GATEWAY_INTENTS).where(_due(now_ms)).order_by(_INTENT.next_at_ms)
    rows = connection.execute(wanted.limit(at_most).with_for_update(skip_locked=True)).all()
    if not rows:
        return []
    taken_now = {"next_at_ms": until_ms, "changed_at_ms": now_ms}
    taken = _INTENT.request_id.in_([row.request_id for row in rows])
    connection.execute(
        GATEWAY_INTENTS.update().where(taken).values(attempts=_INTENT.attempts + 1, **taken_now)
    )
    return [
        msgspec.structs.replace(
            struct_from(row, KeptIntent), attempts=row.attempts + 1, **taken_now
        )
        for row in rows
    ]


def finish(connection: sa.Connection, claimed: KeptIntent, ended: KeptIntent) -> bool:
    """Record how a reversal ended, unless the payment was marked for reversal again meanwhile."""
    still_ours = (
        (_INTENT.request_id == claimed.request_id)
        & (_INTENT.state == IntentState.REVERSE)
        & (_INTENT.next_at_ms == claimed.next_at_ms)
    )
    change = GATEWAY_INTENTS.update().where(still_ours).values(msgspec.structs.asdict(ended))
    done = connection.execute(change).rowcount == 1
    if done and ended.state in _TOLD:
        outbox.add(connection, [_event(ended)])
    return done


def _event(ended: KeptIntent) -> NewEvent:
    kind, at_ms = _TOLD[ended.state], ended.changed_at_ms
    said = {
        "amountMinor": ended.amount_minor,
        "currency": ended.currency,
        "attempts": ended.attempts,
        "reason": ended.detail,
    }
    return NewEvent(
        derived_id("evt", at_ms, f"{kind} {ended.attempts} {ended.request_id}"),
        ended.account_id,
        at_ms,
        kind,
        "reversals",
        ended.request_id,
        encode_data(said),
    )


def abandoned(connection: sa.Connection) -> list[str]:
    """Requests that ended without settling their payment."""
    return list(connection.scalars(_without_hold()))


def doubt_abandoned(connection: sa.Connection, now_ms: int) -> int:
    """Mark the payments for reversal whose requests ended without settling them."""
    found = list(connection.scalars(_without_hold().with_for_update(skip_locked=True)))
    connection.execute(
        GATEWAY_INTENTS.update()
        .where(_INTENT.request_id.in_(found))
        .values(
            state=IntentState.REVERSE, next_at_ms=now_ms, changed_at_ms=now_ms, detail="abandoned"
        )
    )
    return len(found)


def anything_to_delete(connection: sa.Connection, now_ms: int) -> bool:
    """Whether any payment was reversed more than 30 days ago."""
    return connection.scalar(sa.select(_INTENT.request_id).where(_old(now_ms)).limit(1)) is not None


def delete_old(connection: sa.Connection, now_ms: int) -> int:
    """Delete some of the payments that were reversed more than 30 days ago."""
    chosen = sa.select(_INTENT.request_id).where(_old(now_ms)).limit(_DELETED_AT_ONCE)
    done = GATEWAY_INTENTS.delete().where(_INTENT.request_id.in_(chosen.scalar_subquery()))
    return connection.execute(done).rowcount


def waiting_for_review(
    connection: sa.Connection, account_id: str, request_id: str
) -> Payment | None:
    """The payment that waits for the review of a request, or None."""
    query = sa.select(_INTENT.amount_minor, _INTENT.currency, _INTENT.reference)
    row = connection.execute(query.where(_waiting(account_id, request_id))).first()
    return None if row is None else Payment(*row)


def end_review(
    connection: sa.Connection, account_id: str, request_id: str, now_ms: int, *, approved: bool
) -> IntentState | None:
    """End the wait of a payment for its review; its state then, or None when none is kept."""
    waiting = _waiting(account_id, request_id)
    if approved:
        connection.execute(GATEWAY_INTENTS.delete().where(waiting))
        return None
    reverse = _to_reverse(now_ms)
    marked = connection.execute(GATEWAY_INTENTS.update().where(waiting).values(reverse)).rowcount
    return IntentState.REVERSE if marked else None


def keep_reviewed(connection: sa.Connection, account_id: str, request_id: str) -> bool:
    """Let a payment stand whose review was declined, unless its reversal was asked for already."""
    untouched = (
        (_INTENT.request_id == request_id)
        & (_INTENT.account_id == account_id)
        & (_INTENT.state == IntentState.REVERSE)
        & (_INTENT.attempts == 0)
        & (_INTENT.detail == _DECLINED_REVIEW)
    )
    return connection.execute(GATEWAY_INTENTS.delete().where(untouched)).rowcount == 1


def reverse_reviewed(
    connection: sa.Connection, account_id: str, request_id: str, payment: Payment, now_ms: int
) -> None:
    """Mark a payment for reversal that stood after its review, unless it is kept already."""
    kept = sa.select(_INTENT.request_id).where(_INTENT.request_id == request_id)
    if connection.scalar(kept) is None:
        row = {
            "request_id": request_id,
            "account_id": account_id,
            "amount_minor": payment.amount_minor,
            "currency": payment.currency,
            "reference": payment.reference,
            "at_ms": now_ms,
            "attempts": 0,
            **_to_reverse(now_ms),
        }
        connection.execute(GATEWAY_INTENTS.insert(), row)


def states_of(
    connection: sa.Connection, account_id: str, request_ids: Sequence[str]
) -> dict[str, IntentState]:
    """The states of the payments that are kept for these requests of an account."""
    query = sa.select(_INTENT.request_id, _INTENT.state).where(
        _INTENT.request_id.in_(request_ids), _INTENT.account_id == account_id
    )
    return {row.request_id: IntentState(row.state) for row in connection.execute(query)}


def listing(
    connection: sa.Connection, state: IntentState | None, account_id: str | None, limit: int
) -> list[KeptIntent]:
    """Payments in a state, newest first, of one account or of all.

    Without a state: those in doubt, without those that wait for a review.
    """
    wanted = _INTENT.state != IntentState.REVIEW if state is None else _INTENT.state == state
    query = sa.select(GATEWAY_INTENTS).where(wanted)
    if account_id is not None:
        query = query.where(_INTENT.account_id == account_id)
    newest_first = query.order_by(_INTENT.at_ms.desc(), _INTENT.request_id.desc())
    return [struct_from(row, KeptIntent) for row in connection.execute(newest_first.limit(limit))]


def get(connection: sa.Connection, request_id: str) -> KeptIntent:
    """The payment of a request that is or was in doubt."""
    query = sa.select(GATEWAY_INTENTS).where(_INTENT.request_id == request_id)
    row = connection.execute(query).one_or_none()
    if row is None:
        raise NotFound(
            f"no payment of {request_id} is in doubt: it was answered, never sent, or reversed "
            "more than 30 days ago"
        )
    return struct_from(row, KeptIntent)


def retry(change: Change, request_ids: Sequence[str]) -> list[KeptIntent]:
    """Start the reversal of FAILED payments again."""
    again = {"state": IntentState.REVERSE, "attempts": 0}
    again |= {"next_at_ms": change.now_ms, "changed_at_ms": change.now_ms}
    for request_id in request_ids:
        found = get(change.connection, request_id)
        failed = (_INTENT.request_id == request_id) & (_INTENT.state == IntentState.FAILED)
        update = GATEWAY_INTENTS.update().where(failed).values(again)
        if change.connection.execute(update).rowcount == 0:
            raise Conflict(
                f"the payment of {request_id} is {found.state}; only a FAILED one is tried again"
            )
        change.audit("gateway.retry", found.account_id, requestId=request_id)
    return [get(change.connection, request_id) for request_id in request_ids]


def _waiting(account_id: str, request_id: str) -> sa.ColumnElement[bool]:
    return (
        (_INTENT.request_id == request_id)
        & (_INTENT.account_id == account_id)
        & (_INTENT.state == IntentState.REVIEW)
    )


def _to_reverse(now_ms: int) -> dict[str, Any]:
    """The columns of a payment that is to be reversed because of its review."""
    return {
        "state": IntentState.REVERSE,
        "next_at_ms": now_ms,
        "changed_at_ms": now_ms,
        "detail": _DECLINED_REVIEW,
    }


def _due(now_ms: int) -> sa.ColumnElement[bool]:
    return (_INTENT.state == IntentState.REVERSE) & (_INTENT.next_at_ms <= now_ms)


def _old(now_ms: int) -> sa.ColumnElement[bool]:
    return (_INTENT.state == IntentState.REVERSED) & (_INTENT.next_at_ms <= now_ms)


def _without_hold() -> "sa.Select[tuple[str]]":
    # An intent and its hold are added and removed in the same commits, so an intent without a hold
    # was left by a defect.
    held = sa.exists().where(HOLDS.c.request_id == _INTENT.request_id)
    return sa.select(_INTENT.request_id).where(_INTENT.state == IntentState.OPEN, ~held).limit(1000)
