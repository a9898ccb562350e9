"""Opens the database of a URL and provides transactions for reading and writing."""

import asyncio
import contextlib
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec
import psycopg
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.engine import make_url
from sqlalchemy.exc import (
    ArgumentError,
    DatabaseError,
    DBAPIError,
    InterfaceError,
    OperationalError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeout

from gatehouse.core.errors import SettingsError, StoreUnavailable
from gatehouse.core.wording.notes import noted
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.metadata import Note

_DATABASE_DOWN: Final = Phrase("refused.database_down", "the database is not available: {why}")

_BEGIN: Final = "gatehouse_begin"
_OLDEST_SQLITE: Final = (3, 33, 0)
"""The first with UPDATE ... FROM, which the writer uses."""

_UNACKNOWLEDGED_MS: Final = 10_000
"""Linux sends no keepalives while sent data is not acknowledged, and tries for a quarter of an hour
to send it again. So a connection is given up after this long without an acknowledgement."""
_NOTICES_A_CUT: Final = {
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": _UNACKNOWLEDGED_MS,
}
"""Without these, a connection whose other end is gone is waited for for hours."""
_IDLE_MS: Final = 60_000
"""How long a transaction that writes may stand still; another one that needs its rows waits."""
_UNAVAILABLE: Final = (
    psycopg.errors.ReadOnlySqlTransaction,  # a primary that has become a standby
    psycopg.errors.IdleInTransactionSessionTimeout,  # this process stood still for too long
)
"""What the driver does not class as operational."""
DURABLE_MARK: Final = "pg_logical_emit_message(true, 'gatehouse', '')"
"""Makes the commit of its transaction, on PostgreSQL, wait until all that was committed before is
durable. The log is written in order, so what is in it before this record is durable with it, on
standbys as well if commits wait for them. It needs no table and locks nothing.
"""
_MARK: Final = sa.text(f"SELECT {DURABLE_MARK}")

T = TypeVar("T")


class Database:
    """SQLite or PostgreSQL."""

    def __init__(self, url: str, *, timeout_ms: int) -> None:
        self.timeout_ms = timeout_ms
        self._url = _driver_url(url)
        self.is_sqlite = self._url.get_backend_name() == "sqlite"
        self.engine = self._sqlite_engine() if self.is_sqlite else self._postgres_engine()

    @property
    def file(self) -> Path | None:
        """The SQLite file, or None for a database server."""
        return Path(str(self._url.database)) if self.is_sqlite else None

    @contextlib.contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A transaction for reading, in which all data is of one moment."""
        options = {} if self.is_sqlite else {"isolation_level": "REPEATABLE READ"}
        with _raise_store_unavailable(), self.engine.connect() as connection:
            reader = connection.execution_options(**options)
            with reader.begin():
                yield reader

    @contextlib.contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """A transaction for writing, which commits at the end or rolls back.

        PostgreSQL ends it when its process stands still for `_IDLE_MS`. Transactions that only read
        may stand still: an export goes on when somebody reads on, and it locks no rows.
        """
        with _raise_store_unavailable(), self.engine.connect() as connection:
            writer = connection.execution_options(**{_BEGIN: "BEGIN IMMEDIATE"})
            with writer.begin():
                if not self.is_sqlite:
                    writer.exec_driver_sql(
                        f"SET LOCAL idle_in_transaction_session_timeout = {_IDLE_MS}"
                    )
                yield writer

    @contextlib.contextmanager
    def connected(self) -> Iterator[sa.Connection]:
        """A connection without a transaction around its statements."""
        with _raise_store_unavailable(), self.engine.connect() as connection:
            yield connection.execution_options(isolation_level="AUTOCOMMIT")

    async def read_on_thread(
        self, question: Callable[[sa.Connection], T], threads: Executor | None = None
    ) -> T:
        """What a function reads in a transaction, run on a thread beside the event loop.

        `threads` are for what must not wait for others' work on the threads that all share.
        """
        return await _run_on_thread(self.reading, question, threads)

    async def write_on_thread(self, work: Callable[[sa.Connection], T]) -> T:
        """What a function returns after a transaction that writes, run on a thread likewise."""
        return await _run_on_thread(self.writing, work)

    def driver_connection(self) -> Any:
        """A connection of the driver itself, for the writer and identity look-ups."""
        with _raise_store_unavailable():
            proxy = self.engine.raw_connection()
            connection = proxy.driver_connection
            proxy.detach()
            if not self.is_sqlite:
                _let_go_when_paused(connection, self.timeout_ms)
            return connection

    def other_connections(self) -> int:
        """How many others are connected to a database server; a SQLite file does not tell."""
        if self.is_sqlite:
            return 0
        others = (
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
            "AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
        with self.reading() as connection:
            return int(connection.scalar(sa.text(others)) or 0)

    def dispose(self) -> None:
        """Close all idle connections."""
        self.engine.dispose()

    def _sqlite_engine(self) -> sa.Engine:
        if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
            needed = ".".join(map(str, _OLDEST_SQLITE))
            raise SettingsError(f"SQLite {needed} is needed; here is {sqlite3.sqlite_version}")
        if self._url.database in (None, "", ":memory:"):
            raise SettingsError("a SQLite database needs a file: sqlite:///path/to/file.db")
        # The writer uses a statement for each number of rows; preparing them again is slow.
        arguments = {
            "check_same_thread": False,
            "timeout": self.timeout_ms / 1000,
            "cached_statements": 512,
        }
        engine = sa.create_engine(self._url, connect_args=arguments, poolclass=sa.QueuePool)
        sa.event.listen(engine, "connect", _prepare_sqlite)
        sa.event.listen(engine, "begin", _begin_sqlite)
        return engine

    def _postgres_engine(self) -> sa.Engine:
        seconds = max(1, self.timeout_ms // 1000)
        options = (
            f"-c lock_timeout={self.timeout_ms} -c statement_timeout={self.timeout_ms * 6} "
            "-c synchronous_commit=on -c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 "
            f"-c tcp_keepalives_count=3 -c tcp_user_timeout={_UNACKNOWLEDGED_MS}"
        )
        arguments = {"connect_timeout": seconds, "options": options, "client_encoding": "utf8"}
        engine = sa.create_engine(
            self._url,
            connect_args=arguments | _NOTICES_A_CUT,
            pool_timeout=seconds,
            pool_pre_ping=True,
        )
        sa.event.listen(engine, "connect", _refuse_other_encodings)
        return engine


def is_any_of(
    connection: sa.Connection, column: "sa.ColumnElement[str]", values: Sequence[str]
) -> sa.ColumnElement[bool]:
    """Whether a column has one of some texts, as one parameter: the statement is always the same.

    With a parameter for each of a hundred texts, making the statement takes longer than the query.
    """
    if connection.dialect.name == "sqlite":
        listed = sa.func.json_each(msgspec.json.encode(values).decode()).table_valued("value")
        return column.in_(sa.select(listed.c.value))
    return column == sa.any_(sa.bindparam(None, list(values), type_=ARRAY(sa.Text)))


def rows_of_any(
    connection: sa.Connection,
    query: "sa.Select[Any]",
    column: "sa.Column[str]",
    values: Sequence[str],
    mine: "sa.ColumnElement[bool]",
) -> list[Any]:
    """The rows of a query about one table, whose column it chooses, with one of some texts.

    Each text is looked up by itself. With `IN`, SQLite takes an account for ten rows, and reads all
    of them rather than look up more texts than that.
    """
    if connection.dialect.name != "sqlite":
        these = query.where(mine, is_any_of(connection, column, values))
        return list(connection.execute(these))
    encoded = msgspec.json.encode(list(dict.fromkeys(values))).decode()
    listed = sa.func.json_each(encoded).table_valued("value")
    # Of an outer join, SQLite does not change the order.
    found = listed.outerjoin(column.table, sa.and_(mine, column == listed.c.value))
    rows = connection.execute(query.select_from(found))
    return [row for row in rows if row._mapping[column] is not None]


def insert_rows(connection: sa.Connection, table: sa.Table, rows: Sequence[msgspec.Struct]) -> None:
    """Add rows of one kind whose fields have the names of columns, all as one parameter.

    A statement for each row is slow on PostgreSQL. On SQLite every row would wait for the
    interpreter, while all who write wait for its lock.
    """
    if rows:
        names = ", ".join(rows[0].__struct_fields__)
        source = _added_sqlite if connection.dialect.name == "sqlite" else _added_postgres
        added = source(table.name, rows[0].__struct_fields__)
        # The names are our own.
        statement = f"INSERT INTO {table.name} ({names}) SELECT {added}"
        connection.execute(sa.text(statement), {"added": _as_json(table, rows)})


def _as_json(table: sa.Table, rows: Sequence[msgspec.Struct]) -> str:
    """Rows as one text, with sentences for people as their columns keep them."""
    notes = [column.name for column in table.columns if isinstance(column.type, Note)]
    if not notes:
        return msgspec.json.encode(rows).decode()
    kept = [msgspec.structs.asdict(each) for each in rows]
    for row in kept:
        row |= {name: noted(row[name]) for name in notes if row.get(name) is not None}
    return msgspec.json.encode(kept).decode()


def _added_sqlite(_table: str, columns: Sequence[str]) -> str:
    return (
        ", ".join(f"json_extract(value, '$.{name}')" for name in columns)
        + " FROM json_each(:added)"
    )


def _added_postgres(table: str, columns: Sequence[str]) -> str:
    whole = f"json_populate_recordset(CAST(NULL AS {table}), CAST(:added AS json))"
    return f"{', '.join(columns)} FROM {whole}"


def let_last(connection: sa.Connection) -> None:
    """Let the transaction end when all that it read is durable.

    Requests are settled by commits that become durable a moment later, and what is told must not
    be undone by a crash.
    """
    if connection.dialect.name != "sqlite":
        connection.execute(_MARK)


def struct_from(row: Any, kind: type[T], **others: Any) -> T:
    """A row as a struct whose fields have the names of columns; `others` are those that differ."""
    columns = {str(name): value for name, value in row._mapping.items()}
    return msgspec.convert(columns | others, kind)


def _driver_url(url: str) -> sa.URL:
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise SettingsError("GATEHOUSE_DATABASE_URL is not a URL") from None
    name = parsed.get_backend_name()
    if name in ("postgresql", "postgres"):
        return parsed.set(drivername="postgresql+psycopg")
    if name == "sqlite":
        return parsed
    raise SettingsError(f"GATEHOUSE_DATABASE_URL must be sqlite or postgresql, not {name}")


def _let_go_when_paused(connection: Any, timeout_ms: int) -> None:
    """Let the database end a transaction in which nothing comes any more.

    A process that was stopped in the middle of one would keep others from the rows of an account.
    """
    connection.autocommit = True
    connection.execute(f"SET idle_in_transaction_session_timeout = {max(500, timeout_ms // 2)}")
    connection.autocommit = False


def _refuse_other_encodings(connection: Any, _record: object) -> None:
    """Requests may have any text: a database that lacks characters would fail in the middle."""
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise SettingsError(
            f"the database is encoded in {encoding}; make one with ENCODING 'UTF8' TEMPLATE "
            "template0, and load the data into it"
        )


def _prepare_sqlite(connection: Any, _record: object) -> None:
    # We begin transactions ourselves, so that a writer can take its lock at the start.
    connection.isolation_level = None
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")


def _begin_sqlite(connection: sa.Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get(_BEGIN, "BEGIN"))


async def _run_on_thread(
    transaction: Callable[[], contextlib.AbstractContextManager[sa.Connection]],
    work: Callable[[sa.Connection], T],
    threads: Executor | None = None,
) -> T:
    def run() -> T:
        with transaction() as connection:
            return work(connection)

    return await asyncio.get_running_loop().run_in_executor(threads, run)


@contextlib.contextmanager
def _raise_store_unavailable() -> Iterator[None]:
    try:
        yield
    except (OperationalError, InterfaceError, PoolTimeout) as error:
        raise StoreUnavailable(reason_of(error)) from error
    except DatabaseError as error:
        # SQLite says so, without a kind of its own, of a file that is no database or is damaged.
        if type(error) is DatabaseError or isinstance(error.orig, _UNAVAILABLE):
            raise StoreUnavailable(reason_of(error)) from error
        raise


def reason_of(error: Exception) -> str:
    """Why the database does not answer, in a line."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    first_line = (str(cause).splitlines() or ["no answer"])[0]
    return _DATABASE_DOWN(why=first_line)
