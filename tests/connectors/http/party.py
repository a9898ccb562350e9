"""A party over HTTPS in the process of the test: answers as it is told, and keeps what it heard."""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import msgspec


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
            while await self._one(reader, writer, number):
                pass
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
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
