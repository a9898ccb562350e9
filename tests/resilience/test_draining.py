"""A server that is told to stop says so first, and goes on answering until nobody asks any more."""

import itertools
import json
import signal
import threading
from typing import Any

import httpx

from tests.harness import BODY, PATIENCE_S, Home, Server, precheck, sandbox_key, until
from tests.harness.samples import SILENT_CARD

FOR_EVER = {"GATEHOUSE_DRAIN_S": "3600"}


def _lines(server: Server) -> list[dict[str, Any]]:
    return [json.loads(line) for line in server.log().splitlines() if line.startswith("{")]


def _said(server: Server, *messages: str) -> list[str]:
    """Which of the messages the log has, in their order."""
    return [line["message"] for line in _lines(server) if line["message"] in messages]


def _is_ready(server: Server) -> bool:
    return httpx.get(f"{server.base}/readyz", timeout=PATIENCE_S).status_code == 200


class _Checkout(threading.Thread):
    """A merchant behind a load balancer: sends until the balancer has noticed, then a few more."""

    def __init__(self, server: Server, key: str) -> None:
        super().__init__()
        self.noticed = threading.Event()
        self.statuses: list[int] = []
        self.closed = 0
        self._server = server
        self._key = key

    def run(self) -> None:
        with self._server.client(self._key) as client:
            more = itertools.chain(itertools.repeat(True, 5), [False])
            while not self.noticed.is_set() or next(more):
                answer = precheck(client)
                self.statuses.append(answer.status_code)
                self.closed += answer.headers.get("connection") == "close"


def test_no_request_is_lost_while_a_stopping_server_drains(sqlite_home: Home) -> None:
    server = sqlite_home.start(FOR_EVER)
    try:
        checkouts = [_Checkout(server, sandbox_key(sqlite_home)) for _ in range(2)]
        for checkout in checkouts:
            checkout.start()
        until(lambda: all(checkout.statuses for checkout in checkouts))
        server.process.send_signal(signal.SIGTERM)
        until(lambda: not _is_ready(server))
        assert httpx.get(f"{server.base}/healthz").status_code == 200
        for checkout in checkouts:
            checkout.noticed.set()
        for checkout in checkouts:
            checkout.join(PATIENCE_S)
            assert not checkout.is_alive()
            assert set(checkout.statuses) == {200}
            # Whoever keeps a connection is told that it ends, before it does.
            assert checkout.closed > 0
        assert server.process.poll() is None
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(PATIENCE_S) == 0
    finally:
        server.kill()
    answered = sum(len(checkout.statuses) for checkout in checkouts)
    report = sqlite_home.ok("ledger", "verify", "--json").json
    assert (report["closed"], report["open"], report["problems"]) == (answered, 0, [])


def test_the_drain_ends_by_itself_and_every_step_has_a_line(sqlite_home: Home) -> None:
    settings = {"GATEHOUSE_DRAIN_S": "1", "GATEHOUSE_SECRET_KEY": "k" * 40}
    server = sqlite_home.start(settings | {"GATEHOUSE_METRIC_PORT": "1"})
    assert server.stop() == 0
    steps = "starting", "ready", "stopping", "no longer listening", "stopped"
    assert _said(server, *steps) == list(steps)
    start, ready, stopping, *_ = (line for line in _lines(server) if line["message"] in steps)
    assert start["environment"] == "sandbox"
    assert start["database"] == "sqlite"
    assert {"GATEHOUSE_HOME", "GATEHOUSE_SECRET_KEY", "GATEHOUSE_DRAIN_S"} <= {
        *start["changedSettings"]
    }
    assert "GATEHOUSE_LOG_LEVEL" not in start["changedSettings"]
    assert ready["address"] == start["address"] == server.base
    assert stopping["drainS"] == 1
    assert _said(server, "GATEHOUSE_METRIC_PORT is not a setting of this version; did you mean "
                 "GATEHOUSE_METRICS_PORT?")  # fmt: skip
    assert "k" * 40 not in server.log()


def test_a_second_signal_ends_requests_in_flight_at_once_and_charges_nothing(
    sqlite_home: Home,
) -> None:
    settings = {"GATEHOUSE_PRECHECK_TIMEOUT_MS": "60000", "GATEHOUSE_STOP_TIMEOUT_S": "3600"}
    server = sqlite_home.start(settings | {"GATEHOUSE_AUTHORIZATION_TTL_S": "600"})
    key = sandbox_key(sqlite_home)
    answers: list[int] = []

    def ask() -> None:
        with server.client(key) as client:
            answers.append(precheck(client, BODY | {"cardNumber": SILENT_CARD}).status_code)

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        until(lambda: sqlite_home.ok("ledger", "verify", "--json").json["open"])
        server.process.send_signal(signal.SIGTERM)
        until(lambda: _said(server, "no longer listening"))
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(PATIENCE_S) == 0
        asking.join(PATIENCE_S)
    finally:
        server.kill()
    assert answers == [503]
    assert sqlite_home.balance("acct_demo") == 100
    report = sqlite_home.ok("ledger", "verify", "--json").json
    assert (report["open"], report["problems"]) == (0, [])
