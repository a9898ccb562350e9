"""Reads files of records piece by piece: CSV or JSON Lines, packed with gzip or not.

A record that cannot be read is given with the reason, and the next one follows. Memory is bounded
by the longest record allowed, whatever the file is like.
"""

import csv
import gzip
import os
import stat
import sys
import zlib
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal, NamedTuple, TypeVar, cast

import msgspec

from gatehouse.core.errors import InvalidInput
from gatehouse.store.identities.imports import Position

MAX_RECORD_BYTES: Final = 64 * 1024
_CHUNK_BYTES: Final = 1024 * 1024
_UTF8_MARK: Final = b"\xef\xbb\xbf"
_GZIP_MARK: Final = b"\x1f\x8b"
_UTF16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")
_TOO_LONG: Final = f"is longer than {MAX_RECORD_BYTES // 1024} KiB"

RecordFormat = Literal["csv", "jsonl"]
T = TypeVar("T")


class Columns(msgspec.Struct, frozen=True):
    """The columns that a CSV file may have, and those that it must have one of, group by group."""

    known: tuple[str, ...]
    needed: tuple[tuple[str, ...], ...]


class Found(NamedTuple):
    """A record: where it begins, and its fields by name or the reason why there are none."""

    line: int
    fields: dict[str, Any] | None
    reason: str = ""
    further: Sequence["_TextLine"] = ()
    """The lines that a quote joined to the first one."""


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
    ) -> None:
        self._form = form
        self._decoder = msgspec.json.Decoder() if decoder is None else decoder
        self._raw = standard_input() if path is None else _open(path)
        self._close = path is not None
        try:
            status = None if path is None else os.fstat(self._raw.fileno())
            regular = status is not None and stat.S_ISREG(status.st_mode)
            self.size = status.st_size if status is not None and regular else None
            """Bytes of the file; None for a pipe, which cannot be taken up again."""
            packed = path is not None and path.name.lower().endswith(".gz")
            packed = packed or self._peek().startswith(_GZIP_MARK)
            stream = cast(BinaryIO, gzip.GzipFile(fileobj=self._raw)) if packed else self._raw
            self._lines = _Lines(stream)
            self._header = self._read_header(columns) if form == "csv" else []
        except InvalidInput:
            self.close()
            raise

    @property
    def at(self) -> Position:
        """How far records have been given out."""
        return self._lines.at

    @property
    def bytes_read(self) -> int:
        """How much of the file itself has been read, for showing progress."""
        return self._raw.tell() if self.size is not None else self.at.offset

    def go_to(self, position: Position) -> None:
        """Go on from a position that an earlier reading of the same file had reached."""
        if position.offset:
            self._lines.go_to(position)

    def close(self) -> None:
        """Give the file up."""
        if self._close:
            self._raw.close()

    def take(self) -> Found | None:
        """The next record, or None at the end. The cells of a row are its fields, as text."""
        return self._take_row() if self._form == "csv" else self._take_object()

    def waste(self, found: Found) -> None:
        """Say that the record that was taken last cannot be used.

        It costs its first line only: the quote that joined it to others may be its very defect.
        """
        self._lines.give_back(found.further)

    def _take_row(self) -> Found | None:
        row = self._lines.take_row()
        if row is None:
            return None
        reason = row.reason
        if not reason and len(row.cells) != len(self._header):
            reason = f"has {len(row.cells)} cells, but there are {len(self._header)} columns"
        if reason:
            return Found(row.line, None, reason, row.further)
        fields = dict(zip(self._header, row.cells, strict=True))
        return Found(row.line, fields, further=row.further)

    def _take_object(self) -> Found | None:
        line = self._lines.take()
        while line is not None and line.whole and not line.data.strip():
            line = self._lines.take()
        if line is None:
            return None
        if not line.whole:
            return Found(line.number, None, _TOO_LONG)
        try:
            value = self._decoder.decode(line.data)
        except (msgspec.DecodeError, RecursionError):
            return Found(line.number, None, "is not a JSON object in UTF-8 on one line")
        if not isinstance(value, dict):
            return Found(line.number, None, "must be a JSON object")
        return Found(line.number, value)

    def _peek(self) -> bytes:
        try:
            return cast(Any, self._raw).peek(len(_GZIP_MARK))  # type: ignore[no-any-return]  # bytes
        except OSError as error:
            raise InvalidInput(f"the file cannot be read: {error.strerror}") from None

    def _read_header(self, columns: Columns) -> list[str]:
        row = self._lines.take_row() or _Row(0, (), (), "is missing")
        if row.reason:
            raise InvalidInput(f"the header of the file {row.reason}")
        names = {column.lower(): column for column in columns.known}
        header = [names.get(cell.strip().lower(), "") for cell in row.cells]
        if "" in header:
            place = header.index("") + 1
            raise InvalidInput(
                f"column {place} of the header is unknown; there are {', '.join(columns.known)}"
            )
        if len(set(header)) != len(header):
            raise InvalidInput("a column is twice in the header")
        for group in columns.needed:
            if not set(group) & set(header):
                raise InvalidInput(f"the header has no column {' or '.join(group)}")
        return header


class _TextLine(NamedTuple):
    """One line of a file; what is too long is cut off."""

    number: int
    data: bytes
    size: int
    whole: bool


class _Row(NamedTuple):
    """One row of CSV: its first line, its cells or what is wrong with it, and its other lines."""

    line: int
    further: Sequence[_TextLine]
    cells: Sequence[str]
    reason: str = ""


class _Lines:
    """The lines of a file, counted; lines can be given back and taken again."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._back: deque[_TextLine] = deque()
        self.at = Position()
        first = self._read(self._stream.readline, MAX_RECORD_BYTES + 1)
        if first.startswith(_UTF16_MARKS):
            raise InvalidInput("the file is written in UTF-16; save it as UTF-8")
        if first:
            mark = len(_UTF8_MARK) if first.startswith(_UTF8_MARK) else 0
            self.at = Position(0, mark)
            self._back.append(self._line(1, first[mark:]))

    def go_to(self, position: Position) -> None:
        """Go on from a position."""
        self._back.clear()
        self._read(self._stream.seek, position.offset)
        self.at = position

    def take(self) -> _TextLine | None:
        """The next line, or None at the end."""
        if self._back:
            line = self._back.popleft()
        else:
            data = self._read(self._stream.readline, MAX_RECORD_BYTES + 1)
            if not data:
                return None
            line = self._line(self.at.line + 1, data)
        self.at = Position(line.number, self.at.offset + line.size)
        return line

    def take_row(self) -> _Row | None:
        """The next row of CSV, or None at the end; it goes on over lines while a quote is open."""
        first = self.take()
        while first is not None and first.whole and not first.data.strip():
            first = self.take()
        if first is None:
            return None
        if not first.whole:
            return _Row(first.number, (), (), _TOO_LONG)
        further: list[_TextLine] = []
        quotes, size = first.data.count(b'"'), first.size
        while quotes % 2:
            try:
                line = self.take()
            except InvalidInput:
                self.give_back([first, *further])
                raise
            if line is not None:
                further.append(line)
                quotes += line.data.count(b'"')
                size += line.size
            if line is None or not line.whole or size > MAX_RECORD_BYTES:
                return _Row(first.number, further, (), "has a quote that is not closed")
        try:
            text = b"".join([line.data for line in (first, *further)]).decode()
            return _Row(first.number, further, next(csv.reader([text], strict=True)))
        except UnicodeDecodeError:
            return _Row(first.number, further, (), "is not written in UTF-8")
        except csv.Error:
            return _Row(first.number, further, (), "is not a row of CSV")

    def give_back(self, lines: Sequence[_TextLine]) -> None:
        """Have lines that were taken last be taken again."""
        self._back.extendleft(reversed(lines))
        if lines:
            size = sum(line.size for line in lines)
            self.at = Position(lines[0].number - 1, self.at.offset - size)

    def _line(self, number: int, data: bytes) -> _TextLine:
        if len(data) <= MAX_RECORD_BYTES or data.endswith(b"\n"):
            return _TextLine(number, data, len(data), whole=True)
        size = len(data)
        while rest := self._read(self._stream.readline, _CHUNK_BYTES):
            size += len(rest)
            if rest.endswith(b"\n"):
                break
        return _TextLine(number, b"", size, whole=False)

    def _read(self, how: Callable[[int], T], argument: int) -> T:
        try:
            return how(argument)
        except (OSError, EOFError, zlib.error) as error:
            reason = getattr(error, "strerror", None) or "it is damaged"
            raise InvalidInput(
                f"the file cannot be read after line {self.at.line}: {reason}"
            ) from None


def standard_input() -> BinaryIO:
    """Standard input, if there is any."""
    if sys.stdin is None or sys.stdin.closed:
        raise InvalidInput("standard input is closed")
    return cast(BinaryIO, sys.stdin.buffer)


def _open(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise InvalidInput(f"cannot read {path}: {error.strerror}") from None
