"""A stage that one room declares and one line registers is there in the whole service."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from gatehouse.access.keys import all_scopes
from gatehouse.conditions.catalogue import SIGNALS
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.decisions.signal_rows import row_of
from gatehouse.store.accounts import accounts
from tests.harness import PURCHASE, Home
from tests.harness.service import call_service
from tests.loyalty.spec import LOYALTY

PIPELINE = """
pipeline: 7
name: Loyal customers
stages:
  - stage: Loyalty
  - stage: Rules
    rule_set: loyal
"""
RULES = """
rule_set: loyal
rules:
  - {name: strangers, condition: loyalty.level = 'NEW' AND order.amount > 50, outcome: DECLINE}
"""
NEW, GOLD = {"memberId": "n-1"}, {"memberId": "gold-1"}


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    """The one registration, undone afterwards."""
    REGISTRY.register(LOYALTY)
    yield
    REGISTRY.remove(LOYALTY.name)


@pytest.fixture
def account(sqlite_home: Home, tmp_path: Path) -> str:
    """An account with a rule set and a pipeline that name the stage."""
    account = sqlite_home.account("100")
    for noun, text in (("rules", RULES), ("pipelines", PIPELINE)):
        file = tmp_path / f"{noun}.yaml"
        file.write_text(text)
        sqlite_home.ok(noun, "apply", str(file), "--account", account)
    return account


def _purchase(**changes: Any) -> dict[str, Any]:
    return {**PURCHASE, "pipelineId": 7, **changes}


def test_it_runs_in_a_pipeline_is_billed_recorded_and_backtested(
    sqlite_home: Home, account: str, tmp_path: Path
) -> None:
    sqlite_home.ok("prices", "set", account, "LOYALTY=0.07")
    found: dict[str, Any] = {}

    async def scenario(client: httpx.AsyncClient) -> None:
        missing = (await client.post("/api/v1/pipeline", json=_purchase())).json()
        message = "is required by pipeline 7 (Loyalty)"
        assert missing["errors"]["fieldErrors"] == {"loyaltyRequest": [message]}
        wrong = _purchase(loyaltyRequest={"memberId": ""})
        refused = (await client.post("/api/v1/pipeline", json=wrong)).json()
        assert list(refused["errors"]["fieldErrors"]) == ["loyaltyRequest.memberId"]
        new = _purchase(loyaltyRequest=NEW)
        found["answer"] = (await client.post("/api/v1/pipeline", json=new)).json()
        request_id = found["answer"]["requestId"]
        found["record"] = (await client.get(f"/api/v1/decisions/{request_id}")).json()
        gold = (await client.post("/api/v1/pipeline", json=_purchase(loyaltyRequest=GOLD))).json()
        assert gold["pipelineResponse"]["decision"] == "ACCEPT"
        listed = (await client.get("/api/v1/pipelines")).json()["pipelinesResponse"]["pipelines"]
        [mine] = [one for one in listed if one["pipelineId"] == 7]
        assert mine["required"] == ["loyaltyRequest"]
        assert mine["stages"][0] == {"stage": "Loyalty", "feeType": "LOYALTY"}

    call_service(sqlite_home, sqlite_home.key(account), scenario)
    answer = found["answer"]["pipelineResponse"]
    assert answer["pipelineStages"] == ["Loyalty", "Rules"]
    assert answer["loyaltyResponse"] == {"level": "NEW"}
    assert answer["decision"] == "DECLINE"
    [matched] = answer["rulesResponse"]["matchedRules"]
    assert matched["id"] == "strangers"
    item = found["answer"]["billing"]["items"][0]
    fee = {"currency": "USD", "amount": 0.07}
    assert item == {"feeType": "LOYALTY", "fee": fee, "completed": True}
    [stage, _] = found["record"]["decisionResponse"]["stages"]
    assert (stage["name"], stage["result"]) == ("Loyalty", {"level": "NEW"})

    request_id = found["answer"]["requestId"]
    kept = sqlite_home.ok("decisions", "show", request_id, "--account", account, "--json").json
    seen = row_of(json.dumps(kept), "loyal")
    assert (seen["loyalty.level"], seen["loyalty.completed"]) == ("NEW", True)
    file = tmp_path / "rules.yaml"
    options = ("--account", account, "--json")
    report = sqlite_home.ok("rules", "backtest", str(file), *options).json
    assert "strangers" in msgspec.json.encode(report).decode()


def test_rules_before_it_wait_for_what_it_declares(
    sqlite_home: Home, account: str, tmp_path: Path
) -> None:
    file = tmp_path / "early.yaml"
    early = "  - {stage: Rules, rule_set: loyal}\n  - stage: Loyalty\n  - stage: Sentry\n"
    file.write_text(f"pipeline: 8\nname: Rules first\nstages:\n{early}")
    applied = sqlite_home.ok("pipelines", "apply", str(file), "--account", account, "--json")
    assert applied.json["warnings"] == []

    async def scenario(client: httpx.AsyncClient) -> None:
        body = _purchase(pipelineId=8, loyaltyRequest=NEW)
        answer = (await client.post("/api/v1/pipeline", json=body)).json()["pipelineResponse"]
        assert answer["pipelineStages"] == ["Rules", "Loyalty"]
        assert answer["decision"] == answer["rulesResponse"]["status"] == "DECLINE"

    call_service(sqlite_home, sqlite_home.key(account), scenario)
    rules = str(tmp_path / "rules.yaml")
    report = sqlite_home.ok("rules", "backtest", rules, "--account", account, "--json").json
    assert [each["matches"] for each in report["rules"]] == [1]


def test_it_is_an_operation_with_a_scope_and_a_policy(sqlite_home: Home, account: str) -> None:
    assert "loyalty" in all_scopes()
    key = sqlite_home.key(account, "--scope", "loyalty")
    with sqlite_home.session() as session, session.change() as change:
        accounts.set_policy(change, account, "Loyalty", {"prefix": "n-"})

    async def scenario(client: httpx.AsyncClient) -> None:
        answer = (await client.post("/api/v1/loyalty", json=NEW)).json()
        assert answer["loyaltyResponse"] == {"level": "GOLD"}
        assert [item["feeType"] for item in answer["billing"]["items"]] == ["LOYALTY"]
        refused = await client.post("/api/v1/pipeline", json=_purchase(loyaltyRequest=GOLD))
        assert refused.json()["errors"]["code"] == "scope_not_allowed"
        document = (await client.get("/openapi.json")).json()
        assert document["paths"]["/api/v1/loyalty"]["post"]["summary"] == "Loyalty"
        schemas = document["components"]["schemas"]
        assert "loyaltyRequest" in schemas["PipelineRequest"]["properties"]
        reference = {"$ref": "#/components/schemas/LoyaltyResponse"}
        assert schemas["PipelineResponse"]["properties"]["loyaltyResponse"] == reference

    call_service(sqlite_home, key, scenario)


def test_conditions_and_prices_know_it(sqlite_home: Home, account: str, tmp_path: Path) -> None:
    assert "loyalty.level" in sqlite_home.ok("rules", "signals").out
    assert "LOYALTY" in sqlite_home.ok("prices", "show", account).out
    assert "Loyalty" in sqlite_home.ok("pipelines", "show", "7", "--account", account).out
    early = tmp_path / "early.yaml"
    stages = "  - stage: Loyalty\n    skip_when: loyalty.level = 'GOLD'"
    early.write_text(PIPELINE.replace("  - stage: Loyalty", stages))
    refused = sqlite_home.run("pipelines", "check", str(early))
    assert "loyalty.level is not known before Loyalty has run" in refused.out + refused.err
    misspelt = tmp_path / "misspelt.yaml"
    misspelt.write_text(RULES.replace("'NEW'", "'OLD'"))
    refused = sqlite_home.run("rules", "check", str(misspelt))
    assert refused.code == 4
    assert "GOLD" in refused.out + refused.err


def test_nothing_of_it_stays_when_it_is_taken_out() -> None:
    REGISTRY.remove(LOYALTY.name)
    try:
        assert "Loyalty" not in REGISTRY
        assert "loyalty.level" not in SIGNALS
        assert "LOYALTY" not in REGISTRY.default_fees
        assert "loyalty" not in all_scopes()
    finally:
        REGISTRY.register(LOYALTY)


def test_two_stages_cannot_share_a_name() -> None:
    with pytest.raises(ValueError, match="stages Loyalty and Other are both called"):
        REGISTRY.register(msgspec.structs.replace(LOYALTY, name="Other"))
    assert "Other" not in REGISTRY
