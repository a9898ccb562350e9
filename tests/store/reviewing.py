"""Reviews as the close of a request leaves them: a decision record and an open review."""

from itertools import count
from typing import Any

import msgspec
import sqlalchemy as sa

from gatehouse.core.clock import iso_time
from gatehouse.core.ids import new_id
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.tables import DECISIONS, GATEWAY_INTENTS, REVIEWS

MOMENT_MS = 1_790_000_000_000
# Beginning with zeros, an id could look like the number of a card, which commands do not show.
_NUMBERS = count((1 << 80) - (1 << 24))

STAGES = [
    {
        "name": "Sentry",
        "feeType": "SENTRY",
        "feeMicros": 20_000,
        "completed": True,
        "durationMicroseconds": 300,
        "result": {"requestConfidence": 0.4, "reasons": {"ip_hosting": -1.2, "user_known": 0.3}},
    },
    {
        "name": "Rules",
        "feeType": "RULES",
        "feeMicros": 10_000,
        "completed": True,
        "durationMicroseconds": 20,
        "result": {
            "ruleSet": "starter",
            "version": 2,
            "status": "REVIEW",
            "matched": ["large-order", "new-card"],
            "shadow": [],
            "tags": ["high-value"],
        },
    },
]


def open_review(
    session: AdminSession,
    account_id: str,
    at_ms: int = MOMENT_MS,
    *,
    card: dict[str, Any] | None = None,
    signals: dict[str, Any] | None = None,
    at_risk: int = 0,
) -> str:
    """Insert a decision and its open review; ids of one moment grow with every call."""
    request_id = new_id("req", at_ms, lambda size: next(_NUMBERS).to_bytes(size, "big"))
    record = {
        "requestId": request_id,
        "operation": "pipeline",
        "at": iso_time(at_ms),
        "clientReferenceId": "order-1001",
        "card": card,
        "stages": STAGES,
        "authorizedMicros": 30_000,
        "closedMicros": 30_000,
        "signals": signals or {"order.amount": 950.0, "order.currency": "USD"},
        "decision": "REVIEW",
        "pipeline": {"id": 1, "version": 1},
    }
    decision = {
        "account_id": account_id,
        "request_id": request_id,
        "at_ms": at_ms,
        "operation": "pipeline",
        "client_reference": "order-1001",
        "card": None,
        "record": msgspec.json.encode(record).decode(),
    }
    review = {
        "account_id": account_id,
        "request_id": request_id,
        "at_ms": at_ms,
        "state": "OPEN",
        "at_risk": at_risk,
        "currency": "USD" if at_risk else None,
    }
    with session.database.writing() as connection:
        connection.execute(DECISIONS.insert(), decision)
        connection.execute(REVIEWS.insert(), review)
    return request_id


def keep_payment(session: AdminSession, account: str, request: str) -> None:
    """A payment that waits for the review of its request, as the close leaves it."""
    row = {"request_id": request, "account_id": account, "amount_minor": 5990, "currency": "USD"}
    row |= {"at_ms": MOMENT_MS, "changed_at_ms": MOMENT_MS, "state": "REVIEW", "attempts": 0}
    with session.database.writing() as connection:
        connection.execute(GATEWAY_INTENTS.insert(), row)


def kept_payment(session: AdminSession, request: str) -> tuple[str, str | None] | None:
    """The state and detail of a payment that is kept."""
    with session.reading() as connection:
        query = sa.select(GATEWAY_INTENTS).where(GATEWAY_INTENTS.c.request_id == request)
        row = connection.execute(query).one_or_none()
    return None if row is None else (row.state, row.detail)
