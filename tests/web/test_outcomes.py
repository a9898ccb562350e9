"""Outcomes over HTTP: told, listed by kind, their candidates, and what a decision says of them."""

import httpx
import pytest

from gatehouse.store.admin.admin_session import AdminSession
from tests.harness import sentry
from tests.web.answers import refused
from tests.web.merchant import Merchant

BASE = "/api/v1/manage/outcomes"


@pytest.fixture(scope="module")
def merchant(session: AdminSession) -> Merchant:
    return Merchant(session, "manage", "sentry", "decisions")


def test_an_outcome_is_told_listed_and_shown_at_its_decision(client: httpx.Client) -> None:
    request_id = sentry(client).json()["requestId"]
    dispute = {"kind": "DISPUTE", "reference": "dp/1", "at": "2026-11-15T09:30:00Z"}
    money = {"amount": 59.9, "currency": "USD", "reason": "10.4", "requestId": request_id}
    told = client.post(BASE, json={"items": [{**dispute, **money}]}).json()
    assert told["outcomesToldResponse"]["labelled"] == 1
    named = {"kind": "DISPUTE", "reference": "dp/1"}
    found = client.post(f"{BASE}/candidates", json=named).json()["outcomeCandidatesResponse"]
    assert found == {"foundBy": None, "candidates": []}
    [listed] = client.get(BASE, params={"kind": "DISPUTE"}).json()["outcomesResponse"]["outcomes"]
    assert (listed["requestId"], listed["label"]) == (request_id, "CHARGEBACK")
    shown = client.get(f"/api/v1/decisions/{request_id}").json()["decisionResponse"]
    assert [each["reference"] for each in shown["outcomes"]] == ["dp/1"]
    assert shown["outcomes"][0]["at"] == "2026-11-15T09:30:00.000Z"
    joined = client.post(f"{BASE}/join", json=named).json()["outcomeResponse"]
    assert (joined["requestId"], joined["joinedBy"], joined["label"]) == (None, "HAND", None)


def test_what_cannot_be_is_refused(client: httpx.Client) -> None:
    refused(client.get(BASE, params={"kind": "LOST"}), 200, "invalid_request")
    refused(client.get(BASE, params={"cursor": "x"}), 200, "invalid_request")
    refused(client.post(f"{BASE}/candidates", json={"kind": "DISPUTE"}), 200, "invalid_request")
    unknown = {"kind": "DISPUTE", "reference": "nothing"}
    refused(client.post(f"{BASE}/candidates", json=unknown), 404, "not_found")
    whole = {"kind": "SETTLED", "reference": "s", "at": "2026-11-15T09:30:00Z"}
    number = {**whole, "maskedCard": "4242424242424242"}
    answer = client.post(BASE, json={"items": [number]})
    refused(answer, 200, "invalid_request")
    assert "4242424242424242" not in answer.text
