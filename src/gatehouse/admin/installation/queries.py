"""Counts what waits in the database, for those who watch it."""

from typing import Final

import msgspec
import sqlalchemy as sa

from gatehouse.admin.drift.use_cases import drifts_open
from gatehouse.admin.webhooks.types.endpoint import WebhookState
from gatehouse.admin.webhooks.use_cases.endpoints import whole_backlog
from gatehouse.gateway.operating import OperationKind
from gatehouse.store.decisions.review_events import ReviewState
from gatehouse.store.events import outbox
from gatehouse.store.payments.tables import PAYMENT_OPERATIONS
from gatehouse.store.requests.intents import IntentState
from gatehouse.store.state import BACKUP_MARK, read_mark
from gatehouse.store.tables import (
    ACCOUNTS,
    GATEWAY_INTENTS,
    HOLDS,
    MISSED_EVENTS,
    REVIEWS,
    WEBHOOKS,
)

_W: Final = WEBHOOKS.c
_IN_DOUBT: Final = sa.text("state = 'IN_DOUBT' AND next_at_ms IS NULL")
"""Written out: databases use an index of some rows only for a query that says the same."""
_O: Final = PAYMENT_OPERATIONS.c
_BY_KIND: Final = (
    sa.select(_O.kind, sa.func.count(), sa.func.min(_O.at_ms)).where(_IN_DOUBT).group_by(_O.kind)
)
_INTENTS: Final = {IntentState.REVERSE: "reversals_waiting", IntentState.FAILED: "reversals_failed"}


class Backlog(msgspec.Struct, frozen=True):
    """What has begun and not ended, of all accounts."""

    reviews_open: int = 0
    reversals_waiting: int = 0
    reversals_failed: int = 0
    payment_operations_in_doubt: dict[str, int] = {}
    """Those that a person has to settle, by kind."""
    payment_operations_in_doubt_seconds: dict[str, float] = {}
    """How long ago the oldest of each kind was asked for."""
    holds_open: int = 0
    memory_missed: int = 0
    events_written: int = 0
    events_held_back: int = 0
    webhooks_failing: int = 0
    webhook_messages_waiting: int = 0
    webhook_oldest_message_seconds: float = 0.0
    webhook_messages_late_seconds: float = 0.0
    balances_low: int = 0
    drifts_open: int = 0
    last_backup_ms: int | None = None
    """None if there was none that `gatehouse backup` has made."""


def count_backlog(connection: sa.Connection, now_ms: int) -> Backlog:
    """Count what waits; the time depends on how much waits, not on how much has ever been."""
    # Account by account, because the index of reviews begins with the account.
    of_account = (REVIEWS.c.account_id == ACCOUNTS.c.id, REVIEWS.c.state == ReviewState.OPEN.value)
    waiting = sa.select(sa.func.count()).select_from(REVIEWS).where(*of_account)
    waiting = waiting.correlate(ACCOUNTS)
    failing = _W.deleted_at_ms.is_(None) & (_W.state == WebhookState.ENABLED.value)
    failing &= _W.failing_since_ms.is_not(None)
    low = ACCOUNTS.c.closed_at_ms.is_(None) & (ACCOUNTS.c.balance_told > 0)
    counts = {
        "reviews_open": sa.select(sa.func.sum(waiting.scalar_subquery())),
        "holds_open": sa.select(sa.func.count()).select_from(HOLDS),
        "memory_missed": sa.select(sa.func.count()).select_from(MISSED_EVENTS),
        "webhooks_failing": sa.select(sa.func.count()).where(failing),
        "balances_low": sa.select(sa.func.count()).where(low),
        "drifts_open": drifts_open(),
        **{
            name: sa.select(sa.func.count()).where(GATEWAY_INTENTS.c.state == state)
            for state, name in _INTENTS.items()
        },
    }
    each = [query.scalar_subquery() for query in counts.values()]
    found = connection.execute(sa.select(*each)).one()
    backup = read_mark(connection, BACKUP_MARK)
    in_doubt = {kind: (number, first) for kind, number, first in connection.execute(_BY_KIND)}
    webhooks = whole_backlog(connection, now_ms)

    def since(at_ms: int | None) -> float:
        return 0.0 if at_ms is None else max(0.0, (now_ms - at_ms) / 1000)

    return Backlog(
        events_written=outbox.count_written(connection),
        events_held_back=outbox.count_held_back(connection),
        last_backup_ms=None if backup is None else int(backup),
        payment_operations_in_doubt={
            kind: in_doubt.get(kind, (0, None))[0] for kind in OperationKind
        },
        payment_operations_in_doubt_seconds={
            kind: since(in_doubt.get(kind, (0, None))[1]) for kind in OperationKind
        },
        webhook_messages_waiting=webhooks.tried + webhooks.unread,
        webhook_oldest_message_seconds=since(webhooks.oldest_ms),
        webhook_messages_late_seconds=since(webhooks.due_ms),
        **{name: int(count or 0) for name, count in zip(counts, found, strict=True)},
    )
