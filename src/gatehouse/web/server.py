"""The HTTP server: uvicorn with limits on heads that never end, and envelopes where it has text."""

import asyncio
import secrets
import signal
import socket
import time
from collections.abc import Callable
from typing import Any

import httptools
import prometheus_client
import uvicorn
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from gatehouse.core.errors import Conflict
from gatehouse.core.ids import new_id
from gatehouse.settings import Settings
from gatehouse.web import envelope
from gatehouse.web.metrics import Metrics
from gatehouse.web.problems import CODES, Problem


class FrontProtocol(HttpToolsProtocol):
    """One connection. Heads, and bodies nobody wants, must arrive in time, or it ends."""

    header_timeout_s = 10.0
    body_timeout_s = 10.0
    max_header_bytes = 32_768

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._in_head = True
        self._in_body = False
        self._last_word: Callable[[], None] | None = None
        self._head_bytes = 0
        self._head_timer: asyncio.TimerHandle | None = None

    # Uvicorn narrows the types of asyncio's protocol in these two, and so do we.
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Expect a head from now on."""
        super().connection_made(transport)
        self._arm(self.header_timeout_s)

    def connection_lost(self, exc: Exception | None) -> None:
        """Expect nothing any more."""
        self._disarm()
        super().connection_lost(exc)

    def eof_received(self) -> bool:  # type: ignore[override]
        """A caller that has nothing more to send still gets the answers that are due."""
        if self._in_head or self._in_body or self._answered or self.scheme == "https":
            return False
        self._last_word = self._last_word or self.transport.close
        return True

    def data_received(self, data: bytes) -> None:
        """Feed the parser, then see whether a head is still incomplete."""
        if self._last_word is not None:
            return
        self._unset_keepalive_if_required()
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserError:
            self.logger.warning("Invalid HTTP request received.")
            self._end(lambda: self._refuse("malformed_http"))
            return
        except httptools.HttpParserUpgrade as offer:
            self._decline(data[offer.args[0] :])
        self._watch(len(data))

    def _watch(self, size: int) -> None:
        if self._in_head:
            self._head_bytes += size
            if self._head_bytes > self.max_header_bytes:
                self._refuse("headers_too_large")
            else:
                self._arm(self.header_timeout_s)
        elif not self._answered:
            self._disarm()
        elif not self._in_body:
            # Bytes between two requests that begin none: empty lines.
            self._arm(self.header_timeout_s)

    @property
    def _answered(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def on_message_begin(self) -> None:
        """A new head begins."""
        super().on_message_begin()
        self._in_head = True
        self._head_bytes = 0

    def on_headers_complete(self) -> None:
        """The head is complete."""
        self._in_head = False
        self._in_body = True
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """The request is complete; with an offer to upgrade, its body is still to come."""
        if self.parser.should_upgrade() and self._body_header() is not None:
            return
        self.request_is_complete()

    def request_is_complete(self) -> None:
        """Nothing more of this request is to come."""
        self._in_body = False
        if self._answered:
            self._disarm()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """The answer is out; what is left of the request's body must not take for ever."""
        super().on_response_complete()
        if self._last_word is not None and self._answered and not self.pipeline:
            self._last_word()
        elif self._in_body:
            self._arm(self.body_timeout_s)

    def _decline(self, rest: bytes) -> None:
        """Go on as if no upgrade had been offered; a parser is of no use after an offer."""
        header = self._body_header()
        if header is None:
            self.parser = _new_parser(self)
        else:
            self.parser = _new_parser(_RestOfRequest(self))
            self.parser.feed_data(b"POST / HTTP/1.1\r\n%b: %b\r\n\r\n" % header)
        if rest:
            self.data_received(rest)

    def start_afresh(self) -> None:
        """Expect new requests after one that offered to upgrade."""
        self.parser = _new_parser(self)

    def _body_header(self) -> tuple[bytes, bytes] | None:
        for name, value in self.headers:
            if name == b"transfer-encoding" or (name == b"content-length" and value != b"0"):
                return name, value
        return None

    def _end(self, last_word: Callable[[], None]) -> None:
        """Say a last word, after the answers that are still due."""
        if not self._answered and (self._in_head or not self._in_body):
            self._last_word = last_word
        else:
            last_word()

    def _arm(self, seconds: float) -> None:
        if self._head_timer is None:
            self._head_timer = self.loop.call_later(seconds, self._late)

    def _disarm(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _late(self) -> None:
        # A connection that has sent nothing at all is closed without a word.
        if not self.transport.is_closing():
            self.transport.close()

    def _refuse(self, code: str) -> None:
        self._disarm()
        if self.transport.is_closing():
            return
        request_id = new_id("req", time.time_ns() // 1_000_000, secrets.token_bytes)
        body = envelope.failure(request_id, Problem(code))
        head = (
            STATUS_LINE[CODES[code].status]
            + b"content-type: application/json\r\nconnection: close\r\ncache-control: no-store\r\n"
            + b"x-content-type-options: nosniff\r\nx-request-id: "
            + request_id.encode()
            + b"\r\ncontent-length: "
            + str(len(body)).encode()
            + b"\r\n\r\n"
        )
        self.transport.write(head + body)
        self.transport.close()


class _RestOfRequest:
    """Takes the body of a request whose parser stopped at an offer to upgrade."""

    def __init__(self, protocol: FrontProtocol) -> None:
        self._protocol = protocol
        self.on_body = protocol.on_body

    def on_message_complete(self) -> None:
        """The request is whole; the next one gets a parser of its own."""
        self._protocol.request_is_complete()
        self._protocol.start_afresh()


def _new_parser(target: object) -> Any:
    parser = httptools.HttpRequestParser(target)
    parser.set_dangerous_leniencies(lenient_data_after_close=True)
    return parser


def listen(host: str, port: int) -> socket.socket:
    """Take the port, or say that somebody else has it."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as error:
        raise Conflict(f"cannot listen on {host}, port {port}: {error.strerror}") from None
    return listener


def serve(application: Any, settings: Settings, metrics: Metrics, listener: socket.socket) -> None:
    """Serve until told to stop; what is in flight then finishes first."""

    class Bounded(FrontProtocol):
        """The protocol with this server's limits."""

        header_timeout_s = settings.header_timeout_ms / 1000
        body_timeout_s = settings.body_timeout_ms / 1000
        max_header_bytes = settings.max_header_bytes

    if settings.metrics_port:
        prometheus_client.start_http_server(
            settings.metrics_port, settings.metrics_host, metrics.registry
        )
    config = uvicorn.Config(
        application,
        loop="uvloop",
        http=Bounded,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=settings.keep_alive_s,
        timeout_graceful_shutdown=settings.stop_timeout_s,
        backlog=2048,
        ssl_certfile=settings.tls_cert_file or None,
        ssl_keyfile=settings.tls_key_file or None,
    )
    server = uvicorn.Server(config)

    def stop(*_: object) -> None:
        server.should_exit = True

    # For signals before uvicorn listens to them, and for the one it repeats when it is done.
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    server.run(sockets=[listener])
