"""The files of a replay: requests are read line by line, and scores are written.

The file of scores appears under its name when it is complete, and not before.
"""

import contextlib
import os
import secrets
import stat
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Final, Self

from gatehouse.core.errors import InvalidInput
from gatehouse.core.files.lines import LineReader, UnreadableFile
from gatehouse.core.redaction import recordable

STANDARD: Final = "-"
"""The name of standard input and output."""
HEADER: Final = "at,requestConfidence\n"
MOST_BYTES: Final = 1024 * 1024
"""Of a line; a server takes shorter requests than that."""


class RequestFiles:
    """The lines of several files, one after the other; knows where it is."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        # A misspelt name must be noticed now, and not after hours.
        sizes = [_size(name) for name in names]
        self.size = None if None in sizes else sum(size for size in sizes if size is not None)
        """Bytes of all files; None when one of them is a pipe."""
        self._name = names[0]
        self._line = 0
        self._reader: LineReader | None = None
        self._before = 0

    @property
    def place(self) -> str:
        """The file and number of the line that was given last."""
        name = "standard input" if self._name == STANDARD else recordable(self._name)
        return f"{name}, line {self._line}"

    @property
    def bytes_read(self) -> int:
        """How much of the files has been read, for showing progress; 0 of pipes."""
        if self.size is None:
            return 0
        return self._before + (0 if self._reader is None else self._reader.bytes_read)

    def __iter__(self) -> Iterator[bytes]:
        for name in self._names:
            self._name, self._line = name, 0
            try:
                self._reader = LineReader.open(None if name == STANDARD else Path(name), MOST_BYTES)
                yield from self._lines(self._reader)
            except UnreadableFile as error:
                raise InvalidInput(f"cannot read on after {self.place}: {error.reason}") from None
            finally:
                if self._reader is not None:
                    self._before = self.bytes_read
                    self._reader.close()
                    self._reader = None

    def _lines(self, reader: LineReader) -> Iterator[bytes]:
        for line in reader:
            self._line = line.number
            if not line.complete:
                raise InvalidInput(
                    f"{self.place}: is longer than {MOST_BYTES // 1024} KiB; a line is one request"
                )
            yield line.data


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


def check_apart(names: Sequence[str], out: str) -> None:
    """Refuse to write where something is read: the requests would be lost, or never end."""
    target = _identity(out, sys.stdout)
    for name in names:
        if target is not None and _identity(name, sys.stdin) == target:
            said = "standard input" if name == STANDARD else recordable(name)
            raise InvalidInput(f"{said} holds the requests; write the scores to another file")


def _identity(name: str, standard: IO[str]) -> tuple[int, int] | None:
    """Device and inode of a file; None when there is no such file."""
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
            # The reader of the output has gone away.
            return error
        reason = getattr(error, "strerror", None) or "not a path"
        return InvalidInput(f"cannot write {recordable(self._out)}: {reason}")
