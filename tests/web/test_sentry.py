"""Sentry over a real server: scores and reasons, bad input, money, records, and its memory."""

import json
from collections.abc import Iterator
from itertools import count
from typing import Any

import httpx
import psycopg
import pytest

from tests.harness import BROWSER, PATIENCE_S, VISIT, Home, Server, sandbox_key, sentry, until
from tests.web.answers import ZERO, record

FIELD = "sentryResponse"
FEE = {"currency": "USD", "amount": 0.02}
_NUMBERS = count(1)


@pytest.fixture(scope="module")
def client(shared: Server) -> Iterator[httpx.Client]:
    """For questions that do not depend on what was asked before."""
    with shared.client(shared.home.key(shared.home.account("1000"))) as one:
        yield one


@pytest.fixture
def fresh(shared: Server) -> Iterator[httpx.Client]:
    """An account of which nothing is remembered."""
    with shared.client(shared.home.key(shared.home.account("1000"))) as one:
        yield one


def scored(answer: httpx.Response) -> dict[str, Any]:
    """The response of a request that was processed."""
    assert answer.status_code == 200
    body = answer.json()
    assert body["isSuccess"] is True, body["errors"]
    found: dict[str, Any] = body[FIELD]
    assert 0 <= found["requestConfidence"] <= 1
    return found


def confidence(client: httpx.Client, body: Any) -> float:
    value: float = scored(sentry(client, body))["requestConfidence"]
    return value


def codes(found: dict[str, Any]) -> list[str]:
    return [reason["code"] for reason in found["reasons"]]


def field_errors(answer: httpx.Response) -> dict[str, list[str]]:
    """The field errors of a request that was refused and cost nothing."""
    body = answer.json()
    assert answer.status_code == 200
    assert (body["isSuccess"], body[FIELD]) == (False, None)
    assert body["errors"]["code"] == "invalid_request"
    assert body["billing"]["amountClosed"] == ZERO
    found: dict[str, list[str]] = body["errors"]["fieldErrors"]
    return found


def result(client: httpx.Client, answer: httpx.Response) -> dict[str, Any]:
    """What Sentry left in the record."""
    found: dict[str, Any] = record(client, answer)["stages"][0]["result"]
    return found


def events(client: httpx.Client) -> int:
    """How many events the server remembers."""
    found: int = client.get("/readyz").json()["memory"]["events"]
    return found


def visit(**changes: Any) -> dict[str, Any]:
    """The ordinary order with a transaction of its own; a dotted name changes one field."""
    body: dict[str, Any] = json.loads(json.dumps(VISIT))
    body["event"]["transactionId"] = f"own-{next(_NUMBERS)}"
    for name, value in changes.items():
        group, _, field = name.partition("__")
        if field:
            body[group][field] = value
        else:
            body[group] = value
    return body


# ---- The answer --------------------------------------------------------------------------------


def test_a_new_user_gets_a_real_answer_with_exact_billing(home: Home) -> None:
    with home.server() as server, server.client(sandbox_key(home)) as client:
        answer = sentry(client)
    body = answer.json()
    assert answer.status_code == 200
    assert list(body) == ["isSuccess", "errors", "billing", FIELD, "requestId"]
    assert (body["isSuccess"], body["errors"]) == (True, None)
    assert body["billing"] == {
        "items": [{"feeType": "SENTRY", "fee": FEE, "completed": True}],
        "remainingBalance": {"currency": "USD", "amount": 99.98},
        "amountAuthorized": FEE,
        "amountClosed": FEE,
    }
    assert list(body[FIELD]) == ["requestConfidence", "reasons"]
    assert body[FIELD]["requestConfidence"] > 0.8
    assert list(body[FIELD]["reasons"][0]) == ["code", "effect", "text"]


def test_nothing_sent_is_the_middle_and_each_group_adds_to_it(fresh: httpx.Client) -> None:
    body = visit()
    sent: dict[str, Any] = {}
    seen = [confidence(fresh, sent)]
    assert scored(sentry(fresh, {}))["reasons"] == []
    for group in ("device", "order", "account", "shoppingCart"):
        sent[group] = body[group]
        seen.append(confidence(fresh, sent))
    assert seen == sorted(seen)
    assert seen[0] < 0.7 < seen[-1]


def test_an_address_alone_is_judged(client: httpx.Client) -> None:
    home = scored(sentry(client, {"device": {"ipAddress": "203.0.113.1"}}))
    tor = scored(sentry(client, {"device": {"ipAddress": "192.0.2.1"}}))
    assert tor["requestConfidence"] < 0.4 < home["requestConfidence"]
    assert "IP_TOR_EXIT" in codes(tor)


def test_a_user_agent_alone_is_judged(client: httpx.Client) -> None:
    browser = scored(sentry(client, {"device": {"userAgent": BROWSER}}))
    script = scored(sentry(client, {"device": {"userAgent": "python-requests/2.32.3"}}))
    assert script["requestConfidence"] < 0.4 < browser["requestConfidence"]
    assert codes(script)[0] == "UA_HTTP_LIBRARY"


def test_reasons_come_strongest_first_and_say_what_they_mean(client: httpx.Client) -> None:
    body = visit(device__ipAddress="192.0.2.1", device__userAgent="HeadlessChrome/120.0")
    found = scored(sentry(client, body))
    effects = [abs(reason["effect"]) for reason in found["reasons"]]
    assert len(effects) > 3
    assert effects == sorted(effects, reverse=True)
    assert effects[-1] >= 0.1
    assert len(set(codes(found))) == len(effects)
    for reason in found["reasons"]:
        assert reason["text"].endswith(".")
    assert found["requestConfidence"] < 0.1


def test_real_addresses_are_known_by_country_and_network(client: httpx.Client) -> None:
    answer = sentry(client, {"device": {"ipAddress": "3.5.140.2"}})
    assert "IP_HOSTING" in codes(scored(answer))
    kept = dict(result(client, answer)["event"]["entities"])
    assert kept["operator"] == "16509"


# ---- Input -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"device": []}, "device"),
        ({"device": {"ipAddress": 5}}, "device.ipAddress"),
        ({"device": {"userAgent": ["a"]}}, "device.userAgent"),
        ({"device": {"sessionId": 1.5}}, "device.sessionId"),
        ({"device": {"sessionAge": "10"}}, "device.sessionAge"),
        ({"event": {"type": "REFUND"}}, "event.type"),
        ({"event": {"type": "purchase"}}, "event.type"),
        ({"event": {"transactionId": {}}}, "event.transactionId"),
        ({"event": {"timestamp": "yesterday"}}, "event.timestamp"),
        ({"event": {"timestamp": "2026-02-30T00:00:00Z"}}, "event.timestamp"),
        ({"event": {"timestamp": "2026-11-15T09:30:00"}}, "event.timestamp"),
        ({"event": {"timestamp": 1794700000}}, "event.timestamp"),
        ({"order": {"amount": "59.90"}}, "order.amount"),
        ({"order": {"amount": True}}, "order.amount"),
        ({"order": {"currency": 840}}, "order.currency"),
        ({"order": {"discountCodes": "WELCOME"}}, "order.discountCodes"),
        ({"order": {"discountCodes": ["A", 5]}}, "order.discountCodes[1]"),
        ({"account": {"userId": True}}, "account.userId"),
        ({"account": {"username": 5}}, "account.username"),
        ({"shoppingCart": []}, "shoppingCart"),
        ({"shoppingCart": {"items": {}}}, "shoppingCart.items"),
        ({"shoppingCart": {"items": [None]}}, "shoppingCart.items[0]"),
        ({"shoppingCart": {"items": [{}, {}, {"price": "1"}]}}, "shoppingCart.items[2].price"),
        ({"customInputs": []}, "customInputs"),
        ({"customInputs": {"coupon": None}}, "customInputs.coupon"),
        ({"clientReferenceId": "r" * 129}, "clientReferenceId"),
    ],
)
def test_a_wrong_type_is_a_field_error_by_its_path(
    client: httpx.Client, body: dict[str, Any], field: str
) -> None:
    assert list(field_errors(sentry(client, body))) == [field]


def test_all_field_errors_come_at_once(client: httpx.Client) -> None:
    found = field_errors(
        sentry(
            client,
            {
                "event": {"type": "REFUND", "timestamp": "yesterday"},
                "shoppingCart": {"items": [{"quantity": "two"}, {"price": []}]},
                "customInputs": {"a": None, "b": 1, "c": None},
            },
        )
    )
    assert found == {
        "event.type": ["must be one of PURCHASE, RECURRING_PURCHASE"],
        "event.timestamp": ["must be a date and time as in RFC 3339, such as 2026-11-15T09:30:00Z"],
        "shoppingCart.items[0].quantity": ["must be a number"],
        "shoppingCart.items[1].price": ["must be a number"],
        "customInputs.a": ["must not be null"],
        "customInputs.c": ["must not be null"],
    }


TEN = ", ".join(f"10.0.0.{number}" for number in range(9)) + ", 81.2.69.142"
IMPLAUSIBLE: dict[str, dict[str, Any]] = {
    "a mapped address": {"device": {"ipAddress": "::ffff:1.2.3.4"}},
    "an address with a port": {"device": {"ipAddress": "1.2.3.4:443"}},
    "an address of version 6 with a port": {"device": {"ipAddress": "[2a02:8108::1]:443"}},
    "a word": {"device": {"ipAddress": "unknown"}},
    "no text": {
        "device": {"ipAddress": "", "userAgent": "", "acceptLanguage": "", "sessionId": ""}
    },
    "ten addresses": {"device": {"ipAddress": TEN}},
    "thousands of addresses": {"device": {"ipAddress": "10.0.0.1," * 5000}},
    "a private address": {"device": {"ipAddress": "192.168.1.1"}},
    "an impossible address": {"device": {"ipAddress": "999.1.1.1"}},
    "a zone": {"device": {"ipAddress": "fe80::1%eth0"}},
    "a long user agent": {"device": {"userAgent": "Mozilla/5.0 (" + "X11; " * 1600}},
    "a long user agent of brackets": {"device": {"userAgent": "(" * 8192}},
    "long languages": {"device": {"acceptLanguage": "en-US,de;q=0.9," * 140}},
    "odd languages": {"device": {"acceptLanguage": "*;q=7,,;;--,zz-ZZ-zz;q=-1"}},
    "control characters": {
        "device": {"ipAddress": "\0", "userAgent": "\0\x1b[2J\n", "sessionId": "\0"}
    },
    "a negative age": {"device": {"sessionAge": -5}},
    "an absurd age": {"device": {"sessionAge": 1e308}},
    "an age of a large integer": {"device": {"sessionAge": 10**40}},
    "a negative amount": {"order": {"amount": -59.9, "currency": "USD"}},
    "nothing to pay": {"order": {"amount": 0, "currency": "USD"}},
    "an absurd amount": {"order": {"amount": 1e308, "currency": "USD"}},
    "a tiny amount": {"order": {"amount": 5e-324, "currency": "JPY"}},
    "no such currency": {"order": {"amount": 5, "currency": "BITCOIN" * 100}},
    "many codes": {"order": {"discountCodes": ["SAVE10"] * 1000}},
    "an odd referrer": {"order": {"referrerUrl": "javascript:alert(1)//" + "a" * 9000}},
    "absurd quantities": {"shoppingCart": {"items": [{"price": -1e300, "quantity": 1e300}] * 9}},
    "half an article": {"shoppingCart": {"items": [{"price": 3, "quantity": 0.5}]}},
    "a thousand lines": {
        "shoppingCart": {"items": [{"itemId": n, "price": 1, "quantity": 1} for n in range(1000)]}
    },
    "an empty cart": {"shoppingCart": {"items": []}},
    "an empty line": {"shoppingCart": {"items": [{}]}},
    "long ago": {"event": {"timestamp": "1970-01-01T00:00:00Z"}},
    "far ahead": {"event": {"timestamp": "2199-12-31T23:59:59.999999999+14:00"}},
    "a leap second": {"event": {"timestamp": "2016-12-31t23:59:60z"}},
    "nulls everywhere": {
        "device": {"ipAddress": None, "sessionAge": None}, "event": None, "order": {"amount": None},
        "account": {"userId": None}, "shoppingCart": {"items": None}, "customInputs": None,
    },
    "nested nulls": {"customInputs": {"a": {"b": None, "c": [None, {"d": None}]}, "e": [None]}},
    "odd custom inputs": {
        "customInputs": {"": "", "\0": "\0", "x" * 5000: [[[[[]]]]], "n": 10**60}
    },
    "numbers as names": {
        "account": {"userId": 10**30}, "device": {"sessionId": -1}, "event": {"transactionId": 0}
    },
    "a long user": {"account": {"userId": "u" * 9000, "username": "é" * 9000}},
    "fields of the future": {"device": {"fingerprint": {"a": 1}}, "weather": "fine"},
}  # fmt: skip


@pytest.mark.parametrize("name", IMPLAUSIBLE)
def test_the_implausible_is_scored_and_never_refused(client: httpx.Client, name: str) -> None:
    answer = sentry(client, IMPLAUSIBLE[name])
    scored(answer)
    assert result(client, answer)["event"]["counted"] is True


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("a word", "IP_INVALID"),
        ("an impossible address", "IP_INVALID"),
        ("a private address", "IP_BOGON"),
        ("a zone", "IP_BOGON"),
        ("odd languages", "LANG_INVALID"),
        ("a negative age", "SESSION_AGE_INVALID"),
        ("an absurd age", "SESSION_AGE_INVALID"),
        ("a negative amount", "ORDER_AMOUNT_INVALID"),
        ("an absurd amount", "ORDER_AMOUNT_INVALID"),
        ("no such currency", "CURRENCY_INVALID"),
        ("an odd referrer", "REFERRER_SUSPICIOUS"),
        ("absurd quantities", "CART_INVALID"),
        ("an empty cart", "CART_EMPTY"),
        ("long ago", "EVENT_TIME_INVALID"),
        ("far ahead", "EVENT_TIME_INVALID"),
    ],
)
def test_the_implausible_is_a_reason(client: httpx.Client, name: str, code: str) -> None:
    assert code in codes(scored(sentry(client, IMPLAUSIBLE[name])))


@pytest.mark.parametrize(
    ("written", "read"),
    [("::ffff:1.2.3.4", "1.2.3.4"), ("1.2.3.4:443", "1.2.3.4"), (TEN, "81.2.69.142")],
)
def test_an_address_is_read_however_it_is_written(
    client: httpx.Client, written: str, read: str
) -> None:
    answer = sentry(client, {"device": {"ipAddress": written}})
    assert dict(result(client, answer)["event"]["entities"])["address"] == read


@pytest.mark.parametrize(
    "text",
    [
        '{"device":{"userAgent":"\\ud800","ipAddress":"\\udfff","sessionId":"\\ud83d"}}',
        '{"account":{"userId":"\\ud800","username":"\\udc00@example.com"}}',
        '{"customInputs":{"\\ud800":"\\udfff"}}',
        '{"order":{"referrerUrl":"http://\\ud800/","discountCodes":["\\udfff"]}}',
        '{"shoppingCart":{"items":[{"itemId":"\\ud800","category":"\\udfff"}]}}',
    ],
)
def test_halves_of_characters_do_no_harm(client: httpx.Client, text: str) -> None:
    headers = {"Content-Type": "application/json"}
    answer = client.post("/api/v1/sentry", content=text.encode(), headers=headers)
    assert answer.status_code in (200, 400)


def test_a_very_deep_custom_input_is_no_crash(client: httpx.Client) -> None:
    text = '{"customInputs":{"a":' + "[" * 30_000 + "]" * 30_000 + "}}"
    headers = {"Content-Type": "application/json"}
    answer = client.post("/api/v1/sentry", content=text.encode(), headers=headers)
    assert answer.status_code in (200, 400)
    scored(sentry(client, {}))


# ---- Money, keys, records ----------------------------------------------------------------------


def test_an_empty_account_is_refused_before_anything_is_counted(sqlite_home: Home) -> None:
    account = sqlite_home.account("0.02")
    key = sqlite_home.key(account)
    with sqlite_home.server() as server, server.client(key) as client:
        scored(sentry(client))
        assert sentry(client, visit()).status_code == 402
        assert events(client) == 1
    assert sqlite_home.balance(account) == 0


def test_a_key_can_be_for_sentry_alone(shared: Server) -> None:
    account = shared.home.account()
    with shared.client(shared.home.key(account, "--scope", "sentry")) as client:
        scored(sentry(client))
        assert client.post("/api/v1/precheck", json={}).status_code == 403
    with shared.client(shared.home.key(account, "--scope", "precheck")) as client:
        assert sentry(client).status_code == 403


def test_the_record_holds_scores_signals_and_the_event(fresh: httpx.Client) -> None:
    answer = sentry(fresh)
    kept = record(fresh, answer)
    assert (kept["operation"], kept["clientReferenceId"]) == ("sentry", "order-1")
    assert kept["card"] is None
    [stage] = kept["stages"]
    assert (stage["name"], stage["feeType"], stage["completed"]) == ("Sentry", "SENTRY", True)
    found = stage["result"]
    told = answer.json()[FIELD]
    assert found["requestConfidence"] == told["requestConfidence"]
    assert list(found["reasons"]) == codes(told)
    assert found["model"]
    assert found["signals"]["IP_CONSUMER"] == 1
    event = found["event"]
    assert (event["amount"], event["currency"], event["counted"]) == (59.9, "USD", True)
    named = dict(event["entities"])
    assert named["user"] == "u-1"
    assert named["transaction"] == "t-1 u-1"
    assert "custom" not in named


def test_names_and_headers_are_not_kept(fresh: httpx.Client) -> None:
    body = visit(account={"userId": "amelia@example.com", "username": "Amelia Whitfield"})
    kept = json.dumps(record(fresh, sentry(fresh, body)))
    for value in ("amelia@example.com", "Amelia", "Mozilla", "en-US", "example.com/shoes"):
        assert value not in kept


def test_an_idempotent_repeat_is_the_same_answer_and_counts_once(fresh: httpx.Client) -> None:
    body, before = visit(), events(fresh)
    headers = {"Idempotency-Key": "once"}
    first = fresh.post("/api/v1/sentry", json=body, headers=headers)
    again = fresh.post("/api/v1/sentry", json=body, headers=headers)
    assert again.content == first.content
    assert again.headers["idempotent-replayed"] == "true"
    assert events(fresh) == before + 1
    assert again.json()["billing"]["remainingBalance"]["amount"] == 999.98


def test_a_transaction_counts_once_however_often_it_is_sent(fresh: httpx.Client) -> None:
    body = visit()
    answers = [sentry(fresh, body) for _ in range(5)]
    assert [result(fresh, one)["event"]["counted"] for one in answers] == [True] + [False] * 4
    assert len({one.json()[FIELD]["requestConfidence"] for one in answers}) == 1
    assert result(fresh, sentry(fresh, visit()))["event"]["counted"] is True


def test_declared_custom_inputs_are_remembered_and_others_are_not(shared: Server) -> None:
    account = shared.home.account()
    shared.home.ok("accounts", "sentry", account, "--entity", "deviceId", "--entity", "shop")
    body = visit(customInputs={"deviceId": "d-77", "shop": "Amelia's", "plan": "plus"})
    with shared.client(shared.home.key(account)) as client:
        kept = result(client, sentry(client, body))["event"]["entities"]
    custom = [value for kind, value in kept if kind == "custom"]
    assert custom[0] == "deviceId=d-77"
    assert custom[1].startswith("shop=#")
    assert len(custom) == 2


# ---- Memory ------------------------------------------------------------------------------------


def memory(server: Server) -> dict[str, Any]:
    """How the memory is, once it is rebuilt."""

    def look() -> dict[str, Any]:
        told: dict[str, Any] = httpx.get(f"{server.base}/readyz", timeout=PATIENCE_S).json()
        assert told["checks"]["memory"] is (told["memory"]["state"] == "ready")
        return told

    found: dict[str, Any] = until(look, lambda told: told["checks"]["memory"])["memory"]
    return found


def test_a_burst_of_accounts_from_one_address_is_seen(fresh: httpx.Client) -> None:
    found = [
        scored(sentry(fresh, visit(account__userId=f"u-{n}", device__sessionId=f"s-{n}")))
        for n in range(25)
    ]
    scores = [one["requestConfidence"] for one in found]
    assert scores[-1] < scores[0] - 0.2
    assert "VEL_IP_ACCOUNTS" in codes(found[-1])


def test_accounts_know_nothing_of_each_other(shared: Server, fresh: httpx.Client) -> None:
    for n in range(25):
        sentry(fresh, visit(account__userId=f"u-{n}"))
    with shared.client(shared.home.key(shared.home.account())) as other:
        found = scored(sentry(other, visit()))
    assert not [code for code in codes(found) if code.startswith("VEL_")]


def test_what_was_seen_is_remembered_after_a_restart(home: Home) -> None:
    account = home.account()
    key = home.key(account)
    repeated = visit()
    with home.server() as server, server.client(key) as client:
        nothing = {"events": 0, "entities": 0, "limit": 1_000_000}
        assert memory(server) == {"state": "ready", "shared": False, **nothing}
        for n in range(20):
            sentry(client, visit(account__userId=f"u-{n}", device__sessionId=f"s-{n}"))
        sentry(client, repeated)
        last = scored(sentry(client, visit(account__userId="u-20", device__sessionId="s-20")))
        before = memory(server)
    with home.server() as server, server.client(key) as client:
        assert memory(server) == before
        again = sentry(client, repeated)
        assert result(client, again)["event"]["counted"] is False
        found = scored(sentry(client, visit(account__userId="u-21", device__sessionId="s-21")))
        assert set(codes(last)) - set(codes(found)) == set()
        assert "VEL_IP_ACCOUNTS" in codes(found)
    with home.server() as server, server.client(key) as client:
        # What came in while, or after, the memory was being rebuilt is counted once as well.
        assert memory(server)["events"] == before["events"] + 1
    with home.server(GATEHOUSE_MEMORY_DAYS="0") as server, server.client(key) as client:
        assert memory(server)["events"] == 0
        found = scored(sentry(client, visit(account__userId="u-22")))
        assert "VEL_IP_ACCOUNTS" not in codes(found)


def test_a_request_that_came_to_nothing_is_not_remembered(sqlite_home: Home) -> None:
    key = sqlite_home.key(sqlite_home.account())
    with sqlite_home.server() as server, server.client(key) as client:
        field_errors(sentry(client, {"event": {"type": "REFUND"}}))
        assert events(client) == 0
        assert client.get("/metrics").text.count("gatehouse_memory_events 0.0") == 1
        sentry(client)
        assert events(client) == 1
        assert client.get("/metrics").text.count("gatehouse_memory_events 1.0") == 1


def test_a_server_is_ready_and_can_be_stopped_while_its_memory_is_rebuilt(
    new_database: Any, tmp_path: Any
) -> None:
    url = new_database()
    home = Home(tmp_path / "home", url, {"GATEHOUSE_STORE_TIMEOUT_MS": "1000"})
    key = home.key(home.account())
    with home.server() as server, server.client(key) as client:
        sentry(client)
    with psycopg.connect(url) as blocking:
        blocking.execute("LOCK TABLE decisions IN ACCESS EXCLUSIVE MODE")
        with home.server() as server:
            told = httpx.get(f"{server.base}/readyz", timeout=PATIENCE_S)
            assert told.status_code == 200
            assert (told.json()["status"], told.json()["checks"]["memory"]) == ("ready", False)
            assert told.json()["memory"]["state"] == "rebuilding"
            assert server.stop() == 0
        with home.server() as server:
            assert (
                httpx.get(f"{server.base}/readyz", timeout=PATIENCE_S).json()["checks"]["memory"]
                is False
            )
            blocking.rollback()
            assert memory(server)["events"] == 1


# ---- Devices by their identifier ---------------------------------------------------------------


def test_many_users_on_one_device_are_a_reason_and_found_by_it(fresh: httpx.Client) -> None:
    for turn in range(12):
        body = visit(device__deviceId="gd_farm", account__userId=f"u-{turn}")
        body["device"] |= {"ipAddress": f"24.{turn}.1.1", "sessionId": f"s-{turn}"}
        answer = sentry(fresh, body)
    texts = [reason["text"] for reason in scored(answer)["reasons"]]
    assert "Unusually many users order from this device." in texts
    assert ["device_id", "gd_farm"] in result(fresh, answer)["event"]["entities"]
    page = fresh.post("/api/v1/decisions/search", json={"deviceId": "gd_farm"}).json()
    assert len(page["decisionsResponse"]["decisions"]) == 12


@pytest.mark.parametrize("wrong", ["", "with space", "d" * 129, "gerät"])
def test_a_device_identifier_of_another_form_is_refused(client: httpx.Client, wrong: str) -> None:
    problem = field_errors(sentry(client, {"device": {"deviceId": wrong}}))["device.deviceId"]
    assert problem == ["must be 1 to 128 visible ASCII characters"]


def test_an_input_that_nobody_declared_is_found_remembered_and_refused(shared: Server) -> None:
    home = shared.home
    account = home.account("1000")
    with shared.client(home.key(account)) as client:

        def send(number: int) -> httpx.Response:
            inputs = {"plan": f"plan-{number % 3}", "total": number + 0.5}
            return sentry(client, visit(customInputs=inputs, **{"account.userId": f"u{number}"}))

        def found() -> dict[str, bool]:
            told = home.ok("accounts", "sentry", account, "--json").json["found"]
            return {each["key"]: each["remembered"] for each in told}

        def remembers(number: int) -> bool:
            return "plan=plan-" in json.dumps(result(client, send(number))["event"])

        for number in range(110):
            scored(send(number))
        until(found, lambda told: told == {"plan": True})
        until(lambda: remembers(7))
        home.ok("accounts", "sentry", account, "--refuse", "plan")
        until(lambda: not remembers(8))
        assert found() == {"plan": False}
