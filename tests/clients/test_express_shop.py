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

from tests.clients.typescript_build import CLIENT, NODE, built_client, needs_npm
from tests.harness import BODY, PATIENCE_S, Server, free_port, until
from tests.installed_programs import ROOT

EXAMPLE = ROOT / "examples/express-shop"


@pytest.fixture(scope="module")
def account(shared: Server) -> str:
    return shared.home.account("100")


@pytest.fixture(scope="module")
def key(shared: Server, account: str) -> str:
    return shared.home.key(account, "--rate-limit", "0")


@pytest.fixture(scope="module")
def shop(
    shared: Server, account: str, key: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[httpx.Client]:
    """A client of the shop, whose webhook is registered."""
    client, folder = built_client(), tmp_path_factory.mktemp("shop")
    shutil.copytree(EXAMPLE, folder / "shop")
    (folder / "shop/node_modules").symlink_to(client / "node_modules")
    (folder / "node_modules").mkdir()
    (folder / "node_modules/gatehouse-client").symlink_to(client)
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    hook = ("webhooks", "create", f"{address}/webhooks/gatehouse", "--event", "review.*")
    secret = shared.home.ok(*hook, "--account", account, "--json").json["secret"]
    environ = {"GATEHOUSE_API_KEY": key, "GATEHOUSE_URL": shared.base}
    environ |= {"WEBHOOK_SECRET": secret, "PORT": str(port)}
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


def _order(order_id: str, **more: Any) -> dict[str, Any]:
    card = {name: BODY[name] for name in ("cardNumber", "cardExpiryDate", "cardCvv2Value")}
    return {"orderId": order_id, "amount": 5, "customerIp": "203.0.113.1", "card": card} | more


@needs_npm
def test_an_order_is_paid_once_also_when_it_is_sent_twice(shop: httpx.Client) -> None:
    first = shop.post("/orders", json=_order("1001")).json()
    again = shop.post("/orders", json=_order("1001")).json()
    assert first["status"] == "paid"
    assert again == first


@needs_npm
def test_a_declined_card_and_a_wrong_one_are_told_apart(shop: httpx.Client) -> None:
    card = {"cardNumber": "4000000000000002", "cardExpiryDate": "2035-12"}
    assert shop.post("/orders", json=_order("1002", card=card)).json()["status"] == "declined"
    wrong = shop.post("/orders", json=_order("1003", card=card | {"cardExpiryDate": "12/35"}))
    assert wrong.status_code == 422
    assert list(wrong.json()["fields"]) == ["preCheckRequest.cardExpiryDate"]


@needs_npm
def test_an_order_that_waits_goes_on_when_the_webhook_says_what_was_found(
    shop: httpx.Client, shared: Server, key: str
) -> None:
    placed = shop.post("/orders", json=_order("1004", customerIp="198.51.100.1")).json()
    assert placed["status"] == "waiting"
    address = f"/api/v1/reviews/{placed['requestId']}"
    said = {"resolution": "APPROVE", "reason": "known customer"}
    with shared.client(key) as client:
        assert client.post(address, json=said).json()["isSuccess"]
    until(lambda: shop.get(f"/orders/{placed['requestId']}").json()["status"] == "paid")


@needs_npm
def test_a_message_without_a_signature_is_refused(shop: httpx.Client) -> None:
    forged = {"type": "review.resolved", "data": {"requestId": "req_1", "state": "APPROVED"}}
    assert shop.post("/webhooks/gatehouse", json=forged).status_code == 400


def test_the_shop_uses_the_version_of_express_that_is_locked() -> None:
    wanted = json.loads((EXAMPLE / "package.json").read_text())["dependencies"]["express"]
    assert json.loads((CLIENT / "package.json").read_text())["devDependencies"]["express"] == wanted
