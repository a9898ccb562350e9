"""Advice on authentication on the real server: told, ruled by, recorded and explained."""

from typing import Any

import httpx
import pytest

from gatehouse.admin.configurations.use_cases.configurations import NewVersion
from gatehouse.admin.pipelines.use_cases import pipelines
from gatehouse.admin.rule_sets.use_cases import rule_sets
from gatehouse.store.admin.admin_session import AdminSession
from tests.harness import BODY, VISIT, pipeline, sentry, until
from tests.web.merchant import Merchant

RULES = b"""
rule_set: sca
rules:
  - name: challenged
    condition: sentry.scaAdvice.advice = 'CHALLENGE'
    outcome: REVIEW
  - name: exempt
    condition: sentry.scaAdvice.exemption = 'LOW_VALUE'
    outcome: ACCEPT
"""
PIPELINE = b"""
pipeline: 8
name: With advice
stages:
  - {stage: Sentry}
  - {stage: PreCheck}
  - {stage: Rules, rule_set: sca}
"""
BASE = "/api/v1/manage/authentication"
SETTINGS = {"acquirerCountry": "US", "threeDsData": True, "exemptFrom": 0.5, "challengeBelow": 0.2}
NUMBER = "4242424242424242"


def told(response: httpx.Response, field: str) -> Any:
    body = response.json()
    assert body["isSuccess"], body
    return body[field]


def ask(client: httpx.Client, amount: float, name: str, **more: Any) -> httpx.Response:
    order = {"amount": amount, "currency": "EUR"}
    event = {"type": "PURCHASE", "transactionId": name}
    asked = {"pipelineId": 8, "preCheckRequest": BODY}
    seen = {**VISIT, "order": order, "event": event}
    return pipeline(client, {**asked, "sentryRequest": seen, **more})


@pytest.fixture(scope="module")
def merchant(session: AdminSession) -> Merchant:
    return Merchant(session, "manage", "sentry", "pipeline", "decisions")


@pytest.fixture(scope="module")
def advised(session: AdminSession, merchant: Merchant, client: httpx.Client) -> httpx.Client:
    """Calls the server as a merchant who has asked for advice."""
    assert "scaAdvice" not in told(sentry(client, VISIT), "sentryResponse")
    rule_sets.apply(session, merchant.account, NewVersion(RULES))
    pipelines.apply(session, merchant.account, NewVersion(PIPELINE))
    answer = told(client.put(BASE, json=SETTINGS), "authenticationResponse")
    assert answer["regime"] is None
    until(lambda: "scaAdvice" in told(sentry(client, VISIT), "sentryResponse"))
    return client


def test_one_leg_is_out_for_an_american_acquirer(advised: httpx.Client) -> None:
    found = told(sentry(advised, VISIT), "sentryResponse")
    assert found["scaAdvice"]["advice"] == "OUT_OF_SCOPE"
    assert found["threeDSecureData"]["acctInfo"]["txnActivityDay"]


def test_counters_rules_record_and_explanation(advised: httpx.Client) -> None:
    german = SETTINGS | {"acquirerCountry": "DE"}
    assert told(advised.put(BASE, json=german), "authenticationResponse")["regime"] == "EEA"

    def in_force() -> bool:
        found = told(sentry(advised, VISIT), "sentryResponse")["scaAdvice"]
        return bool(found["regime"] == "EEA")

    until(in_force)
    first = told(ask(advised, 20.0, "sca-1"), "pipelineResponse")["sentryResponse"]["scaAdvice"]
    proof = {"rulesRequest": {"threeDSecure": {"status": "Y"}}}
    second = told(ask(advised, 20.0, "sca-2", **proof), "pipelineResponse")["sentryResponse"]
    assert second["scaAdvice"]["reasons"][0]["code"] == "ALREADY_AUTHENTICATED"
    answer = ask(advised, 20.0, "sca-3")
    third = told(answer, "pipelineResponse")["sentryResponse"]
    assert third["scaAdvice"]["counters"]["count"] == 0
    assert third["scaAdvice"]["counters"]["authenticatedAt"]
    assert first["counters"]["authenticatedAt"] is None
    record = told(
        advised.get(f"/api/v1/decisions/{answer.json()['requestId']}"), "decisionResponse"
    )
    advice = third["scaAdvice"]["advice"]
    said = [each["text"] for each in record["explanation"]["reasons"]]
    assert any(each.startswith(f"On strong authentication the advice is {advice}") for each in said)
    assert not any("cannot be told" in note for note in record["explanation"]["notes"])
    kept = next(each["result"] for each in record["stages"] if each["name"] == "Sentry")
    assert kept["sca"]["advice"]["advice"] == advice
    assert NUMBER not in str(record)


@pytest.mark.parametrize("body", [{}, {"acquirerCountry": 7}, {"acquirerCountry": "DE" * 9000}])
def test_wrong_settings_are_refused(advised: httpx.Client, body: dict[str, Any]) -> None:
    answer = advised.put(BASE, json=body).json()
    assert not answer["isSuccess"]
    assert answer["errors"]


def test_rates_are_measured_where_there_are_bands(advised: httpx.Client) -> None:
    told(advised.put(BASE, json=SETTINGS | {"acquirerCountry": "FR"}), "authenticationResponse")
    answer = told(advised.post(f"{BASE}/fraud-rates"), "fraudRatesResponse")
    assert answer["standings"][0]["window"] == "now"
    assert (
        told(advised.get(f"{BASE}/fraud-rates?quarters=2"), "fraudRatesResponse")["stopped"] == []
    )
    assert not advised.get(f"{BASE}/fraud-rates?quarters=99").json()["isSuccess"]
    told(advised.put(BASE, json=SETTINGS), "authenticationResponse")
    assert not advised.post(f"{BASE}/fraud-rates").json()["isSuccess"]
