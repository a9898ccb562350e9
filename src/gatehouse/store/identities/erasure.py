"""Erasing identity records, so that nothing of them remains in the database.

Deleting is quick. Clearing the unused space, where sealed copies of deleted records can survive, is
slow for a large SQLite file; a mark in the database says that it is due until it is done.
"""

import contextlib
import sqlite3
from collections import Counter
from typing import Final

import sqlalchemy as sa

from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import StoreUnavailable
from gatehouse.store import tables
from gatehouse.store.admin.admin_session import AdminSession, Change
from gatehouse.store.admin.throttle import Pace, batch_of
from gatehouse.store.database import Database
from gatehouse.store.decisions.evidence_table import ORDER_EVIDENCE
from gatehouse.store.identities import identities, imports
from gatehouse.store.identities.identities import Selector
from gatehouse.store.identities.identity_counts import RECOUNT, types_of
from gatehouse.store.identities.identity_sealer import IdentitySealer, StoredHolder
from gatehouse.store.state import clear_mark, read_mark, set_mark
from gatehouse.store.tables import IDENTITY_TYPES

QUICKLY_REWRITTEN_BYTES: Final = 64 * 1024 * 1024
"""A SQLite file below this is written anew in about a second."""

_REWRITTEN: Final = (
    *(tables.IDENTITIES, tables.KEY_RING, tables.IDENTITY_IMPORTS, tables.DECISIONS),
    *(tables.SEARCH_ENTRIES, tables.IDEMPOTENCY, tables.REVIEWS, tables.FEEDBACK),
    *(tables.REVIEW_EVENTS, tables.LIST_ENTRIES, tables.FORGOTTEN_EVENTS, tables.SEARCH_WAITING),
    *(tables.METADATA.tables[name] for name in ("dispute_cases", "dispute_files")),
    ORDER_EVIDENCE,
)
"""The tables from which something about a person can be deleted."""
_DUE: Final = "identities-compaction-due"
_AT_ONCE: Final = 500
_MOST_IDS_AUDITED: Final = 20


def erase(
    scope: str,
    selector: Selector,
    reason: str,
    session: AdminSession,
    pace: Pace | None = None,
) -> int:
    """Delete records, a few at a time; the audit log gets counts, the reason and a few ids.

    From the first deletion on, a compaction is due, and no interrupted import of the scope can go
    on where it was.
    """
    sealer, pace = IdentitySealer(session.ring), pace or Pace(session.database)
    with session.reading() as connection:
        listed = identities.how_many(scope, selector, connection) <= _MOST_IDS_AUDITED
    erased = 0
    while _any(scope, selector, session):
        with pace.turn(), session.change() as change:
            ids = identities.delete(scope, selector, change.connection, sealer, at_most=_AT_ONCE)
            imports.forget_positions(scope, change.connection)
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
    """Note that a compaction is due."""
    set_mark(change.connection, _DUE, change.new_id("due"))


def is_due(connection: sa.Connection) -> bool:
    """Whether unused space may hold copies of deleted or resealed records."""
    return read_mark(connection, _DUE) is not None


def tidy(session: AdminSession, wanted: bool | None) -> bool:
    """Clear the unused space if that is wanted; None leaves it to the size of the file.

    Returns whether it was done. If not, at least the write-ahead log is emptied, unless somebody
    is reading it.
    """
    if wanted is None:
        file = session.database.file
        wanted = file is None or file.stat().st_size < QUICKLY_REWRITTEN_BYTES
    if wanted:
        compact(session)
    elif session.database.is_sqlite:
        with contextlib.suppress(StoreUnavailable):
            _rewrite_sqlite(session.database, "")
    return wanted


def compact(session: AdminSession) -> None:
    """Clear the unused space of the database, where copies of deleted rows can survive.

    SQLite overwrites what it deletes, but not what it left behind when it moved a row from page to
    page; only writing the file anew does that. PostgreSQL frees the space for other rows.
    """
    with session.reading() as connection:
        mark = read_mark(connection, _DUE)
        recount = read_mark(connection, RECOUNT) is not None
    if recount:
        with batch_of(session) as connection:
            _recount_types(connection, IdentitySealer(session.ring))
    if session.database.is_sqlite:
        _rewrite_sqlite(session.database, "VACUUM")
    else:
        _vacuum_postgres(session.database)
    if mark is not None:
        with batch_of(session) as connection:
            clear_mark(connection, _DUE, mark)


def _recount_types(connection: sa.Connection, sealer: IdentitySealer) -> None:
    """Count the people by type again, after a row was deleted that could not be opened."""
    mark = read_mark(connection, RECOUNT)
    if mark is None:
        return
    found: Counter[tuple[str, str]] = Counter()
    for one in identities.everyone(None, connection, sealer):
        if isinstance(one, StoredHolder):
            found.update((one.scope, kind.value) for kind in types_of(one.entry.person))
    connection.execute(IDENTITY_TYPES.delete())
    rows = [{"scope": scope, "type": kind, "people": n} for (scope, kind), n in found.items()]
    if rows:
        connection.execute(IDENTITY_TYPES.insert(), rows)
    clear_mark(connection, RECOUNT, mark)


def _any(scope: str, selector: Selector, session: AdminSession) -> bool:
    with session.reading() as connection:
        return identities.any_of(scope, selector, connection)


def _vacuum_postgres(database: Database) -> None:
    try:
        with database.engine.connect() as connection:
            bare = connection.execution_options(isolation_level="AUTOCOMMIT")
            bare.exec_driver_sql("SET statement_timeout = 0")
            for table in _REWRITTEN:
                bare.exec_driver_sql(f"VACUUM {table.name}")
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
