"""The engine of imports: a file is read piece by piece and stored batch by batch.

What was read before a file breaks off is stored. A bad row is reported and skipped. An import that
was interrupted continues at the position that its last batch had reached, where one is given.
"""

import contextlib
import csv
import itertools
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from gatehouse.core.errors import InvalidInput
from gatehouse.core.files.lines import Position
from gatehouse.core.files.records import BadRow, ParsedRow, RecordFile

R = TypeVar("R")


class ImportProgress(Protocol):
    """Shows how an import is getting on."""

    def reached(self, done: int, note: str) -> None:
        """Show how many bytes of the file are done."""

    def say(self, text: str) -> None:
        """Show a line that stays."""


class RowBatch(msgspec.Struct, Generic[R], frozen=True):
    """The next rows of a file."""

    rows: list[ParsedRow[R]]
    bad: list[BadRow]
    until: Position
    error: InvalidInput | None = None
    """Why nothing more can be read."""


def read_batches(
    file: RecordFile,
    parse: Callable[[Mapping[str, Any]], R],
    batch_rows: int,
    progress: ImportProgress,
    start: Position,
) -> Iterator[RowBatch[R]]:
    """The rows of a file from a position on; `parse` raises `ValueError` about an unusable one.

    Bad rows must be reported before their batch is committed, or an interrupted import would never
    report them.
    """
    file.lines.go_to(start)
    rows = file.rows(parse)
    error = None
    while error is None:
        good: list[ParsedRow[R]] = []
        bad: list[BadRow] = []
        try:
            for row in itertools.islice(rows, batch_rows):
                if isinstance(row, BadRow):
                    bad.append(row)
                else:
                    good.append(row)
        except InvalidInput as unreadable:
            error = unreadable
        if not (good or bad or error):
            return
        yield RowBatch(good, bad, file.lines.at, error)
        progress.reached(file.lines.bytes_read, f"line {file.lines.at.line}")


class RejectedRows:
    """Reports bad rows: each on a line of its own, and in a CSV file if one is wanted."""

    def __init__(self, path: Path | None, say: Callable[[str], None], *, append: bool) -> None:
        self._path = path
        self._say = say
        self._file: Any = None
        if path is not None:
            with self._writing():
                self._file = path.open("a" if append else "w", encoding="utf-8", newline="")
                if os.fstat(self._file.fileno()).st_size == 0:
                    csv.writer(self._file).writerow(("line", "field", "reason"))

    def report(self, bad: Sequence[BadRow]) -> None:
        """Report some bad rows; when this returns, they are in the file."""
        lines = [(row.line, *problem) for row in bad for problem in row.problems]
        for line, field, reason in lines:
            self._say(f"line {line}: {field}: {reason}")
        if self._file is not None:
            with self._writing():
                csv.writer(self._file).writerows(lines)
                self._file.flush()

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            with self._writing():
                self._file.close()

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise InvalidInput(f"cannot write {self._path}: {error.strerror}") from None
