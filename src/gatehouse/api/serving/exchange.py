"""One request and its answer on a connection: uvicorn's cycle, without what nobody here reads.

Uvicorn examines each header that it sends with two regular expressions, makes an event for every
request, and writes an answer in two parts. Our answers are made whole, and most bodies are there
when they are asked for, so one write and a flag do.
"""

import asyncio
from typing import Any, Final

from uvicorn.protocols.http.flow_control import CLOSE_HEADER
from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from gatehouse.access.addresses import Header

_CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"


class Arrival:
    """Wakes the task that waits for more of a body; uvicorn knows it as an event."""

    __slots__ = ("_happened", "_waiter")

    def __init__(self) -> None:
        self._happened = False
        self._waiter: asyncio.Future[None] | None = None

    def set(self) -> None:
        """Something arrived, or the caller is gone."""
        self._happened = True
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def forget(self) -> None:
        """Wait for what comes after this, should somebody wait."""
        self._happened = False

    async def next(self) -> None:
        """Return when something has arrived since the last call."""
        if not self._happened:
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        self._happened = False


class Exchange(RequestResponseCycle):
    """A request, and its answer in one piece."""

    # Uvicorn's own constructor makes what is not needed here, so it is not called.
    def __init__(
        self, connection: HttpToolsProtocol, scope: Any, *, keep_alive: bool, waits: bool
    ) -> None:
        """`waits` says that the caller sends its body when it is told to."""
        self.scope = scope
        self.transport = connection.transport
        self.flow = connection.flow
        self.logger = connection.logger
        self.default_headers = connection.server_state.default_headers
        self.on_response = connection.on_response_complete
        self.message_event: Any = Arrival()
        self.disconnected = False
        self.keep_alive = keep_alive
        self.waiting_for_100_continue = waits
        self.body = bytearray()
        self.more_body = True
        self.response_started = False
        self.response_complete = False
        self._start: Any = None

    def take_body(self) -> bytes | None:
        """The whole body, if nothing of it has to be waited for."""
        if self.more_body or self.disconnected or self.waiting_for_100_continue:
            return None
        self.flow.resume_reading()
        self.message_event.forget()
        body, self.body = bytes(self.body), bytearray()
        return body

    async def receive(self) -> Any:
        """What has arrived of the body; waits for it if nothing has."""
        if self.waiting_for_100_continue and not self.transport.is_closing():
            self.transport.write(_CONTINUE)
            self.waiting_for_100_continue = False
        if not (self.disconnected or self.response_complete):
            self.flow.resume_reading()
            await self.message_event.next()
        if self.disconnected or self.response_complete:
            return {"type": "http.disconnect"}
        body, self.body = bytes(self.body), bytearray()
        return {"type": "http.request", "body": body, "more_body": self.more_body}

    async def send(self, message: Any) -> None:
        """Keep the head of the answer, and write it with the body, which comes in one piece."""
        if message["type"] == "http.response.start":
            self._start = message
            return
        if self.flow.write_paused and not self.disconnected:
            await self.flow.drain()
        if self.disconnected or self.response_complete:
            return
        start = self._start
        self._write(start["status"], start["headers"], message.get("body", b""))

    def answer(self, status: int, headers: list[Header], body: bytes) -> bool:
        """Send a whole answer, unless that has to be waited for; whether it was sent."""
        if self.flow.write_paused or self.disconnected or self.response_complete:
            return False
        self._write(status, headers, body)
        return True

    def _write(self, status: int, headers: list[Header], body: bytes) -> None:
        head = self._head(status, headers)
        self.response_started = True
        self.transport.write(head if self.scope["method"] == "HEAD" else head + body)
        self.response_complete = True
        self.message_event.set()
        if not self.keep_alive:
            self.transport.close()
        self.on_response()

    def _head(self, status: int, given: list[Header]) -> bytes:
        headers = [*self.default_headers, *given]
        if CLOSE_HEADER in headers:
            self.keep_alive = False
        elif not self.keep_alive:
            headers.append(CLOSE_HEADER)
        lines = b"\r\n".join(map(b": ".join, headers))
        if not len(headers) - 1 == lines.count(b"\r") == lines.count(b"\n"):
            raise RuntimeError("a header has a line break")
        return b"%b%b\r\n\r\n" % (STATUS_LINE[status], lines)


def exchange_of(channel: object) -> Exchange | None:
    """The exchange whose `receive` or `send` this is; None if something else stands between."""
    found = getattr(channel, "__self__", None)
    return found if isinstance(found, Exchange) else None
