"""The HTTP server: listens, and runs uvicorn with connections that have limits."""

import asyncio
import logging
import signal
import socket
import sys
from typing import Any, Final

import prometheus_client
import uvicorn
from uvicorn.config import STARTUP_FAILURE

from gatehouse.core.errors import Conflict
from gatehouse.settings import Settings
from gatehouse.web.logs import ThrottledLog
from gatehouse.web.metrics import Metrics
from gatehouse.web.protocol import FrontProtocol, Limits

_log: Final = logging.getLogger("gatehouse.web")


class HttpServer(uvicorn.Server):
    """Uvicorn's server, with connections that have limits."""

    def __init__(self, config: uvicorn.Config, limits: Limits) -> None:
        super().__init__(config)
        self._limits = limits
        self._refusals = ThrottledLog(_log)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start the application, then listen."""
        await self.lifespan.startup()
        if self.lifespan.should_exit:
            sys.exit(STARTUP_FAILURE)
        loop = asyncio.get_running_loop()
        tls = self.config.ssl
        self.servers = [
            await loop.create_server(
                self._connection,
                sock=listener,
                ssl=tls,
                backlog=self.config.backlog,
                ssl_handshake_timeout=self._limits.header_timeout_s if tls else None,
            )
            for listener in sockets or ()
        ]
        self.started = True

    def _connection(self) -> FrontProtocol:
        state = self.server_state, self.lifespan.state
        return FrontProtocol(self._limits, self._refusals, self.config, *state)


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
    if settings.metrics_port:
        prometheus_client.start_http_server(
            settings.metrics_port, settings.metrics_host, metrics.registry
        )
    config = uvicorn.Config(
        application,
        loop="uvloop",
        http="httptools",
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
    server = HttpServer(config, Limits.of(settings))

    def stop(*_: object) -> None:
        server.should_exit = True

    # For signals before uvicorn handles them, and for the one that it raises again at its end.
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    server.run(sockets=[listener])
