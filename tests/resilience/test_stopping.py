"""Stopping and starting again: nobody in flight is dropped, nothing that was kept is lost."""

import asyncio
import os
import signal
import socket
import subprocess
import time
from pathlib import Path

import httpx
import pytest

from tests.harness import (
    BODY,
    PATIENCE_S,
    Home,
    Server,
    free_port,
    precheck,
    sandbox_key,
    until,
)
from tests.harness.commands import fork_command
from tests.harness.samples import SILENT_CARD
from tests.resilience.held_issuer import FILE
from tests.resilience.wire import (
    PRECHECK,
    Answer,
    Caller,
    envelope,
    read_answer,
    read_to_end,
    request,
)

DEMO = "acct_demo"
SILENT = BODY | {"cardNumber": SILENT_CARD}
IN_FLIGHT = 8


def _remaining(client: httpx.Client) -> float:
    answer = client.get("/api/v1/decisions", params={"limit": 1}).json()
    amount: float = answer["billing"]["remainingBalance"]["amount"]
    return amount


async def _until_held(server: Server, key: str, amount: float) -> None:
    """Wait until requests in flight hold that much of the demo account's 100."""

    def look() -> None:
        with server.client(key) as client:
            until(lambda: _remaining(client), lambda left: left <= 100 - amount)

    await asyncio.to_thread(look)


def _until_refused(server: Server) -> None:
    """Wait until nobody can connect any more, while the process is still there."""
    ends_at = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends_at:
        assert server.process.poll() is None, "it ended before its requests did"
        try:
            socket.create_connection(("127.0.0.1", server.port), PATIENCE_S).close()
        except ConnectionError:
            assert server.process.poll() is None, "it ended before its requests did"
            return
    raise AssertionError("a stopping server still takes connections")


async def _stop_with_requests_in_flight(
    server: Server, key: str, stop: int, let_go: Path
) -> list[Answer]:
    callers = [Caller(server.port, key) for _ in range(IN_FLIGHT)]
    calls = [asyncio.create_task(caller.post(BODY)) for caller in callers]
    try:
        await _until_held(server, key, IN_FLIGHT * 0.05)
        server.process.send_signal(stop)
        await asyncio.to_thread(_until_refused, server)
        await asyncio.to_thread(let_go.touch)
        return await asyncio.gather(*calls)
    finally:
        for caller in callers:
            await caller.close()


def test_what_is_in_flight_at_a_stop_gets_its_answer(home: Home) -> None:
    _check_graceful_stop(home, signal.SIGTERM)


def test_the_interrupt_key_stops_as_gracefully(sqlite_home: Home) -> None:
    _check_graceful_stop(sqlite_home, signal.SIGINT)


def _check_graceful_stop(home: Home, stop: signal.Signals) -> None:
    let_go = home.path / "let-go"
    settings = {
        "GATEHOUSE_ISSUER": "tests.resilience.held_issuer:HeldIssuer",
        "GATEHOUSE_PRECHECK_TIMEOUT_MS": "60000",
        "GATEHOUSE_STOP_TIMEOUT_S": str(PATIENCE_S),
        FILE: str(let_go),
    }
    server = home.start(settings)
    try:
        key = sandbox_key(home)
        answers = asyncio.run(_stop_with_requests_in_flight(server, key, stop, let_go))
        assert server.process.wait(PATIENCE_S) == 0
    finally:
        server.kill()
    for answer in answers:
        body = envelope(answer.status, answer.body)
        assert body["isSuccess"] is True
        assert body["preCheckResponse"]["advice"] == "RETRY"
        assert body["billing"]["items"][0]["completed"] is False
        assert body["billing"]["amountAuthorized"]["amount"] == 0.05
        assert body["billing"]["amountClosed"]["amount"] == 0
        assert answer.headers["connection"] == "close"
    assert len({answer.json["requestId"] for answer in answers}) == IN_FLIGHT
    assert home.balance(DEMO) == 100
    report = home.ok("ledger", "verify", "--json").json
    assert report["problems"] == []
    assert report["closed"] == IN_FLIGHT
    assert report["open"] == 0
    assert '"level":"error"' not in server.log()


def test_an_idle_connection_does_not_hold_up_a_stop(sqlite_home: Home) -> None:
    # Whoever waited for the connection would be waited for in vain.
    server = sqlite_home.start({"GATEHOUSE_STOP_TIMEOUT_S": "600"})
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE_S) as connection:
        connection.sendall(request(method=b"GET", path=b"/healthz", close=False))
        assert read_answer(connection).status == 200
        assert server.stop() == 0
        assert connection.recv(1) == b""


def test_a_request_that_outlasts_the_patience_of_a_stop_is_not_charged(sqlite_home: Home) -> None:
    settings = {"GATEHOUSE_PRECHECK_TIMEOUT_MS": "60000", "GATEHOUSE_STOP_TIMEOUT_S": "1"}
    server = sqlite_home.start(settings)
    try:
        body = httpx.Request("POST", server.base, json=SILENT).content
        headers = {"X-API-KEY": sandbox_key(sqlite_home), "Content-Type": "application/json"}
        with socket.create_connection(("127.0.0.1", server.port), PATIENCE_S) as connection:
            connection.sendall(request(body, headers, close=False))
            asyncio.run(_until_held(server, headers["X-API-KEY"], 0.05))
            assert server.stop() == 0
            received = read_to_end(connection)
    finally:
        server.kill()
    report = sqlite_home.ok("ledger", "verify", "--json").json
    assert report["problems"] == []
    assert report["open"] == 0
    assert sqlite_home.balance(DEMO) == 100
    # Either the connection just ends, or the caller is told to come again, in the envelope.
    if received:
        status = int(received.split(b" ", 2)[1])
        assert envelope(status, received.partition(b"\r\n\r\n")[2])["isSuccess"] is False
        assert status == 503


def test_a_stop_signal_right_after_the_welcome_is_not_lost(sqlite_home: Home) -> None:
    sqlite_home.ok("accounts", "list")
    for pause in (0, 0.001, 0.002, 0.003, 0.005):
        words = ("serve", "--port", str(free_port()))
        ends = [os.fdopen(end, mode) for end, mode in zip(os.pipe(), ("rb", "wb"), strict=True)]
        with ends[0] as printed, Path(os.devnull).open("wb") as nothing:
            with ends[1] as output:
                process = fork_command(words, sqlite_home.environ(), output, nothing)
            while b"Stop with" not in printed.readline():
                assert process.poll() is None
            time.sleep(pause)
            process.send_signal(signal.SIGTERM)
            try:
                code = process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                process.kill()
                pytest.fail("the signal was lost: the server went on as if nothing had happened")
            assert code in (0, -signal.SIGTERM)


def test_a_second_server_on_one_sqlite_file_is_refused(sqlite_home: Home) -> None:
    with sqlite_home.server() as first:
        second = sqlite_home.run("serve", "--port", str(free_port()))
        assert second.code == 4
        assert "a server is already serving" in second.err
        assert "Traceback" not in second.err
        assert second.out == ""
        with first.client(sandbox_key(sqlite_home)) as client:
            assert precheck(client).status_code == 200


def test_a_taken_port_is_refused_in_one_clear_sentence(sqlite_home: Home) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        refused = sqlite_home.run("serve", "--port", str(port))
    assert refused.code == 4  # refused, as the list of exit codes has it
    assert str(port) in refused.err
    assert "Traceback" not in refused.err


def test_a_restart_keeps_balance_decisions_and_answers(home: Home) -> None:
    with home.server() as server, server.client(sandbox_key(home)) as client:
        plain = precheck(client, BODY | {"clientReferenceId": "before"})
        once = precheck(client, **{"Idempotency-Key": "restart-1"})
        assert once.json()["billing"]["remainingBalance"]["amount"] == 99.9
        path = f"/api/v1/decisions/{plain.json()['requestId']}"
        before = client.get(path).json()["decisionResponse"]
        assert before["clientReferenceId"] == "before"
    with home.server() as server, server.client(sandbox_key(home)) as client:
        assert client.get(path).json()["decisionResponse"] == before
        again = precheck(client, **{"Idempotency-Key": "restart-1"})
        assert again.content == once.content
        assert again.headers["idempotent-replayed"] == "true"
        other = client.post(
            PRECHECK,
            json=BODY | {"cardExpiryDate": "2034-01"},
            headers={"Idempotency-Key": "restart-1"},
        )
        assert other.status_code == 422
        assert _remaining(client) == 99.9
        third = precheck(client).json()
        assert third["billing"]["remainingBalance"]["amount"] == 99.85
        assert third["requestId"] > plain.json()["requestId"]
    assert home.balance(DEMO) == 99.85
    assert home.ok("ledger", "verify", "--json").json["closed"] == 3
