"""Captures, voids and refunds: what is asked for is kept, and a server sends it at once."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import msgspec
import sqlalchemy as sa

from gatehouse.access.rights import Right
from gatehouse.access.roles import Permission
from gatehouse.admin.outcomes.use_cases.finding import requests_paid
from gatehouse.admin.payments.queries import list_payments as list_kept
from gatehouse.admin.payments.types import (
    LONGEST_PAYMENT_ID,
    OperationAmount,
    OperationFinding,
    OperationId,
    OperationShown,
    PaymentPage,
    PaymentSearch,
    PaymentShown,
    PaymentState,
    RequestId,
)
from gatehouse.connectors.definition import decode_program
from gatehouse.core.cards.network_ids import NetworkIdSealer
from gatehouse.core.clock import Moment, moment
from gatehouse.core.errors import Conflict, KeyMissing, NotFound, SealBroken, SettingsError
from gatehouse.core.reading.spans import read_span
from gatehouse.core.secrets.keyring import KeyRing
from gatehouse.core.wording.sentences import Phrase
from gatehouse.gateway.operating import OperationKind
from gatehouse.pipeline.settlement import PaymentRow
from gatehouse.store.admin.admin_session import AdminSession, Change, Reading
from gatehouse.store.admin.use_case import use_case
from gatehouse.store.configured import configurations
from gatehouse.store.configured.configurations import CONNECTORS_KEY
from gatehouse.store.payments import operations
from gatehouse.store.payments.operations import (
    KeptOperation,
    NewOperation,
    OperationState,
    PaymentSums,
)
from gatehouse.store.payments.told import SETTLED
from gatehouse.store.requests import intents
from gatehouse.store.requests.intents import IntentState

_SCOPE: Final = "manage:payments"
_ALL_DAYS: Final = 366_000
_DAY_MS: Final = 86_400_000
_SEEN_OTHERS: Final = Phrase(
    "refused.payment_changed",
    "something was asked for or done with the payment meanwhile; look at it again",
)
_NONE: Final = Phrase(
    "refused.payment_none",
    "there is no payment of {request} that stands: it was not authorized, or it was reversed",
)
_NO_OPERATION: Final = Phrase(
    "refused.payment_no_operation", "the payment has no operation {operation}"
)
_IN_REVIEW: Final = Phrase(
    "refused.payment_in_review", "the payment waits for the review of its request"
)
_REVERSED: Final = Phrase("refused.payment_reversed", "the payment is being reversed, or was")
_NO_ROOM: Final = Phrase(
    "refused.payment_room", "at most {room} of the smallest unit can be asked for now"
)
_NOTHING: Final = Phrase("refused.payment_nothing", "nothing is left for this")
_NOT_VOIDABLE: Final = Phrase(
    "refused.payment_not_voidable",
    "only a payment of which nothing is captured, being captured or voided can be voided",
)
_NOT_OFFERED: Final = Phrase(
    "refused.payment_not_offered",
    "connector {connector} does not offer this: its mapping or dialect has nothing for it",
)
_NOT_IN_DOUBT: Final = Phrase(
    "refused.operation_not_in_doubt", "the operation is {state}; only one in doubt is settled"
)


@use_case(
    "GET /payments",
    scope=_SCOPE,
    permission=Permission.SEE,
    answers="paymentsResponse",
)
def list_payments(reading: Reading, account_id: str, wanted: PaymentSearch) -> PaymentPage:
    """List payments.

    Payments that a provider authorized and that stand, newest first, each with what was done with
    it.
    """
    connection, limit = reading.connection, wanted.limit
    # An id may be made by a server whose clock is a little ahead.
    span = read_span(wanted.since, wanted.until, reading.now_ms + _DAY_MS, _ALL_DAYS)
    among = None
    if wanted.payment_id is not None:
        among = requests_paid(reading, account_id, wanted.payment_id)
    found = list_kept(connection, account_id, wanted, span, among)
    shown = shown_payments(connection, reading.session.ring, account_id, found[:limit])
    return PaymentPage(shown, len(found) > limit)


@use_case(
    "GET /payments/{requestId}",
    scope=_SCOPE,
    permission=Permission.SEE,
    answers="paymentResponse",
)
def get_payment(reading: Reading, account_id: str, request_id: RequestId) -> PaymentShown:
    """Show a payment.

    What was authorized, captured and refunded, and every operation.
    """
    return _shown(reading.connection, reading.session.ring, account_id, request_id)


def has_payment(session: AdminSession, account_id: str, request_id: str) -> bool:
    """Whether a payment of a request is kept."""
    with session.account_reading(account_id) as connection:
        return operations.find_payment(connection, account_id, request_id) is not None


def payment_named(session: AdminSession, account_id: str, payment_id: str) -> str | None:
    """The request whose payment has this id at the provider, if it is the only one."""
    if not 0 < len(payment_id) <= LONGEST_PAYMENT_ID:
        return None
    with session.account_reading(account_id) as connection:
        found = requests_paid(Reading(session, connection), account_id, payment_id)
        kept = [each for each in found if operations.find_payment(connection, account_id, each)]
    return kept[0] if len(kept) == 1 else None


@use_case(
    "POST /payments/{requestId}/capture",
    scope=_SCOPE,
    permission=Permission.PAYMENTS,
    answers="paymentResponse",
    unseen=True,
)
def capture_payment(
    change: Change, account_id: str, request_id: RequestId, given: OperationAmount
) -> PaymentShown:
    """Capture a payment.

    Has the provider collect the whole amount or a part of it; several parts come to no more than
    what was authorized. The operation is kept at once and sent right after; ask for the payment, or
    wait for the event, to know its end.
    """
    return _ask(change, account_id, request_id, OperationKind.CAPTURE, given)


@use_case(
    "POST /payments/{requestId}/void",
    scope=_SCOPE,
    permission=Permission.PAYMENTS,
    answers="paymentResponse",
    unseen=True,
)
def void_payment(change: Change, account_id: str, request_id: RequestId) -> PaymentShown:
    """Void a payment.

    Gives up a payment of which nothing was captured: the provider reverses its authorization.
    """
    return _ask(change, account_id, request_id, OperationKind.VOID, OperationAmount())


@use_case(
    "POST /payments/{requestId}/refund",
    scope=_SCOPE,
    permission=Permission.PAYMENTS,
    answers="paymentResponse",
    unseen=True,
)
def refund_payment(
    change: Change, account_id: str, request_id: RequestId, given: OperationAmount
) -> PaymentShown:
    """Refund a payment.

    Gives back what was captured, whole or in parts that come to no more than that.
    """
    return _ask(change, account_id, request_id, OperationKind.REFUND, given)


@use_case(
    "POST /payments/{requestId}/operations/{operationId}/settle",
    scope=_SCOPE,
    permission=Permission.PAYMENTS,
    operation="settlePaymentOperation",
    answers="paymentResponse",
    unseen=True,
)
def settle_operation(
    change: Change,
    account_id: str,
    request_id: RequestId,
    operation_id: OperationId,
    given: OperationFinding,
) -> PaymentShown:
    """Settle an operation in doubt.

    Says what a person found out at the provider about a capture or refund of which no answer came.
    """
    connection = change.connection
    _locked(change, account_id, request_id)
    of_payment = operations.of_payments(connection, account_id, [request_id])[request_id]
    found = next((each for each in of_payment if each.id == operation_id), None)
    if found is None:
        raise NotFound(_NO_OPERATION(operation=operation_id))
    if found.state not in (OperationState.IN_DOUBT, OperationState.PENDING):
        raise Conflict(_NOT_IN_DOUBT(state=found.state))
    state = OperationState.SUCCEEDED if given.succeeded else OperationState.REFUSED
    settled = msgspec.structs.replace(
        found, state=state, next_at_ms=None, changed_at_ms=change.now_ms, detail=SETTLED
    )
    operations.finish(connection, settled, None)
    change.audit(
        "payment.settle",
        account_id,
        requestId=request_id,
        operationId=operation_id,
        succeeded=given.succeeded,
    )
    return _shown(connection, change.ring, account_id, request_id)


def _ask(
    change: Change, account_id: str, request_id: str, kind: OperationKind, given: OperationAmount
) -> PaymentShown:
    """Keep an operation if there is room for it."""
    connection = change.connection
    payment = _locked(change, account_id, request_id)
    intent = intents.states_of(connection, account_id, [request_id]).get(request_id)
    if intent is not None:
        raise Conflict(_IN_REVIEW() if intent is IntentState.REVIEW else _REVERSED())
    known = operations.of_payments(connection, account_id, [request_id])[request_id]
    if given.operations_seen not in (None, len(known)):
        raise Conflict(_SEEN_OTHERS())
    sums = PaymentSums.of(known)
    room = sums.room(kind, payment.amount_minor)
    if not room:
        raise Conflict(_NOT_VOIDABLE() if kind is OperationKind.VOID else _NOTHING())
    amount_minor = room if given.amount_minor is None else given.amount_minor
    if amount_minor > room:
        raise Conflict(_NO_ROOM(room=room))
    if not _is_offered(connection, payment.party, kind):
        raise Conflict(_NOT_OFFERED(connector=payment.party))
    operation_id = change.new_id("op")
    operations.add(
        connection,
        NewOperation(
            *(operation_id, account_id, request_id, kind, amount_minor, str(change.actor)),
            at_ms=change.now_ms,
            changed_at_ms=change.now_ms,
            next_at_ms=change.now_ms,
        ),
    )
    change.audit(
        f"payment.{kind.lower()}",
        account_id,
        requestId=request_id,
        operationId=operation_id,
        amountMinor=amount_minor,
        currency=payment.currency,
    )
    return _shown(connection, change.ring, account_id, request_id)


def _locked(change: Change, account_id: str, request_id: str) -> PaymentRow:
    """The payment, to move its money."""
    change.actor.check(Right.MOVE_MONEY)
    payment = operations.find_payment(change.connection, account_id, request_id, lock=True)
    if payment is None:
        raise NotFound(_NONE(request=request_id))
    return payment


def _is_offered(connection: sa.Connection, party: str | None, kind: OperationKind) -> bool:
    """Whether the connector takes it, as far as its configuration tells; its server knows best."""
    in_force = configurations.find(connection, CONNECTORS_KEY)
    if in_force is None or party is None:
        return True
    try:
        definition = decode_program(in_force.program).connectors.get(party)
    except SettingsError:
        return True
    return definition is None or kind in definition.operations()


def _shown(
    connection: sa.Connection, ring: KeyRing, account_id: str, request_id: str
) -> PaymentShown:
    payment = operations.find_payment(connection, account_id, request_id)
    if payment is None:
        raise NotFound(_NONE(request=request_id))
    return shown_payments(connection, ring, account_id, [payment])[0]


def shown_payments(
    connection: sa.Connection, ring: KeyRing, account_id: str, found: Sequence[PaymentRow]
) -> list[PaymentShown]:
    """Payments as faces show them."""
    ids = [each.request_id for each in found]
    done = operations.of_payments(connection, account_id, ids)
    doubts = intents.states_of(connection, account_id, ids)
    sealer = NetworkIdSealer(ring)
    return [
        _one(each, done[each.request_id], doubts.get(each.request_id), _network_id(sealer, each))
        for each in found
    ]


def _network_id(sealer: NetworkIdSealer, payment: PaymentRow) -> str | None:
    """The network's id of a payment; None also where it cannot be opened."""
    if payment.network_id is None:
        return None
    place = (payment.account_id, payment.request_id)
    with suppress(KeyMissing, SealBroken):
        return sealer.open(place, payment.network_id)[1]
    return None


def _one(
    payment: PaymentRow,
    done: Sequence[KeptOperation],
    intent: IntentState | None,
    network_id: str | None,
) -> PaymentShown:
    sums, authorized = PaymentSums.of(done), payment.amount_minor

    def room(kind: OperationKind) -> int:
        return sums.room(kind, authorized) if intent is None else 0

    return PaymentShown(
        request_id=payment.request_id,
        state=_state(sums, authorized, intent),
        currency=payment.currency,
        authorized_minor=authorized,
        captured_minor=sums.captured,
        refunded_minor=sums.refunded,
        capturable_minor=room(OperationKind.CAPTURE),
        refundable_minor=room(OperationKind.REFUND),
        voidable=room(OperationKind.VOID) > 0,
        authorized_at=Moment(payment.at_ms),
        connector=payment.party,
        payment_id=payment.payment_id,
        network_transaction_id=network_id,
        operations=[_operation(each) for each in done],
    )


def _state(sums: PaymentSums, authorized: int, intent: IntentState | None) -> PaymentState:
    if intent is not None:
        return PaymentState.REVIEW if intent is IntentState.REVIEW else PaymentState.REVERSED
    if sums.refunded:
        whole = sums.refunded >= sums.captured
        return PaymentState.REFUNDED if whole else PaymentState.PARTLY_REFUNDED
    if sums.captured:
        whole = sums.captured >= authorized
        return PaymentState.CAPTURED if whole else PaymentState.PARTLY_CAPTURED
    if sums.voided:
        return PaymentState.VOIDED
    return PaymentState.AUTHORIZED


def _operation(kept: KeptOperation) -> OperationShown:
    return OperationShown(
        operation_id=kept.id,
        kind=kept.kind,
        state=kept.state,
        amount_minor=kept.amount_minor,
        by=kept.actor,
        created_at=Moment(kept.at_ms),
        changed_at=Moment(kept.changed_at_ms),
        attempts=kept.attempts,
        next_attempt_at=moment(kept.next_at_ms),
        response_code=kept.code,
        reference=kept.party_reference,
        reason=kept.detail,
        notification_id=kept.notification_id,
    )
