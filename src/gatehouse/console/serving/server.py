"""Serves the console: uvicorn with bounds on headers, connections and silence."""

import asyncio
import signal
import socket
import sys
import threading
from typing import Final

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from gatehouse.admin.sign_in.use_cases.sessions import SessionLimits
from gatehouse.admin.sign_in.use_cases.sign_in import SignIn
from gatehouse.console.app import Application
from gatehouse.console.desk import Desk
from gatehouse.console.routes import DECLARED
from gatehouse.core.errors import SettingsError
from gatehouse.settings.settings import Settings
from gatehouse.store.admin.admin_session import AdminSession

_HEADER_BYTES: Final = 16 * 1024
_CONNECTIONS: Final = 512
_SILENCE_S: Final = 20.0
_KEEP_ALIVE_S: Final = 15
_STOP_S: Final = 5
_TICK_S: Final = 0.5
"""How often it looks whether it is to stop; uvicorn's own loop does ten times a second."""


class BoundedProtocol(H11Protocol):
    """A connection that is closed when no whole request comes for a while."""

    _seen: object = None

    def connection_made(self, transport: object) -> None:
        """Begin to watch for silence."""
        super().connection_made(transport)  # type: ignore[arg-type]  # as uvicorn gives it
        self.loop.call_later(_SILENCE_S, self._look)

    def _look(self) -> None:
        if self.transport.is_closing():
            return
        waiting = self.cycle is None or self.cycle.response_complete
        if waiting and self._seen is self.cycle:
            self.transport.close()
            return
        # A browser that sends its headers a byte at a time has a second look to finish them.
        self._seen = self.cycle if waiting else self
        self.loop.call_later(_SILENCE_S, self._look)


class RestingServer(uvicorn.Server):
    """Uvicorn's server, which next to nothing wakes while nobody looks at pages."""

    async def main_loop(self) -> None:
        """Serve until it is to stop."""
        while not await self.on_tick(0):  # noqa: ASYNC110  # signals and a thread set a flag
            await asyncio.sleep(_TICK_S)


def make_desk(session: AdminSession, settings: Settings) -> Desk:
    """The console over the data that the settings name."""
    if settings.is_production and not settings.effective_console_url.startswith("https://"):
        raise SettingsError(
            "production needs GATEHOUSE_CONSOLE_URL, the https address at which people open the "
            "console"
        )
    sign_in = SignIn(session, limits=SessionLimits.of(settings))
    desk = Desk(sign_in, settings, DECLARED)
    # What is set wrong is said at the start, not to the first person who signs in.
    _ = desk.single_sign_on
    return desk


def serve(desk: Desk, listener: socket.socket, *, with_parent: bool = False) -> None:
    """Serve until a signal comes or, with a parent, until that ends."""
    settings = desk.settings
    config = uvicorn.Config(
        Application(desk).asgi(),
        http=BoundedProtocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        h11_max_incomplete_event_size=_HEADER_BYTES,
        limit_concurrency=_CONNECTIONS,
        timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_graceful_shutdown=_STOP_S,
        ssl_certfile=settings.tls_cert_file or None,
        ssl_keyfile=settings.tls_key_file or None,
    )
    server = RestingServer(config)

    def stop(*_: object) -> None:
        server.should_exit = True

    # For signals before uvicorn handles them, and for the one that it raises again at its end.
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    if with_parent:
        threading.Thread(target=_stop_with_parent, args=(server,), daemon=True).start()
    try:
        server.run(sockets=[listener])
    finally:
        desk.close()


def _stop_with_parent(server: uvicorn.Server) -> None:
    """The parent holds the other end of standard input, and lets go of it however it ends."""
    while sys.stdin.buffer.read(1024):
        pass
    server.should_exit = True
