"""Reads the requests of a replay line by line: JSON Lines in several files, gzipped or not."""

import contextlib
import gzip
import io
import os
import stat
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Final, cast

from gatehouse.cli.record_files import standard_input
from gatehouse.core.errors import InvalidInput
from gatehouse.core.redaction import recordable

STANDARD: Final = "-"
"""The name of standard input and output."""
MOST_BYTES: Final = 1024 * 1024
"""The longest line; a server takes shorter requests than that."""
_BUFFER_BYTES: Final = 256 * 1024
_GZIP_MARK: Final = b"\x1f\x8b"
_UTF8_MARK: Final = b"\xef\xbb\xbf"


class RequestFiles:
    """The lines of several files, one after the other, and the place of the current line."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        # A misspelt name must be noticed now, and not after hours.
        sizes = [_size(name) for name in names]
        self.size = None if None in sizes else sum(size for size in sizes if size is not None)
        """Bytes of all files; None when one of them is a pipe."""
        self._name = names[0]
        self._line = 0
        self._raw: BinaryIO | None = None
        self._before = 0

    @property
    def place(self) -> str:
        """The file and the number of the line that was given last."""
        name = "standard input" if self._name == STANDARD else recordable(self._name)
        return f"{name}, line {self._line}"

    @property
    def bytes_read(self) -> int:
        """How much of the files has been read, for showing progress; 0 for pipes."""
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
    """The content; gzip is recognised by its first bytes, not by the name of the file."""
    if not cast(io.BufferedReader, raw).peek(len(_GZIP_MARK)).startswith(_GZIP_MARK):
        return raw
    packed = cast(io.RawIOBase, gzip.GzipFile(fileobj=raw))
    return cast(BinaryIO, io.BufferedReader(packed, _BUFFER_BYTES))
