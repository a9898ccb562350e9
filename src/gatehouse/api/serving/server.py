"""The HTTP server: listens, and runs uvicorn with connections that have limits."""

import asyncio
import contextlib
import logging
import signal
import socket
import ssl
import sys
import time
from collections.abc import Callable, Collection
from types import FrameType
from typing import Any, Final, NamedTuple, Protocol

import uvicorn
from uvicorn.config import STARTUP_FAILURE

from gatehouse.api.logs import ThrottledLog
from gatehouse.api.metrics.metrics import Metrics
from gatehouse.api.metrics.worker_metrics import serve_metrics
from gatehouse.api.serving.connection_limits import Limits
from gatehouse.api.serving.protocol import FrontProtocol
from gatehouse.api.serving.refusals import ShedAnswers
from gatehouse.api.serving.shedding import LoadGate
from gatehouse.core.listening import listen
from gatehouse.settings.settings import Settings

_log: Final = logging.getLogger("gatehouse.web")
_TICK_S: Final = 0.1
_IDLE_TICK_S: Final = 1.0
"""The header with the date must be right to the second."""
_ENDING_S: Final = 5.0
"""For requests that are ended to give back what they hold."""
_PAUSE_S: Final = 0.1
"""Before another attempt when there is no file descriptor for a connection."""


class TlsListener:
    """Accepts TLS connections, and counts those whose handshake goes on among all others.

    A listener of the event loop tells nobody of a connection before its handshake has ended, so
    silent ones would not count, and could take all file descriptors.
    """

    def __init__(
        self,
        listener: socket.socket,
        tls: ssl.SSLContext,
        limits: Limits,
        connection: Callable[[], FrontProtocol],
        connections: Collection[object],
        log: ThrottledLog,
    ) -> None:
        self._listener = listener
        self._tls = tls
        self._limits = limits
        self._connection = connection
        self._connections = connections
        self._log = log
        self._handshakes: set[asyncio.Task[None]] = set()
        self._accepting = asyncio.create_task(self._accept())

    def close(self) -> None:
        """Accept nothing more, and end the handshakes."""
        for task in (self._accepting, *self._handshakes):
            task.cancel()

    async def wait_closed(self) -> None:
        """Return when nothing of it runs any more."""
        await asyncio.gather(self._accepting, *self._handshakes, return_exceptions=True)

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                caller, address = await loop.sock_accept(self._listener)
            except OSError as error:
                self._log.warning("a connection was not accepted", reason=error.strerror)
                await asyncio.sleep(_PAUSE_S)
                continue
            if len(self._connections) + len(self._handshakes) >= self._limits.connections:
                caller.close()
                self._log.warning("a connection was refused", code="overloaded", address=address[0])
                continue
            task = asyncio.create_task(self._shake_hands(caller))
            self._handshakes.add(task)
            task.add_done_callback(self._handshakes.discard)

    async def _shake_hands(self, caller: socket.socket) -> None:
        # What fails here is the caller's affair; the event loop has closed the connection then.
        with contextlib.suppress(OSError):
            await asyncio.get_running_loop().connect_accepted_socket(
                self._connection,
                caller,
                ssl=self._tls,
                ssl_handshake_timeout=self._limits.header_timeout_s,
            )


class HttpServer(uvicorn.Server):
    """Uvicorn's server, with connections that have limits and a time to drain before it stops."""

    def __init__(
        self, config: uvicorn.Config, settings: Settings, service: "ServedApplication"
    ) -> None:
        super().__init__(config)
        self._limits = Limits.of(settings, service.gate)
        self._drain_s = settings.effective_drain_s
        self._address = settings.base_url
        self._refuse_traffic = service.refuse_traffic
        self._refusals = ThrottledLog(_log)
        self._shed_answers = ShedAnswers(_log)
        self._stops = asyncio.Event()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop gracefully on the first signal, of whichever kind, and at once on the second."""
        self.force_exit = self.should_exit
        super().handle_exit(sig, frame)
        self._refuse_traffic()
        asyncio.get_running_loop().call_soon_threadsafe(self._stops.set)

    async def main_loop(self) -> None:
        """Serve until a signal comes, and then for as long as load balancers need to notice."""
        _log.info("ready", extra={"address": self._address})
        # Uvicorn's own loop looks ten times as often for a signal, also in an idle server.
        while not await self.on_tick(0):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_IDLE_TICK_S):
                    await self._stops.wait()
        about = {"drainS": self._drain_s, "connections": len(self.server_state.connections)}
        _log.info("stopping", extra=about)
        # A caller that keeps its connection must learn that it ends, or its next request is lost.
        self.config.encoded_headers.append((b"connection", b"close"))
        ends_at = time.monotonic() + self._drain_s
        while time.monotonic() < ends_at and not self.force_exit:
            await self.on_tick(0)
            await asyncio.sleep(_TICK_S)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop listening, wait for the requests in flight, and stop the application."""
        _log.info("no longer listening", extra={"inFlight": len(self.server_state.tasks)})
        await super().shutdown(sockets)
        if self.force_exit:
            await self._end_at_once()
            await self.lifespan.shutdown()
        _log.info("stopped")

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start the application, then listen."""
        await self.lifespan.startup()
        if self.lifespan.should_exit:
            sys.exit(STARTUP_FAILURE)
        self.servers = [await self._listen(listener) for listener in sockets or ()]
        self.started = True

    async def _end_at_once(self) -> None:
        """End the requests in flight: each is told to come again, and its hold is given back."""
        unfinished = list(self.server_state.tasks)
        for task in unfinished:
            task.cancel()
        if unfinished:
            await asyncio.wait(unfinished, timeout=_ENDING_S)

    async def _listen(self, listener: socket.socket) -> Any:
        backlog, tls = self.config.backlog, self.config.ssl
        if tls is None:
            loop = asyncio.get_running_loop()
            return await loop.create_server(self._connection, sock=listener, backlog=backlog)
        listener.setblocking(False)
        listener.listen(backlog)
        connections = self.server_state.connections
        return TlsListener(
            listener, tls, self._limits, self._connection, connections, self._refusals
        )

    def _connection(self) -> FrontProtocol:
        state = self.server_state, self.lifespan.state
        refusals = self._refusals, self._shed_answers
        return FrontProtocol(self._limits, refusals, self.config, *state)


class Listeners(NamedTuple):
    """The ports that were taken already."""

    api: socket.socket
    metrics: socket.socket | None = None
    """None: the port for metrics is taken here if the settings want one."""


class ServedApplication(Protocol):
    """What is served."""

    application: Any
    metrics: Metrics
    gate: LoadGate

    def refuse_traffic(self) -> None:
        """Tell load balancers that the server stops; called within the signal."""


def serve(service: ServedApplication, settings: Settings, listeners: Listeners) -> None:
    """Serve until a signal stops the server; requests in flight are answered first."""
    listener, metrics_listener = listeners
    metrics = service.metrics
    if settings.metrics_port:
        serve_metrics(
            metrics_listener or listen(settings.metrics_host, settings.metrics_port), metrics.shown
        )
    config = uvicorn.Config(
        service.application,
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
    server = HttpServer(config, settings, service)
    metrics.watch("gatehouse_connections", lambda: len(server.server_state.connections))

    def stop(*_: object) -> None:
        server.should_exit = True

    # For signals before uvicorn handles them, and for the one that it raises again at its end.
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    server.run(sockets=[listener])
