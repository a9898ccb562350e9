"""Tokens of one account, and 3-D Secure, from the outside: what counts, is kept and is found."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from gatehouse.store.admin.admin_session import AdminSession
from tests.databases import Postgres
from tests.harness import AMELIA, BODY, PURCHASE, Home, Server, idverify, pipeline, precheck, rules
from tests.web.merchant import Merchant

UNLISTED = ("4242424200000018", "4012888800000024", "5555555500000030", "4111111100000044")
"""Numbers that are none of the sandbox's test cards, so that rules count them."""
PAR, OTHER_PAR = "V0010013018036776997406844829", "V0010013018036776997406844830"
TOKENS = ("4242424242424242", "4012888888881881", "5555555555554444", "4111111111111111")
VALUE, DS_ID = "AAABBEg0VhI0VniQEjRWAAAAAAA=", "f38e6948-5388-41a6-bca4-b49723c19437"
AUTHENTICATED = {"version": "2.2.0", "eci": "05", "status": "Y"}
RULE_SET = """
rule_set: tokens
rules:
  - name: same-account-again
    condition: velocity.card.count_24h >= 3
    outcome: REVIEW
  - name: blocked-account
    condition: card.accountFingerprint IN LIST('blocked-cards')
    outcome: DECLINE
  - name: wallet
    condition: card.credentialType = 'DEVICE_TOKEN' AND threeDS.authenticated IS NULL
    outcome: ACCEPT
    tags: [wallet]
  - name: not-authenticated
    condition: NOT threeDS.authenticated AND threeDS.exemption IS NULL
    outcome: REVIEW
  - name: issuer-rejected
    condition: threeDS.status IN ('N', 'R') AND threeDS.version <> '1.0.2' AND threeDS.eci = '07'
    outcome: DECLINE
"""


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def shared(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """A server on each database that lets a card be guessed at three times."""
    folder, settings = tmp_path_factory.mktemp("tokens"), {"GATEHOUSE_CARD_GUESS_LIMIT": "3"}
    if request.param == "sqlite":
        with Home(folder / "home").migrated().server(**settings) as server:
            yield server
        return
    postgres: Postgres = request.getfixturevalue("postgres")
    url = postgres.new()
    with Home(folder / "home", url).server(**settings) as server:
        yield server
    postgres.give_back(url)


@pytest.fixture(scope="module")
def rule_file(tmp_path_factory: pytest.TempPathFactory) -> str:
    file: Path = tmp_path_factory.mktemp("rules") / "tokens.yaml"
    file.write_text(RULE_SET)
    return str(file)


@pytest.fixture
def merchant(session: AdminSession) -> Merchant:
    """One for each test."""
    return Merchant(session)


@pytest.fixture
def client(shared: Server, merchant: Merchant) -> Iterator[httpx.Client]:
    with shared.client(merchant.key) as one:
        yield one


def answered(response: httpx.Response, field: str) -> Any:
    body = response.json()
    assert body["isSuccess"], body
    assert "warnings" not in body, body
    return body[field]


def record(client: httpx.Client, response: httpx.Response) -> Any:
    request_id = response.json()["requestId"]
    return client.get(f"/api/v1/decisions/{request_id}").json()["decisionResponse"]


def judged(client: httpx.Client, **fields: Any) -> tuple[str, list[str]]:
    """What the rule set says of one Rules call, and which of its rules matched."""
    found = answered(rules(client, {"ruleSet": "tokens", **fields}), "rulesResponse")
    return found["status"], [match["id"] for match in found["matchedRules"]]


def token(number: str, par: str = PAR, **more: Any) -> dict[str, Any]:
    return {"cardNumber": number, "paymentAccountReference": par, **more}


def wrong_code(client: httpx.Client, card: dict[str, Any]) -> str:
    """The advice about a card with a code that the sandbox takes for wrong."""
    body = BODY | card | {"cardCvv2Value": "200"}
    advice: str = answered(precheck(client, body), "preCheckResponse")["advice"]
    return advice


def test_tokens_of_one_account_are_one_card_to_rules_to_lists_and_to_a_backtest(
    client: httpx.Client, merchant: Merchant, shared: Server, rule_file: str, tmp_path: Path
) -> None:
    home, account = shared.home, merchant.account
    home.ok("rules", "apply", rule_file, "--account", account)
    listed = tmp_path / "accounts.csv"
    listed.write_text(f"{OTHER_PAR},stolen wallet\n")
    home.ok("lists", "add", "blocked-cards", "--file", str(listed), "--account", account)
    shown = home.ok("lists", "show", "blocked-cards", "--account", account).out
    assert OTHER_PAR not in shown
    assert judged(client, **token(UNLISTED[0], credentialType="DEVICE_TOKEN"))[1] == ["wallet"]
    assert judged(client, **token(UNLISTED[1])) == ("ACCEPT", [])
    assert judged(client, **token(UNLISTED[2])) == ("REVIEW", ["same-account-again"])
    assert judged(client, **token(UNLISTED[2], OTHER_PAR)) == ("DECLINE", ["blocked-account"])
    assert judged(client, **token(UNLISTED[3], OTHER_PAR)) == ("DECLINE", ["blocked-account"])
    # A number that comes without its reference is known by itself.
    assert judged(client, cardNumber=UNLISTED[2]) == ("REVIEW", ["same-account-again"])
    report = home.ok("rules", "backtest", rule_file, "--account", account, "--json").json
    matched = {rule["name"]: rule["matches"] for rule in report["rules"]}
    assert matched["blocked-account"] == 2
    assert matched["same-account-again"] == 2
    assert matched["wallet"] == 1


def test_rules_see_what_3d_secure_found(
    client: httpx.Client, merchant: Merchant, shared: Server, rule_file: str
) -> None:
    shared.home.ok("rules", "apply", rule_file, "--account", merchant.account)
    for found, outcome, matched in (
        (None, "ACCEPT", []),
        (AUTHENTICATED, "ACCEPT", []),
        ({"status": "A", "eci": "06"}, "REVIEW", ["not-authenticated"]),
        ({"exemption": "LOW_VALUE"}, "ACCEPT", []),
        (
            {"version": "2.1.0", "status": "N", "eci": "07"},
            "DECLINE",
            ["not-authenticated", "issuer-rejected"],
        ),
    ):
        assert judged(client, threeDSecure=found) == (outcome, matched)


def test_a_record_keeps_the_words_and_a_fingerprint_and_nothing_that_is_secret(
    client: httpx.Client, shared: Server
) -> None:
    gateway = AUTHENTICATED | {"authenticationValue": VALUE, "dsTransactionId": DS_ID}
    body = {
        **PURCHASE,
        "preCheckRequest": BODY | token(TOKENS[0], credentialType="NETWORK_TOKEN"),
        "gatewayRequest": {"amount": 59.9, "currency": "USD", "threeDSecure": gateway},
    }
    answer = pipeline(client, body, **{"Idempotency-Key": "once"})
    assert answered(answer, "pipelineResponse")["gatewayResponse"]["status"] == "APPROVED"
    kept = record(client, answer)
    signals = kept["signals"]
    assert kept["card"]["credentialType"] == signals["card.credentialType"] == "NETWORK_TOKEN"
    fingerprint = kept["card"]["accountFingerprint"]
    assert fingerprint == signals["card.accountFingerprint"] != kept["card"]["fingerprint"]
    assert {name: signals[f"threeDS.{name}"] for name in AUTHENTICATED} == AUTHENTICATED
    assert signals["threeDS.authenticated"] is True
    cards = [value for kind, value in kept["event"]["entities"] if kind == "card"]
    assert cards == [fingerprint, kept["card"]["fingerprint"]]
    # The value is no part of what a repetition is recognised by: not even its hash is kept.
    gateway["authenticationValue"] = VALUE.replace("A", "B", 1)
    again = pipeline(client, body, **{"Idempotency-Key": "once"})
    assert (again.content, again.headers["idempotent-replayed"]) == (answer.content, "true")
    for file in shared.home.path.rglob("*"):
        if file.is_file():
            text = file.read_bytes()
            assert not [each for each in (PAR, VALUE, DS_ID) if each.encode() in text], file


def test_guesses_are_counted_by_the_account_and_by_the_number(
    client: httpx.Client, shared: Server, session: AdminSession
) -> None:
    par, number = PAR.replace("V", "A"), "4000056655665556"
    for card in TOKENS[:3]:
        assert wrong_code(client, token(card, par)) == "DECLINE"
    assert wrong_code(client, token(TOKENS[3], par)) == "FRAUD"
    # Nobody can tell whose a reference is: others are not locked out by it.
    with shared.client(Merchant(session).key) as other:
        assert wrong_code(other, token(TOKENS[3], par)) == "DECLINE"
    # Nor are guesses at a number hidden by another reference each time.
    for digit in range(3):
        assert wrong_code(client, token(number, f"B{digit}".ljust(29, "0"))) == "DECLINE"
    assert wrong_code(client, token(number, "B".ljust(29, "9"))) == "FRAUD"


def test_identifiers_are_guessed_at_an_account_too(client: httpx.Client) -> None:
    def verified(number: str, kind: str, identifier: str) -> str:
        body = {**AMELIA, **token(number, PAR.replace("V", "C"))}
        body["cardHolderIds"] = {kind: identifier}
        found = answered(idverify(client, body), "idVerifyResponse")
        result: str = found["idVerification"][kind]
        return result

    amelia, jose, maria = TOKENS[0], TOKENS[3], TOKENS[2]
    assert verified(amelia, "PASSPORT", "000000001") == "NO_MATCH"
    assert verified(jose, "NATIONALIDENTITY", "00000001Z") == "NO_MATCH"
    assert verified(maria, "PASSPORT", "000000001") == "NO_MATCH"
    assert verified(maria, "PASSPORT", "4510123456") == "NOT_PROCESSED"


def test_decisions_are_found_by_the_account_whatever_token_was_sent(client: httpx.Client) -> None:
    sent = [
        precheck(client, BODY | token(TOKENS[0])),
        rules(client, token(TOKENS[1])),
        pipeline(client, {**PURCHASE, "preCheckRequest": BODY | token(TOKENS[2])}),
    ]
    precheck(client, BODY | token(TOKENS[0], OTHER_PAR))
    ids = sorted(each.json()["requestId"] for each in sent)
    fingerprint = record(client, sent[0])["card"]["accountFingerprint"]
    for filters in ({"paymentAccountReference": PAR}, {"cardFingerprint": fingerprint}):
        page = answered(client.post("/api/v1/decisions/search", json=filters), "decisionsResponse")
        assert sorted(each["requestId"] for each in page["decisions"]) == ids


def test_a_fraud_with_one_token_counts_against_the_others(client: httpx.Client) -> None:
    def bought(number: str, user: str, par: str = PAR) -> Any:
        visit = {
            **PURCHASE["sentryRequest"],
            "account": {"userId": user},
            "device": {"ipAddress": f"70.1.{user}.3"},
            "event": {"type": "PURCHASE", "transactionId": f"t-{user}"},
        }
        body = {**PURCHASE, "sentryRequest": visit, "preCheckRequest": BODY | token(number, par)}
        return pipeline(client, body)

    def reasons(answer: httpx.Response) -> set[str]:
        given = answered(answer, "pipelineResponse")["sentryResponse"]["reasons"]
        return {each["code"] for each in given}

    first = bought(TOKENS[0], "11")
    assert "CARD_REPUTATION" not in reasons(first)
    told = {"requestId": first.json()["requestId"], "label": "FRAUD"}
    answered(client.post("/api/v1/feedback", json=told), "feedbackResponse")
    assert "CARD_REPUTATION" in reasons(bought(TOKENS[2], "12"))
    assert "CARD_REPUTATION" not in reasons(bought(TOKENS[1], "13", OTHER_PAR))


def test_what_has_no_effect_is_named(client: httpx.Client) -> None:
    body = rules(client, {"paymentAccountReference": PAR, "credentialType": "PAN"}).json()
    assert [each["path"] for each in body["warnings"]] == [
        *("paymentAccountReference", "credentialType"),
    ]
    nobody = {"sentryRequest": {}, "rulesRequest": {"credentialType": "PAN"}, "pipelineId": 1}
    refused = pipeline(client, nobody).json()["errors"]["fieldErrors"]
    assert "preCheckRequest" in refused
