"""Servers of the release before are replaced by new ones under load, and these by old ones again.

The release before is built from the history of the checkout as it was published, and runs with the
packages of the tests. `UPGRADE_FROM=COMMIT` names another.
"""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import TypeVar

import pytest
from scripts.bench.versions.earlier import (
    EarlierVersion,
    NoVersion,
    build_wheel,
    earlier_version,
    previous_release,
)

from tests.databases import Postgres
from tests.harness import BODY, PURCHASE, Home, Server, free_port, sandbox_key
from tests.harness.samples import AMELIA, SILENT_CARD, VISIT
from tests.resilience.errands import PATIENCE_S, Errand, Load, check_books
from tests.resilience.wire import PRECHECK, Caller, start

CALLERS = 8
ERRANDS = 36
"""For each step, which is taken while they are sent."""
OPENING = Decimal(100)
SETTINGS = {
    "GATEHOUSE_RATE_LIMIT_PER_SECOND": "0",
    # Silent issuers keep authorizations open, and set the pace.
    "GATEHOUSE_PRECHECK_TIMEOUT_MS": "250",
}
PIPELINE = "/api/v1/pipeline"
SILENT = (PRECHECK, BODY | {"cardNumber": SILENT_CARD})
KINDS = (
    (PRECHECK, BODY),
    SILENT,
    (PIPELINE, PURCHASE),
    SILENT,
    ("/api/v1/idverify", AMELIA),
    SILENT,
    ("/api/v1/sentry", VISIT),
    SILENT,
)
T = TypeVar("T")


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EarlierVersion]:
    try:
        named = os.environ.get("UPGRADE_FROM") or previous_release()
    except NoVersion as why:
        pytest.skip(f"NOTHING IS UPGRADED: {why}")
    wheel = build_wheel(named, tmp_path_factory.mktemp("before"))
    with earlier_version(str(wheel)) as earlier:
        yield earlier


class Fleet:
    """The servers of both versions, and what is done to them while errands are sent."""

    def __init__(self, home: Home, before: EarlierVersion) -> None:
        self._home = home
        self._before = {"PYTHONPATH": str(before.program), "PYTHONSAFEPATH": "1"}
        self.servers: list[Server] = []

    def old_command(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "gatehouse", *arguments]
        environ = self._home.environ(**self._before)
        subprocess.run(command, env=environ, check=True, stdout=subprocess.DEVNULL)

    def old(self) -> Server:
        """A server of the release before, once it is ready."""
        home, port = self._home, free_port()
        home.path.mkdir(exist_ok=True, mode=0o700)
        command = [sys.executable, "-m", "gatehouse", "serve", "--port", str(port)]
        environ = home.environ(**self._before)
        with (home.path / "server.log").open("ab") as log:
            process = subprocess.Popen(command, env=environ, stdout=log, stderr=log)
        server = Server(port, process, home)
        self.servers.append(server)
        server.wait()
        return server

    def new(self) -> Server:
        self.servers.append(start(self._home, free_port()))
        return self.servers[-1]

    def migrate(self) -> None:
        done = self._home.run_apart("migrate")
        assert done.code == 0, done.err

    def kill(self) -> None:
        for server in self.servers:
            if server.process.poll() is None:
                server.kill()


class Upgrade:
    """Two servers are replaced one after the other, and again on the way back."""

    def __init__(self, fleet: Fleet, first: list[Server], key: str) -> None:
        self._fleet = fleet
        self._serving = first
        self.load = Load(key, [server.port for server in first], CALLERS)

    def run(self) -> list[Server]:
        """The servers at the end, which are of the release before."""
        asyncio.run(self.load.run(self._there_and_back()))
        return self._serving

    async def _there_and_back(self) -> None:
        await self._beside(self._fleet.migrate)
        for start_one in (self._fleet.new, self._fleet.old):
            for last_signal in (signal.SIGKILL, signal.SIGTERM):
                server = await self._beside(start_one)
                self._serving.append(server)
                self.load.ports.append(server.port)
                leaving = self._serving.pop(0)

                def end(leaving: Server = leaving, number: int = last_signal) -> None:
                    leaving.process.send_signal(number)
                    leaving.process.wait(PATIENCE_S)

                # Both versions answer, until one is ended with requests in flight.
                await self._beside(end)
                self.load.ports.remove(leaving.port)

    async def _beside(self, step: Callable[[], T]) -> T:
        """Do something in the middle of some errands."""
        begun = len(self.load.errands)
        for number in range(begun, begun + ERRANDS):
            path, body = KINDS[number % len(KINDS)]
            self.load.give([Errand(number, body, path=path)])
        await self.load.until(begun + ERRANDS // 3)
        done = await asyncio.to_thread(step)
        await self.load.until(begun + ERRANDS)
        return done


async def _ask_again(server: Server, key: str, errands: list[Errand]) -> None:
    """A repeated request gets the answer that it had, whichever version gave it."""
    async with Caller(server.port, key) as caller:
        for errand in errands:
            answer = await caller.post(errand.body, errand.headers, errand.path)
            assert answer.headers.get("idempotent-replayed") == "true", answer
            assert errand.answer is not None
            assert answer.json["requestId"] == errand.answer["requestId"]


def _check_payments(home: Home, errands: list[Errand]) -> None:
    """No payment stands that no answer tells of."""
    answers = [each.answer for each in errands if each.answer and each.path == PIPELINE]
    paid = {
        each["requestId"] for each in answers if each["pipelineResponse"].get("gatewayResponse")
    }
    kept = home.ok("payments", "list", "--limit", "100", "--json").json
    assert {payment["requestId"] for payment in kept["payments"]} <= paid
    assert home.ok("gateway", "list", "--state", "failed", "--json").json == []


def test_a_release_is_upgraded_and_taken_back_under_load_and_nothing_is_lost_or_charged_twice(
    before: EarlierVersion, tmp_path: Path, postgres: Postgres
) -> None:
    home = Home(tmp_path / "home", postgres.empty(), SETTINGS)
    fleet = Fleet(home, before)
    try:
        first = [fleet.old(), fleet.old()]
        fleet.old_command("events", "settings", "acct_demo", "--decisions", "*")
        upgrade = Upgrade(fleet, first, sandbox_key(home))
        old, _ = upgrade.run()
        load = upgrade.load
        asyncio.run(_ask_again(old, load.key, load.errands[::8] + load.errands[5::8]))
        entries, charges = check_books(old, load, "acct_demo", OPENING)
        _check_payments(home, load.errands)
        # The test itself has seen what it is about.
        assert any(entry["kind"] == "EXPIRE" for entry in entries), "no kill hit an open request"
        assert any(charges.values())
        assert any(errand.attempts > 1 for errand in load.errands), "nobody had to ask again"
        assert "a defect" not in old.log()
        # What the new version issues, the old one takes; and its proof finds nothing wrong, too.
        with old.client(home.key("acct_demo")) as client:
            assert client.post(PRECHECK, json=BODY).status_code == 200
        fleet.old_command("ledger", "verify")
    finally:
        fleet.kill()
