"""Two servers on one PostgreSQL and one Valkey remember together, whatever is killed meanwhile."""

import copy
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from gatehouse.access.actors import Actor
from gatehouse.admin.memory.use_cases.rebuilding import rebuild_memory
from gatehouse.conditions.catalogue import VELOCITY
from gatehouse.settings.settings import load_settings
from gatehouse.store.tables import MISSED_EVENTS
from tests.databases import Postgres
from tests.harness import PATIENCE_S, PURCHASE, VISIT, Home, Server, pipeline, rules, sentry, until
from tests.valkeys import valkey_program
from tests.web.answers import record

_NUMBERS = count(1)


class Store:
    """A Valkey that keeps what it has acknowledged, also when it is killed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._socket = folder / "valkey.sock"
        self.url = f"unix://{self._socket}"
        self.start()

    def start(self) -> None:
        self._socket.unlink(missing_ok=True)
        kept = ("--port", "0", "--save", "", "--appendonly", "yes", "--dir", str(self._folder))
        command = [str(valkey_program()), "--unixsocket", str(self._socket), *kept]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        until(self._socket.exists)

    def flush(self) -> None:
        """Lose everything."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(self._socket))
            connection.sendall(b"FLUSHALL\r\n")
            assert connection.recv(100) == b"+OK\r\n"

    def kill(self) -> None:
        self._process.kill()
        self._process.wait(PATIENCE_S)


@dataclass
class Town:
    """Two servers, what they share, and an account."""

    home: Home
    store: Store
    servers: list[Server]
    account: str
    key: str

    def client(self, number: int) -> httpx.Client:
        return self.servers[number % 2].client(self.key)

    def visit(self, number: int, user: str, order: str | None = None) -> dict[str, Any]:
        """Send an order of a user to one of the servers."""
        body = copy.deepcopy(VISIT)
        body["account"] = {"userId": user}
        body["event"]["transactionId"] = order or f"t-{next(_NUMBERS)}"
        with self.client(number) as client:
            answer: dict[str, Any] = sentry(client, body).json()
        assert answer["isSuccess"], answer
        return answer

    def seen(self, number: int, user: str) -> float:
        """How many orders of a user a server has seen in the last hour, this one included."""
        return self.measured(number, user)["count_1h"]

    def measured(self, number: int, user: str) -> dict[str, float]:
        """What a server tells rules about a user who orders."""
        with self.client(number) as client:
            answer = rules(client, {"userId": user, "amount": 5, "currency": "USD"})
            found = record(client, answer)["signals"].get("velocity.user", ())
        return dict(zip(VELOCITY["user"], found, strict=False))

    def restart(self, number: int) -> None:
        """Kill a server, and start it again."""
        old = self.servers[number % 2]
        old.kill()
        self.servers[number % 2] = started = self.home.start(port=old.port)
        started.wait()

    def rebuild(self) -> int:
        """Rebuild the memory; returns how many events that were."""
        with self.home.session() as session:
            settings = load_settings(self.home.environ())
            return rebuild_memory(session, settings, settle_s=0).events

    def readiness(self, number: int) -> dict[str, Any]:
        with self.client(number) as client:
            told: dict[str, Any] = client.get("/readyz").json()
        return told

    def recovered(self) -> None:
        """Wait until both servers reach the memory, and it was told what it missed."""
        until(lambda: all(self.readiness(number)["checks"]["memory"] for number in (0, 1)))
        until(lambda: not self.missed())

    def missed(self) -> int:
        with self.home.session() as session, session.reading() as connection:
            return len(connection.execute(MISSED_EVENTS.select()).all())


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory, postgres: Postgres) -> Iterator[Town]:
    with TemporaryDirectory(prefix="gatehouse-valkey-") as folder:
        store = Store(Path(folder))
        settings = {
            "GATEHOUSE_MEMORY_URL": store.url,
            "GATEHOUSE_MEMORY_TIMEOUT_MS": "10000",
            "GATEHOUSE_SENTRY_TIMEOUT_MS": "20000",
        }
        home = Home(tmp_path_factory.mktemp("town"), postgres.new(), settings)
        account = home.account()
        servers = [home.start(), home.start()]
        try:
            for server in servers:
                server.wait()
            yield Town(home, store, servers, account, home.key(account))
        finally:
            for server in servers:
                server.stop()
            store.kill()


def test_orders_over_both_servers_are_counted_together(town: Town) -> None:
    assert [town.seen(number, "six") for number in range(6)] == [1, 2, 3, 4, 5, 6]


def test_a_server_that_is_killed_takes_no_memory_with_it(town: Town) -> None:
    assert [town.seen(number, "killed") for number in (0, 0, 1)] == [1, 2, 3]
    town.restart(0)
    assert [town.seen(number, "killed") for number in (1, 0)] == [4, 5]


def test_without_the_memory_sentry_answers_and_says_so_and_charges_nothing(town: Town) -> None:
    assert _codes(town.visit(0, "away")) & {"MEMORY_UNAVAILABLE"} == set()
    assert [town.seen(number, "away") for number in (0, 1)] == [2, 3]
    town.store.kill()
    try:
        answers = [town.visit(number, "away") for number in range(4)]
        for answer in answers:
            assert "MEMORY_UNAVAILABLE" in _codes(answer)
            [item] = answer["billing"]["items"]
            assert item["completed"] is False
            assert answer["billing"]["amountClosed"]["amount"] == 0
        until(lambda: town.readiness(0)["memory"]["state"] == "unavailable")
        # Rules that speak of the past do not match, and Rules are charged for.
        assert town.measured(1, "away") == {}
        # What a server has missed is not lost with it.
        town.restart(1)
    finally:
        town.store.start()
    town.recovered()

    assert [town.seen(number, "away") for number in (0, 1)] == [9, 10]


def test_a_memory_that_lost_everything_is_rebuilt_from_the_records(town: Town) -> None:
    assert [town.seen(number, "rebuilt") for number in (0, 1)] == [1, 2]
    town.store.flush()
    until(lambda: not town.readiness(0)["checks"]["memory"])
    # One of the servers does it, without being asked.
    until(lambda: town.readiness(0)["memory"]["state"] == "ready")
    until(lambda: town.readiness(1)["memory"]["state"] == "ready")
    with town.home.session() as session, session.reading() as connection:
        rebuilt = sa.text("SELECT actor FROM audit WHERE action = 'memory.rebuilt'")
        assert list(connection.scalars(rebuilt)) == [str(Actor.system("memory"))]
    assert [town.seen(number, "rebuilt") for number in (0, 1)] == [3, 4]

    events = town.rebuild()
    assert town.seen(1, "rebuilt") == 5
    assert town.rebuild() == events + 1


def test_what_one_server_is_told_changes_the_answers_of_the_other(town: Town) -> None:
    for _ in range(2):
        with town.client(0) as client:
            answer = pipeline(client, _refused_purchase("refused")).json()
            assert answer["pipelineResponse"]["preCheckResponse"]["advice"] == "DECLINE"
    until(lambda: town.measured(1, "refused").get("declines_1h"), lambda declines: declines == 2)

    first = town.visit(0, "known")
    with town.client(0) as client:
        said = {"requestId": first["requestId"], "label": "FRAUD"}
        assert client.post("/api/v1/feedback", json=said).json()["isSuccess"]
    until(lambda: _codes(town.visit(1, "known", "again")) >= {"ACCOUNT_REPUTATION"})

    town.home.ok("lists", "add", "blocked-users", "listed", "--account", town.account)
    with town.client(1) as client:
        body = {"userId": "listed"}
        until(lambda: rules(client, body).json()["rulesResponse"]["status"] == "DECLINE")


def test_a_person_is_erased_from_the_memory_once(town: Town) -> None:
    shared = {"customerIp": "81.2.69.140", "amount": 5, "currency": "USD"}
    for number, user in enumerate(("stays", "erased", "erased")):
        with town.client(number) as client:
            rules(client, {"userId": user, **shared})
    town.home.ok("privacy", "erase", "--account", town.account, "--user", "erased", "--yes")

    def at_address() -> float:
        with town.client(0) as client:
            answer = rules(client, {"userId": "stays", **shared})
            counts: list[float] = record(client, answer)["signals"]["velocity.ip"]
        return counts[VELOCITY["ip"].index("distinct_users_24h")]

    until(at_address, lambda users: users == 1)
    assert town.seen(1, "erased") == 1


def _codes(answer: dict[str, Any]) -> set[str]:
    return {reason["code"] for reason in answer["sentryResponse"]["reasons"]}


def _refused_purchase(user: str) -> dict[str, Any]:
    """With nothing of it shared with other requests, so that no rule stops it before PreCheck."""
    body = copy.deepcopy(PURCHASE)
    body["rulesRequest"]["customerIp"] = "70.3.2.9"
    body["sentryRequest"]["device"] |= {"ipAddress": "70.3.2.9", "sessionId": "s-refused"}
    body["rulesRequest"]["userId"] = body["sentryRequest"]["account"]["userId"] = user
    body["sentryRequest"]["event"]["transactionId"] = f"t-{next(_NUMBERS)}"
    for part in ("rulesRequest", "preCheckRequest"):
        body[part]["cardNumber"] = "4000000000000002"
    return body
