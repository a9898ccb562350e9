"""Reads a file, a pipe or standard input line by line, packed with gzip or plain.

Lines are counted and limited in length: memory is bounded by the longest line allowed, and an error
names a line by its number, never by its content. Of the bad lines, all are counted and the first
ones are reported.
"""

import gzip
import io
import os
import stat
import sys
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, Self, TypeVar, cast

import msgspec

from gatehouse.core.errors import InvalidInput
from gatehouse.core.wording.sentences import Phrase, lines

_LINE_FLAW: Final = Phrase("refused.line_flaw", "  line {line}: {message}")
_OTHER_LINES: Final = Phrase("refused.other_lines", "  and {count} others")

_FILE_DAMAGED: Final = Phrase("refused.file_damaged", "it is damaged")
_FILE_UNREADABLE: Final = Phrase(
    "refused.file_unreadable", "the file cannot be read after line {line}: {reason}"
)
_FILE_LARGE: Final = Phrase(
    "refused.file_large",
    "the file has more than {lines} lines or {megabytes} MB, unpacked; divide it into several",
)
_FILE_UTF16: Final = Phrase("refused.file_utf16", "the file is written in UTF-16; save it as UTF-8")
_STDIN_CLOSED: Final = Phrase("refused.stdin_closed", "standard input is closed")
_FILE_NOT_READ: Final = Phrase("refused.file_not_read", "cannot read {path}: {why}")

MOST_REPORTED: Final = 20
_CHUNK_BYTES: Final = 1024 * 1024
_BUFFER_BYTES: Final = 256 * 1024
_GZIP_MARK: Final = b"\x1f\x8b"
_GZIP_FORM: Final = 31
"""What zlib calls gzip with its largest window."""
_MOST_MEMBERS: Final = 10_000
_UTF8_MARK: Final = b"\xef\xbb\xbf"
_UTF16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")

A = TypeVar("A")
T = TypeVar("T")


class Position(msgspec.Struct, frozen=True):
    """How far a file has been read: lines, and bytes of its unpacked text."""

    line: int = 0
    offset: int = 0


class TextLine(NamedTuple):
    """One line of a file, with its line end; a line over the limit has no data."""

    number: int
    data: bytes
    size: int
    complete: bool = True


class LineFlaw(NamedTuple):
    """A line that cannot be used, and why; the message must not repeat the line."""

    line: int
    message: str


class LineFlaws(msgspec.Struct):
    """How many lines of a file are bad, and the first of them."""

    bad: int = 0
    flaws: list[LineFlaw] = []

    def add(self, line: int, message: str) -> None:
        """Count a bad line."""
        self.bad += 1
        if len(self.flaws) < MOST_REPORTED:
            self.flaws.append(LineFlaw(line, message))

    def report(self) -> str:
        """The bad lines, one in each line of text."""
        shown = [_LINE_FLAW(line=flaw.line, message=flaw.message) for flaw in self.flaws]
        if self.bad > len(shown):
            shown.append(_OTHER_LINES(count=self.bad - len(shown)))
        return lines(shown)


class FileLimits(msgspec.Struct, frozen=True):
    """How much is read of a file that came over a network; a few bytes of gzip can hold a lot."""

    lines: int
    unpacked_bytes: int

    def refusal(self) -> InvalidInput:
        """What is said of a file beyond them."""
        megabytes = self.unpacked_bytes // 1024**2
        return InvalidInput(_FILE_LARGE(lines=self.lines, megabytes=megabytes))


class UnreadableFile(InvalidInput):
    """A file cannot be read to its end."""

    def __init__(self, line: int, error: Exception) -> None:
        self.reason = getattr(error, "strerror", None) or _FILE_DAMAGED()
        super().__init__(_FILE_UNREADABLE(line=line, reason=self.reason))


class LineReader:
    """The lines of a file, counted; lines can be given back and taken again."""

    def __init__(
        self,
        raw: BinaryIO,
        max_line_bytes: int,
        *,
        packed: bool = False,
        limits: FileLimits | None = None,
    ) -> None:
        """Unpack what begins like gzip; `packed` insists that it does."""
        self._raw = raw if hasattr(raw, "peek") else io.BufferedReader(cast(Any, raw))
        self._max_line_bytes = max_line_bytes
        self._limits = limits
        self._given_back: deque[TextLine] = deque()
        self._close: Callable[[], None] | None = None
        self.size: int | None = None
        """Bytes of the file itself; None for a pipe, which cannot be read a second time."""
        self.at = Position()
        """How far lines have been taken."""
        mark = self._read(cast(Any, self._raw).peek, len(_GZIP_MARK))
        packed = packed or mark.startswith(_GZIP_MARK)
        self._stream = self._unpacked() if packed else self._raw
        self._skip_byte_order_mark()

    @classmethod
    def open(cls, path: Path | None, max_line_bytes: int, *, packed: bool = False) -> Self:
        """Open a file, or standard input for None."""
        raw = standard_input() if path is None else _open(path)
        try:
            reader = cls(raw, max_line_bytes, packed=packed)
        except InvalidInput:
            if path is not None:
                raw.close()
            raise
        if path is not None:
            status = os.fstat(raw.fileno())
            reader.size = status.st_size if stat.S_ISREG(status.st_mode) else None
            reader._close = raw.close
        return reader

    @property
    def bytes_read(self) -> int:
        """How much of the file itself has been read, for showing progress."""
        return self._raw.tell() if self.size is not None else self.at.offset

    def __iter__(self) -> Iterator[TextLine]:
        while (line := self.take()) is not None:
            yield line

    def take(self) -> TextLine | None:
        """The next line, or None at the end."""
        if self._given_back:
            line = self._given_back.popleft()
        else:
            data = self._read(self._stream.readline, self._max_line_bytes + 1)
            if not data:
                return None
            line = self._line(self.at.line + 1, data)
        self.at = Position(line.number, self.at.offset + line.size)
        limits = self._limits
        if limits and (self.at.line > limits.lines or self.at.offset > limits.unpacked_bytes):
            raise limits.refusal()
        return line

    def give_back(self, lines: Sequence[TextLine]) -> None:
        """Have the lines that were taken last be taken again."""
        self._given_back.extendleft(reversed(lines))
        if lines:
            size = sum(line.size for line in lines)
            self.at = Position(lines[0].number - 1, self.at.offset - size)

    def go_to(self, position: Position) -> None:
        """Continue at a position that an earlier reading of the same file had reached."""
        if position.offset:
            self._given_back.clear()
            self._read(self._stream.seek, position.offset)
            self.at = position

    def close(self) -> None:
        """Close the file; standard input stays open."""
        if self._close is not None:
            self._close()

    def _unpacked(self) -> BinaryIO:
        if self._limits is None:
            return cast(BinaryIO, gzip.GzipFile(fileobj=self._raw))
        return io.BytesIO(self._read(partial(_unpack, self._raw), self._limits))

    def _skip_byte_order_mark(self) -> None:
        first = self._read(self._stream.readline, self._max_line_bytes + 1)
        if first.startswith(_UTF16_MARKS):
            raise InvalidInput(_FILE_UTF16())
        if first:
            mark = len(_UTF8_MARK) if first.startswith(_UTF8_MARK) else 0
            self.at = Position(0, mark)
            self._given_back.append(self._line(1, first[mark:]))

    def _line(self, number: int, data: bytes) -> TextLine:
        if len(data) <= self._max_line_bytes or data.endswith(b"\n"):
            return TextLine(number, data, len(data))
        size = len(data)
        while rest := self._read(self._stream.readline, _CHUNK_BYTES):
            size += len(rest)
            if rest.endswith(b"\n"):
                break
        return TextLine(number, b"", size, complete=False)

    def _read(self, read: Callable[[A], T], argument: A) -> T:
        try:
            return read(argument)
        except (OSError, EOFError, zlib.error) as error:
            raise UnreadableFile(self.at.line, error) from None


def _unpack(raw: BinaryIO, limits: FileLimits) -> bytes:
    """The whole content of gzip, which may have several members, within its limits."""
    content, members, unpacker, data = bytearray(), 0, None, b""
    while data := data or raw.read(_BUFFER_BYTES):
        if unpacker is None:
            # Zeros may fill up the last block, and nothing else may stand between members.
            data = data.lstrip(b"\0")
            if not data:
                continue
            members += 1
            unpacker = zlib.decompressobj(_GZIP_FORM)
        content += unpacker.decompress(data, limits.unpacked_bytes + 1 - len(content))
        if len(content) > limits.unpacked_bytes or members > _MOST_MEMBERS:
            raise limits.refusal()
        data = unpacker.unused_data
        if unpacker.eof:
            unpacker = None
    if unpacker is not None:
        raise EOFError
    return bytes(content)


def standard_input() -> BinaryIO:
    """Standard input, if there is any."""
    if sys.stdin is None or sys.stdin.closed:
        raise InvalidInput(_STDIN_CLOSED())
    return cast(BinaryIO, sys.stdin.buffer)


def _open(path: Path) -> BinaryIO:
    try:
        return path.open("rb", buffering=_BUFFER_BYTES)
    except OSError as error:
        raise InvalidInput(_FILE_NOT_READ(path=path, why=error.strerror)) from None
