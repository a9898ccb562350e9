"""A connection that speaks HTTP/1.1: one request at a time."""

import asyncio
from collections.abc import Callable
from typing import Final

import httptools

from gatehouse.connectors.http.wire import (
    ANSWER_LARGE,
    CLOSED_EARLY,
    LARGEST_ANSWER,
    LARGEST_HEAD,
    NOT_HTTP,
    CallFailed,
    Connection,
    PartyAnswer,
    PartyRequest,
    set_failure,
    set_result,
)

_LARGEST_MESSAGE: Final = 8 * LARGEST_ANSWER
"""Bytes of an answer as it is sent: beside its body it has chunks, their extensions, trailers."""


class Http1Connection(Connection):
    """Sends a request, reads its answer, and can then be used again."""

    def __init__(self, host: bytes, on_free: Callable[[], None]) -> None:
        super().__init__(host, on_free)
        self._waiting: asyncio.Future[PartyAnswer] | None = None
        self._is_answered = False
        """Whether the data at hand hold a whole answer."""
        self._begin_answer()

    def _begin_answer(self) -> None:
        self._parser = httptools.HttpResponseParser(self)
        self._body = bytearray()
        self._came = 0
        self._in_head = True
        self._has_length = False
        self._retry_after = b""

    @property
    def has_room(self) -> bool:
        """Whether it is free."""
        return self._waiting is None and self.is_usable

    @property
    def in_flight(self) -> int:
        """One while an answer is awaited."""
        return 0 if self._waiting is None else 1

    async def ask(self, request: PartyRequest) -> PartyAnswer:
        """Send a request and wait for its answer; a call that is given up closes the connection."""
        assert self._waiting is None
        transport = self._open_transport()
        waiting: asyncio.Future[PartyAnswer] = asyncio.get_running_loop().create_future()
        self._waiting = waiting
        request.sent = True
        transport.write(self._packed(request))
        try:
            return await waiting
        except asyncio.CancelledError:
            # The answer may still come, and would be taken for the answer to another request.
            self.close()
            raise
        finally:
            self._waiting = None
            self._on_free()

    def _packed(self, request: PartyRequest) -> bytes:
        lines = [b"%b %b HTTP/1.1\r\nhost: %b" % (request.method, request.target, self._host)]
        lines += [b"%b: %b" % header for header in request.headers]
        if request.body or request.method != b"GET":
            lines.append(b"content-length: %d" % len(request.body))
        return b"\r\n".join(lines) + b"\r\n\r\n" + request.body

    def connection_lost(self, _exc: Exception | None) -> None:
        """The connection has ended; what waits has failed."""
        self.is_usable = False
        waiting = self._waiting
        if waiting is not None:
            message = CLOSED_EARLY()
            set_failure(waiting, CallFailed(message, sent=True, was_reset=self._came == 0))
        self._on_free()

    def eof_received(self) -> bool:
        """The other side sends no more."""
        # A body without a length ends with the connection.
        if self._waiting is not None and not self._in_head and not self._has_length:
            self.is_usable = False
            self._finish()
        return False

    def data_received(self, data: bytes) -> None:
        """A part of an answer came."""
        if self._waiting is None or self._waiting.done():
            # Nobody asked for it, and it must not be taken for the next answer.
            self.close()
            return
        self._is_answered = False
        self._came += len(data)
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            self._fail(NOT_HTTP())
            return
        if self._in_head and self._came > LARGEST_HEAD:
            self._fail(f"the headers of the answer are larger than {LARGEST_HEAD} bytes")
        elif self._came > _LARGEST_MESSAGE:
            self._fail(ANSWER_LARGE(most=_LARGEST_MESSAGE))

    def on_message_begin(self) -> None:
        """An answer begins; the parser calls it."""
        if self._is_answered:
            # A second answer to one request.
            self.close()

    def on_header(self, name: bytes, value: bytes) -> None:
        """One header; the parser calls it."""
        match name.lower():
            case b"retry-after":
                self._retry_after = value
            case b"content-length" | b"transfer-encoding":
                self._has_length = True

    def on_headers_complete(self) -> None:
        """The head has ended; the parser calls it."""
        self._in_head = False

    def on_body(self, data: bytes) -> None:
        """A part of the body; the parser calls it."""
        if len(self._body) + len(data) > LARGEST_ANSWER:
            self._fail(ANSWER_LARGE(most=LARGEST_ANSWER))
            return
        self._body += data

    def on_message_complete(self) -> None:
        """The answer has ended; the parser calls it."""
        if 100 <= self._parser.get_status_code() < 200:
            # Only an announcement; the answer follows.
            self._in_head = True
            self._body.clear()
            return
        if not self._parser.should_keep_alive():
            self.is_usable = False
        self._finish()

    def _finish(self) -> None:
        waiting = self._waiting
        if waiting is None:
            return
        set_result(
            waiting,
            PartyAnswer(self._parser.get_status_code(), bytes(self._body), self._retry_after),
        )
        self.idle_since = asyncio.get_running_loop().time()
        self._is_answered = True
        self._begin_answer()
        if not self.is_usable:
            self.close()

    def _fail(self, message: str) -> None:
        if self._waiting is not None:
            set_failure(self._waiting, CallFailed(message, sent=True))
        self.close()
