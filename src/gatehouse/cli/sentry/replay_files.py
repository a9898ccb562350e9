"""Reads the requests of a replay line by line: JSON Lines in several files, gzipped or not."""

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from gatehouse.core.errors import InvalidInput
from gatehouse.core.files.lines import LineReader, UnreadableFile
from gatehouse.core.redaction import recordable

STANDARD: Final = "-"
"""The name of standard input and output."""
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
