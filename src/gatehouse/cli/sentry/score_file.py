"""Writes the scores of a replay as CSV. A file gets its name when all scores are in it."""

import contextlib
import os
import secrets
import stat
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Final, Self

from gatehouse.cli.sentry.replay_files import STANDARD
from gatehouse.core.errors import InvalidInput
from gatehouse.core.redaction import recordable

HEADER: Final = "at,requestConfidence\n"


def check_apart(names: Sequence[str], out: str) -> None:
    """Refuse to write into a file that is read: the requests would be lost, or never end."""
    target = _identity(out, sys.stdout)
    for name in names:
        if target is not None and _identity(name, sys.stdin) == target:
            said = "standard input" if name == STANDARD else recordable(name)
            raise InvalidInput(f"{said} holds the requests; write the scores to another file")


def _identity(name: str, standard: IO[str]) -> tuple[int, int] | None:
    """Device and inode of a file; None when there is no such regular file."""
    try:
        status = os.fstat(standard.fileno()) if name == STANDARD else Path(name).stat()
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


class ScoreFile:
    """A file, which gets its name at the end, or standard output."""

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
            # The reader of the pipe has gone; the command ends without a message.
            return error
        reason = getattr(error, "strerror", None) or "not a path"
        return InvalidInput(f"cannot write {recordable(self._out)}: {reason}")
