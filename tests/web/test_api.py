"""The HTTP surface over a real server: every status, the envelope, billing, idempotency."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from gatehouse.store.accounts.callers import POLL_S
from tests.harness import BODY, CARD, PATIENCE_S, Home, Server, precheck, sandbox_key, until
from tests.harness.samples import SILENT_CARD
from tests.web.answers import ZERO, refused


@pytest.fixture(scope="module")
def client(shared: Server) -> Iterator[httpx.Client]:
    with shared.client(sandbox_key(shared.home)) as one:
        yield one


def test_a_new_user_gets_a_real_answer_with_exact_billing(empty_home: Home) -> None:
    with empty_home.server() as server, server.client(sandbox_key(empty_home)) as client:
        answer = precheck(client)
        body = answer.json()
    fee = {"currency": "USD", "amount": 0.05}
    assert answer.status_code == 200
    assert (body["isSuccess"], body["errors"]) == (True, None)
    assert body["billing"] == {
        "items": [{"feeType": "PRECHECK", "fee": fee, "completed": True}],
        "remainingBalance": {"currency": "USD", "amount": 99.95},
        "amountAuthorized": fee,
        "amountClosed": fee,
    }
    assert body["preCheckResponse"] == {
        "advice": "ACCEPT",
        "avsResult": "FULL_MATCH",
        "cvv2Result": "MATCH",
        "card": {
            "brand": "VISA",
            "country": "GB",
            "funding": "CREDIT",
            "prepaid": False,
            "bin": "42424242",
            "lastFour": "4242",
        },
        "reasons": ["approved"],
    }


def test_money_is_printed_exactly(sqlite_home: Home) -> None:
    account = sqlite_home.account("0.3")
    key = sqlite_home.key(account)
    sqlite_home.ok("prices", "set", account, "PRECHECK=0.1")
    with sqlite_home.server() as server, server.client(key) as client:
        texts = [precheck(client).text for _ in range(4)]
    left = [text.partition('"remainingBalance":{"currency":"USD","amount":')[2] for text in texts]
    assert [text.partition("}")[0] for text in left] == ["0.2", "0.1", "0", "0"]


def test_all_field_errors_come_at_once_by_the_callers_paths(client: httpx.Client) -> None:
    body = refused(
        precheck(
            client,
            {
                "cardNumber": "4242424242424241",
                "cardExpiryDate": "12/30",
                "cardCvv2Value": 123,
                "cardAddress": {"postalCode": "x" * 17, "street": ""},
                "clientReferenceId": "r" * 129,
            },
        ),
        200,
        "invalid_request",
    )
    assert body["preCheckResponse"] is None
    assert body["errors"]["fieldErrors"] == {
        "cardNumber": ["is not a valid card number: the check digit does not fit"],
        "cardExpiryDate": ["must be a month as YYYY-MM, such as 2030-12"],
        "cardCvv2Value": ["must be a string"],
        "cardAddress.postalCode": ["must have at most 16 characters"],
        "cardAddress.street": ["must not be empty"],
        "clientReferenceId": ["must have at most 128 characters"],
    }


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"cardNumber": None}, "cardNumber"),
        ({"cardExpiryDate": None}, "cardExpiryDate"),
        ({"cardCvv2Value": "1234"}, "cardCvv2Value"),
        ({"cardNumber": "378282246310005", "cardCvv2Value": "123"}, "cardCvv2Value"),
        ({"cardAddress": {}}, "cardAddress"),
        ({"cardAddress": []}, "cardAddress"),
        ({"clientReferenceId": 1.5}, "clientReferenceId"),
        ({"clientReferenceId": True}, "clientReferenceId"),
        ({"clientReferenceId": 2**63}, "clientReferenceId"),
    ],
)
def test_each_rule_names_its_field(
    client: httpx.Client, change: dict[str, Any], field: str
) -> None:
    body = refused(precheck(client, BODY | change), 200, "invalid_request")
    assert list(body["errors"]["fieldErrors"]) == [field]


def test_required_fields_are_named_when_missing(client: httpx.Client) -> None:
    body = refused(precheck(client, {}), 200, "invalid_request")
    assert body["errors"]["fieldErrors"] == {
        "cardNumber": ["is required"],
        "cardExpiryDate": ["is required"],
    }


def test_unknown_fields_are_ignored_and_null_options_count_as_absent(client: httpx.Client) -> None:
    sent = {"cardNumber": CARD, "cardExpiryDate": "2035-12", "cardCvv2Value": None,
            "cardAddress": None, "clientReferenceId": None, "futureField": {"a": 1}}  # fmt: skip
    answer = precheck(client, sent).json()
    assert answer["preCheckResponse"]["avsResult"] == "NOT_PROVIDED"
    assert answer["preCheckResponse"]["cvv2Result"] == "NOT_PROVIDED"


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b'"x"', b'{"a":NaN}', b"\xff{}"])
def test_what_is_not_a_json_object_is_400(client: httpx.Client, content: bytes) -> None:
    headers = {"Content-Type": "application/json"}
    answer = client.post("/api/v1/precheck", content=content, headers=headers)
    body = refused(answer, 400, "malformed_body")
    assert body["errors"]["globalErrors"]


def test_a_missing_key_is_401_and_unknown_and_revoked_keys_look_the_same(shared: Server) -> None:
    home = shared.home
    account = home.account()
    issued = home.ok("keys", "issue", account, "--json").json
    home.ok("keys", "revoke", account, issued["keyId"])
    texts = []
    with shared.client(issued["key"]) as client:
        until(lambda: precheck(client).status_code, lambda status: status == 401)
    for key in (issued["key"], "gh_sandbox_" + "A" * 43, "nonsense"):
        with shared.client(key) as client:
            answer = precheck(client)
            body = refused(answer, 401, "invalid_key")
            assert body["billing"] is None
            assert answer.headers["www-authenticate"].startswith("ApiKey")
            texts.append(body["errors"])
    assert texts[0] == texts[1] == texts[2]
    with shared.client() as client:
        refused(precheck(client), 401, "missing_key")


def test_a_key_stops_working_within_a_second_of_its_revocation(home: Home) -> None:
    account = home.account()
    issued = home.ok("keys", "issue", account, "--json").json
    with home.server() as server, server.client(issued["key"]) as client:
        assert precheck(client).status_code == 200
        home.ok("keys", "revoke", account, issued["keyId"])
        until(lambda: precheck(client).status_code, lambda status: status == 401)
    assert POLL_S < 1, "how often a server looks for changes"


def test_keys_are_bound_to_environment_scope_network_and_backends(shared: Server) -> None:
    home = shared.home
    account = home.account()
    cases = [
        ("gh_live_" + "A" * 43, {}, "wrong_environment"),
        (home.key(account, "--scope", "decisions"), {}, "scope_not_allowed"),
        (home.key(account, "--network", "203.0.113.0/24"), {}, "network_not_allowed"),
        (home.key(account), {"Origin": "https://shop.example"}, "browser_call"),
    ]
    for key, headers, code in cases:
        with shared.client(key, **headers) as client:
            answer = precheck(client)
            body = refused(answer, 403, code)
            if code == "scope_not_allowed":
                told = ["This needs a key with the scope precheck."]
                assert body["errors"]["globalErrors"] == told
            known = code in ("scope_not_allowed", "network_not_allowed")
            assert ("ratelimit-remaining" in answer.headers) is known
    with shared.client(home.key(account, "--network", "127.0.0.0/8")) as client:
        assert precheck(client).json()["isSuccess"] is True


def test_forwarded_addresses_count_only_from_trusted_proxies(sqlite_home: Home) -> None:
    account = sqlite_home.account()
    key = sqlite_home.key(account, "--network", "203.0.113.0/24")
    forged = {"X-Forwarded-For": "203.0.113.9"}
    with sqlite_home.server() as server, server.client(key, **forged) as client:
        refused(precheck(client), 403, "network_not_allowed")
    trusting = {"GATEHOUSE_TRUSTED_PROXIES": "127.0.0.0/8"}
    with sqlite_home.server(**trusting) as server:
        with server.client(key, **forged) as client:
            assert precheck(client).status_code == 200
        spoofed = {"X-Forwarded-For": "203.0.113.9, 198.51.100.1"}
        with server.client(key, **spoofed) as client:
            refused(precheck(client), 403, "network_not_allowed")
        for hop, allowed in (
            ("203.0.113.9:4711", True),
            ("203.0.113.9, 127.0.0.1", True),
            ("203.0.113.9, 198.51.100.1:80", False),
            ("203.0.113.9, [2001:db8::1]:80", False),
            ("203.0.113.9, unknown", False),
        ):
            with server.client(key, **{"X-Forwarded-For": hop}) as client:
                assert (precheck(client).status_code == 200) is allowed, hop
        lines = ["203.0.113.9", "198.51.100.1"]
        for order, allowed in ((lines, False), (lines[::-1], True)):
            headers = [("X-Forwarded-For", line) for line in order]
            with server.client(key) as client:
                answer = client.post("/api/v1/precheck", json=BODY, headers=headers)
                assert (answer.status_code == 200) is allowed, order


def test_log_lines_name_the_callers_address(sqlite_home: Home) -> None:
    forwarded = {"X-Forwarded-For": "203.0.113.9"}
    for proxies, address in (("", "127.0.0.1"), ("127.0.0.0/8", "203.0.113.9")):
        with sqlite_home.server(GATEHOUSE_TRUSTED_PROXIES=proxies) as server:
            before = len(server.log())
            with server.client(**forwarded) as client:
                refused(precheck(client), 401, "missing_key")
            server.raw(b"\x00\r\n\r\n")

            def lines(server: Server = server, before: int = before) -> list[Any]:
                written = server.log()[before:].splitlines()
                return [json.loads(line) for line in written if line.endswith("}")]

            found = until(
                lines, lambda found: any(line.get("code") == "malformed_http" for line in found)
            )
        named = {line["code"]: line["address"] for line in found if line.get("code")}
        assert named == {"missing_key": address, "malformed_http": "127.0.0.1"}


def test_trailers_do_not_authenticate_or_forward(sqlite_home: Home) -> None:
    key = sqlite_home.key(sqlite_home.account(), "--network", "203.0.113.0/24")
    head = "POST /api/v1/precheck HTTP/1.1\r\nHost: t\r\nContent-Type: application/json\r\n"
    rest = "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\n{}\r\n0\r\n"
    with sqlite_home.server(GATEHOUSE_TRUSTED_PROXIES="127.0.0.0/8") as server:
        for header, trailer, code in (
            ("X-Forwarded-For: 203.0.113.9", f"X-API-KEY: {key}", b"missing_key"),
            (f"X-API-KEY: {key}", "X-Forwarded-For: 203.0.113.9", b"network_not_allowed"),
        ):
            data = f"{head}{header}\r\n{rest}{trailer}\r\n\r\n"
            assert code in server.raw(data.encode())


def test_without_enough_money_nothing_runs_and_nothing_is_charged(home: Home) -> None:
    account = home.account("0.07")
    key = home.key(account)
    with home.server() as server, server.client(key) as client:
        assert precheck(client).json()["isSuccess"] is True
        body = refused(precheck(client), 402, "insufficient_balance")
        assert body["billing"]["remainingBalance"] == {"currency": "USD", "amount": 0.02}
        assert body["preCheckResponse"] is None
        home.ok("balance", "top-up", account, "1")
        assert precheck(client).json()["billing"]["remainingBalance"]["amount"] == 0.97
    assert home.ok("ledger", "verify", "--json").json["problems"] == []


def test_unknown_paths_and_methods_are_told_so(client: httpx.Client) -> None:
    refused(client.get("/api/v1/nothing"), 404, "not_found")
    refused(client.get("/api/v2/precheck"), 404, "not_found")
    answer = client.get("/api/v1/precheck")
    refused(answer, 405, "method_not_allowed")
    assert answer.headers["allow"] == "POST"


def test_only_json_of_at_most_64_kib_is_taken(client: httpx.Client) -> None:
    plain = client.post("/api/v1/precheck", content=b"{}", headers={"Content-Type": "text/plain"})
    refused(plain, 415, "unsupported_media_type")
    refused(precheck(client, BODY | {"x": "y" * 65_536}), 413, "body_too_large")
    charset = {"Content-Type": "application/json; charset=utf-8"}
    assert precheck(client, BODY, **charset).json()["isSuccess"] is True


def test_a_callers_trace_id_is_echoed_when_it_is_usable(client: httpx.Client) -> None:
    assert (
        precheck(client, None, **{"X-Request-Id": "trace-1"}).headers["x-request-id"] == "trace-1"
    )
    for unusable in ("x" * 129, "two words", ""):
        answer = precheck(client, None, **{"X-Request-Id": unusable})
        assert answer.headers["x-request-id"] == answer.json()["requestId"]
    masked = precheck(client, None, **{"X-Request-Id": f"t-{CARD}"})
    assert CARD not in str(masked.headers)


def test_a_limited_key_is_told_its_limit_and_when_to_come_back(shared: Server) -> None:
    home = shared.home
    key = home.key(home.account(), "--rate-limit", "2")
    with shared.client(key) as client:
        answers = [precheck(client) for _ in range(6)]
    assert answers[0].headers["ratelimit-limit"] == "4"
    assert answers[0].headers["ratelimit-remaining"] == "3"
    assert int(answers[0].headers["ratelimit-reset"]) >= 1
    late = [answer for answer in answers if answer.status_code == 429]
    assert late
    refused(late[0], 429, "rate_limited")
    assert int(late[0].headers["retry-after"]) >= 1


def test_an_unlimited_key_gets_no_limit_headers(shared: Server) -> None:
    home = shared.home
    with shared.client(home.key(home.account(), "--rate-limit", "0")) as client:
        assert "ratelimit-limit" not in precheck(client).headers


def test_the_same_idempotent_request_is_answered_once_and_charged_once(home: Home) -> None:
    account = home.account("1")
    key = home.key(account)
    with home.server() as server, server.client(key) as client:
        first = precheck(client, None, **{"Idempotency-Key": "order-1"})
        again = precheck(client, None, **{"Idempotency-Key": "order-1"})
        without_code = {k: v for k, v in BODY.items() if k != "cardCvv2Value"}
        same = precheck(client, without_code, **{"Idempotency-Key": "order-1"})
        other = precheck(client, BODY | {"clientReferenceId": 2}, **{"Idempotency-Key": "order-1"})
        assert "idempotent-replayed" not in first.headers
        assert again.headers["idempotent-replayed"] == "true"
        assert again.content == first.content == same.content
        refused(other, 422, "idempotency_key_reused")
        for bad in ("x" * 256, "two words"):
            answer = precheck(client, None, **{"Idempotency-Key": bad})
            refused(answer, 400, "invalid_idempotency_key")
    assert home.balance(account) == 0.95


def test_idempotency_keys_belong_to_their_account(home: Home) -> None:
    keys = [home.key(home.account()) for _ in range(2)]
    with home.server() as server:
        answers = []
        for key in keys:
            with server.client(key) as client:
                answers.append(precheck(client, None, **{"Idempotency-Key": "same"}))
    assert answers[0].json()["requestId"] != answers[1].json()["requestId"]


def test_a_decision_is_shown_to_its_account_only(home: Home) -> None:
    mine, other = (home.key(home.account()) for _ in range(2))
    with home.server() as server, server.client(mine) as client:
        sent = precheck(client, BODY | {"clientReferenceId": "order 1"}).json()
        path = f"/api/v1/decisions/{sent['requestId']}"
        found = client.get(path).json()
        with server.client(other) as stranger:
            refused(stranger.get(path), 404, "not_found")
            theirs = stranger.get("/api/v1/decisions", params={"clientReferenceId": "order 1"})
        for nothing in ("req_nothing", "%00", "req_" + "0" * 26):
            refused(client.get(f"/api/v1/decisions/{nothing}"), 404, "not_found")
        many = client.get("/api/v1/decisions?" + "&".join(f"p{n}=1" for n in range(150)))
        refused(many, 200, "invalid_request")
        as_number = precheck(client, BODY | {"clientReferenceId": int(CARD)}).json()
        masked = client.get(f"/api/v1/decisions/{as_number['requestId']}").json()
        assert masked["decisionResponse"]["clientReferenceId"] == "[card]"
    record = found["decisionResponse"]
    assert found["billing"]["items"] == []
    assert record["requestId"] == sent["requestId"]
    assert record["explanation"]["summary"] == (
        "PreCheck advised ACCEPT: the issuer approved the card."
    )
    assert record["clientReferenceId"] == "order 1"
    assert record["pipelineStages"] == ["PreCheck"]
    assert record["stages"][0]["result"]["advice"] == "ACCEPT"
    assert record["stages"][0]["fee"] == {"currency": "USD", "amount": 0.05}
    assert record["card"]["lastFour"] == "4242"
    assert record["card"]["fingerprint"].startswith("card1_")
    assert CARD not in str(found)
    assert theirs.json()["decisionsResponse"] == {"decisions": [], "hasMore": False}


def test_decisions_are_listed_newest_first_in_pages(home: Home) -> None:
    with home.server() as server, server.client(home.key(home.account())) as client:
        for number in range(5):
            precheck(client, BODY | {"clientReferenceId": number % 2})
        seen: list[str] = []
        query: dict[str, str] = {"limit": "2"}
        while True:
            page = client.get("/api/v1/decisions", params=query).json()["decisionsResponse"]
            seen += [decision["requestId"] for decision in page["decisions"]]
            if not page["hasMore"]:
                break
            query["startingAfter"] = seen[-1]
        ones = client.get("/api/v1/decisions", params={"clientReferenceId": "1"}).json()
        bad = client.get("/api/v1/decisions", params={"limit": "0", "startingAfter": "x"})
    assert len(seen) == 5
    assert seen == sorted(seen, reverse=True)
    assert len(ones["decisionsResponse"]["decisions"]) == 2
    assert not any("explanation" in one for one in ones["decisionsResponse"]["decisions"])
    errors = refused(bad, 200, "invalid_request")["errors"]
    assert set(errors["fieldErrors"]) == {"limit", "startingAfter"}


@pytest.mark.parametrize("limit", ["0", "101", "0000000010000", "9" * 5000, "-1", "1.5", "", "٣"])
def test_a_page_has_one_to_a_hundred_decisions(client: httpx.Client, limit: str) -> None:
    answer = client.get("/api/v1/decisions", params={"limit": limit})
    assert "limit" in refused(answer, 200, "invalid_request")["errors"]["fieldErrors"]


def test_a_past_date_is_answered_without_asking_the_issuer(client: httpx.Client) -> None:
    expired = BODY | {"cardNumber": SILENT_CARD, "cardExpiryDate": "2020-01"}
    answer = precheck(client, expired).json()
    assert answer["preCheckResponse"]["advice"] == "INPUT_ERROR"
    assert answer["preCheckResponse"]["reasons"] == ["card_expired"]
    assert answer["preCheckResponse"]["avsResult"] == "UNVERIFIABLE"
    assert answer["billing"]["amountClosed"]["amount"] == 0.05


def test_a_slow_issuer_gives_retry_in_time_and_costs_nothing(sqlite_home: Home) -> None:
    with sqlite_home.server(GATEHOUSE_PRECHECK_TIMEOUT_MS="200") as server:
        with server.client(sandbox_key(sqlite_home)) as client:
            answer = precheck(client, BODY | {"cardNumber": SILENT_CARD}).json()
    assert answer["preCheckResponse"]["advice"] == "RETRY"
    assert answer["preCheckResponse"]["cvv2Result"] == "NOT_PROCESSED"
    assert answer["billing"]["items"][0]["completed"] is False
    assert answer["billing"]["amountClosed"] == ZERO


def test_guessing_security_codes_ends_in_fraud_without_asking(home: Home) -> None:
    with home.server(GATEHOUSE_CARD_GUESS_LIMIT="3") as server:
        with server.client(sandbox_key(home)) as client:
            wrong = BODY | {"cardCvv2Value": "200"}
            advices = [precheck(client, wrong).json()["preCheckResponse"] for _ in range(5)]
            right = precheck(client).json()["preCheckResponse"]
            no_code = {k: v for k, v in BODY.items() if k != "cardCvv2Value"}
            without = precheck(client, no_code).json()["preCheckResponse"]
            other = precheck(client, BODY | {"cardNumber": "5555555555554444"}).json()
    assert [a["advice"] for a in advices] == ["DECLINE"] * 3 + ["FRAUD"] * 2
    assert advices[4]["reasons"] == ["too_many_wrong_codes"]
    assert right["advice"] == "FRAUD"
    assert without["advice"] == "ACCEPT"
    assert other["preCheckResponse"]["advice"] == "ACCEPT"


def test_an_accounts_policy_decides_what_a_mismatch_means(sqlite_home: Home) -> None:
    account = sqlite_home.account()
    key = sqlite_home.key(account)
    sqlite_home.ok("accounts", "policy", account, "--avs", "NO_MATCH=DECLINE",
                   "--cvv2", "NO_MATCH=ACCEPT")  # fmt: skip
    with sqlite_home.server() as server, server.client(key) as client:
        address = precheck(client, BODY | {"cardNumber": "4000000000000010"}).json()
        code = precheck(client, BODY | {"cardCvv2Value": "200"}).json()
    assert address["preCheckResponse"]["advice"] == "DECLINE"
    assert address["preCheckResponse"]["reasons"] == ["avs_no_match"]
    assert code["preCheckResponse"]["advice"] == "ACCEPT"


def test_the_service_says_how_it_is(shared: Server) -> None:
    with shared.client() as client:
        assert client.get("/healthz").json() == {"status": "ok"}
        ready = client.get("/readyz")
        assert (ready.status_code, ready.json()["status"]) == (200, "ready")
        metrics = client.get("/metrics")
        assert metrics.headers["content-type"].startswith("text/plain")
        assert "gatehouse_requests_total" in metrics.text
        page = client.get("/docs")
        assert "content-security-policy" in page.headers
        assert "/api/v1/precheck" in page.text
        assert client.get("/").headers["location"] == "/docs"
        assert client.get("/docs/").headers["location"] == "/docs"
        assert client.get("/docs/guides").headers["location"] == "/docs/guides/README"


def test_metrics_can_be_kept_off_the_public_port(sqlite_home: Home) -> None:
    from tests.harness import free_port

    port = free_port()
    with sqlite_home.server(GATEHOUSE_METRICS_PORT=str(port)) as server:
        with server.client() as client:
            refused(client.get("/metrics"), 404, "not_found")
        assert (
            "gatehouse_info"
            in httpx.get(f"http://127.0.0.1:{port}/metrics", timeout=PATIENCE_S).text
        )
