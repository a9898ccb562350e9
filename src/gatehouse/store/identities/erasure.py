"""Erasing identity records, so that nothing of them remains in the database.

Deleting is quick. Clearing the unused space, where sealed copies of deleted records can survive, is
not for a large SQLite file; so that it is due is a mark in the database until it is done.
"""

import contextlib
import sqlite3
from typing import Final

import sqlalchemy as sa

from gatehouse.core.errors import StoreUnavailable
from gatehouse.core.redaction import recordable
from gatehouse.store.admin.admin_session import AdminSession, Change
from gatehouse.store.admin.throttle import Pace, batch_of
from gatehouse.store.database import Database
from gatehouse.store.identities import identities, imports
from gatehouse.store.identities.identities import Selector
from gatehouse.store.identities.identity_sealer import IdentitySealer
from gatehouse.store.state import clear_mark, read_mark, set_mark

QUICKLY_REWRITTEN_BYTES: Final = 64 * 1024 * 1024
"""A SQLite file below this is written anew in about a second."""

_DUE: Final = "identities-compaction-due"
_AT_ONCE: Final = 500
_MOST_IDS_AUDITED: Final = 20


def erase(
    scope: str,
    selector: Selector,
    reason: str,
    session: AdminSession,
    safe: IdentitySealer,
    pace: Pace | None = None,
) -> int:
    """Delete what is meant, a little at a time; the trail keeps counts, the reason and a few ids.

    From the first deletion on, a compaction is due, and no interrupted import of the scope can go
    on where it was.
    """
    pace = pace or Pace(session.database)
    with session.reading() as connection:
        listed = identities.how_many(scope, selector, connection) <= _MOST_IDS_AUDITED
    erased = 0
    while _any(scope, selector, session):
        with pace.turn(), session.change() as change:
            ids = identities.delete(scope, selector, change.connection, safe, at_most=_AT_ONCE)
            imports.forget_places(scope, change.connection)
            mark_due(change)
            details = {"ids": ids} if listed else {}
            change.audit(
                "identities.erase",
                imports.account_of(scope),
                scope=scope,
                count=len(ids),
                reason=recordable(reason),
                **details,
            )
        erased += len(ids)
    return erased


def mark_due(change: Change) -> None:
    """Note that unused space holds what is to be cleared."""
    set_mark(change.connection, _DUE, change.new_id("due"))


def is_due(connection: sa.Connection) -> bool:
    """Whether unused space may hold copies of deleted or resealed records."""
    return read_mark(connection, _DUE) is not None


def tidy(session: AdminSession, safe: IdentitySealer, wanted: bool | None) -> bool:
    """Clear the unused space if that is wanted; None leaves it to the size of the file.

    Returns whether it was done. If not, at least the log of the changes is emptied, if nobody is
    reading it.
    """
    if wanted is None:
        file = session.database.file
        wanted = file is None or file.stat().st_size < QUICKLY_REWRITTEN_BYTES
    if wanted:
        compact(session, safe)
    elif session.database.is_sqlite:
        with contextlib.suppress(StoreUnavailable):
            _rewrite_sqlite(session.database, "")
    return wanted


def compact(session: AdminSession, safe: IdentitySealer) -> None:
    """Clear the unused space of the database, where copies of deleted rows can survive.

    SQLite overwrites what it deletes, but not what it left behind when it moved a row from page to
    page; only writing the file anew does that. PostgreSQL frees the space for other rows.
    """
    with session.reading() as connection:
        mark = read_mark(connection, _DUE)
        recount = read_mark(connection, identities.RECOUNT) is not None
    if recount:
        with batch_of(session) as connection:
            identities.recount_types(connection, safe)
    if session.database.is_sqlite:
        _rewrite_sqlite(session.database, "VACUUM")
    else:
        _vacuum_postgres(session.database)
    if mark is not None:
        with batch_of(session) as connection:
            clear_mark(connection, _DUE, mark)


def _any(scope: str, selector: Selector, session: AdminSession) -> bool:
    with session.reading() as connection:
        return identities.any_of(scope, selector, connection)


def _vacuum_postgres(database: Database) -> None:
    try:
        with database.engine.connect() as connection:
            bare = connection.execution_options(isolation_level="AUTOCOMMIT")
            bare.exec_driver_sql("SET statement_timeout = 0")
            for table in ("identities", "key_ring", "identity_imports"):
                bare.exec_driver_sql(f"VACUUM {table}")
            bare.exec_driver_sql("RESET statement_timeout")
    except sa.exc.OperationalError as error:
        raise StoreUnavailable(f"the tables could not be vacuumed: {error.orig}") from None


def _rewrite_sqlite(database: Database, how: str) -> None:
    connection: sqlite3.Connection = database.driver_connection()
    try:
        connection.execute(how)
        [(busy, *_)] = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    except sqlite3.OperationalError as error:
        raise StoreUnavailable(f"the database file could not be rewritten: {error}") from None
    finally:
        connection.close()
    if busy:
        raise StoreUnavailable("the log of the database is in use and could not be emptied")
