"""The files of a replay: requests as JSON Lines or CSV, gzipped or not, and the scores as CSV."""

import contextlib
import os
import secrets
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Final

from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import InvalidInput
from gatehouse.core.files.lines import LineReader, UnreadableFile
from gatehouse.core.files.records import RecordFormat
from gatehouse.training.replay.csv_files import csv_lines
from gatehouse.training.replay.lines import BadLine

STANDARD: Final = "-"
"""The name of standard input and output."""
MOST_BYTES: Final = 1024 * 1024
"""Of a line; a server takes shorter requests than that."""
HEADER: Final = "at,requestConfidence\n"


class RequestFiles:
    """The lines of several files, one after the other; knows where it is."""

    def __init__(self, names: Sequence[str], form: RecordFormat | None = None) -> None:
        """Without a format, files are CSV if their names say so, and JSON Lines if not."""
        self._names = names
        self._form = form
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
        return f"{_called(self._name)}, line {self._line}"

    @contextlib.contextmanager
    def naming_bad_lines(self) -> Iterator[None]:
        """Say in which file and line it is what cannot be replayed."""
        try:
            yield
        except BadLine as error:
            raise InvalidInput(f"{self.place}: {error.reason}") from None

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
                lines = self._lines(self._reader)
                yield from csv_lines(lines) if self._is_csv(name) else lines
            except ValueError as error:
                raise InvalidInput(f"{self.place}: {error}") from None
            except UnreadableFile as error:
                raise InvalidInput(f"cannot read on after {self.place}: {error.reason}") from None
            finally:
                if self._reader is not None:
                    self._before = self.bytes_read
                    self._reader.close()
                    self._reader = None

    def _is_csv(self, name: str) -> bool:
        if self._form is not None:
            return self._form == "csv"
        return name.lower().removesuffix(".gz").endswith(".csv")

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
    """Refuse to write into a file that is read: the requests would be lost, or never end."""
    target = _identity(out, sys.stdout)
    for name in names:
        if target is not None and _identity(name, sys.stdin) == target:
            raise InvalidInput(
                f"{_called(name)} holds the requests; write the scores to another file"
            )


def _identity(name: str, standard: IO[str]) -> tuple[int, int] | None:
    """Device and inode of a file; None when there is no such regular file."""
    try:
        status = os.fstat(standard.fileno()) if name == STANDARD else Path(name).stat()
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


def _called(name: str) -> str:
    return "standard input" if name == STANDARD else recordable(name)


@contextlib.contextmanager
def score_file(out: str) -> Iterator[Callable[[str, float], object]]:
    """Give what writes a score; a file gets its name when all scores are in it."""
    with _write_errors(out), contextlib.ExitStack() as at_the_end:
        file, target, unfinished = sys.stdout, Path(os.path.realpath(out)), None
        if out != STANDARD:
            # A device or a pipe is written to, and never replaced.
            if target.is_file() or not target.exists():
                name = f".{target.name}.{secrets.token_hex(4)}.unfinished"
                unfinished = target.with_name(name)
                at_the_end.callback(unfinished.unlink, missing_ok=True)
            place = unfinished or target
            file = at_the_end.enter_context(place.open("w", encoding="ascii", newline=""))
        file.write(HEADER)
        yield lambda at, confidence: file.write(f"{at},{confidence}\n")
        file.flush()
        if unfinished is not None:
            os.fsync(file.fileno())
            unfinished.replace(target)


@contextlib.contextmanager
def _write_errors(out: str) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        # The reader of the pipe has gone; the command ends without a message.
        raise
    except OSError as error:
        raise InvalidInput(f"cannot write {recordable(out)}: {error.strerror}") from None
