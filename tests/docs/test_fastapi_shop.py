"""The shop in examples/ runs against a real sandbox."""

import importlib.util
import sys
from collections.abc import Iterator
from decimal import Decimal
from types import SimpleNamespace
from typing import Any, Final

import pytest
from gatehouse_client import Gatehouse, models, sandbox, webhooks
from starlette.testclient import TestClient

from gatehouse.connectors.webhooks.signing_secrets import SecretKind, SigningSecret
from tests.clients.shop_account import LARGE, ShopAccount, shop_account
from tests.docs.pages import ROOT
from tests.harness import Server
from tests.harness.unreliable import Unreliable, lose, unreliable

SHOP: Final = ROOT / "examples/fastapi-shop/shop.py"
SECRET: Final = SigningSecret(SecretKind.HMAC, b"h" * 32)


@pytest.fixture(scope="module")
def merchant(shared: Server, tmp_path_factory: pytest.TempPathFactory) -> ShopAccount:
    return shop_account(shared.home, tmp_path_factory.mktemp("rules"))


@pytest.fixture(scope="module")
def line(shared: Server) -> Iterator[Unreliable]:
    """What the shop reaches Gatehouse by."""
    with unreliable(shared.port) as proxy:
        yield proxy


@pytest.fixture(scope="module")
def shop(line: Unreliable, merchant: ShopAccount) -> Iterator[TestClient]:
    """The shop, running."""
    found = importlib.util.spec_from_file_location("shop", SHOP)
    assert found is not None
    assert found.loader is not None
    module = sys.modules["shop"] = importlib.util.module_from_spec(found)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GATEHOUSE_API_KEY", merchant.key)
        patch.setenv("GATEHOUSE_URL", line.base)
        patch.setenv("GATEHOUSE_WEBHOOK_SECRETS", SECRET.shown)
        found.loader.exec_module(module)
        with TestClient(module.app, client=("203.0.113.1", 1)) as client:
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
    signed = webhooks.sign_for_test(event.type, event.data, secret.shown, event_id=event.id)
    sent = shop.post("/webhooks/gatehouse", content=signed.body, headers=signed.headers)
    return sent.status_code


def test_a_good_order_is_paid_and_a_second_click_pays_nothing(
    shop: TestClient, shared: Server, merchant: ShopAccount
) -> None:
    with Gatehouse(merchant.key, shared.base) as client:
        first = shop.post("/orders", json=order("1001")).json()
        left = client.balance().result.balance
        assert (first["state"], first["payment"]) == ("paid", "APPROVED")
        assert shop.post("/orders", json=order("1001")).json() == first
        assert client.balance().result.balance == left
        found = client.decisions.get(first["request"]).result
        assert found.client_reference_id == "fastapi-shop-1001-1"
    assert shop.get("/orders/1001").json() == first


def test_a_wrong_card_is_told_by_its_fields(shop: TestClient) -> None:
    wrong = shop.post("/orders", json=order("1003", card_number="4242424242424241"))
    assert wrong.status_code == 422
    assert [*wrong.json()["detail"]["fields"]] == ["preCheckRequest.cardNumber"]
    assert "4242" not in wrong.text
    assert shop.post("/orders", json=order("1003")).json()["state"] == "paid"


@pytest.mark.parametrize(
    "first", [{"card_number": sandbox.DECLINED}, {"card_cvv2_value": "200"},
              {"card_number": sandbox.RETRY}, {"card_number": sandbox.GATEWAY_DECLINES}],
)  # fmt: skip
def test_a_buyer_who_tries_again_after_a_decline_pays(
    shop: TestClient, first: dict[str, str]
) -> None:
    number = "-".join(first.values())[-8:]
    declined = shop.post("/orders", json=order(number, **first)).json()
    assert (declined["state"], declined["attempt"]) == ("declined", 1)
    again = shop.post("/orders", json=order(number)).json()
    assert (again["state"], again["attempt"]) == ("paid", 2)


def test_a_call_whose_answer_was_lost_is_repeated_and_charged_once(
    shop: TestClient, line: Unreliable, shared: Server, merchant: ShopAccount
) -> None:
    line.troubles += [lose] * 3
    assert shop.post("/orders", json=order("1005")).status_code == 503
    assert shop.get("/orders/1005").json()["state"] == "asking"
    assert shop.post("/orders", json=order("1005")).json()["state"] == "paid"
    with Gatehouse(merchant.key, shared.base) as client:
        [found] = client.decisions.each(client_reference_id="fastapi-shop-1005-1")
    assert shop.get("/orders/1005").json()["request"] == found.request_id


@pytest.mark.parametrize(
    ("number", "first", "state"),
    [("1006", sandbox.APPROVED, "paid"), ("1007", sandbox.DECLINED, "declined")],
)
def test_a_lost_answer_is_looked_up_when_the_buyer_sends_another_card(
    shop: TestClient, line: Unreliable, number: str, first: str, state: str
) -> None:
    line.troubles += [lose] * 3
    shop.post("/orders", json=order(number, card_number=first))
    other = order(number, card_number=sandbox.APPROVED_MASTERCARD)
    found = shop.post("/orders", json=other).json()
    assert (found["state"], found["attempt"]) == (state, 1)
    assert shop.post("/orders", json=other).json()["state"] == "paid"


def test_another_payment_under_the_same_name_pays_no_order(
    shop: TestClient, shared: Server, merchant: ShopAccount
) -> None:
    name = "fastapi-shop-1011-1"
    with Gatehouse(merchant.key, shared.base) as client:
        paid = client.pipeline(
            pipeline_id=1,
            client_reference_id=name,
            pre_check_request=sandbox.card(sandbox.APPROVED_MASTERCARD),
            gateway_request=models.GatewayRequest(amount=1, currency="USD"),
            idempotency_key=name,
        )
    assert paid.result.decision == "ACCEPT"
    assert shop.post("/orders", json=order("1011")).status_code == 503
    assert shop.get("/orders/1011").json()["state"] == "asking"
    mine = shop.post("/orders", json=order("1011")).json()
    assert (mine["state"], mine["attempt"]) == ("paid", 2)
    assert mine["request"] != paid.request_id
    assert shop.post("/orders", json=order("1011", amount="1")).status_code == 409


def test_an_order_that_is_good_but_not_charged_is_not_paid(shop: TestClient) -> None:
    module: Any = sys.modules["shop"]
    kept = module.Order("1008", Decimal(5))
    kept.settle(
        "fastapi-shop-1008-1",
        "req_1",
        SimpleNamespace(decision="ACCEPT", retryable=False),
        None,
        None,
    )
    assert kept.state == "accepted"
    outage = module.Order("1010", Decimal(5))
    outage.settle(
        "fastapi-shop-1010-1",
        "req_1",
        SimpleNamespace(decision="DECLINE", retryable=True),
        None,
        None,
    )
    assert (outage.state, outage.try_later) == ("declined", True)
    late = module.Order("1009", Decimal(5), attempt=2)
    late.settle(
        "fastapi-shop-1009-1",
        "req_1",
        SimpleNamespace(decision="DECLINE", retryable=True),
        None,
        None,
    )
    assert late.state == "asking"
    assert module.after_review(kept, "APPROVED", None) == "accepted"
    kept.payment = "APPROVED"
    assert module.after_review(kept, "APPROVED", "LOST") == "accepted"


def test_a_review_ends_by_webhook(shop: TestClient, shared: Server, merchant: ShopAccount) -> None:
    held = shop.post("/orders", json=order("1004", amount=LARGE)).json()
    assert (held["state"], held["payment"]) == ("in review", "APPROVED")
    with Gatehouse(merchant.key, shared.base) as client:
        client.reviews.resolve(held["request"], resolution="APPROVE", reason="known customer")
        [event] = client.events.each(types="review.resolved")
    assert hear(shop, event, SigningSecret(SecretKind.HMAC, b"x" * 32)) == 400
    assert shop.get("/orders/1004").json()["state"] == "in review"
    assert [hear(shop, event), hear(shop, event)] == [204, 204]
    assert shop.get("/orders/1004").json()["state"] == "paid"
