"""Reviews over HTTP: listed, shown and resolved once, each for its own account."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from gatehouse.store.admin import audit
from gatehouse.store.admin.admin_session import AdminSession
from tests.harness import Server
from tests.store.reviewing import MOMENT_MS, open_review
from tests.web import answers
from tests.web.merchant import Merchant

APPROVE = {"resolution": "APPROVE", "reason": "Known customer"}
FREE = {
    "items": [],
    "remainingBalance": {"currency": "USD", "amount": 7},
    "amountAuthorized": {"currency": "USD", "amount": 0},
    "amountClosed": {"currency": "USD", "amount": 0},
}


def refused(answer: httpx.Response, status: int, code: str) -> Any:
    """The errors of a refused call."""
    return answers.refused(answer, status, code)["errors"]


def resolved(client: httpx.Client, request: str, body: Any = None) -> httpx.Response:
    return client.post(f"/api/v1/reviews/{request}", json=APPROVE if body is None else body)


def test_an_open_review_is_shown_with_its_decision_free_of_charge(
    client: httpx.Client, session: AdminSession, merchant: Merchant
) -> None:
    request = open_review(session, merchant.account)
    answer = client.get(f"/api/v1/reviews/{request}")
    body = answer.json()
    review = body["reviewResponse"]
    decision = review.pop("decision")
    assert answer.status_code == 200
    assert (body["isSuccess"], body["billing"]) == (True, FREE)
    assert review == {
        "requestId": request,
        "status": "OPEN",
        "createdAt": "2026-09-21T14:13:20.000Z",
        "resolvedAt": None,
        "resolvedBy": None,
        "reason": None,
        "paymentStatus": None,
    }
    assert decision == client.get(f"/api/v1/decisions/{request}").json()["decisionResponse"]


def test_resolving_is_answered_with_the_review_kept_and_audited(
    client: httpx.Client, session: AdminSession, merchant: Merchant
) -> None:
    request = open_review(session, merchant.account)
    reason = " paid with 4242424242424242\u0000 before "
    answer = resolved(client, request, {"resolution": "DECLINE", "reason": reason})
    body = answer.json()
    review = body["reviewResponse"]
    assert (answer.status_code, body["isSuccess"], body["billing"]) == (200, True, FREE)
    assert (review["status"], review["resolvedBy"]) == ("DECLINED", merchant.actor)
    assert review["reason"] == "paid with [card]\ufffd before"
    assert review["resolvedAt"] is not None
    assert review["decision"]["requestId"] == request
    assert client.get(f"/api/v1/reviews/{request}").json()["reviewResponse"] == review
    with session.reading() as connection:
        *_, line = audit.read(connection, merchant.account, 10)
    assert (line.action, line.actor) == ("review.resolve", merchant.actor)
    assert line.details == {"requestId": request, "state": "DECLINED"}
    again = refused(resolved(client, request), 409, "already_resolved")
    said = f"{request} was DECLINED by {merchant.actor} at {review['resolvedAt']}"
    assert again["globalErrors"] == [said]
    assert client.get(f"/api/v1/reviews/{request}").json()["reviewResponse"] == review


def test_of_many_who_resolve_at_once_one_wins(
    client: httpx.Client, session: AdminSession, merchant: Merchant
) -> None:
    request = open_review(session, merchant.account)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: resolved(client, request), range(8)))
    assert sorted(answer.status_code for answer in answers) == [200, *[409] * 7]


def test_the_list_goes_by_status_and_page(shared: Server, session: AdminSession) -> None:
    merchant = Merchant(session)
    first, second, third = (open_review(session, merchant.account, MOMENT_MS + n) for n in range(3))
    with shared.client(merchant.key) as client:

        def listed(query: str) -> tuple[list[str], bool]:
            body = client.get(f"/api/v1/reviews{query}").json()
            assert body["billing"] == FREE
            page = body["reviewsResponse"]
            assert all(one["decision"]["requestId"] == one["requestId"] for one in page["reviews"])
            return [one["requestId"] for one in page["reviews"]], page["hasMore"]

        resolved(client, second)
        assert listed("") == ([third, first], False)
        assert listed("?limit=1") == ([third], True)
        assert listed(f"?limit=1&startingAfter={third}") == ([first], False)
        assert listed("?status=approved") == ([second], False)
        assert listed("?status=APPROVED") == ([second], False)
        assert listed("?status=declined") == ([], False)
        assert listed(f"?status=all&limit=2&startingAfter={third}") == ([second, first], False)


def test_all_that_is_wrong_with_a_query_is_told_at_once(client: httpx.Client) -> None:
    query = "status=closed&limit=101&startingAfter=yesterday"
    errors = refused(client.get(f"/api/v1/reviews?{query}"), 200, "invalid_request")
    assert set(errors["fieldErrors"]) == {"status", "limit", "startingAfter"}
    assert errors["fieldErrors"]["status"] == ["must be one of open, approved, declined, all"]
    only_status = refused(client.get("/api/v1/reviews?status="), 200, "invalid_request")
    assert set(only_status["fieldErrors"]) == {"status"}
    refused(client.get("/api/v1/reviews?" + "&a" * 30), 200, "invalid_request")


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        ({}, {"resolution": "is required", "reason": "is required"}),
        (
            {"resolution": "MAYBE", "reason": ""},
            {"resolution": "must be one of APPROVE, DECLINE", "reason": "must not be empty"},
        ),
        (
            {"resolution": 1, "reason": "x" * 501},
            {"resolution": "must be a string", "reason": "must have at most 500 characters"},
        ),
        ({"resolution": "APPROVE", "reason": " \n\u200b"}, {"reason": "must not be blank"}),
        ({"resolution": "APPROVE", "reason": None}, {"reason": "must be a string"}),
    ],
)
def test_a_resolution_needs_a_verdict_and_a_reason(
    client: httpx.Client,
    session: AdminSession,
    merchant: Merchant,
    body: Any,
    wrong: dict[str, str],
) -> None:
    request = open_review(session, merchant.account)
    errors = refused(resolved(client, request, body), 200, "invalid_request")
    assert errors["fieldErrors"] == {field: [message] for field, message in wrong.items()}
    shown = client.get(f"/api/v1/reviews/{request}").json()
    assert shown["reviewResponse"]["status"] == "OPEN"


def test_bodies_are_read_within_the_limits_of_all_operations(
    client: httpx.Client, session: AdminSession, merchant: Merchant
) -> None:
    path = f"/api/v1/reviews/{open_review(session, merchant.account)}"
    json = {"Content-Type": "application/json"}
    refused(client.post(path, content=b"{}"), 415, "unsupported_media_type")
    refused(client.post(path, content=b"[]", headers=json), 400, "malformed_body")
    refused(client.post(path, content=b'{"reason":"\xff"}', headers=json), 400, "malformed_body")
    refused(client.post(path, content=b"[" * 60_000, headers=json), 400, "malformed_body")
    refused(client.post(path, content=b" " * 70_000, headers=json), 413, "body_too_large")


@pytest.mark.parametrize(
    "request_id",
    ["req_00000000000000000000000000", "%00", "%ED%B3%BF", "{request_id}", "x" * 2000],
    ids=["unknown", "nul", "surrogate", "template", "long"],
)
def test_what_is_no_review_is_not_found(client: httpx.Client, request_id: str) -> None:
    refused(client.get(f"/api/v1/reviews/{request_id}"), 404, "not_found")
    refused(resolved(client, request_id), 404, "not_found")


def test_the_review_of_another_account_is_not_found(
    client: httpx.Client, session: AdminSession, shared: Server
) -> None:
    other = Merchant(session)
    request = open_review(session, other.account)
    refused(client.get(f"/api/v1/reviews/{request}"), 404, "not_found")
    refused(resolved(client, request), 404, "not_found")
    listed = client.get("/api/v1/reviews?status=all&limit=100").json()["reviewsResponse"]
    assert request not in [one["requestId"] for one in listed["reviews"]]
    with shared.client(other.key) as theirs:
        shown = theirs.get(f"/api/v1/reviews/{request}").json()
    assert shown["reviewResponse"]["status"] == "OPEN"


def test_keys_need_the_scope_and_other_methods_are_refused(
    client: httpx.Client, session: AdminSession, shared: Server
) -> None:
    clerk, till = Merchant(session, "reviews"), Merchant(session, "decisions", "pipeline", "rules")
    request = open_review(session, clerk.account)
    path = f"/api/v1/reviews/{request}"
    with shared.client(till.key) as wrong, shared.client() as nobody:
        for one, status, code in (
            (wrong, 403, "scope_not_allowed"),
            (nobody, 401, "missing_key"),
        ):
            refused(one.get("/api/v1/reviews"), status, code)
            refused(one.get(path), status, code)
            refused(one.post(path, json=APPROVE), status, code)
    with shared.client(clerk.key) as right:
        assert right.get("/api/v1/reviews").status_code == 200
        assert resolved(right, request).status_code == 200
    deleted = client.delete(path)
    refused(deleted, 405, "method_not_allowed")
    assert {"GET", "POST"} <= {word.strip() for word in deleted.headers["allow"].split(",")}
    refused(client.post("/api/v1/reviews", json=APPROVE), 405, "method_not_allowed")
