"""Pipelines on a real server that makes no payments (`GATEHOUSE_GATEWAY=none`)."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.harness import PURCHASE, VISIT, Home, Server, pipeline, until

ONLY_GATEWAY = "pipeline: 40\nname: Only the payment\nstages:\n  - stage: Gateway\n"
NO_ORDER = {**VISIT, "order": {}}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Home(tmp_path_factory.mktemp("none") / "home").server(GATEHOUSE_GATEWAY="none") as running:
        yield running


@pytest.fixture
def account(server: Server) -> str:
    return server.home.account("0.08")


@pytest.fixture
def client(server: Server, account: str) -> Iterator[httpx.Client]:
    with server.client(server.home.key(account)) as opened:
        yield opened


def test_a_good_order_is_accepted_and_costs_what_ran(client: httpx.Client) -> None:
    body = pipeline(client, PURCHASE).json()
    assert body["pipelineResponse"]["pipelineStages"] == ["Rules", "Sentry", "PreCheck"]
    assert body["pipelineResponse"]["decision"] == "ACCEPT"
    assert "gatewayResponse" not in body["pipelineResponse"]
    assert [item["feeType"] for item in body["billing"]["items"]] == ["RULES", "SENTRY", "PRECHECK"]
    assert body["billing"]["amountAuthorized"]["amount"] == 0.08
    assert body["billing"]["remainingBalance"]["amount"] == 0


def test_no_amount_is_required(client: httpx.Client) -> None:
    silent = pipeline(client, {**PURCHASE, "sentryRequest": NO_ORDER})
    assert silent.json()["isSuccess"], silent.json()


def test_rules_see_what_is_paid_elsewhere(client: httpx.Client) -> None:
    told = {"amount": 19.9, "currency": "EUR"}
    answer = pipeline(client, {**PURCHASE, "sentryRequest": NO_ORDER, "gatewayRequest": told})
    request_id = answer.json()["requestId"]
    record = client.get(f"/api/v1/decisions/{request_id}").json()["decisionResponse"]
    assert record["signals"]["order.amount"] == 19.9
    assert record["signals"]["order.currency"] == "EUR"


def test_callers_are_told_what_each_pipeline_needs_here(client: httpx.Client) -> None:
    first, second = client.get("/api/v1/pipelines").json()["pipelinesResponse"]["pipelines"]
    assert [each["stage"] for each in first["stages"]] == ["Rules", "Sentry", "PreCheck"]
    assert first["required"] == ["preCheckRequest"]
    assert second["required"] == ["preCheckRequest", "idVerifyRequest"]


def test_a_pipeline_of_which_nothing_is_left_cannot_be_called(
    server: Server, account: str, client: httpx.Client, tmp_path: Path
) -> None:
    file = tmp_path / "only.yaml"
    file.write_text(ONLY_GATEWAY)
    server.home.ok("pipelines", "apply", str(file), "--account", account)
    file.write_text(ONLY_GATEWAY.replace("40", "41") + "  - {stage: Rules, rule_set: starter}\n")
    server.home.ok("pipelines", "apply", str(file), "--account", account)
    numbers = until(
        lambda: [
            each["pipelineId"]
            for each in client.get("/api/v1/pipelines").json()["pipelinesResponse"]["pipelines"]
        ],
        lambda found: 41 in found,
    )
    assert numbers == [1, 2, 41]
    wrong = pipeline(client, {**PURCHASE, "pipelineId": 40}).json()["errors"]["fieldErrors"]
    assert list(wrong) == ["pipelineId"]


def test_whose_verdicts_counted_is_then_every_stage_with_one(
    server: Server, account: str, client: httpx.Client, tmp_path: Path
) -> None:
    file = tmp_path / "decided.yaml"
    file.write_text(
        "pipeline: 42\nname: Paid\ndecided_by: [Gateway]\n"
        "stages:\n  - stage: PreCheck\n  - stage: Gateway\n"
    )
    server.home.ok("pipelines", "apply", str(file), "--account", account)
    card = {**PURCHASE["preCheckRequest"], "cardNumber": "4000000000000002"}
    sent = {"pipelineId": 42, "preCheckRequest": card}
    body = until(lambda: pipeline(client, sent).json(), lambda found: found["isSuccess"])
    assert body["pipelineResponse"]["decision"] == "DECLINE"
