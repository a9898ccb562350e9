"""HTTP/1.1 towards connectors: one connection, parsed by httptools, without tasks or middleware.

A request costs little, and an answer can be spoilt down to its last byte, which no framework
allows.
"""

import hmac
from collections import deque
from http import HTTPStatus
from typing import Final

import httptools
import msgspec

from gatehouse.connectors.reference_host.connection import HostAnswer, HostConnection
from gatehouse.connectors.reference_host.host import HostMessage, ReferenceHost
from gatehouse.connectors.reference_host.http_contract import (
    ErrorAnswer,
    OperationAnswerBody,
    PageStatusBody,
)
from gatehouse.connectors.reference_host.http_routes import HEALTH, PAGES, HttpReply, HttpRoutes
from gatehouse.connectors.reference_host.journal import HostOutcome
from gatehouse.connectors.reference_host.misbehaviour import HostFate
from gatehouse.connectors.reference_host.pages import Html

MOST_HEAD_BYTES: Final = 16_384
MOST_BODY_BYTES: Final = 65_536
_STATUS_LINES: Final = {
    status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n".encode() for status in HTTPStatus
}
_TYPE: Final = b"content-type: application/json\r\ncontent-length: %d\r\n"
_CHALLENGE: Final = b"www-authenticate: Bearer\r\n"
_CLOSE: Final = b"connection: close\r\n"
_HTML: Final = (
    b"content-type: text/html; charset=utf-8\r\ncache-control: no-store\r\n"
    b"content-security-policy: default-src 'none'; form-action 'self'\r\ncontent-length: %d\r\n"
)
_encode: Final = msgspec.json.Encoder().encode


class HttpRequest(msgspec.Struct):
    """A request while it arrives."""

    method: str = ""
    path: bytes = b""
    authorization: bytes = b""
    host: bytes = b""
    head_bytes: int = 0
    body: bytes = b""
    keep_alive: bool = True
    refusal: HttpReply | None = None
    """The answer to what cannot be read as a request."""


class HttpConnection(HostConnection):
    """Requests and answers in turn."""

    def __init__(self, host: ReferenceHost, routes: HttpRoutes, token: bytes) -> None:
        super().__init__(host)
        self._routes = routes
        self._expected = b"Bearer " + token
        self._parser = httptools.HttpRequestParser(self)
        self._arriving = HttpRequest()
        self._waiting: deque[HttpRequest] = deque()
        self._current: HttpRequest | None = None
        self._going_on = False
        self._broken = False

    def data_received(self, data: bytes) -> None:
        """Parse what arrived."""
        if self._broken:
            return
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            self._break(400, "this is not an HTTP request")
        self._go_on()
        if self._waiting and self._transport is not None:
            self._transport.pause_reading()

    def on_url(self, url: bytes) -> None:
        """A part of the address."""
        self._arriving.path += url
        self._count_head(len(url))

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header."""
        self._count_head(len(name) + len(value))
        if name.lower() == b"authorization":
            self._arriving.authorization = value
        elif name.lower() == b"host":
            self._arriving.host = value

    def on_body(self, part: bytes) -> None:
        """A part of the body."""
        request = self._arriving
        if len(request.body) + len(part) > MOST_BODY_BYTES:
            self._break(413, f"the body is larger than {MOST_BODY_BYTES} bytes")
        elif not self._broken:
            request.body += part

    def on_message_complete(self) -> None:
        """Let the request be answered after those before it."""
        if self._broken:
            return
        request, self._arriving = self._arriving, HttpRequest()
        request.method = self._parser.get_method().decode("ascii", "replace")
        request.keep_alive = self._parser.should_keep_alive()
        self._waiting.append(request)

    def answered(self) -> None:
        """Close the connection if the caller wants that, or go on with the next request."""
        request, self._current = self._current, None
        if request is not None and not request.keep_alive:
            self.close()
        elif self._waiting:
            self._go_on()

    def _go_on(self) -> None:
        """Answer what waits, one after the other, until an answer takes its time."""
        if self._going_on:
            return
        self._going_on = True
        while self._waiting and self._current is None:
            self._answer(self._waiting.popleft())
        self._going_on = False
        if not self._waiting and self._transport is not None:
            self._transport.resume_reading()

    def _count_head(self, size: int) -> None:
        self._arriving.head_bytes += size
        if self._arriving.head_bytes > MOST_HEAD_BYTES:
            self._break(431, f"the head is larger than {MOST_HEAD_BYTES} bytes")

    def _break(self, status: int, error: str) -> None:
        """Read nothing more, and say why after all other answers."""
        if not self._broken:
            self._broken = True
            refusal = HttpReply(status, ErrorAnswer(error))
            self._waiting.append(HttpRequest(keep_alive=False, refusal=refusal))

    def _answer(self, request: HttpRequest) -> None:
        self._current = request
        path = request.path.partition(b"?")[0].decode("ascii", "replace")
        reply = request.refusal or self._reply(request, path)
        data = _response(reply, keep_alive=request.keep_alive)
        if reply.message is None:
            if self._transport is not None:
                self._transport.write(data)
            self.answered()
            return
        fate = self._host.received(reply.message, reply.decision)
        if reply.decision.outcome is not HostOutcome.SILENT:
            message = reply.message
            error = wrong = None
            if fate is HostFate.ERROR:
                failed = HttpReply(500, ErrorAnswer("the host failed"))
                error = _response(failed, keep_alive=request.keep_alive)
            elif fate is HostFate.WRONG_AMOUNT and isinstance(
                reply.body, OperationAnswerBody | PageStatusBody
            ):
                other = msgspec.structs.replace(
                    reply.body, amount_minor=reply.body.amount_minor + 1
                )
                told = msgspec.structs.replace(reply, body=other)
                wrong = _response(told, keep_alive=request.keep_alive)
            answer = HostAnswer(
                message,
                reply.decision,
                data,
                lambda: self._garbage(message),
                error=error,
                wrong_amount=wrong,
            )
            self.deliver(answer, fate)

    def _reply(self, request: HttpRequest, path: str) -> HttpReply:
        known = hmac.compare_digest(request.authorization, self._expected)
        is_open = path.startswith(PAGES) or (request.method, path) == HEALTH
        if not known and not is_open:
            return HttpReply(401, ErrorAnswer("send Authorization: Bearer with the host's token"))
        return self._routes.answer(
            request.method, path, request.body, request.host.decode("ascii", "replace")
        )

    def _garbage(self, message: HostMessage) -> bytes:
        """A body that is no JSON, or bytes that are no HTTP at all."""
        noise = self._host.garbage(message)
        if noise[0] & 1:
            return noise + b"\r\n\r\n"
        return b"%b%b\r\n%b" % (_STATUS_LINES[200], _TYPE % len(noise), noise)


def _response(reply: HttpReply, *, keep_alive: bool) -> bytes:
    is_html = isinstance(reply.body, Html)
    body = reply.body.encode() if is_html else _encode(reply.body)
    more = _CHALLENGE if reply.status == 401 else b""
    if not keep_alive:
        more += _CLOSE
    return b"%b%b%b\r\n%b" % (
        _STATUS_LINES[reply.status],
        (_HTML if is_html else _TYPE) % len(body),
        more,
        body,
    )
