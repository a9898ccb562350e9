"""Starts the servers that are measured, and reads what they cost."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil

GATEHOUSE = [sys.executable, "-m", "gatehouse"]
_SETTLING_S = 5.0
_LOOK_S = 0.1
_RESTING_SHARE = 0.1
"""Of a core: one tick of the clock that counts processor time, within a look."""


@dataclass
class Server:
    """A server process under measurement."""

    port: int
    process: psutil.Process

    def cpu_s(self) -> float:
        """Processor time so far, of all its threads and of the processes that it started."""
        return self.own_cpu_s() + self.beside_cpu_s()

    def own_cpu_s(self) -> float:
        """That of the process itself."""
        return _cpu_s(self.process)

    def beside_cpu_s(self) -> float:
        """That of the processes that it started."""
        return sum(map(_cpu_s, self.process.children(recursive=True)))

    def cpu_at_rest_s(self) -> float:
        """The same once the work that requests left behind is done, or after some seconds."""
        spent, ends_at = self.cpu_s(), time.monotonic() + _SETTLING_S
        while time.monotonic() < ends_at:
            time.sleep(_LOOK_S)
            before, spent = spent, self.cpu_s()
            if spent - before <= _LOOK_S * _RESTING_SHARE:
                break
        return spent


def _cpu_s(process: psutil.Process) -> float:
    """Processor time of all threads of a process, and of its children that have ended."""
    with contextlib.suppress(psutil.NoSuchProcess):
        times = process.cpu_times()
        return float(times.user + times.system + times.children_user + times.children_system)
    return 0.0


@dataclass
class Shop:
    """A Gatehouse home with an account and a key without limits."""

    home: Path
    environment: dict[str, str]
    account_id: str
    key: str


def free_port() -> int:
    """A free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def make_shop(home: Path, **settings: str) -> Shop:
    """An empty home with one well-funded account."""
    environment = os.environ | {
        "GATEHOUSE_HOME": str(home),
        "GATEHOUSE_RATE_LIMIT_PER_SECOND": "0",
        **settings,
    }

    return _with_account(home, environment)


def second_account(shop: Shop) -> Shop:
    """The same home with another account that is as well-funded."""
    return _with_account(shop.home, shop.environment)


def _with_account(home: Path, environment: dict[str, str]) -> Shop:
    def command(*arguments: str) -> dict[str, str]:
        done = subprocess.run(
            [*GATEHOUSE, *arguments, "--json"], env=environment, check=True, capture_output=True
        )
        answer: dict[str, str] = json.loads(done.stdout)
        return answer

    account = command("accounts", "create", "Bench", "--balance", "1000000")["accountId"]
    key = command("keys", "issue", account)["key"]
    return Shop(home, environment, account, key)


@contextlib.contextmanager
def gatehouse_server(shop: Shop) -> Iterator[Server]:
    """The real server, with its logs going to a file as they would."""
    port = free_port()
    with (shop.home / "server.log").open("ab") as log:
        command = [*GATEHOUSE, "serve", "--port", str(port)]
        with running(command, port, shop.environment, log) as server:
            wait_for_memory(port)
            yield server


@contextlib.contextmanager
def bare_server() -> Iterator[Server]:
    """The yardstick."""
    port = free_port()
    command = [sys.executable, "-m", "scripts.bench.bare", str(port)]
    with running(command, port, dict(os.environ), subprocess.DEVNULL) as server:
        yield server


@contextlib.contextmanager
def running(
    command: list[str], port: int, environment: dict[str, str], log: object
) -> Iterator[Server]:
    """A server that listens on a port, until it is not needed any more."""
    process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)  # type: ignore[call-overload]  # a file or DEVNULL
    try:
        _wait_for(port)
        yield Server(port, psutil.Process(process.pid))
    finally:
        process.terminate()
        process.wait(30)


def _wait_for(port: int, seconds: float = 120) -> None:
    ends_at = time.monotonic() + seconds
    while time.monotonic() < ends_at:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.005)
    raise RuntimeError(f"no server on port {port}")


def first_answer_s(shop: Shop) -> float:
    """How long it takes from the start of the process until it says that it is ready."""
    port, started = free_port(), time.perf_counter()
    command = [*GATEHOUSE, "serve", "--port", str(port)]
    with running(command, port, shop.environment, subprocess.DEVNULL):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=30) as answer:
            answer.read()
        return time.perf_counter() - started


def wait_for_memory(port: int, seconds: float = 600) -> None:
    """Until everything that was recorded before is remembered again."""
    ends_at = time.monotonic() + seconds
    while time.monotonic() < ends_at:
        # A server on a busy machine says with 503 that it is not ready yet.
        with (
            contextlib.suppress(urllib.error.HTTPError),
            urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=10) as answer,
        ):
            if json.load(answer)["checks"]["memory"]:
                return
        time.sleep(0.1)
    raise RuntimeError(f"the server on port {port} does not remember")
