"""Single values of the database: the revision that servers poll, the change lock, marks."""

from typing import Final

import sqlalchemy as sa

from gatehouse.store.notices import ChangeNotice, notify
from gatehouse.store.tables import STATE

_REVISION: Final = "revision"
BACKUP_MARK: Final = "backup"
"""When the last backup was made, in milliseconds since 1970."""
_NEW: Final = "INSERT INTO state (name, value) VALUES (:name, :value) ON CONFLICT (name) DO "
_BEGIN: Final = sa.text(f"{_NEW}NOTHING")
_SET: Final = sa.text(f"{_NEW}UPDATE SET value = excluded.value")


def lock_changes(connection: sa.Connection) -> None:
    """Serialize changes, so that the audit chain has one end.

    SQLite has taken its only write lock already; PostgreSQL locks this one row.
    """
    connection.execute(sa.select(STATE.c.value).where(STATE.c.name == _REVISION).with_for_update())


def read_revision(connection: sa.Connection) -> int:
    """A number that grows with every change of accounts, keys, prices and the like."""
    return int(read_mark(connection, _REVISION) or 0)


def bump_revision(connection: sa.Connection) -> None:
    """Tell all servers that something they may have cached has changed."""
    following = str(read_revision(connection) + 1)
    connection.execute(STATE.update().where(STATE.c.name == _REVISION).values(value=following))
    notify(connection, ChangeNotice.REVISION)


def set_mark(connection: sa.Connection, name: str, value: str) -> None:
    """Set a mark, in one statement: others may set it at the same moment."""
    connection.execute(_SET, {"name": name, "value": value})


def replace_mark(connection: sa.Connection, name: str, before: str | None, value: str) -> bool:
    """Set a mark unless it was changed since it was read; `before` is None where there was none."""
    row = {"name": name, "value": value}
    if before is None:
        return connection.execute(_BEGIN, row).rowcount > 0
    this = (STATE.c.name == name) & (STATE.c.value == before)
    return connection.execute(STATE.update().where(this).values(row)).rowcount > 0


def write_probe(connection: sa.Connection) -> None:
    """Write something, to see whether the database takes a commit."""
    set_mark(connection, "probe", "1")


def read_mark(connection: sa.Connection, name: str) -> str | None:
    """The mark of pending work, or None."""
    return connection.scalar(sa.select(STATE.c.value).where(STATE.c.name == name))


def clear_mark(connection: sa.Connection, name: str, value: str) -> None:
    """Remove a mark when its work is done, unless it was set again meanwhile."""
    connection.execute(STATE.delete().where(STATE.c.name == name, STATE.c.value == value))
