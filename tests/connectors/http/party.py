"""A party over HTTPS in the process of the test: answers as it is told, and keeps what it heard."""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, Event, RequestReceived, StreamEnded, WindowUpdated
from h2.exceptions import H2Error


class Heard(msgspec.Struct):
    """One request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    connection: int
    """Which connection it came over, counted from 1."""

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Reply(msgspec.Struct):
    """What is answered; `raw` is written as it is, and None closes the connection."""

    json: Any = None
    status: int = 200
    headers: dict[str, str] = {}
    body: bytes | None = None
    raw: bytes | None = b""
    closes: bool = False
    is_farewell: bool = False
    """HTTP/2: the connection is closed before this request is answered."""
    is_broken_off: bool = False
    """HTTP/2: the stream is reset."""

    def content(self) -> bytes:
        return json.dumps(self.json).encode() if self.body is None else self.body


RESET = Reply(raw=None)

Answer = Callable[[Heard], Reply | Awaitable[Reply]]


class Party:
    """A server for one test."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.heard: list[Heard] = []
        self.connections = 0
        self.protocols: list[str | None] = []
        self.url = ""
        self._open: set[asyncio.Task[None]] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        number = self.connections
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        channel = writer.get_extra_info("ssl_object")
        protocol = None if channel is None else channel.selected_alpn_protocol()
        self.protocols.append(protocol)
        try:
            if protocol == "h2":
                await Http2Channel(self, reader, writer, number).serve()
            while await self._one(reader, writer, number):
                pass
        except (OSError, H2Error, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._open.discard(task)
            writer.transport.abort()

    async def _one(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int
    ) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.rstrip().split("\r\n")
        method, path, _ = first.split(" ")
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        heard = Heard(method, path, headers, body, number)
        reply = await self.reply_to(heard)
        if reply.raw is None:
            return False
        writer.write(reply.raw or _packed(reply))
        await writer.drain()
        return not reply.closes

    async def reply_to(self, heard: Heard) -> Reply:
        self.heard.append(heard)
        found = self.answer(heard)
        return found if isinstance(found, Reply) else await found

    async def close_connections(self) -> None:
        """Close what is open, as a server that restarts."""
        tasks = [*self._open]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class Http2Channel:
    """One connection that speaks HTTP/2; requests are answered beside each other."""

    def __init__(
        self,
        party: Party,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        number: int,
    ) -> None:
        self._party = party
        self._reader = reader
        self._writer = writer
        self._number = number
        self._protocol = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
        self._requests: dict[int, tuple[dict[str, str], bytearray]] = {}
        self._replying: set[asyncio.Task[None]] = set()
        self._room = asyncio.Event()

    async def serve(self) -> None:
        self._protocol.initiate_connection()
        self._writer.write(self._protocol.data_to_send())
        while data := await self._reader.read(65_536):
            for event in self._protocol.receive_data(data):
                self._take(event)
            self._writer.write(self._protocol.data_to_send())
        raise ConnectionResetError

    def _take(self, event: Event) -> None:
        if isinstance(event, RequestReceived):
            headers = {str(name): str(value) for name, value in event.headers or ()}
            self._requests[event.stream_id] = (headers, bytearray())
        elif isinstance(event, DataReceived):
            self._requests[event.stream_id][1].extend(event.data or b"")
            size = event.flow_controlled_length or 0
            self._protocol.acknowledge_received_data(size, event.stream_id)
        elif isinstance(event, WindowUpdated):
            self._room.set()
        elif isinstance(event, StreamEnded):
            task = asyncio.create_task(self._reply(event.stream_id))
            self._replying.add(task)
            task.add_done_callback(self._replying.discard)

    async def _wait_for_room(self, stream: int) -> None:
        while self._protocol.local_flow_control_window(stream) < 16_000:
            self._writer.write(self._protocol.data_to_send())
            self._room.clear()
            await self._room.wait()

    async def _reply(self, stream: int) -> None:
        headers, body = self._requests.pop(stream)
        method, path = headers[":method"], headers[":path"]
        reply = await self._party.reply_to(Heard(method, path, headers, bytes(body), self._number))
        if reply.raw is None:
            self._writer.transport.abort()
        elif reply.raw:
            self._writer.write(reply.raw)
        elif reply.is_farewell:
            self._protocol.close_connection(last_stream_id=stream - 2)
        elif reply.is_broken_off:
            self._protocol.reset_stream(stream)
        else:
            named = [(name.lower(), value) for name, value in reply.headers.items()]
            self._protocol.send_headers(stream, [(":status", str(reply.status)), *named])
            content = reply.content()
            for start in range(0, len(content), 16_000):
                await self._wait_for_room(stream)
                self._protocol.send_data(stream, content[start : start + 16_000])
            self._protocol.end_stream(stream)
        if not self._writer.transport.is_closing():
            self._writer.write(self._protocol.data_to_send())


async def until(holds: Callable[[], Any]) -> None:
    """Wait until something holds, for ten seconds at most."""
    for _ in range(10_000):
        if holds():
            return
        await asyncio.sleep(0.001)
    raise AssertionError("it did not come to hold")


def _packed(reply: Reply) -> bytes:
    content = reply.content()
    headers = {"Content-Length": str(len(content)), **reply.headers}
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {reply.status} X\r\n{lines}\r\n".encode() + content


@asynccontextmanager
async def serving(answer: Answer, context: ssl.SSLContext | None) -> AsyncIterator[Party]:
    """A party that listens, until the block ends."""
    party = Party(answer)
    server = await asyncio.start_server(party.serve, "127.0.0.1", 0, ssl=context)
    port = server.sockets[0].getsockname()[1]
    party.url = f"{'https' if context else 'http'}://127.0.0.1:{port}"
    try:
        yield party
    finally:
        server.close()
        await party.close_connections()
