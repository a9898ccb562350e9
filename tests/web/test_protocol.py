"""The protocol of a connection: what it takes of requests, and that it ends as that does."""

import asyncio
import gc
import json
import logging
import socket
import struct
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, suppress
from typing import Any

import msgspec
import pytest
import uvicorn
import uvloop
from uvicorn.server import ServerState

from gatehouse.api.logs import ThrottledLog
from gatehouse.api.serving.connection_limits import Limits
from gatehouse.api.serving.protocol import FrontProtocol
from gatehouse.api.serving.refusals import ShedAnswers
from gatehouse.settings.settings import Settings
from tests.harness import BODY, PATIENCE_S, Home
from tests.harness.service import serving
from tests.resilience.wire import answers, chunked, request

GOOD = json.dumps(BODY).encode()
JSON = {"Content-Type": "application/json"}
CHUNKED = JSON | {"Transfer-Encoding": "chunked"}
LIMITS = Limits.of(Settings())
NO_TIME_LIMITS = dict.fromkeys(("header_timeout_s", "body_timeout_s", "write_timeout_s"), 3600)
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Echo:
    """An application that keeps what it was asked, and answers with as many bytes as it is told."""

    def __init__(self, size: int = 2) -> None:
        self.asked: list[tuple[str, dict[bytes, bytes]]] = []
        self._body = b"x" * size

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        while (message := await receive()).get("more_body"):
            pass
        if message["type"] == "http.disconnect":
            return
        self.asked.append((scope["path"], dict(scope["headers"])))
        length = str(len(self._body)).encode()
        head = {"status": 200, "headers": [(b"content-length", length)]}
        await send({"type": "http.response.start", **head})
        await send({"type": "http.response.body", "body": self._body})


class Narrow(FrontProtocol):
    """The protocol with little room for answers that are not read."""

    # As in the protocol itself, the transport is narrower than asyncio's.
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        transport.set_write_buffer_limits(high=256)
        super().connection_made(transport)


class Front:
    """Connections to an application, and which of their protocols still exist."""

    def __init__(self, application: Any, limits: Limits) -> None:
        self._limits = limits
        self._config = uvicorn.Config(
            application, log_config=None, lifespan="off", timeout_keep_alive=3600
        )
        self._state = ServerState()
        self.made: list[weakref.ref[FrontProtocol]] = []
        self.port = 0

    def make(self) -> FrontProtocol:
        log = logging.getLogger("gatehouse.web")
        refusals = ThrottledLog(log), ShedAnswers(log)
        made = Narrow(self._limits, refusals, self._config, self._state, {})
        self.made.append(weakref.ref(made))
        return made

    @property
    def alive(self) -> int:
        return sum(one() is not None for one in self.made)

    @property
    def stuck(self) -> int:
        """How many connections wait for callers that do not read."""
        found = (one() for one in self.made)
        return sum(one is not None and one.flow.write_paused for one in found)

    async def connect(self) -> Streams:
        return await asyncio.open_connection("127.0.0.1", self.port)

    async def send(self, data: bytes) -> bytes:
        """Everything that comes back until the server ends the connection."""
        reader, writer = await self.connect()
        writer.write(data)
        received = b""
        async with asyncio.timeout(PATIENCE_S):
            with suppress(ConnectionResetError):
                while part := await reader.read(65536):
                    received += part
        writer.close()
        return received


@asynccontextmanager
async def listening(application: Any, **limits: Any) -> AsyncIterator[Front]:
    front = Front(application, msgspec.structs.replace(LIMITS, **limits))
    listener = socket.create_server(("127.0.0.1", 0))
    # Connections inherit this; what the kernel keeps for callers that do not read is little then.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    server = await asyncio.get_running_loop().create_server(front.make, sock=listener)
    front.port = listener.getsockname()[1]
    async with server:
        yield front


def run(scenario: Callable[[], Awaitable[None]]) -> None:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(scenario())  # type: ignore[arg-type]


async def becomes(ask: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not ask():  # noqa: ASYNC110  # a weak reference tells nobody when it dies
            await asyncio.sleep(0.01)


@pytest.fixture
def _no_collector() -> Iterator[None]:
    """Only references keep objects then, as they do in a server that seldom collects."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def _refusals(caplog: pytest.LogCaptureFixture) -> list[str]:
    """The codes of the connections that were refused, as the log has them."""
    lines = [record.__dict__ for record in caplog.records]
    return [line["code"] for line in lines if line["message"] == "a connection was refused"]


def test_trailers_are_not_headers() -> None:
    async def scenario() -> None:
        echo = Echo()
        trailers = b"X-API-KEY: k\r\nX-Forwarded-For: 203.0.113.9\r\nExpect: 100-continue\r\n\r\n"
        body = chunked(b"{}")[:-2] + trailers
        async with listening(echo) as front:
            (answer,) = answers(await front.send(request(None, CHUNKED) + body))
        assert answer.status == 200
        [(_, headers)] = echo.asked
        assert sorted(headers) == [b"connection", b"content-type", b"host", b"transfer-encoding"]

    run(scenario)


@pytest.mark.parametrize(
    "flood",
    [
        b"".join(b"X-%d: 1\r\n" % number for number in range(200)),
        b"X: " + b"1" * 400_000,
        b"X" * 400_000,
    ],
    ids=["many trailers", "a long trailer", "a long name"],
)
def test_trailers_beyond_the_limits_of_a_head_are_refused(
    flood: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario() -> None:
        async with listening(Echo()) as front:
            begun = request(None, CHUNKED, close=False) + chunked(b"{}")[:-2]
            await front.send(begun + flood)

    run(scenario)
    assert _refusals(caplog) == ["headers_too_large"]


def test_extensions_of_chunks_without_an_end_are_refused(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def scenario() -> None:
        async with listening(Echo()) as front:
            await front.send(request(None, CHUNKED, close=False) + b"1;" + b"x" * 400_000)

    run(scenario)
    assert _refusals(caplog) == ["headers_too_large"]


def test_a_refusal_within_a_second_request_comes_after_the_first_answer() -> None:
    async def scenario() -> None:
        echo = Echo()
        async with listening(echo, body_timeout_s=0.1) as front:
            first = request(GOOD, JSON, path=b"/first", close=False)
            second = request(None, CHUNKED, path=b"/second", close=False) + b"zz\r\n"
            reader, writer = await front.connect()
            writer.write(first + second)
            async with asyncio.timeout(PATIENCE_S):
                head = await reader.readuntil(b"\r\n\r\n")
            writer.close()
        assert head.startswith(b"HTTP/1.1 200")
        assert [path for path, _ in echo.asked][:1] == ["/first"]

    run(scenario)


def test_a_broken_body_after_its_answer_gets_no_second_answer() -> None:
    async def scenario() -> None:
        async def answer_at_once(_scope: Any, _receive: Any, send: Any) -> None:
            head = {"status": 401, "headers": [(b"content-length", b"0")]}
            await send({"type": "http.response.start", **head})
            await send({"type": "http.response.body"})

        async with listening(answer_at_once) as front:
            reader, writer = await front.connect()
            writer.write(request(None, CHUNKED, close=False))
            async with asyncio.timeout(PATIENCE_S):
                head = await reader.readuntil(b"\r\n\r\n")
                writer.write(b"zz\r\n")
                rest = await reader.read()
            writer.close()
        assert head.startswith(b"HTTP/1.1 401")
        assert rest == b""

    run(scenario)


def test_a_header_with_a_line_break_is_not_sent(caplog: pytest.LogCaptureFixture) -> None:
    async def split(_scope: Any, _receive: Any, send: Any) -> None:
        head = {"status": 200, "headers": [(b"content-length", b"0"), (b"x-a", b"1\r\nx-b: 2")]}
        await send({"type": "http.response.start", **head})
        await send({"type": "http.response.body"})

    async def scenario() -> None:
        async with listening(split) as front:
            answer = await front.send(request(GOOD, JSON))
        assert answer.startswith(b"HTTP/1.1 500")
        assert b"x-b" not in answer

    run(scenario)
    assert "a header has a line break" in caplog.text


def test_an_idle_connection_is_closed_and_one_in_use_is_not() -> None:
    async def scenario() -> None:
        async with listening(Echo()) as front:
            reader, writer = await front.connect()
            async with asyncio.timeout(PATIENCE_S):
                for idle_s in (3600, 0):
                    writer.write(request(GOOD, JSON, close=False))
                    assert (await reader.readuntil(b"xx")).startswith(b"HTTP/1.1 200")
                    made = front.made[0]()
                    assert made is not None
                    made.timeout_keep_alive = idle_s
                    made._check_idle()
                assert await reader.read() == b""
            writer.close()

    run(scenario)


def test_requests_that_wait_on_one_connection_are_few() -> None:
    async def scenario() -> None:
        echo = Echo()
        one = request(method=b"GET", path=b"/", close=False)
        async with listening(echo) as front:
            received = answers(await front.send(one * 3000))
        assert {answer.status for answer in received} == {200}
        assert 10 < len(received) < 100
        assert received[-1].headers["connection"] == "close"
        assert len(echo.asked) == len(received)

    run(scenario)


def test_an_offer_to_upgrade_is_answered_and_ends_the_connection() -> None:
    async def scenario() -> None:
        echo = Echo()
        offer = JSON | {"Connection": "Upgrade, HTTP2-Settings", "Upgrade": "h2c"}
        for one in (
            request(GOOD, offer, path=b"/offer", close=False),
            request(None, offer | CHUNKED, path=b"/offer", close=False) + chunked(GOOD),
        ):
            echo.asked.clear()
            async with listening(echo) as front:
                received = answers(await front.send(one * 300))
            assert [answer.status for answer in received] == [200]
            assert received[0].headers["connection"] == "close"
            [(_, headers)] = echo.asked
            assert b"upgrade" not in headers

    run(scenario)


def test_a_caller_that_never_reads_is_dropped(caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        async with listening(Echo(8_000_000), write_timeout_s=0.05) as front:
            for ending in (True, False):
                with socket.create_connection(("127.0.0.1", front.port)) as deaf:
                    deaf.sendall(request(method=b"GET", path=b"/", close=ending) * 9)
                    await becomes(lambda: front.alive == 1)
                    await becomes(lambda: front.alive == 0)

    run(scenario)
    assert {record.message for record in caplog.records} == {"an answer was not read in time"}


@pytest.mark.parametrize("known", [True, False], ids=["with a key", "without a key"])
def test_callers_that_never_read_keep_nobody_from_being_served(
    sqlite_home: Home, known: bool
) -> None:
    sqlite_home.settings["GATEHOUSE_MAX_IN_FLIGHT"] = "2"
    key = JSON | {"X-API-KEY": sqlite_home.key(sqlite_home.account())}
    path = b"/api/v1/pipelines" if known else b"/openapi.json"
    flood = request(None, key if known else {}, method=b"GET", path=path, close=False) * 30

    async def scenario() -> None:
        async with (
            serving(sqlite_home) as service,
            listening(service.application, write_timeout_s=3600) as front,
        ):
            with ExitStack() as callers:
                for _ in range(6):
                    deaf = callers.enter_context(socket.socket())
                    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                    deaf.connect(("127.0.0.1", front.port))
                    deaf.sendall(flood)
                await becomes(lambda: front.stuck == 6 and not service._in_flight.taken)
                honest = await front.send(request(GOOD, key))
        assert answers(honest)[0].status == 200

    run(scenario)


def test_slow_bodies_keep_nobody_from_being_served(sqlite_home: Home) -> None:
    sqlite_home.settings |= {"GATEHOUSE_MAX_IN_FLIGHT": "2", "GATEHOUSE_BODY_TIMEOUT_MS": "600000"}
    key = JSON | {"X-API-KEY": sqlite_home.key(sqlite_home.account())}

    async def scenario() -> None:
        async with serving(sqlite_home) as service, listening(service.application) as front:
            slow = [await front.connect() for _ in range(6)]
            for reader, writer in slow:
                waiting = request(GOOD, key | {"Expect": "100-continue"})
                writer.write(waiting[: -len(GOOD)])
                # This comes when the caller is known and its body is read.
                await reader.readuntil(b"100 Continue\r\n\r\n")
            honest = await front.send(request(GOOD, key))
            for _, writer in slow:
                writer.close()
        assert answers(honest)[0].status == 200

    run(scenario)


@pytest.mark.usefixtures("_no_collector")
def test_a_request_leaves_nothing_to_the_collector(sqlite_home: Home) -> None:
    key = JSON | {"X-API-KEY": sqlite_home.key(sqlite_home.account())}

    async def scenario() -> None:
        async with serving(sqlite_home) as service, listening(service.application) as front:
            reader, writer = await front.connect()

            async def ask(times: int) -> None:
                for _ in range(times):
                    writer.write(request(None, key, method=b"GET", path=b"/healthz", close=False))
                    await reader.readuntil(b"}")

            # What a server makes ready beside its first requests leaves garbage, once.
            await becomes(lambda: service.memory.rebuilt)
            await ask(5)
            gc.collect()
            await ask(200)
            writer.close()
            assert gc.collect() < 200

    run(scenario)


def test_a_caller_beyond_the_most_connections_is_told_to_come_back(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def scenario() -> None:
        async with listening(Echo(), connections=3) as front:
            held = [await front.connect() for _ in range(3)]
            await becomes(lambda: front.alive == 3)
            received = [await front.send(b"") for _ in range(20)]
            for _, writer in held:
                writer.close()
            await becomes(lambda: front.alive == 0)
            served = await front.send(request(method=b"GET", path=b"/"))
        for each in received:
            (answer,) = answers(each)
            assert answer.code == "overloaded"
            assert answer.headers["retry-after"] == "1"
        assert answers(served)[0].status == 200

    run(scenario)
    assert set(_refusals(caplog)) == {"overloaded"}
    assert {record.__dict__["address"] for record in caplog.records} == {"127.0.0.1"}


def _beginnings(key: str) -> dict[str, bytes]:
    """Ways to begin on a connection."""
    known = JSON | {"X-API-KEY": key}
    pieces = known | CHUNKED
    good = request(GOOD, known, close=False)
    trailing = request(None, pieces, close=False) + chunked(GOOD)[:-2]
    offer = {"Connection": "Upgrade", "Upgrade": "h2c"}
    return {
        "nothing": b"",
        "half a head": b"POST / HTTP/1.1\r\nHost: t\r\nX-Long: " + b"x" * 9000,
        "half a body": good[:-9],
        "a body without a key": request(GOOD, JSON, close=False)[:-9],
        "half a trailer": trailing + b"X-T: 1\r\nX",
        "trailers": trailing + b"X-T: 1\r\n\r\n",
        "too many trailers": trailing + b"X-T: 1\r\n" * 3000,
        "a request": good,
        "requests at once": good * 5,
        "too many requests at once": good * 200,
        "a request and half of one": good * 2 + b"POST / HT",
        "an offer": request(GOOD, known | offer, close=False),
        "half an offer": request(GOOD, known | offer, close=False)[:-9],
        "garbage": b"\x00garbage\r\n\r\n",
        "a request and garbage": good + b"\x00garbage\r\n\r\n",
        "broken pieces": request(None, pieces, close=False) + b"zz\r\n",
    }


@pytest.mark.usefixtures("_no_collector")
@pytest.mark.parametrize("reset", [True, False], ids=["reset", "closed"])
def test_no_protocol_outlives_its_connection(sqlite_home: Home, reset: bool) -> None:
    key = sqlite_home.key(sqlite_home.account())

    async def drop(front: Front, beginning: bytes) -> None:
        made = [socket.create_connection(("127.0.0.1", front.port)) for _ in range(5)]
        for connection in made:
            connection.sendall(beginning)
        await becomes(lambda: len(front.made) == 5)
        for connection in made:
            if reset:
                at_once = struct.pack("ii", 1, 0)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
            connection.close()
        await becomes(lambda: front.alive == 0)

    async def scenario() -> None:
        async with serving(sqlite_home) as service:
            gc.disable()
            for name, beginning in _beginnings(key).items():
                async with listening(service.application, **NO_TIME_LIMITS) as front:
                    try:
                        await drop(front, beginning)
                    except TimeoutError:
                        pytest.fail(f"{front.alive} protocols are left after {name}")

    run(scenario)
