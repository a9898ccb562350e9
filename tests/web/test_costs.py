"""Deciding by expected cost on the real server: set, told, decided by, recorded and explained."""

from typing import Any

import httpx
import pytest

from gatehouse.admin.configurations.use_cases.configurations import NewVersion
from gatehouse.admin.pipelines.use_cases import pipelines
from gatehouse.store.admin.admin_session import AdminSession
from tests.harness import BODY, VISIT, Server, pipeline, sentry, until
from tests.web.merchant import Merchant

COSTS = {
    "currency": "USD",
    "margin": 0.25,
    "preset": "balance",
    "chargebackFee": 20,
    "feeShare": 0.03,
    "reviewCost": 3.5,
    "reviewFinds": 0.8,
}
DECIDING = b"""
pipeline: 7
name: By expected cost
stages:
  - {stage: Sentry, stop_when: sentry.costAdvice = 'DECLINE'}
  - {stage: PreCheck}
decided_by: [Sentry, PreCheck]
"""
SCOPES = ("manage", "sentry", "pipeline", "decisions")
BASE = "/api/v1/manage/policies"


def order(amount: float, address: str = "203.0.113.1") -> dict[str, Any]:
    device = {**VISIT["device"], "ipAddress": address}
    return {**VISIT, "device": device, "order": {"amount": amount, "currency": "USD"}}


def told(response: httpx.Response, field: str) -> Any:
    body = response.json()
    assert body["isSuccess"], body
    return body[field]


def _pipelines(client: httpx.Client) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = told(client.get("/api/v1/pipelines"), "pipelinesResponse")[
        "pipelines"
    ]
    return found


@pytest.fixture(scope="module")
def merchant(session: AdminSession) -> Merchant:
    return Merchant(session, *SCOPES)


@pytest.fixture(scope="module")
def with_costs(session: AdminSession, merchant: Merchant, client: httpx.Client) -> httpx.Client:
    """Calls the server as a merchant who has set costs and decides by them."""
    plain = told(sentry(client, order(59.9)), "sentryResponse")
    assert "costs" not in plain
    answer = told(client.put(f"{BASE}/costs", json=COSTS), "policiesResponse")
    assert answer["costs"] == COSTS
    pipelines.apply(session, merchant.account, NewVersion(DECIDING))
    until(lambda: 7 in [each["pipelineId"] for each in _pipelines(client)])
    until(lambda: "costs" in told(sentry(client, order(59.9)), "sentryResponse"))
    return client


def test_an_answer_tells_what_each_outcome_would_cost(with_costs: httpx.Client) -> None:
    found = told(sentry(with_costs, order(59.9)), "sentryResponse")
    risk = 1 - found["requestConfidence"]
    costs = found["costs"]
    assert costs["accept"] == pytest.approx(risk * (59.9 * 1.03 + 20), abs=0.006)
    assert costs["decline"] == pytest.approx((1 - risk) * 0.25 * 59.9, abs=0.006)
    least = min(costs["accept"], costs["decline"])
    assert costs["review"] == pytest.approx(3.5 + 0.2 * least, abs=0.006)
    by_cost = {costs[name]: name.upper() for name in ("decline", "review", "accept")}
    assert costs["advice"] == by_cost[min(by_cost)]


def test_a_pipeline_decides_by_it_and_the_explanation_says_so(with_costs: httpx.Client) -> None:
    asked = {"pipelineId": 7, "sentryRequest": order(900.0, "192.0.2.1"), "preCheckRequest": BODY}
    answer = pipeline(with_costs, asked)
    found = told(answer, "pipelineResponse")
    advice = found["sentryResponse"]["costs"]["advice"]
    assert found["decision"] == advice != "ACCEPT"
    record = told(
        with_costs.get(f"/api/v1/decisions/{answer.json()['requestId']}"), "decisionResponse"
    )
    explained = record["explanation"]
    assert f"By expected cost {advice} is cheapest (preset balance)" in explained["summary"]
    assert not any("cannot be told" in note for note in explained["notes"])
    [kept] = [stage["result"] for stage in record["stages"] if stage["name"] == "Sentry"]
    assert kept["costs"]["advice"] == advice
    assert kept["costs"]["amount"] == 90_000
    for change in explained["changes"]:
        if "sentry.costAdvice" in change.get("signals", {}):
            assert change["decision"] == change["signals"]["sentry.costAdvice"]


def test_other_policies_leave_the_costs_as_they_are(with_costs: httpx.Client) -> None:
    answer = with_costs.put(f"{BASE}/sentry", json={"entities": ["member"]})
    assert told(answer, "policiesResponse")["costs"] == COSTS
    changed = told(
        with_costs.put(f"{BASE}/costs", json=COSTS | {"preset": "protect"}), "policiesResponse"
    )
    assert changed["sentry"] == {"entities": ["member"]}
    assert changed["costs"]["preset"] == "protect"


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"margin": 0.12345}, "margin is a share from 0 to 1 with at most four decimals"),
        ({"reviewCost": 3.555}, "reviewCost is an amount of 0 or more with at most 2 decimals"),
        ({"currency": "QQQ"}, "QQQ is no currency of ISO 4217"),
    ],
)
def test_costs_that_cannot_be_counted_are_refused(
    client: httpx.Client, wrong: dict[str, Any], why: str
) -> None:
    answer = client.put(f"{BASE}/costs", json=COSTS | wrong).json()
    assert not answer["isSuccess"]
    assert why in str(answer["errors"])


def test_without_costs_there_is_no_advice(
    shared: Server, session: AdminSession, with_costs: httpx.Client
) -> None:
    other = Merchant(session, *SCOPES)
    with shared.client(other.key) as caller:
        told(caller.put(f"{BASE}/costs", json=COSTS), "policiesResponse")
        assert told(caller.delete(f"{BASE}/costs"), "policiesResponse")["costs"] is None
        until(lambda: "costs" not in told(sentry(caller, order(5.0)), "sentryResponse"))
