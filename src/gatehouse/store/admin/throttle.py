"""Long changes beside running servers: batch by batch, with a rest between two batches.

SQLite has one write lock and no queue for it: a waiting process tries again only now and then, at
last every tenth of a second. A change that took the lock again at once would keep servers out.
"""

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Final

import sqlalchemy as sa

from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.database import Database
from gatehouse.store.state import lock_changes

_SHORT_S: Final = 0.05
_LOOKS_AGAIN_S: Final = 0.1
_LONGEST_S: Final = 1.0


class Pace:
    """Keeps the write lock free for at least as long as it was held, before it is taken again."""

    def __init__(
        self,
        database: Database,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        *,
        least_rest_s: float = _SHORT_S,
    ) -> None:
        """`least_rest_s` is the rest after a short turn; work that has time can rest longer."""
        self._least_rest_s = least_rest_s
        self._unfair = database.is_sqlite
        self._monotonic = monotonic
        self._sleep = sleep
        self._free_until = float("-inf")

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """Around one transaction; what is done between two turns counts as rest."""
        rest = self._free_until - self._monotonic()
        if rest > 0:
            self._sleep(rest)
        began = self._monotonic()
        try:
            yield
        finally:
            if self._unfair:
                ended = self._monotonic()
                rest = max(self._least_rest_s, _rest_after(ended - began))
                self._free_until = ended + rest


@contextlib.contextmanager
def batch_of(session: AdminSession) -> Iterator[sa.Connection]:
    """One batch of a long change whose beginning and end are audited."""
    with session.database.writing() as connection:
        lock_changes(connection)
        if session.database.is_sqlite:
            # Cards lie in no order: without room in memory every row would be read from the file,
            # and without room in the log every commit would end in a write of the whole file.
            connection.exec_driver_sql("PRAGMA cache_size = -65536")
            connection.exec_driver_sql("PRAGMA wal_autocheckpoint = 8000")
        yield connection


def _rest_after(held: float) -> float:
    if held < _SHORT_S:
        return _SHORT_S
    return min(max(held, _LOOKS_AGAIN_S), _LONGEST_S)
