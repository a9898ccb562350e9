"""The client of HTTP on a bad network: what it sends again, what it never does, what it bounds."""

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, TypeVar
from unittest import mock

import pytest

from gatehouse.connectors.http.connector import HttpConnector
from gatehouse.connectors.http.http1 import Http1Connection
from gatehouse.connectors.http.wire import LARGEST_ANSWER, PartyRequest
from gatehouse.connectors.tls import TlsOptions
from gatehouse.core.errors import ConnectorFailed
from gatehouse.gateway.sending import SENDS_UNTIL_MS
from tests.connectors.http.asking import (
    authorization,
    connected,
    definition,
    enquiry,
    reversal,
)
from tests.connectors.http.certificates import Authority
from tests.connectors.http.party import RESET, Answer, Heard, Party, Reply, serving, until
from tests.harness.service import ManualClockLoop

T = TypeVar("T")
CHUNKED = (
    b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nd%b\r\n{"code":"00"}\r\n0\r\n%b\r\n'
)
FINE = Reply({"code": "00", "ok": True})
MAPPING = b"""
mapping: small
precheck:
  request: {path: /check, body: {card: "{card.number}"}}
  answer: {response_code: code}
authorize:
  request: {path: /pay, body: {card: "{card.number}", ref: "{reference}"}}
  answer: {approved: ok, response_code: code}
reverse:
  request: {path: /reverse, body: {ref: "{reference}"}}
"""
Work = Callable[[HttpConnector, Party], Awaitable[T]]


class Network:
    """TLS between a connector and a party that speaks one version of HTTP."""

    def __init__(self, context: ssl.SSLContext, authority: Authority, version: str | None) -> None:
        self._context = context
        self._authority = authority
        self.version = version

    def run(
        self,
        answer: Answer,
        work: Work[T],
        loop_factory: Callable[[], asyncio.AbstractEventLoop] | None = None,
        **options: Any,
    ) -> T:
        async def run() -> T:
            async with serving(answer, self._context) as party:
                tls = TlsOptions(ca_file=str(self._authority.ca_file))
                made = definition(MAPPING, party.url, **({"tls": tls} | options))
                async with connected(made) as connector:
                    return await work(connector, party)

        with asyncio.Runner(loop_factory=loop_factory) as runner:
            return runner.run(run())


@pytest.fixture(params=["http/1.1", "h2"])
def network(
    request: pytest.FixtureRequest,
    server_context: ssl.SSLContext,
    http2_context: ssl.SSLContext,
    authority: Authority,
) -> Network:
    version = str(request.param)
    context = http2_context if version == "h2" else server_context
    return Network(context, authority, version if version == "h2" else None)


async def check(connector: HttpConnector) -> str:
    assert connector.issuer is not None
    return (await connector.issuer.check(enquiry())).response_code


async def pay(connector: HttpConnector) -> bool:
    assert connector.gateway is not None
    return (await connector.gateway.authorize(authorization())).approved


async def reverse(connector: HttpConnector) -> None:
    assert connector.gateway is not None
    await connector.gateway.reverse(reversal())


async def failure_of(work: Awaitable[Any]) -> ConnectorFailed:
    with pytest.raises(ConnectorFailed) as caught:
        await work
    return caught.value


def in_turn(*replies: Reply) -> Answer:
    """These answers, one after the other; the last one for all that follow."""
    rest = list(replies)
    return lambda _heard: rest.pop(0) if len(rest) > 1 else rest[0]


async def never(_heard: Heard) -> Reply:
    await asyncio.get_running_loop().create_future()
    return FINE


def test_requests_share_a_connection(network: Network) -> None:
    async def work(connector: HttpConnector, party: Party) -> None:
        for _ in range(5):
            assert await check(connector) == "00"
        assert {heard.connection for heard in party.heard} == {1}
        assert party.protocols == [network.version]
        assert connector.state().connections == 1

    network.run(lambda _: FINE, work)


def test_many_requests_at_once_stay_within_the_limit_of_connections(network: Network) -> None:
    async def answer(_heard: Heard) -> Reply:
        await asyncio.sleep(0)
        return FINE

    async def work(connector: HttpConnector, party: Party) -> None:
        codes = await asyncio.gather(*(check(connector) for _ in range(100)))
        assert codes == ["00"] * 100
        assert party.connections <= 3
        assert connector.state().in_flight == 0

    network.run(answer, work, connections=3, timeout_ms=20_000)


def test_a_check_is_sent_again_once_when_the_connection_is_reset(network: Network) -> None:
    async def work(connector: HttpConnector, party: Party) -> None:
        assert await check(connector) == "00"
        assert len(party.heard) == 2
        party.answer = lambda _: RESET
        failure = await failure_of(check(connector))
        assert "the connection was closed before the answer" in str(failure)
        assert failure.sent
        assert len(party.heard) == 4

    network.run(in_turn(RESET, FINE), work)


def test_nothing_is_sent_after_the_moment_until_which_it_may_be(network: Network) -> None:
    async def work(connector: HttpConnector, party: Party) -> None:
        SENDS_UNTIL_MS.set(0)
        failure = await failure_of(pay(connector))
        assert (failure.sent, party.heard) == (False, [])

    network.run(lambda heard: FINE, work)


def test_a_payment_is_never_sent_again(network: Network) -> None:
    async def work(connector: HttpConnector, party: Party) -> None:
        failure = await failure_of(pay(connector))
        assert failure.sent
        assert len(party.heard) == 1

    network.run(lambda _: RESET, work)


def test_a_reversal_may_be_sent_again(network: Network) -> None:
    async def work(connector: HttpConnector, party: Party) -> None:
        await reverse(connector)
        assert [heard.path for heard in party.heard] == ["/reverse", "/reverse"]

    network.run(in_turn(RESET, FINE), work)


def test_a_connection_that_was_closed_while_idle_is_replaced_even_for_a_payment(
    network: Network,
) -> None:
    async def work(connector: HttpConnector, party: Party) -> None:
        await check(connector)
        await party.close_connections()
        await until(lambda: not connector.state().connections)
        assert await pay(connector)
        assert [heard.path for heard in party.heard] == ["/check", "/pay"]

    network.run(lambda _: FINE, work)


def test_a_connection_that_is_being_closed_is_not_tried_for_ever(network: Network) -> None:
    async def work(connector: HttpConnector, party: Party) -> None:
        await check(connector)
        [connection] = connector._building.client._open
        assert connection._transport is not None
        connection._transport.close()
        assert connection.is_usable, "it is not told before the event loop goes on"
        assert await pay(connector)
        assert [heard.connection for heard in party.heard] == [1, 2]

    network.run(lambda _: FINE, work)


def test_a_party_that_is_silent_fails_within_the_time_limit(network: Network) -> None:
    # Only what the test says lets time pass: a slow handshake is not cut off.
    loop = ManualClockLoop()

    async def work(connector: HttpConnector, party: Party) -> None:
        is_asked = asyncio.Event()

        async def say_nothing(heard: Heard) -> Reply:
            is_asked.set()
            return await never(heard)

        assert await check(connector) == "00"
        party.answer = say_nothing
        paying = asyncio.create_task(pay(connector))
        await is_asked.wait()
        loop.now += 1
        failure = await failure_of(paying)
        assert str(failure) == "party: no answer within the time limit"
        assert failure.sent
        assert connector.state().problem == "no answer within the time limit"
        party.answer = lambda _: FINE
        # The silent connection is not used again, so its late answer is nobody's.
        assert await pay(connector)
        assert [heard.connection for heard in party.heard] == [1, 1, 2]
        assert connector.state().problem is None

    network.run(lambda _: FINE, work, lambda: loop, timeout_ms=1000)


def test_a_call_that_is_given_up_leaves_others_alone(network: Network) -> None:
    async def work(connector: HttpConnector, party: Party) -> None:
        given_up = asyncio.create_task(check(connector))
        await until(lambda: party.heard)
        party.answer = lambda _: FINE
        other = asyncio.create_task(check(connector))
        await asyncio.sleep(0)
        given_up.cancel()
        assert await other == "00"
        with pytest.raises(asyncio.CancelledError):
            await given_up
        assert connector.state().in_flight == 0

    network.run(never, work)


def test_an_answer_that_is_too_large_is_refused(network: Network) -> None:
    async def work(connector: HttpConnector, party: Party) -> None:
        failure = await failure_of(check(connector))
        assert f"the answer is larger than {LARGEST_ANSWER} bytes" in str(failure)
        assert len(party.heard) == 1

    def answer(_heard: Heard) -> Reply:
        return Reply(body=b" " * (LARGEST_ANSWER + 16_000))

    network.run(answer, work)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"<html>", "it answered 200 with a body that is not JSON"),
        (b"", "it answered 200 without a body"),
        (b'{"code": "00"', "it answered 200 with a body that is not JSON"),
        (b"[" * 100_000, "it answered 200 with a body that is not JSON"),
        (b'{"code": {"deep": 1}}', "the answer has another shape than the mapping says"),
        (b'{"code": "approved!"}', "code holds a value that the mapping does not know"),
        (b'{"code": 4242424242424242}', "code holds a value that the mapping does not know"),
        (b'{"code": null}', "the answer has no response code"),
        (b"[]", "the answer has no response code"),
        (b"7", "the answer has no response code"),
    ],
)
def test_an_answer_that_is_none_is_a_failure_of_the_party(
    server_context: ssl.SSLContext, authority: Authority, body: bytes, message: str
) -> None:
    async def work(connector: HttpConnector, _party: Party) -> None:
        failure = await failure_of(check(connector))
        assert message in str(failure)
        assert "4242" not in str(failure)

    Network(server_context, authority, None).run(lambda _: Reply(body=body), work)


@pytest.mark.parametrize(
    "raw",
    [
        b"garbage\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n123456",
        b"HTTP/1.1 200 OK\r\nX: " + b"a" * 70_000,
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        # Neither trailers nor extensions of chunks are part of the head or of the body.
        CHUNKED % (b"", b"X: " + b"a" * 9 * LARGEST_ANSWER + b"\r\n"),
        CHUNKED % (b";" + b"a" * 9 * LARGEST_ANSWER, b""),
    ],
    ids=range(7),
)
def test_what_is_not_http_is_refused(
    server_context: ssl.SSLContext, authority: Authority, raw: bytes
) -> None:
    async def work(connector: HttpConnector, party: Party) -> None:
        failure = await failure_of(check(connector))
        assert failure.sent
        assert len(party.heard) == 1

    Network(server_context, authority, None).run(lambda _: Reply(raw=raw), work)


def test_after_a_second_answer_to_one_request_the_connection_is_not_used_again() -> None:
    raw = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

    async def answered(data: bytes) -> bool:
        connection = Http1Connection(b"party.example", lambda: None)
        connection.connection_made(mock.Mock(is_closing=lambda: False))
        asking = asyncio.create_task(connection.ask(PartyRequest(b"POST", b"/pay", [], b"{}")))
        await asyncio.sleep(0)
        connection.data_received(data)
        assert (await asking).body == b"{}"
        return connection.is_usable

    assert asyncio.run(answered(raw))
    for more in (raw, raw[:10], b"\0"):
        assert not asyncio.run(answered(raw + more))


@pytest.mark.parametrize(
    "raw",
    [
        b'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n{"code":"00"}',
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        b'6\r\n{"code\r\n7\r\n":"00"}\r\n0\r\n\r\n',
        b'HTTP/1.0 200 OK\r\n\r\n{"code":"00"}',
    ],
)
def test_every_way_to_send_a_body_is_read(
    server_context: ssl.SSLContext, authority: Authority, raw: bytes
) -> None:
    async def work(connector: HttpConnector, _party: Party) -> None:
        assert await check(connector) == "00"
        assert await check(connector) == "00"

    Network(server_context, authority, None).run(lambda _: Reply(raw=raw, closes=True), work)


def test_an_answer_that_came_twice_is_not_taken_for_the_next_one(
    server_context: ssl.SSLContext, authority: Authority
) -> None:
    twice = b'HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n{"code":"00"}' * 2

    async def work(connector: HttpConnector, party: Party) -> None:
        assert await check(connector) == "00"
        party.answer = lambda _: Reply({"code": "05"})
        assert await check(connector) == "05"
        assert [heard.connection for heard in party.heard] == [1, 2]

    Network(server_context, authority, None).run(lambda _: Reply(raw=twice), work)


def test_garbage_on_http2_fails_all_that_waits(
    http2_context: ssl.SSLContext, authority: Authority
) -> None:
    async def work(connector: HttpConnector, party: Party) -> None:
        failure = await failure_of(check(connector))
        assert "the answer is not HTTP/2" in str(failure)
        party.answer = lambda _: FINE
        assert await check(connector) == "00"

    Network(http2_context, authority, "h2").run(lambda _: Reply(raw=b"\0\0\1\0\0\0\0\0\0x"), work)


@pytest.mark.parametrize("ending", [Reply(is_farewell=True), Reply(is_broken_off=True)])
def test_a_check_is_sent_again_when_http2_ends_its_stream(
    http2_context: ssl.SSLContext, authority: Authority, ending: Reply
) -> None:
    async def work(connector: HttpConnector, party: Party) -> None:
        assert await check(connector) == "00"
        assert len(party.heard) == 2
        party.answer = lambda _: ending
        assert (await failure_of(pay(connector))).sent
        assert len(party.heard) == 3

    Network(http2_context, authority, "h2").run(in_turn(ending, FINE), work)


def test_http2_is_not_used_where_the_operator_does_not_want_it(
    http2_context: ssl.SSLContext, authority: Authority
) -> None:
    async def work(connector: HttpConnector, party: Party) -> None:
        await check(connector)
        assert party.protocols == ["http/1.1"]

    Network(http2_context, authority, "h2").run(lambda _: FINE, work, http2=False)


def test_a_large_body_waits_for_room_on_http2(
    http2_context: ssl.SSLContext, authority: Authority
) -> None:
    big = b"""
mapping: big
precheck:
  request: {path: /check, body: {pad: "%b", card: "{card.number}"}}
  answer: {response_code: code}
""" % (b"{{{card.brand}}}" * 10)

    async def run() -> int:
        async with serving(lambda _: FINE, http2_context) as party:
            made = definition(big, party.url, tls=TlsOptions(ca_file=str(authority.ca_file)))
            body = made.mapping.precheck.request.body  # type: ignore[union-attr]
            body["pad"] = "x" * 200_000
            async with connected(made) as connector:
                await check(connector)
            return len(party.heard[0].body)

    assert asyncio.run(run()) > 200_000


@pytest.fixture
def taken_port() -> Iterator[socket.socket]:
    """A port that is taken, so that nobody else will listen on it."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken


def test_nothing_was_sent_where_nobody_listens(taken_port: socket.socket) -> None:
    async def run() -> None:
        made = definition(MAPPING, f"https://127.0.0.1:{taken_port.getsockname()[1]}")
        async with connected(made) as connector:
            for work in (check(connector), pay(connector), reverse(connector)):
                failure = await failure_of(work)
                assert not failure.sent
                assert "no connection" in str(failure)
            assert connector.state().connections == 0
            assert "no connection" in (connector.state().problem or "")

    asyncio.run(run())


def test_a_certificate_of_another_authority_is_refused_before_anything_is_sent(
    server_context: ssl.SSLContext, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = Authority(tmp_path_factory.mktemp("other"), "Other Authority")

    async def work(connector: HttpConnector, party: Party) -> None:
        failure = await failure_of(pay(connector))
        assert "TLS failed: CERTIFICATE_VERIFY_FAILED" in str(failure)
        assert not failure.sent
        assert party.heard == []

    Network(server_context, other, None).run(lambda _: FINE, work)


def test_the_name_in_the_certificate_must_be_the_configured_one(
    server_context: ssl.SSLContext, authority: Authority
) -> None:
    network = Network(server_context, authority, None)

    def named(name: str) -> TlsOptions:
        return TlsOptions(ca_file=str(authority.ca_file), server_name=name)

    async def fails(connector: HttpConnector, _party: Party) -> None:
        assert "TLS failed" in str(await failure_of(check(connector)))

    async def works(connector: HttpConnector, _party: Party) -> None:
        assert await check(connector) == "00"

    network.run(lambda _: FINE, fails, tls=named("api.example.com"))
    network.run(lambda _: FINE, works, tls=named("localhost"))


def test_a_party_that_asks_us_to_wait_is_not_asked_meanwhile(
    server_context: ssl.SSLContext, authority: Authority
) -> None:
    async def work(connector: HttpConnector, party: Party) -> None:
        assert "it answered 503: try later" in str(await failure_of(check(connector)))
        failure = await failure_of(pay(connector))
        assert "it asked us to wait" in str(failure)
        assert not failure.sent
        assert len(party.heard) == 1

    busy = Reply({}, 503, {"Retry-After": "5"})
    Network(server_context, authority, None).run(lambda _: busy, work)


def test_nothing_was_sent_of_a_payment_that_waited_for_its_connection(
    taken_port: socket.socket,
) -> None:
    taken_port.listen()

    async def run() -> None:
        url = f"https://127.0.0.1:{taken_port.getsockname()[1]}"
        made = definition(MAPPING, url, timeout_ms=100, connect_timeout_ms=30_000)
        async with connected(made) as connector:
            failure = await failure_of(pay(connector))
            assert "no answer within the time limit" in str(failure)
            assert not failure.sent

    asyncio.run(run())


def test_stopping_lets_what_is_in_flight_end(
    server_context: ssl.SSLContext, authority: Authority
) -> None:
    async def work(connector: HttpConnector, party: Party) -> None:
        release = asyncio.Event()

        async def answer(_heard: Heard) -> Reply:
            await release.wait()
            return FINE

        party.answer = answer
        checking = asyncio.create_task(check(connector))
        await until(lambda: party.heard)
        stopping = asyncio.create_task(connector.stop())
        await asyncio.sleep(0)
        release.set()
        assert await checking == "00"
        await stopping
        assert connector.state().connections == 0
        assert not (await failure_of(check(connector))).sent

    Network(server_context, authority, None).run(never, work)
