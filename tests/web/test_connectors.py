"""Connectors that an operator applied, on a real server: live, by their routes, and apart."""

import contextlib
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.harness import (
    AMELIA,
    BODY,
    PURCHASE,
    Home,
    Server,
    idverify,
    pipeline,
    precheck,
    sandbox_key,
    until,
)

APPLIED = {
    "GATEHOUSE_ISSUER": "connectors",
    "GATEHOUSE_IDENTITIES": "connectors",
    "GATEHOUSE_GATEWAY": "connectors",
    "GATEHOUSE_PRECHECK_TIMEOUT_MS": "60000",
}
ROUTES = """\
connectors:
  fast: {kind: sandbox, timeout_ms: 200}
  slow: {kind: sandbox, in_flight: 2, timeout_ms: 60000}
routes:
  precheck:
    - {bins: ["400000"], use: [slow]}
    - use: [fast]
  idverify:
    - use: [records, fast]
  gateway:
    - use: [fast, slow]
"""
SILENT_GATEWAY = "4000000000000259"
SILENT = BODY | {"cardNumber": "4000000000000127"}
"""Its route is the one of slow, which never answers about it."""


@contextlib.contextmanager
def serving(home: Home) -> Iterator[Server]:
    """A server that uses the routes above."""
    with home.server(**APPLIED) as running, running.client() as client:
        in_use(client, apply(running, ROUTES)["version"])
        yield running
        running.kill()  # Nobody waits for what slow has in flight.


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """For tests that leave it as they found it: workers may share them out in any way."""
    with serving(Home(tmp_path_factory.mktemp("connectors") / "home").migrated()) as running:
        yield running


@pytest.fixture(scope="module")
def client(server: Server) -> Iterator[httpx.Client]:
    home = server.home
    with server.client(home.key(home.account("100"))) as one:
        yield one


def states(client: httpx.Client) -> dict[str, Any]:
    """What /readyz says about the connectors."""
    return client.get("/readyz").json()["connectors"]  # type: ignore[no-any-return]  # JSON


def apply(server: Server, content: str, *options: str) -> dict[str, Any]:
    file = Path(server.home.path) / "connectors.yaml"
    file.write_text(content)
    found = server.home.ok("connectors", "apply", str(file), *options, "--json").json
    assert isinstance(found, dict)
    return found


def in_use(client: httpx.Client, version: int) -> None:
    until(lambda: states(client)["version"], lambda found: found == version)


def test_before_anything_is_applied_requests_are_answered_and_cost_nothing(
    sqlite_home: Home,
) -> None:
    with sqlite_home.server(**APPLIED) as server, server.client(sandbox_key(sqlite_home)) as client:
        assert states(client) == {"version": None, "connectors": {}}
        answer = precheck(client).json()
    assert answer["preCheckResponse"]["advice"] == "RETRY"
    assert answer["billing"]["amountClosed"]["amount"] == 0


def test_what_is_applied_serves_every_function_and_metrics_tell_what_was_asked(
    client: httpx.Client,
) -> None:
    assert precheck(client).json()["preCheckResponse"]["advice"] == "ACCEPT"
    found = idverify(client, AMELIA).json()["idVerifyResponse"]
    assert found["cardHolderEmailAddressVerificationResults"] == "MATCH"
    paid = pipeline(client, PURCHASE | {"preCheckRequest": BODY}).json()["pipelineResponse"]
    assert paid["gatewayResponse"]["status"] == "APPROVED"
    assert paid["gatewayResponse"]["party"] == "fast"
    page = client.get("/metrics").text
    for function in ("precheck", "idverify", "authorize"):
        labels = f'connector="fast",function="{function}",outcome="answered"'
        assert f"gatehouse_connector_requests_total{{{labels}}}" in page
    assert 'gatehouse_connector_up{connector="slow"} 1.0' in page
    assert 'gatehouse_connector_in_flight_limit{connector="slow"} 2.0' in page


def test_a_payment_in_doubt_is_reversed_where_it_was_sent(
    server: Server, client: httpx.Client
) -> None:
    body = PURCHASE | {"preCheckRequest": BODY | {"cardNumber": SILENT_GATEWAY}}
    answer = pipeline(client, body).json()
    assert answer["pipelineResponse"]["gatewayResponse"]["status"] == "ERROR"

    def payment() -> Any:
        return server.home.ok("gateway", "show", answer["requestId"], "--json").json["state"]

    until(payment, lambda state: state == "REVERSED")
    record = client.get(f"/api/v1/decisions/{answer['requestId']}").json()
    (found,) = [
        stage for stage in record["decisionResponse"]["stages"] if stage["name"] == "Gateway"
    ]
    assert "reference" not in found["result"], "by what a gateway finds a payment is not told"
    reversals = re.findall(
        r'gatehouse_connector_requests_total\{connector="(\w+)",function="reverse",'
        r'outcome="answered"\}',
        client.get("/metrics").text,
    )
    assert reversals == ["fast"]


def test_another_version_and_the_one_before_are_in_use_at_once(
    server: Server, client: httpx.Client
) -> None:
    before = states(client)["version"]
    in_use(client, apply(server, ROUTES.replace("in_flight: 2", "in_flight: 3"))["version"])
    assert states(client)["connectors"]["slow"]["limit"] == 3
    server.home.ok("connectors", "rollback", "--json")
    in_use(client, before)
    assert states(client)["connectors"]["slow"]["limit"] == 2


def test_a_command_sees_how_the_servers_connectors_are(
    server: Server, client: httpx.Client
) -> None:
    def report() -> Any:
        return server.home.run("connectors", "status", "--json").json

    version = states(client)["version"]
    (found,) = until(report, lambda servers: servers and servers[0]["version"] == version)
    assert found["connectors"]["fast"]["up"]
    assert found["connectors"]["slow"]["kind"] == "sandbox"


def test_a_slow_connector_delays_nobody_who_does_not_need_it(sqlite_home: Home) -> None:
    with (
        serving(sqlite_home) as server,
        server.client(sandbox_key(sqlite_home)) as client,
        ThreadPoolExecutor(2) as threads,
    ):
        asking = [threads.submit(precheck, client, SILENT) for _ in range(2)]
        until(lambda: states(client)["connectors"]["slow"]["inFlight"], lambda count: count == 2)
        for _ in range(5):
            assert precheck(client).json()["preCheckResponse"]["advice"] == "ACCEPT"
        # The next one of the slow connector does not queue.
        assert precheck(client, SILENT).json()["preCheckResponse"]["advice"] == "RETRY"
        assert not any(each.done() for each in asking)
        server.kill()
