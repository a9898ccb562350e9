"""Messages on their way: which are due, what became of each attempt, and which wait."""

from collections.abc import Sequence
from typing import Final

import msgspec
import sqlalchemy as sa

from gatehouse.admin.webhooks.tables import WEBHOOK_ATTEMPTS
from gatehouse.core.ids import first_id
from gatehouse.store.counting import count_rows
from gatehouse.store.database import insert_rows, is_any_of, struct_from
from gatehouse.store.tables import WEBHOOK_DELIVERIES, WEBHOOKS

_D: Final = WEBHOOK_DELIVERIES.c
_A: Final = WEBHOOK_ATTEMPTS.c
_W: Final = WEBHOOKS.c
ATTEMPTS_KEPT_MS: Final = 30 * 86_400_000
_DELETED_AT_ONCE: Final = 1000
# Asked for every batch: to make the statements would take longer than to run them.
_OF_ENDPOINT: Final = (
    sa.select(WEBHOOK_DELIVERIES)
    .where(_D.webhook_id == sa.bindparam("webhook_id", type_=sa.Text))
    .limit(sa.bindparam("limit", type_=sa.Integer))
)
_DUE: Final = _OF_ENDPOINT.where(
    _D.next_at_ms <= sa.bindparam("now_ms", type_=sa.BigInteger)
).order_by(_D.next_at_ms)
_GO_ON: Final = (
    WEBHOOKS.update()
    .where(_W.id == sa.bindparam("ours"), _W.claimed_by == sa.bindparam("owner"))
    .where(_W.deleted_at_ms.is_(None))
    .values({name: sa.bindparam(name) for name in ("cursor", "failing_since_ms", "resume_at_ms")})
)
_FIRST: Final = _OF_ENDPOINT.order_by(_D.xid, _D.seq)


class WaitingMessage(msgspec.Struct, frozen=True):
    """A message that waits for its next attempt."""

    webhook_id: str
    event_id: str
    xid: int
    seq: int
    attempts: int
    next_at_ms: int


class Attempt(msgspec.Struct, frozen=True):
    """One attempt to send a message."""

    id: str
    webhook_id: str
    event_id: str
    type: str
    at_ms: int
    number: int
    """The how-manieth attempt of this message it was."""
    duration_ms: int
    status: int | None = None
    failure: str | None = None
    """None when the message was accepted."""
    next_at_ms: int | None = None
    """When it is tried again; None when it was accepted or given up."""


class EndpointProgress(msgspec.Struct, frozen=True):
    """How an endpoint stands after some attempts."""

    cursor: str
    failing_since_ms: int | None
    resume_at_ms: int | None


class RecordedAttempts(msgspec.Struct, frozen=True):
    """What some attempts change, in one transaction."""

    progress: EndpointProgress
    attempts: list[Attempt]
    waiting: list[WaitingMessage]
    """Messages to try again, or that there was no time for."""
    done: list[str]
    """Events that were accepted or given up."""
    recovered_at_ms: int | None = None
    """When the endpoint was found to be up again: all that waits is then due."""


def due(
    connection: sa.Connection, webhook_id: str, now_ms: int, limit: int, *, in_order: bool
) -> list[WaitingMessage]:
    """Messages to send again; in order, none that is behind one that is not due yet."""
    given = {"webhook_id": webhook_id, "now_ms": now_ms, "limit": limit}
    if not in_order:
        return [struct_from(row, WaitingMessage) for row in connection.execute(_DUE, given)]
    found: list[WaitingMessage] = []
    for row in connection.execute(_FIRST, given):
        if row.next_at_ms > now_ms:
            break
        found.append(struct_from(row, WaitingMessage))
    return found


def count_waiting(connection: sa.Connection, webhook_id: str) -> int:
    """How many messages wait."""
    return count_rows(connection, WEBHOOK_DELIVERIES, _D.webhook_id == webhook_id)


def record(connection: sa.Connection, owner: str, webhook_id: str, made: RecordedAttempts) -> bool:
    """Note some attempts; False when the claim was lost, so that another server has the work."""
    values = {"ours": webhook_id, "owner": owner, **msgspec.structs.asdict(made.progress)}
    if connection.execute(_GO_ON, values).rowcount != 1:
        return False
    add_attempts(connection, made.attempts)
    put_waiting(connection, webhook_id, made.waiting, made.done)
    if made.recovered_at_ms is not None:
        hurry(connection, webhook_id, made.recovered_at_ms)
    return True


def hurry(connection: sa.Connection, webhook_id: str, at_ms: int) -> None:
    """Let everything that waits be due at a moment, if it is not due before."""
    later = (_D.webhook_id == webhook_id) & (_D.next_at_ms > at_ms)
    connection.execute(WEBHOOK_DELIVERIES.update().where(later).values(next_at_ms=at_ms))


def add_attempts(connection: sa.Connection, attempts: Sequence[Attempt]) -> None:
    """Keep what became of attempts."""
    insert_rows(connection, WEBHOOK_ATTEMPTS, attempts)


def put_waiting(
    connection: sa.Connection,
    webhook_id: str,
    waiting: Sequence[WaitingMessage],
    done: Sequence[str] = (),
) -> None:
    """Let messages wait, each once, and forget those that are done."""
    gone = [*done, *(each.event_id for each in waiting)]
    if gone:
        these = is_any_of(connection, _D.event_id, gone)
        connection.execute(WEBHOOK_DELIVERIES.delete().where(_D.webhook_id == webhook_id, these))
    insert_rows(connection, WEBHOOK_DELIVERIES, waiting)


def attempts_of(
    connection: sa.Connection,
    webhook_id: str,
    limit: int,
    *,
    before: str | None = None,
    event_id: str | None = None,
    types: Sequence[str],
) -> list[Attempt]:
    """Attempts about events of some types, newest first, beginning before the one that is named."""
    query = sa.select(WEBHOOK_ATTEMPTS).where(_A.webhook_id == webhook_id, _A.type.in_(types))
    if before is not None:
        query = query.where(_A.id < before)
    if event_id is not None:
        query = query.where(_A.event_id == event_id)
    rows = connection.execute(query.order_by(_A.id.desc()).limit(limit))
    return [struct_from(row, Attempt) for row in rows]


def with_old_attempts(
    connection: sa.Connection, webhook_ids: Sequence[str], now_ms: int
) -> list[str]:
    """The endpoints with attempts of more than a month ago."""
    old = sa.select(_A.id).where(_A.id < _oldest_kept(now_ms)).limit(1)
    return [
        each
        for each in webhook_ids
        if connection.scalar(old.where(_A.webhook_id == each)) is not None
    ]


def delete_old_attempts(connection: sa.Connection, webhook_ids: Sequence[str], now_ms: int) -> None:
    """Forget attempts of more than a month ago, some at a time."""
    for each in webhook_ids:
        delete_attempts(connection, each, _A.id < _oldest_kept(now_ms))


def delete_attempts(
    connection: sa.Connection, webhook_id: str, *which: "sa.ColumnElement[bool]"
) -> bool:
    """Forget some attempts of an endpoint; whether there are no more."""
    those = (_A.webhook_id == webhook_id, *which)
    some = sa.select(_A.id).where(*those).limit(_DELETED_AT_ONCE).scalar_subquery()
    done = connection.execute(WEBHOOK_ATTEMPTS.delete().where(those[0], _A.id.in_(some)))
    return done.rowcount < _DELETED_AT_ONCE


def _oldest_kept(now_ms: int) -> str:
    return first_id("att", now_ms - ATTEMPTS_KEPT_MS)
