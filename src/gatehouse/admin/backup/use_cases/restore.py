"""Puts a backup in the place of the database: checked first, all or nothing.

What was there before is never deleted: a file gets another name, tables another schema.
"""

import contextlib
import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import sqlalchemy as sa
from sqlalchemy.exc import ProgrammingError

from gatehouse.access.actors import Actor
from gatehouse.admin.backup.queries import drop_tables
from gatehouse.admin.backup.use_cases.backup import copy_sqlite
from gatehouse.admin.backup.use_cases.data_proof import DataProof, prove_data
from gatehouse.admin.backup.use_cases.postgres_tools import ASIDE, PostgresTools
from gatehouse.admin.memory.use_cases.memory_check import begin_installation
from gatehouse.admin.sign_in.queries import sessions
from gatehouse.core.api_values import CamelStruct
from gatehouse.core.errors import Conflict, InvalidInput, NotFound, SettingsError
from gatehouse.operations.installation import (
    has_root_secret,
    open_admin_session,
    open_database,
    system_clock,
    without_servers,
)
from gatehouse.settings.settings import Settings
from gatehouse.store.database import Database
from gatehouse.store.events import outbox
from gatehouse.store.migrate import current_revision
from gatehouse.store.migrations import HEAD

_SQLITE: Final = b"SQLite format 3\0"
_POSTGRES: Final = b"PGDMP"
_LOADED: Final = Path("the loaded data")
"""Stands for the file where the data is in its place already."""


class RestoredData(CamelStruct):
    """What a restore has put in place."""

    file: str
    revision: str
    proof: DataProof | None
    """None when the backup is of an earlier version: `finish_restore` proves it when migrated."""
    kept: str | None
    """Where what was there before is now."""


def restore_backup(settings: Settings, actor: Actor, file: Path, *, replace: bool) -> RestoredData:
    """Put a backup in place; with `replace` also where data is, which is kept aside.

    It takes settings instead of a session, because there may be no data to open.
    """
    actor.check_installation()
    database = open_database(settings)
    _check_kind(file, _SQLITE if database.is_sqlite else _POSTGRES)
    _check_root_secret(settings)
    try:
        with without_servers(database):
            if database.file is not None:
                return _restore_sqlite(settings, actor, file, database.file, replace=replace)
            return _restore_postgres(settings, actor, file, database, replace=replace)
    finally:
        database.dispose()


def finish_restore(settings: Settings, actor: Actor) -> RestoredData:
    """Prove the data that is in its place, and do what a restore does after loading.

    It is for what PostgreSQL's own programs brought back, and for a backup of an earlier version
    that was migrated since. When the proof fails, nothing is changed and nothing put back: what
    was there before is where a person or `restore_backup` put it.
    """
    actor.check_installation()
    _check_root_secret(settings)
    database = open_database(settings)
    if database.file is not None and not database.file.exists():
        raise NotFound(f"{database.file} is not there; restore the file of a backup first")
    try:
        with without_servers(database):
            revision, proof = _inspect(settings, actor, _LOADED)
    finally:
        database.dispose()
    if proof is None:
        # Servers could start once it is migrated, with sessions and links that have ended since.
        raise Conflict(
            f"{_LOADED} is of an earlier version, revision {revision}; run: gatehouse migrate, "
            "then again: gatehouse restore --loaded"
        )
    return RestoredData(str(_LOADED), revision, proof, None)


def _check_root_secret(settings: Settings) -> None:
    if not has_root_secret(settings):
        raise SettingsError(
            "the root secret of the backup is needed: set GATEHOUSE_SECRET_KEY, or put the file "
            f"root-secret of its sandbox into {settings.home}"
        )


def _check_kind(file: Path, wanted: bytes) -> None:
    try:
        with file.open("rb") as source:
            begins = source.read(16)
    except OSError as error:
        raise NotFound(f"cannot read {file}: {error.strerror}") from None
    if begins.startswith(wanted):
        return
    if begins.startswith((_SQLITE, _POSTGRES)):
        kind = "SQLite" if begins.startswith(_SQLITE) else "PostgreSQL"
        raise InvalidInput(
            f"{file} is a backup of {kind}, and GATEHOUSE_DATABASE_URL names the other database; "
            "restore it to its own, then: gatehouse copy"
        )
    raise InvalidInput(f"{file} is not a backup")


def _restore_sqlite(
    settings: Settings, actor: Actor, file: Path, target: Path, *, replace: bool
) -> RestoredData:
    if target.exists() and not replace:
        raise Conflict(f"{target} exists; --replace puts it aside and the backup in its place")
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # In the same folder, so that it can be put in place in one step.
    copy = target.with_name(f".{target.name}.restored")
    copy.unlink(missing_ok=True)
    try:
        copy_sqlite(file, copy)
        of_copy = dataclasses.replace(settings, database_url=f"sqlite:///{copy}")
        revision, proof = _inspect(of_copy, actor, file)
        kept = _put_aside(target) if target.exists() else None
        copy.rename(target)
    finally:
        for ending in ("", "-wal", "-shm"):
            Path(f"{copy}{ending}").unlink(missing_ok=True)
    return RestoredData(str(file), revision, proof, kept)


def _put_aside(target: Path) -> str:
    """Rename the file and its log; the new name."""
    kept = f"{target}.replaced-{system_clock()}"
    for ending in ("-wal", "-shm", ""):
        with contextlib.suppress(FileNotFoundError):
            Path(f"{target}{ending}").rename(f"{kept}{ending}")
    return kept


def _restore_postgres(
    settings: Settings, actor: Actor, file: Path, database: Database, *, replace: bool
) -> RestoredData:
    with database.reading() as connection:
        used = bool(sa.inspect(connection).get_table_names())
    if used and not replace:
        raise Conflict(
            "the database has tables; --replace puts them aside and the backup in their place"
        )
    kept = f"{ASIDE}{system_clock()}" if used else None
    with _public_schema(database, kept):
        tools = PostgresTools(database)
        options = ("--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction")
        tools.run("pg_restore", *options, tools.address, str(file))
        revision, proof = _inspect(settings, actor, file)
    return RestoredData(str(file), revision, proof, None if kept is None else f"schema {kept}")


@contextlib.contextmanager
def _public_schema(database: Database, kept: str | None) -> Iterator[None]:
    """An empty schema, what was there put aside; when something fails, all is as it was."""
    if kept is not None:
        anew = ("CREATE SCHEMA public", "GRANT USAGE ON SCHEMA public TO PUBLIC")
        try:
            _execute(database, f'ALTER SCHEMA public RENAME TO "{kept}"', *anew)
        except ProgrammingError as error:
            raise Conflict(
                f"what is there cannot be put aside: {error.orig}; connect as a user who owns the "
                "database, or restore into an empty one"
            ) from None
    try:
        yield
    except BaseException:
        if kept is None:
            drop_tables(database)
        else:
            back = f'ALTER SCHEMA "{kept}" RENAME TO public'
            _execute(database, "DROP SCHEMA public CASCADE", back)
        raise


def _execute(database: Database, *statements: str) -> None:
    with database.writing() as connection:
        for statement in statements:
            connection.execute(sa.text(statement))


def _inspect(settings: Settings, actor: Actor, file: Path) -> tuple[str, DataProof | None]:
    """Prove what was restored, and leave an audit line in it; its revision and the proof."""
    database = open_database(settings)
    revision = current_revision(database)
    database.dispose()
    if revision is None:
        raise InvalidInput(f"{file} is not a backup of Gatehouse")
    if revision > HEAD:
        raise SettingsError(f"{file} is of revision {revision}, which this version does not know")
    if settings.is_production and revision != HEAD:
        return revision, None
    session = open_admin_session(settings, actor)
    try:
        proof = prove_data(session)
        with session.change() as change:
            # The installation that the backup is of may go on: its shared memory stays as it is.
            name = begin_installation(change)
            change.audit("restore", file=file.name, head=proof.audit_head, installation=name)
            # Sessions and links that ended after the backup must not come to life again.
            sessions.end_everything(change.connection)
            outbox.rebase(change.connection)
    finally:
        session.database.dispose()
    return HEAD, proof
