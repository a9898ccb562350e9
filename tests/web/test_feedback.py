"""Feedback over HTTP: given by any name of a request, shown with its history, free of charge."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import msgspec
import pytest

from gatehouse.admin.feedback.types import FeedbackRequest
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import RequestRefused
from gatehouse.core.reading.request_reader import RequestReader
from gatehouse.core.wording.labels import Label, LabelSource
from gatehouse.operations.installation import system_clock
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.feedback.feedback import record_all
from gatehouse.store.feedback.statements import MOST_STATEMENTS, FeedbackStatement, LabelReport
from gatehouse.store.state import lock_changes
from tests.harness import VISIT, Server, pipeline, sandbox_key, sentry
from tests.store.reviewing import open_review
from tests.web import answers
from tests.web.merchant import Merchant

REQUEST = "req_01kabcdefghjkmnpqrstvwxyz0"
FREE_FROM = {
    "items": [],
    "amountAuthorized": {"currency": "USD", "amount": 0},
    "amountClosed": {"currency": "USD", "amount": 0},
}


def refused(answer: httpx.Response, status: int, code: str) -> Any:
    """The errors of a refused call."""
    body = answers.refused(answer, status, code)
    assert body["feedbackResponse"] is None
    return body["errors"]


def give(client: httpx.Client, label: str = "FRAUD", **fields: Any) -> httpx.Response:
    return client.post("/api/v1/feedback", json={"label": label, **fields})


def given(client: httpx.Client, label: str = "FRAUD", **fields: Any) -> Any:
    answer = give(client, label, **fields)
    assert answer.json()["isSuccess"], answer.text
    return answer.json()["feedbackResponse"]


def shown(client: httpx.Client, request: str) -> Any:
    answer = client.get(f"/api/v1/feedback/{request}")
    assert answer.status_code == 200, answer.text
    return answer.json()["feedbackResponse"]


def scored(client: httpx.Client, transaction: Any, reference: Any = None) -> str:
    body = {**VISIT, "event": {"type": "PURCHASE", "transactionId": transaction}}
    answer = sentry(client, {**body, "clientReferenceId": reference}).json()
    assert answer["isSuccess"], answer
    request_id: str = answer["requestId"]
    return request_id


def test_feedback_is_kept_told_and_free(client: httpx.Client, merchant: Merchant) -> None:
    request = scored(client, "t-100")
    nothing = shown(client, request)
    assert nothing == {"requestId": request, "label": None, "history": []}
    more = {"when": "2026-01-15T10:30:00+01:00", "amount": 59.9, "currency": "usd"}
    answer = give(client, "CHARGEBACK", requestId=request, **more)
    body = answer.json()
    assert (answer.status_code, body["isSuccess"]) == (200, True)
    remaining = body["billing"].pop("remainingBalance")
    assert body["billing"] == FREE_FROM
    # Only Sentry was paid for.
    assert remaining == {"currency": "USD", "amount": 6.98}
    told = body["feedbackResponse"]
    recorded_at = told.pop("recordedAt")
    change = {
        "requestId": request,
        "label": "CHARGEBACK",
        "previousLabel": None,
        "changed": True,
    }
    assert told == {"label": "CHARGEBACK", "requests": [change]}
    assert shown(client, request) == {
        "requestId": request,
        "label": "CHARGEBACK",
        "history": [
            {
                "label": "CHARGEBACK",
                "previousLabel": None,
                "when": "2026-01-15T09:30:00.000Z",
                "amount": 59.9,
                "currency": "USD",
                "recordedAt": recorded_at,
                "source": "api",
                "by": merchant.actor,
            }
        ],
    }
    again = given(client, "CHARGEBACK", requestId=request, **more)
    assert again["recordedAt"] == recorded_at
    [repeated] = again["requests"]
    assert (repeated["changed"], repeated["previousLabel"]) == (False, "CHARGEBACK")
    [withdrawn] = given(client, "WITHDRAWN", requestId=request)["requests"]
    assert (withdrawn["changed"], withdrawn["previousLabel"]) == (True, "CHARGEBACK")
    last = shown(client, request)
    assert last["label"] is None
    assert [entry["label"] for entry in last["history"]] == ["WITHDRAWN", "CHARGEBACK"]


@pytest.mark.parametrize(
    "name",
    [
        "t-200",
        200_201,
        "+1 415 555 0132",
        "4242 4242 4242 4242",
        "naïve\u0000\U0001f600",
        "x" * 128,
    ],
    ids=["word", "number", "phone", "card", "odd", "long"],
)
def test_requests_are_found_by_whatever_their_transaction_was_called(
    client: httpx.Client, name: Any
) -> None:
    requests = [scored(client, name), scored(client, name)]
    scored(client, "another")
    told = given(client, "LEGITIMATE", transactionId=name)
    assert [one["requestId"] for one in told["requests"]] == requests
    # A number and the same digits as text are the same name.
    if isinstance(name, int):
        again = given(client, "LEGITIMATE", transactionId=str(name))
        assert [one["changed"] for one in again["requests"]] == [False, False]


@pytest.mark.parametrize("name", ["order-300", 300_301, "ünï \U0001f600"])
def test_requests_are_found_by_their_reference(client: httpx.Client, name: Any) -> None:
    request = scored(client, "t-300", name)
    told = given(client, clientReferenceId=name)
    assert [one["requestId"] for one in told["requests"]] == [request]


@pytest.mark.parametrize("name", ["4242424242424242", 1_763_195_001_005, "a 4242-4242-4242-4242"])
def test_a_reference_that_is_not_kept_as_it_is_finds_nobody_s_request(
    client: httpx.Client, name: Any
) -> None:
    """Another order whose number is masked as well would be meant with it."""
    request = scored(client, "t-310", name)
    errors = refused(give(client, clientReferenceId=name), 200, "invalid_request")
    [said] = errors["fieldErrors"]["clientReferenceId"]
    assert "is not kept as it is" in said
    assert "send requestId or transactionId instead" in said
    assert str(name) not in said
    assert shown(client, request)["history"] == []
    given(client, transactionId="t-310")
    assert shown(client, request)["label"] == "FRAUD"


def test_so_much_is_said_about_a_request_and_no_more(
    client: httpx.Client, session: AdminSession, merchant: Merchant
) -> None:
    request = scored(client, "t-320")
    telling = [
        LabelReport(
            merchant.account,
            [request],
            FeedbackStatement(Label.FRAUD, amount=n),
            "test",
            LabelSource.API,
        )
        for n in range(MOST_STATEMENTS)
    ]
    with session.database.writing() as connection:
        lock_changes(connection)
        record_all(connection, telling, system_clock())
    errors = refused(give(client, "LEGITIMATE", transactionId="t-320"), 200, "invalid_request")
    [said] = errors["fieldErrors"]["transactionId"]
    assert said.startswith("100 statements about a request of this name were kept")
    assert shown(client, request)["label"] == "FRAUD"


def test_a_pipeline_s_request_is_found_by_its_transaction(shared: Server) -> None:
    with shared.client(sandbox_key(shared.home)) as client:
        request = pipeline(client).json()["requestId"]
        told = given(client, transactionId=VISIT["event"]["transactionId"])
    assert request in [one["requestId"] for one in told["requests"]]


def test_a_name_of_too_many_requests_is_refused(
    client: httpx.Client, session: AdminSession, shared: Server
) -> None:
    busy = Merchant(session)
    for _ in range(101):
        open_review(session, busy.account)
    with shared.client(busy.key) as theirs:
        errors = refused(give(theirs, clientReferenceId="order-1001"), 200, "invalid_request")
    assert list(errors["fieldErrors"]) == ["clientReferenceId"]
    assert "send the requestId of each" in errors["fieldErrors"]["clientReferenceId"][0]


def test_what_a_review_found_is_in_the_history(
    client: httpx.Client, session: AdminSession, merchant: Merchant
) -> None:
    request = open_review(session, merchant.account)
    given(client, "FRAUD", requestId=request)
    verdict = {"resolution": "APPROVE", "reason": "Known customer"}
    assert client.post(f"/api/v1/reviews/{request}", json=verdict).status_code == 200
    told = shown(client, request)
    assert told["label"] == "LEGITIMATE"
    assert [(one["source"], one["previousLabel"]) for one in told["history"]] == [
        ("review", "FRAUD"),
        ("api", None),
    ]
    assert told["history"][0]["by"] == merchant.actor


def test_many_at_once_are_all_kept_and_numbered(client: httpx.Client, merchant: Merchant) -> None:
    requests = [scored(client, f"t-4{number:02}") for number in range(12)]
    with ThreadPoolExecutor(12) as pool:
        told = list(pool.map(lambda request: given(client, requestId=request), requests))
    assert [one["requests"][0]["requestId"] for one in told] == requests
    assert all(one["requests"][0]["changed"] for one in told)
    assert all(shown(client, request)["label"] == "FRAUD" for request in requests)


@pytest.mark.parametrize(
    "request_id",
    [REQUEST, "%00", "%ED%B3%BF", "{request_id}", "x" * 2000],
    ids=["unknown", "nul", "surrogate", "template", "long"],
)
def test_there_is_no_feedback_on_what_is_no_request(client: httpx.Client, request_id: str) -> None:
    errors = refused(client.get(f"/api/v1/feedback/{request_id}"), 404, "not_found")
    if request_id != "%00":
        assert "send the requestId of an answer" in errors["globalErrors"][0]


def test_an_unknown_name_is_answered_with_what_to_do(client: httpx.Client) -> None:
    for field, advice in (
        ("requestId", "no such request for this account"),
        ("transactionId", "that Sentry has seen has this transactionId"),
        ("clientReferenceId", "has this clientReferenceId; check it, or send the requestId"),
    ):
        [said] = refused(give(client, **{field: "nobody's"}), 404, "not_found")["globalErrors"]
        assert advice in said
        assert "nobody's" not in said
    message = refused(give(client, transactionId="nobody's"), 404, "not_found")["message"]
    assert "by this name" in message


def test_the_requests_of_another_account_are_unknown(
    client: httpx.Client, session: AdminSession, shared: Server
) -> None:
    other = Merchant(session)
    with shared.client(other.key) as theirs:
        request = scored(theirs, "t-500", "order-500")
        for name in (
            {"requestId": request},
            {"transactionId": "t-500"},
            {"clientReferenceId": "order-500"},
        ):
            refused(give(client, **name), 404, "not_found")
        refused(client.get(f"/api/v1/feedback/{request}"), 404, "not_found")
        assert shown(theirs, request)["history"] == []


def test_what_happened_cannot_be_in_the_future(client: httpx.Client) -> None:
    request = scored(client, "t-600")
    now_ms = system_clock()
    soon, later = iso_time(now_ms + 60_000), iso_time(now_ms + 3_600_000)
    errors = refused(give(client, requestId=request, when=later), 200, "invalid_request")
    assert errors["fieldErrors"] == {"when": ["must not be in the future"]}
    # Clocks differ a little.
    given(client, requestId=request, when=soon)
    assert shown(client, request)["history"][0]["when"] == soon


ONE = "give exactly one of requestId, transactionId, clientReferenceId"


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        (
            {},
            {
                "label": "is required",
                "requestId": ONE,
                "transactionId": ONE,
                "clientReferenceId": ONE,
            },
        ),
        (
            {"label": "fraud", "requestId": REQUEST, "transactionId": 1},
            {
                "label": f"must be one of {', '.join(Label)}",
                "requestId": ONE,
                "transactionId": ONE,
            },
        ),
        (
            {"label": "FRAUD", "requestId": 1},
            {"requestId": "must be a string"},
        ),
        (
            {"label": "FRAUD", "requestId": "x" * 129},
            {"requestId": "must have at most 128 characters"},
        ),
        (
            {"label": "FRAUD", "transactionId": "unknown"},
            {"transactionId": "must name a transaction, not stand in for a name"},
        ),
        (
            {"label": "FRAUD", "transactionId": 0},
            {"transactionId": "must name a transaction, not stand in for a name"},
        ),
        (
            {"label": "FRAUD", "transactionId": True},
            {"transactionId": "must be a string or an integer"},
        ),
        (
            {"label": "FRAUD", "clientReferenceId": 2**63},
            {"clientReferenceId": "must be at most 9223372036854775807"},
        ),
        (
            {"label": "FRAUD", "requestId": REQUEST, "when": "1969-12-31T23:59:59Z"},
            {"when": "must not be before 1970"},
        ),
        (
            {"label": "FRAUD", "requestId": REQUEST, "when": "yesterday", "currency": "XYZ"},
            {
                "when": "must be a date and time as in RFC 3339, such as 2026-11-15T09:30:00Z",
                "currency": "must be a currency code of ISO 4217, such as USD",
            },
        ),
        (
            {"label": "FRAUD", "requestId": REQUEST, "amount": -0.01, "currency": 5},
            {"amount": "must be at least 0", "currency": "must be a string"},
        ),
        (
            {"label": "FRAUD", "requestId": REQUEST, "amount": 1_000_000_000.01},
            {"amount": "must be at most 1000000000"},
        ),
        (
            {"label": "FRAUD", "requestId": REQUEST, "amount": 10**400},
            {"amount": "is out of range"},
        ),
        (
            {"label": "FRAUD", "requestId": REQUEST, "amount": 0.0000001},
            {"amount": "must have at most six decimals"},
        ),
        (
            {"label": "FRAUD", "requestId": REQUEST, "amount": "59.90"},
            {"amount": "must be a number"},
        ),
    ],
)
def test_all_that_is_wrong_is_told_together(body: Any, wrong: dict[str, str]) -> None:
    with pytest.raises(RequestRefused) as problem:
        RequestReader(FeedbackRequest).read(msgspec.json.encode(body))
    assert problem.value.code == "invalid_request"
    assert problem.value.fields == {field: [message] for field, message in wrong.items()}


@pytest.mark.parametrize(
    ("amount", "told"),
    [
        ("0", b"0"),
        ("-0.0", b"0"),
        ("1e-6", b"0.000001"),
        ("0.1", b"0.1"),
        ("59.900000", b"59.9"),
        ("999999999.999999", b"999999999.999999"),
        ("1e9", b"1000000000"),
    ],
)
def test_amounts_are_exact(client: httpx.Client, amount: str, told: bytes) -> None:
    request = scored(client, f"t-{amount}")
    text = f'{{"label":"FRAUD","requestId":"{request}","amount":{amount}}}'
    headers = {"Content-Type": "application/json"}
    assert client.post("/api/v1/feedback", content=text, headers=headers).json()["isSuccess"]
    answer = client.get(f"/api/v1/feedback/{request}").content
    assert b'"amount":' + told + b',"currency":null' in answer


def test_bodies_are_read_within_the_limits_of_all_operations(client: httpx.Client) -> None:
    path, json = "/api/v1/feedback", {"Content-Type": "application/json"}
    refused(client.post(path, content=b"{}"), 415, "unsupported_media_type")
    refused(client.post(path, content=b"[]", headers=json), 400, "malformed_body")
    refused(client.post(path, content=b'{"label":"\xff"}', headers=json), 400, "malformed_body")
    refused(client.post(path, content=b"[" * 60_000, headers=json), 400, "malformed_body")
    refused(client.post(path, content=b" " * 70_000, headers=json), 413, "body_too_large")


def test_keys_need_the_scope_and_other_methods_are_refused(
    client: httpx.Client, session: AdminSession, shared: Server
) -> None:
    clerk, till = Merchant(session, "feedback"), Merchant(session, "reviews", "decisions", "sentry")
    request = open_review(session, clerk.account)
    path = f"/api/v1/feedback/{request}"
    with shared.client(till.key) as wrong, shared.client() as nobody:
        for one, status, code in (
            (wrong, 403, "scope_not_allowed"),
            (nobody, 401, "missing_key"),
        ):
            refused(one.get(path), status, code)
            refused(give(one, requestId=request), status, code)
    with shared.client(clerk.key) as right:
        given(right, requestId=request)
        assert shown(right, request)["label"] == "FRAUD"
    for method, where in (("DELETE", path), ("POST", path), ("GET", "/api/v1/feedback")):
        answer = client.request(method, where)
        assert answer.status_code == 405
        assert answer.json()["errors"]["code"] == "method_not_allowed"
