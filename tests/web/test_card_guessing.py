"""Attacks on card numbers and codes, made from the outside with keys of accounts."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from gatehouse.core.cards.brands import passes_luhn
from gatehouse.core.cards.numbers import CardNumber
from gatehouse.store.tables import CARD_MISMATCHES, CARD_NUMBERS, DECISIONS, IDEMPOTENCY
from tests.harness import AMELIA, BODY, CARD, PURCHASE, Home, idverify, pipeline, precheck, rules

ALIKE = [
    number
    for middle in range(10_000)
    if passes_luhn(number := f"{CARD[:8]}{middle:04d}{CARD[-4:]}") and number != CARD
]
"""The other numbers that BIN and last four of the victim's card leave."""
MOST = 5


def fingerprint_of(client: httpx.Client, answer: httpx.Response) -> str:
    request_id = answer.json()["requestId"]
    found = client.get(f"/api/v1/decisions/{request_id}").json()["decisionResponse"]
    text: str = found["card"]["fingerprint"]
    return text


def test_bin_and_last_four_leave_a_thousand_numbers() -> None:
    assert len(ALIKE) == 999


def test_another_accounts_key_does_not_find_the_number_behind_a_record(sqlite_home: Home) -> None:
    victim, attacker = (sqlite_home.key(sqlite_home.account()) for _ in range(2))
    with sqlite_home.server() as server:
        with server.client(victim) as client:
            wanted = fingerprint_of(client, rules(client, {"cardNumber": CARD}))
        found, refused = set(), 0
        with server.client(attacker) as client:
            for number in [CARD, *ALIKE[:59]]:
                answer = rules(client, {"cardNumber": number})
                if answer.status_code == 429:
                    refused += 1
                else:
                    found.add(fingerprint_of(client, answer))
    assert wanted not in found
    assert (len(found), refused) == (50, 10)


@pytest.fixture
def merchant(home: Home) -> Iterator[httpx.Client]:
    """A client of an account that may send five numbers alike, and has done so."""
    key = home.key(home.account())
    with home.server(GATEHOUSE_CARD_ENUMERATION_LIMIT=str(MOST)) as server:
        with server.client(key) as client:
            for number in ALIKE[:MOST]:
                assert rules(client, {"cardNumber": number}).status_code == 200
            yield client


def refusal(answer: httpx.Response) -> dict[str, Any]:
    assert answer.status_code == 429, answer.text
    assert 86_000 < int(answer.headers["retry-after"]) <= 86_400
    told: dict[str, Any] = answer.json()
    assert told["errors"]["code"] == "card_enumeration"
    assert told["billing"]["items"] == []
    assert told["billing"]["amountAuthorized"]["amount"] == 0
    return told


def test_every_operation_refuses_one_number_too_many(merchant: httpx.Client) -> None:
    before = merchant.get("/api/v1/decisions").json()["decisionsResponse"]["decisions"]
    other = {"cardNumber": ALIKE[MOST]}
    left = refusal(rules(merchant, other))["billing"]["remainingBalance"]
    refusal(precheck(merchant, BODY | other))
    refusal(idverify(merchant, AMELIA | other))
    refusal(pipeline(merchant, PURCHASE | {"preCheckRequest": BODY | other}))
    ruled = PURCHASE["rulesRequest"] | other
    refusal(pipeline(merchant, PURCHASE | {"rulesRequest": ruled}))
    verified = {"pipelineId": 2, "idVerifyRequest": AMELIA | other}
    told = refusal(pipeline(merchant, PURCHASE | verified))
    assert told["billing"]["remainingBalance"] == left
    after = merchant.get("/api/v1/decisions").json()["decisionsResponse"]["decisions"]
    assert before == after


def test_numbers_sent_before_and_numbers_unlike_them_go_on(
    merchant: httpx.Client,
) -> None:
    assert refusal(rules(merchant, {"cardNumber": CARD}))
    for number in [*ALIKE[:MOST], "5555555555554444"]:
        assert rules(merchant, {"cardNumber": number}).status_code == 200


def test_an_idempotency_key_does_not_tell_numbers_apart_without_limit(home: Home) -> None:
    key = home.key(home.account())
    repeated = {"Idempotency-Key": "the-first"}
    with home.server(GATEHOUSE_CARD_ENUMERATION_LIMIT=str(MOST)) as server:
        with server.client(key) as client:
            first = precheck(client, BODY, **repeated)
            said = [
                precheck(client, BODY | {"cardNumber": number}, **repeated).status_code
                for number in ALIKE[: MOST + 2]
            ]
            again = precheck(client, BODY, **repeated)
    assert said == [422] * (MOST - 1) + [429] * 3
    assert (again.status_code, again.content) == (200, first.content)


def test_the_limit_holds_after_a_restart_and_for_each_account_by_itself(home: Home) -> None:
    mine, other = (home.key(home.account()) for _ in range(2))
    settings = {"GATEHOUSE_CARD_ENUMERATION_LIMIT": str(MOST)}
    with home.server(**settings) as server, server.client(mine) as client:
        for number in ALIKE[:MOST]:
            assert rules(client, {"cardNumber": number}).status_code == 200
    with home.server(**settings) as server:
        with server.client(mine) as client:
            assert rules(client, {"cardNumber": ALIKE[0]}).status_code == 200
            refusal(rules(client, {"cardNumber": CARD}))
        with server.client(other) as client:
            assert rules(client, {"cardNumber": CARD}).status_code == 200


def test_guesses_at_a_card_count_together_over_all_servers(
    tmp_path: Path, new_database: Callable[[], str]
) -> None:
    shared = Home(tmp_path / "home", new_database())
    key = shared.key(shared.account())
    limits = {"GATEHOUSE_CARD_GUESS_LIMIT": "3", "GATEHOUSE_CARD_ENUMERATION_LIMIT": str(MOST)}
    with shared.server(**limits) as one, shared.server(**limits) as two:
        with one.client(key) as here, two.client(key) as there:
            wrong = [
                precheck(client, BODY | {"cardCvv2Value": "200"}).json()["preCheckResponse"]
                for client in [here, there] * 2
            ]
            for client, number in zip([here, there] * 2, ALIKE[: MOST - 1], strict=True):
                assert rules(client, {"cardNumber": number}).status_code == 200
            for client in (here, there):
                refusal(rules(client, {"cardNumber": ALIKE[MOST]}))
    assert [each["advice"] for each in wrong] == ["DECLINE"] * 3 + ["FRAUD"]


def test_numbers_of_searches_lists_and_records_count_with_those_of_requests(home: Home) -> None:
    scopes = ("rules", "decisions", "reviews", "manage:lists", "manage:identities")
    key = home.key(home.account(), *(f"--scope={each}" for each in scopes))
    one = iter(ALIKE)
    manage, entry = "/api/v1/manage", "/api/v1/manage/lists/bad-cards/entries"
    with home.server(GATEHOUSE_CARD_ENUMERATION_LIMIT=str(MOST)) as server:
        with server.client(key) as client:

            def ask() -> list[int]:
                adding = {"kind": "cards", "entries": [{"value": next(one)}]}
                named = {"cardNumber": next(one), "reason": "a guess"}
                answers = [
                    client.post("/api/v1/decisions/search", json={"cardNumber": next(one)}),
                    client.post("/api/v1/reviews/search", json={"cardNumber": next(one)}),
                    client.post(f"{manage}/identities/search", json={"cardNumber": next(one)}),
                    client.post(f"{entry}?dryRun=true", json=adding),
                    client.post(f"{manage}/identities/erase?dryRun=true", json=named),
                    client.post(f"{entry}/search", json={"value": next(one)}),
                    rules(client, {"cardNumber": next(one)}),
                ]
                return [each.status_code for each in answers]

            client.post(f"{manage}/lists", json={"name": "bad-cards", "kind": "cards"})
            assert ask() == [200, 200, 404, 200, 404, 429, 429]
            assert ask() == [429] * 7
            bulk = {"entries": [{"value": each} for each in ALIKE]}
            refused = client.post(f"{entry}?dryRun=true", json=bulk)
            # Now as many were refused as are allowed, and nothing of the group is answered.
            again = client.post("/api/v1/decisions/search", json={"cardNumber": ALIKE[2]})
    for answer in (refused, again):
        assert answer.json()["errors"]["code"] == "card_enumeration"
        assert 86_000 < int(answer.headers["retry-after"]) <= 86_400


def test_a_number_of_a_customer_is_not_the_one_that_is_never_refused(home: Home) -> None:
    key = home.key(home.account())
    with home.server(GATEHOUSE_CARD_ENUMERATION_LIMIT=str(MOST)) as server:
        with server.client(key) as client:
            assert rules(client, {"cardNumber": CARD}).status_code == 200
            for number in ALIKE[: 3 * MOST]:
                rules(client, {"cardNumber": number})
            refusal(rules(client, {"cardNumber": CARD}))


def test_declined_payments_use_up_the_guesses_at_a_card(home: Home, tmp_path: Path) -> None:
    account = home.account()
    key = home.key(account)
    file = tmp_path / "pay.yaml"
    file.write_text("pipeline: 7\nname: Pay at once\nstages:\n  - stage: Gateway\n")
    home.ok("pipelines", "apply", str(file), "--account", account)
    card = BODY | {"cardNumber": "4000000000000341"}
    paying = {"pipelineId": 7, "gatewayRequest": {"amount": 5, "currency": "USD"}}
    with home.server(GATEHOUSE_CARD_GUESS_LIMIT="3") as server, server.client(key) as client:
        codes = [f"12{n}" for n in range(5)]
        bodies = [paying | {"preCheckRequest": card | {"cardCvv2Value": code}} for code in codes]
        answers = [pipeline(client, body).json()["pipelineResponse"] for body in bodies]
        checked = precheck(client, card).json()["preCheckResponse"]
    gateway = [each["gatewayResponse"] for each in answers]
    assert [each["status"] for each in gateway] == ["DECLINED"] * 5
    # From the fourth on nobody was asked, so there is no code of the gateway.
    asked = [each["responseCode"] is not None for each in gateway]
    assert asked == [True] * 3 + [False] * 2
    assert checked["advice"] == "FRAUD"


def test_the_store_has_nothing_of_the_inside_beside_what_is_readable_of_a_card(home: Home) -> None:
    key = home.key(home.account())
    with home.server(GATEHOUSE_CARD_GUESS_LIMIT="3") as server, server.client(key) as client:
        precheck(client, BODY | {"cardCvv2Value": "200"})
        pipeline(client)
    with home.session() as session, session.reading() as connection:
        inner = session.fingerprints.inner(CardNumber.parse(CARD))
        kept = connection.execute(sa.select(DECISIONS)).all()
        guesses = connection.execute(sa.select(CARD_MISMATCHES)).all()
        numbers = connection.execute(sa.select(CARD_NUMBERS)).all()
    assert len(kept) == 2
    assert len(guesses) == 1
    assert numbers
    ids = {row.request_id for row in kept}
    for row in (*kept, *guesses, *numbers):
        assert inner not in str(row)
    for guess in guesses:
        assert guess.request_id not in ids
        assert guess.at_ms % 3_600_000 == 0
    fingerprints = {row.card for row in kept}
    assert not fingerprints & {text for row in (*guesses, *numbers) for text in row[:2]}


def test_the_store_does_not_tell_which_accounts_sent_the_same_body(sqlite_home: Home) -> None:
    keys = [sqlite_home.key(sqlite_home.account()) for _ in range(2)]
    with sqlite_home.server() as server:
        for key in keys:
            with server.client(key) as client:
                for name in ("first", "second"):
                    answer = precheck(client, BODY, **{"Idempotency-Key": name})
                    assert answer.status_code == 200
    with sqlite_home.session() as session, session.reading() as connection:
        bodies = list(connection.scalars(sa.select(IDEMPOTENCY.c.body)))
    assert len(set(bodies)) == len(bodies) == 4
