"""Single facts of the database: the revision that tells servers to look again, and locks."""

from typing import Final

import sqlalchemy as sa

from gatehouse.store.tables import STATE

_REVISION: Final = "revision"


def lock_changes(connection: sa.Connection) -> None:
    """Let one change at a time pass, so that the audit chain has one end.

    SQLite has taken its only write lock already; PostgreSQL locks this one row.
    """
    connection.execute(sa.select(STATE.c.value).where(STATE.c.name == _REVISION).with_for_update())


def read_revision(connection: sa.Connection) -> int:
    """A number that grows with every change of accounts, keys, prices and the like."""
    value = connection.scalar(sa.select(STATE.c.value).where(STATE.c.name == _REVISION))
    return int(value or 0)


def bump_revision(connection: sa.Connection) -> None:
    """Tell all servers that something they may have remembered has changed."""
    following = str(read_revision(connection) + 1)
    connection.execute(STATE.update().where(STATE.c.name == _REVISION).values(value=following))
