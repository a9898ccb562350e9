"""Columns and indexes, as the tables and their migrations declare them.

What a function here means can never change: migrations that have run depend on it.
"""

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles

ColumnType = type[sa.types.TypeEngine[Any]]


class _ThisTransaction(sa.ColumnElement[int]):
    """The number of the current transaction, where the database has such numbers."""

    inherit_cache = True


@compiles(_ThisTransaction)
def _number_it(*_: object, **__: object) -> str:
    return "0"


@compiles(_ThisTransaction, "postgresql")
def _number_it_on_postgresql(*_: object, **__: object) -> str:
    return "(pg_current_xact_id()::text::bigint)"


def key(kind: ColumnType, *names: str) -> "list[sa.Column[Any]]":
    """Columns of the primary key; the database never chooses a value."""
    return [sa.Column(name, kind, primary_key=True, autoincrement=False) for name in names]


def required(kind: ColumnType, *names: str) -> "list[sa.Column[Any]]":
    """Columns that every row has a value for."""
    return [sa.Column(name, kind, nullable=False) for name in names]


def optional(kind: ColumnType, *names: str) -> "list[sa.Column[Any]]":
    """Columns that may be empty."""
    return [sa.Column(name, kind) for name in names]


def unsigned(columns: "Iterable[sa.Column[Any]]") -> "list[sa.Column[Any]]":
    """Columns of a signed table that its signatures leave out: they change without an operator, or
    something else proves them.
    """
    return [_noted(column, signed=False) for column in columns]


def later(time: int, columns: "Iterable[sa.Column[Any]]") -> "list[sa.Column[Any]]":
    """Columns of a signed table that came when there were signatures, the first time 1.

    They are left out of a signature as long as they, and all that came later, are empty: so rows
    that were signed before stay genuine.
    """
    return [_noted(column, signed_since=time) for column in columns]


def _noted(column: "sa.Column[Any]", **about: object) -> "sa.Column[Any]":
    column.info.update(about)
    return column


def order_columns() -> "list[sa.Column[Any]]":
    """The columns that order rows by their commits: a number, and the transaction that wrote it.

    SQLite has one writer at a time, so the number is enough there.
    """
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    return [
        sa.Column("seq", number, primary_key=True, autoincrement=True),
        sa.Column("xid", sa.BigInteger, nullable=False, server_default=_ThisTransaction()),
    ]


def index(name: str, *columns: str, unique: bool = False, where: str | None = None) -> sa.Index:
    """An index of the table that it is declared in; with `where`, only of some rows."""
    rows = None if where is None else sa.text(where)
    return sa.Index(name, *columns, unique=unique, sqlite_where=rows, postgresql_where=rows)
