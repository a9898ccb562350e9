"""Long work that must not be done by two processes at once, on whatever machines they run."""

import contextlib
import fcntl
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import sqlalchemy as sa

from gatehouse.store.background import RepeatedLook
from gatehouse.store.database import Database

BACKGROUND: Final = "background"
"""The work of the process beside a server; on SQLite one at a time does it."""
_TAKE: Final = sa.text("SELECT pg_try_advisory_lock(hashtextextended(:what, 0))")
_GIVE_BACK: Final = sa.text("SELECT pg_advisory_unlock(hashtextextended(:what, 0))")


@contextlib.contextmanager
def exclusive(database: Database, what: str) -> Iterator[bool]:
    """Yields whether the right to do it was free; it is held until the end, or the process dies.

    `what` names the work, and on SQLite a file beside the database's.
    """
    taken = _by_file(database.file, what) if database.file else _by_server(database, what)
    with taken as was_free:
        yield was_free


@contextlib.contextmanager
def _by_file(file: Path, what: str) -> Iterator[bool]:
    with Path(f"{file}.{what}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
            return
        yield True


@contextlib.contextmanager
def _by_server(database: Database, what: str) -> Iterator[bool]:
    # Without a transaction, which would keep dead rows for as long as the work takes.
    with database.connected() as connection:
        was_free = bool(connection.scalar(_TAKE, {"what": what}))
        try:
            yield was_free
        finally:
            if was_free:
                try:
                    connection.execute(_GIVE_BACK, {"what": what})
                except sa.exc.DBAPIError:
                    # The end of its connection gives it back, and the work's own error is told.
                    connection.invalidate()


class Watch(RepeatedLook):
    """Looks again and again; of several servers one does."""

    def __init__(self, database: Database, what: str, pause_s: float, failure: str) -> None:
        super().__init__(pause_s, failure)
        self._database = database
        self._what = what

    def _turn(self) -> None:
        with exclusive(self._database, self._what) as is_ours:
            while is_ours and not self._stopped.wait(self._pause_s):
                self.look()
