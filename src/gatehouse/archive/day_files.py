"""Writes the files of one day: decisions, and what became of them."""

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from gatehouse.archive.manifest import StoredFile, checksum
from gatehouse.backtest.load import garbage_collection_paused
from gatehouse.figures.column_batches import BatchMaker
from gatehouse.figures.layout import LABELS, ColumnLayout
from gatehouse.figures.workspace import Workspace, described, text
from gatehouse.store.decisions.records import KeptRecord

ROWS_IN_GROUP: Final = 50_000
"""What an engine reads at one time, and what is in memory while a file is written."""


class DayFiles:
    """Makes files in a workspace; all of them are removed with it."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self.layout: Final = ColumnLayout()
        self._batches = BatchMaker(self.layout)

    def decisions(self, batches: Iterable[Sequence[KeptRecord]]) -> tuple[Path, int]:
        """The file with these decisions, and how many they are."""
        count, types = 0, self.layout.archived
        self._create(types)
        # DuckDB takes one batch while the columns of the next are made.
        with garbage_collection_paused(), ThreadPoolExecutor(1) as thread:
            under_way: Future[None] | None = None
            for batch in batches:
                columns = self._batches.archived(batch)
                if under_way is not None:
                    under_way.result()
                under_way = thread.submit(self._workspace.insert, "day", types, columns)
                count += len(batch)
            if under_way is not None:
                under_way.result()
        return self._written("decisions.parquet", "request_id, seen_by NULLS FIRST"), count

    def labels(self, columns: Mapping[str, list[Any]]) -> Path:
        """The file with these labels."""
        self._create(LABELS)
        self._workspace.insert("day", LABELS, columns)
        return self._written("labels.parquet", "request_id")

    def stored(self, file: Path, rows: int) -> StoredFile:
        """What the manifest says of a file."""
        return StoredFile(rows, file.stat().st_size, checksum(file))

    def _create(self, types: Mapping[str, str]) -> None:
        # A temporary table is not compressed, and goes to the disk when memory is short.
        self._workspace.ask(f"CREATE OR REPLACE TEMP TABLE day ({described(types)})")

    def _written(self, name: str, order: str) -> Path:
        file = self._workspace.folder / name
        self._workspace.ask(
            f"COPY (SELECT * FROM day ORDER BY {order}) TO {text(str(file))} "  # noqa: S608
            f"(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {ROWS_IN_GROUP})"
        )
        self._workspace.ask("DROP TABLE day")
        return file
