"""Brings the lines of a history into the order of time, whatever their order is in a file.

All lines are read and checked first, so that a mistake in the last one is found at once. They are
kept in a temporary file that has no name, and goes with the process; only the time and the place
of each line are in memory.
"""

import contextlib
import tempfile
from array import array
from collections.abc import Callable, Iterable, Iterator
from typing import IO, Final

from gatehouse.core.errors import InvalidInput
from gatehouse.training.replay.lines import BadLine, ReplayLine, read_line

MOST_LINES: Final = 20_000_000
_TELL_EVERY: Final = 1000

ReadLine = Callable[[bytes], ReplayLine]
Reached = Callable[[int], object]
"""Takes how many lines were read."""


class OrderedLines:
    """The lines of a history by their times; lines of one moment stay in their order."""

    def __init__(
        self, file: IO[bytes], lines: Iterable[bytes], reached: Reached, read: ReadLine
    ) -> None:
        self._file, self._read = file, read
        self._at_s, self._starts = array("d"), array("q", [0])
        for number, data in enumerate(lines, 1):
            if not data.isspace():
                self._keep(number, data)
                if len(self) % _TELL_EVERY == 0:
                    reached(len(self))
        reached(len(self))

    def __len__(self) -> int:
        return len(self._at_s)

    @property
    def last_s(self) -> float:
        """The time of the newest line, in seconds since 1970."""
        return max(self._at_s, default=0.0)

    def __iter__(self) -> Iterator[bytes]:
        file, starts = self._file, self._starts
        for row in sorted(range(len(self)), key=self._at_s.__getitem__):
            if file.tell() != starts[row]:
                file.seek(starts[row])
            yield file.read(starts[row + 1] - starts[row])

    def _keep(self, number: int, data: bytes) -> None:
        if len(self) == MOST_LINES:
            raise InvalidInput(f"there are more than {MOST_LINES:,} lines; take the newest ones")
        try:
            line = self._read(data)
        except ValueError as error:
            raise BadLine(number, str(error)) from None
        with _plain_errors():
            self._file.write(data)
        self._at_s.append(line.at_s)
        self._starts.append(self._starts[-1] + len(data))


@contextlib.contextmanager
def ordered_lines(
    lines: Iterable[bytes], reached: Reached, read: ReadLine = read_line
) -> Iterator[OrderedLines]:
    """Read and check every line; `reached` is told how many there are so far.

    A line that cannot be used is a `BadLine`, while the reader of the file still stands at it;
    `read` says so by a ValueError.
    """
    with contextlib.ExitStack() as at_the_end:
        with _plain_errors():
            # Only its owner can read it, and it has no name.
            file = at_the_end.enter_context(tempfile.TemporaryFile(prefix="gatehouse-lines-"))
        yield OrderedLines(file, lines, reached, read)


@contextlib.contextmanager
def _plain_errors() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InvalidInput(
            f"lines could not be kept in {tempfile.gettempdir()}: {error.strerror}; "
            "name a folder with more room (TMPDIR)"
        ) from None
