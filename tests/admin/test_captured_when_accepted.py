"""A pipeline that says so has payments captured when their requests are accepted, once each."""

from pathlib import Path
from typing import Any

import pytest

from tests.harness import PURCHASE, Home, Server, until

_PIPELINE = """
pipeline: 7
name: Captured at once
stages:
  - {stage: Rules, rule_set: large}
  - {stage: Gateway, capture: accepted%s}
"""
_RULES = """
rule_set: large
rules:
  - {name: large, condition: order.amount > 100, outcome: REVIEW}
"""
_HOST = """
connectors:
  old:
    kind: iso8583
    dialect: base-one
    hosts: ["pay.example.com:5000"]
  sandbox: {kind: sandbox}
routes:
  gateway:
    - {accounts: [%s], use: [sandbox]}
    - {use: [sandbox, old]}
"""


class Shop:
    """An account whose pipeline captures what is accepted, and its program."""

    def __init__(self, home: Home, folder: Path) -> None:
        self.home, self.folder = home, folder
        self.account = home.account()
        self.key = home.key(self.account)
        self.apply("rules", _RULES)
        self.apply("pipelines", _PIPELINE % "")

    def apply(self, kind: str, text: str) -> None:
        file = self.folder / f"{kind}.yaml"
        file.write_text(text)
        self.home.ok(kind, "apply", str(file), "--account", self.account)

    def buy(self, server: Server, amount: float, **headers: str) -> str:
        order = {**PURCHASE["sentryRequest"]["order"], "amount": amount}
        visit = {**PURCHASE["sentryRequest"], "order": order}
        body = {**PURCHASE, "pipelineId": 7, "sentryRequest": visit}
        with server.client(self.key) as client:
            answer = client.post("/api/v1/pipeline", json=body, headers=headers).json()
        request: str = answer["requestId"]
        return request

    def resolve(self, request: str, verb: str, *how: str) -> Any:
        words = ("reviews", verb, request, *how)
        return self.home.run(*words, "--account", self.account)

    def shown(self, request: str) -> Any:
        return self.home.ok("payments", "show", request, "--account", self.account, "--json").json


@pytest.fixture
def shop(home: Home, tmp_path: Path) -> Shop:
    return Shop(home, tmp_path)


def test_an_accepted_payment_is_captured_once_though_its_server_is_killed(shop: Shop) -> None:
    server = shop.home.start()
    once = {"Idempotency-Key": "order-1"}
    request = shop.buy(server, 59.9, **once)
    server.kill()
    with shop.home.server() as server:
        captured = until(lambda: shop.shown(request), lambda it: it["state"] == "CAPTURED")
        assert shop.buy(server, 59.9, **once) == request
    [operation] = captured["operations"]
    assert (operation["kind"], operation["amountMinor"]) == ("CAPTURE", 5990)
    assert operation["by"] == "pipeline:7"
    assert shop.shown(request)["operations"] == [operation]


def test_what_a_person_looks_at_is_captured_when_it_is_accepted(shop: Shop) -> None:
    with shop.home.server() as server:
        good, bad, late = [shop.buy(server, amount) for amount in (200, 300, 400)]
        assert [shop.shown(each)["operations"] for each in (good, bad, late)] == [[], [], []]
        assert not shop.resolve(good, "resolve", "--approve", "--reason", "known").code
        assert not shop.resolve(bad, "resolve", "--decline", "--reason", "stolen").code
        captured = until(lambda: shop.shown(good), lambda it: it["state"] == "CAPTURED")
        assert [each["by"] for each in captured["operations"]] == ["pipeline:7"]
        until(lambda: shop.shown(bad), lambda it: it["state"] == "REVERSED")
        undone = shop.resolve(good, "undo")
        assert undone.code
        assert "refund the payment" in undone.err
        assert not shop.resolve(good, "correct", "--decline", "--reason", "stolen").code
        assert shop.shown(good)["state"] == "CAPTURED"
        assert not shop.resolve(good, "correct", "--approve", "--reason", "known").code
        assert len(shop.shown(good)["operations"]) == 1
        # The version that authorized a payment says what becomes of it.
        shop.apply("pipelines", _PIPELINE.replace("accepted", "later") % "")
        assert not shop.resolve(late, "resolve", "--approve", "--reason", "known").code
        until(lambda: shop.shown(late), lambda it: it["state"] == "CAPTURED")
    assert shop.shown(bad)["operations"] == []


def test_a_payment_that_reviews_leave_alone_is_captured_once_they_accept(shop: Shop) -> None:
    shop.apply("pipelines", _PIPELINE % ", on_declined_review: leave")
    with shop.home.server() as server:
        request = shop.buy(server, 200)
        assert not shop.resolve(request, "resolve", "--decline", "--reason", "odd").code
        assert shop.shown(request)["operations"] == []
        assert not shop.resolve(request, "correct", "--approve", "--reason", "known").code
        assert [each["kind"] for each in shop.shown(request)["operations"]] == ["CAPTURE"]


def test_what_a_person_did_before_the_review_is_not_done_over(shop: Shop) -> None:
    shop.apply("pipelines", _PIPELINE % ", on_declined_review: leave")
    with shop.home.server() as server:
        request = shop.buy(server, 200)
        part = ("payments", "capture", request, "--amount-minor", "500")
        shop.home.ok(*part, "--account", shop.account)
        assert not shop.resolve(request, "resolve", "--approve", "--reason", "known").code
        assert [each["amountMinor"] for each in shop.shown(request)["operations"]] == [500]


def test_a_pipeline_captures_only_where_every_connector_of_its_payments_can(shop: Shop) -> None:
    other = shop.home.account()
    file = shop.folder / "connectors.yaml"
    file.write_text(_HOST % other)
    shop.home.ok("connectors", "apply", str(file))
    pipeline = str(shop.folder / "pipelines.yaml")
    Path(pipeline).write_text(_PIPELINE.replace("at once", "soon") % "")

    def refusal(account: str, gateway: str) -> str:
        words = ("pipelines", "apply", pipeline, "--account", account)
        return shop.home.run(*words, GATEHOUSE_GATEWAY=gateway).err

    refused = refusal(shop.account, "connectors")
    assert "stages[1].capture" in refused
    assert "these do not: old" in refused
    shop.home.ok("rules", "apply", str(shop.folder / "rules.yaml"), "--account", other)
    assert refusal(other, "connectors") == ""
    assert refusal(shop.account, "sandbox") == ""
