"""A load generator about as cheap as wrk: prebuilt requests over kept-alive connections."""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import cycle
from typing import cast

import uvloop


@dataclass
class Load:
    """What one round of load measured."""

    seconds: float = 0.0
    requests: int = 0
    failures: int = 0
    latencies_s: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Answered requests per second."""
        return self.requests / self.seconds

    def percentile_ms(self, share: float) -> float:
        """The latency that the given share of requests stays below."""
        ordered = sorted(self.latencies_s)
        return ordered[min(int(len(ordered) * share), len(ordered) - 1)] * 1000


class _Connection(asyncio.Protocol):
    """Sends the next request as soon as an answer is complete."""

    def __init__(self, requests: Iterator[bytes], load: Load, ends_at: float) -> None:
        self._requests = requests
        self._load = load
        self._ends_at = ends_at
        self._buffer = b""
        self._sent_at = 0.0
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is one in all but name
        self._send()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.done.done():
            self._load.failures += 1
            self.done.set_result(None)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head = self._buffer.find(b"\r\n\r\n")
        if head < 0:
            return
        start = self._buffer.find(b"content-length: ") + 16
        length = int(self._buffer[start : self._buffer.find(b"\r\n", start)])
        if len(self._buffer) < head + 4 + length:
            return
        now = time.perf_counter()
        self._load.latencies_s.append(now - self._sent_at)
        self._load.requests += 1
        if not self._buffer.startswith(b"HTTP/1.1 200") or b'"isSuccess":false' in self._buffer:
            self._load.failures += 1
        self._buffer = b""
        if now < self._ends_at:
            self._send()
        else:
            self.done.set_result(None)
            self._transport.close()

    def _send(self) -> None:
        self._sent_at = time.perf_counter()
        self._transport.write(next(self._requests))


async def _drive(port: int, requests: list[bytes], connections: int, seconds: float) -> Load:
    load = Load()
    loop = asyncio.get_running_loop()
    endless = cycle(requests)
    started = time.perf_counter()
    pairs = [
        await loop.create_connection(
            lambda: _Connection(endless, load, started + seconds), "127.0.0.1", port
        )
        for _ in range(connections)
    ]
    await asyncio.gather(*(connection.done for _, connection in pairs))
    load.seconds = time.perf_counter() - started
    return load


def drive(port: int, requests: list[bytes], *, connections: int, seconds: float) -> Load:
    """Load a server on this machine for some seconds."""
    return uvloop.run(_drive(port, requests, connections, seconds))


def post(path: str, body: bytes, headers: dict[str, str]) -> bytes:
    """A whole HTTP request, ready to be sent."""
    lines = [f"POST {path} HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
