"""The requests that Sentry's shared memory has to be told of, with their decision records."""

from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from gatehouse.store.database import is_any_of
from gatehouse.store.tables import DECISIONS, MISSED_EVENTS

_C: Final = MISSED_EVENTS.c


class MissedRequest(NamedTuple):
    """A request, and its record if that is still there."""

    account_id: str
    request_id: str
    record: str | None


def add_missed(connection: sa.Connection, requests: Iterable[tuple[str, str]]) -> None:
    """Note requests by account and id; those that are noted already stay as they are."""
    rows = [{"account_id": account, "request_id": request} for account, request in requests]
    insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    connection.execute(insert(MISSED_EVENTS).on_conflict_do_nothing(), rows)


def some_missed(connection: sa.Connection, limit: int) -> list[MissedRequest]:
    """Those of the first account that has any, oldest first."""
    with_record = MISSED_EVENTS.outerjoin(
        DECISIONS,
        sa.and_(DECISIONS.c.account_id == _C.account_id, DECISIONS.c.request_id == _C.request_id),
    )
    query = (
        sa.select(_C.account_id, _C.request_id, DECISIONS.c.record)
        .select_from(with_record)
        .order_by(_C.account_id, _C.request_id)
        .limit(limit)
    )
    return [MissedRequest(*row) for row in connection.execute(query)]


def forget_told(connection: sa.Connection, told: Collection[MissedRequest]) -> None:
    """Forget requests that the memory was told of."""
    for account_id in {each.account_id for each in told}:
        requests = [each.request_id for each in told if each.account_id == account_id]
        drop_missed(connection, account_id, requests)


def drop_missed(
    connection: sa.Connection, account_id: str, request_ids: Sequence[str]
) -> frozenset[str]:
    """Forget requests of an account; returns those of which the memory was never told."""
    these = sa.and_(_C.account_id == account_id, is_any_of(connection, _C.request_id, request_ids))
    missed = frozenset(connection.scalars(sa.select(_C.request_id).where(these)))
    if missed:
        connection.execute(MISSED_EVENTS.delete().where(these))
    return missed
