"""Runs tests in forks of one process that has collected them: `pytest --workers 4`.

To collect all tests takes as long as a thousand small ones, so workers that did it each for
themselves would lose a minute. A worker asks for the tests of another file when it has run those
that it had, so that none is idle while there is anything left to do.
"""

import contextlib
import os
import signal
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Final

import pytest

from tests.forkserver import SINGLE_THREADED
from tests.order import Batch, in_batches, take

# Before any test file is imported, and with it a library that starts threads.
os.environ.update(SINGLE_THREADED)

_GRACE_S: Final = 30
"""How long workers that are told to stop may clear away what their tests have started."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Say in how many processes tests are run."""
    parser.addoption("--workers", type=int, default=1, help="processes that run tests")


def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Run the tests in workers, if there are to be any and the tests could be collected."""
    options = session.config.option
    if options.workers < 2 or options.collectonly or options.usepdb or session.testsfailed:
        return None
    assert threading.active_count() == 1, "only a process with one thread can fork"
    _Workers(session, in_batches(session.items)).run(options.workers)
    return True


class _Worker:
    """A process that runs tests, seen from the one that collected them."""

    def __init__(self, pid: int, connection: Connection) -> None:
        self.pid = pid
        self.connection = connection
        self.given: deque[int] = deque()
        """The tests that it has not reported; it runs them in this order."""
        self.holds: set[str] = set()
        """What its tests have started and share."""


class _Workers:
    """All workers of a run, and the tests that none of them has yet."""

    def __init__(self, session: pytest.Session, left: list[Batch]) -> None:
        self._session = session
        self._left = left
        self._running: dict[Connection, _Worker] = {}
        self._begun = 0
        # Workers have folders in it.
        _paths(session.config).getbasetemp()

    def run(self, count: int) -> None:
        """Run all tests."""
        try:
            for _ in range(count):
                self._begin()
            while self._running:
                for ready in wait(list(self._running)):
                    assert isinstance(ready, Connection)
                    self._hear(self._running[ready])
        finally:
            self._stop()

    def _begin(self) -> None:
        number, self._begun = self._begun, self._begun + 1
        ours, theirs = Pipe()
        pid = os.fork()
        if pid == 0:
            for connection in (ours, *self._running):
                connection.close()
            _become_worker(self._session, number, theirs)
        theirs.close()
        self._running[ours] = _Worker(pid, ours)

    def _hear(self, worker: _Worker) -> None:
        """Take what a worker reports, or give it more tests."""
        try:
            reports = worker.connection.recv()
        except (EOFError, ConnectionError):
            self._bury(worker)
            return
        if reports:
            self._report(worker.given.popleft(), reports)
            return
        if self._left:
            others = {name for other in self._running.values() for name in other.holds}
            batch = take(self._left, worker.holds, others)
            worker.given.extend(batch.tests)
            worker.holds |= batch.shares
            worker.connection.send(batch.tests)
        else:
            worker.connection.send(())

    def _report(self, test: int, reports: Iterable[dict[str, Any]]) -> None:
        """Tell the terminal and all other plugins, as if the test had been run in this process."""
        item, config = self._session.items[test], self._session.config
        config.hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for data in reports:
            report = config.hook.pytest_report_from_serializable(config=config, data=data)
            config.hook.pytest_runtest_logreport(report=report)
        config.hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        if self._session.shouldfail:
            raise self._session.Failed(self._session.shouldfail)
        if self._session.shouldstop:
            raise self._session.Interrupted(self._session.shouldstop)

    def _bury(self, worker: _Worker) -> None:
        """Let a test fail that ended its worker, and another worker run the others."""
        del self._running[worker.connection]
        worker.connection.close()
        _, status = os.waitpid(worker.pid, 0)
        code = os.waitstatus_to_exitcode(status)
        if not worker.given:
            assert code == 0, f"a worker that had run its tests ended with {code}"
            return
        item = self._session.items[worker.given.popleft()]
        if worker.given:
            self._left.insert(0, Batch(tuple(worker.given), frozenset()))
        self._begin()
        report = pytest.TestReport(
            nodeid=item.nodeid,
            location=item.location,
            keywords={},
            outcome="failed",
            longrepr=f"its process ended with {code}",
            when="call",
        )
        self._session.config.hook.pytest_runtest_logreport(report=report)

    def _stop(self) -> None:
        """End workers that are still running, because a test failed or somebody interrupted."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            for worker in self._running.values():
                os.kill(worker.pid, number)
            ends_at = time.monotonic() + _GRACE_S
            while self._running and time.monotonic() < ends_at:
                for connection, worker in list(self._running.items()):
                    if os.waitpid(worker.pid, os.WNOHANG)[0]:
                        del self._running[connection]
                time.sleep(0.02)


class _Next:
    """The test that a worker runs after another one; what both need stays when that one ends.

    Which one it is, it asks only then: a worker that asked earlier would keep others from it.
    """

    def __init__(
        self, items: list[pytest.Item], known: deque[int], ask: Callable[[], Iterable[int]]
    ) -> None:
        self._items = items
        self._known = known
        self._ask = ask
        self._is_asked = False

    def listchain(self) -> list[Any]:
        """The test with all that it is in, or nothing when there is no other test."""
        if not self._known and not self._is_asked:
            self._is_asked = True
            self._known.extend(self._ask())
        return self._items[self._known[0]].listchain() if self._known else []


class _Reporting:
    """Sends the reports of each test together; a message each would take as long as the test."""

    def __init__(self, config: pytest.Config, connection: Connection) -> None:
        self._config = config
        self._connection = connection
        self._reports: list[dict[str, Any]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a part of a test: that it was set up, called or cleared away."""
        self._reports.append(
            self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        )

    def pytest_runtest_logfinish(self) -> None:
        """Send what was noted of a test."""
        self._connection.send(self._reports)
        self._reports = []


def _become_worker(session: pytest.Session, number: int, connection: Connection) -> None:
    """Run tests until there are no more, and end the process."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    code = 1
    try:
        _separate(session.config, number)
        session.config.pluginmanager.register(_Reporting(session.config, connection))
        _run(session, connection)
        code = 0
    except KeyboardInterrupt:
        pass
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(BaseException):
            session._setupstate.teardown_exact(None)
            threading._shutdown()  # type: ignore[attr-defined]  # as at the end of Python
        # Without what the other process has registered for its end: that is not for its forks.
        os._exit(code)


def _separate(config: pytest.Config, number: int) -> None:
    """Give a worker output and folders of its own; only the first process writes to a terminal."""
    plugins = config.pluginmanager
    plugins.unregister(name="terminalreporter")
    capture = plugins.getplugin("capturemanager")
    assert capture is not None
    if capture.is_globally_capturing():
        capture.stop_global_capturing()
        capture.start_global_capturing()
    paths = _paths(config)
    folder: Path = paths.getbasetemp() / f"worker-{number}"
    folder.mkdir(mode=0o700)
    paths._basetemp = folder


def _run(session: pytest.Session, connection: Connection) -> None:
    """Run the tests that the other process names."""

    def ask() -> Iterable[int]:
        connection.send(())
        tests: Iterable[int] = connection.recv()
        return tests

    known = deque(ask())
    while known:
        item = session.items[known.popleft()]
        following: Any = _Next(session.items, known, ask)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        # Nobody has looked at it if the test could not be cleared away.
        following.listchain()


def _paths(config: pytest.Config) -> Any:
    return config._tmp_path_factory  # type: ignore[attr-defined]  # what makes `tmp_path`
