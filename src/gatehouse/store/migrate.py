"""Brings a database to the newest revision; safe when several processes try at once.

A migration that only expands (new tables, new columns that may be empty) says so with `expands`.
Servers of the revision before it work on the database all the same, and may be started on it.
"""

import time
from pathlib import Path
from typing import Any, Final

import psycopg
import sqlalchemy as sa
from sqlalchemy.exc import OperationalError

from gatehouse.core.errors import Conflict, SettingsError
from gatehouse.store.advisory_locks import MIGRATING
from gatehouse.store.database import Database
from gatehouse.store.migrations import HEAD
from gatehouse.store.servers import servers_seen
from gatehouse.store.state import read_mark, set_mark

_OLDEST: Final = "oldest-servers"
"""The mark with the oldest revision whose servers can work on the tables as they are."""
_TURN_S: Final = 120
"""How long to wait for another process that migrates."""
_LOCK_MS: Final = 1000
"""How long a change of a table may wait for a lock: all requests wait behind it."""
_ATTEMPTS: Final = 8
_PAUSE_S: Final = 0.5


def current_revision(database: Database) -> str | None:
    """The revision the database is at, or None when it is empty."""
    with database.reading() as connection:
        return _revision(connection)


def is_current(database: Database) -> bool:
    """Whether this version can work on the database: at its revision, or at one that expands it."""
    with database.reading() as connection:
        revision = _revision(connection)
        return revision == HEAD or _is_expanded(connection, revision)


def migrate(database: Database) -> tuple[str | None, str]:
    """Run the missing migrations; returns the revision before and after."""
    with database.reading() as connection:
        before = _revision(connection)
        if before is not None and (before == HEAD or _is_expanded(connection, before)):
            return before, before
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            with database.writing() as connection:
                _upgrade(connection)
            break
        except _TableInUse:
            if attempt == _ATTEMPTS:
                raise
            # Requests that waited behind this attempt go first.
            time.sleep(_PAUSE_S)
    return before, HEAD


class _TableInUse(Conflict):
    """A migration could not lock a table."""


def _upgrade(connection: sa.Connection) -> None:
    from alembic import command
    from alembic.util.exc import CommandError

    config = alembic_config(connection)
    if connection.dialect.name != "sqlite":
        _take_turn(connection)
    before, oldest = _revision(connection), _oldest_servers(config)
    if before == HEAD:
        # Another process has migrated it meanwhile.
        return
    _refuse_older_servers(connection, before, oldest)
    try:
        command.upgrade(config, "head")
        set_mark(connection, _OLDEST, oldest)
    except CommandError as error:
        raise SettingsError(
            f"the database is at revision {before}, which this version does not know; "
            f"it was made by a newer one ({error})"
        ) from None
    except OperationalError as error:
        if isinstance(error.orig, psycopg.errors.LockNotAvailable):
            raise _TableInUse(
                "a table is in use by a transaction that does not end, so it cannot be changed "
                "without stopping all requests; end long queries, backups and commands, and run "
                "it again. Nothing was changed"
            ) from None
        raise


def _take_turn(connection: sa.Connection) -> None:
    """Wait for other processes that migrate; afterwards, wait only shortly for each table."""
    connection.execute(sa.text(f"SET LOCAL lock_timeout = '{_TURN_S}s'"))
    connection.execute(sa.text("SET LOCAL statement_timeout = 0"))
    try:
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(MIGRATING)))
    except OperationalError as error:
        if isinstance(error.orig, psycopg.errors.LockNotAvailable):
            raise Conflict(
                f"another process has been migrating this database for more than {_TURN_S} s; "
                "wait until it has ended, then run this again"
            ) from None
        raise
    connection.execute(sa.text(f"SET LOCAL lock_timeout = {_LOCK_MS}"))


def _refuse_older_servers(connection: sa.Connection, before: str | None, oldest: str) -> None:
    """Refuse a change that takes something away from servers that run."""
    if before is None or connection.dialect.name == "sqlite":
        return
    older = [each for each in servers_seen(connection) if each.lives and each.schema < oldest]
    if older:
        raise Conflict(
            f"{len(older)} servers of an earlier version run, and cannot work on the tables as "
            f"revision {HEAD} makes them; upgrade or stop them first"
        )


def _oldest_servers(config: Any) -> str:
    """The oldest revision whose servers can work on a database at the newest one."""
    from alembic.script import ScriptDirectory

    for script in ScriptDirectory.from_config(config).walk_revisions():
        if not getattr(script.module, "expands", False):
            return script.revision
    raise AssertionError("the first migration makes all tables")


def _revision(connection: sa.Connection) -> str | None:
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.scalar(sa.text("SELECT version_num FROM alembic_version"))
    return revision


def _is_expanded(connection: sa.Connection, revision: str | None) -> bool:
    """Whether a newer version migrated the database, and only added to what this one knows."""
    if revision is None or revision <= HEAD:
        return False
    oldest = read_mark(connection, _OLDEST)
    return oldest is not None and oldest <= HEAD


def alembic_config(connection: sa.Connection) -> Any:
    """Alembic's configuration for a connection; there is no ini file."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    return config
