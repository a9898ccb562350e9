"""The HTTP server: uvicorn, with limits on time and size of heads and envelopes for refusals."""

import asyncio
import secrets
import signal
import socket
import time
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
    """One connection of uvicorn, with what its settings cannot express.

    Uvicorn's protocol for httptools has no limit on the time and size of a head, answers malformed
    requests in plain text, drops answers when the caller half-closes, and loses the body of a
    request that offers an upgrade, which Java's own client does with every one. A request that was
    charged must get its answer, so none of these can be left to it.
    """

    header_timeout_s = 10.0
    body_timeout_s = 10.0
    max_header_bytes = 32_768

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._in_head = True
        self._in_body = False
        self._head_bytes = 0
        self._timer: asyncio.TimerHandle | None = None

    # Uvicorn narrows the types of asyncio's protocol in these two, and so do we.
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Expect a head from now on."""
        super().connection_made(transport)
        self._start_timer(self.header_timeout_s)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        self._stop_timer()
        super().connection_lost(exc)

    def eof_received(self) -> bool:  # type: ignore[override]
        """Answer the requests of a caller that sends nothing more, then close."""
        if self._in_body or self._answered or self.scheme == "https":
            return False
        self.shutdown()
        return True

    def data_received(self, data: bytes) -> None:
        """Feed the parser, then check whether a head or a body is still incomplete."""
        self._unset_keepalive_if_required()
        left = data
        try:
            while left:
                left = self._feed(left)
        except httptools.HttpParserError:
            self.logger.warning("Invalid HTTP request received.")
            self._reject("malformed_http")
        else:
            self._check_progress(len(data))

    def _feed(self, data: bytes) -> bytes:
        """Feed the parser; returns what it has to be fed after an offer to upgrade."""
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as offer:
            return self._without_upgrade(data[offer.args[0] :])
        return b""

    def _check_progress(self, size: int) -> None:
        if self._in_head:
            self._head_bytes += size
            if self._head_bytes > self.max_header_bytes:
                self._reject("headers_too_large")
            else:
                self._start_timer(self.header_timeout_s)
        elif not self._answered:
            self._stop_timer()
        elif not self._in_body:
            # Empty lines between two requests do not begin a head, but must not go on for ever.
            self._start_timer(self.header_timeout_s)

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
        """The request is complete."""
        self._in_body = False
        if self._answered:
            self._stop_timer()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """The answer is sent; the rest of the request's body must arrive in time."""
        super().on_response_complete()
        if self._in_body:
            self._start_timer(self.body_timeout_s)

    def _should_upgrade(self) -> bool:
        # Uvicorn then takes no notice of the request, which is parsed again without the offer.
        return self._get_upgrade() is not None

    def _without_upgrade(self, rest: bytes) -> bytes:
        """The request without its offer, for a new parser: one that met an offer has stopped."""
        if not self._should_upgrade():
            raise httptools.HttpParserError("a CONNECT request")
        version = self.scope["http_version"]
        lines = [f"{self.scope['method']} ".encode() + self.url + f" HTTP/{version}".encode()]
        lines += [name + b": " + value for name, value in self.headers if name != b"upgrade"]
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)
        return b"\r\n".join([*lines, b"", rest])

    def _start_timer(self, seconds: float) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(seconds, self.timeout_keep_alive_handler)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _reject(self, code: str) -> None:
        """Close with an envelope, or after the answer that is still due to a complete request."""
        self._stop_timer()
        if self.transport.is_closing():
            return
        if not self._answered and not self._in_body:
            self.shutdown()
            return
        request_id = new_id("req", time.time_ns() // 1_000_000, secrets.token_bytes)
        body = envelope.failure(request_id, Problem(code))
        headers = (
            "content-type: application/json\r\nconnection: close\r\ncache-control: no-store\r\n"
            f"x-content-type-options: nosniff\r\nx-request-id: {request_id}\r\n"
            f"content-length: {len(body)}\r\n\r\n"
        )
        self.transport.write(STATUS_LINE[CODES[code].status] + headers.encode() + body)
        self.transport.close()


def listen(host: str, port: int) -> socket.socket:
    """Bind the port; `Conflict` when it is taken."""
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
    """Serve until a signal stops the server; requests in flight are answered first."""

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

    # For signals before uvicorn handles them, and for the one that it raises again at its end.
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    server.run(sockets=[listener])
