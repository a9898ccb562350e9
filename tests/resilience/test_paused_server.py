"""A server that is stopped in the middle of a request, and goes on when others took it for dead."""

import json
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import psycopg

from gatehouse.store.accounts import accounts
from tests.harness import BODY, PATIENCE_S, PURCHASE, Home, Server
from tests.harness.samples import SILENT_CARD
from tests.harness.waiting import until

# The issuer never answers, so that the request is in flight for this long.
SETTINGS = {"GATEHOUSE_PRECHECK_TIMEOUT_MS": "15000"}


def test_a_paused_server_finds_its_authorization_lost_and_charges_nobody(
    tmp_path: Path, new_database: Callable[[], str]
) -> None:
    home = Home(tmp_path / "home", new_database(), SETTINGS)
    account = home.account("10")
    key = home.key(account)
    paused, other = home.start(), home.start()

    try:
        with (
            home.session() as session,
            paused.client(key) as client,
            ThreadPoolExecutor(1) as threads,
        ):

            def held() -> int:
                with session.reading() as connection:
                    return accounts.state(connection, account).held

            silent = {**BODY, "cardNumber": SILENT_CARD}
            answer = threads.submit(client.post, "/api/v1/precheck", json=silent)
            until(held)
            paused.process.send_signal(signal.SIGSTOP)
            # Long before the time to live of the authorization has passed.
            until(lambda: not held())
            paused.process.send_signal(signal.SIGCONT)
            given = answer.result(PATIENCE_S)
        assert given.status_code == 503
        assert given.json()["errors"]["code"] == "store_unavailable"
        dead = [json.loads(line) for line in other.log().splitlines() if "is dead" in line]
        assert [each["released"] for each in dead] == [1]
        with paused.client(key) as client:
            assert client.post("/api/v1/precheck", json=BODY).status_code == 200
    finally:
        paused.process.send_signal(signal.SIGCONT)
        for server in (paused, other):
            server.stop()
    verified = home.ok("ledger", "verify").out
    assert "1 closed, 0 open" in verified


# Notes every capture durably. The server of the first test stops itself where it may be asked for
# one: after it has claimed the operation, and before anything is sent.
_GATEWAY = """
import os, signal
from gatehouse.gateway.operating import Offer, OperationAnswer, OperationEnd
from gatehouse.gateway.port import GatewayAnswer

class Party:
    async def authorize(self, asked):
        return GatewayAnswer(True, "00", "123456")

    async def reverse(self, reversal):
        pass

    def offer(self, operation):
        if "STOPS" in os.environ and not os.path.exists(os.environ["STOPS"]):
            open(os.environ["STOPS"], "w").close()
            os.kill(os.getpid(), signal.SIGSTOP)
        return Offer.ONCE

    async def operate(self, operation):
        with open(os.environ["JOURNAL"], "a") as file:
            file.write(f"{operation.kind} {operation.amount_minor}\\n")
        return OperationAnswer(OperationEnd.SUCCEEDED, "00")

def make():
    return Party()
"""


def test_a_server_that_is_paused_between_claim_and_capture_captures_nothing_twice(
    tmp_path: Path, new_database: Callable[[], str]
) -> None:
    (tmp_path / "pausing_gateway.py").write_text(_GATEWAY)
    journal, stops = tmp_path / "journal", tmp_path / "stops"
    settings = {
        "PYTHONPATH": str(tmp_path),
        "JOURNAL": str(journal),
        "GATEHOUSE_GATEWAY": "pausing_gateway:make",
    }
    home = Home(tmp_path / "home", new_database(), settings)
    account = home.account("10")
    key = home.key(account)
    paused = home.start({"STOPS": str(stops)})
    try:
        first = _buy(paused, key)
        home.ok("payments", "capture", first, "--account", account)
        until(stops.exists)
        until(lambda: psutil.Process(paused.process.pid).status() == psutil.STATUS_STOPPED)
        # As if the claim of the paused server had come to its end.
        with psycopg.connect(home.database_url, autocommit=True) as connection:
            connection.execute("UPDATE payment_operations SET next_at_ms = 1")
        with home.server():

            def operation() -> Any:
                shown = home.ok("payments", "show", first, "--account", account, "--json").json
                return shown["operations"][0]

            until(lambda: operation()["state"] == "SUCCEEDED")
            assert journal.read_text() == "CAPTURE 5990\n"
        paused.process.send_signal(signal.SIGCONT)
        # It takes this up when it is done with what it had claimed.
        home.ok(
            "payments", "capture", _buy(paused, key), "--amount-minor", "1", "--account", account
        )
        until(lambda: "CAPTURE 1\n" in journal.read_text())
    finally:
        paused.process.send_signal(signal.SIGCONT)
        paused.stop()
    assert journal.read_text() == "CAPTURE 5990\nCAPTURE 1\n"
    assert operation()["state"] == "SUCCEEDED"


def _buy(server: Server, key: str) -> str:
    with server.client(key) as client:
        request: str = client.post("/api/v1/pipeline", json=PURCHASE).json()["requestId"]
    return request
