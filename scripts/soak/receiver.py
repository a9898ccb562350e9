"""Takes the webhooks of a run, and remembers which events came."""

import asyncio
from contextlib import AbstractContextManager, suppress

import msgspec

from scripts.bench.servers import free_port
from scripts.loopback import answering


class _Message(msgspec.Struct):
    id: str


class EventReceiver:
    """Accepts every message."""

    def __init__(self) -> None:
        self.port = free_port()
        self.accepted: set[str] = set()
        self.messages = 0
        self._read = msgspec.json.Decoder(_Message).decode

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, asyncio.CancelledError, OSError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                length = int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0])
                self.accepted.add(self._read(await reader.readexactly(length)).id)
                self.messages += 1
                writer.write(b"HTTP/1.1 204 Accepted\r\ncontent-length: 0\r\n\r\n")
        writer.transport.abort()

    def running(self) -> AbstractContextManager[None]:
        """Serve on a thread."""
        return answering(self.port, self._serve)
