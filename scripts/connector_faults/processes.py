"""The processes of a run: two reference hosts, of which one is restarted, and the server."""

import contextlib
import json
import os
import signal
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Final, Protocol

import httpx

from scripts.bench.servers import free_port

PATIENCE_S: Final = 120.0
TOKEN: Final = "token-of-a-trial"
NOTICE_KEY: Final = "key-of-notifications-of-a-trial"
FAULTS: Final = (
    "slow=0.02,silent=0.02,garbage=0.01,half=0.01,duplicate=0.02,wrong-stan=0.01,reset=0.01"
)
"""A tenth of all answers."""
SLOW_MS: Final = 900


class Process(Protocol):
    """A process that was started."""

    pid: int

    def poll(self) -> int | None:
        """Its exit code, if it has ended."""

    def send_signal(self, number: int, /) -> None:
        """Send it a signal."""

    def wait(self, timeout: float | None = None, /) -> int:
        """Wait for its end."""


class Commands:
    """Runs the command line."""

    def start(self, words: list[str], environ: dict[str, str], out: IO[bytes]) -> Process:
        """A process that goes on by itself."""
        return subprocess.Popen(_command(words), env=environ, stdout=out, stderr=out)

    def run(self, words: list[str], environ: dict[str, str]) -> Any:
        """What a command prints as JSON."""
        done = subprocess.run(
            [*_command(words), "--json"], env=environ, capture_output=True, check=False
        )
        if done.returncode:
            raise SystemExit(f"gatehouse {' '.join(words)}: {done.stderr.decode()}")
        return json.loads(done.stdout)


def _command(words: list[str]) -> list[str]:
    return [sys.executable, "-m", "gatehouse", *words]


class Host:
    """A reference host with TLS, a journal and ports that stay the same."""

    def __init__(self, name: str, dialect: str, folder: Path, commands: Commands) -> None:
        self.name, self.dialect = name, dialect
        self.folder = folder / name
        self.folder.mkdir()
        self.journal = self.folder / "journal.jsonl"
        self.iso8583_port, self.http_port = free_port(), free_port()
        self._commands = commands
        self._process: Process | None = None
        self.misbehaves = True

    @property
    def ca_file(self) -> Path:
        """Whom its callers must trust."""
        return self.folder / "tls" / "ca.pem"

    def start(self) -> None:
        """Start it, going on with its journal, and wait until it serves."""
        words = ["reference-host", "--json", "--token", "env:HOST_TOKEN", "--dialect", self.dialect]
        words += ["--iso8583-port", str(self.iso8583_port), "--http-port", str(self.http_port)]
        words += ["--tls", "--tls-folder", str(self.folder / "tls")]
        words += ["--journal", str(self.journal), "--resume"]
        if self.misbehaves:
            words += ["--misbehave", FAULTS, "--slow-ms", str(SLOW_MS)]
        output = self.folder / "output"
        with output.open("wb") as out:
            environ = {**os.environ, "HOST_TOKEN": TOKEN}
            self._process = self._commands.start(words, environ, out)
        wait_for(lambda: output.read_bytes().endswith(b"}\n"), f"host {self.name}")

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End it."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(PATIENCE_S)
            self._process = None

    def misbehave(self, shares: dict[str, float]) -> None:
        """From now on let these shares of the answers go wrong; none: nothing."""
        self._ask("PUT", "misbehaviour", {"shares": shares, "slowMs": SLOW_MS})

    def notify(self, port: int, path: str) -> None:
        """From now on tell a server what became of payments."""
        url = f"http://127.0.0.1:{port}{path}"
        self._ask("PUT", "notifications", {"url": url, "key": NOTICE_KEY})

    def notices(self) -> int:
        """How many notifications were not taken so far."""
        return int(self._ask("GET", "notifications", None)["waiting"])

    def _ask(self, method: str, path: str, given: dict[str, Any] | None) -> Any:
        trusted = ssl.create_default_context(cafile=str(self.ca_file))
        with httpx.Client(verify=trusted, headers={"Authorization": f"Bearer {TOKEN}"}) as client:
            url = f"https://127.0.0.1:{self.http_port}/v1/{path}"
            return client.request(method, url, json=given).raise_for_status().json()

    def behave(self) -> None:
        """From now on nothing goes wrong."""
        self.misbehaves = False
        self.misbehave({})


class Server:
    """The server under test, and what it says about itself."""

    def __init__(self, environ: dict[str, str], folder: Path, commands: Commands) -> None:
        self.port = free_port()
        self.log = folder / "server.log"
        with self.log.open("wb") as out:
            self._process = commands.start(["serve", "--port", str(self.port)], environ, out)
        wait_for(self._is_ready, "the server")

    def _is_ready(self) -> bool:
        if self._process.poll() is not None:
            raise SystemExit(f"the server ended: {self.log.read_text()[-2000:]}")
        with contextlib.suppress(httpx.TransportError):
            found = httpx.get(f"http://127.0.0.1:{self.port}/readyz").json()
            states = found["connectors"]["connectors"].values()
            return bool(states) and all(each["state"] == "up" for each in states)
        return False

    def figures(self) -> dict[str, float]:
        """Its metrics, those with labels under the name and the labels."""
        page = httpx.get(f"http://127.0.0.1:{self.port}/metrics", timeout=PATIENCE_S).text
        lines = [line.rpartition(" ") for line in page.splitlines() if not line.startswith("#")]
        return {name: float(value) for name, _, value in lines}

    def durations_ms(self) -> dict[str, float]:
        """How long it took over each request, by the id, from its own log."""
        found = {}
        for line in self.log.read_bytes().splitlines():
            if b'"logger":"gatehouse.request"' in line:
                entry = json.loads(line)
                found[entry["requestId"]] = entry["durationMs"]
        return found

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        """End it; its exit code."""
        self._process.send_signal(how)
        return self._process.wait(PATIENCE_S)


def wait_for(holds: Any, what: str) -> None:
    """Wait until something holds."""
    ends_at = time.monotonic() + PATIENCE_S
    while not holds():
        if time.monotonic() > ends_at:
            raise SystemExit(f"waited in vain for {what}")
        time.sleep(0.02)


@contextlib.contextmanager
def running_hosts(folder: Path, commands: Commands) -> Iterator[tuple[Host, Host]]:
    """A host for the first choice of every route, and one behind it."""
    hosts = (
        Host("first", "reference", folder, commands),
        Host("second", "base-one", folder, commands),
    )
    try:
        for host in hosts:
            host.start()
        yield hosts
    finally:
        for host in hosts:
            host.stop()
