"""Answers with mistakes in them: each is an answer or a failure, and nothing else."""

import asyncio
import random
from collections.abc import Callable
from typing import Any

import pytest
from h2.config import H2Configuration
from h2.connection import H2Connection

from gatehouse.connectors.http.http1 import Http1Connection
from gatehouse.connectors.http.http2 import Http2Connection
from gatehouse.connectors.http.wire import CallFailed, PartyAnswer, PartyRequest

TRIES = 200
HTTP1 = (
    b'HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n{"code":"00"}',
    b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    b'6\r\n{"code\r\n7\r\n":"00"}\r\n0\r\n\r\n',
    b"HTTP/1.0 503 Busy\r\nRetry-After: 3\r\n\r\nbusy",
)


def http2_answer() -> bytes:
    """The bytes of a good answer over HTTP/2, from the connection's beginning."""
    server, client = H2Connection(H2Configuration(client_side=False)), H2Connection()
    client.initiate_connection()
    server.initiate_connection()
    request = {":method": "POST", ":scheme": "https", ":authority": "h", ":path": "/"}
    client.send_headers(1, list(request.items()), end_stream=True)
    server.receive_data(client.data_to_send())
    server.send_headers(1, [(":status", "200"), ("content-type", "application/json")])
    server.send_data(1, b'{"code":"00"}', end_stream=True)
    return bytes(server.data_to_send())


def mutated(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.randrange(4)):
        place, kind = chance.randrange(len(changed)), chance.random()
        if kind < 0.5:
            changed[place] = chance.randrange(256)
        elif kind < 0.7:
            del changed[place : place + chance.randrange(1, 9)]
        else:
            changed[place:place] = chance.randbytes(chance.randrange(1, 6))
    return bytes(changed)


class _Transport(asyncio.Transport):
    def __init__(self, protocol: Any) -> None:
        super().__init__()
        self._protocol = protocol
        self.is_closed = False

    def write(self, data: Any) -> None:
        pass

    def is_closing(self) -> bool:
        return self.is_closed

    def abort(self) -> None:
        if not self.is_closed:
            self.is_closed = True
            asyncio.get_running_loop().call_soon(self._protocol.connection_lost, None)


Kind = Callable[[bytes, Callable[[], None]], Http1Connection | Http2Connection]


async def _answer_to(kind: Kind, data: bytes, chance: random.Random) -> PartyAnswer | None:
    connection = kind(b"host", lambda: None)
    transport = _Transport(connection)
    connection.connection_made(transport)
    asking = asyncio.ensure_future(connection.ask(PartyRequest(b"POST", b"/", [], b"{}")))
    await asyncio.sleep(0)
    while data and not transport.is_closed:
        size = chance.randrange(1, len(data) + 1)
        connection.data_received(data[:size])
        data = data[size:]
    if not transport.is_closed:
        connection.eof_received()
        transport.abort()
    try:
        return await asking
    except CallFailed as failure:
        assert failure.sent
        return None


@pytest.mark.parametrize(
    ("kind", "answers"),
    [(Http1Connection, HTTP1), (Http2Connection, (http2_answer(),))],
    ids=["http1", "http2"],
)
def test_a_mutated_answer_is_an_answer_or_a_failure(kind: Kind, answers: tuple[bytes, ...]) -> None:
    chance = random.Random(17)

    async def run() -> list[PartyAnswer | None]:
        return [
            await _answer_to(kind, mutated(chance.choice(answers), chance), chance)
            for _ in range(TRIES)
        ]

    found = asyncio.run(run())
    assert None in found
    assert any(answer is not None and answer.status == 200 for answer in found)
