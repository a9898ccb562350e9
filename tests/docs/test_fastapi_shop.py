"""The shop in examples/ runs against a real sandbox."""

import importlib.util
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from gatehouse_client import Gatehouse, sandbox
from starlette.testclient import TestClient

from gatehouse.webhooks.signing_secrets import SecretKind, SigningSecret
from tests.docs.pages import ROOT
from tests.harness import Server
from tests.harness.samples import VISIT
from tests.web.merchant import Merchant

SHOP: Final = ROOT / "examples/fastapi-shop/shop.py"
SECRET: Final = SigningSecret(SecretKind.HMAC, b"h" * 32)


@pytest.fixture(scope="module")
def merchant(shared: Server) -> Merchant:
    with shared.home.session() as session:
        return Merchant(session)


@pytest.fixture(scope="module")
def shop(shared: Server, merchant: Merchant) -> Iterator[TestClient]:
    """The shop, running."""
    found = importlib.util.spec_from_file_location("shop", SHOP)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GATEHOUSE_API_KEY", merchant.key)
        patch.setenv("GATEHOUSE_URL", shared.base)
        patch.setenv("GATEHOUSE_WEBHOOK_SECRETS", SECRET.shown)
        found.loader.exec_module(module)
        browser = {"User-Agent": VISIT["device"]["userAgent"]}
        with TestClient(module.app, client=("203.0.113.1", 1), headers=browser) as client:
            yield client


def order(number: str, **changes: Any) -> dict[str, Any]:
    return {
        "order_id": number,
        "amount": "59.90",
        "card_number": sandbox.APPROVED,
        "card_expiry_date": sandbox.EXPIRY,
        "card_cvv2_value": "123",
        "postal_code": "94105",
        **changes,
    }


def hear(shop: TestClient, event: Any, secret: SigningSecret = SECRET) -> int:
    body, at = msgspec.json.encode(event), str(int(time.time()))
    signature = secret.sign(b".".join([event.id.encode(), at.encode(), body])).decode()
    names = ("webhook-id", "webhook-timestamp", "webhook-signature")
    headers = dict(zip(names, (event.id, at, signature), strict=True))
    return shop.post("/webhooks/gatehouse", content=body, headers=headers).status_code


def test_a_good_order_is_paid_and_a_second_click_pays_nothing(
    shop: TestClient, shared: Server, merchant: Merchant
) -> None:
    with Gatehouse(merchant.key, shared.base) as client:
        first = shop.post("/orders", json=order("1001")).json()
        left = client.balance().result.balance
        assert first["state"] == "paid"
        assert shop.post("/orders", json=order("1001")).json() == first
        assert client.balance().result.balance == left
        assert client.decisions.get(first["request"]).result.client_reference_id == "1001"
    assert shop.get("/orders/1001").json() == {"order": "1001", "state": "paid"}


def test_a_declined_card_and_a_wrong_one_are_told_apart(shop: TestClient) -> None:
    declined = shop.post("/orders", json=order("1002", card_number=sandbox.DECLINED))
    assert declined.json()["state"] == "declined"
    wrong = shop.post("/orders", json=order("1003", card_number="4242424242424241"))
    assert wrong.status_code == 422
    assert [*wrong.json()["detail"]["fields"]] == ["preCheckRequest.cardNumber"]
    assert "4242" not in wrong.text


def test_a_review_ends_by_webhook(shop: TestClient, shared: Server, merchant: Merchant) -> None:
    robot = {"User-Agent": "testclient"}
    held = shop.post("/orders", json=order("1004"), headers=robot).json()
    assert held["state"] == "in review"
    with Gatehouse(merchant.key, shared.base) as client:
        client.reviews.resolve(held["request"], resolution="APPROVE", reason="known customer")
        [event] = client.events.each(types="review.resolved")
    assert hear(shop, event, SigningSecret(SecretKind.HMAC, b"x" * 32)) == 400
    assert shop.get("/orders/1004").json()["state"] == "in review"
    assert [hear(shop, event), hear(shop, event)] == [204, 204]
    assert shop.get("/orders/1004").json()["state"] == "paid"


def test_the_readme_names_the_file_that_is_there() -> None:
    assert f"examples/{SHOP.parent.name}/shop.py" in Path(SHOP.parent / "README.md").read_text()
