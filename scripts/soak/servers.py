"""The servers of a run: started, killed, paused and started again as a supervisor would."""

import contextlib
import http.client
import resource
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import psutil

from scripts.bench.servers import GATEHOUSE, free_port
from scripts.soak.processes import DisturbedProcess

_PATIENCE_S: Final = 90.0


class SoakServer(DisturbedProcess):
    """A server on a port that stays the same."""

    def __init__(self, name: str, home: Path, environment: dict[str, str]) -> None:
        self.name, self.port = name, free_port()
        self.log = home / f"{name}.log"
        self._environment = environment
        self.ended_by_itself = False

    def start(self) -> None:
        """Start the process; it may take some time until it is ready."""
        with self.log.open("ab") as log:
            command = [*GATEHOUSE, "serve", "--port", str(self.port)]
            self._process = subprocess.Popen(command, env=self._environment, stdout=log, stderr=log)

    def kill(self) -> None:
        """Kill it without warning, and note whether there was nothing left to kill."""
        self.ended_by_itself = self.ended_by_itself or self.has_ended()
        super().kill()

    def fill_log_volume(self) -> None:
        """Let no file of it grow any more, as on a full disk: a write fails with an error."""
        resource.prlimit(self._process.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))

    def empty_log_volume(self) -> None:
        """Let its files grow again."""
        whole = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
        resource.prlimit(self._process.pid, resource.RLIMIT_FSIZE, whole)

    def is_ready(self) -> bool:
        """Whether it says that it can serve."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=2)
        lost = contextlib.suppress(OSError, http.client.HTTPException)
        with lost, contextlib.closing(connection):
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        return False

    def defects(self) -> list[str]:
        """Lines of its log about requests that failed for no known reason."""
        lines = self.log.read_text(errors="replace").splitlines()
        return [line for line in lines if '"a defect"' in line]

    def has_ended(self) -> bool:
        """Whether the process ended by itself."""
        return self._process.poll() is not None

    def wait(self) -> None:
        """Until it is ready."""
        ends_at = time.monotonic() + _PATIENCE_S
        while not self.is_ready():
            if self.has_ended() or time.monotonic() > ends_at:
                raise SystemExit(f"{self.name} is not ready:\n{self.log.read_text()[-3000:]}")
            time.sleep(0.05)

    def resident_bytes(self) -> int:
        """Its memory."""
        return int(psutil.Process(self._process.pid).memory_info().rss)

    def stop(self) -> int:
        """Stop it in good order; its exit code."""
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(_PATIENCE_S)


@contextlib.contextmanager
def running(servers: list[SoakServer]) -> Iterator[None]:
    """Start all, wait until they are ready, and end them in any case."""
    try:
        for server in servers:
            server.start()
        for server in servers:
            server.wait()
        yield
    finally:
        for server in servers:
            with contextlib.suppress(Exception):
                server.kill()
