"""What a provider tells of an operation by itself, and how a payment follows.

Messages come late, twice and in any order. So what is told only moves an operation on: from not
known to succeeded or refused, and from succeeded to refused, because a provider takes a success
back and never a refusal. A message that is older than what is known changes nothing.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec
import sqlalchemy as sa

from gatehouse.core.ids import derived_id
from gatehouse.gateway.operating import OperationKind
from gatehouse.pipeline.settlement import PaymentRow
from gatehouse.store.payments import operations
from gatehouse.store.payments.operations import (
    FINAL,
    NOT_OVER,
    KeptOperation,
    OperationState,
    PaymentSums,
)

SETTLED: Final = "settled"
"""The detail of an operation that a person settled."""


class ToldOperation(msgspec.Struct, frozen=True, kw_only=True):
    """What a provider told of one operation."""

    kind: OperationKind
    succeeded: bool
    notification_id: str
    name: str
    """The same for the same message, also when it is no longer known as a message."""
    actor: str
    at_ms: int | None = None
    operation_id: str | None = None
    """Our name for it."""
    party_reference: str | None = None
    """The provider's."""
    amount_minor: int | None = None
    code: str | None = None
    detail: str | None = None

    @property
    def state(self) -> OperationState:
        """What the operation is by this."""
        return OperationState.SUCCEEDED if self.succeeded else OperationState.REFUSED


def follow(
    connection: sa.Connection, payment: PaymentRow, told: ToldOperation, now_ms: int
) -> bool:
    """Let a payment, which is locked, follow what was told; whether anything changed."""
    account_id, request_id = payment.account_id, payment.request_id
    done = operations.of_payments(connection, account_id, [request_id])[request_id]
    meant = _meant(done, told)
    if meant is None:
        return told.succeeded and _note_foreign(connection, payment, told, (done, now_ms))
    if meant.state is told.state:
        operations.confirm(connection, meant, told.notification_id, told.party_reference)
        return False
    over: Sequence[OperationState] = NOT_OVER
    if meant.state in FINAL:
        # What a person found out is less than what the provider says.
        if told.succeeded and meant.detail != SETTLED:
            return False
        over = (meant.state,)
    ended = msgspec.structs.replace(
        meant,
        state=told.state,
        next_at_ms=None,
        changed_at_ms=now_ms,
        code=told.code or meant.code,
        party_reference=told.party_reference or meant.party_reference,
        detail=told.detail,
        notification_id=told.notification_id,
    )
    return operations.finish(connection, ended, None, over)


def _meant(done: Sequence[KeptOperation], told: ToldOperation) -> KeptOperation | None:
    """The operation that was told of; None when it was not asked for here."""
    same = [each for each in done if each.kind is told.kind]
    for each in same:
        if each.id == told.operation_id:
            return each
    if told.operation_id is not None:
        return None
    if told.party_reference is not None:
        for each in same:
            if each.party_reference == told.party_reference:
                return each
    # Those in doubt before those that are known to be done: only one message is about each.
    by_doubt = sorted(same, key=lambda each: each.state in FINAL)
    return next(_fitting(by_doubt, told), None)


def _fitting(done: Iterable[KeptOperation], told: ToldOperation) -> Iterator[KeptOperation]:
    for each in done:
        sums = (None, each.amount_minor)
        fits = told.kind is OperationKind.VOID or told.amount_minor in sums
        another = each.party_reference is not None and told.party_reference is not None
        was_sent = each.attempts > 0 and each.notification_id is None
        may_be = each.state in NOT_OVER or (
            told.succeeded and (each.state is OperationState.SUCCEEDED or each.detail == SETTLED)
        )
        if fits and was_sent and may_be and not another:
            yield each


def _note_foreign(
    connection: sa.Connection,
    payment: PaymentRow,
    told: ToldOperation,
    known: tuple[Sequence[KeptOperation], int],
) -> bool:
    """Note what was done at the provider and not asked for here; whether it was new."""
    done, now_ms = known
    name = told.party_reference or told.name
    origin = f"{payment.account_id} {payment.request_id} {told.kind} {name}"
    at_ms = payment.at_ms if told.at_ms is None else told.at_ms
    operation_id = derived_id("op", at_ms, origin)
    amount_minor = told.amount_minor
    if amount_minor is None or told.kind is OperationKind.VOID:
        # What is left to be captured is what a void, or the end of an authorization, gives up.
        left = OperationKind.REFUND if told.kind is OperationKind.REFUND else OperationKind.CAPTURE
        amount_minor = PaymentSums.of(done).room(left, payment.amount_minor)
    if not amount_minor or any(each.id == operation_id for each in done):
        return False
    operation = KeptOperation(
        id=operation_id,
        account_id=payment.account_id,
        request_id=payment.request_id,
        kind=told.kind,
        state=OperationState.SUCCEEDED,
        actor=told.actor,
        amount_minor=amount_minor,
        at_ms=at_ms,
        changed_at_ms=now_ms,
        code=told.code,
        party_reference=told.party_reference,
        detail=told.detail,
        notification_id=told.notification_id,
    )
    operations.add(connection, operation)
    operations.tell(connection, operation, payment.currency)
    return True
