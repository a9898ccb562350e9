"""What tests of the API read in answers."""

from typing import Any

import httpx

from gatehouse.core.ids import is_id

ZERO = {"currency": "USD", "amount": 0}


def refused(answer: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """Check the envelope of a refusal and return it."""
    assert answer.status_code == status, answer.text
    body: dict[str, Any] = answer.json()
    assert body["isSuccess"] is False
    assert body["errors"]["code"] == code
    assert set(body["errors"]) == {"message", "code", "fieldErrors", "globalErrors"}
    assert is_id(body["requestId"], "req")
    assert answer.headers["x-request-id"]
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "server" not in answer.headers
    if body["billing"] is not None:
        assert body["billing"]["items"] == []
        assert body["billing"]["amountAuthorized"]["amount"] == 0
        assert body["billing"]["amountClosed"]["amount"] == 0
    return body


def record(client: httpx.Client, answer: httpx.Response) -> dict[str, Any]:
    """The record of the decision that an answer tells of."""
    path = f"/api/v1/decisions/{answer.json()['requestId']}"
    kept: dict[str, Any] = client.get(path).json()["decisionResponse"]
    return kept
