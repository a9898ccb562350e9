"""Runs the command line in real processes without starting Python anew for each of them.

One process imports the program and loads its tables once, for all workers of a run; every command
and every server of the tests is a fork of it with arguments, folder, environment and files of its
own. So are the processes that a server starts: to them, `sys.executable` is a program that hands
itself over as well, and is the process that the server sees, signals and ends.
"""

import atexit
import contextlib
import fcntl
import functools
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.preloading import load, load_learning

# Numerical libraries start threads when they are loaded, and threads do not survive a fork.
SINGLE_THREADED = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}

# Commands that load packages which no other one needs, and which take seconds to load.
_LEARNS = [["sentry", "train"], ["sentry", "replay"]]

_PYTHON = "python"
_MOST_FILES = 8
_ABOVE_ALL = 256
"""No descriptor of the fork server has so high a number."""

_LAUNCHER = '''#!{python} -IS
"""Stands in for a program: hands itself over to the fork server of the tests."""
import os
import socket
import sys

# The module `signal` would take longer to load than all of this.
from _signal import SIG_DFL, SIGINT, SIGKILL, SIGTERM, signal

arguments, tied = sys.argv[1:], ""
if {is_python}:
    if arguments[:2] != ["-m", "gatehouse"] or "REAL_PYTHON" in os.environ:
        os.execv({python!r}, [{python!r}, *arguments])
    arguments, tied = arguments[2:], "tied"
files = [0, 1, 2]
if "--listener" in arguments:
    files.append(int(arguments[arguments.index("--listener") + 1]))
server = socket.socket(socket.AF_UNIX)
server.connect({learning!r} if arguments[:2] in {learns!r} else {address!r})
words = [tied, ",".join(map(str, files)), os.getcwd(), str(len(arguments)), *arguments]
words += [f"{{name}}={{value}}" for name, value in os.environ.items()]
data = os.fsencode("\\0".join(words))
socket.send_fds(server, [len(data).to_bytes(4, "big")], files)
server.sendall(data)
answers = server.makefile("rb")
pid = int(answers.readline())
for number in (SIGTERM, SIGINT):
    signal(number, lambda number, _: os.kill(pid, number))
code = int(answers.readline().split()[0])
if code < 0:
    if -code != SIGKILL:
        signal(-code, SIG_DFL)
    os.kill(os.getpid(), -code)
os._exit(code & 255)
'''


class Fork:
    """A command that runs in a fork, with the part of `Popen` that the tests use."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._answers = connection.makefile("rb")
        self.args = "gatehouse"
        self.returncode: int | None = None
        self.peak_bytes = 0
        self.pid = int(self._answers.readline())

    def poll(self) -> int | None:
        """The exit code, or None while it runs."""
        if self.returncode is None and select.select([self._connection], [], [], 0)[0]:
            self._finish()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, once it has ended."""
        if self.returncode is None:
            if not select.select([self._connection], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(self.args, timeout or 0)
            self._finish()
        assert self.returncode is not None
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def _finish(self) -> None:
        self.returncode, self.peak_bytes = map(int, self._answers.readline().split())
        self._answers.close()
        self._connection.close()


class ForkServer:
    """The process that forks, seen from the tests."""

    def __init__(self, address: str) -> None:
        self._address = address

    def start(
        self, arguments: Sequence[str], environ: Mapping[str, str], files: Sequence[int]
    ) -> Fork:
        """Begin a command with these descriptors as its input, output and errors."""
        words = ["", "0,1,2", os.getcwd(), str(len(arguments)), *arguments]
        words += [f"{name}={value}" for name, value in environ.items()]
        data = os.fsencode("\0".join(words))
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(self._address)
        socket.send_fds(connection, [len(data).to_bytes(4, "big")], list(files))
        connection.sendall(data)
        return Fork(connection)

    @property
    def launcher(self) -> str:
        """A command `gatehouse` for shells and pipes that runs in a fork, whoever calls it."""
        return str(Path(self._address).with_name("gatehouse"))


@functools.cache
def fork_server() -> ForkServer:
    """The fork server of this run; workers that are forked later have the same."""
    return ForkServer(_begin())


def _begin() -> str:
    """Start the process and return its address; whoever connects early waits until it is ready."""
    folder = tempfile.TemporaryDirectory(prefix="gatehouse-forks-")
    address, learning = (str(Path(folder.name) / name) for name in ("socket", "learning"))
    for name in ("gatehouse", _PYTHON):
        launcher = Path(folder.name) / name
        known = {"address": address, "learning": learning, "learns": _LEARNS}
        launcher.write_text(
            _LAUNCHER.format(python=sys.executable, is_python=name == _PYTHON, **known)
        )
        launcher.chmod(0o755)
    with socket.socket(socket.AF_UNIX) as usual, socket.socket(socket.AF_UNIX) as learned:
        for doorway, name in ((usual, address), (learned, learning)):
            doorway.bind(name)
            doorway.listen(64)
        numbers = [str(each.fileno()) for each in (usual, learned)]
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.forkserver", folder.name, *numbers],
            cwd=Path(__file__).resolve().parents[1],
            env=os.environ | SINGLE_THREADED,
            stdin=subprocess.PIPE,
            pass_fds=[int(each) for each in numbers],
        )

    def stop() -> None:
        """End the process; its forks are not its business."""
        process.kill()
        process.communicate()
        folder.cleanup()

    atexit.register(stop)
    return address


class _Parent:
    """The process that forks, seen from inside."""

    def __init__(self, listener: socket.socket, learning: socket.socket | None = None) -> None:
        self._listener = listener
        self._learning = learning
        self._running: dict[int, socket.socket] = {}
        self._tied: dict[socket.socket, int] = {}
        """Forks that end with those who asked for them, as a process does that is killed."""
        self._ends, wake = os.pipe()
        os.set_blocking(wake, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake)

    def serve(self) -> None:
        """Fork for everybody who connects, until the tests close the standard input."""
        while True:
            awaited: list[Any] = [self._listener, self._ends, 0, *self._tied]
            if self._learning is not None:
                awaited.append(self._learning)
            ready, _, _ = select.select(awaited, [], [])
            if 0 in ready:
                return
            if self._ends in ready:
                os.read(self._ends, 4096)
                self._report_ended()
            for connection in self._tied.keys() & set(ready):
                os.kill(self._tied.pop(connection), signal.SIGKILL)
            if self._listener in ready:
                self._fork()
            if self._learning in ready:
                self._fork_for_learning()

    def _fork(self) -> None:
        connection, _ = self._listener.accept()
        (tied, *words), files = _receive(connection)
        if not words:
            # It was killed before it could ask.
            connection.close()
            return
        pid = os.fork()
        if pid == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            self._close()
            connection.close()
            _become(words, files)
        for file in files:
            os.close(file)
        self._running[pid] = connection
        if tied:
            self._tied[connection] = pid
        with contextlib.suppress(OSError):
            connection.sendall(b"%d\n" % pid)

    def _fork_for_learning(self) -> None:
        """Let a fork that loads what learning needs do the same for those who need that."""
        listener, self._learning = self._learning, None
        assert listener is not None
        if os.fork() == 0:
            self._close()
            load_learning()
            _check_single_thread()
            _Parent(listener).serve()
            os._exit(0)
        listener.close()

    def _close(self) -> None:
        for one in (*self._running.values(), self._listener, self._learning):
            if one is not None:
                one.close()

    def _report_ended(self) -> None:
        for pid in list(self._running):
            ended, status, used = os.wait4(pid, os.WNOHANG)
            if ended:
                code = os.waitstatus_to_exitcode(status)
                peak = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
                with contextlib.suppress(OSError), self._running.pop(pid) as connection:
                    self._tied.pop(connection, None)
                    connection.sendall(b"%d %d\n" % (code, peak))


def _check_single_thread() -> None:
    assert threading.active_count() == 1, "only a process with one thread can fork"


def _receive(connection: socket.socket) -> tuple[list[str], list[int]]:
    head, files, _, _ = socket.recv_fds(connection, 4, _MOST_FILES)
    left = int.from_bytes(head, "big")
    parts = []
    while left:
        parts.append(connection.recv(left))
        left -= len(parts[-1])
    return os.fsdecode(b"".join(parts)).split("\0"), files


def _become(words: list[str], files: list[int]) -> None:
    """Run the command as if this process had been started for it; does not return."""
    targets, folder, count, *rest = words
    moved = [fcntl.fcntl(file, fcntl.F_DUPFD, _ABOVE_ALL) for file in files]
    for file in files:
        os.close(file)
    for target, file in zip(map(int, targets.split(",")), moved, strict=True):
        os.dup2(file, target)
        os.close(file)
    arguments, environ = rest[: int(count)], rest[int(count) :]
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(pair.partition("=")[::2] for pair in environ)
    time.tzset()
    # A test run that was begun in the background of a shell ignores the interrupt key.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.path[:0] = [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]
    sys.argv = ["gatehouse", *arguments]
    with _exit():
        from gatehouse.cli import main

        main()


@contextlib.contextmanager
def _exit() -> Iterator[None]:
    """End the process as Python does, apart from taking the whole program to pieces."""
    code: Any = 0
    try:
        yield
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
        code = 1
    if code is not None and not isinstance(code, int):
        sys.stderr.write(f"{code}\n")
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]  # what the end of Python calls as well
    atexit._run_exitfuncs()
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code or 0)


if __name__ == "__main__":
    # Before the program is imported, which keeps it.
    sys.executable = str(Path(sys.argv[1]) / _PYTHON)
    load()
    _check_single_thread()
    _Parent(*(socket.socket(fileno=int(number)) for number in sys.argv[2:])).serve()
