"""Runs the console as a child process of the API's server, and starts it again when it ends.

The parent keeps the listening socket: a browser that comes while the child starts again waits.
"""

import contextlib
import logging
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Final

from gatehouse.settings.settings import PREFIX, Settings

_log: Final = logging.getLogger("gatehouse.console")
_FIRST_WAIT_S: Final = 1.0
_LONGEST_WAIT_S: Final = 60.0
_STOP_S: Final = 10.0


class ConsoleChild:
    """The child process, watched by a thread."""

    def __init__(self, settings: Settings, listener: socket.socket) -> None:
        self._listener = listener
        self._environ = _environment(settings)
        self._stopping = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._watch, daemon=True, name="console")

    def start(self) -> None:
        """Start the child and watch it."""
        self._thread.start()

    def stop(self) -> None:
        """End the child; what it is answering is answered first."""
        self._stopping.set()
        process = self._process
        if process is not None and process.stdin is not None:
            process.stdin.close()
        self._thread.join(_STOP_S)
        if process is not None and process.poll() is None:
            process.kill()

    def _watch(self) -> None:
        wait_s = _FIRST_WAIT_S
        while not self._stopping.is_set():
            process = self._process = self._run()
            started = time.monotonic()
            code = process.wait()
            if self._stopping.is_set():
                return
            if time.monotonic() - started > _LONGEST_WAIT_S:
                wait_s = _FIRST_WAIT_S
            _log.warning("the console ended", extra={"exitCode": code, "againInS": wait_s})
            self._stopping.wait(wait_s)
            wait_s = min(wait_s * 2, _LONGEST_WAIT_S)

    def _run(self) -> subprocess.Popen[bytes]:
        number = self._listener.fileno()
        command = [sys.executable, "-m", "gatehouse", "console", "--listener", str(number)]
        # In a session of its own, or Ctrl+C would reach it before its parent knows.
        return subprocess.Popen(  # noqa: S603  # the program that runs already
            command,
            env=self._environ,
            pass_fds=[number],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )


@contextlib.contextmanager
def console_beside(settings: Settings, listener: socket.socket) -> Iterator[None]:
    """Run the console as long as the server runs."""
    child = ConsoleChild(settings, listener)
    child.start()
    try:
        yield
    finally:
        child.stop()


def _environment(settings: Settings) -> Mapping[str, str]:
    """The parent's environment, with the ports that were really taken."""
    return {
        **os.environ,
        f"{PREFIX}CONSOLE_PORT": str(settings.console_port),
        f"{PREFIX}CONSOLE_HOST": settings.console_host,
        f"{PREFIX}API_URL": settings.api_url or settings.base_url,
    }
