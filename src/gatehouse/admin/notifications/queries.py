"""Notifications as they are kept, found and forgotten."""

from collections.abc import Sequence
from typing import Final

import msgspec
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from gatehouse.admin.notifications.types import (
    KEPT_MS,
    MOST_KEPT,
    KeptNotification,
    NotificationSearch,
    NotificationState,
)
from gatehouse.core.ids import first_id
from gatehouse.pipeline.settlement import PaymentRow
from gatehouse.store.database import is_any_of, struct_from
from gatehouse.store.payments.tables import (
    PAYMENT_OPERATIONS,
    PAYMENTS,
    PROVIDER_NOTIFICATIONS,
)
from gatehouse.store.tables import ACCOUNTS

_N: Final = PROVIDER_NOTIFICATIONS.c
_P: Final = PAYMENTS.c
_ENOUGH: Final = 2
"""Payments that one name finds: more than one is too many."""
_AT_ONCE: Final = 10_000


def keep(connection: sa.Connection, given: Sequence[KeptNotification]) -> int:
    """Keep what was not kept before; how many."""
    added = 0
    for each in given:
        same = (_N.connector == each.connector, _N.name == each.name)
        if connection.scalar(sa.select(_N.id).where(*same)) is None:
            # Two servers can be told the same at once: the second one waits here.
            added += _insert(connection, each)
    return added


def _insert(connection: sa.Connection, one: KeptNotification) -> int:
    insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    known_by = ["connector", "name"]
    made = insert(PROVIDER_NOTIFICATIONS).on_conflict_do_nothing(index_elements=known_by)
    return connection.execute(made, msgspec.structs.asdict(one)).rowcount


def claim_next(connection: sa.Connection, now_ms: int) -> KeptNotification | None:
    """The notification that is due first, locked."""
    due = sa.select(PROVIDER_NOTIFICATIONS).where(_N.next_at_ms <= now_ms)
    ordered = due.order_by(_N.next_at_ms, _N.id).limit(1)
    row = connection.execute(ordered.with_for_update(skip_locked=True)).first()
    return None if row is None else struct_from(row, KeptNotification)


def anything_due(connection: sa.Connection, now_ms: int) -> bool:
    """Whether any notification is to be applied."""
    return connection.scalar(sa.select(_N.id).where(_N.next_at_ms <= now_ms).limit(1)) is not None


def update(connection: sa.Connection, one: KeptNotification) -> None:
    """Note what became of a notification."""
    changing = ("state", "changed_at_ms", "attempts", "next_at_ms", "detail")
    values = {name: getattr(one, name) for name in (*changing, "account_id", "request_id")}
    connection.execute(PROVIDER_NOTIFICATIONS.update().where(_N.id == one.id).values(values))


def find(
    connection: sa.Connection, account_id: str, notification_id: str, *, lock: bool = False
) -> KeptNotification | None:
    """A notification about a payment of an account, locked if it is going to be changed."""
    mine = (_N.account_id == account_id, _N.id == notification_id)
    query = sa.select(PROVIDER_NOTIFICATIONS).where(*mine)
    row = connection.execute(query.with_for_update() if lock else query).first()
    return None if row is None else struct_from(row, KeptNotification)


def listing(
    connection: sa.Connection, account_id: str, wanted: NotificationSearch
) -> list[KeptNotification]:
    """One more than fits on a page about payments of an account, newest first."""
    given = (
        (_N.request_id, wanted.request_id),
        (_N.state, wanted.state),
        (_N.event, wanted.event),
        (_N.connector, wanted.connector),
    )
    fits = [column == value for column, value in given if value is not None]
    if wanted.starting_after is not None:
        fits.append(_N.id < wanted.starting_after)
    query = sa.select(PROVIDER_NOTIFICATIONS).where(_N.account_id == account_id, *fits)
    rows = connection.execute(query.order_by(_N.id.desc()).limit(wanted.limit + 1))
    return [struct_from(row, KeptNotification) for row in rows]


def unmatched(connection: sa.Connection, limit: int) -> list[KeptNotification]:
    """Notifications of which no account is known, newest first: for operators alone."""
    query = sa.select(PROVIDER_NOTIFICATIONS).where(_N.account_id.is_(None))
    rows = connection.execute(query.order_by(_N.id.desc()).limit(limit))
    return [struct_from(row, KeptNotification) for row in rows]


def try_unmatched(connection: sa.Connection, now_ms: int) -> int:
    """Let those without a payment be tried once more; how many."""
    update = PROVIDER_NOTIFICATIONS.update().where(
        _N.account_id.is_(None),
        _N.state.in_((NotificationState.WAITING, NotificationState.UNMATCHED)),
    )
    return connection.execute(update.values(next_at_ms=now_ms)).rowcount


def payments_named(
    connection: sa.Connection,
    party: str,
    *,
    payment_id: str | None = None,
    request_id: str | None = None,
    operation_id: str | None = None,
) -> list[PaymentRow]:
    """Payments that a party made, by one of their names: of whatever accounts use it."""
    query = sa.select(PAYMENTS).where(_P.party == party)
    if payment_id is not None:
        query = query.where(_P.payment_id == payment_id)
    elif request_id is not None:
        # The key of payments begins with the account: one look for each account.
        ids = list(connection.scalars(sa.select(ACCOUNTS.c.id)))
        these = is_any_of(connection, _P.account_id, ids)
        query = query.where(_P.request_id == request_id, these)
    else:
        operation = PAYMENT_OPERATIONS.c
        joined = (operation.account_id == _P.account_id) & (operation.request_id == _P.request_id)
        query = query.join(PAYMENT_OPERATIONS, joined).where(operation.id == operation_id)
    return [PaymentRow(*row) for row in connection.execute(query.limit(_ENOUGH))]


def newer_applied(connection: sa.Connection, one: KeptNotification) -> bool:
    """Whether something that happened later to the same case was applied before."""
    same = (_N.connector == one.connector, _N.about == one.about, _N.event == one.event)
    later = (_N.state == NotificationState.APPLIED, _N.at_ms > one.at_ms, _N.id != one.id)
    query = sa.select(_N.id).where(*same, *later, _N.account_id == one.account_id)
    return connection.scalar(query.limit(1)) is not None


def anything_old(connection: sa.Connection, now_ms: int) -> bool:
    """Whether a notification is older than any is kept."""
    oldest = connection.scalar(sa.select(sa.func.min(_N.id)))
    return oldest is not None and oldest < first_id("ntf", now_ms - KEPT_MS)


def delete_old(connection: sa.Connection, now_ms: int) -> int:
    """Delete some of those that are older than any is kept, or more than are kept; how many."""
    oldest = first_id("ntf", now_ms - KEPT_MS)
    beyond = sa.select(_N.id).order_by(_N.id.desc()).offset(MOST_KEPT).limit(1)
    oldest = max(oldest, connection.scalar(beyond) or "")
    these = sa.select(_N.id).where(_N.id <= oldest).order_by(_N.id).limit(_AT_ONCE)
    return connection.execute(
        PROVIDER_NOTIFICATIONS.delete().where(_N.id.in_(these.scalar_subquery()))
    ).rowcount
