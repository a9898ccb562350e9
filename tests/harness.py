"""What tests drive the service with: a home of its own, the real command, the real server."""

import contextlib
import io
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final, TypeVar
from unittest import mock

import httpx

from gatehouse.access.actors import Actor
from gatehouse.cli import main
from gatehouse.installation import open_admin_session
from gatehouse.settings import load_settings
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.database import Database
from tests.databases import migrated_sqlite
from tests.forkserver import Fork, fork_server

GATEHOUSE = [sys.executable, "-m", "gatehouse"]
CARD = "4242424242424242"
BODY: dict[str, Any] = {
    "cardNumber": CARD,
    "cardExpiryDate": "2035-12",
    "cardCvv2Value": "123",
    "cardAddress": {"street": "1 Market Street", "postalCode": "94105"},
}

AMELIA: dict[str, Any] = {
    "cardNumber": CARD,
    "cardExpiryDate": "2035-12",
    "cardHolderEmailAddress": "amelia.whitfield@example.com",
    "cardHolderPhoneNumber": "+14155550132",
    "cardHolderName": {"firstName": "Amelia", "middleName": "Jane", "lastName": "Whitfield"},
    "cardHolderIds": {"PASSPORT": "543210987", "DRIVERLICENSE": "D1234562", "TAX": "987-65-4329"},
}

BROWSER = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/157.0.0.0 Safari/537.36"
)
VISIT: dict[str, Any] = {
    "device": {
        "ipAddress": "203.0.113.1",
        "userAgent": BROWSER,
        "acceptLanguage": "en-US,en;q=0.9",
        "sessionId": "s-1",
        "sessionAge": 340,
    },
    "event": {"type": "PURCHASE", "transactionId": "t-1"},
    "order": {
        "amount": 59.9,
        "currency": "USD",
        "affiliateId": "a-1",
        "referralId": 17,
        "discountCodes": ["WELCOME"],
        "referrerUrl": "https://www.example.com/shoes",
    },
    "account": {"userId": "u-1", "username": "amelia.whitfield"},
    "shoppingCart": {
        "items": [{"itemId": "sku-7", "category": "shoes", "price": 59.9, "quantity": 1}]
    },
    "customInputs": {"timezone": "America/New_York", "returning": True, "visits": 3, "score": 0.5},
    "clientReferenceId": "order-1",
}

PURCHASE: dict[str, Any] = {
    "pipelineId": 1,
    "clientReferenceId": "order-1",
    "rulesRequest": {"customerIp": "203.0.113.1", "cardNumber": CARD, "userId": "u-1"},
    "sentryRequest": VISIT,
    "preCheckRequest": BODY,
}
"""An ordinary purchase through the sandbox's first pipeline."""


T = TypeVar("T")

PATIENCE_S: Final = 120
"""How long to wait for what must come; far longer than it takes on a busy machine."""


def until(ask: Callable[[], T], holds: Callable[[T], object] = bool) -> T:
    """Ask until the answer is as wanted, and give it back; fail when it never is."""
    ends_at = time.monotonic() + PATIENCE_S
    while not holds(answer := ask()):
        assert time.monotonic() < ends_at, f"never came, but: {answer}"
        time.sleep(0.02)
    return answer


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass
class Done:
    """A finished command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass
class Home:
    """A GATEHOUSE_HOME with its own environment of settings."""

    path: Path
    database_url: str = ""
    settings: dict[str, str] = field(default_factory=dict)

    def migrated(self) -> "Home":
        """The same with the tables of its SQLite file already made, which saves the migration."""
        self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = self.path / "sandbox.db"
        file.write_bytes(migrated_sqlite())
        file.chmod(0o600)
        return self

    @contextlib.contextmanager
    def current(self) -> Iterator["Home"]:
        """Makes it the home of every command that is run in this process."""
        with mock.patch.dict(os.environ, self.environ(), clear=True):
            yield self

    @contextlib.contextmanager
    def office(self) -> Iterator[AdminSession]:
        """Its data, opened in this process."""
        office = open_admin_session(load_settings(self.environ()), Actor.system("test"))
        try:
            yield office
        finally:
            office.database.dispose()

    def environ(self, **more: str) -> dict[str, str]:
        clean = {name: value for name, value in os.environ.items() if "GATEHOUSE_" not in name}
        given = {"GATEHOUSE_HOME": str(self.path), **self.settings, **more}
        if self.database_url:
            given["GATEHOUSE_DATABASE_URL"] = self.database_url
        return clean | given

    def run(self, *arguments: str, **settings: str) -> Done:
        """Run the command, in this process where that makes no difference: it saves the start."""
        environ = self.environ(**settings)
        if "PYTHONPATH" in self.settings or arguments[:1] == ("serve",):
            return self.run_apart(*arguments, **settings)
        return _run_here(arguments, environ)

    def run_apart(self, *arguments: str, **settings: str) -> Done:
        """Run the command in a process of its own, as a person would."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            running = _fork(arguments, self.environ(**settings), out, err)
            code = running.wait(PATIENCE_S)
            texts = []
            for stream in (out, err):
                stream.seek(0)
                texts.append(stream.read().decode())
        return Done(code, *texts)

    def ok(self, *arguments: str, **settings: str) -> Done:
        done = self.run(*arguments, **settings)
        assert done.code == 0, done.err
        return done

    def account(self, balance: str = "100", **settings: str) -> str:
        made = self.ok("accounts", "create", "Shop", "--balance", balance, "--json", **settings)
        account_id: str = made.json["accountId"]
        return account_id

    def key(self, account_id: str, *options: str) -> str:
        key: str = self.ok("keys", "issue", account_id, *options, "--json").json["key"]
        return key

    def balance(self, account_id: str) -> Any:
        return self.ok("balance", "show", account_id, "--json").json["amount"]

    @contextlib.contextmanager
    def server(self, **settings: str) -> Iterator["Server"]:
        """The real server on a free port; stopped gracefully at the end."""
        server = self.start(settings)
        try:
            yield server
        finally:
            server.stop()

    def start(self, settings: dict[str, str] | None = None, port: int | None = None) -> "Server":
        port = port or free_port()
        self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
        with (self.path / "server.log").open("ab") as log:
            environ = self.environ(**(settings or {}))
            process = _fork(("serve", "--port", str(port)), environ, log, log)
        server = Server(port, process, self)
        server.wait()
        return server


@dataclass
class Server:
    """A running server."""

    port: int
    process: "Fork | subprocess.Popen[bytes]"
    home: Home

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def wait(self) -> None:
        """Wait until it is ready to serve."""
        ends_at = time.monotonic() + PATIENCE_S
        while not self._is_ready():
            assert self.process.poll() is None, f"the server ended: {self.log()[-2000:]}"
            assert time.monotonic() < ends_at, f"it did not get ready: {self.log()[-2000:]}"
            time.sleep(0.02)

    def _is_ready(self) -> bool:
        with contextlib.suppress(httpx.TransportError):
            return httpx.get(f"{self.base}/readyz", verify=False).status_code == 200
        return False

    def wait_for_memory(self) -> None:
        """Wait until what was recorded earlier is remembered."""
        address = f"{self.base}/readyz"
        until(lambda: httpx.get(address, verify=False).json()["checks"]["memory"])

    def log(self) -> str:
        return (self.home.path / "server.log").read_text()

    def stop(self) -> int:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE_S)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(PATIENCE_S)

    def client(self, key: str | None = None, **headers: str) -> httpx.Client:
        """A client that sends the key and checks nothing by itself."""
        given = {"X-API-KEY": key} if key else {}
        return httpx.Client(
            base_url=self.base, headers={**given, **headers}, timeout=PATIENCE_S, verify=False
        )

    def raw(self, data: bytes, *, timeout: float = PATIENCE_S, half_close: bool = False) -> bytes:
        """Send bytes as they are and return all that comes back until the end."""
        with socket.create_connection(("127.0.0.1", self.port), timeout) as connection:
            connection.sendall(data)
            if half_close:
                connection.shutdown(socket.SHUT_WR)
            received = b""
            with contextlib.suppress(TimeoutError, ConnectionResetError):
                while part := connection.recv(65536):
                    received += part
            return received


def _fork(
    arguments: Sequence[str], environ: dict[str, str], out: IO[bytes], err: IO[bytes]
) -> Fork:
    """The command in a process of its own, which need not start Python anew."""
    with Path(os.devnull).open() as nothing:
        files = [file.fileno() for file in (nothing, out, err)]
        return fork_server().start(arguments, environ, files)


def _run_here(arguments: tuple[str, ...], environ: dict[str, str]) -> Done:
    """The command's own `main` with its own environment, output and exit code."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    opened: list[Database] = []
    begin = Database.__init__

    def noted(database: Database, *given: Any, **options: Any) -> None:
        opened.append(database)
        begin(database, *given, **options)

    code: object = 0
    mask = os.umask(0o077)
    try:
        with (
            mock.patch.dict(os.environ, environ, clear=True),
            mock.patch.object(sys, "argv", ["gatehouse", *arguments]),
            mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO())),
            mock.patch.object(Database, "__init__", noted),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            main()
    except SystemExit as end:
        code = end.code or 0
    finally:
        os.umask(mask)
        for database in opened:
            database.dispose()
    assert isinstance(code, int)
    texts = [stream.buffer.getvalue().decode() for stream in (out, err)]
    return Done(code, *texts)


def make_account(office: AdminSession, name: str = "Shop", currency: str = "USD") -> str:
    """A new account without money."""
    with office.change() as change:
        return accounts.create(change, name, currency).account_id


def sandbox_key(home: Home) -> str:
    """The demo account's key, as `make run` prints it."""
    return (home.path / "demo-key").read_text().strip()


def precheck(client: httpx.Client, body: Any = None, **headers: str) -> httpx.Response:
    """One PreCheck call."""
    return client.post("/api/v1/precheck", json=BODY if body is None else body, headers=headers)


def idverify(client: httpx.Client, body: Any = None, **headers: str) -> httpx.Response:
    """One ID Verify call; without a body, the sandbox's Amelia with all that is on record."""
    return client.post("/api/v1/idverify", json=AMELIA if body is None else body, headers=headers)


def sentry(client: httpx.Client, body: Any = None, **headers: str) -> httpx.Response:
    """One Sentry call; without a body, an ordinary order with every group filled."""
    return client.post("/api/v1/sentry", json=VISIT if body is None else body, headers=headers)


def pipeline(client: httpx.Client, body: Any = None, **headers: str) -> httpx.Response:
    """One Pipeline call; without a body, an ordinary purchase through pipeline 1."""
    return client.post("/api/v1/pipeline", json=PURCHASE if body is None else body, headers=headers)


def rules(client: httpx.Client, body: Any = None, **headers: str) -> httpx.Response:
    """One Rules call; without a body, an ordinary one."""
    given = {"customerIp": "203.0.113.1", "cardNumber": CARD, "amount": 59.9, "currency": "USD"}
    return client.post("/api/v1/rules", json=given if body is None else body, headers=headers)
