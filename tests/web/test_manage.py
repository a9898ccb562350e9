"""The management API, driven over HTTP as a merchant's program does it."""

import re
from collections.abc import Iterator
from typing import Any

import httpx
import jsonschema_rs
import pytest

from gatehouse.api.manage.catalogue import all_endpoints
from gatehouse.api.manage.endpoints import ManageEndpoint
from gatehouse.core.job_state import JobState
from gatehouse.store import jobs
from gatehouse.store.accounts import keys
from gatehouse.store.accounts.keys import KeyTerms
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.jobs import NewJob
from gatehouse.store.tables import JOBS
from tests.harness import PATIENCE_S, Server, pipeline, sentry
from tests.web.answers import refused
from tests.web.merchant import Merchant
from tests.web.test_openapi import DOCUMENT as DESCRIBED

BASE = "/api/v1/manage"
DOCUMENT = """\
rule_set: checkout
rules:
  - name: large-order
    condition: order.amount > {amount}
    outcome: REVIEW
"""


@pytest.fixture(scope="module")
def merchant(session: AdminSession) -> Merchant:
    return Merchant(session, "manage", "sentry", "decisions")


@pytest.fixture(scope="module")
def stranger(session: AdminSession) -> Merchant:
    return Merchant(session, "manage")


@pytest.fixture(scope="module")
def other(shared: Server, stranger: Merchant) -> Iterator[httpx.Client]:
    with shared.client(stranger.key) as one:
        yield one


@pytest.fixture(scope="module")
def client(shared: Server, merchant: Merchant) -> Iterator[httpx.Client]:
    """Calls the shared server, and holds every answer against the description of the API."""
    with shared.client(merchant.key) as one:
        one.event_hooks["response"].append(_check_described)
        yield one


@pytest.fixture
def newcomer(session: AdminSession) -> Merchant:
    """A merchant without rules: no other test has applied any."""
    return Merchant(session, "manage")


@pytest.fixture
def first_calls(shared: Server, newcomer: Merchant) -> Iterator[httpx.Client]:
    """Calls the shared server as that merchant."""
    with shared.client(newcomer.key) as one:
        one.event_hooks["response"].append(_check_described)
        yield one


def _check_described(answer: httpx.Response) -> None:
    answer.read()
    path, method = answer.request.url.path, answer.request.method.lower()
    for described, methods in DESCRIBED["paths"].items():
        pattern = re.sub(r"\{\w+\}", "[^/]+", described)
        if method in methods and "{" not in path and re.fullmatch(pattern, path):
            found = methods[method]["responses"][str(answer.status_code)]
            schema = found["content"]["application/json"]["schema"]
            whole = {**schema, "components": DESCRIBED["components"]}
            jsonschema_rs.validate(whole, answer.json())
            return
    raise AssertionError(f"{method} {path} is not described")


def done(answer: httpx.Response) -> Any:
    """The one object of a processed call."""
    body = answer.json()
    assert body["isSuccess"] is True, answer.text
    [field] = [name for name in body if name.endswith("Response")]
    return body[field]


def put_rules(client: httpx.Client, amount: int, seen: str | None = None, **query: str) -> Any:
    headers = {} if seen is None else {"If-Match": seen}
    body = {"document": DOCUMENT.format(amount=amount), "note": "a trial"}
    return client.put(f"{BASE}/rules/checkout", json=body, headers=headers, params=query)


def test_a_rule_set_is_applied_read_changed_and_rolled_back(first_calls: httpx.Client) -> None:
    client = first_calls
    trial = done(put_rules(client, 500, dryRun="true"))
    assert (trial["version"], trial["changed"], trial["dryRun"]) == (1, True, True)
    refused(client.get(f"{BASE}/rules/checkout"), 404, "not_found")
    first = put_rules(client, 500)
    assert (done(first)["version"], first.headers["etag"]) == (1, '"1"')
    refused(put_rules(client, 600), 428, "precondition_required")
    refused(put_rules(client, 600, '"7"'), 412, "precondition_failed")
    second = put_rules(client, 600, first.headers["etag"])
    assert "large-order" in done(second)["differences"][0]
    assert done(put_rules(client, 600, "*"))["changed"] is False
    new = client.put(
        f"{BASE}/rules/checkout",
        json={"document": DOCUMENT.format(amount=1)},
        headers={"If-None-Match": "*"},
    )
    refused(new, 412, "precondition_failed")
    shown = client.get(f"{BASE}/rules/checkout")
    assert done(shown)["document"] == DOCUMENT.format(amount=600)
    assert shown.headers["etag"] == '"2"'
    back = client.post(f"{BASE}/rules/checkout/rollback", json={}, headers={"If-Match": '"2"'})
    assert (done(back)["version"], done(back)["before"]) == (1, 2)
    history = done(client.get(f"{BASE}/rules/checkout/versions", params={"limit": 1}))
    assert (history["versions"][0]["version"], history["hasMore"]) == (2, True)
    assert done(client.get(f"{BASE}/rules"))["items"][0]["name"] == "checkout"


def test_the_key_is_the_actor_of_what_it_changes(
    first_calls: httpx.Client, newcomer: Merchant
) -> None:
    done(put_rules(first_calls, 501))
    lines = done(first_calls.get(f"{BASE}/audit", params={"action": "rules.", "limit": 1}))["lines"]
    assert (lines[0]["by"], lines[0]["action"]) == (newcomer.actor, "rules.apply")


def test_mistakes_in_a_document_are_told_with_their_places(client: httpx.Client) -> None:
    put_rules(client, 502, "*")
    put_rules(client, 502)
    wrong = {"document": DOCUMENT.format(amount="no.such")}
    checked = done(client.post(f"{BASE}/rules/check", json=wrong))
    assert checked["valid"] is False
    assert (checked["flaws"][0]["line"], checked["flaws"][0]["path"]) == (4, "rules[0].condition")
    answer = client.put(f"{BASE}/rules/checkout", json=wrong, headers={"If-Match": "*"})
    assert (
        "line 4" in refused(answer, 200, "invalid_request")["errors"]["fieldErrors"]["document"][0]
    )
    elsewhere = client.put(f"{BASE}/rules/other", json={"document": DOCUMENT.format(amount=1)})
    assert "checkout" in str(refused(elsewhere, 200, "invalid_request"))


def test_a_rule_set_is_tried_on_a_case(client: httpx.Client) -> None:
    body = {"document": DOCUMENT.format(amount=500), "signals": {"order.amount": 700}}
    tried = done(client.post(f"{BASE}/rules/trials", json=body))
    assert (tried["status"], tried["rules"][0]["matches"]) == ("REVIEW", True)


def test_a_key_for_rules_alone_sees_no_recorded_request(
    shared: Server, session: AdminSession, merchant: Merchant
) -> None:
    scopes = [("manage:rules",), ("manage:rules", "decisions", "pipeline"), ("manage",)]
    tried = '{"ruleSet": "checkout", "examples": [{"requestId": "req_1"}]}'
    with session.change() as change:
        issued = [keys.issue(change, merchant.account, KeyTerms(scopes=each)) for each in scopes]
        job = jobs.add(change, merchant.account, NewJob("rules.backtest", "{}"))
        ended = JOBS.update().where(JOBS.c.id == job.id)
        change.connection.execute(ended.values(state=JobState.SUCCEEDED, result=tried))
    rules, both, everything = (text for _, text in issued)
    with shared.client(both) as client:
        recorded = {"document": DOCUMENT.format(amount=1)}
        recorded["requestId"] = pipeline(client).json()["requestId"]
    seen = []
    for key in (rules, both, everything):
        with shared.client(key) as client:
            trial = client.post(f"{BASE}/rules/trials", json=recorded)
            shown = client.get(f"{BASE}/jobs/{job.id}")
            listed = done(client.get(f"{BASE}/jobs"))["jobs"]
            assert (shown.status_code == 200) == (job.id in [each["jobId"] for each in listed])
            seen.append((trial.status_code, shown.status_code))
    assert seen == [(403, 404), (200, 200), (200, 200)]
    with shared.client(rules) as client:
        said = refused(client.post(f"{BASE}/rules/trials", json=recorded), 403, "scope_not_allowed")
    assert "needs the scope decisions" in said["errors"]["globalErrors"][0]


def test_messages_name_no_commands(client: httpx.Client) -> None:
    body = refused(client.get(f"{BASE}/rules/nothing"), 404, "not_found")
    assert body["errors"]["globalErrors"] == ["no rule set nothing"]


def test_a_pipeline_is_checked_and_applied(client: httpx.Client) -> None:
    document = "pipeline: 40\nname: mine\nstages:\n  - stage: Sentry\n"
    checked = done(client.post(f"{BASE}/pipelines/check", json={"document": document}))
    assert checked["valid"] is True, checked
    applied = client.put(f"{BASE}/pipelines/40", json={"document": document})
    assert done(applied)["version"] == 1
    assert "40" in [each["name"] for each in done(client.get(f"{BASE}/pipelines"))["items"]]


def test_entries_are_added_found_and_removed_in_bulk(client: httpx.Client) -> None:
    path = f"{BASE}/lists/bad-cards"
    card = {"entries": [{"value": "4242424242424242", "reason": "stolen"}], "kind": "cards"}
    assert done(client.post(f"{path}/entries", json=card, params={"dryRun": "true"}))["added"] == 1
    refused(client.post(f"{path}/entries/search", json={}), 404, "not_found")
    assert done(client.post(f"{path}/entries", json=card))["added"] == 1
    assert done(client.post(f"{path}/entries", json=card))["unchanged"] == 1
    wrong = {"entries": [card["entries"][0], {"value": "4242"}]}
    errors = refused(client.post(f"{path}/entries", json=wrong), 200, "invalid_request")["errors"]
    assert list(errors["fieldErrors"]) == ["entries[1]"]
    found = done(client.post(f"{path}/entries/search", json={"value": "4242424242424242"}))
    assert found["entries"][0]["reason"] == "stolen"
    assert "4242424242424242" not in str(found)
    gone = done(client.post(f"{path}/removals", json={"values": ["4242424242424242"]}))
    assert gone["removed"] == 1
    log = done(client.get(f"{path}/operations", params={"limit": 2}))
    assert [each["action"] for each in log["operations"]] == ["list.remove", "list.add"]
    older = done(client.get(f"{path}/operations", params={"startingAfter": log["cursor"]}))
    assert older["operations"][0]["action"] == "list.add"
    assert done(client.delete(path))["entries"] == 0


def test_entries_are_read_page_by_page(client: httpx.Client) -> None:
    client.post(f"{BASE}/lists", json={"name": "networks", "kind": "networks"})
    path = f"{BASE}/lists/networks/entries"
    entries = [{"value": f"203.0.113.{number}"} for number in range(5)]
    client.post(path, json={"entries": entries})
    seen, cursor = [], None
    while True:
        page = done(client.post(f"{path}/search", json={"limit": 2, "cursor": cursor}))
        seen += [each["value"] for each in page["entries"]]
        cursor = page["cursor"]
        if not page["hasMore"]:
            break
    assert len(seen) == len(set(seen)) == 5
    known = {each["name"]: each for each in done(client.get(f"{BASE}/lists"))["lists"]}
    assert (known["networks"]["entries"], known["networks"]["kind"]) == (5, "networks")


def test_feedback_is_given_in_bulk_and_each_statement_stands_alone(client: httpx.Client) -> None:
    request_id = sentry(client).json()["requestId"]
    items = [
        {"requestId": request_id, "label": "FRAUD"},
        {"requestId": "req_01kabcdefghjkmnpqrstvwxyz0", "label": "FRAUD"},
    ]
    kept = done(client.post(f"{BASE}/feedback", json={"items": items}))
    assert (kept["recorded"], kept["refused"]) == (1, 1)
    assert kept["items"][0]["requests"][0]["label"] == "FRAUD"
    assert kept["items"][1]["error"]


def test_usage_is_counted_by_day_and_operation(client: httpx.Client) -> None:
    sentry(client)
    lines = done(client.get(f"{BASE}/usage"))["usage"]
    assert "sentry" in {each["operation"] for each in lines}
    assert lines[0]["charged"]["amount"] > 0
    balance = done(client.get(f"{BASE}/balance"))
    spent = sum(each["charged"]["amount"] for each in lines)
    assert balance["balance"]["amount"] == pytest.approx(7 - spent)
    assert done(client.get(f"{BASE}/statement"))["charges"]
    far = client.get(f"{BASE}/usage", params={"from": "2020-01-01"})
    refused(far, 200, "invalid_request")
    for query, wrong in (
        ("month=2026-13", "month"),
        ("month=", "month"),
        ("to=2026-10-01", "from"),
    ):
        for path in ("usage", "statement"):
            answer = client.get(f"{BASE}/{path}?{query}").json()
            assert [*answer["errors"]["fieldErrors"]] == [wrong]


def test_models_account_policies_and_connectors_are_shown(client: httpx.Client) -> None:
    models = done(client.get(f"{BASE}/models"))["models"]
    assert [(each["version"], each["live"]) for each in models] == [(0, True)]
    assert done(client.get(f"{BASE}/models/0"))["report"] is None
    refused(client.get(f"{BASE}/models/7"), 404, "not_found")
    refused(client.post(f"{BASE}/models/7/promote"), 404, "not_found")
    assert done(client.get(f"{BASE}/account"))["currency"] == "USD"
    policy = {"avs": {"NO_MATCH": "DECLINE"}}
    assert done(client.put(f"{BASE}/policies/precheck", json=policy))["precheck"]["avs"] == {
        "NO_MATCH": "DECLINE"
    }
    remembered = {"entities": ["loyalty"]}
    assert done(client.put(f"{BASE}/policies/sentry", json=remembered))["sentry"] == remembered
    assert done(client.get(f"{BASE}/connectors"))["connectors"] == []


def test_labels_are_audited_as_a_job_and_drift_is_listed(client: httpx.Client) -> None:
    job = done(client.post(f"{BASE}/models/audits", json={"labelDelayDays": 7}))
    assert job["kind"] == "models.audit"
    assert done(client.get(f"{BASE}/jobs/{job['jobId']}"))["jobId"] == job["jobId"]
    refused(client.post(f"{BASE}/models/audits", json={"holdout": 2}), 200, "invalid_request")
    assert done(client.get(f"{BASE}/drift")) == {"drifts": []}
    assert done(client.get(f"{BASE}/drift", params={"ended": "true"})) == {"drifts": []}


def test_the_account_chooses_what_it_is_told(client: httpx.Client) -> None:
    wanted = {"decisions": ["pipeline:REVIEW"], "lowBalance": 2.5}
    told = done(client.put(f"{BASE}/events", json=wanted))
    assert (told["decisions"], told["lowBalance"]["amount"]) == (["pipeline:REVIEW"], 2.5)
    assert done(client.get(f"{BASE}/events")) == told
    refused(client.put(f"{BASE}/events", json={"decisions": ["x"]}), 200, "invalid_request")


def test_a_key_is_issued_rotated_and_revoked_and_works_at_once(
    client: httpx.Client, shared: Server
) -> None:
    told = done(client.post(f"{BASE}/keys", json={"name": "till", "scopes": ["sentry"]}))
    with shared.client(told["key"]) as till:
        assert sentry(till).json()["isSuccess"] is True
        refused(till.get(f"{BASE}/keys"), 403, "scope_not_allowed")
    path = f"{BASE}/keys/{told['issued']['keyId']}"
    successor = done(client.post(f"{path}/rotate", json={"overlapS": 0}))
    assert successor["key"] != told["key"]
    shown = {each["keyId"]: each for each in done(client.get(f"{BASE}/keys"))["keys"]}
    assert shown[told["issued"]["keyId"]]["successor"] == successor["issued"]["keyId"]
    assert told["key"] not in str(shown)
    gone = f"{BASE}/keys/{successor['issued']['keyId']}/revoke"
    assert done(client.post(gone, json={"reason": "a trial"}))["status"] == "revoked"
    refused(client.post(gone, json={"reason": "again"}), 409, "conflict")


def test_a_key_gives_away_no_more_than_it_has(client: httpx.Client, shared: Server) -> None:
    limited = {
        "scopes": ["manage:keys", "manage:rules"],
        "networks": ["127.0.0.0/8"],
        "rateLimitPerSecond": 50,
    }
    issuer = done(client.post(f"{BASE}/keys", json=limited))
    with shared.client(issuer["key"]) as weak:
        for wrong in (
            {"scopes": ["manage"]},
            {"scopes": ["manage:lists"]},
            {"networks": ["0.0.0.0/0"]},
            {"rateLimitPerSecond": 51},
        ):
            refused(weak.post(f"{BASE}/keys", json=wrong), 200, "invalid_request")
        # A key without scopes is for every operation, and so reads decisions, too.
        for scopes in (["decisions"], ["precheck", "reviews"], ["billing"], []):
            wider = weak.post(f"{BASE}/keys", json={"scopes": scopes})
            refused(wider, 403, "scope_not_allowed")
        given = done(weak.post(f"{BASE}/keys", json={"scopes": ["manage:rules"]}))["issued"]
        assert (given["networks"], given["rateLimitPerSecond"]) == (["127.0.0.0/8"], 50)
        for key in done(client.get(f"{BASE}/keys"))["keys"]:
            if key["scopes"] and key["scopes"][0] == "manage":
                path = f"{BASE}/keys/{key['keyId']}"
                refused(weak.post(f"{path}/rotate", json={}), 200, "invalid_request")
                why = {"reason": "in the way"}
                refused(weak.post(f"{path}/revoke", json=why), 200, "invalid_request")


def test_a_key_that_lives_a_minute_issues_none_that_lives_longer(
    client: httpx.Client, shared: Server
) -> None:
    short = {"scopes": ["manage:keys"], "expiresInS": 60}
    issuer = done(client.post(f"{BASE}/keys", json=short))
    with shared.client(issuer["key"]) as passing:
        longer = passing.post(f"{BASE}/keys", json={"expiresInS": 61})
        refused(longer, 200, "invalid_request")
        given = done(passing.post(f"{BASE}/keys", json={"scopes": ["sentry"]}))["issued"]
    assert given["expiresAt"] == issuer["issued"]["expiresAt"]
    assert given["parent"] == issuer["issued"]["keyId"]
    path = f"{BASE}/keys/{given['parent']}/revoke"
    done(client.post(path, json={"reason": "leaked", "children": True}))
    shown = {each["keyId"]: each["status"] for each in done(client.get(f"{BASE}/keys"))["keys"]}
    assert shown[given["keyId"]] == "revoked"


def _walked(endpoint: ManageEndpoint) -> tuple[str, str, Any]:
    path = endpoint.address
    for name in endpoint.path_about:
        path = path.replace(f"{{{name}}}", "checkout")
    return endpoint.method, path, None if endpoint.body is None else {}


def test_every_route_wants_a_key_with_its_scope(shared: Server, session: AdminSession) -> None:
    """One walk: without a key, with a key without scopes, and with every scope but the right."""
    scopes = sorted({one.scope for one in all_endpoints()} - {"manage:*"})
    plain = Merchant(session)
    wrong = {scope: Merchant(session, *[s for s in scopes if s != scope]) for scope in scopes}
    wrong["manage:*"] = Merchant(session, "precheck", "decisions", "billing")
    with httpx.Client(base_url=shared.base, timeout=PATIENCE_S) as nobody:
        _walk(nobody, plain, wrong)


def _walk(nobody: httpx.Client, plain: Merchant, wrong: dict[str, Merchant]) -> None:
    for endpoint in all_endpoints():
        method, path, body = _walked(endpoint)
        keys = {"": "missing_key", "gh_sandbox_x": "invalid_key"}
        keys |= {plain.key: "scope_not_allowed", wrong[endpoint.scope].key: "scope_not_allowed"}
        for key, code in keys.items():
            headers = {"X-API-KEY": key} if key else {}
            answer = nobody.request(method, path, json=body, headers=headers)
            assert answer.json()["errors"]["code"] == code, (path, code)
            assert answer.status_code == (401 if code.endswith("key") else 403)


def test_a_key_of_another_account_finds_nothing(client: httpx.Client, other: httpx.Client) -> None:
    put_rules(client, 500, "*")
    put_rules(client, 500)
    key_id = done(client.get(f"{BASE}/keys"))["keys"][0]["keyId"]
    client.post(f"{BASE}/lists", json={"name": "mine", "kind": "words"})
    job = client.post(f"{BASE}/feedback/imports", json={"format": "csv", "content": "label\n"})
    job_id = done(job)["jobId"]
    refused(other.get(f"{BASE}/rules/checkout"), 404, "not_found")
    refused(other.post(f"{BASE}/rules/checkout/rollback", json={}), 404, "not_found")
    refused(other.post(f"{BASE}/lists/mine/entries/search", json={}), 404, "not_found")
    refused(other.get(f"{BASE}/lists/mine/operations"), 404, "not_found")
    refused(other.delete(f"{BASE}/lists/mine"), 404, "not_found")
    revoke = f"{BASE}/keys/{key_id}/revoke"
    refused(other.post(revoke, json={"reason": "x"}), 404, "not_found")
    refused(other.post(f"{BASE}/keys/{key_id}/rotate", json={}), 404, "not_found")
    refused(other.get(f"{BASE}/jobs/{job_id}"), 404, "not_found")
    refused(other.post(f"{BASE}/jobs/{job_id}/cancel"), 404, "not_found")
    for path, field in (("rules", "items"), ("lists", "lists")):
        names = {each["name"] for each in done(other.get(f"{BASE}/{path}"))[field]}
        assert not names & {"checkout", "mine", "networks"}
    assert done(other.get(f"{BASE}/jobs"))["jobs"] == []
    assert len(done(other.get(f"{BASE}/keys"))["keys"]) == 1
    assert done(other.get(f"{BASE}/usage"))["usage"] == []


def test_a_repeated_call_with_its_key_is_done_once_and_answered_alike(client: httpx.Client) -> None:
    body, named = {"name": "once", "scopes": ["sentry"]}, {"Idempotency-Key": "issue-1"}
    first = client.post(f"{BASE}/keys", json=body, headers=named)
    again = client.post(f"{BASE}/keys", json=dict(reversed(body.items())), headers=named)
    assert done(first)["key"].startswith("gh_sandbox_")
    assert again.content == first.content
    assert (first.headers.get("idempotent-replayed"), again.headers["idempotent-replayed"]) == (
        None,
        "true",
    )
    known = [each["name"] for each in done(client.get(f"{BASE}/keys"))["keys"]]
    assert known.count("once") == 1
    other = client.post(f"{BASE}/keys", json={**body, "name": "other"}, headers=named)
    refused(other, 422, "idempotency_key_reused")
    wrong = client.post(f"{BASE}/keys", json=body, headers={"Idempotency-Key": "two words"})
    refused(wrong, 400, "invalid_idempotency_key")


def test_a_repeated_change_of_a_version_is_not_taken_for_another_ones(client: httpx.Client) -> None:
    document = {"document": DOCUMENT.format(amount=900).replace("checkout", "repeated")}
    path, changed = f"{BASE}/rules/repeated", {**document, "note": "again"}
    first = client.put(path, json=document)
    named = {"If-Match": first.headers["etag"], "Idempotency-Key": "change-1"}
    changed["document"] = changed["document"].replace("900", "901")
    answers = [client.put(path, json=changed, headers=named) for _ in range(2)]
    assert [(done(one)["version"], one.headers["etag"]) for one in answers] == [(2, '"2"')] * 2
    # With another version, or as a dry run, it is another call.
    newer = {**named, "If-Match": '"2"'}
    refused(client.put(path, json=changed, headers=newer), 422, "idempotency_key_reused")
    trial = client.put(path, json=changed, headers=named, params={"dryRun": "true"})
    refused(trial, 422, "idempotency_key_reused")


def test_a_refused_call_leaves_its_key_free(client: httpx.Client) -> None:
    named = {"Idempotency-Key": "refused-1"}
    body = {"name": "Not A Name!", "kind": "networks"}
    assert client.post(f"{BASE}/lists", json=body, headers=named).json()["isSuccess"] is False
    body["name"] = "free-again"
    assert done(client.post(f"{BASE}/lists", json=body, headers=named))["name"] == "free-again"


def test_keys_of_repeated_calls_belong_to_their_account(
    client: httpx.Client, other: httpx.Client
) -> None:
    named, body = {"Idempotency-Key": "shared-name"}, {"name": "both-have-it", "kind": "networks"}
    first, second = (one.post(f"{BASE}/lists", json=body, headers=named) for one in (client, other))
    assert done(first)["createdAt"]
    assert "idempotent-replayed" not in second.headers


def test_another_key_of_the_account_does_not_get_the_secret_of_a_repeated_call(
    shared: Server, client: httpx.Client
) -> None:
    narrow = {"name": "narrow", "scopes": ["manage:keys"]}
    body, named = {"name": "wide", "scopes": ["manage"]}, {"Idempotency-Key": "issue-wide"}
    wide = done(client.post(f"{BASE}/keys", json=body, headers=named))["key"]
    text = done(client.post(f"{BASE}/keys", json=narrow))["key"]
    with shared.client(text) as thief:
        again = thief.post(f"{BASE}/keys", json=body, headers=named)
    refused(again, 422, "idempotency_key_reused")
    assert wide not in again.text


def test_a_rollback_of_something_that_must_not_be_there_is_refused(client: httpx.Client) -> None:
    path = f"{BASE}/rules/must-be-new"
    document = DOCUMENT.format(amount=900).replace("checkout", "must-be-new")
    done(client.put(path, json={"document": document}))
    answer = client.post(f"{path}/rollback", json={"to": 1}, headers={"If-None-Match": "*"})
    refused(answer, 412, "precondition_failed")


def test_a_list_that_somebody_else_changed_is_not_overwritten(client: httpx.Client) -> None:
    path, entry = f"{BASE}/lists/guarded", {"entries": [{"value": "203.0.113.9"}]}
    new = {**entry, "kind": "networks"}
    made = client.post(f"{path}/entries", json=new, headers={"If-None-Match": "*"})
    assert done(made)["added"] == 1
    again = client.post(f"{path}/entries", json=new, headers={"If-None-Match": "*"})
    refused(again, 412, "precondition_failed")
    seen = {"If-Match": client.get(path).headers["etag"]}
    more = {"entries": [{"value": "203.0.113.10"}]}
    assert done(client.post(f"{path}/entries", json=more, headers=seen))["added"] == 1
    gone = {"values": ["203.0.113.9"]}
    for refusal in (
        client.post(f"{path}/entries", json=more, headers=seen),
        client.post(f"{path}/entries", json=more, headers=seen, params={"dryRun": "true"}),
        client.post(f"{path}/removals", json=gone, headers=seen),
        client.delete(path, headers=seen),
    ):
        refused(refusal, 412, "precondition_failed")
    now = {"If-Match": client.get(path).headers["etag"]}
    assert done(client.post(f"{path}/removals", json=gone, headers=now))["removed"] == 1
    assert done(client.delete(path, headers={"If-Match": "*"}))["entries"] == 1
    refused(client.get(path), 404, "not_found")


def test_a_webhook_that_somebody_else_changed_is_not_overwritten(client: httpx.Client) -> None:
    body = {"url": "http://127.0.0.1:9/in", "events": ["review.*"]}
    made = client.post(f"{BASE}/webhooks", json=body)
    path, seen = f"{BASE}/webhooks/{done(made)['id']}", {"If-Match": made.headers["etag"]}
    assert client.get(path).headers["etag"] == seen["If-Match"]
    changed = client.post(path, json={"ordered": True}, headers=seen)
    assert (done(changed)["ordered"], changed.headers["etag"] != seen["If-Match"]) == (True, True)
    for refusal in (
        client.post(path, json={"ordered": False}, headers=seen),
        client.post(f"{path}/rotate-secret", json={}, headers=seen),
        client.delete(path, headers=seen),
    ):
        refused(refusal, 412, "precondition_failed")
    now = {"If-Match": changed.headers["etag"]}
    assert done(client.delete(path, headers=now))["deleted"] is True
