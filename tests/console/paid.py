"""Payments that pages can show, with operations in every state."""

from typing import Any, Final

import msgspec

from gatehouse.admin.notifications import queries
from gatehouse.admin.notifications.types import KeptNotification, NotificationState
from gatehouse.admin.notifications.worker import NotificationWorker
from gatehouse.admin.top_ups.queries import auto_top_ups
from gatehouse.core.ids import derived_id, new_id
from gatehouse.gateway.hosted_pages import StoredCardId
from gatehouse.gateway.notifying import NotifiedEvent, ProviderNotification
from gatehouse.gateway.operating import OperationKind
from gatehouse.pipeline.settlement import PaymentRow
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.payments.operations import NewOperation, OperationState
from gatehouse.store.payments.tables import PAYMENT_OPERATIONS, PAYMENTS

CAPTURED: Final = (OperationKind.CAPTURE, OperationState.SUCCEEDED, 6000)
STORED_CARD: Final = "card_0123456789abcdef"
DOUBTFUL: Final = (OperationKind.REFUND, OperationState.IN_DOUBT, 1000)


def operation_of(request_id: str, number: int) -> str:
    """The id of an operation on a payment that was kept, from 0."""
    return derived_id("op", 1_790_000_000_000, f"{number} {request_id}")


def keep_payment(
    session: AdminSession,
    account_id: str,
    request_id: str,
    *done: tuple[OperationKind, OperationState, int],
    currency: str = "EUR",
) -> str:
    """Keep a payment of 100.00 with some operations, each with its amount."""
    at_ms = session.clock()
    payment = (account_id, request_id, at_ms, 10_000, currency, "acquirer", "psp-4711", None)
    with session.database.writing() as connection:
        connection.execute(PAYMENTS.delete().where(PAYMENTS.c.request_id == request_id))
        connection.execute(PAYMENTS.insert(), msgspec.structs.asdict(PaymentRow(*payment)))
        for number, (kind, state, amount) in enumerate(done):
            name = operation_of(request_id, number)
            place = (name, account_id, request_id, kind, amount, "user:ada")
            new = NewOperation(*place, at_ms, at_ms, at_ms, state, 1)
            # No server takes it up.
            row = {**msgspec.structs.asdict(new), "next_at_ms": None}
            connection.execute(PAYMENT_OPERATIONS.insert(), row)
    return request_id


def keep_notification(session: AdminSession, event: NotifiedEvent, **told: Any) -> str:
    """Keep what the provider of a payment told, and apply it as a server does; returns its id."""
    now_ms = session.clock()
    name = new_id("ntf", now_ms, session.randomness)
    content = ProviderNotification(event=event, name=name, at_ms=now_ms, **told)
    kept = KeptNotification(
        id=name,
        connector="acquirer",
        name=name,
        event=event,
        state=NotificationState.WAITING,
        content=msgspec.json.encode(content).decode(),
        received_at_ms=now_ms,
        changed_at_ms=now_ms,
        next_at_ms=now_ms,
        at_ms=now_ms,
        about=content.case,
    )
    with session.database.writing() as connection:
        queries.keep(connection, [kept])
    NotificationWorker(session).apply_due()
    return name


def store_card(session: AdminSession, account_id: str) -> None:
    """Store a card that automatic top-ups can charge."""
    with session.change(unseen=True) as change:
        auto_top_ups.store_card(change, account_id, "cards", StoredCardId.of(STORED_CARD))
        change.audit("test")
