"""Writes a consistent, checked copy of the database while the service runs."""

import os
import sqlite3
from pathlib import Path

from gatehouse.access.actors import Actor
from gatehouse.admin.backup.use_cases.postgres_tools import ASIDE, PostgresTools
from gatehouse.core.errors import Conflict, InvalidInput, NotFound
from gatehouse.operations.installation import open_admin_session, open_database
from gatehouse.settings.settings import Settings
from gatehouse.store.database import Database
from gatehouse.store.migrate import is_current
from gatehouse.store.state import BACKUP_MARK, set_mark


def write_backup(settings: Settings, actor: Actor, file: Path) -> int:
    """Write the copy; its size in bytes.

    It takes settings instead of a session because a database must be copied as it is before a
    migration, too. An audit line is written only where the database is up to date.
    """
    actor.check_installation()
    if file.exists():
        raise Conflict(f"{file} exists; choose another name")
    if not file.parent.is_dir():
        raise InvalidInput(f"there is no folder {file.parent}")
    database = open_database(settings)
    try:
        if database.file is not None:
            copy_sqlite(database.file, file)
        else:
            _dump_postgres(database, file)
        up_to_date = is_current(database)
    finally:
        database.dispose()
    size = file.stat().st_size
    if up_to_date:
        session = open_admin_session(settings, actor)
        with session.change() as change:
            change.audit("backup", file=file.name, bytes=size)
            set_mark(change.connection, BACKUP_MARK, str(change.now_ms))
        session.database.dispose()
    return size


def copy_sqlite(source: Path, target: Path) -> None:
    """Copy a database that may be in use, and check the copy."""
    if not source.exists():
        raise NotFound(f"there is no database {source} yet")
    unfinished = target.with_name(f".{target.name}.unfinished")
    unfinished.unlink(missing_ok=True)
    os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL, 0o600))
    origin, copy = sqlite3.connect(source), sqlite3.connect(unfinished)
    try:
        origin.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")
        verdict = copy.execute("PRAGMA quick_check").fetchone()[0]
    except sqlite3.DatabaseError as error:
        verdict = str(error)
    finally:
        origin.close()
        copy.close()
    if verdict != "ok":
        unfinished.unlink()
        raise Conflict(f"the copy of {source.name} did not pass its check: {verdict}")
    unfinished.rename(target)


def _dump_postgres(database: Database, target: Path) -> None:
    with database.reading():
        pass  # A server that cannot be reached is told as such, before its programs are run.
    tools = PostgresTools(database)
    try:
        # Left out is what a restore has put aside.
        aside = f"--exclude-schema={ASIDE}*"
        tools.run("pg_dump", "--format=custom", aside, f"--file={target}", tools.address)
        tools.run("pg_restore", "--list", str(target))
    except Conflict:
        target.unlink(missing_ok=True)
        raise
    target.chmod(0o600)
