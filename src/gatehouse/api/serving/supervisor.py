"""Runs several server processes on one port: starts them, starts them again, and stops them.

Each process listens on the port, and the system spreads new connections over those that do. If all
listened on one socket, the first to wake would take all connections that wait. A process that dies
is started again, the sooner the longer it had lived. One that outlives the supervisor would serve
unwatched, so each ends when the supervisor's end of a pipe is gone.
"""

import contextlib
import logging
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

_log: Final = logging.getLogger("gatehouse.supervisor")
_FIRST_WAIT_S: Final = 0.1
_LONGEST_WAIT_S: Final = 30.0
_STEADY_S: Final = 60.0
"""A process that lived so long is started again at once when it dies."""
_LOOK_S: Final = 1.0
_SOON_S: Final = 0.1


class WorkerPlan(NamedTuple):
    """How the processes are started."""

    workers: int
    command: Callable[[int], Sequence[str]]
    """The command line of a worker, by its number from 1."""
    environment: dict[str, str]


class _Worker:
    """One process, and when it may be started again."""

    def __init__(self, number: int, plan: WorkerPlan) -> None:
        self._number = number
        self._plan = plan
        self._process: subprocess.Popen[bytes] | None = None
        self._started = 0.0
        self._wait_s = _FIRST_WAIT_S
        self._due = 0.0

    @property
    def runs(self) -> bool:
        return self._process is not None

    def look(self) -> None:
        """Start the process, or notice that it has ended."""
        now = time.monotonic()
        if self._process is None:
            if now >= self._due:
                self._start(now)
            return
        code = self._process.poll()
        if code is None:
            return
        self._process = None
        if now - self._started > _STEADY_S:
            self._wait_s = _FIRST_WAIT_S
        self._try_again(now, "a worker ended", exitCode=code)

    def tell(self, sig: int) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(sig)

    def wait(self) -> int:
        return 0 if self._process is None else self._process.wait()

    def has_ended(self) -> bool:
        return self._process is None or self._process.poll() is not None

    def _start(self, now: float) -> None:
        try:
            # In a session of its own, or Ctrl+C would reach it a second time.
            self._process = subprocess.Popen(  # noqa: S603  # the program that runs already
                self._plan.command(self._number),
                env=self._plan.environment,
                stdin=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            # The machine has no memory or no processes left; the other workers go on.
            self._try_again(now, "a worker could not be started", reason=str(error))
            return
        self._started = now
        _log.info("a worker starts", extra={"number": self._number, "pid": self._process.pid})

    def _try_again(self, now: float, message: str, **about: object) -> None:
        """Say why the process does not run, and wait the longer the more often that happens."""
        self._due = now + self._wait_s
        _log.error(message, extra={"number": self._number, **about, "againInS": self._wait_s})
        self._wait_s = min(self._wait_s * 2, _LONGEST_WAIT_S)


class Supervisor:
    """Watches the workers until a signal comes."""

    def __init__(self, plan: WorkerPlan) -> None:
        self._workers = [_Worker(number, plan) for number in range(1, plan.workers + 1)]
        self._signals = 0
        self._woken, self._wake = socket.socketpair()

    def run(self) -> int:
        """Run the workers; returns 0 when all of them ended as they were told, or 1."""
        for end in (self._woken, self._wake):
            end.setblocking(False)
        signal.set_wakeup_fd(self._wake.fileno())
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for stops in (signal.SIGTERM, signal.SIGINT):
            signal.signal(stops, self._note_signal)
        while not self._signals:
            for worker in self._workers:
                worker.look()
            self._rest()
        return self._stop()

    def _note_signal(self, *_: object) -> None:
        self._signals += 1

    def _stop(self) -> int:
        """Pass every signal on, and wait until all have drained and ended."""
        told = 0
        while not all(worker.has_ended() for worker in self._workers):
            for _ in range(self._signals - told):
                for worker in self._workers:
                    worker.tell(signal.SIGTERM)
                told += 1
            self._rest()
        # One that had only begun to start ends by the signal itself.
        return int(any(worker.wait() not in (0, -signal.SIGTERM) for worker in self._workers))

    def _rest(self) -> None:
        """Wait until a signal comes or a process ends, or a little."""
        poll = select.poll()
        poll.register(self._woken, select.POLLIN)
        poll.poll((_LOOK_S if all(worker.runs for worker in self._workers) else _SOON_S) * 1000)
        with contextlib.suppress(BlockingIOError):
            self._woken.recv(4096)


def end_with_parent() -> None:
    """Stop this worker when its supervisor has ended, however that came about."""

    def watch() -> None:
        while os.read(sys.stdin.fileno(), 1024):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="gatehouse-parent", daemon=True).start()
