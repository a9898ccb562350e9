"""One connection of a server to PostgreSQL on which it says that it is alive and hears of changes.

A process that changes something says so in the same transaction (`store.notices`), and every server
hears of it as soon as that is committed. What is said while a server is not connected is lost to
it, so it looks at everything once it is connected again; and all that is followed is also looked
for now and then. Nothing is said in the path of a request: PostgreSQL lets one transaction at a
time commit that says something.
"""

import asyncio
import contextlib
import logging
import os
import select
import threading
from collections.abc import Callable
from typing import Any, Final

import psycopg

from gatehouse.core.errors import StoreUnavailable
from gatehouse.store.database import Database
from gatehouse.store.notices import CHANNEL, ChangeNotice
from gatehouse.store.servers import ALIVE, ENDED, row_name

_log: Final = logging.getLogger("gatehouse.store")

_BEAT_S: Final = 1.0
_AGAIN_S: Final = 0.25
_LOST: Final = (psycopg.Error, StoreUnavailable, OSError)

Hear = Callable[[ChangeNotice | None], None]
"""Told of each notice on the event loop; None when some may have been lost."""


class Presence:
    """A thread with the connection; it connects again by itself."""

    def __init__(self, database: Database, owner: str, hear: Hear) -> None:
        self._database = database
        self._owner, self._name = owner, row_name(owner)
        self._hear = hear
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended, self._end = -1, -1
        """The two ends of a pipe, which is closed when the server ends."""
        self._thread = threading.Thread(target=self._run, name="gatehouse-presence", daemon=True)
        self.hears = False
        """Whether it is connected."""

    def start(self) -> None:
        """Begin, for the running event loop; a SQLite file has one server, which needs none."""
        self._loop = asyncio.get_running_loop()
        if not self._database.is_sqlite:
            self._ended, self._end = os.pipe()
            self._thread.start()

    async def stop(self) -> None:
        """Say that the server has ended, and close the connection."""
        if self._thread.ident is not None:
            os.close(self._end)
            await asyncio.to_thread(self._thread.join)
            os.close(self._ended)

    def _run(self) -> None:
        again = True
        while again:
            try:
                with contextlib.closing(self._database.driver_connection()) as connection:
                    connection.autocommit = True
                    self._stay(connection)
                return
            except _LOST as error:
                if self.hears:
                    reason = type(error).__name__
                    _log.warning("changes are not heard of at once", extra={"reason": reason})
                self.hears = False
            again = not self._wait(None, _AGAIN_S)

    def _stay(self, connection: Any) -> None:
        """Say every second that this server is alive, and pass on what is heard, until the end."""
        # What comes with the answer to a statement; the rest is read below.
        connection.add_notify_handler(lambda notice: self._pass_on(notice.payload))
        connection.execute("SET synchronous_commit = off")
        connection.execute(f"LISTEN {CHANNEL}")
        self.hears = True
        self._tell(None)
        ended = False
        while not ended:
            connection.execute(ALIVE, (self._name,))
            ended = self._wait(connection, _BEAT_S)
            connection.pgconn.consume_input()
            while (notice := connection.pgconn.notifies()) is not None:
                self._pass_on(notice.extra.decode())
        connection.execute(ENDED, (self._name, self._owner))

    def _pass_on(self, said: str) -> None:
        with contextlib.suppress(ValueError):  # of a newer version
            self._tell(ChangeNotice(said))

    def _wait(self, connection: Any, seconds: float) -> bool:
        """Wait until something is heard, or so long; True when the server ends."""
        poll = select.poll()
        poll.register(self._ended, select.POLLIN | select.POLLHUP)
        if connection is not None:
            poll.register(connection.fileno(), select.POLLIN)
        return any(descriptor == self._ended for descriptor, _ in poll.poll(seconds * 1000))

    def _tell(self, notice: ChangeNotice | None) -> None:
        assert self._loop is not None
        with contextlib.suppress(RuntimeError):  # the loop has closed
            self._loop.call_soon_threadsafe(self._hear, notice)
