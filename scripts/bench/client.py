"""A load generator about as cheap as wrk: prebuilt requests over kept-alive connections."""

import asyncio
import re
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count, cycle
from typing import Final, cast

import uvloop

NUMBER_MARK: Final = b"##########"
"""Where a request holds this, it is sent with a number that never comes again."""

_NUMBERS: Final = count(1)
_TICK_S: Final = 0.001
_SETTLING_S: Final = 1.0
"""Until a server has accepted all connections, as it has those of a proxy."""
_FAILED: Final = re.compile(rb'"(isSuccess|completed)":false')
"""A stage that did not complete is cheaper than one that did."""


@dataclass
class Load:
    """What one round of load measured."""

    seconds: float = 0.0
    requests: int = 0
    failures: int = 0
    latencies_s: list[float] = field(default_factory=list)
    refused_s: list[float] = field(default_factory=list)
    """Of requests that a busy server refused, which count as failures as well."""

    @property
    def rate(self) -> float:
        """Answered requests per second."""
        return self.requests / self.seconds

    def percentile_ms(self, share: float) -> float:
        """The latency that the given share of requests stays below."""
        return percentile_ms(self.latencies_s, share)


def percentile_ms(times_s: list[float], share: float) -> float:
    """What the given share of some times stays below."""
    ordered = sorted(times_s)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)] * 1000 if ordered else 0.0


class _Connection(asyncio.Protocol):
    """Sends a request, notes how long its answer took, and asks what to do next."""

    def __init__(self, load: Load, when_free: Callable[["_Connection"], None]) -> None:
        self._load = load
        self._when_free = when_free
        self._buffer = b""
        self._due_at = 0.0
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is one in all but name
        self._when_free(self)

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
        refused = self._buffer.startswith(b"HTTP/1.1 503")
        times = self._load.refused_s if refused else self._load.latencies_s
        times.append(time.perf_counter() - self._due_at)
        self._load.requests += 1
        if not self._buffer.startswith(b"HTTP/1.1 200") or _FAILED.search(self._buffer):
            self._load.failures += 1
        self._buffer = b""
        self._when_free(self)

    def send(self, request: bytes, due_at: float) -> None:
        """Send a request that was due at a moment; its latency counts from then."""
        self._due_at = due_at
        self._transport.write(request)

    def end(self) -> None:
        """Send no more."""
        if not self.done.done():
            self.done.set_result(None)
        self._transport.close()


def _endless(requests: list[bytes]) -> Iterator[bytes]:
    for request in cycle(requests):
        yield request.replace(NUMBER_MARK, b"%010d" % next(_NUMBERS))


async def _connect(
    port: int, connections: int, load: Load, when_free: Callable[[_Connection], None]
) -> list[_Connection]:
    loop = asyncio.get_running_loop()
    pairs = [
        await loop.create_connection(lambda: _Connection(load, when_free), "127.0.0.1", port)
        for _ in range(connections)
    ]
    return [connection for _, connection in pairs]


async def _drive(port: int, requests: list[bytes], connections: int, seconds: float) -> Load:
    load, endless = Load(), _endless(requests)
    started = time.perf_counter()

    def next_one(connection: _Connection) -> None:
        now = time.perf_counter()
        if now < started + seconds:
            connection.send(next(endless), now)
        else:
            connection.end()

    opened = await _connect(port, connections, load, next_one)
    await asyncio.gather(*(connection.done for connection in opened))
    load.seconds = time.perf_counter() - started
    return load


async def _pace(
    port: int,
    requests: list[bytes],
    connections: int,
    plan: tuple[float, float],
    begins: Callable[[], None],
) -> Load:
    rate, seconds = plan
    load, endless = Load(), _endless(requests)
    free: deque[_Connection] = deque()
    opened = await _connect(port, connections, load, free.append)
    await asyncio.sleep(_SETTLING_S)
    begins()
    started, sent = time.perf_counter(), 0
    while (now := time.perf_counter()) < started + seconds:
        # A request without a free connection waits, and the wait counts.
        while free and (due_at := started + sent / rate) <= now:
            connection = free.popleft()
            if connection.done.done():
                continue  # closed by the server, because nothing was sent for long
            connection.send(next(endless), due_at)
            sent += 1
        await asyncio.sleep(_TICK_S)
    for _ in range(1000):
        if all(connection.done.done() or connection in free for connection in opened):
            break
        await asyncio.sleep(0.01)
    load.seconds = time.perf_counter() - started
    for connection in opened:
        connection.end()
    return load


def pace(
    port: int,
    requests: list[bytes],
    *,
    connections: int,
    rate: float,
    seconds: float,
    begins: Callable[[], None] = lambda: None,
) -> Load:
    """Load a server at a given rate, whether it keeps up or not.

    `begins` is called before the first request, when all connections were made.
    """
    return uvloop.run(_pace(port, requests, connections, (rate, seconds), begins))


def drive(port: int, requests: list[bytes], *, connections: int, seconds: float) -> Load:
    """Load a server on this machine for some seconds."""
    return uvloop.run(_drive(port, requests, connections, seconds))


def drive_together(
    sides: list[tuple[int, list[bytes]]], *, connections: int, seconds: float
) -> Load:
    """Load several servers at the same time, each with requests of its own: what they did in all.

    The requests of servers are numbered together.
    """

    async def drive_all() -> list[Load]:
        loads = [_drive(port, requests, connections, seconds) for port, requests in sides]
        return list(await asyncio.gather(*loads))

    total = Load()
    for load in uvloop.run(drive_all()):
        total.seconds = max(total.seconds, load.seconds)
        total.requests += load.requests
        total.failures += load.failures
        total.latencies_s += load.latencies_s
    return total


def post(path: str, body: bytes, headers: dict[str, str]) -> bytes:
    """A whole HTTP request, ready to be sent."""
    lines = [f"POST {path} HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
