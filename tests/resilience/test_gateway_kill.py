"""A process that dies between asking the gateway and hearing from it."""

import contextlib
import json
import threading
import time
from pathlib import Path

import httpx
import pytest

from tests.harness import BODY, PURCHASE, Home, Server, until

# Writes down everything it is asked, durably, before it does anything else.
_GATEWAY = """
import asyncio, os
from gatehouse.gateway.port import GatewayAnswer

class Journal:
    def note(self, word, request_id):
        with open(os.environ["JOURNAL"], "a") as file:
            file.write(f"{word} {request_id}\\n")
            file.flush()
            os.fsync(file.fileno())

    async def authorize(self, asked):
        self.note("authorize", asked.request_id)
        if asked.number.last_four == "0259":
            await asyncio.get_running_loop().create_future()
        return GatewayAnswer(True, "00", "123456")

    async def reverse(self, reversal):
        self.note("reverse", reversal.request_id)

def make():
    return Journal()
"""


@pytest.fixture
def journal(home: Home, tmp_path: Path) -> Path:
    (tmp_path / "journal_gateway.py").write_text(_GATEWAY)
    file = tmp_path / "journal"
    file.touch()
    home.settings |= {
        "PYTHONPATH": str(tmp_path),
        "JOURNAL": str(file),
        "GATEHOUSE_GATEWAY": "journal_gateway:make",
    }
    return file


def _send(server: Server, key: str, number: str) -> None:
    body = {**PURCHASE, "preCheckRequest": {**BODY, "cardNumber": number}}
    with server.client(key) as client:
        # The server is killed meanwhile: that is the point.
        with contextlib.suppress(httpx.TransportError):
            client.post("/api/v1/pipeline", json=body)


def test_a_payment_whose_process_died_is_reversed_once_and_never_repeated(
    home: Home, journal: Path
) -> None:
    server = home.start()
    account = home.account()
    key = home.key(account)
    _send(server, key, "4242424242424242")
    before = home.balance(account)
    waiting = threading.Thread(target=_send, args=(server, key, "4000000000000259"))
    waiting.start()
    until(journal.read_text, lambda told: len(told.splitlines()) == 2)
    server.kill()
    waiting.join()
    [open_one] = home.ok("gateway", "list", "--json").json
    assert open_one["state"] == "OPEN"

    if home.database_url:
        # On PostgreSQL nobody can know that a process is gone before its hold has run out.
        _age_holds(home)
    second = home.start()
    try:
        doubtful = open_one["requestId"]
        until(journal.read_text, lambda told: f"reverse {doubtful}" in told)
        show = ("gateway", "show", doubtful, "--json")
        until(lambda: home.ok(*show).json["state"], lambda state: state == "REVERSED")
        time.sleep(1.5)
    finally:
        second.stop()
    told = journal.read_text().splitlines()
    assert [line.split()[0] for line in told] == ["authorize", "authorize", "reverse"]
    assert told[2].split()[1] == told[1].split()[1] == doubtful
    assert home.balance(account) == before
    assert json.loads(home.ok("ledger", "verify", "--json").out)["problems"] == []


def _age_holds(home: Home) -> None:
    import psycopg

    with psycopg.connect(home.database_url, autocommit=True) as connection:
        connection.execute("UPDATE holds SET expires_at_ms = 1")


def test_a_review_declined_while_no_server_runs_reverses_its_payment_once(
    home: Home, journal: Path
) -> None:
    account = home.account()
    key = home.key(account)
    doubtful = {**PURCHASE, "rulesRequest": {"cardNumber": "5555555555554444"}}
    with home.server() as server, server.client(key) as client:
        request_id = client.post("/api/v1/pipeline", json=doubtful).json()["requestId"]
    resolve = ("reviews", "resolve", request_id, "--decline", "--reason", "stolen")
    done = home.ok(*resolve, "--account", account, "--json").json
    assert done["paymentStatus"] == "REVERSE"
    assert journal.read_text().splitlines() == [f"authorize {request_id}"]
    show = ("gateway", "show", request_id, "--json")
    for _ in range(2):
        with home.server():
            until(lambda: home.ok(*show).json["state"], lambda state: state == "REVERSED")
    assert journal.read_text().splitlines() == [f"authorize {request_id}", f"reverse {request_id}"]
