"""Which server delivers to which endpoint: a claim that its server renews, and that expires.

One server at a time sends to an endpoint. When one dies, another goes on after its claim expired.
"""

from collections.abc import Sequence
from typing import Final

import sqlalchemy as sa

from gatehouse.admin.webhooks.types.endpoint import WebhookState
from gatehouse.store.database import is_any_of
from gatehouse.store.tables import WEBHOOK_DELIVERIES, WEBHOOKS

_W: Final = WEBHOOKS.c
_D: Final = WEBHOOK_DELIVERIES.c
# Asked several times a second: to make the statements would take longer than to run them.
_NOW_MS: Final = sa.bindparam("now_ms", type_=sa.BigInteger)
_DUE: Final = sa.union(
    sa.select(_D.webhook_id).where(_D.next_at_ms <= _NOW_MS),
    sa.select(_W.id).where(_W.claimed_by.is_not(None), _W.claimed_until_ms < _NOW_MS),
)


def claim(
    connection: sa.Connection, owner: str, webhook_ids: Sequence[str], now_ms: int, until_ms: int
) -> set[str]:
    """Claim those of the endpoints that no server holds; which these are."""
    named, enabled = is_any_of(connection, _W.id, webhook_ids), _W.state == WebhookState.ENABLED
    wanted = sa.select(_W.id).where(named, _is_free(now_ms), enabled, _W.deleted_at_ms.is_(None))
    found = list(connection.scalars(wanted.with_for_update(skip_locked=True)))
    if found:
        values = {"claimed_by": owner, "claimed_until_ms": until_ms}
        this = WEBHOOKS.update().where(is_any_of(connection, _W.id, found))
        connection.execute(this.values(values))
    return set(found)


def renew(
    connection: sa.Connection, owner: str, webhook_ids: Sequence[str], until_ms: int
) -> set[str]:
    """Hold claims for longer; those that are still ours."""
    ours = (_W.claimed_by == owner) & is_any_of(connection, _W.id, webhook_ids)
    connection.execute(WEBHOOKS.update().where(ours).values(claimed_until_ms=until_ms))
    return set(connection.scalars(sa.select(_W.id).where(ours)))


def release(connection: sa.Connection, owner: str, webhook_id: str, cursor: str | None) -> None:
    """Give a claim back, and note how far the events were read."""
    values: dict[str, str | None] = {"claimed_by": None, "claimed_until_ms": None}
    if cursor is not None:
        values["cursor"] = cursor
    ours = (_W.claimed_by == owner) & (_W.id == webhook_id)
    connection.execute(WEBHOOKS.update().where(ours).values(values))


def release_all(connection: sa.Connection) -> None:
    """Give all claims back, for the only server of a database: earlier ones have ended."""
    held = WEBHOOKS.update().where(_W.claimed_by.is_not(None))
    connection.execute(held.values(claimed_by=None, claimed_until_ms=None))


def held(connection: sa.Connection, webhook_ids: Sequence[str], now_ms: int) -> set[str]:
    """Those of the endpoints that a server holds: none of them can be claimed."""
    named = is_any_of(connection, _W.id, webhook_ids)
    return set(connection.scalars(sa.select(_W.id).where(named, ~_is_free(now_ms))))


def due(connection: sa.Connection, now_ms: int) -> set[str]:
    """The endpoints that a message is to be sent to again, or whose server has ended."""
    return set(connection.scalars(_DUE, {"now_ms": now_ms}))


def deleted(connection: sa.Connection, now_ms: int) -> list[str]:
    """Deleted endpoints that no server holds."""
    gone = sa.select(_W.id).where(_W.deleted_at_ms.is_not(None), _is_free(now_ms))
    return list(connection.scalars(gone))


def _is_free(now_ms: int) -> "sa.ColumnElement[bool]":
    return _W.claimed_by.is_(None) | (_W.claimed_until_ms < now_ms)
