"""The feeds in use: the shipped table, under the files that an operator puts into a folder.

A thread checks the folder every few seconds and reads what changed. A single assignment then
replaces the state, so a reader sees all of the old one or all of the new one.
"""

import contextlib
import logging
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from gatehouse.core.clock import Clock
from gatehouse.intel.addresses import Address
from gatehouse.intel.feeds.folder import FeedFolder, FileReport
from gatehouse.intel.feeds.view import FeedState, Shipped, View
from gatehouse.intel.networks import AddressFacts, Feed

_log: Final = logging.getLogger("gatehouse.intel")

EVERY_S: Final = 2.0
FIRST_S: Final = 1.0
"""How long a server that starts waits for the operator's small files."""
SMALL_BYTES: Final = 1 << 20
_STOP_S: Final = 10.0
_TURN_S: Final = 0.0005


class Feeds:
    """Answers what is known about addresses. Also an `AddressBook`."""

    def __init__(self, shipped: Shipped, folder: Path | None, clock: Clock) -> None:
        self._shipped = shipped
        self._clock = clock
        self._folder = None if folder is None else FeedFolder(folder)
        self._reports: tuple[FileReport, ...] = ()
        self._looking = threading.Lock()
        self._stopping = threading.Event()
        self._begun = threading.Event()
        self._thread: threading.Thread | None = None
        self._state = FeedState(shipped, ())
        # Only `look` writes this, and only `refresh` writes the state, so neither overwrites the
        # other.
        self._view = View(self._state, 0)

    def look(self, address: Address, day: int) -> AddressFacts:
        """What is known about a public address on a day, counted from 1970."""
        view = self._view
        if view.day != day or view.state is not self._state:
            view = self._view = View(self._state, day)
        return view.look(address)

    def feeds(self) -> list[Feed]:
        """The sources of the data in use, the shipped table first."""
        files = sorted(self._state.files, key=lambda file: file.feed.name)
        return [self._shipped.feed, *(file.feed for file in files)]

    def reports(self) -> list[FileReport]:
        """Files of the folder that are not in use, at least not as they are now, and why."""
        return list(self._reports)

    def refresh(self, most_bytes: int | None = None) -> list[str]:
        """Check the folder once and take over what changed; returns the refusals that are new.

        Files larger than `most_bytes` are left for a later check.
        """
        folder = self._folder
        if folder is None:
            return []
        with self._looking:
            before = dict(folder.files)
            refused = folder.look(self._clock(), most_bytes)
            if folder.files != before:
                self._state = FeedState(self._shipped, folder.files.values())
            self._reports = tuple(folder.reports())
        return refused

    def start(self, wait: Callable[[float], bool] | None = None) -> None:
        """Check the folder now, and every few seconds from now on.

        Small files are read first, so that an operator's block lists count from the first request.
        The start waits for them for a bounded time, and errors are only logged: nothing in the
        folder can delay a server or stop it from starting.

        `wait` takes the seconds to wait and returns whether it is time to stop.
        """
        if self._folder is None or self._thread is not None:
            return
        self._stopping.clear()
        self._begun.clear()
        waiting = wait or self._stopping.wait
        self._thread = threading.Thread(
            target=self._watch, args=(waiting,), name="gatehouse-feeds", daemon=True
        )
        self._thread.start()
        self._begun.wait(FIRST_S)

    def stop(self) -> None:
        """Stop checking; what was read stays in use."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(_STOP_S)
            self._thread = None

    def _watch(self, wait: Callable[[float], bool]) -> None:
        self._try_refresh(SMALL_BYTES)
        self._begun.set()
        self._try_refresh()
        while not wait(EVERY_S):
            self._try_refresh()

    def _try_refresh(self, most_bytes: int | None = None) -> None:
        try:
            with _yielding():
                self.refresh(most_bytes)
        except Exception:
            # The next check may succeed, and feeds must not stay old for ever.
            _log.exception("could not look at the folder of feeds")


@contextlib.contextmanager
def _yielding() -> Iterator[None]:
    """Let requests through while a large file is read.

    A thread that reads keeps the interpreter for a whole turn, of five milliseconds by default,
    each time that the event loop wakes up.
    """
    usual = sys.getswitchinterval()
    sys.setswitchinterval(_TURN_S)
    try:
        yield
    finally:
        sys.setswitchinterval(usual)
