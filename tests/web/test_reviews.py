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
OPENED = {
    "at": "2026-09-21T14:13:20.000Z",
    "by": "service",
    "kind": "OPENED",
    "assignee": None,
    "status": None,
    "text": None,
    "payment": None,
}


def refused(answer: httpx.Response, status: int, code: str) -> Any:
    """The errors of a refused call."""
    return answers.refused(answer, status, code)["errors"]


def resolved(client: httpx.Client, request: str, body: Any = None) -> httpx.Response:
    return client.post(f"/api/v1/reviews/{request}", json=APPROVE if body is None else body)


def changed(client: httpx.Client, request: str, what: str, body: Any) -> Any:
    """The review after a change of it."""
    answer = client.post(f"/api/v1/reviews/{request}/{what}", json=body).json()
    assert answer["isSuccess"], answer["errors"]
    assert answer["billing"] == FREE
    return answer["reviewResponse"]


def test_an_open_review_is_shown_with_its_decision_free_of_charge(
    client: httpx.Client, session: AdminSession, merchant: Merchant
) -> None:
    request = open_review(session, merchant.account)
    answer = client.get(f"/api/v1/reviews/{request}")
    body = answer.json()
    review = body["reviewResponse"]
    decision, summary = review.pop("decision"), review.pop("summary")
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
        "assignee": None,
        "noteCount": 0,
        "paymentMeaning": None,
        "history": [OPENED],
    }
    assert summary["order"]["amount"] == {"currency": "USD", "amount": 950}
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
        assert listed("?status=all&order=oldest&limit=2") == ([first, second], True)
        assert listed(f"?status=all&order=oldest&startingAfter={second}") == ([third], False)
        changed(client, third, "assignment", {"assignee": "amelia"})
        assert listed("?assignee=amelia") == ([third], False)
        assert listed("?assignee=unassigned&status=all") == ([second, first], False)


def test_all_that_is_wrong_with_a_query_is_told_at_once(client: httpx.Client) -> None:
    query = "status=closed&limit=101&startingAfter=yesterday&order=best&assignee=me"
    errors = refused(client.get(f"/api/v1/reviews?{query}"), 200, "invalid_request")
    fields = {"status", "limit", "startingAfter", "order", "assignee"}
    assert set(errors["fieldErrors"]) == fields
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


def test_people_work_on_a_review_together(
    client: httpx.Client, session: AdminSession, merchant: Merchant
) -> None:
    request = open_review(session, merchant.account)
    path = f"/api/v1/reviews/{request}"
    assert changed(client, request, "assignment", {"assignee": "amelia"})["assignee"] == "amelia"
    taken = client.post(f"{path}/assignment", json={"assignee": "bob"})
    told = refused(taken, 409, "already_assigned")
    assert told["globalErrors"] == [f"amelia has {request}"]
    over = {"assignee": "bob", "takeOver": True}
    assert changed(client, request, "assignment", over)["assignee"] == "bob"
    for _ in range(2):
        note = {"text": "called 4242424242424242", "reviewer": "Amelia"}
        noted = changed(client, request, "notes", note)
    assert noted["noteCount"] == 1
    early = client.post(f"{path}/correction", json=APPROVE)
    refused(early, 409, "not_resolved")
    resolved(client, request)
    declined = {"resolution": "DECLINE", "reason": "charged back"}
    corrected = changed(client, request, "correction", declined)
    assert changed(client, request, "correction", declined) == corrected
    late = client.post(f"{path}/correction", json={**declined, "reason": "again"})
    [who] = refused(late, 409, "already_resolved")["globalErrors"]
    assert who.startswith(f"{request} was DECLINED by {merchant.actor} at ")
    assert (corrected["status"], corrected["reason"]) == ("DECLINED", "charged back")
    assert corrected["paymentMeaning"] is None
    history = [
        (one["kind"], one["by"], one["assignee"] or one["status"], one["text"])
        for one in corrected["history"]
    ]
    by = merchant.actor
    assert history == [
        ("OPENED", "service", None, None),
        ("ASSIGNED", by, "amelia", None),
        ("ASSIGNED", by, "bob", None),
        ("NOTE", f"{by} for Amelia", None, "called [card]"),
        ("RESOLVED", by, "APPROVED", "Known customer"),
        ("CORRECTED", by, "DECLINED", "charged back"),
    ]
    assert client.get(path).json()["reviewResponse"] == corrected


def test_many_are_resolved_with_one_call_and_each_is_answered(
    client: httpx.Client, session: AdminSession, merchant: Merchant
) -> None:
    first, second, third = (open_review(session, merchant.account) for _ in range(3))
    resolved(client, second)
    body = {"requestIds": [first, second, "req_x", third], **APPROVE, "resolution": "DECLINE"}
    answer = client.post("/api/v1/reviews/resolutions", json=body).json()
    told = answer["resolutionsResponse"]
    assert (answer["isSuccess"], answer["billing"]) == (True, FREE)
    assert (told["resolved"], told["refused"]) == (2, 2)
    assert [(one["requestId"], one["outcome"], one["status"]) for one in told["results"]] == [
        (first, "RESOLVED", "DECLINED"),
        (second, "ALREADY_RESOLVED", "APPROVED"),
        ("req_x", "NOT_FOUND", None),
        (third, "RESOLVED", "DECLINED"),
    ]
    assert told["results"][1]["resolvedBy"] == merchant.actor


@pytest.mark.parametrize(
    ("path", "body", "wrong"),
    [
        ("{}/notes", {"text": " "}, {"text": "must not be blank"}),
        ("{}/notes", {"text": "x" * 2001}, {"text": "must have at most 2000 characters"}),
        ("{}/notes", {"text": "x", "reviewer": "me"}, {"reviewer": "meaning of its own"}),
        ("{}/assignment", {}, {"assignee": "is required"}),
        ("{}/assignment", {"assignee": "unassigned"}, {"assignee": "meaning of its own"}),
        ("{}/correction", {"resolution": "APPROVE"}, {"reason": "is required"}),
        ("resolutions", {**APPROVE, "requestIds": []}, {"requestIds": "needs at least 1"}),
        ("resolutions", {**APPROVE, "requestIds": ["a"] * 101}, {"requestIds": "must"}),
    ],
)
def test_what_is_wrong_with_a_change_is_told_by_field(
    client: httpx.Client,
    session: AdminSession,
    merchant: Merchant,
    path: str,
    body: Any,
    wrong: dict[str, str],
) -> None:
    request = open_review(session, merchant.account)
    answer = client.post(f"/api/v1/reviews/{path.format(request)}", json=body)
    errors = refused(answer, 200, "invalid_request")["fieldErrors"]
    assert errors.keys() == wrong.keys()
    assert all(said in errors[field][0] for field, said in wrong.items())


def test_changes_of_another_account_and_without_the_scope_are_refused(
    client: httpx.Client, session: AdminSession, shared: Server
) -> None:
    other, till = Merchant(session), Merchant(session, "decisions")
    request = open_review(session, other.account)
    calls = {
        f"{request}/notes": {"text": "mine"},
        f"{request}/assignment": {"assignee": "me too"},
        f"{request}/correction": APPROVE,
    }
    with shared.client(till.key) as wrong:
        for path, body in calls.items():
            refused(client.post(f"/api/v1/reviews/{path}", json=body), 404, "not_found")
            answer = wrong.post(f"/api/v1/reviews/{path}", json=body)
            refused(answer, 403, "scope_not_allowed")
        many = {"requestIds": [request], **APPROVE}
        refused(wrong.post("/api/v1/reviews/resolutions", json=many), 403, "scope_not_allowed")
    told = client.post("/api/v1/reviews/resolutions", json=many).json()["resolutionsResponse"]
    assert told["results"][0]["outcome"] == "NOT_FOUND"
