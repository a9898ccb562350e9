"""Fields that nothing reads are warned of, and refused when the caller prefers that."""

from typing import Any

import httpx
import pytest

from gatehouse.api.context import RequestContext
from gatehouse.api.preferences import wants_strict_handling
from tests.harness import BODY, PURCHASE, VISIT, idverify, pipeline, precheck, rules, sentry
from tests.harness.samples import AMELIA, CARD
from tests.web.answers import refused

STRICT = {"Prefer": "handling=strict"}
MISSPELT = {"cardNumber": CARD, "cardExpiryDate": "2035-12", "cardCvv": "123"}
MEANT = "is not a known field; did you mean cardCvv2Value?"


def _warned(answer: httpx.Response) -> dict[str, str]:
    assert answer.status_code == 200, answer.text
    return {one["path"]: one["message"] for one in answer.json().get("warnings", ())}


def _balance(client: httpx.Client) -> Any:
    return client.get("/api/v1/pipelines").json()["billing"]["remainingBalance"]


def test_a_misspelt_field_is_named_in_the_answer(client: httpx.Client) -> None:
    answer = precheck(client, MISSPELT)
    body = answer.json()
    assert body["isSuccess"] is True
    assert body["preCheckResponse"]["cvv2Result"] == "NOT_PROVIDED"
    assert body["warnings"] == [{"path": "cardCvv", "message": MEANT}]
    assert "preference-applied" not in answer.headers


def test_an_answer_without_warnings_is_as_it_always_was(client: httpx.Client) -> None:
    body = precheck(client).json()
    assert [*body] == ["isSuccess", "errors", "billing", "preCheckResponse", "requestId"]


@pytest.mark.parametrize("call", [precheck, idverify, sentry, rules, pipeline])
def test_every_operation_warns_of_what_it_does_not_read(client: httpx.Client, call: Any) -> None:
    bodies = {precheck: BODY, idverify: AMELIA, sentry: VISIT, rules: {}, pipeline: PURCHASE}
    assert set(_warned(call(client, {**bodies[call], "frobnicate": 1}))) == {"frobnicate"}
    refusal = refused(
        call(client, {**bodies[call], "frobnicate": 1}, **STRICT), 200, "invalid_request"
    )
    assert set(refusal["errors"]["fieldErrors"]) == {"frobnicate"}


def test_a_strict_request_with_an_unknown_field_runs_nothing_and_costs_nothing(
    client: httpx.Client,
) -> None:
    before = _balance(client)
    answer = precheck(client, {**MISSPELT, "cardAddress": {"zip": "94105"}}, **STRICT)
    body = refused(answer, 200, "invalid_request")
    assert answer.headers["preference-applied"] == "handling=strict"
    assert "warnings" not in body
    assert body["errors"]["fieldErrors"] == {
        "cardAddress": ["must have at least one of postalCode and street"],
        "cardAddress.zip": ["is not a known field; did you mean postalCode?"],
        "cardCvv": [MEANT],
    }
    assert _balance(client) == before
    assert client.get(f"/api/v1/decisions/{body['requestId']}").status_code == 404


def test_a_strict_request_of_known_fields_is_processed(client: httpx.Client) -> None:
    answer = precheck(client, **STRICT)
    assert answer.json()["isSuccess"] is True
    assert answer.headers["preference-applied"] == "handling=strict"


def test_a_refusal_names_the_fields_that_took_the_place_of_the_missing_ones(
    client: httpx.Client,
) -> None:
    body = refused(precheck(client, {"number": CARD}), 200, "invalid_request")
    assert set(body["errors"]["fieldErrors"]) == {"cardNumber", "cardExpiryDate"}
    message = "is not a known field; did you mean cardNumber?"
    assert body["warnings"] == [{"path": "number", "message": message}]


def test_an_input_that_no_stage_of_the_pipeline_reads_is_warned_of(client: httpx.Client) -> None:
    purchase = {**PURCHASE, "idVerifyRequest": {"junk": 1}}
    unread = "is not read by pipeline 1"
    assert _warned(pipeline(client, purchase)) == {"idVerifyRequest": unread}
    assert not _warned(pipeline(client, {**PURCHASE, "idVerifyRequest": None}))
    wrong = {**purchase, "preCheckRequest": None}
    body = refused(pipeline(client, wrong, **STRICT), 200, "invalid_request")
    assert set(body["errors"]["fieldErrors"]) == {"idVerifyRequest", "preCheckRequest"}


def test_a_reference_that_is_not_kept_from_its_place_is_warned_of(client: httpx.Client) -> None:
    misplaced = {key: value for key, value in PURCHASE.items() if key != "clientReferenceId"}
    path = "sentryRequest.clientReferenceId"
    message = "is not kept from here; send clientReferenceId beside pipelineId"
    assert _warned(pipeline(client, misplaced)) == {path: message}
    assert not _warned(pipeline(client, PURCHASE))


def test_keys_of_custom_inputs_are_free(client: httpx.Client) -> None:
    answer = sentry(client, {"customInputs": {"plan": "gold", "any": {"thing": 1}}}, **STRICT)
    assert answer.json()["isSuccess"] is True
    assert not _warned(answer)


def test_a_repeat_gets_the_first_answer_with_its_warnings_byte_for_byte(
    client: httpx.Client,
) -> None:
    first = precheck(client, MISSPELT, **{"Idempotency-Key": "misspelt"})
    assert _warned(first) == {"cardCvv": MEANT}
    for headers in ({}, STRICT):
        again = precheck(client, MISSPELT, **headers, **{"Idempotency-Key": "misspelt"})
        assert again.headers["idempotent-replayed"] == "true"
        assert again.content == first.content
        assert "preference-applied" not in again.headers


def test_a_misspelt_code_is_not_kept_even_as_part_of_a_hash(client: httpx.Client) -> None:
    """Two bodies that differ in nothing else are the same to the idempotency key."""
    key = {"Idempotency-Key": "misspelt-code"}
    for code in ("123", "124"):
        nested = {"street": "1 Market Street", "code": code}
        answer = precheck(client, {**MISSPELT, "cardCvv": code, "cardAddress": nested}, **key)
        assert answer.status_code == 200, answer.text
    assert answer.headers["idempotent-replayed"] == "true"
    other = precheck(client, {**MISSPELT, "cvc": "123"}, **key)
    refused(other, 422, "idempotency_key_reused")


def test_a_strict_refusal_frees_its_idempotency_key(client: httpx.Client) -> None:
    key = {"Idempotency-Key": "strict-first"}
    refused(precheck(client, MISSPELT, **STRICT, **key), 200, "invalid_request")
    assert precheck(client, BODY, **STRICT, **key).json()["isSuccess"] is True


def test_no_warning_repeats_a_card_number_or_a_code(client: httpx.Client) -> None:
    for headers in ({}, STRICT):
        answer = precheck(client, {**BODY, CARD: "123", "987": CARD, "x": "456"}, **headers)
        # The id of a request is made by chance, of digits too.
        said = answer.text.replace(answer.json()["requestId"], "")
        assert CARD not in said
        assert "987" not in said
        assert "456" not in said


def test_feedback_and_reviews_warn_too(client: httpx.Client) -> None:
    known = precheck(client).json()["requestId"]
    said = {"requestId": known, "label": "LEGITIMATE", "note": "called"}
    assert set(_warned(client.post("/api/v1/feedback", json=said))) == {"note"}
    strict = client.post("/api/v1/feedback", json={**said, "label": "FRAUD"}, headers=STRICT)
    refused(strict, 200, "invalid_request")
    assert (
        client.get(f"/api/v1/feedback/{known}").json()["feedbackResponse"]["label"] == "LEGITIMATE"
    )
    verdict = {"resolution": "APPROVE", "reason": "called", "comment": "x"}
    missing = client.post(f"/api/v1/reviews/{known}", json=verdict)
    assert missing.status_code == 404
    assert missing.json()["warnings"][0]["path"] == "comment"
    refused(
        client.post(f"/api/v1/reviews/{known}", json=verdict, headers=STRICT),
        200,
        "invalid_request",
    )


@pytest.mark.parametrize(
    ("lines", "strict"),
    [
        (["handling=strict"], True),
        (["Handling = Strict"], True),
        (['handling="strict"; note="a, b"'], True),
        (["respond-async, wait=10", "handling=strict"], True),
        (['foo="x, handling=lenient", handling=strict;a=b'], True),
        (["handling=strict, handling=lenient"], True),
        (["handling=lenient", "handling=strict"], False),
        (["return=minimal"], False),
        (["handling"], False),
        (['handling=""'], False),
        (['foo="handling=strict"'], False),
        (["foo; handling=strict"], False),
        (['foo="open, handling=strict'], True),
        ([", ,;=, handling=strict"], True),
        ([""], False),
        ([], False),
    ],
)
def test_the_prefer_header_is_read_as_its_standard_says(lines: list[str], strict: bool) -> None:
    headers = [(b"prefer", line.encode()) for line in lines]
    context = RequestContext({"headers": [(b"host", b"x"), *headers]}, "req_x")
    assert wants_strict_handling(context) is strict
