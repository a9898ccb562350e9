"""One engine of DuckDB for the copies of all accounts, with bounded memory and threads."""

import contextlib
import os
import re
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Final

import duckdb
import msgspec

from gatehouse.core.errors import Conflict
from gatehouse.core.wording.sentences import Phrase
from gatehouse.figures.workspace import described, plain_errors, quoted, rows_in, text

_FIGURES_NOT_READY: Final = Phrase(
    "refused.figures_not_ready", "the figures are being prepared; try again in a moment"
)
_SUPERSEDED: Final = Phrase("refused.superseded", "a newer question took the place of this one")

MEMORY_LIMIT: Final = "512MB"
"""What the copies of all accounts may hold in memory together."""
THREADS: Final = 2
_IN_MEMORY: Final = sys.platform == "linux"
NOT_READY: Final = _FIGURES_NOT_READY()
_DAMAGE: Final = re.compile("AES tag|[Cc]orrupt|checksum")
"""What DuckDB says of a block that is not as it was written."""


class Superseded(Conflict):
    """Nobody waits for this answer any more."""


class FiguresNotReady(Conflict):
    """The copy is not there yet, or has to be made again."""


class CopyDamaged(FiguresNotReady):
    """The file of a copy cannot be read any more."""


class ColumnConnection:
    """One connection of the engine, for the statements of one thread."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
        self._connection = connection
        self._folder = folder
        self._superseded = False

    def ask(self, statement: str, /) -> list[tuple[Any, ...]]:
        """Run a statement; its rows."""
        if self._superseded:
            raise Superseded(_SUPERSEDED())
        with plain_errors(self._folder):
            try:
                return self._connection.execute(statement).fetchall()
            except duckdb.InterruptException:
                raise Superseded(_SUPERSEDED()) from None
            except duckdb.Error as error:
                if _is_damage(error):
                    raise CopyDamaged(NOT_READY) from None
                raise

    @contextlib.contextmanager
    def rows(self, types: Mapping[str, str], lines: bytes | bytearray) -> Iterator[str]:
        """A query for values that are given as JSON lines, each with columns as lists.

        The lines are in memory where the system has files in memory, and not on a disk.
        """
        with plain_errors(self._folder), _file_in_memory(self._folder) as file:
            file.write(lines)
            file.flush()
            path = f"/proc/self/fd/{file.fileno()}" if _IN_MEMORY else file.name
            yield rows_in(path, types, len(lines))

    def put(self, table: str, types: Mapping[str, str], columns: Sequence[Sequence[Any]]) -> None:
        """Make a temporary table of values, given as columns."""
        self.ask(f"CREATE TEMP TABLE {table} ({described(types)})")
        with self.rows(types, msgspec.json.encode(dict(enumerate(columns)))) as rows:
            self.ask(f"INSERT INTO {table} {rows}")

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


class LatestAsking:
    """Lets the newest question of each person end the one before."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asking: dict[str, ColumnConnection] = {}

    @contextlib.contextmanager
    def only(self, key: str | None, asking: ColumnConnection) -> Iterator[None]:
        """Ask for somebody, in place of what is still being asked for them."""
        if key is None:
            yield
            return
        with self._lock:
            before = self._asking.get(key)
            self._asking[key] = asking
            if before is not None:
                before.supersede()
        try:
            yield
        finally:
            with self._lock:
                if self._asking.get(key) is asking:
                    del self._asking[key]


def _is_damage(error: duckdb.Error) -> bool:
    damaged = (duckdb.SerializationException, duckdb.InternalException, duckdb.FatalException)
    return isinstance(error, damaged) or _DAMAGE.search(str(error)) is not None


def _file_in_memory(folder: Path) -> IO[bytes]:
    if _IN_MEMORY:
        return os.fdopen(os.memfd_create("columns"), "wb")
    return tempfile.NamedTemporaryFile(dir=folder)


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
