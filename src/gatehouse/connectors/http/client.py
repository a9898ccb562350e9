"""The client of one host over HTTP: keeps connections open, and shares them between requests.

It follows no redirects, keeps no cookies, and uses a proxy only where it is given one. It never
sends a request twice by itself.
"""

import asyncio
import errno
import socket
import ssl
from collections import deque
from collections.abc import Callable
from typing import Final

import msgspec

from gatehouse.connectors.http.http1 import Http1Connection
from gatehouse.connectors.http.http2 import Http2Connection
from gatehouse.connectors.http.wire import (
    LARGEST_HEAD,
    CallFailed,
    Connection,
    PartyAnswer,
    PartyRequest,
)
from gatehouse.core.wording.sentences import Phrase
from gatehouse.gateway.sending import refuse_late

_CLOSED: Final = Phrase("connector.is_closed", "the connector is closed")
_CONNECT_LATE: Final = Phrase("connector.connect_late", "no connection within the time limit")
_TLS_FAILED: Final = Phrase("connector.tls_failed", "TLS failed: {reason}")
_NO_CONNECTION: Final = Phrase("connector.no_connection", "no connection: {why}")

_IDLE_S: Final = 20.0
"""A connection that was idle for longer may have been closed by the other side unnoticed."""


class Endpoint(msgspec.Struct, frozen=True):
    """Where a client connects to."""

    host: str
    port: int
    is_secure: bool
    server_name: str | None = None
    """The name in the certificate, where it is not the host."""
    address: str | None = None
    """Where to connect to, if the host must not be looked up for it."""
    proxy: tuple[str, int] | None = None
    """Host and port of a proxy that connects to the address, for TLS alone."""

    @property
    def authority(self) -> bytes:
        """What requests call the host."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        usual = 443 if self.is_secure else 80
        return (host if self.port == usual else f"{host}:{self.port}").encode()


class _Negotiation(asyncio.Protocol):
    """Hands a new connection over to the version of HTTP that TLS has agreed on."""

    def __init__(self, authority: bytes, on_free: Callable[[], None]) -> None:
        self.chosen: Connection | None = None
        self._arguments = authority, on_free

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        channel = transport.get_extra_info("ssl_object")
        is_second = channel is not None and channel.selected_alpn_protocol() == "h2"
        self.chosen = (Http2Connection if is_second else Http1Connection)(*self._arguments)
        transport.set_protocol(self.chosen)
        self.chosen.connection_made(transport)


class HttpClient:
    """Sends requests to one host."""

    def __init__(
        self,
        endpoint: Endpoint,
        context: ssl.SSLContext | None,
        *,
        connections: int,
        connect_timeout_s: float,
    ) -> None:
        self._endpoint = endpoint
        self._context = context
        self._most = connections
        self._connect_timeout_s = connect_timeout_s
        self._open: list[Connection] = []
        self._opening = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._is_closed = False

    @property
    def connections(self) -> int:
        """Open and usable ones."""
        return sum(connection.is_usable for connection in self._open)

    @property
    def is_busy(self) -> bool:
        """Whether any request waits for its answer or a connection."""
        waiting = self._opening or self._waiting
        return bool(waiting) or any(connection.in_flight for connection in self._open)

    async def ask(self, request: PartyRequest) -> PartyAnswer:
        """The answer to a request; or `CallFailed`. The caller bounds the time by cancelling."""
        while True:
            connection = await self._connection()
            refuse_late()
            try:
                return await connection.ask(request)
            except CallFailed as failure:
                if failure.sent:
                    raise
                # Closed while it was idle: nothing was sent, so another connection takes it.

    async def connect(self) -> None:
        """Open a connection if there is none, so that the first request need not wait for it."""
        if not self._open and not self._opening:
            await self._new_connection()
            self._wake()

    def close(self) -> None:
        """Close all connections; what waits fails."""
        self._is_closed = True
        for connection in self._open:
            connection.close()
        self._open.clear()
        self._wake()

    async def _connection(self) -> Connection:
        """A connection with room for one more request."""
        while True:
            if self._is_closed:
                raise CallFailed(_CLOSED(), sent=False)
            connection = self._usable()
            if connection is not None:
                return connection
            if len(self._open) + self._opening < self._most:
                opened = await self._new_connection()
                if opened.has_room:
                    return opened
                continue
            waiting = asyncio.get_running_loop().create_future()
            self._waiting.append(waiting)
            try:
                await waiting
            except asyncio.CancelledError:
                if waiting.done() and not waiting.cancelled():
                    self._wake()
                raise

    def _usable(self) -> Connection | None:
        """The connection that was used last, among those with room; old ones are closed."""
        oldest = asyncio.get_running_loop().time() - _IDLE_S
        for connection in [*self._open]:
            old = connection.in_flight == 0 and connection.idle_since < oldest
            if old or not connection.is_usable:
                self._open.remove(connection)
                if connection.in_flight == 0:
                    connection.close()
        for connection in reversed(self._open):
            if connection.has_room:
                return connection
        return None

    async def _new_connection(self) -> Connection:
        self._opening += 1
        try:
            async with asyncio.timeout(self._connect_timeout_s):
                connection = await self._connect()
        except TimeoutError:
            raise CallFailed(_CONNECT_LATE(), sent=False) from None
        except ssl.SSLError as error:
            reason = error.reason or type(error).__name__
            raise CallFailed(_TLS_FAILED(reason=reason), sent=False) from None
        except (OSError, UnicodeError) as error:
            why = getattr(error, "strerror", None) or type(error).__name__
            raise CallFailed(_NO_CONNECTION(why=why), sent=False) from None
        finally:
            self._opening -= 1
            if len(self._open) + self._opening < self._most:
                self._wake()
        if self._is_closed:
            connection.close()
            raise CallFailed(_CLOSED(), sent=False)
        self._open.append(connection)
        return connection

    async def _connect(self) -> Connection:
        endpoint = self._endpoint
        name = (endpoint.server_name or endpoint.host) if endpoint.is_secure else None
        host = endpoint.address or endpoint.host
        tls = self._context if endpoint.is_secure else None
        loop = asyncio.get_running_loop()

        def begin() -> _Negotiation:
            return _Negotiation(endpoint.authority, self._wake)

        if endpoint.proxy is None:
            _, negotiation = await loop.create_connection(
                begin, host, endpoint.port, ssl=tls, server_hostname=name
            )
        else:
            tunnel = await _tunnel(endpoint.proxy, host, endpoint.port)
            _, negotiation = await loop.create_connection(
                begin, sock=tunnel, ssl=tls, server_hostname=name
            )
        assert negotiation.chosen is not None
        return negotiation.chosen

    def _wake(self) -> None:
        """Let the next request that waits look for a connection."""
        while self._waiting:
            waiting = self._waiting.popleft()
            if not waiting.done():
                waiting.set_result(None)
                if not self._is_closed:
                    return


async def _tunnel(proxy: tuple[str, int], host: str, port: int) -> socket.socket:
    """A connection through a proxy (CONNECT); `OSError` when the proxy will not make one."""
    loop = asyncio.get_running_loop()
    [(family, kind, number, _, address), *_] = await loop.getaddrinfo(
        *proxy, type=socket.SOCK_STREAM
    )
    connection = socket.socket(family, kind, number)
    try:
        connection.setblocking(False)
        await loop.sock_connect(connection, address)
        named = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        asked = f"CONNECT {named} HTTP/1.1\r\nhost: {named}\r\n\r\n"
        await loop.sock_sendall(connection, asked.encode())
        await _read_head(connection)
    except BaseException:
        connection.close()
        raise
    return connection


async def _read_head(connection: socket.socket) -> None:
    """Read the proxy's answer, byte by byte at its end: what follows belongs to TLS."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        part = await asyncio.get_running_loop().sock_recv(connection, 1)
        head += part
        if not part or len(head) > LARGEST_HEAD:
            raise OSError(errno.ECONNREFUSED, "the proxy did not answer as one")
    status = head.split(b" ", 2)[1:2]
    if not head.startswith(b"HTTP/1.") or status != [b"200"]:
        raise OSError(errno.ECONNREFUSED, "the proxy made no connection")
