"""Search over HTTP, as a merchant uses it: every filter finds, and finds nothing else."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from gatehouse.admin.privacy.use_cases.person import DataSubject
from gatehouse.admin.search.use_cases.people import PersonNamed, requests_about
from gatehouse.core.cards.numbers import CardNumber
from gatehouse.store.admin.admin_session import AdminSession
from tests.databases import Postgres
from tests.harness import AMELIA, BODY, CARD, PURCHASE, VISIT, Home, Server
from tests.web.answers import refused
from tests.web.merchant import Merchant

OTHER_CARD = "5555555555554444"
RULES = {
    "customerIp": "2001:db8:1:2:3:4:5:6",
    "userId": "ulla@example.com",
    "email": "First.Last+shop@gmail.com",
    "phone": "+44 20 7946 0958",
    "amount": 250,
    "currency": "EUR",
    "clientReferenceId": "rules-1",
}


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def shared(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """A server on each database."""
    folder = tmp_path_factory.mktemp("search") / "home"
    if request.param == "sqlite":
        with Home(folder).migrated().server() as server:
            yield server
        return
    postgres: Postgres = request.getfixturevalue("postgres")
    url = postgres.new()
    with Home(folder, url).server() as server:
        yield server
    postgres.give_back(url)


Sent = dict[str, str]


@pytest.fixture(scope="module")
def sent(client: httpx.Client, shared: Server, session: AdminSession) -> Sent:
    """The ids of one request to each operation; another merchant sent the same."""

    def send(sender: httpx.Client, operation: str, body: Any) -> str:
        answer = sender.post(f"/api/v1/{operation}", json=body).json()
        assert answer["isSuccess"], answer
        return str(answer["requestId"])

    bodies = {
        "precheck": BODY | {"cardNumber": OTHER_CARD},
        "idverify": AMELIA,
        "sentry": VISIT | {"clientReferenceId": "visit-1"},
        "rules": RULES,
        "pipeline": PURCHASE,
    }
    with shared.client(Merchant(session).key) as stranger:
        for operation, body in bodies.items():
            send(stranger, operation, body)
    return {operation: send(client, operation, body) for operation, body in bodies.items()}


def found(client: httpx.Client, sent: Sent, **filters: Any) -> list[str]:
    """The operations of the decisions that a search finds, newest first."""
    answer = client.post("/api/v1/decisions/search", json=filters).json()
    assert answer["isSuccess"], answer
    assert (answer["billing"]["items"], "warnings" in answer) == ([], False)
    page = answer["decisionsResponse"]
    assert page["nextCursor"] is None
    assert "stillIndexing" not in page
    by_id = {request_id: operation for operation, request_id in sent.items()}
    return [by_id[decision["requestId"]] for decision in page["decisions"]]


@pytest.mark.parametrize(
    ("filters", "operations"),
    [
        ({}, ["pipeline", "rules", "sentry", "idverify", "precheck"]),
        ({"userId": "u-1"}, ["pipeline", "sentry"]),
        ({"userId": "ulla@example.com"}, ["rules"]),
        ({"userId": "u-2"}, []),
        ({"cardNumber": CARD}, ["pipeline", "idverify"]),
        ({"cardNumber": OTHER_CARD}, ["precheck"]),
        ({"cardNumber": "4000000000000127"}, []),
        ({"email": "firstlast@googlemail.com"}, ["rules"]),
        ({"email": "AMELIA.WHITFIELD@EXAMPLE.COM"}, ["idverify"]),
        ({"email": "somebody@example.com"}, []),
        ({"phone": "+442079460958"}, ["rules"]),
        ({"phone": "+1 (415) 555-0132"}, ["idverify"]),
        ({"phone": "+14155550133"}, []),
        ({"ipAddress": "203.0.113.1"}, ["pipeline", "sentry"]),
        ({"ipAddress": "2001:db8:1:2::9"}, ["rules"]),
        ({"ipAddress": "2001:db8:1:2::/64"}, ["rules"]),
        ({"ipAddress": "203.0.113.2"}, []),
        ({"transactionId": "t-1"}, ["pipeline", "sentry"]),
        ({"transactionId": "t-2"}, []),
        ({"clientReferenceId": "rules-1"}, ["rules"]),
        ({"clientReferenceId": "rules-2"}, []),
        ({"operation": "idverify"}, ["idverify"]),
        ({"operation": ["precheck", "rules"]}, ["rules", "precheck"]),
        ({"decision": "ACCEPT"}, ["pipeline", "rules"]),
        ({"decision": ["REVIEW", "DECLINE"]}, []),
        ({"rule": "no-such-rule"}, []),
        ({"tag": "no-such-tag"}, []),
        ({"amount": {"currency": "USD"}}, ["pipeline", "sentry"]),
        ({"amount": {"currency": "usd", "from": 59.9, "to": 59.9}}, ["pipeline", "sentry"]),
        ({"amount": {"currency": "USD", "from": 59.91}}, []),
        ({"amount": {"currency": "USD", "to": 59.89}}, []),
        ({"amount": {"currency": "EUR", "from": 1, "to": 1000}}, ["rules"]),
        ({"at": {"from": "2020-01-01T00:00:00Z"}, "operation": "rules"}, ["rules"]),
        ({"at": {"to": "2020-01-01T00:00:00Z"}}, []),
        ({"userId": "u-1", "operation": "sentry", "ipAddress": "203.0.113.1"}, ["sentry"]),
        ({"userId": "u-1", "operation": "rules"}, []),
    ],
    ids=str,
)
def test_a_search_finds_the_decisions_to_which_every_filter_applies(
    client: httpx.Client, sent: Sent, filters: Any, operations: list[str]
) -> None:
    assert found(client, sent, **filters) == operations


def test_a_decision_leads_to_others_by_its_fingerprint_its_device_and_its_tags(
    client: httpx.Client, sent: Sent
) -> None:
    path = f"/api/v1/decisions/{sent['pipeline']}"
    decision = client.get(path).json()["decisionResponse"]
    same = ["pipeline", "idverify"]
    assert found(client, sent, cardFingerprint=decision["card"]["fingerprint"]) == same
    visit = client.get(f"/api/v1/decisions/{sent['sentry']}").json()["decisionResponse"]
    entities = dict(visit["stages"][0]["result"]["event"]["entities"])
    assert found(client, sent, deviceId=entities["device"]) == ["pipeline", "sentry"]
    reasons = decision["stages"][1]["result"].get("reasons", {})
    for tag in [code for code, effect in reasons.items() if effect < 0]:
        assert "pipeline" in found(client, sent, tag=tag)


def test_a_label_is_found_as_long_as_it_counts(client: httpx.Client, sent: Sent) -> None:
    def say(label: str) -> None:
        body = {"requestId": sent["sentry"], "label": label}
        assert client.post("/api/v1/feedback", json=body).json()["isSuccess"]

    assert found(client, sent, label="FRAUD") == []
    say("FRAUD")
    assert found(client, sent, label="FRAUD", operation="sentry") == ["sentry"]
    say("LEGITIMATE")
    assert found(client, sent, label=["FRAUD", "CHARGEBACK"]) == []
    assert found(client, sent, label=["FRAUD", "LEGITIMATE"]) == ["sentry"]
    for label in ("CARD_TESTING", "ABUSE"):
        say(label)
        assert found(client, sent, label=label) == ["sentry"]
    say("WITHDRAWN")
    assert found(client, sent, label="LEGITIMATE") == []


def test_pages_have_no_gaps_and_no_doubles_while_new_decisions_arrive(
    client: httpx.Client, sent: Sent
) -> None:
    wanted = {"userId": "pages", "limit": 2}
    before = []
    for _ in range(5):
        visit = VISIT | {"account": {"userId": "pages"}}
        before.append(client.post("/api/v1/sentry", json=visit).json()["requestId"])
    seen: list[str] = []
    cursor = None
    while True:
        body = wanted | ({} if cursor is None else {"cursor": cursor})
        page = client.post("/api/v1/decisions/search", json=body).json()["decisionsResponse"]
        seen += [decision["requestId"] for decision in page["decisions"]]
        cursor = page["nextCursor"]
        if cursor is None:
            break
        visit = VISIT | {"account": {"userId": "pages"}}
        assert client.post("/api/v1/sentry", json=visit).json()["isSuccess"]
    assert seen == before[::-1]


def test_every_decision_about_a_person_is_found_for_export_and_erasure(
    session: AdminSession, merchant: Merchant, sent: Sent
) -> None:
    def about(**names: Any) -> list[str]:
        person = DataSubject(session, merchant.account, PersonNamed(**names))
        batches = requests_about(session, merchant.account, person.terms, batch=1)
        return [each for batch in batches for each in batch]

    assert about(email="amelia.whitfield@example.com") == [sent["idverify"]]
    assert about(card=CardNumber.parse(CARD), user_id="u-1") == [
        sent[operation] for operation in ("idverify", "sentry", "pipeline")
    ]
    assert about(phone="+14155550199") == []


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({"userID": "u-1"}, {"userID": "is not a known field; did you mean userId?"}),
        (
            {"amount": {"form": 5}},
            {
                "amount.currency": "is required",
                "amount.form": "is not a known field; did you mean from?",
            },
        ),
        ({"amount": {"currency": "USD", "from": 5, "to": 4}}, {"amount.to": "must not be less"}),
        ({"limit": 101}, {"limit": "must be at most 100"}),
        ({"limit": 0}, {"limit": "must be at least 1"}),
        ({"cursor": "req_01kabcdefghjkmnpqrstvwxyz0"}, {"cursor": "must be the nextCursor"}),
        ({"cardNumber": "4242 4242"}, {"cardNumber": "must be 12 to 19 digits"}),
        ({"cardFingerprint": "card1_abc"}, {"cardFingerprint": "must be a fingerprint"}),
        (
            {"email": "nobody", "phone": "12", "ipAddress": "here", "userId": "guest"},
            {
                "email": "must be an e-mail address",
                "phone": "must be a phone number",
                "ipAddress": "must be an internet address",
                "userId": "must name a user",
            },
        ),
        ({"operation": "prechek"}, {"operation": "must be one of precheck, idverify"}),
        ({"decision": "DENY"}, {"decision": "must be one of ACCEPT, REVIEW, DECLINE"}),
        ({"rule": []}, {"rule": "needs at least 1 entry"}),
        ({"deviceId": "unknown"}, {"deviceId": "must name a device"}),
        ({"rule": ["a"] * 21}, {"rule": "must have at most 20"}),
        (
            {"at": {"from": "2026-11-16T00:00:00Z", "to": "2026-11-15T00:00:00Z"}},
            {"at.to": "must be later than from"},
        ),
        ({"at": {"from": "1960-01-01T00:00:00Z"}}, {"at": "must not be before 1970"}),
    ],
    ids=str,
)
def test_a_filter_that_cannot_be_used_is_named(
    client: httpx.Client, body: Any, fields: dict[str, str]
) -> None:
    answer = refused(client.post("/api/v1/decisions/search", json=body), 200, "invalid_request")
    errors = answer["errors"]["fieldErrors"]
    assert errors.keys() == fields.keys()
    for name, problem in fields.items():
        assert problem in errors[name][0]


def test_a_key_needs_the_scope_of_what_it_searches(shared: Server, session: AdminSession) -> None:
    with shared.client(Merchant(session, "precheck").key) as limited:
        for subject in ("decisions", "reviews"):
            refused(limited.post(f"/api/v1/{subject}/search", json={}), 403, "scope_not_allowed")


def test_nothing_that_is_searched_for_is_logged(
    shared: Server, client: httpx.Client, sent: Sent
) -> None:
    found(client, sent, cardNumber=OTHER_CARD, email="amelia.whitfield@example.com")
    assert "/api/v1/decisions/search" in shared.log()
    for secret in (OTHER_CARD, "amelia.whitfield"):
        assert secret not in shared.log()
