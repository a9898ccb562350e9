"""The reference host over HTTP: our own contract, and what it says to those who break it."""

import re
from typing import Any

import httpx
import pytest

from gatehouse.connectors.sandbox.triggers import SILENT, Trigger, all_triggers
from tests.connectors.reference_host.hosts import (
    CARD,
    POSTAL_CODE,
    STREET,
    HostThread,
    trigger_cases,
)
from tests.harness import PATIENCE_S

_CHECK = {
    "requestId": "req_1",
    "cardNumber": CARD,
    "expiry": "2035-12",
    "securityCode": "123",
    "address": {"street": STREET, "postalCode": POSTAL_CODE},
}
_PAYMENT = {"amountMinor": 5990, "currency": "USD", "cardNumber": CARD, "expiry": "2035-12"}


def _pay(host: HostThread, reference: str, **more: Any) -> Any:
    return host.post("/v1/payments", reference=reference, **{**_PAYMENT, **more})


def _reverse(host: HostThread, reference: str, **more: Any) -> Any:
    body = {"reference": reference, "amountMinor": 5990, "currency": "USD", **more}
    return host.post("/v1/payments/reversals", **body)


def test_every_trigger_of_the_sandbox_has_the_answer_of_the_sandbox(host: HostThread) -> None:
    for case in trigger_cases():
        address = {"street": case.street, "postalCode": case.postal_code}
        body = {**_CHECK, "cardNumber": case.number, "securityCode": case.code, "address": address}
        assert host.post("/v1/cards/check", **body) == {
            "responseCode": case.answer.response_code,
            "avs": case.answer.avs_letter,
            "cvv2": case.answer.cvv2_letter,
        }, case.effect


def test_a_check_says_nothing_about_what_was_not_sent(host: HostThread) -> None:
    body = {"requestId": "req_1", "cardNumber": CARD, "expiry": "2035-12"}
    assert host.post("/v1/cards/check", **body) == {"responseCode": "00"}


def test_the_holder_is_compared_in_a_check_and_alone(host: HostThread) -> None:
    holder = {
        "name": {"first": "Amelia", "last": "Whitfield"},
        "email": "amelia.whitfield@example.com",
        "identifiers": {"PASSPORT": "1"},
    }
    expected = {
        "email": "MATCH",
        "name": {
            "first": "MATCH",
            "middle": "NOT_PROCESSED",
            "last": "MATCH",
            "whole": "MATCH",
            "result": "PERFORMED",
        },
        "identifiers": {"PASSPORT": "NO_MATCH"},
    }
    body = {"requestId": "req_1", "cardNumber": CARD, "expiry": "2035-12", "holder": holder}
    assert host.post("/v1/identities/verify", **body) == expected
    assert host.post("/v1/cards/check", **body)["holder"] == expected
    unknown = {**body, "cardNumber": "4000056655665556", "holder": {"phone": "+14155550132"}}
    assert host.post("/v1/identities/verify", **unknown) == {"phone": "UNKNOWN"}


def test_a_payment_is_authorized_once_and_reversed_for_good(host: HostThread) -> None:
    before = host.summary()
    first = _pay(host, "http-1")
    assert (first["approved"], first["responseCode"], len(first["approvalCode"])) == (True, "00", 6)
    assert _pay(host, "http-1") == first
    assert _reverse(host, "http-1", id=first["id"]) == {"reversed": True}
    assert _reverse(host, "http-1") == {"reversed": True}
    again = _pay(host, "http-1")
    assert (again["approved"], again["responseCode"]) == (False, "94")
    counted = {name: count - before[name] for name, count in host.summary().items()}
    assert {name: count for name, count in counted.items() if count} == {
        "authorizations": 1,
        "approved": 1,
        "reversed": 1,
        "reversals": 2,
        "duplicates": 2,
    }


def test_what_was_reversed_before_it_arrived_is_never_approved(host: HostThread) -> None:
    assert _reverse(host, "http-2") == {"reversed": True}
    assert _pay(host, "http-2")["approved"] is False
    assert host.summary()["neverHeardOf"] >= 1


def test_a_reference_stands_for_one_amount_and_one_payment(host: HostThread) -> None:
    _pay(host, "http-3")
    assert _pay(host, "http-3", amountMinor=1)["approved"] is False
    for wrong in ({"amountMinor": 1}, {"currency": "EUR"}, {"id": "pay_of_another"}):
        body = {"reference": "http-3", "amountMinor": 5990, "currency": "USD", **wrong}
        answer = host.client.post("/v1/payments/reversals", json=body)
        assert answer.status_code == 422
        assert next(iter(wrong)) in answer.json()["error"]


@pytest.mark.parametrize(
    "row", [row for row in all_triggers() if row.gateway not in (None, SILENT)]
)
def test_a_card_that_the_gateway_declines_is_declined(host: HostThread, row: Trigger) -> None:
    answer = _pay(host, f"declined-{row.value[-4:]}", cardNumber=row.value)
    assert (answer["approved"], answer["responseCode"]) == (False, row.gateway)
    assert "approvalCode" not in answer


def test_silence_is_for_the_caller_to_end(host: HostThread) -> None:
    silent = next(row.value for row in all_triggers() if row.silent)
    at_gateway = next(row.value for row in all_triggers() if row.gateway == SILENT)
    asked = [
        ("/v1/cards/check", {**_CHECK, "cardNumber": silent}),
        ("/v1/payments", {**_PAYMENT, "reference": "silent-1", "cardNumber": at_gateway}),
    ]
    for path, body in asked:
        with pytest.raises(httpx.ReadTimeout):
            host.client.post(path, json=body, timeout=httpx.Timeout(PATIENCE_S, read=0.02))
    assert host.summary()["silent"] == 1
    assert _reverse(host, "silent-1") == {"reversed": True}


def test_mistakes_are_told_without_what_was_sent(host: HostThread) -> None:
    client = host.client
    wrong = {**_CHECK, "cardNumber": "4242424242424241", "securityCode": "98765"}
    told = client.post("/v1/cards/check", json=wrong)
    assert told.status_code == 422
    assert "the check digit does not fit" in told.json()["error"]
    assert "4242" not in told.text
    assert "98765" not in told.text
    assert client.post("/v1/payments", json={}).status_code == 422
    assert client.post("/v1/payments", content=b"{").status_code == 400
    assert client.post("/v1/cards", json={}).status_code == 404
    assert client.get("/v1/payments").status_code == 405
    assert client.post("/v1/cards/check", content=b" " * 70_000).status_code == 413
    assert client.get("/v1/health", headers={"x": "y" * 20_000}).status_code == 431
    shares = client.put("/v1/misbehaviour", json={"shares": {"slow": 0.6, "half": 0.6}})
    assert (shares.status_code, "at most 1" in shares.text) == (422, True)
    assert client.put("/v1/misbehaviour", json={"shares": {"tls-failure": 1}}).status_code == 422


def test_without_the_token_only_health_is_told(host: HostThread) -> None:
    for wrong in ("", "Bearer", "Bearer another"):
        given = {"Authorization": wrong}
        refused = host.client.post("/v1/cards/check", json=_CHECK, headers=given)
        assert refused.status_code == 401
        assert refused.headers["www-authenticate"] == "Bearer"
        assert host.client.get("/v1/health", headers=given).status_code == 200


def test_requests_sent_at_once_are_answered_in_their_order(host: HostThread) -> None:
    request = b"GET /v1/%b HTTP/1.1\r\nHost: x\r\n\r\n"
    sent = [b"health", b"none", b"health"] * 200
    with host.connect_http() as connection:
        connection.sendall(b"".join(request % path for path in sent))
        connection.sendall(b"this is not HTTP\r\n\r\n")
        answer = b""
        while part := connection.recv(65536):
            answer += part
    statuses = re.findall(rb"HTTP/1.1 (\d+)", answer)
    assert statuses == [b"200", b"401", b"200"] * 200 + [b"400"]
