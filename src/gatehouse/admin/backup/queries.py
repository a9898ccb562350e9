"""Copies all rows of one database into another, table by table, within one transaction.

The tables are those of the metadata, so that a new one is copied without a line here.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import sqlalchemy as sa

from gatehouse.core.errors import Conflict
from gatehouse.store.counting import count_rows
from gatehouse.store.database import Database
from gatehouse.store.events import outbox
from gatehouse.store.tables import KEY_RING, METADATA, STATE

_AT_ONCE: Final = 2000
_MADE_BY_MIGRATION: Final = frozenset({KEY_RING.name, STATE.name})
"""Tables that have rows before anything was done; those rows are replaced."""

Reached = Callable[[int, int], object]
"""Told how many rows of how many are copied."""


def rows_of(connection: sa.Connection, tables: Sequence[sa.Table]) -> dict[str, int]:
    """How many rows each table has."""
    return {table.name: count_rows(connection, table) for table in tables}


def refuse_used(database: Database) -> None:
    """Refuse a database in which something was done already."""
    tables = [each for each in METADATA.sorted_tables if each.name not in _MADE_BY_MIGRATION]
    with database.reading() as connection:
        for name, rows in rows_of(connection, tables).items():
            if rows:
                raise Conflict(f"the target is not empty: {name} has {rows} rows")


def copy_rows(source: Database, target: Database, reached: Reached) -> dict[str, int]:
    """Copy every row; all or nothing. How many each table has."""
    tables = METADATA.sorted_tables
    done = 0
    with source.reading() as reader, target.writing() as writer:
        if not target.is_sqlite:
            # One batch is quick, but checking foreign keys at the end may not be.
            writer.execute(sa.text("SET LOCAL statement_timeout = 0"))
            # It stands still while the source looks for the rows of a large table.
            writer.execute(sa.text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        counts = rows_of(reader, tables)
        total = sum(counts.values())
        for table in reversed(tables):
            writer.execute(table.delete())
        for table in tables:
            columns = [column for column in table.columns if column.computed is None]
            for rows in _batches(reader, columns):
                _insert(writer, table, columns, rows)
                done += len(rows)
                reached(done, total)
        _compare(counts, rows_of(writer, tables))
        outbox.rebase(writer)
        if not target.is_sqlite:
            restart_sequences(writer, tables)
    return counts


def drop_tables(database: Database) -> None:
    """Remove all tables of data that cannot be used: the database is empty then."""
    with database.writing() as writer:
        METADATA.drop_all(writer)
        writer.execute(sa.text("DROP TABLE IF EXISTS alembic_version"))


def _batches(
    reader: sa.Connection, columns: "list[sa.Column[Any]]"
) -> Iterator[Sequence[sa.Row[Any]]]:
    options = {"stream_results": True, "yield_per": _AT_ONCE}
    yield from reader.execute(sa.select(*columns), execution_options=options).partitions()


def _insert(
    writer: sa.Connection,
    table: sa.Table,
    columns: "list[sa.Column[Any]]",
    rows: Sequence[sa.Row[Any]],
) -> None:
    names = [column.name for column in columns]
    if writer.dialect.name != "postgresql":
        writer.execute(table.insert(), [dict(zip(names, row, strict=True)) for row in rows])
        return
    # COPY takes a third of the time of inserts of many rows.
    quote = writer.dialect.identifier_preparer.quote
    listed = ", ".join(quote(name) for name in names)
    driver: Any = writer.connection.driver_connection
    with (
        driver.cursor() as cursor,
        cursor.copy(f"COPY {quote(table.name)} ({listed}) FROM STDIN") as copy,
    ):
        for row in rows:
            copy.write_row(row)


def _compare(wanted: dict[str, int], found: dict[str, int]) -> None:
    for name, rows in wanted.items():
        if found[name] != rows:
            raise Conflict(f"{name} has {rows} rows, and {found[name]} were copied")


def restart_sequences(writer: sa.Connection, tables: Sequence[sa.Table]) -> None:
    """Let sequences of PostgreSQL go on after the rows that are there now."""
    for table in tables:
        for column in table.primary_key:
            if column.autoincrement is False or not isinstance(column.type, sa.Integer):
                continue
            named = sa.func.pg_get_serial_sequence(table.name, column.name)
            if writer.scalar(sa.select(named)) is not None:
                after = sa.func.coalesce(sa.select(sa.func.max(column)).scalar_subquery(), 0) + 1
                writer.execute(sa.select(sa.func.setval(named, after, False)))
