"""An engine that answers questions about the files of an archive; here DuckDB.

Statements are written in DuckDB's SQL. Another engine gets them in its own dialect.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from gatehouse.backtest.workspace import Workspace, quoted, text


class ArchiveEngine(Protocol):
    """Answers statements over tables that it was given."""

    def ask(self, statement: str, /) -> list[tuple[Any, ...]]:
        """Run a statement; its rows."""

    def read(self, table: str, files: Sequence[str], types: Mapping[str, str]) -> None:
        """Let a table stand for Parquet files with columns of these types."""

    def put(self, table: str, types: Mapping[str, str], columns: Sequence[Sequence[Any]]) -> None:
        """Make a table of values, given as columns."""


class DuckEngine:
    """DuckDB in this process."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self.ask = workspace.ask

    def read(self, table: str, files: Sequence[str], types: Mapping[str, str]) -> None:
        """Let a table stand for Parquet files with columns of these types."""
        if not files:
            nulls = ", ".join(f"NULL::{kind} AS {quoted(name)}" for name, kind in types.items())
            self.ask(f"CREATE OR REPLACE TEMP VIEW {table} AS SELECT {nulls} LIMIT 0")
            return
        names = ", ".join(map(text, files))
        self.ask(
            f"CREATE OR REPLACE TEMP VIEW {table} AS SELECT * "  # noqa: S608  # our own files
            f"FROM read_parquet([{names}], hive_partitioning = false)"
        )

    def put(self, table: str, types: Mapping[str, str], columns: Sequence[Sequence[Any]]) -> None:
        """Make a table of values, given as columns."""
        described = ", ".join(f"{quoted(name)} {kind}" for name, kind in types.items())
        self.ask(f"CREATE TEMP TABLE {table} ({described})")
        if columns and columns[0]:
            self._workspace.insert(table, types, dict(zip(types, columns, strict=True)))
