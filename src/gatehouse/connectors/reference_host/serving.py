"""Runs the reference host: listens, serves both protocols, and ends cleanly."""

import asyncio
import os
import signal
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Final

import msgspec
import uvloop

from gatehouse.connectors.iso8583.dialect import Dialect
from gatehouse.connectors.reference_host.certificates import HostTls, host_context
from gatehouse.connectors.reference_host.connection import HostConnection
from gatehouse.connectors.reference_host.host import ReferenceHost
from gatehouse.connectors.reference_host.http_connection import HttpConnection
from gatehouse.connectors.reference_host.http_routes import HttpRoutes
from gatehouse.connectors.reference_host.iso8583_answers import Iso8583Answers
from gatehouse.connectors.reference_host.iso8583_connection import Iso8583Connection
from gatehouse.connectors.reference_host.journal import HostJournal, read_journal
from gatehouse.connectors.reference_host.misbehaviour import HostFate, HostMisbehaviour
from gatehouse.core.clock import Clock
from gatehouse.core.errors import Conflict, WrongUsage

_BACKLOG: Final = 2048
_CLOSING_S: Final = 0.5
"""For callers to notice that their connections end."""


class HostOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a reference host is run."""

    dialect: Dialect
    token: str
    """What HTTP callers must show; it is a secret of this host alone."""
    address: str = "127.0.0.1"
    iso8583_port: int = 0
    http_port: int = 0
    tls: HostTls | None = None
    journal_file: Path | None = None
    resume: bool = False
    """Whether the journal is read back, instead of begun anew."""
    misbehaviour: HostMisbehaviour = HostMisbehaviour()

    def __post_init__(self) -> None:
        if self.resume and self.journal_file is None:
            raise WrongUsage("--resume reads a journal back: name it with --journal")
        if self.tls is None and HostFate.TLS_FAILURE in self.misbehaviour.shares:
            raise WrongUsage("--misbehave tls-failure needs --tls")


class RunningHost(msgspec.Struct, frozen=True):
    """A host that serves."""

    host: ReferenceHost
    iso8583_port: int
    http_port: int


@asynccontextmanager
async def serve_host(options: HostOptions, clock: Clock) -> AsyncIterator[RunningHost]:
    """Serve both protocols until the end of the context."""
    with closing(HostJournal(options.journal_file, resume=options.resume)) as journal:
        host = ReferenceHost(clock, journal, options.misbehaviour)
        if options.resume and options.journal_file is not None:
            for line in read_journal(options.journal_file):
                if line.direction == "received":
                    host.memory.note(line)
        tls = None if options.tls is None else host_context(options.tls, host.fails_handshake)
        connections = (
            (options.iso8583_port, _iso8583(host, options.dialect)),
            (options.http_port, _http(host, options.token, with_tls=tls is not None)),
        )
        servers: list[asyncio.Server] = []
        try:
            for port, connection in connections:
                servers.append(await _listen(connection, options.address, port, tls))
            yield RunningHost(host, *map(_port, servers))
        finally:
            await _stop(host, servers)


def run_host(options: HostOptions, clock: Clock, ready: Callable[[RunningHost], None]) -> None:
    """Serve until a signal comes; `ready` is called when the host can be reached."""

    async def run() -> None:
        stopped = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, stopped.set)
        async with serve_host(options, clock) as running:
            ready(running)
            await stopped.wait()

    uvloop.run(run())


def _iso8583(host: ReferenceHost, dialect: Dialect) -> Callable[[], HostConnection]:
    answers = Iso8583Answers(host, dialect)
    return lambda: Iso8583Connection(host, answers, dialect.framing)


def _http(host: ReferenceHost, token: str, *, with_tls: bool) -> Callable[[], HostConnection]:
    routes = HttpRoutes(host, with_tls=with_tls)
    return lambda: HttpConnection(host, routes, token.encode())


async def _listen(
    connection: Callable[[], HostConnection], address: str, port: int, tls: ssl.SSLContext | None
) -> asyncio.Server:
    try:
        return await asyncio.get_running_loop().create_server(
            connection, address, port, ssl=tls, backlog=_BACKLOG
        )
    except OSError as error:
        is_name = isinstance(error, socket.gaierror) or not error.errno
        reason = "no such address" if is_name else os.strerror(error.errno or 0)
        raise Conflict(f"cannot listen on {address}, port {port}: {reason}") from None


def _port(server: asyncio.Server) -> int:
    port: int = server.sockets[0].getsockname()[1]
    return port


async def _stop(host: ReferenceHost, servers: list[asyncio.Server]) -> None:
    host.notices.stop()
    for server in servers:
        server.close()
    ending = list(host.connections)
    for connection in ending:
        connection.close()
    if ending:
        await asyncio.wait([each.closed for each in ending], timeout=_CLOSING_S)
    for connection in list(host.connections):
        connection.abort()
    await asyncio.sleep(0)
