"""Operations on payments: what may still be asked for, and how those end that were.

An operation is written before anything is sent, in the transaction that finds room for it under
the lock of its payment. A worker claims it for a while, sends it and notes the end.
"""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.core.events import EventName, NewEvent, encode_data
from gatehouse.core.ids import derived_id
from gatehouse.core.money import Payment
from gatehouse.gateway.operating import OperationKind, PaymentOperation
from gatehouse.pipeline.settlement import Close, PaymentRow
from gatehouse.store.database import struct_from
from gatehouse.store.events import outbox
from gatehouse.store.payments.tables import (
    PAYMENT_OPERATIONS,
    PAYMENTS,
    PROVIDER_NOTIFICATIONS,
)

Seal = Callable[[tuple[str, str], str], str]
"""Seals the reference of a payment for its place: account and request."""
_P: Final = PAYMENTS.c
_O: Final = PAYMENT_OPERATIONS.c
_OF_REQUESTS: Final = (PROVIDER_NOTIFICATIONS, PAYMENT_OPERATIONS, PAYMENTS)


class OperationState(StrEnum):
    """How far an operation is."""

    WAITING = "WAITING"
    """Nothing was sent so far."""
    SENT = "SENT"
    """It is being sent, or the server that sent it has died."""
    PENDING = "PENDING"
    """The provider took it on; how it ends is told later."""
    IN_DOUBT = "IN_DOUBT"
    """It was sent and nobody knows what it did."""
    SUCCEEDED = "SUCCEEDED"
    REFUSED = "REFUSED"


FINAL: Final = (OperationState.SUCCEEDED, OperationState.REFUSED)
NOT_OVER: Final = tuple(each for each in OperationState if each not in FINAL)
_ENDS: Final = (
    *("state", "next_at_ms", "changed_at_ms", "code", "party_reference", "detail"),
    "notification_id",
)
"""What the end of an attempt changes."""
_SUCCEEDED: Final = {
    OperationKind.CAPTURE: EventName.PAYMENT_CAPTURED,
    OperationKind.VOID: EventName.PAYMENT_VOIDED,
    OperationKind.REFUND: EventName.PAYMENT_REFUNDED,
}


class KeptOperation(msgspec.Struct, frozen=True, kw_only=True):
    """An operation as it is stored."""

    id: str
    account_id: str
    request_id: str
    kind: OperationKind
    state: OperationState
    actor: str
    amount_minor: int
    at_ms: int
    changed_at_ms: int
    attempts: int = 0
    next_at_ms: int | None = None
    """When it is taken up next, or until when a worker has it; None: not by itself."""
    code: str | None = None
    party_reference: str | None = None
    detail: str | None = None
    notification_id: str | None = None
    """The provider's notification that told the end."""


class NewOperation(msgspec.Struct, frozen=True, array_like=True):
    """An operation that was asked for, as it is stored before anything is sent."""

    id: str
    account_id: str
    request_id: str
    kind: OperationKind
    amount_minor: int
    actor: str
    at_ms: int
    changed_at_ms: int
    next_at_ms: int
    state: OperationState = OperationState.WAITING
    attempts: int = 0


class PaymentSums(msgspec.Struct, frozen=True):
    """What was done with a payment, in its smallest unit."""

    captured: int
    capturing: int
    """Asked for, and not known to be done."""
    refunded: int
    refunding: int
    voided: bool
    voiding: bool

    @classmethod
    def of(cls, operations: Sequence[KeptOperation]) -> "PaymentSums":
        """The sums of all operations on one payment."""

        def add(kind: OperationKind, states: Sequence[OperationState]) -> int:
            return sum(
                each.amount_minor
                for each in operations
                if each.kind is kind and each.state in states
            )

        done = (OperationState.SUCCEEDED,)
        return cls(
            captured=add(OperationKind.CAPTURE, done),
            capturing=add(OperationKind.CAPTURE, NOT_OVER),
            refunded=add(OperationKind.REFUND, done),
            refunding=add(OperationKind.REFUND, NOT_OVER),
            voided=add(OperationKind.VOID, done) > 0,
            voiding=add(OperationKind.VOID, NOT_OVER) > 0,
        )

    def room(self, kind: OperationKind, authorized: int) -> int:
        """The most that can be asked for now; providers tell of operations in any order."""
        return max(0, self._room(kind, authorized))

    def _room(self, kind: OperationKind, authorized: int) -> int:
        if kind is OperationKind.REFUND:
            return self.captured - self.refunded - self.refunding
        if self.voided or self.voiding:
            return 0
        taken = self.captured + self.capturing
        if kind is OperationKind.VOID:
            return 0 if taken else authorized
        return authorized - taken


def find_payment(
    connection: sa.Connection, account_id: str, request_id: str, *, lock: bool = False
) -> PaymentRow | None:
    """A payment of an account, locked if it is going to be changed."""
    query = sa.select(PAYMENTS).where(_P.account_id == account_id, _P.request_id == request_id)
    row = connection.execute(query.with_for_update() if lock else query).first()
    return None if row is None else PaymentRow(*row)


def of_payments(
    connection: sa.Connection, account_id: str, request_ids: Sequence[str]
) -> dict[str, list[KeptOperation]]:
    """All operations on some payments, oldest first."""
    found: dict[str, list[KeptOperation]] = {each: [] for each in request_ids}
    query = sa.select(PAYMENT_OPERATIONS).where(
        _O.account_id == account_id, _O.request_id.in_(request_ids)
    )
    for row in connection.execute(query.order_by(_O.id)):
        found[row.request_id].append(struct_from(row, KeptOperation))
    return found


def whole_capture(payment: PaymentRow, actor: str, now_ms: int) -> NewOperation:
    """The capture of a whole payment, which is asked for once."""
    place = (payment.account_id, payment.request_id, OperationKind.CAPTURE)
    operation_id = derived_id("op", now_ms, f"capture {payment.request_id}")
    return NewOperation(operation_id, *place, payment.amount_minor, actor, now_ms, now_ms, now_ms)


def captures_of(closed: Close) -> list[NewOperation]:
    """The captures that a request asks for by itself, where its pipeline says so."""
    if (actor := closed.captured_by) is None:
        return []
    return [whole_capture(each, actor, closed.at_ms) for each in closed.payments]


def add(connection: sa.Connection, operation: NewOperation | KeptOperation) -> None:
    """Keep a new operation; the caller holds the lock of its payment."""
    connection.execute(PAYMENT_OPERATIONS.insert(), msgspec.structs.asdict(operation))


def anything_due(connection: sa.Connection, now_ms: int) -> bool:
    """Whether any operation is to be taken up."""
    return connection.scalar(sa.select(_O.id).where(_O.next_at_ms <= now_ms).limit(1)) is not None


def claim(
    connection: sa.Connection, now_ms: int, until_ms: int, at_most: int, seal: Seal
) -> list[tuple[KeptOperation, PaymentOperation]]:
    """Claim due operations until a moment; each as it was before, and as it is to be sent.

    References of their payments that earlier versions did not seal are sealed.
    """
    due = sa.select(PAYMENT_OPERATIONS).where(_O.next_at_ms <= now_ms).order_by(_O.next_at_ms)
    rows = connection.execute(due.limit(at_most).with_for_update(skip_locked=True)).all()
    found = []
    for row in rows:
        kept = struct_from(row, KeptOperation)
        place = (kept.account_id, kept.request_id)
        payment = find_payment(connection, *place)
        assert payment is not None, "a payment is deleted only when nothing is left to be done"
        sealed = None if payment.reference is None else seal(place, payment.reference)
        if sealed != payment.reference:
            this = (_P.account_id == kept.account_id) & (_P.request_id == kept.request_id)
            connection.execute(PAYMENTS.update().where(this).values(reference=sealed))
        captured = None
        if kept.kind is OperationKind.REFUND:
            done = of_payments(connection, kept.account_id, [kept.request_id])[kept.request_id]
            captured = capture_to_refund(kept, done)
        found.append((kept, _as_sent(kept, payment, captured)))
    ids = [kept.id for kept, _ in found]
    if ids:
        update = PAYMENT_OPERATIONS.update().where(_O.id.in_(ids))
        connection.execute(update.values(attempts=_O.attempts + 1, next_at_ms=until_ms))
    return found


def begin(
    connection: sa.Connection, claimed: KeptOperation, until_ms: int, sending: KeptOperation
) -> bool:
    """Note that an operation is sent now; False when others took it up or settled it meanwhile.

    From then on nobody can settle it before the moment until which it is being sent.
    """
    this = (_O.id == claimed.id) & (_O.account_id == claimed.account_id)
    ours = (_O.state == claimed.state) & (_O.next_at_ms == until_ms)
    values = {name: getattr(sending, name) for name in ("state", "next_at_ms", "changed_at_ms")}
    update = PAYMENT_OPERATIONS.update().where(this, ours).values(values)
    return connection.execute(update).rowcount == 1


def capture_to_refund(refund: KeptOperation, done: Sequence[KeptOperation]) -> str | None:
    """The party's name for the capture that a refund is of.

    Some parties give back by captures. Each refund is of the first one that has enough left for
    it, or else of the one that has most.
    """
    left = {
        each.party_reference: each.amount_minor
        for each in done
        if each.kind is OperationKind.CAPTURE
        and each.state is OperationState.SUCCEEDED
        and each.party_reference is not None
    }
    for each in (each for each in done if each.kind is OperationKind.REFUND and left):
        wanted = each.amount_minor
        name = next(
            (name for name in left if left[name] >= wanted), max(left, key=left.__getitem__)
        )
        if each.id == refund.id:
            return name
        if each.state is not OperationState.REFUSED:
            left[name] -= wanted
    return None


def _as_sent(kept: KeptOperation, payment: PaymentRow, captured: str | None) -> PaymentOperation:
    return PaymentOperation(
        operation_id=kept.id,
        kind=kept.kind,
        request_id=kept.request_id,
        account_id=kept.account_id,
        payment=Payment(payment.amount_minor, payment.currency, payment.reference),
        amount_minor=kept.amount_minor,
        is_repeat=kept.state in (OperationState.SENT, OperationState.IN_DOUBT),
        capture_reference=captured,
    )


def finish(
    connection: sa.Connection,
    ended: KeptOperation,
    until_ms: int | None,
    over: Sequence[OperationState] = NOT_OVER,
) -> bool:
    """Note the end of an attempt that was claimed until a moment; whether it counted.

    What the provider says counts without a claim, whenever it comes, as long as nothing else is
    known; so does what a person says. Anything else counts only while the claim is the newest one.
    `over` says which states it counts over.
    """
    still: sa.ColumnElement[bool] = _O.state.in_(over)
    if until_ms is not None:
        still &= _O.next_at_ms == until_ms
    values: dict[str, Any] = {name: getattr(ended, name) for name in _ENDS}
    this = (_O.id == ended.id) & (_O.account_id == ended.account_id)
    update = PAYMENT_OPERATIONS.update().where(this, still).values(values)
    if connection.execute(update).rowcount == 0:
        return False
    payment = find_payment(connection, ended.account_id, ended.request_id)
    if payment is not None:
        tell(connection, ended, payment.currency)
    return True


def confirm(
    connection: sa.Connection, known: KeptOperation, notification_id: str, reference: str | None
) -> None:
    """Note which notification of the provider is about an operation that had this end already."""
    values = {
        "notification_id": notification_id,
        "party_reference": known.party_reference or reference,
    }
    this = (_O.id == known.id) & (_O.account_id == known.account_id)
    connection.execute(PAYMENT_OPERATIONS.update().where(this).values(values))


def tell(connection: sa.Connection, ended: KeptOperation, currency: str) -> None:
    """Tell the account of an end, if it is one."""
    if (kind := _told(ended)) is not None:
        outbox.add(connection, [_event(kind, ended, currency)])


def _told(ended: KeptOperation) -> EventName | None:
    """What the account is told of an end; nothing while it is asked again by itself."""
    if ended.state is OperationState.SUCCEEDED:
        return _SUCCEEDED[ended.kind]
    if ended.state is OperationState.REFUSED:
        return EventName.PAYMENT_OPERATION_REFUSED
    if ended.state is OperationState.IN_DOUBT and ended.next_at_ms is None:
        return EventName.PAYMENT_OPERATION_IN_DOUBT
    return None


def _event(kind: EventName, ended: KeptOperation, currency: str) -> NewEvent:
    at_ms = ended.changed_at_ms
    said = {
        "operationId": ended.id,
        "kind": ended.kind,
        "amountMinor": ended.amount_minor,
        "currency": currency,
        "code": ended.code,
        "reason": ended.detail,
    }
    event_id = derived_id("evt", at_ms, f"{kind} {ended.id}")
    place = (event_id, ended.account_id, at_ms, kind, ended.actor, ended.request_id)
    return NewEvent(*place, encode_data(said))


def is_used(connection: sa.Connection, account_id: str, request_id: str) -> bool:
    """Whether anything was asked for that may have been done with a payment."""
    query = sa.select(_O.id).where(
        _O.account_id == account_id,
        _O.request_id == request_id,
        _O.state != OperationState.REFUSED,
    )
    return connection.scalar(query.limit(1)) is not None


def forget(connection: sa.Connection, account_id: str, request_ids: Sequence[str]) -> None:
    """Delete payments, whose requests are forgotten, with all that was done with them."""
    for table in _OF_REQUESTS:
        mine = (table.c.account_id == account_id, table.c.request_id.in_(request_ids))
        connection.execute(table.delete().where(*mine))


def forget_between(connection: sa.Connection, first: str, end: str) -> None:
    """Delete payments of a range of ids, of all accounts, with all that was done with them."""
    for table in _OF_REQUESTS:
        these = (table.c.request_id >= first, table.c.request_id < end)
        connection.execute(table.delete().where(*these))
