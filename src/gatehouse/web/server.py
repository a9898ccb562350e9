"""The HTTP server: uvicorn with limits on heads that never end, and envelopes where it has text."""

import asyncio
import secrets
import signal
import socket
import time
from typing import Any

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
    """One connection. A head must arrive within a time and a size, or the connection ends."""

    header_timeout_s = 10.0
    max_header_bytes = 32_768

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._in_head = True
        self._head_bytes = 0
        self._head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Expect a head from now on."""
        super().connection_made(transport)
        self._arm()

    def connection_lost(self, exc: Exception | None) -> None:
        """Expect nothing any more."""
        self._disarm()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Feed the parser, then see whether the head is still incomplete."""
        super().data_received(data)
        if not self._in_head:
            if self._head_timer is not None:
                self._disarm()
            return
        self._head_bytes += len(data)
        if self._head_bytes > self.max_header_bytes:
            self._refuse("headers_too_large")
        elif self._head_timer is None:
            self._arm()

    def on_message_begin(self) -> None:
        """A new head begins."""
        super().on_message_begin()
        self._in_head = True
        self._head_bytes = 0

    def on_headers_complete(self) -> None:
        """The head is complete."""
        self._in_head = False
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        """Answer what is not HTTP with the envelope, too."""
        self._refuse("malformed_http")

    def _arm(self) -> None:
        self._head_timer = self.loop.call_later(self.header_timeout_s, self._late)

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
    # Uvicorn repeats the signal that stopped it; a stop that went well is not a failure.
    signal.signal(signal.SIGTERM, lambda *_: None)
    signal.signal(signal.SIGINT, lambda *_: None)
    uvicorn.Server(config).run(sockets=[listener])
