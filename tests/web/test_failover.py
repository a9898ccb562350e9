"""Payments whose first party is away: which party they are stored for, sent to and reversed at."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.connectors.reference_host.hosts import TOKEN, HostThread, host_thread
from tests.harness import PURCHASE, Home, free_port, pipeline, until

APPLIED = {
    "GATEHOUSE_GATEWAY": "connectors",
    "GATEHOUSE_GATEWAY_TIMEOUT_MS": "10000",
    "HOST_TOKEN": TOKEN,
}
FILE = """\
connectors:
  first: {kind: http, mapping: gatehouse, base_url: "http://127.0.0.1:FIRST", secrets: TOKEN}
  second: {kind: http, mapping: gatehouse, base_url: "http://127.0.0.1:SECOND", secrets: TOKEN}
routes:
  gateway: [{use: [first, second]}]
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return Home(tmp_path_factory.mktemp("failover") / "home", settings=APPLIED).migrated()


@pytest.fixture(scope="module")
def second() -> Iterator[HostThread]:
    with host_thread() as host:
        yield host


@pytest.fixture(scope="module")
def first_port(home: Home, second: HostThread, tmp_path_factory: pytest.TempPathFactory) -> int:
    """The port of the first party, where nobody listens."""
    port = free_port()
    ports = FILE.replace("FIRST", str(port)).replace("SECOND", str(second.running.http_port))
    file = Path(tmp_path_factory.mktemp("file")) / "connectors.yaml"
    file.write_text(ports.replace("TOKEN", '{token: "env:HOST_TOKEN"}'))
    home.ok("connectors", "apply", str(file))
    return port


def gateway_of(client: httpx.Client) -> Any:
    return pipeline(client, PURCHASE).json()["pipelineResponse"]["gatewayResponse"]


def test_payments_of_a_dead_server_are_reversed_where_they_were_sent_and_nowhere_else(
    home: Home, second: HostThread, first_port: int
) -> None:
    account = home.account("100")
    key = home.key(account)
    with home.server() as server, server.client(key) as client:
        paid = gateway_of(client)
        assert (paid["status"], paid["party"]) == ("APPROVED", "second")
        assert paid["paymentId"].startswith("pay_")
        words = ("--type", "payment.authorized", "--account", account, "--json")
        (event,) = home.ok("events", "list", *words).json["events"]
        assert event["data"]["paymentId"] == paid["paymentId"]
        assert event["data"]["party"] == paid["party"]
        assert event["data"]["response"]["pipelineResponse"]["gatewayResponse"] == paid | {
            "networkTransactionId": None
        }
        assert second.summary()["authorizations"] == 1
        with second.misbehaving("silent"), ThreadPoolExecutor(1) as thread:
            lost = thread.submit(pipeline, client, PURCHASE)
            until(lambda: second.summary()["authorizations"], lambda count: count == 2)
            server.kill()
            with pytest.raises(httpx.TransportError):
                lost.result()
    with host_thread(http_port=first_port) as first, home.server():
        until(lambda: second.summary()["reversed"], lambda count: count == 1)
        states = home.ok("gateway", "list", "--json").json
        assert [each["state"] for each in states] == ["REVERSED"]
        assert first.summary()["neverHeardOf"] == 0


def test_a_payment_that_was_sent_to_nobody_is_reversed_nowhere(
    home: Home, first_port: int, tmp_path: Path
) -> None:
    assert first_port
    file = tmp_path / "connectors.yaml"
    shown = home.ok("connectors", "show").out
    file.write_text(shown.replace("[first, second]", "[first]"))
    home.ok("connectors", "apply", str(file))
    with home.server() as server, server.client(home.key(home.account("100"))) as client:
        answer = pipeline(client, PURCHASE).json()
        assert answer["pipelineResponse"]["gatewayResponse"]["status"] == "ERROR"
        shown_payment = home.run("gateway", "show", answer["requestId"])
    assert "no payment of" in shown_payment.err
