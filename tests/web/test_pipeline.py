"""The Pipeline and Rules operations on the real server, as a caller sees them."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.harness import AMELIA, BODY, CARD, PURCHASE, VISIT, Home, Server, pipeline, rules, until

_NUMBERS = itertools.count(1)
TOR, HOSTING, AT_HOME = "192.0.2.1", "198.51.100.1", "203.0.113.1"
DECLINED_BY_GATEWAY, LATE_GATEWAY = "4000000000000341", "4000000000000259"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = Home(tmp_path_factory.mktemp("pipeline") / "home")
    settings = {"GATEHOUSE_GATEWAY_TIMEOUT_MS": "150", "GATEHOUSE_REPUTATION": "separate"}
    with home.server(**settings) as running:
        yield running


@pytest.fixture
def account(server: Server) -> str:
    """One for each test: Sentry would distrust a customer who did what all of them do."""
    return server.home.account("1000")


@pytest.fixture
def client(server: Server, account: str) -> Iterator[httpx.Client]:
    with server.client(server.home.key(account)) as opened:
        yield opened


def purchase(**changes: Any) -> dict[str, Any]:
    """One more ordinary purchase of the same customer, with changes."""
    number = next(_NUMBERS)
    visit = {
        **VISIT,
        "account": {"userId": "u-1"},
        "device": {**VISIT["device"], "sessionId": f"s-{number}"},
        "event": {"type": "PURCHASE", "transactionId": f"t-{number}"},
    }
    return {**PURCHASE, "rulesRequest": {}, "sentryRequest": visit, **changes}


def card(number: str) -> dict[str, Any]:
    return {**BODY, "cardNumber": number}


def answered(response: httpx.Response, field: str = "pipelineResponse") -> Any:
    body = response.json()
    assert body["isSuccess"], body
    return body[field]


def items(response: httpx.Response) -> list[tuple[str, float, bool]]:
    billed = response.json()["billing"]["items"]
    return [(item["feeType"], item["fee"]["amount"], item["completed"]) for item in billed]


def refused(response: httpx.Response) -> Any:
    body = response.json()
    assert (response.status_code, body["isSuccess"]) == (200, False), body
    assert body["pipelineResponse"] is None
    assert body["billing"]["items"] == []
    return body["errors"]["fieldErrors"]


@pytest.mark.parametrize(("number", "last"), [(CARD, "ACCEPT"), ("4539578763621486", "DECLINE")])
def test_only_a_test_card_may_pay_for_any_number_of_orders_and_users(
    client: httpx.Client, number: str, last: str
) -> None:
    order = {"device": {"ipAddress": AT_HOME}, "order": {"amount": 59.9, "currency": "USD"}}
    decided = []
    for user in range(20):
        visit = order | ({"account": {"userId": f"u-{user}"}} if user < 5 else {})
        sent = pipeline(client, purchase(preCheckRequest=card(number), sentryRequest=visit))
        decided.append(answered(sent)["decision"])
    assert decided[-1] == last
    assert (set(decided) == {"ACCEPT"}) is (number == CARD)


def test_a_good_purchase_passes_all_four_stages_and_is_billed_exactly(
    client: httpx.Client,
) -> None:
    response = pipeline(client, purchase())
    found = answered(response)
    assert found["pipelineStages"] == ["Rules", "Sentry", "PreCheck", "Gateway"]
    assert found["decision"] == "ACCEPT"
    assert found["rulesResponse"] == {"status": "ACCEPT", "matchedRules": []}
    assert found["preCheckResponse"]["advice"] == "ACCEPT"
    assert found["gatewayResponse"]["status"] == "APPROVED"
    assert set(found["sentryResponse"]) == {"ipScore", "requestScore", "reasons"}
    assert "idVerifyResponse" not in found
    assert items(response) == [
        ("RULES", 0.01, True),
        ("SENTRY", 0.02, True),
        ("PRECHECK", 0.05, True),
        ("GATEWAY", 0.03, True),
    ]
    billed = response.json()["billing"]
    assert billed["amountAuthorized"] == billed["amountClosed"]
    assert billed["amountClosed"] == {"currency": "USD", "amount": 0.11}


def test_the_second_pipeline_verifies_the_holder_and_lets_rules_see_sentry(
    client: httpx.Client,
) -> None:
    found = answered(pipeline(client, purchase(pipelineId=2, idVerifyRequest=AMELIA)))
    assert found["pipelineStages"] == ["Sentry", "Rules", "PreCheck", "IdVerify", "Gateway"]
    assert found["idVerifyResponse"]["idVerification"]["PASSPORT"] == "MATCH"
    headless = {**VISIT, "device": {"ipAddress": TOR, "userAgent": "HeadlessChrome/120"}}
    body = purchase(pipelineId=2, idVerifyRequest=AMELIA, sentryRequest=headless)
    doubtful = answered(pipeline(client, body))
    assert doubtful["pipelineStages"] == ["Sentry", "Rules"]
    assert doubtful["decision"] == "DECLINE"
    assert doubtful["sentryResponse"]["requestScore"] < 0.15
    assert "sentry" in " ".join(each["id"] for each in doubtful["rulesResponse"]["matchedRules"])
    assert "IP_TOR_EXIT" in doubtful["tags"]


def test_a_stranger_with_somebody_elses_card_is_declined_before_anything_is_charged(
    client: httpx.Client,
) -> None:
    stranger = {
        "cardNumber": CARD,
        "cardExpiryDate": "2035-12",
        "cardHolderEmailAddress": "eve@example.org",
        "cardHolderPhoneNumber": "+442079460000",
        "cardHolderName": {"firstName": "Eve", "lastName": "Mallory"},
        "cardHolderIds": {"PASSPORT": "111111111"},
    }
    response = pipeline(client, purchase(pipelineId=2, idVerifyRequest=stranger))
    found = answered(response)
    assert found["idVerifyResponse"]["idVerification"]["PASSPORT"] == "NO_MATCH"
    assert found["pipelineStages"] == ["Sentry", "Rules", "PreCheck", "IdVerify"]
    assert found["decision"] == found["rulesResponse"]["status"] == "DECLINE"
    assert "identity" in found["tags"]
    assert [fee for fee, _, _ in items(response)] == ["SENTRY", "RULES", "PRECHECK", "ID_VERIFY"]
    facts = decision(client, response)["stages"][1]["result"]
    assert "identity-mismatch" in facts["matchedLate"]


def test_the_first_pipeline_hears_what_sentry_finds_after_the_rules(client: httpx.Client) -> None:
    headless = {**VISIT, "device": {"ipAddress": TOR, "userAgent": "HeadlessChrome/120"}}
    found = answered(pipeline(client, purchase(sentryRequest=headless)))
    assert found["pipelineStages"] == ["Rules", "Sentry"]
    assert found["decision"] == "DECLINE"


def test_a_declined_card_never_reaches_the_gateway(client: httpx.Client) -> None:
    response = pipeline(client, purchase(preCheckRequest=card("4000000000000002")))
    found = answered(response)
    assert found["pipelineStages"] == ["Rules", "Sentry", "PreCheck"]
    assert found["decision"] == "DECLINE"
    assert "gatewayResponse" not in found
    billed = response.json()["billing"]
    assert billed["amountAuthorized"]["amount"] == 0.11
    assert billed["amountClosed"]["amount"] == 0.08


def test_a_payment_that_the_gateway_declines_is_charged_for_and_declined(
    client: httpx.Client,
) -> None:
    response = pipeline(client, purchase(preCheckRequest=card(DECLINED_BY_GATEWAY)))
    found = answered(response)
    assert found["gatewayResponse"]["status"] == "DECLINED"
    assert found["gatewayResponse"]["approvalCode"] is None
    assert found["decision"] == "DECLINE"
    assert items(response)[-1] == ("GATEWAY", 0.03, True)


def test_a_late_gateway_costs_nothing_and_its_payment_is_reversed(
    server: Server, client: httpx.Client
) -> None:
    response = pipeline(client, purchase(preCheckRequest=card(LATE_GATEWAY)))
    found = answered(response)
    assert found["gatewayResponse"] == {
        "status": "ERROR",
        "responseCode": None,
        "approvalCode": None,
        "paymentId": None,
        "party": None,
        "networkTransactionId": None,
    }
    assert found["decision"] == "DECLINE"
    assert items(response)[-1] == ("GATEWAY", 0.03, False)
    assert response.json()["billing"]["amountClosed"]["amount"] == 0.08
    request_id = response.json()["requestId"]
    show = ("gateway", "show", request_id, "--json")
    until(lambda: server.home.ok(*show).json["state"], lambda state: state == "REVERSED")


def test_a_silent_issuer_ends_the_pipeline_before_the_gateway(client: httpx.Client) -> None:
    body = purchase(preCheckRequest=card("4000000000000127"))
    response = client.post("/api/v1/pipeline", json=body)
    found = answered(response)
    assert found["pipelineStages"][-1] == "PreCheck"
    assert found["preCheckResponse"]["advice"] == "RETRY"
    assert items(response)[-1] == ("PRECHECK", 0.05, False)


def test_an_unknown_pipeline_is_a_field_error_that_names_those_there_are(
    client: httpx.Client,
) -> None:
    assert refused(pipeline(client, purchase(pipelineId=77))) == {
        "pipelineId": ["there is no such pipeline; there are: 1, 2"]
    }
    assert "pipelineId" in refused(pipeline(client, {"preCheckRequest": BODY}))
    assert "pipelineId" in refused(pipeline(client, purchase(pipelineId="1")))
    assert "pipelineId" in refused(pipeline(client, purchase(pipelineId=0)))


def test_every_missing_input_is_named_with_the_pipeline_that_needs_it(
    client: httpx.Client,
) -> None:
    wrong = refused(pipeline(client, {"pipelineId": 2}))
    assert set(wrong) == {
        "preCheckRequest",
        "idVerifyRequest",
        "gatewayRequest.amount",
        "gatewayRequest.currency",
    }
    assert wrong["preCheckRequest"] == ["is required by pipeline 2 (PreCheck, Gateway)"]
    null = refused(pipeline(client, purchase(preCheckRequest=None)))
    assert set(null) == {"preCheckRequest"}


def test_mistakes_of_all_inputs_are_reported_at_once_under_their_paths(
    client: httpx.Client,
) -> None:
    body = purchase(
        rulesRequest={"cardNumber": "4242", "customInputs": {"a": None}},
        sentryRequest={"event": {"type": "REFUND"}, "order": {"amount": 1, "currency": "USD"}},
        preCheckRequest={"cardNumber": "4242 4242", "cardAddress": {}},
    )
    wrong = refused(pipeline(client, body))
    assert set(wrong) == {
        "rulesRequest.cardNumber",
        "rulesRequest.customInputs.a",
        "sentryRequest.event.type",
        "preCheckRequest.cardNumber",
        "preCheckRequest.cardExpiryDate",
        "preCheckRequest.cardAddress",
    }


@pytest.mark.parametrize("rubbish", [{"cardNumber": 5}, [], "text", 7])
def test_an_input_that_no_stage_needs_may_hold_anything(client: httpx.Client, rubbish: Any) -> None:
    assert answered(pipeline(client, purchase(idVerifyRequest=rubbish)))["decision"] == "ACCEPT"


@pytest.mark.parametrize("rubbish", [[], "text", 7, True])
def test_a_needed_input_that_is_no_object_is_refused_under_its_name(
    client: httpx.Client, rubbish: Any
) -> None:
    assert set(refused(pipeline(client, purchase(preCheckRequest=rubbish)))) == {"preCheckRequest"}


@pytest.mark.parametrize(
    ("payment", "order", "field"),
    [
        ({"amount": 10.005, "currency": "USD"}, {}, "gatewayRequest.amount"),
        ({"amount": 0, "currency": "USD"}, {}, "gatewayRequest.amount"),
        ({"amount": -5, "currency": "USD"}, {}, "gatewayRequest.amount"),
        ({"amount": 5, "currency": "XXQ"}, {}, "gatewayRequest.currency"),
        ({"amount": 5}, {}, "gatewayRequest.currency"),
        ({}, {"amount": 0.001, "currency": "EUR"}, "sentryRequest.order.amount"),
        ({"amount": 1.5}, {"currency": "JPY"}, "gatewayRequest.amount"),
        ({"currency": "JPY"}, {"amount": 5000, "currency": "USD"}, "gatewayRequest.currency"),
        ({"amount": 7}, {"amount": 5, "currency": "USD"}, "gatewayRequest.amount"),
    ],
)
def test_an_amount_that_cannot_be_paid_is_refused_where_it_stands(
    client: httpx.Client, payment: dict[str, Any], order: dict[str, Any], field: str
) -> None:
    body = purchase(gatewayRequest=payment, sentryRequest={"order": order})
    assert set(refused(pipeline(client, body))) == {field}


def test_the_gateway_is_told_the_amount_of_its_own_input_before_the_order_s(
    client: httpx.Client,
) -> None:
    paid = {"amount": 12.5, "currency": "eur"}
    response = pipeline(client, purchase(gatewayRequest=paid))
    assert answered(response)["decision"] == "REVIEW"
    record = decision(client, response)
    facts = record["stages"][-1]["result"]
    assert (facts["amountMinor"], facts["currency"]) == (1250, "EUR")
    assert (record["signals"]["order.amount"], record["signals"]["order.currency"]) == (12.5, "EUR")


def test_a_currency_in_small_letters_is_the_same_currency(client: httpx.Client) -> None:
    order = {"order": {"amount": 5, "currency": "usd"}}
    body = purchase(gatewayRequest={"currency": "USD"}, sentryRequest=order)
    assert answered(pipeline(client, body))["gatewayResponse"]["status"] == "APPROVED"


def decision(client: httpx.Client, response: httpx.Response) -> Any:
    request_id = response.json()["requestId"]
    return client.get(f"/api/v1/decisions/{request_id}").json()["decisionResponse"]


def test_the_record_names_versions_signals_and_the_decision(client: httpx.Client) -> None:
    record = decision(client, pipeline(client, purchase()))
    assert record["operation"] == "pipeline"
    assert record["decision"] == "ACCEPT"
    assert record["pipeline"] == {"id": 1, "version": 1}
    assert record["stages"][0]["result"]["ruleSet"] == "starter"
    assert record["stages"][0]["result"]["version"] == 1
    signals = record["signals"]
    assert signals["ip.country"] == "US"
    assert signals["card.bin"] == "42424242"
    assert signals["velocity.ip"][0] >= 1
    # Everybody's trials pay with the same test cards.
    assert "velocity.card" not in signals
    assert "4242424242424242" not in str(record)


@pytest.mark.parametrize("address", [TOR, HOSTING])
def test_rules_judge_the_address_that_they_are_told(client: httpx.Client, address: str) -> None:
    record = decision(client, rules(client, {"customerIp": address}))
    assert record["signals"]["ip.tor"] is (address == TOR)
    assert record["signals"]["ip.hosting"] is (address == HOSTING)
    told = purchase(rulesRequest={"customerIp": address})
    both = decision(client, pipeline(client, told))
    assert both["signals"]["ip.address"] == address
    assert both["signals"]["request.ips_differ"] is True


@pytest.mark.parametrize(
    ("inputs", "differ"),
    [
        ({}, False),
        ({"rulesRequest": {"amount": 59.9, "currency": "usd"}}, False),
        ({"gatewayRequest": {"amount": 59.90, "currency": "USD"}}, False),
        ({"rulesRequest": {"amount": 0.5}}, True),
        ({"rulesRequest": {"currency": "EUR"}}, True),
        ({"gatewayRequest": {"amount": 5990, "currency": "USD"}}, True),
        ({"gatewayRequest": {"amount": 59.9, "currency": "EUR"}}, True),
    ],
)
def test_amounts_that_differ_are_sent_to_review(
    client: httpx.Client, inputs: dict[str, Any], differ: bool
) -> None:
    response = pipeline(client, purchase(**inputs))
    found = answered(response)
    assert decision(client, response)["signals"]["request.amounts_differ"] is differ
    matched = [each["id"] for each in found["rulesResponse"]["matchedRules"]]
    assert ("amounts-differ" in matched) is differ
    assert (found["decision"] == "REVIEW") is differ


def test_another_card_in_the_rules_input_is_sent_to_review(client: httpx.Client) -> None:
    body = purchase(rulesRequest={"cardNumber": "5555555555554444"})
    response = pipeline(client, body)
    found = answered(response)
    assert found["rulesResponse"]["status"] == "REVIEW"
    assert found["decision"] == "REVIEW"
    assert found["gatewayResponse"]["status"] == "APPROVED"
    record = decision(client, response)
    assert record["signals"]["request.cards_differ"] is True
    assert record["signals"]["card.bin"] == "42424242"
    request_id = response.json()["requestId"]
    waiting = client.get("/api/v1/reviews").json()["reviewsResponse"]["reviews"]
    assert request_id in [each["requestId"] for each in waiting]
    resolved = client.post(
        f"/api/v1/reviews/{request_id}",
        json={"resolution": "APPROVE", "reason": "the customer called"},
    ).json()["reviewResponse"]
    assert resolved["status"] == "APPROVED"


@pytest.mark.parametrize("face", ["API", "command"])
def test_declining_a_review_reverses_the_payment_that_was_authorized(
    server: Server, account: str, client: httpx.Client, face: str
) -> None:
    body = purchase(rulesRequest={"cardNumber": "5555555555554444"})
    request_id = pipeline(client, body).json()["requestId"]
    place = f"/api/v1/reviews/{request_id}"
    assert client.get(place).json()["reviewResponse"]["paymentStatus"] == "REVIEW"
    show = ("gateway", "show", request_id, "--json")
    assert server.home.ok(*show).json["state"] == "REVIEW"
    if face == "API":
        verdict = {"resolution": "DECLINE", "reason": "stolen"}
        answer = client.post(place, json=verdict).json()["reviewResponse"]
    else:
        resolve = ("reviews", "resolve", request_id, "--decline", "--reason", "stolen")
        answer = server.home.ok(*resolve, "--account", account, "--json").json
    assert (answer["status"], answer["paymentStatus"]) == ("DECLINED", "REVERSE")
    until(lambda: server.home.ok(*show).json["state"], lambda state: state == "REVERSED")
    assert server.home.ok(*show).json["detail"] == "declined_review"
    assert client.get(place).json()["reviewResponse"]["paymentStatus"] == "REVERSED"


def test_identity_is_looked_up_for_the_card_it_was_asked_about(client: httpx.Client) -> None:
    body = purchase(pipelineId=2, idVerifyRequest=AMELIA, preCheckRequest=card(DECLINED_BY_GATEWAY))
    found = answered(pipeline(client, body))
    assert found["idVerifyResponse"]["idVerification"]["PASSPORT"] == "MATCH"
    assert found["gatewayResponse"]["status"] == "DECLINED"


def test_the_pipelines_of_the_account_are_listed_with_what_they_need(
    client: httpx.Client,
) -> None:
    body = client.get("/api/v1/pipelines").json()
    assert body["billing"]["items"] == []
    first, second = body["pipelinesResponse"]["pipelines"]
    assert (first["pipelineId"], second["pipelineId"]) == (1, 2)
    assert first["stages"][0] == {"stage": "Rules", "feeType": "RULES", "ruleSet": "starter"}
    assert second["required"] == [
        "preCheckRequest",
        "idVerifyRequest",
        "gatewayRequest.amount",
        "gatewayRequest.currency",
    ]


def test_a_repeated_request_is_answered_again_without_asking_the_gateway(
    client: httpx.Client,
) -> None:
    body = purchase()
    first = pipeline(client, body, **{"Idempotency-Key": "once"})
    again = pipeline(client, body, **{"Idempotency-Key": "once"})
    assert answered(first)["decision"] == "ACCEPT"
    assert again.content == first.content
    assert again.headers["Idempotent-Replayed"] == "true"


def test_without_money_nothing_runs(server: Server) -> None:
    poor = server.home.account("0.10")
    with server.client(server.home.key(poor)) as client:
        response = pipeline(client, purchase())
        assert response.status_code == 402
        assert response.json()["billing"]["remainingBalance"]["amount"] == 0.10
        assert answered(rules(client), "rulesResponse")["status"] == "ACCEPT"


def test_a_key_for_pipelines_may_not_call_the_stages_alone(server: Server, account: str) -> None:
    with server.client(server.home.key(account, "--scope", "pipeline")) as client:
        assert answered(pipeline(client, purchase()))["decision"] == "ACCEPT"
        assert rules(client).status_code == 403
        assert client.get("/api/v1/pipelines").status_code == 200


def test_rules_alone_answer_with_the_rules_that_matched(client: httpx.Client) -> None:
    response = rules(client, {"customerIp": TOR, "cardNumber": CARD, "ruleSet": "starter"})
    found = answered(response, "rulesResponse")
    assert found["status"] == "REVIEW"
    matched = found["matchedRules"][0]
    assert set(matched) == {"id", "ruleSet", "version", "outcome", "tags"}
    assert (matched["ruleSet"], matched["version"]) == ("starter", 1)
    assert items(response) == [("RULES", 0.01, True)]
    unknown = rules(client, {"ruleSet": "none-such"}).json()
    assert list(unknown["errors"]["fieldErrors"]) == ["ruleSet"]
    assert answered(rules(client, {}), "rulesResponse")["status"] == "ACCEPT"


def _version_in_force(body: Any) -> int:
    matched = body["pipelineResponse"]["rulesResponse"]["matchedRules"]
    return matched[0]["version"] if matched else 1


def test_a_running_server_takes_up_a_new_version_of_a_rule_set(
    server: Server, tmp_path: Path
) -> None:
    account = server.home.account("100")
    with server.client(server.home.key(account)) as client:
        assert answered(pipeline(client, purchase()))["decision"] == "ACCEPT"
        file = tmp_path / "starter.yaml"
        file.write_text(
            "rule_set: starter\n"
            "rules:\n"
            "  - name: big-order\n"
            "    condition: order.amount > 50\n"
            "    outcome: REVIEW\n"
            "    tags: [amount]\n"
            "  - name: watched\n"
            "    condition: order.currency = 'USD'\n"
            "    outcome: DECLINE\n"
            "    shadow: true\n"
        )
        server.home.ok("rules", "apply", str(file), "--account", account)
        sent = purchase()
        response = until(
            lambda: pipeline(client, sent), lambda answer: _version_in_force(answer.json()) == 2
        )
        found = answered(response)
        assert found["decision"] == "REVIEW"
        assert found["rulesResponse"]["matchedRules"] == [
            {
                "id": "big-order",
                "ruleSet": "starter",
                "version": 2,
                "outcome": "REVIEW",
                "tags": ["amount"],
            }
        ]
        assert "amount" in found["tags"]
        facts = decision(client, response)["stages"][0]["result"]
        assert facts["shadow"] == ["watched"]


def test_velocity_counts_every_request_once_and_refusals_as_refusals(server: Server) -> None:
    account = server.home.account("100")
    with server.client(server.home.key(account)) as client:
        for _ in range(2):
            pipeline(client, purchase(preCheckRequest=card("4000000000000002")))
        record = decision(client, pipeline(client, purchase()))
        address = record["signals"]["velocity.ip"]
        counted = dict(zip(_ip_measures(), address, strict=True))
        assert counted["count_1h"] == 3
        assert counted["declines_1h"] == 2
        assert counted["declined_cards_1h"] == 1
        assert counted["distinct_cards_1h"] == 2


def _ip_measures() -> tuple[str, ...]:
    from gatehouse.conditions.catalogue import VELOCITY

    return VELOCITY["ip"]


def test_a_repeat_gets_its_answer_although_the_pipeline_has_changed_since(
    server: Server, tmp_path: Path
) -> None:
    account = server.home.account("100")
    file = tmp_path / "pipeline.yaml"
    rules_only = (
        "pipeline: 30\nname: Rules only\nstages:\n  - stage: Rules\n    rule_set: starter\n"
    )
    file.write_text(rules_only)
    server.home.ok("pipelines", "apply", str(file), "--account", account)
    with server.client(server.home.key(account)) as client:
        sent = {"pipelineId": 30, "rulesRequest": {"customerIp": AT_HOME}}
        first = pipeline(client, sent, **{"Idempotency-Key": "k"})
        assert answered(first)["pipelineStages"] == ["Rules"]
        file.write_text(rules_only + "  - stage: PreCheck\n")
        server.home.ok("pipelines", "apply", str(file), "--account", account)
        changed = until(
            lambda: pipeline(client, sent), lambda answer: not answer.json()["isSuccess"]
        )
        assert "preCheckRequest" in refused(changed)
        again = pipeline(client, sent, **{"Idempotency-Key": "k"})
        assert again.content == first.content
        other = {**sent, "clientReferenceId": "another"}
        assert pipeline(client, other, **{"Idempotency-Key": "k"}).status_code == 422


def test_refusals_are_remembered_over_a_restart(sqlite_home: Home) -> None:
    with sqlite_home.server() as first:
        account = sqlite_home.account()
        key = sqlite_home.key(account)
        with first.client(key) as client:
            for _ in range(2):
                pipeline(client, purchase(preCheckRequest=card("4000000000000002")))
    with sqlite_home.server() as second, second.client(key) as client:
        second.wait_for_memory()
        record = decision(client, pipeline(client, purchase()))
        counted = dict(zip(_ip_measures(), record["signals"]["velocity.ip"], strict=True))
        assert (counted["count_1h"], counted["declines_1h"]) == (3, 2)
