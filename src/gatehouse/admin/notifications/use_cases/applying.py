"""Applies a notification: finds its payment, and lets operations, disputes and labels follow."""

from typing import Final

import msgspec

from gatehouse.admin.notifications import queries
from gatehouse.admin.notifications.types import TRIED_MS, KeptNotification, NotificationState
from gatehouse.admin.outcomes.types.outcome import (
    DisputeResult,
    DisputeStage,
    OutcomeKind,
    OutcomeNetwork,
    OutcomeReport,
)
from gatehouse.admin.outcomes.use_cases import disputes
from gatehouse.admin.outcomes.use_cases.keeping import OutcomeKeeper
from gatehouse.core.ids import is_id
from gatehouse.core.money import MICROS_PER_UNIT
from gatehouse.gateway.notifying import ABOUT_OUTCOMES, NotifiedEvent, ProviderNotification
from gatehouse.gateway.operating import OperationKind
from gatehouse.intel.places import minor_digits
from gatehouse.pipeline.settlement import PaymentRow
from gatehouse.sentry.request import EventTime
from gatehouse.store.admin.admin_session import Change
from gatehouse.store.payments import operations
from gatehouse.store.payments.told import ToldOperation, follow
from gatehouse.store.requests import intents
from gatehouse.store.requests.asking_gateway import wait_ms
from gatehouse.store.requests.intents import IntentState

_OPERATIONS: Final = {
    NotifiedEvent.CAPTURED: (OperationKind.CAPTURE, True),
    NotifiedEvent.CAPTURE_REFUSED: (OperationKind.CAPTURE, False),
    NotifiedEvent.REFUNDED: (OperationKind.REFUND, True),
    NotifiedEvent.REFUND_REFUSED: (OperationKind.REFUND, False),
    NotifiedEvent.VOIDED: (OperationKind.VOID, True),
    NotifiedEvent.VOID_REFUSED: (OperationKind.VOID, False),
    NotifiedEvent.EXPIRED: (OperationKind.VOID, True),
}
_KINDS: Final = {
    NotifiedEvent.DISPUTED: OutcomeKind.DISPUTE,
    NotifiedEvent.FRAUD_REPORTED: OutcomeKind.FRAUD_REPORT,
}
_decode: Final = msgspec.json.Decoder(ProviderNotification).decode

# Why nothing followed.
NO_PAYMENT: Final = "no_payment"
_SEVERAL: Final = "several_payments"
_CURRENCY: Final = "other_currency"
_REVERSED: Final = "being_reversed"
_KNOWN: Final = "known"
_NEWER: Final = "newer_is_known"
_NO_CASE: Final = "no_case_id"


def told_by(kept: KeptNotification) -> ProviderNotification:
    """The mapped fields of a notification."""
    return _decode(kept.content)


def apply_kept(change: Change, kept: KeptNotification) -> KeptNotification:
    """Apply a notification, and note what became of it; the lock on changes must be held.

    Applied again, it changes nothing that it has changed before.
    """
    told = told_by(kept)
    found = _payment(change, kept, told)
    if isinstance(found, PaymentRow):
        state, detail = _apply(change, kept, told, found)
        place = {"account_id": found.account_id, "request_id": found.request_id}
        next_at_ms = None
    else:
        # A provider can be quicker than the commit of the request that made the payment.
        is_over = change.now_ms >= kept.received_at_ms + TRIED_MS or found != NO_PAYMENT
        state = NotificationState.UNMATCHED if is_over else NotificationState.WAITING
        next_at_ms = None if is_over else change.now_ms + wait_ms(kept.attempts + 1)
        place, detail = {}, found
    ended = msgspec.structs.replace(
        kept,
        state=state,
        detail=detail,
        attempts=kept.attempts + 1,
        changed_at_ms=change.now_ms,
        next_at_ms=next_at_ms,
        **place,
    )
    queries.update(change.connection, ended)
    return ended


def _payment(
    change: Change, kept: KeptNotification, told: ProviderNotification
) -> PaymentRow | str:
    """The payment, locked; or why there is none. Only one that this connector made counts."""
    names = {
        "payment_id": told.payment_id,
        "operation_id": _own(told),
        "request_id": told.reference if is_id(told.reference or "", "req") else None,
    }
    for name, value in names.items():
        if value is None:
            continue
        found = queries.payments_named(change.connection, kept.connector, **{name: value})
        if len(found) > 1:
            return _SEVERAL
        if found:
            place = (found[0].account_id, found[0].request_id)
            locked = operations.find_payment(change.connection, *place, lock=True)
            if kept.account_id not in (None, found[0].account_id):
                return _SEVERAL
            return NO_PAYMENT if locked is None else locked
    return NO_PAYMENT


def _own(told: ProviderNotification) -> str | None:
    """Our name for the operation; providers also send names that others gave."""
    return told.operation if is_id(told.operation or "", "op") else None


def _apply(
    change: Change, kept: KeptNotification, told: ProviderNotification, payment: PaymentRow
) -> tuple[NotificationState, str | None]:
    if told.currency not in (None, payment.currency):
        return NotificationState.UNMATCHED, _CURRENCY
    if told.event in ABOUT_OUTCOMES:
        return _tell_outcome(change, kept, told, payment)
    kind, succeeded = _OPERATIONS[told.event]
    place = (payment.account_id, payment.request_id)
    intent = intents.states_of(change.connection, place[0], [place[1]]).get(place[1])
    if kind is OperationKind.VOID and intent not in (None, IntentState.REVIEW):
        return NotificationState.NOTHING, _REVERSED
    operation = ToldOperation(
        kind=kind,
        succeeded=succeeded,
        notification_id=kept.id,
        name=f"{kept.connector} {kept.name}",
        actor=f"connector:{kept.connector}",
        at_ms=kept.at_ms,
        operation_id=_own(told),
        party_reference=told.operation_id,
        amount_minor=told.amount_minor,
        code=told.response_code,
        detail="expired" if told.event is NotifiedEvent.EXPIRED else "notified",
    )
    if follow(change.connection, payment, operation, change.now_ms):
        return NotificationState.APPLIED, None
    return NotificationState.NOTHING, _KNOWN


def _tell_outcome(
    change: Change, kept: KeptNotification, told: ProviderNotification, payment: PaymentRow
) -> tuple[NotificationState, str | None]:
    """Keep a dispute, or a report of fraud, as an outcome of the payment's decision."""
    if told.case is None:
        return NotificationState.UNMATCHED, _NO_CASE
    located = msgspec.structs.replace(kept, account_id=payment.account_id)
    if kept.at_ms is not None and queries.newer_applied(change.connection, located):
        return NotificationState.NOTHING, _NEWER
    account_id = payment.account_id
    keeper = OutcomeKeeper(change.session.joining(change), account_id)
    [row] = keeper.prepared([_report(kept, told, payment)])
    if told.amount_minor is not None:
        # Exactly, where a report has a number with a point.
        units = 10 ** (minor_digits(payment.currency) or 0)
        amount = told.amount_minor * MICROS_PER_UNIT // units
        row = msgspec.structs.replace(row, amount=amount, currency=payment.currency)
    known = disputes.outcome(change.connection, account_id, row.kind, row.reference)
    if known is not None:
        # It counts for the month in which it began, whatever moment later messages name.
        row = msgspec.structs.replace(row, at_ms=min(row.at_ms, known.at_ms))
    done = keeper.store(change.connection, [row])
    if done.new or done.changed:
        return NotificationState.APPLIED, None
    return NotificationState.NOTHING, _KNOWN


def _report(
    kept: KeptNotification, told: ProviderNotification, payment: PaymentRow
) -> OutcomeReport:
    at_ms = told.case_at_ms or kept.at_ms or kept.received_at_ms
    is_dispute = told.event is NotifiedEvent.DISPUTED
    return OutcomeReport(
        kind=_KINDS[told.event],
        reference=told.case or "",
        at=EventTime(at_ms / 1000),
        network=OutcomeNetwork(told.network or OutcomeNetwork.OTHER),
        request_id=payment.request_id,
        reason=told.reason if is_dispute else None,
        fraud_type=None if is_dispute else told.reason,
        stage=DisputeStage(told.stage) if is_dispute and told.stage else None,
        result=None if told.result is None else DisputeResult(told.result),
        respond_by=(
            EventTime(told.respond_by_ms / 1000) if is_dispute and told.respond_by_ms else None
        ),
    )
