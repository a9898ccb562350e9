"""The files of a replay: requests come line by line, packed with gzip or not, and scores go out.

The scores stand under their name when all of them are there, and not before.
"""

import contextlib
import gzip
import io
import os
import secrets
import stat
import sys
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, BinaryIO, Final, Self, cast

from gatehouse.cli.record_files import standard_input
from gatehouse.core.errors import InvalidInput
from gatehouse.core.redaction import recordable

STANDARD: Final = "-"
"""The name of standard input and output."""
HEADER: Final = "at,requestConfidence\n"
MOST_BYTES: Final = 1024 * 1024
"""Of a line; a server takes shorter requests than that."""
_BUFFER_BYTES: Final = 256 * 1024
_GZIP_MARK: Final = b"\x1f\x8b"
_UTF8_MARK: Final = b"\xef\xbb\xbf"


class RequestFiles:
    """The lines of several files, one after the other; knows where it is."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        # A name that was misspelt shall be noticed now, and not after hours.
        sizes = [_size(name) for name in names]
        self.size = None if None in sizes else sum(size for size in sizes if size is not None)
        """Bytes of all files; None when one of them is a pipe."""
        self._name = names[0]
        self._line = 0
        self._raw: BinaryIO | None = None
        self._before = 0

    @property
    def place(self) -> str:
        """Where the line stands that was given last."""
        name = "standard input" if self._name == STANDARD else recordable(self._name)
        return f"{name}, line {self._line}"

    @property
    def bytes_read(self) -> int:
        """How much of the files has been read, for showing progress; 0 of pipes."""
        if self.size is None:
            return 0
        return self._before + (0 if self._raw is None else self._raw.tell())

    def __iter__(self) -> Iterator[bytes]:
        for name in self._names:
            self._name, self._line = name, 0
            with self._explained(), _opened(name) as raw:
                self._raw = raw
                yield from self._lines(_unpacked(raw))
                self._before, self._raw = self.bytes_read, None

    def _lines(self, stream: BinaryIO) -> Iterator[bytes]:
        read = stream.readline
        while line := read(MOST_BYTES + 1):
            self._line += 1
            if len(line) > MOST_BYTES:
                raise InvalidInput(
                    f"{self.place}: is longer than {MOST_BYTES // 1024} KiB; a line is one request"
                )
            if self._line == 1:
                line = line.removeprefix(_UTF8_MARK)
            yield line

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (OSError, EOFError, zlib.error) as error:
            reason = getattr(error, "strerror", None) or "it is damaged"
            raise InvalidInput(f"cannot read on after {self.place}: {reason}") from None


def _size(name: str) -> int | None:
    if name == STANDARD:
        return None
    try:
        status = Path(name).stat()
        readable = os.access(name, os.R_OK)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a path"
        raise InvalidInput(f"cannot read {recordable(name)}: {reason}") from None
    if stat.S_ISDIR(status.st_mode):
        raise InvalidInput(f"{recordable(name)} is a folder; name its files")
    if not readable:
        raise InvalidInput(f"cannot read {recordable(name)}: permission denied")
    return status.st_size if stat.S_ISREG(status.st_mode) else None


@contextlib.contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    if name == STANDARD:
        yield standard_input()
        return
    with Path(name).open("rb", buffering=_BUFFER_BYTES) as raw:
        yield raw


def _unpacked(raw: BinaryIO) -> BinaryIO:
    """The content, whatever the file is called."""
    if not cast(io.BufferedReader, raw).peek(len(_GZIP_MARK)).startswith(_GZIP_MARK):
        return raw
    packed = cast(io.RawIOBase, gzip.GzipFile(fileobj=raw))
    return cast(BinaryIO, io.BufferedReader(packed, _BUFFER_BYTES))


def check_apart(names: Sequence[str], out: str) -> None:
    """Refuse to write where something is read: the requests would be lost, or never end."""
    target = _identity(out, sys.stdout)
    for name in names:
        if target is not None and _identity(name, sys.stdin) == target:
            said = "standard input" if name == STANDARD else recordable(name)
            raise InvalidInput(f"{said} holds the requests; write the scores to another file")


def _identity(name: str, standard: IO[str]) -> tuple[int, int] | None:
    """What tells a file from all others; None of what is not there, or not a file."""
    try:
        status = os.fstat(standard.fileno()) if name == STANDARD else Path(name).stat()
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


class ScoreFile:
    """Where the scores go: a file, which gets its name at the end, or standard output."""

    def __init__(self, out: str) -> None:
        self._out = out
        self._file: IO[str] = sys.stdout
        self._unfinished: Path | None = None
        self._target = Path()

    def __enter__(self) -> Self:
        if self._out != STANDARD:
            with self._explained():
                self._target = Path(os.path.realpath(self._out))
                place = self._target
                # A device or a pipe is written to, and never replaced.
                if place.is_file() or not place.exists():
                    name = f".{place.name}.{secrets.token_hex(4)}.unfinished"
                    place = self._unfinished = place.with_name(name)
                self._file = place.open("w", encoding="ascii", newline="")
        self._file.write(HEADER)
        return self

    def write(self, at: str, confidence: float) -> None:
        """One more score."""
        try:
            self._file.write(f"{at},{confidence}\n")
        except OSError as error:
            raise self._unwritable(error) from None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            with self._explained():
                self._close(complete=error is None)
        finally:
            if self._unfinished is not None:
                self._unfinished.unlink(missing_ok=True)

    def _close(self, *, complete: bool) -> None:
        self._file.flush()
        if self._out == STANDARD:
            return
        with self._file:
            if complete and self._unfinished is not None:
                os.fsync(self._file.fileno())
                self._unfinished.replace(self._target)

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError) as error:
            raise self._unwritable(error) from None

    def _unwritable(self, error: OSError | ValueError) -> Exception:
        if isinstance(error, BrokenPipeError):
            # Whoever read has gone, and wants no more.
            return error
        reason = getattr(error, "strerror", None) or "not a path"
        return InvalidInput(f"cannot write {recordable(self._out)}: {reason}")
