"""Shops that ask a reference host on this machine, over ISO 8583 and over HTTPS."""

import contextlib
import json
import os
import subprocess
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from scripts.bench.client import Load, drive
from scripts.bench.servers import GATEHOUSE, Shop, make_shop

MOST_TIMES: Final = {"iso8583": 2.0, "https": 2.5}
"""The server's processor time for PreCheck through each, as a multiple of the sandbox's."""
IN_FLIGHT: Final = 1000
CONNECTIONS: Final = 4
_TOKEN: Final = "token-of-a-measurement"
_SLOW_MS: Final = 10_000


@contextlib.contextmanager
def reference_host(*options: str) -> Iterator[dict[str, Any]]:
    """A host on free ports; what it says when it is ready."""
    command = [*GATEHOUSE, "reference-host", "--json", "--token", "env:HOST_TOKEN"]
    command += ["--iso8583-port", "0", "--http-port", "0", *options]
    environ = {**os.environ, "HOST_TOKEN": _TOKEN}
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            yield json.loads(process.stdout.readline())
        finally:
            process.terminate()


@contextlib.contextmanager
def connected_shop(home: Path, kind: str, *host_options: str) -> Iterator[Shop]:
    """A shop whose PreCheck asks a host through a connector of a kind."""
    options = (
        [*host_options, "--tls", "--tls-folder", f"{home}-tls"] if kind == "https" else host_options
    )
    with reference_host(*options) as said:
        shop = make_shop(
            home,
            GATEHOUSE_ISSUER="connectors",
            GATEHOUSE_PRECHECK_TIMEOUT_MS="30000",
            HOST_TOKEN=_TOKEN,
        )
        file = home / "connectors.yaml"
        file.write_text(_configuration(kind, said), encoding="utf-8")
        command = [*GATEHOUSE, "connectors", "apply", str(file)]
        subprocess.run(command, env=shop.environment, check=True, capture_output=True)
        yield shop


def _configuration(kind: str, said: dict[str, Any]) -> str:
    lines = ["connectors:", "  party:"]
    if kind == "iso8583":
        lines += [
            "    kind: iso8583",
            "    dialect: reference",
            f"    hosts: ['{said['iso8583']}']",
        ]
        lines.append(f"    connections: {CONNECTIONS}")
    else:
        lines += ["    kind: http", "    mapping: gatehouse", f"    base_url: {said['http']}"]
        lines += ["    secrets: {token: env:HOST_TOKEN}", f"    tls: {{ca_file: {said['caFile']}}}"]
        lines.append("    connections: 64")
    # A slow host is slow when it is signed on to as well.
    lines += [
        f"    in_flight: {IN_FLIGHT}",
        "    timeout_ms: 30000",
        "    connect_timeout_ms: 30000",
    ]
    return "\n".join([*lines, "routes: {precheck: [{use: [party]}]}"])


def slow_host_options() -> tuple[str, ...]:
    """Let every answer of a host be late by the same time."""
    return ("--misbehave", "slow=1", "--slow-ms", str(_SLOW_MS))


def drive_in_flight(port: int, requests: list[bytes]) -> tuple[Load, int]:
    """Many requests at once for a slow host; also how many of them waited for it at most."""
    most = 0
    is_over = threading.Event()

    def watch() -> None:
        nonlocal most
        while not is_over.wait(0.1):
            most = max(most, _state(port)["inFlight"])

    while _state(port)["connections"] < CONNECTIONS:
        time.sleep(0.1)
    watching = threading.Thread(target=watch)
    watching.start()
    load = drive(port, requests, connections=IN_FLIGHT, seconds=0.8 * _SLOW_MS / 1000)
    is_over.set()
    watching.join()
    return load, most


def _state(port: int) -> dict[str, int]:
    """How the connector of a server is."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=30) as answer:
        state: dict[str, int] = json.load(answer)["connectors"]["connectors"]["party"]
        return state
