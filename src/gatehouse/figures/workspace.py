"""A private folder with a database of DuckDB in it, which is removed when the work ends.

What it holds comes from decision records. So only its owner may read it, it is removed also after
an error or a signal, and what a killed process left behind is removed by the next one.
"""

import contextlib
import errno
import fcntl
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, Final

import duckdb
import msgspec

from gatehouse.core.ending import exit_on_signal
from gatehouse.core.errors import GatehouseError, InvalidInput
from gatehouse.core.wording.sentences import Phrase

_BACKTEST_MEMORY: Final = Phrase(
    "refused.backtest_memory",
    "this needs more memory or disk than there is ({reason}); take a shorter span",
)
_BACKTEST_DUCKDB: Final = Phrase("refused.backtest_duckdb", "DuckDB could not do this: {reason}")
_BACKTEST_ROOM: Final = Phrase(
    "refused.backtest_room", "make room, take a shorter span, or name another folder (TMPDIR)"
)
_BACKTEST_SPACE: Final = Phrase("refused.backtest_space", "no space is left for {folder}; {advice}")
_BACKTEST_WRITE: Final = Phrase("refused.backtest_write", "cannot write in {folder}: {reason}")

MEMORY_LIMIT: Final = "1GB"
"""What DuckDB may hold in memory; it goes on in files beyond that."""

_PREFIX: Final = "gatehouse-work-"
_LOCK: Final = "in-use"
_LONGEST_REASON: Final = 300
_USUAL_BYTES: Final = 16 * 1024 * 1024
"""The longest line that DuckDB reads without being told."""


class Workspace:
    """An open database of DuckDB, in a folder that has room for files."""

    def __init__(
        self, folder: Path, connection: duckdb.DuckDBPyConnection, thread: ThreadPoolExecutor
    ) -> None:
        self.folder = folder
        self._connection = connection
        self._thread = thread

    def ask(self, statement: str) -> list[tuple[Any, ...]]:
        """Run a statement; its rows.

        DuckDB works on a thread of its own, so that a signal finds Python waiting and ends it.
        """
        with plain_errors(self.folder):
            answer = self._thread.submit(self._run, statement)
            try:
                return answer.result()
            except BaseException:
                self._connection.interrupt()
                wait([answer])
                raise

    def _run(self, statement: str) -> list[tuple[Any, ...]]:
        return self._connection.execute(statement).fetchall()

    def insert(
        self, table: str, types: Mapping[str, str], columns: Mapping[str, Sequence[Any]]
    ) -> None:
        """Add rows to a table with columns of these types; a column that is not given is NULL."""
        line = msgspec.json.encode(dict(enumerate(columns.values())))
        given = {name: types[name] for name in columns}
        self.insert_lines(table, given, line, longest=len(line))

    def insert_lines(
        self,
        table: str,
        types: Mapping[str, str],
        lines: bytes | bytearray,
        *,
        longest: int = _USUAL_BYTES,
    ) -> None:
        """Add rows that are given as JSON lines of such a length, each with columns as lists."""
        names = ", ".join(map(quoted, types))
        with self.lines(lines) as path:
            self.ask(f"INSERT INTO {table} ({names}) {rows_in(str(path), types, longest)}")

    def read(self, table: str, files: Sequence[str], types: Mapping[str, str]) -> None:
        """Let a table stand for Parquet files with columns of these types."""
        if files:
            names = ", ".join(map(text, files))
            found = f"* FROM read_parquet([{names}], hive_partitioning = false)"
        else:
            nulls = ", ".join(f"NULL::{kind} AS {quoted(name)}" for name, kind in types.items())
            found = f"{nulls} LIMIT 0"
        self.ask(f"CREATE OR REPLACE TEMP VIEW {table} AS SELECT {found}")

    def put(self, table: str, types: Mapping[str, str], columns: Sequence[Sequence[Any]]) -> None:
        """Make a table of values, given as columns."""
        self.ask(f"CREATE TEMP TABLE {table} ({described(types)})")
        self.insert(table, types, dict(zip(types, columns, strict=True)))

    @contextlib.contextmanager
    def lines(self, content: bytes | bytearray) -> Iterator[Path]:
        """JSON lines as a file that DuckDB can read; it is removed afterwards."""
        path = self.folder / "part.json"
        try:
            with plain_errors(self.folder):
                path.write_bytes(content)
            yield path
        finally:
            path.unlink(missing_ok=True)


@contextlib.contextmanager
def open_workspace(within: Path | None = None) -> Iterator[Workspace]:
    """Make a workspace, in the folder for temporary files or the one given, and remove it after."""
    parent = Path(tempfile.gettempdir()) if within is None else within
    _clear_abandoned(parent)
    with exit_on_signal(), contextlib.ExitStack() as at_the_end:
        with plain_errors(parent):
            folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
            at_the_end.callback(shutil.rmtree, folder, ignore_errors=True)
            lock = os.open(folder / _LOCK, os.O_CREAT | os.O_RDWR, 0o600)
            at_the_end.callback(os.close, lock)
            fcntl.flock(lock, fcntl.LOCK_EX)
            connection = _connect(folder)
        at_the_end.callback(connection.close)
        thread = at_the_end.enter_context(ThreadPoolExecutor(1))
        yield Workspace(folder, connection, thread)


def quoted(name: str) -> str:
    """A name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def described(types: Mapping[str, str]) -> str:
    """Columns with their types as SQL writes them."""
    return ", ".join(f"{quoted(name)} {kind}" for name, kind in types.items())


def rows_in(path: str, types: Mapping[str, str], longest: int) -> str:
    """The query for the rows in a file of JSON lines, each with columns as lists."""
    kinds = enumerate(text(f"{kind}[]") for kind in types.values())
    lists = ", ".join(f"'{place}': {kind}" for place, kind in kinds)
    chosen = ", ".join(f'unnest("{place}") AS {quoted(n)}' for place, n in enumerate(types))
    return (
        f"SELECT {chosen} FROM read_json({text(path)}, format = 'newline_delimited', "  # noqa: S608
        f"columns = {{{lists}}}, maximum_object_size = {max(longest, _USUAL_BYTES)})"
    )


def text(value: str) -> str:
    """A text as SQL writes it."""
    return "'" + value.replace("'", "''") + "'"


def _connect(folder: Path) -> duckdb.DuckDBPyConnection:
    settings: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": MEMORY_LIMIT,
        "temp_directory": str(folder / "spilled"),
        "threads": len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1,
        "preserve_insertion_order": False,
        # DuckDB must not download extensions: all that is needed comes with the package.
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    connection = duckdb.connect(folder / "work.duckdb", config=settings)
    connection.execute("SET enable_progress_bar = false")
    return connection


def _clear_abandoned(parent: Path) -> None:
    """Remove the folders of killed processes: no process holds their locks."""
    for folder in parent.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            if folder.is_symlink() or folder.stat().st_uid != os.getuid():
                continue
            lock = os.open(folder / _LOCK, os.O_RDWR)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)


@contextlib.contextmanager
def plain_errors(folder: Path) -> Iterator[None]:
    """Turn errors of the disk and of DuckDB into errors that an operator can act on."""
    try:
        yield
    except OSError as error:
        raise _unwritable(folder, error.errno == errno.ENOSPC, str(error.strerror)) from None
    except duckdb.Error as error:
        # The lines after the first one show the statement, which does not help an operator.
        reason = str(error).partition("\n")[0]
        if isinstance(error, duckdb.OutOfMemoryException):
            raise InvalidInput(_BACKTEST_MEMORY(reason=reason)) from None
        if isinstance(error, duckdb.IOException):
            raise _unwritable(folder, os.strerror(errno.ENOSPC) in reason, reason) from None
        raise GatehouseError(_BACKTEST_DUCKDB(reason=reason[:_LONGEST_REASON])) from None


def _unwritable(folder: Path, full: bool, reason: str) -> GatehouseError:
    if full:
        advice = _BACKTEST_ROOM()
        return InvalidInput(_BACKTEST_SPACE(folder=folder, advice=advice))
    return InvalidInput(_BACKTEST_WRITE(folder=folder, reason=reason))
