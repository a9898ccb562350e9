"""A host on a local port that does with each message what a test tells it."""

import asyncio
import ssl
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Final, Self, cast

import uvloop

from gatehouse.connectors.iso8583.connector import Iso8583Connector
from gatehouse.connectors.iso8583.dialect import Dialect, Unpacked
from gatehouse.connectors.iso8583.link.framing import Framing
from gatehouse.connectors.iso8583.link.pool_options import Host, PoolOptions
from gatehouse.connectors.iso8583.payments import PaymentCodes
from gatehouse.connectors.iso8583.reading import shipped_dialect
from gatehouse.connectors.iso8583.roles import MessageKind, Role
from tests.harness.waiting import PATIENCE_S

REFERENCE: Final = Dialect(shipped_dialect("reference"))
NETWORK: Final = frozenset({MessageKind.SIGN_ON, MessageKind.SIGN_OFF, MessageKind.ECHO})
NOW_MS: Final = 1_700_000_000_000  # 14 November 2023, 22:13:20


def run(play: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run a play on the event loop that servers have."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(play())


async def until(holds: Callable[[], object]) -> None:
    """Wait for what must come."""
    async with asyncio.timeout(PATIENCE_S):
        while not holds():  # noqa: ASYNC110 - sockets on two sides set no event
            await asyncio.sleep(0.001)


class HostSide(asyncio.Protocol):
    """One connection, seen from the host."""

    def __init__(self, host: "PlayHost") -> None:
        self.host = host
        self.is_open = True
        self.framing = Framing(host.dialect.framing)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.host.sides.append(self)

    def connection_lost(self, error: Exception | None) -> None:
        self.is_open = False

    def data_received(self, data: bytes) -> None:
        self.host.reads += 1
        for body in self.framing.feed(data):
            message = self.host.dialect.unpack(body)
            if message.kind.answer is None:
                self.host.answers.append(message)
            elif message.kind in NETWORK:
                self.host.network.append(message)
                if not self.host.is_deaf:
                    self.answer(message)
            else:
                self.host.asked.append(message)
                self.host.behave(self, message)

    def framed(self, asked: Unpacked, **changes: str) -> bytes:
        """The answer to a message, with some values changed."""
        kind = asked.kind.answer
        assert kind is not None
        values = dict(asked.values) | {Role.RESPONSE_CODE: "00"}
        values |= {Role(name): value for name, value in changes.items()}
        return self.framing.frame(self.host.dialect.pack(kind, values))

    def answer(self, asked: Unpacked, **changes: str) -> None:
        self.say(self.framed(asked, **changes))

    def say(self, data: bytes) -> None:
        if self.is_open:
            self.transport.write(data)

    def send(self, kind: MessageKind, values: dict[Role, str]) -> None:
        """Say something without being asked."""
        self.transport.write(self.framing.frame(self.host.dialect.pack(kind, values)))


def well(side: HostSide, message: Unpacked) -> None:
    """Approve everything."""
    side.answer(message)


def silent(_side: HostSide, _message: Unpacked) -> None:
    """Answer nothing."""


class PlayHost:
    """Listens while it is entered; answers sign-on and echo by itself unless it is deaf."""

    def __init__(self, dialect: Dialect = REFERENCE, context: ssl.SSLContext | None = None) -> None:
        self.dialect = dialect
        self.behave: Callable[[HostSide, Unpacked], None] = well
        self.asked: list[Unpacked] = []
        self.network: list[Unpacked] = []
        self.answers: list[Unpacked] = []
        """To what it asked itself."""
        self.reads = 0
        self.sides: list[HostSide] = []
        self.is_deaf = False
        self.port = 0
        self._context = context

    @property
    def open_sides(self) -> list[HostSide]:
        return [side for side in self.sides if side.is_open]

    def kinds(self) -> list[MessageKind]:
        return [message.kind for message in self.asked]

    async def listen(self) -> None:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(
            lambda: HostSide(self), "127.0.0.1", self.port, ssl=self._context
        )
        self.port = self._server.sockets[0].getsockname()[1]

    async def shut(self) -> None:
        """Go away without a word; what was connected is reset."""
        self._server.close()
        for side in self.open_sides:
            side.transport.abort()
        await until(lambda: not self.open_sides)

    async def __aenter__(self) -> Self:
        await self.listen()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.shut()


def connector_to(host: PlayHost, **options: object) -> Iso8583Connector:
    """A connector that is quick to connect again."""
    chosen = PoolOptions(
        hosts=[Host("127.0.0.1", host.port)],
        connections=1,
        timeout_s=PATIENCE_S,
        connect_s=PATIENCE_S,
        least_backoff_s=0.001,
        most_backoff_s=0.01,
        echo_s=0.0,
    )._replace(**options)  # type: ignore[arg-type]  # of several types
    return Iso8583Connector(host.dialect, chosen, PaymentCodes(), lambda: NOW_MS)


def be_patient(connector: Iso8583Connector) -> None:
    """From now on nothing is given up because the machine is busy."""
    options = connector.pool.options
    connector.pool.options = options._replace(timeout_s=PATIENCE_S, connect_s=PATIENCE_S)


def end_time_limits(connector: Iso8583Connector) -> None:
    """Give up everything that waits for an answer, as its timer would."""
    exchange = connector.pool.exchange
    for link in [*connector.pool.links]:
        for pending in [*link.waiting]:
            exchange._time_out(pending, 0)


def with_host(
    play: Callable[[PlayHost, Iso8583Connector], Coroutine[Any, Any, None]], **options: object
) -> None:
    """Run a play with a host and a connector that is connected; in the end nothing is left."""

    async def whole() -> None:
        async with PlayHost() as host:
            connector = connector_to(host, **options)
            await connector.start()
            await until(lambda: connector.state().problem is None)
            try:
                await play(host, connector)
            finally:
                await connector.stop()
            await until(lambda: not host.open_sides)
            assert connector.state().connections == 0
            assert connector.state().in_flight == 0
        assert asyncio.all_tasks() == {asyncio.current_task()}

    run(whole)
