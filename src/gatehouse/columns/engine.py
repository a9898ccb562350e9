"""One engine of DuckDB for the copies of all accounts, with bounded memory and threads."""

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import duckdb

from gatehouse.backtest.workspace import plain_errors, quoted, text
from gatehouse.core.errors import Conflict

MEMORY_LIMIT: Final = "512MB"
"""What the copies of all accounts may hold in memory together."""
THREADS: Final = 2


class Superseded(Conflict):
    """Nobody waits for this answer any more."""


class ColumnConnection:
    """One connection of the engine, for the statements of one thread."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
        self._connection = connection
        self._folder = folder
        self._superseded = False

    def ask(self, statement: str, /, *values: object) -> list[tuple[Any, ...]]:
        """Run a statement; its rows."""
        if self._superseded:
            raise Superseded("a newer question took the place of this one")
        with plain_errors(self._folder):
            try:
                return self._connection.execute(statement, values or None).fetchall()
            except duckdb.InterruptException:
                raise Superseded("a newer question took the place of this one") from None

    @contextlib.contextmanager
    def at_once(self) -> Iterator[None]:
        """All statements within take effect together, or none does."""
        self.ask("BEGIN")
        try:
            yield
            self.ask("COMMIT")
        except BaseException:
            with contextlib.suppress(duckdb.Error):
                self._connection.rollback()
            raise

    def supersede(self) -> None:
        """Let another thread end what is being asked: nobody waits for it any more."""
        self._superseded = True
        self._connection.interrupt()

    def close(self) -> None:
        """Give the connection back, with its temporary tables."""
        self._connection.close()


class ColumnEngine:
    """Opens files of columns, each encrypted with a key of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        spilled = folder / "spilled"
        settings: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": MEMORY_LIMIT,
            "temp_directory": str(spilled),
            "threads": THREADS,
            "preserve_insertion_order": False,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }
        with plain_errors(folder):
            self._main = duckdb.connect(":memory:", config=settings)
            self._main.execute("SET enable_progress_bar = false")
            # DuckDB's own AES lacks a source of secure random numbers. Keys come from the ring of
            # keys, so that it only makes nonces; decision 0035 says why that is enough here.
            self._main.execute("SET force_mbedtls_unsafe = true")
        self._lock = threading.Lock()

    def attach(self, name: str, file: Path, key: bytes) -> None:
        """Open a file, or make it; raises `duckdb.Error` for one that cannot be opened."""
        options = f"ENCRYPTION_KEY {text(key.hex())}, ENCRYPTION_CIPHER 'GCM'"
        with self._lock:
            self._main.execute(f"ATTACH {text(str(file))} AS {quoted(name)} ({options})")

    def detach(self, name: str) -> None:
        """Close a file."""
        with self._lock:
            self._main.execute(f"DETACH {quoted(name)}")

    def asking(self, name: str) -> ColumnConnection:
        """A connection that finds the tables of a file by their plain names."""
        with self._lock, plain_errors(self.folder):
            connection = self._main.cursor()
            connection.execute(f"USE {quoted(name)}")
        return ColumnConnection(connection, self.folder)

    def close(self) -> None:
        """Close everything."""
        self._main.close()
