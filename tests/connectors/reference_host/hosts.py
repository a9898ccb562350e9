"""Reference hosts on threads of the tests' own process, and callers of both protocols."""

import asyncio
import contextlib
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cache
from typing import Any

import httpx
import uvloop

from gatehouse.connectors.iso8583.dialect import Dialect, Unpacked
from gatehouse.connectors.iso8583.link.framing import Framing
from gatehouse.connectors.iso8583.reading import shipped_dialect
from gatehouse.connectors.iso8583.roles import MessageKind, Role
from gatehouse.connectors.reference_host.serving import HostOptions, RunningHost, serve_host
from gatehouse.connectors.sandbox.parties import SandboxIssuer
from gatehouse.connectors.sandbox.triggers import all_triggers
from gatehouse.core.cards.numbers import CardNumber, ExpiryDate, SecurityCode
from gatehouse.precheck.issuer import CardEnquiry, IssuerAnswer
from tests.harness import PATIENCE_S

TOKEN = "token-of-the-tests"
CARD = "4242424242424242"
STREET, POSTAL_CODE = "1 Market Street", "94105"


@cache
def dialect(name: str = "reference") -> Dialect:
    return Dialect(shipped_dialect(name))


@dataclass
class TriggerCase:
    """A check with one trigger of the sandbox, and what the sandbox itself answers."""

    effect: str
    number: str
    code: str
    street: str
    postal_code: str
    answer: IssuerAnswer


@cache
def trigger_cases() -> list[TriggerCase]:
    """Every trigger that an issuer sees and answers."""
    usual = {
        "cardNumber": CARD,
        "cardCvv2Value": "123",
        "cardAddress.street": STREET,
        "cardAddress.postalCode": POSTAL_CODE,
    }
    cases = []
    for row in all_triggers():
        if row.field in usual and not row.silent:
            number, code, street, postal_code = (usual | {row.field: row.value}).values()
            enquiry = CardEnquiry(
                "",
                CardNumber.parse(number),
                ExpiryDate(2035, 12),
                SecurityCode.parse(code),
                postal_code,
                street,
            )
            answer = asyncio.run(SandboxIssuer().check(enquiry))
            cases.append(TriggerCase(row.effect, number, code, street, postal_code, answer))
    return cases


@dataclass
class HostThread:
    """A host that runs, seen from a test."""

    running: RunningHost
    client: httpx.Client
    tls: ssl.SSLContext | None
    dialect: Dialect

    def post(self, path: str, **body: Any) -> Any:
        """What the host answers, which must be 200."""
        answer = self.client.post(path, json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def summary(self) -> dict[str, int]:
        found: dict[str, int] = self.client.get("/v1/journal/summary").json()
        return found

    @contextlib.contextmanager
    def misbehaving(self, fate: str, share: float = 1.0, slow_ms: int = 30) -> Iterator[None]:
        """Let one share of the answers go wrong for a while."""
        body = {"shares": {fate: share}, "slowMs": slow_ms}
        assert self.client.put("/v1/misbehaviour", json=body).status_code == 200
        try:
            yield
        finally:
            assert self.client.put("/v1/misbehaviour", json={}).status_code == 200

    @contextlib.contextmanager
    def iso8583(self) -> Iterator["Iso8583Caller"]:
        """A new connection for messages of ISO 8583."""
        address = ("127.0.0.1", self.running.iso8583_port)
        with contextlib.closing(_connect(address, self.tls)) as connection:
            yield Iso8583Caller(connection, self.dialect)

    def connect_http(self) -> socket.socket:
        """A bare connection to the other port."""
        return _connect(("127.0.0.1", self.running.http_port), self.tls)


class Iso8583Caller:
    """Sends messages and reads answers, one at a time."""

    def __init__(self, connection: socket.socket, dialect: Dialect) -> None:
        self._connection = connection
        self._dialect = dialect
        self._framing = Framing(dialect.framing)
        self._bodies: list[bytes] = []
        self._stan = 0

    def send(self, kind: MessageKind, **values: str) -> str:
        """Send a message; its STAN."""
        self._stan += 1
        given = {Role(name): value for name, value in values.items()}
        own = {Role.STAN: f"{self._stan:06d}", Role.TRANSMITTED_AT: "1116091500"}
        self.send_bytes(self._framing.frame(self._dialect.pack(kind, {**own, **given})))
        return own[Role.STAN]

    def send_framed(self, body: bytes) -> None:
        self.send_bytes(self._framing.frame(body))

    def send_bytes(self, data: bytes) -> None:
        self._connection.sendall(data)

    def receive_bytes(self) -> bytes:
        """What comes next; nothing at the end."""
        return self._connection.recv(65536)

    def feed(self, data: bytes) -> list[bytes]:
        """The messages that are complete with this."""
        return self._framing.feed(data)

    def receive(self) -> Unpacked:
        """The next answer."""
        while not self._bodies:
            data = self.receive_bytes()
            assert data, "the host closed the connection"
            self._bodies += self._framing.feed(data)
        return self._dialect.unpack(self._bodies.pop(0))

    def ask(self, kind: MessageKind, **values: str) -> dict[Role, str]:
        """The values of the answer to a message."""
        stan = self.send(kind, **values)
        answer = self.receive()
        assert answer.kind is kind.answer
        assert answer.values[Role.STAN] == stan
        return answer.values

    def hears_nothing(self) -> bool:
        """Whether a message that is sent after others is the first to be answered."""
        stan = self.send(MessageKind.ECHO)
        return self.receive().values[Role.STAN] == stan


def _connect(address: tuple[str, int], tls: ssl.SSLContext | None) -> socket.socket:
    connection = socket.create_connection(address, PATIENCE_S)
    if tls is None:
        return connection
    return tls.wrap_socket(connection, server_hostname=address[0])


@contextlib.contextmanager
def host_thread(ca: ssl.SSLContext | None = None, **given: Any) -> Iterator[HostThread]:
    """A host until the end of the context; `ca` is the context of its callers."""
    options = HostOptions(**{"token": TOKEN, "dialect": dialect(), **given})
    started: Future[RunningHost] = Future()
    stop: list[Callable[[], object]] = []

    async def run() -> None:
        loop, stopped = asyncio.get_running_loop(), asyncio.Event()
        stop.append(lambda: loop.call_soon_threadsafe(stopped.set))
        try:
            async with serve_host(options, lambda: time.time_ns() // 1_000_000) as running:
                started.set_result(running)
                await stopped.wait()
        except Exception as error:
            started.set_exception(error)

    thread = threading.Thread(target=lambda: uvloop.run(run()))
    thread.start()
    running = started.result(PATIENCE_S)
    scheme = "http" if options.tls is None else "https"
    try:
        with httpx.Client(
            base_url=f"{scheme}://127.0.0.1:{running.http_port}",
            headers={"Authorization": f"Bearer {options.token}"},
            timeout=PATIENCE_S,
            verify=ca or False,
        ) as client:
            yield HostThread(running, client, ca, options.dialect)
    finally:
        stop[0]()
        thread.join(PATIENCE_S)
