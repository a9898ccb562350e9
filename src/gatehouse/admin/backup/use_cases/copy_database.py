"""Copies all data to another database, such as from SQLite to PostgreSQL, and proves it there."""

import contextlib
import dataclasses
from collections.abc import Callable, Iterator
from typing import Final

import sqlalchemy as sa

from gatehouse.access.actors import Actor
from gatehouse.admin.backup.queries import copy_rows, drop_tables, refuse_used
from gatehouse.admin.backup.use_cases.data_proof import DataProof, prove_data
from gatehouse.admin.memory.use_cases.memory_check import begin_installation
from gatehouse.core.api_values import CamelStruct
from gatehouse.core.errors import Conflict, GatehouseError, InvalidInput, NotFound
from gatehouse.operations.installation import open_admin_session, open_database, without_servers
from gatehouse.settings.settings import Settings
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.database import Database
from gatehouse.store.migrate import current_revision, migrate
from gatehouse.store.migrations import HEAD

_TIMEOUT_MS: Final = 60_000
"""For a lock or a connection; a statement may take six times as long."""


class CopiedData(CamelStruct):
    """What was copied."""

    target: str
    """The URL without its password."""
    rows: int
    tables: dict[str, int]
    proof: DataProof


def copy_database(
    settings: Settings, actor: Actor, to_url: str, reached: Callable[[int, int], object]
) -> CopiedData:
    """Copy all rows to an empty database; no server may run on either.

    The rows appear there all at once. If they do not hold together there, they are removed again.
    """
    actor.check_installation()
    if not to_url.startswith(("postgresql://", "sqlite:///")):
        raise InvalidInput("the target is a URL: postgresql://user@host/name or sqlite:///file")
    there = dataclasses.replace(settings, database_url=to_url, store_timeout_ms=_TIMEOUT_MS)
    with _opened(settings) as source, _opened(there) as target:
        if source.engine.url == target.engine.url:
            raise InvalidInput("the target is the database that the data is in")
        if source.file is not None and not source.file.exists():
            raise NotFound(f"there is no database {source.file} yet")
        with without_servers(source), without_servers(target):
            _prepare(target)
            with _session(settings, actor) as here:
                proof = prove_data(here)
                tables = copy_rows(source, target, reached)
                shown = target.engine.url.set(drivername=target.engine.url.get_backend_name())
                copied = CopiedData(str(shown), sum(tables.values()), tables, proof)
                _prove_target(there, target, here, copied)
    return copied


def _prepare(target: Database) -> None:
    """Make the tables in an empty target; refuse one that holds anything."""
    revision = current_revision(target)
    if revision is None:
        with target.reading() as connection:
            if sa.inspect(connection).get_table_names():
                raise Conflict("the target holds tables of something else; name an empty database")
        migrate(target)
    elif revision != HEAD:
        raise Conflict(
            f"the target is at revision {revision}, and this version at {HEAD}; "
            "migrate it, or name an empty database"
        )
    refuse_used(target)


def _prove_target(
    there: Settings, target: Database, here: AdminSession, copied: CopiedData
) -> None:
    """Prove the copy, and leave an audit line in both databases."""
    with _session(there, here.actor) as session:
        try:
            found = prove_data(session)
            if found != copied.proof:
                raise Conflict(f"the copy differs: {found}, not {copied.proof}")
        except GatehouseError:
            drop_tables(target)
            raise
        with session.change() as change:
            # A server on what was copied must not share a memory with one on the copy.
            begin_installation(change)
            change.audit("copy", to=copied.target, rows=copied.rows)
        with here.change() as change:
            change.audit("copy", to=copied.target, rows=copied.rows)


@contextlib.contextmanager
def _session(settings: Settings, actor: Actor) -> Iterator[AdminSession]:
    session = open_admin_session(settings, actor)
    try:
        yield session
    finally:
        session.database.dispose()


@contextlib.contextmanager
def _opened(settings: Settings) -> Iterator[Database]:
    database = open_database(settings)
    try:
        yield database
    finally:
        database.dispose()
