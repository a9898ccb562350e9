"""The example shop in Express runs against the sandbox, and hears of its reviews by webhook."""

import contextlib
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from gatehouse_client import sandbox

from tests.clients.shop_account import LARGE, ShopAccount, shop_account
from tests.clients.typescript_build import CLIENT, NODE, built_client, needs_npm
from tests.harness import BODY, PATIENCE_S, Server, free_port, until
from tests.harness.unreliable import Unreliable, lose, unreliable
from tests.installed_programs import ROOT

EXAMPLE = ROOT / "examples/express-shop"


@pytest.fixture(scope="module")
def merchant(shared: Server, tmp_path_factory: pytest.TempPathFactory) -> ShopAccount:
    return shop_account(shared.home, tmp_path_factory.mktemp("rules"))


@pytest.fixture(scope="module")
def line(shared: Server) -> Iterator[Unreliable]:
    """What the shop reaches Gatehouse by."""
    with unreliable(shared.port) as proxy:
        yield proxy


@pytest.fixture(scope="module")
def shop(
    shared: Server,
    line: Unreliable,
    merchant: ShopAccount,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[httpx.Client]:
    """A client of the shop, whose webhook is registered."""
    client, folder = built_client(), tmp_path_factory.mktemp("shop")
    # Without what somebody installed who followed its page.
    shutil.copytree(EXAMPLE, folder / "shop", ignore=shutil.ignore_patterns("node_modules"))
    (folder / "shop/node_modules").symlink_to(client / "node_modules")
    (folder / "node_modules").mkdir()
    (folder / "node_modules/gatehouse-client").symlink_to(client)
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    hook = ("webhooks", "create", f"{address}/webhooks/gatehouse", "--event", "review.*")
    secret = shared.home.ok(*hook, "--account", merchant.account, "--json").json["secret"]
    environ = {"GATEHOUSE_API_KEY": merchant.key, "GATEHOUSE_URL": line.base}
    environ |= {"WEBHOOK_SECRET": secret, "PORT": str(port), "TRUST_PROXY": "loopback"}
    with (
        _running(folder / "shop", environ),
        httpx.Client(base_url=address, timeout=PATIENCE_S) as opened,
    ):
        yield opened


@contextlib.contextmanager
def _running(folder: Path, environ: dict[str, str]) -> Iterator[None]:
    command, whole = [NODE or "node", "server.js"], {"PATH": os.environ["PATH"], **environ}
    with subprocess.Popen(
        command, cwd=folder, env=whole, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert "the shop is open" in process.stdout.readline()
            yield
        finally:
            process.terminate()


def _order(order_id: str, **more: str) -> dict[str, Any]:
    names = ("cardNumber", "cardExpiryDate", "cardCvv2Value")
    return {"orderId": order_id, "amount": 5, "card": {name: BODY[name] for name in names} | more}


@needs_npm
def test_an_order_is_paid_once_also_when_it_is_sent_twice(shop: httpx.Client) -> None:
    first = shop.post("/orders", json=_order("1001")).json()
    again = shop.post("/orders", json=_order("1001")).json()
    assert (first["status"], first["payment"]) == ("paid", "APPROVED")
    assert again == first == shop.get("/orders/1001").json()


@needs_npm
def test_a_wrong_card_is_told_by_its_fields(shop: httpx.Client) -> None:
    wrong = shop.post("/orders", json=_order("1003", cardExpiryDate="12/35"))
    assert wrong.status_code == 422
    assert list(wrong.json()["fields"]) == ["preCheckRequest.cardExpiryDate"]
    assert shop.post("/orders", json=_order("1003")).json()["status"] == "paid"


@needs_npm
def test_a_buyer_who_tries_again_after_a_decline_pays(shop: httpx.Client) -> None:
    for number, first in {
        "other-card": {"cardNumber": sandbox.DECLINED},
        "corrected-code": {"cardCvv2Value": "200"},
        "issuer-was-late": {"cardNumber": sandbox.RETRY},
        "gateway": {"cardNumber": sandbox.GATEWAY_DECLINES},
    }.items():
        declined = shop.post("/orders", json=_order(number, **first)).json()
        assert (declined["status"], declined["attempt"]) == ("declined", 1)
        again = shop.post("/orders", json=_order(number)).json()
        assert (again["status"], again["attempt"]) == ("paid", 2)


@needs_npm
def test_a_call_whose_answer_was_lost_is_repeated_or_looked_up(
    shop: httpx.Client, line: Unreliable
) -> None:
    for number, second in {"same": {}, "other": {"cardNumber": "5555555555554444"}}.items():
        line.troubles += [lose] * 3
        assert shop.post("/orders", json=_order(number)).status_code == 503
        assert shop.get(f"/orders/{number}").json()["status"] == "asking"
        found = shop.post("/orders", json=_order(number, **second)).json()
        assert (found["status"], found["attempt"]) == ("paid", 1)


@needs_npm
def test_another_payment_under_the_same_name_pays_no_order(
    shop: httpx.Client, shared: Server, merchant: ShopAccount
) -> None:
    name = "express-shop-1011-1"
    other = {"cardNumber": sandbox.APPROVED_MASTERCARD, "cardExpiryDate": "2035-12"}
    body = {"pipelineId": 1, "clientReferenceId": name, "preCheckRequest": other}
    body |= {"gatewayRequest": {"amount": 1, "currency": "USD"}}
    with shared.client(merchant.key) as client:
        paid = client.post("/api/v1/pipeline", json=body, headers={"Idempotency-Key": name}).json()
    assert paid["pipelineResponse"]["gatewayResponse"]["status"] == "APPROVED"
    refused = shop.post("/orders", json=_order("1011"))
    # No payment of this order is under way, so that it does not say so.
    assert (refused.status_code, refused.json()) == (503, {"problem": "try again"})
    assert shop.get("/orders/1011").json()["status"] == "asking"
    mine = shop.post("/orders", json=_order("1011")).json()
    assert (mine["status"], mine["attempt"]) == ("paid", 2)
    assert mine["requestId"] != paid["requestId"]
    assert shop.post("/orders", json=_order("1011") | {"amount": 6}).status_code == 409


@needs_npm
def test_the_address_is_that_of_a_trusted_proxy_and_not_what_the_buyer_says(
    shop: httpx.Client, shared: Server, merchant: ShopAccount
) -> None:
    said = {"X-Forwarded-For": "192.0.2.1, 203.0.113.7"}
    own = _order("1005") | {"customerIp": "192.0.2.1"}
    placed = shop.post("/orders", json=own, headers=said).json()
    with shared.client(merchant.key) as client:
        found = client.get(f"/api/v1/decisions/{placed['requestId']}").json()["decisionResponse"]
    assert found["signals"]["ip.address"] == "203.0.113.7"


@needs_npm
def test_an_order_that_waits_goes_on_when_the_webhook_says_what_was_found(
    shop: httpx.Client, shared: Server, merchant: ShopAccount
) -> None:
    placed = shop.post("/orders", json=_order("1004") | {"amount": LARGE}).json()
    assert (placed["status"], placed["payment"]) == ("waiting", "APPROVED")
    address = f"/api/v1/reviews/{placed['requestId']}"
    said = {"resolution": "APPROVE", "reason": "known customer"}
    with shared.client(merchant.key) as client:
        assert client.post(address, json=said).json()["isSuccess"]
    until(lambda: shop.get("/orders/1004").json()["status"] == "paid")


@needs_npm
def test_a_message_without_a_signature_is_refused(shop: httpx.Client) -> None:
    forged = {"type": "review.resolved", "data": {"requestId": "req_1", "state": "APPROVED"}}
    assert shop.post("/webhooks/gatehouse", json=forged).status_code == 400


def test_the_shop_uses_the_version_of_express_that_is_locked() -> None:
    wanted = json.loads((EXAMPLE / "package.json").read_text())["dependencies"]["express"]
    assert json.loads((CLIENT / "package.json").read_text())["devDependencies"]["express"] == wanted
