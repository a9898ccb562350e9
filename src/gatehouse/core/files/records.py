"""Reads the records of a CSV or JSON Lines file, one at a time.

A record that cannot be read is given with the reason, and the next one follows. A reason never
repeats a value: any value can be personal data or a card number.
"""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final, Generic, Literal, NamedTuple, TypeVar

import msgspec

from gatehouse.core.errors import InvalidInput
from gatehouse.core.files.lines import LineReader, TextLine

MAX_RECORD_BYTES: Final = 64 * 1024
_TOO_LONG: Final = f"is longer than {MAX_RECORD_BYTES // 1024} KiB"

RecordFormat = Literal["csv", "jsonl"]
R = TypeVar("R")


class Columns(msgspec.Struct, frozen=True):
    """The columns that a CSV file may have, and groups of which it must have at least one."""

    known: tuple[str, ...]
    required: tuple[tuple[str, ...], ...]
    others: bool = False
    """Whether there may be other columns, which nobody reads."""


class FieldProblem(NamedTuple):
    """What is wrong with a field; `record` stands for the record as a whole."""

    field: str
    reason: str


class ParsedRow(NamedTuple, Generic[R]):
    """A record that can be used, and the line where it begins."""

    line: int
    value: R


class BadRow(NamedTuple):
    """A record that cannot be used: the line where it begins, and what is wrong with it."""

    line: int
    problems: Sequence[FieldProblem]

    @classmethod
    def whole(cls, line: int, reason: str) -> "BadRow":
        """A record of which no field in particular is wrong."""
        return cls(line, (FieldProblem("record", reason),))


class UnusableRecord(ValueError):
    """Several fields of one record are wrong."""

    def __init__(self, problems: Sequence[FieldProblem]) -> None:
        super().__init__()
        self.problems = problems


def guess_format(name: str) -> RecordFormat:
    """The format that a file's name promises."""
    stem = name.lower().removesuffix(".gz")
    if stem.endswith(".csv"):
        return "csv"
    if stem.endswith((".jsonl", ".ndjson")):
        return "jsonl"
    raise InvalidInput("the name does not tell the format; add --format csv or --format jsonl")


class RecordFile:
    """A file of records, a pipe, or standard input; a file can be read from a position on."""

    def __init__(
        self,
        path: Path | None,
        form: RecordFormat,
        columns: Columns,
        decoder: "msgspec.json.Decoder[Any] | None" = None,
        stream: BinaryIO | None = None,
    ) -> None:
        """Open the file, or take a stream instead, and read its header; None is standard input."""
        self.path = path
        self.form = form
        self._decoder = msgspec.json.Decoder() if decoder is None else decoder
        packed = path is not None and path.name.lower().endswith(".gz")
        self.lines = (
            LineReader.open(path, MAX_RECORD_BYTES, packed=packed)
            if stream is None
            else LineReader(stream, MAX_RECORD_BYTES)
        )
        self._header: list[str] = []
        try:
            if form == "csv":
                self._header = self._read_header(columns)
        except InvalidInput:
            self.lines.close()
            raise

    def close(self) -> None:
        """Close the file; standard input stays open."""
        self.lines.close()

    def rows(self, parse: Callable[[Mapping[str, Any]], R]) -> Iterator[ParsedRow[R] | BadRow]:
        """All records from here on; `parse` raises `ValueError` about one that cannot be used."""
        while (first := self._next_line()) is not None:
            row: ParsedRow[R] | BadRow
            joined: list[TextLine] = []
            try:
                fields = self._row(first, joined) if self.form == "csv" else self._object(first)
                row = ParsedRow(first.number, parse(fields))
            except UnusableRecord as error:
                row = BadRow(first.number, error.problems)
            except ValueError as error:
                row = BadRow.whole(first.number, str(error))
            if isinstance(row, BadRow):
                # A bad row costs its first line only: the quote that joined it to others may be
                # its very defect.
                self.lines.give_back(joined)
            yield row

    def _next_line(self) -> TextLine | None:
        """The next line that is not blank, or None at the end."""
        line = self.lines.take()
        while line is not None and line.complete and not line.data.strip():
            line = self.lines.take()
        return line

    def _row(self, first: TextLine, joined: list[TextLine]) -> dict[str, str]:
        cells = self._cells(first, joined)
        if len(cells) != len(self._header):
            raise ValueError(f"has {len(cells)} cells, but there are {len(self._header)} columns")
        return dict(zip(self._header, cells, strict=True))

    def _cells(self, first: TextLine, joined: list[TextLine]) -> list[str]:
        """The cells of a row; lines that an open quote joins to the first are added to `joined`."""
        if not first.complete:
            raise ValueError(_TOO_LONG)
        quotes, size = first.data.count(b'"'), first.size
        while quotes % 2:
            try:
                line = self.lines.take()
            except InvalidInput:
                self.lines.give_back([first, *joined])
                raise
            if line is not None:
                joined.append(line)
                quotes += line.data.count(b'"')
                size += line.size
            if line is None or not line.complete or size > MAX_RECORD_BYTES:
                raise ValueError("has a quote that is not closed")
        try:
            text = b"".join([line.data for line in (first, *joined)]).decode()
            return next(csv.reader([text], strict=True))
        except UnicodeDecodeError:
            raise ValueError("is not written in UTF-8") from None
        except csv.Error:
            raise ValueError("is not a row of CSV") from None

    def _object(self, line: TextLine) -> dict[str, Any]:
        if not line.complete:
            raise ValueError(_TOO_LONG)
        try:
            value = self._decoder.decode(line.data)
        except (msgspec.DecodeError, RecursionError):
            raise ValueError("is not a JSON object in UTF-8 on one line") from None
        if not isinstance(value, dict):
            raise ValueError("must be a JSON object")
        return value

    def _read_header(self, columns: Columns) -> list[str]:
        line = self._next_line()
        if line is None:
            raise InvalidInput("the header of the file is missing")
        try:
            cells = self._cells(line, [])
        except ValueError as error:
            raise InvalidInput(f"the header of the file {error}") from None
        names = {column.lower(): column for column in columns.known}
        header = [names.get(cell.strip().lower(), "") for cell in cells]
        if columns.others:
            header = [name or f"column {place}" for place, name in enumerate(header, 1)]
        if "" in header:
            place = header.index("") + 1
            raise InvalidInput(
                f"column {place} of the header is unknown; there are {', '.join(columns.known)}"
            )
        if len(set(header)) != len(header):
            raise InvalidInput("a column is twice in the header")
        for group in columns.required:
            if not set(group) & set(header):
                raise InvalidInput(f"the header has no column {' or '.join(group)}")
        return header
