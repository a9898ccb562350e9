"""Writes a consistent, checked copy of the database while the service runs."""

import os
import shutil
import sqlite3
import subprocess
from pathlib import Path

from gatehouse.access.actors import Actor
from gatehouse.core.errors import Conflict, InvalidInput, NotFound
from gatehouse.installation import open_admin_session, open_database
from gatehouse.settings import Settings
from gatehouse.store.database import Database
from gatehouse.store.migrate import is_current


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
    if database.file is not None:
        _copy_sqlite(database.file, file)
    else:
        _dump_postgres(database, file)
    size = file.stat().st_size
    if is_current(database):
        with open_admin_session(settings, actor).change() as change:
            change.audit("backup", file=file.name, bytes=size)
    return size


def _copy_sqlite(source: Path, target: Path) -> None:
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
    finally:
        origin.close()
        copy.close()
    if verdict != "ok":
        unfinished.unlink()
        raise Conflict(f"the copy did not pass its check: {verdict}")
    unfinished.rename(target)


def _dump_postgres(database: Database, target: Path) -> None:
    url = database.engine.url.set(drivername="postgresql")
    # The password travels in the environment: a command line can be read by every user.
    environment = os.environ | ({"PGPASSWORD": str(url.password)} if url.password else {})
    address = url.set(password=None).render_as_string(hide_password=False)
    dump = ["pg_dump", "--format=custom", f"--file={target}", f"--dbname={address}"]
    try:
        _run(dump, environment)
        _run(["pg_restore", "--list", str(target)], environment)
    except Conflict:
        target.unlink(missing_ok=True)
        raise
    target.chmod(0o600)


def _run(command: list[str], environment: dict[str, str]) -> None:
    program = shutil.which(command[0])
    if program is None:
        raise InvalidInput(
            f"{command[0]} is needed to back up PostgreSQL; install its client programs"
        )
    done = subprocess.run(  # noqa: S603  # a fixed program with arguments of our own making
        [program, *command[1:]], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise Conflict(f"{command[0]} failed: {done.stderr.strip()}")
