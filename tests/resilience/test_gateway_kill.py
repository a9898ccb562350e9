"""A process that dies between asking the gateway and hearing from it."""

import contextlib
import json
import threading
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from tests.harness import BODY, PURCHASE, Home, Server

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


def _until(holds: Callable[[], bool], what: str) -> None:
    for _ in range(300):
        if holds():
            return
        time.sleep(0.05)
    raise AssertionError(f"never happened: {what}")


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
    _until(lambda: len(journal.read_text().splitlines()) == 2, "the gateway was asked")
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
        _until(lambda: f"reverse {doubtful}" in journal.read_text(), "the payment was reversed")
        _until(
            lambda: home.ok("gateway", "show", doubtful, "--json").json["state"] == "REVERSED",
            "the reversal was written down",
        )
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
