"""Columns and indexes, as the tables and their migrations declare them.

What a function here means can never change: migrations that have run depend on it.
"""

from typing import Any

import sqlalchemy as sa

ColumnType = type[sa.types.TypeEngine[Any]]


def key(kind: ColumnType, *names: str) -> "list[sa.Column[Any]]":
    """Columns of the primary key; the database never chooses a value."""
    return [sa.Column(name, kind, primary_key=True, autoincrement=False) for name in names]


def required(kind: ColumnType, *names: str) -> "list[sa.Column[Any]]":
    """Columns that every row has a value for."""
    return [sa.Column(name, kind, nullable=False) for name in names]


def optional(kind: ColumnType, *names: str) -> "list[sa.Column[Any]]":
    """Columns that may be empty."""
    return [sa.Column(name, kind) for name in names]


def index(name: str, *columns: str, unique: bool = False, where: str | None = None) -> sa.Index:
    """An index of the table that it is declared in; with `where`, only of some rows."""
    rows = None if where is None else sa.text(where)
    return sa.Index(name, *columns, unique=unique, sqlite_where=rows, postgresql_where=rows)
