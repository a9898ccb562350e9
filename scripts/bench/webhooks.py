"""PreCheck with webhooks that are told of every decision, beside PreCheck without any.

The receiver is another process. One webhook, of which everything is accepted, tells what a message
costs: the processor time is that of the server and of the process beside it. Three webhooks, of
which two in five messages are refused and sent again at once, tell whether requests feel it.
"""

import asyncio
import contextlib
import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from scripts.bench.client import pace
from scripts.bench.servers import GATEHOUSE, Server, Shop, free_port, gatehouse_server
from scripts.bench.subjects import SUBJECTS

RATE: Final = 150.0
"""Requests per second, so that messages are sent as fast as they are made."""
BAR: Final = 1.2
FAILING: Final = 3
"""Webhooks that fail; with two fifths refused, each decision makes five messages."""
FAILING_RATE: Final = 100.0
P99_BAR: Final = 1.2
AGAIN_AT_ONCE: Final = {"GATEHOUSE_WEBHOOK_RETRY_S": ",".join(["0"] * 60)}
_ANSWER: Final = b"HTTP/1.1 204 Accepted\r\ncontent-length: 0\r\n\r\n"
_REFUSAL: Final = b"HTTP/1.1 500 Failed\r\ncontent-length: 0\r\n\r\n"
_REFUSED: Final = frozenset({1, 3})
"""Of five messages to a path that fails."""


class _Receiver(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._buffer = b""
        self._messages = 0

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            start = self._buffer.find(b"content-length: ") + 16
            length = int(self._buffer[start : self._buffer.find(b"\r\n", start)])
            if len(self._buffer) < end + 4 + length:
                return
            fails = self._buffer.startswith(b"POST /fails")
            self._buffer = self._buffer[end + 4 + length :]
            self._messages += 1
            refused = fails and self._messages % 5 in _REFUSED
            self._transport.write(_REFUSAL if refused else _ANSWER)  # type: ignore[attr-defined]  # a Transport


async def _serve(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(_Receiver, "127.0.0.1", port)
    await server.serve_forever()


@contextlib.contextmanager
def receiver() -> Iterator[int]:
    """The port of a receiver in a process of its own."""
    port = free_port()
    process = subprocess.Popen([sys.executable, "-m", "scripts.bench.webhooks", str(port)])
    try:
        time.sleep(0.5)
        yield port
    finally:
        process.terminate()
        process.wait()


def subscribe(shop: Shop, port: int, path: str = "/") -> str:
    """Add a webhook that is told of every decision."""
    url = f"http://127.0.0.1:{port}{path}"
    told = ["webhooks", "create", url, "--event", "decision.made"]
    command = [*GATEHOUSE, *told, "--account", shop.account_id, "--json"]
    done = subprocess.run(command, env=shop.environment, check=True, capture_output=True)
    return str(json.loads(done.stdout)["id"])


class ToldRound(NamedTuple):
    """Some seconds of requests, and what was sent meanwhile."""

    p50_ms: float
    p99_ms: float
    server: float
    beside: float
    """Processors in use, 1 for a whole one."""
    messages: float
    """A second."""


def feel(
    folder: Path, rounds: int, seconds: float, **settings: str
) -> tuple[list[ToldRound], list[ToldRound]]:
    """Rounds on a server without webhooks and on one with failing ones, in turn."""
    [subject] = [each for each in SUBJECTS if each.key == "precheck"]
    shops = [
        subject.shop(folder / f"felt-{name}", **AGAIN_AT_ONCE, **settings)
        for name in ("without", "with")
    ]
    found: tuple[list[ToldRound], list[ToldRound]] = ([], [])
    with (
        receiver() as port,
        gatehouse_server(shops[0]) as without,
        gatehouse_server(shops[1]) as told,
    ):
        for number in range(FAILING):
            subscribe(shops[1], port, f"/fails/{number}")
        for turn in range(rounds + 1):
            for side, server in enumerate((without, told)):
                done = _round(server, subject.requests(shops[side].key), seconds)
                if turn:
                    found[side].append(done)
                server.cpu_at_rest_s()
    return found


def _round(server: Server, requests: list[bytes], seconds: float) -> ToldRound:
    before = server.own_cpu_s(), server.beside_cpu_s(), _sent(server)
    load = pace(server.port, requests, connections=16, rate=FAILING_RATE, seconds=seconds)
    if load.failures:
        raise SystemExit(f"{load.failures} of {load.requests} requests failed")
    after = server.own_cpu_s(), server.beside_cpu_s(), _sent(server)
    used = [(ends - began) / load.seconds for began, ends in zip(before, after, strict=True)]
    return ToldRound(load.percentile_ms(0.5), load.percentile_ms(0.99), *used)


def _sent(server: Server) -> float:
    """How many messages were sent, as the server shows it."""
    address = f"http://127.0.0.1:{server.port}/metrics"
    with urllib.request.urlopen(address, timeout=30) as answer:
        page = answer.read().decode()
    counts = [line for line in page.splitlines() if 'connector="webhooks"' in line]
    return sum(float(each.rpartition(" ")[2]) for each in counts if "_calls_total" in each)


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1])))
