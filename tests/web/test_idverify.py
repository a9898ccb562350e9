"""ID Verify over a real server: every decided case, the sandbox's people, money and records."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.harness import AMELIA, CARD, Home, Server, idverify, precheck, sandbox_key, until
from tests.harness.samples import SILENT_CARD
from tests.web.answers import ZERO, record

FIELD = "idVerifyResponse"
EMAIL = "cardHolderEmailAddressVerificationResults"
PHONE = "cardHolderPhoneNumberVerificationResults"
NAME = "cardHolderNameVerificationResult"
CARD_ONLY = {"cardNumber": CARD, "cardExpiryDate": "2035-12"}
STRANGER = "4000056655665556"
LIMITED_CARD = "6200000000000005"
FEE = {"currency": "USD", "amount": 0.1}


@pytest.fixture(scope="module")
def client(shared: Server) -> Iterator[httpx.Client]:
    with shared.client(shared.home.key(shared.home.account("1000"))) as one:
        yield one


def found(client: httpx.Client, **changes: Any) -> dict[str, Any]:
    """The results for Amelia with some fields changed; None leaves a field out."""
    body = {key: value for key, value in (AMELIA | changes).items() if value is not None}
    answer = idverify(client, body).json()
    assert answer["isSuccess"] is True, answer
    results: dict[str, Any] = answer[FIELD]
    return results


def decisions(results: dict[str, Any]) -> list[str]:
    """First, middle, last and whole."""
    name = results[NAME]
    return [name[f"{part}NameAccountMatchDecision"] for part in ("first", "middle", "last")] + [
        name["nameMatchDecision"]
    ]


# ---- The answer --------------------------------------------------------------------------------


def test_a_new_user_gets_a_real_answer_with_exact_billing(home: Home) -> None:
    with home.server() as server, server.client(sandbox_key(home)) as client:
        answer = idverify(client)
    body = answer.json()
    assert answer.status_code == 200
    assert list(body) == ["isSuccess", "errors", "billing", FIELD, "requestId"]
    assert (body["isSuccess"], body["errors"]) == (True, None)
    assert body["billing"] == {
        "items": [{"feeType": "ID_VERIFY", "fee": FEE, "completed": True}],
        "remainingBalance": {"currency": "USD", "amount": 99.9},
        "amountAuthorized": FEE,
        "amountClosed": FEE,
    }
    assert body[FIELD] == {
        EMAIL: "MATCH",
        PHONE: "MATCH",
        NAME: {
            "firstNameAccountMatchDecision": "MATCH",
            "middleNameAccountMatchDecision": "MATCH",
            "lastNameAccountMatchDecision": "MATCH",
            "nameMatchDecision": "MATCH",
            "nameResult": "PERFORMED",
        },
        "idVerification": {"DRIVERLICENSE": "MATCH", "PASSPORT": "MATCH", "TAX": "MATCH"},
        "verificationLevel": "FULL",
    }


def test_card_data_alone_is_the_minimal_level(client: httpx.Client) -> None:
    assert idverify(client, CARD_ONLY).json()[FIELD] == {
        EMAIL: "NOT_PROCESSED",
        PHONE: "NOT_PROCESSED",
        "idVerification": {},
        "verificationLevel": "MINIMAL",
    }


def test_null_counts_as_not_sent(client: httpx.Client) -> None:
    nothing = {
        "cardHolderEmailAddress": None,
        "cardHolderPhoneNumber": None,
        "cardHolderName": None,
        "cardHolderIds": {"TAX": None, "PASSPORT": None},
    }
    plain = idverify(client, CARD_ONLY).json()[FIELD]
    assert idverify(client, CARD_ONLY | nothing).json()[FIELD] == plain


def test_what_does_not_match_is_told_by_attribute(client: httpx.Client) -> None:
    results = found(
        client,
        cardHolderEmailAddress="somebody.else@example.org",
        cardHolderIds={"PASSPORT": "543210987", "TAX": "987-65-4320"},
    )
    assert (results[EMAIL], results[PHONE]) == ("NO_MATCH", "MATCH")
    assert results["idVerification"] == {"PASSPORT": "MATCH", "TAX": "NO_MATCH"}
    assert decisions(results) == ["MATCH"] * 4


def test_identifiers_are_told_only_for_types_that_were_sent(client: httpx.Client) -> None:
    for kind in ("DRIVERLICENSE", "PASSPORT", "NATIONALIDENTITY", "TAX"):
        results = found(client, cardHolderIds={kind: "X0000000"})
        expected = "UNKNOWN" if kind == "NATIONALIDENTITY" else "NO_MATCH"
        assert results["idVerification"] == {kind: expected}


def test_a_card_without_a_record_is_unknown_and_charged(client: httpx.Client) -> None:
    answer = idverify(client, AMELIA | {"cardNumber": STRANGER})
    results = answer.json()[FIELD]
    assert (results[EMAIL], results[PHONE]) == ("UNKNOWN", "UNKNOWN")
    assert decisions(results) == ["UNKNOWN"] * 4
    assert results[NAME]["nameResult"] == "NOT_PERFORMED"
    assert set(results["idVerification"].values()) == {"UNKNOWN"}
    assert results["verificationLevel"] == "FULL"
    assert answer.json()["billing"]["amountClosed"] == FEE
    assert record(client, answer)["stages"][0]["result"]["reasons"] == ["no_record"]


def test_what_the_record_lacks_is_unknown(client: httpx.Client) -> None:
    lukas = {
        "cardNumber": "5105105105105100",
        "cardExpiryDate": "2035-12",
        "cardHolderPhoneNumber": "+4915112345678",
        "cardHolderName": {
            "firstName": "Lukas",
            "middleName": "Emil",
            "lastName": "Schäfer-Brandt",
        },
        "cardHolderIds": {"PASSPORT": "C01X00T47", "TAX": "36574261809"},
    }
    results = idverify(client, lukas).json()[FIELD]
    assert results[PHONE] == "UNKNOWN"
    assert decisions(results)[:3] == ["MATCH", "UNKNOWN", "MATCH"]
    assert results["idVerification"] == {"PASSPORT": "UNKNOWN", "TAX": "MATCH"}


def test_what_the_source_does_not_hold_at_all_is_not_supported(client: httpx.Client) -> None:
    ids = {"PASSPORT": "E12345678", "TAX": "1"}
    results = found(client, cardNumber=LIMITED_CARD, cardHolderIds=ids)
    assert decisions(results) == ["NOT_SUPPORTED"] * 4
    assert results[NAME]["nameResult"] == "NOT_SUPPORTED"
    assert results["idVerification"] == {"PASSPORT": "MATCH", "TAX": "NOT_SUPPORTED"}


@pytest.mark.parametrize("name", [{}, {"firstName": "Amelia"}, {"ownerType": "PRIMARY"}])
def test_without_a_last_name_names_are_not_compared(client: httpx.Client, name: Any) -> None:
    results = found(client, cardHolderName=name)
    assert decisions(results) == ["NOT_PROCESSED"] * 4
    assert results[NAME]["nameResult"] == "NOT_PERFORMED"
    assert results[EMAIL] == "MATCH"


def test_an_address_or_number_that_is_none_does_not_match(client: httpx.Client) -> None:
    results = found(client, cardHolderEmailAddress="not an address", cardHolderPhoneNumber="none")
    assert (results[EMAIL], results[PHONE]) == ("NO_MATCH", "NO_MATCH")


def test_an_expired_card_is_compared_all_the_same(client: httpx.Client) -> None:
    answer = idverify(client, AMELIA | {"cardExpiryDate": "2019-01"})
    assert answer.json()[FIELD][EMAIL] == "MATCH"
    assert record(client, answer)["stages"][0]["result"]["reasons"] == ["card_expired"]


# ---- Whose results they are --------------------------------------------------------------------

ROBERT: dict[str, Any] = {
    "cardHolderEmailAddress": "rob.whitfield@example.com",
    "cardHolderPhoneNumber": "+442079460958",
    "cardHolderName": {"firstName": "Robert", "lastName": "Whitfield"},
}


def test_two_holders_of_one_card_are_never_mixed(client: httpx.Client) -> None:
    mixed = found(client, **ROBERT | {"cardHolderEmailAddress": AMELIA["cardHolderEmailAddress"]},
                  cardHolderIds=None)  # fmt: skip
    assert (mixed[EMAIL], mixed[PHONE]) == ("NO_MATCH", "MATCH"), "Robert has two of the three"
    assert decisions(mixed)[0] == "MATCH"
    with_his = found(client, **ROBERT, cardHolderIds={"PASSPORT": "543210987"})
    assert (with_his[EMAIL], with_his[PHONE]) == ("MATCH", "MATCH")
    assert with_his["idVerification"] == {"PASSPORT": "UNKNOWN"}, "it is Amelia's"


@pytest.mark.parametrize(
    ("owner", "email"),
    [
        ("PRIMARY", "NO_MATCH"),
        ("SECONDARY", "MATCH"),
        ("AUTHORISED_USER", "MATCH"),
        ("", "MATCH"),
        (None, "MATCH"),
    ],
)
def test_the_owner_type_says_with_whom_to_compare(
    client: httpx.Client, owner: str | None, email: str
) -> None:
    name = ROBERT["cardHolderName"] | {"ownerType": owner}
    results = found(client, **ROBERT | {"cardHolderName": name}, cardHolderIds=None)
    assert results[EMAIL] == email


def test_a_card_without_such_a_holder_is_as_one_without_a_record(client: httpx.Client) -> None:
    jose = {
        "cardNumber": "4111111111111111",
        "cardExpiryDate": "2035-12",
        "cardHolderEmailAddress": "jose.garcia@example.com",
        "cardHolderName": {"lastName": "García López", "ownerType": "SECONDARY"},
    }
    answer = idverify(client, jose)
    assert answer.json()[FIELD][EMAIL] == "UNKNOWN"
    assert answer.json()[FIELD][NAME]["lastNameAccountMatchDecision"] == "UNKNOWN"
    facts = record(client, answer)["stages"][0]["result"]
    assert (facts["reasons"], facts["holders"], facts["holder"]) == (["no_such_holder"], 1, None)


def test_each_of_a_persons_names_is_theirs(client: httpx.Client) -> None:
    for last in ("O'Connor", "Byrne"):
        name = {"firstName": "Siobhán", "lastName": last}
        results = found(client, cardNumber="4012888888881881", cardHolderName=name)
        assert decisions(results) == ["MATCH", "NOT_PROCESSED", "MATCH", "MATCH"]


# ---- Sources -----------------------------------------------------------------------------------


def test_a_source_of_ones_own_is_asked_instead(
    sqlite_home: Home, source_module: dict[str, str]
) -> None:
    with sqlite_home.server(**source_module) as server:
        with server.client(sandbox_key(sqlite_home)) as client:
            name = {"firstName": "Anna", "lastName": "Nobody"}
            mine = idverify(client, CARD_ONLY | {"cardHolderName": name})
            broken = idverify(client, AMELIA | {"cardNumber": STRANGER})
    assert mine.json()[FIELD][NAME]["nameMatchDecision"] == "MATCH"
    assert broken.json()[FIELD][EMAIL] == "UNKNOWN"
    assert broken.json()["billing"]["items"][0]["completed"] is False
    assert broken.json()["billing"]["amountClosed"] == ZERO


SOURCE = '''
"""An identity source for tests: everybody is Anna Nobody, and one card breaks it."""

from gatehouse.core.errors import ConnectorFailed
from gatehouse.idverify.people import Person, PersonName
from gatehouse.idverify.source import Holders, IdentityEnquiry


class Nobodies:
    async def find(self, enquiry: IdentityEnquiry) -> Holders:
        if enquiry.number.last_four == "5556":
            raise ConnectorFailed("out of order")
        return Holders((Person(names=(PersonName("Nobody", "Anna"),)),))
'''


@pytest.fixture
def source_module(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "play_source.py").write_text(SOURCE)
    path = f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    return {"GATEHOUSE_IDENTITIES": "play_source:Nobodies", "PYTHONPATH": path}


@pytest.mark.parametrize("source", ["nowhere:make", "play_source:Nothing", "people", "json:dumps"])
def test_a_source_that_cannot_be_loaded_stops_the_start(
    sqlite_home: Home, source_module: dict[str, str], source: str
) -> None:
    done = sqlite_home.run("serve", **source_module | {"GATEHOUSE_IDENTITIES": source})
    assert done.code == 5
    assert "GATEHOUSE_IDENTITIES" in done.err
    assert "Traceback" not in done.err


def test_imported_records_come_before_the_sandboxs_people(home: Home, tmp_path: Path) -> None:
    account = home.account("1000")
    people = [
        {
            "cardNumber": CARD,
            "names": [{"firstName": "Grace", "lastName": "Hopper"}],
            "emails": ["grace@example.org"],
            "phones": ["+442079460123"],
            "identifiers": [{"type": "PASSPORT", "value": "G0000007", "country": "US"}],
        },
        {"cardNumber": STRANGER, "emails": ["only.an.address@example.org"]},
    ]
    file = tmp_path / "people.jsonl"
    file.write_text("\n".join(json.dumps(one) for one in people))
    with home.server() as server:
        with server.client(home.key(account)) as client:
            before = found(client)
            home.ok("identities", "import", str(file), "--account", account)
            grace = {
                "cardHolderEmailAddress": "grace@example.org",
                "cardHolderPhoneNumber": "020 7946 0123",
                "cardHolderName": {"firstName": "Grace", "lastName": "Hopper"},
                "cardHolderIds": {"PASSPORT": "G0000007", "TAX": "1"},
            }
            # Which types of identifiers are held at all is known for a moment.
            imported = until(
                lambda: found(client, **grace),
                lambda results: results["idVerification"]["PASSPORT"] != "NOT_SUPPORTED",
            )
            after = found(client)
            stranger = found(client, cardNumber=STRANGER)
        with server.client(sandbox_key(home)) as client:
            others = found(client)
    assert before == others, "another account does not see the records"
    assert (imported[EMAIL], imported[PHONE]) == ("MATCH", "MATCH")
    assert decisions(imported) == ["MATCH", "NOT_PROCESSED", "MATCH", "MATCH"]
    assert imported["idVerification"] == {"PASSPORT": "MATCH", "TAX": "NOT_SUPPORTED"}
    assert (after[EMAIL], after[PHONE]) == ("NO_MATCH", "NO_MATCH")
    assert (stranger[EMAIL], stranger[PHONE]) == ("NO_MATCH", "UNKNOWN")
    assert decisions(stranger) == ["UNKNOWN"] * 4


def test_without_the_sandboxs_people_only_records_count(sqlite_home: Home) -> None:
    with sqlite_home.server(GATEHOUSE_IDENTITIES="records") as server:
        with server.client(sandbox_key(sqlite_home)) as client:
            results = found(client)
    assert (results[EMAIL], results[PHONE]) == ("UNKNOWN", "UNKNOWN")
    assert set(results["idVerification"].values()) == {"NOT_SUPPORTED"}, "no record holds any"


# ---- Refusals ----------------------------------------------------------------------------------


def test_all_field_errors_come_at_once_and_cost_nothing(client: httpx.Client) -> None:
    answer = idverify(
        client,
        {
            "cardNumber": "4242424242424241",
            "cardHolderEmailAddress": "x" * 255,
            "cardHolderPhoneNumber": "",
            "cardHolderName": {"lastName": "\u200b ", "firstName": 5},
            "cardHolderIds": {"SSN": "987-65-4329", "TAX": "1" * 65},
        },
    )
    body = answer.json()
    assert answer.status_code == 200
    assert (body["isSuccess"], body[FIELD]) == (False, None)
    assert body["errors"]["code"] == "invalid_request"
    assert body["errors"]["fieldErrors"] == {
        "cardNumber": ["is not a valid card number: the check digit does not fit"],
        "cardExpiryDate": ["is required"],
        "cardHolderEmailAddress": ["must have at most 254 characters"],
        "cardHolderPhoneNumber": ["must not be empty"],
        "cardHolderName.firstName": ["must be a string"],
        "cardHolderName.lastName": ["must not be blank"],
        "cardHolderIds.SSN": ["is none of DRIVERLICENSE, PASSPORT, NATIONALIDENTITY, TAX"],
        "cardHolderIds.TAX": ["must have at most 64 characters"],
    }
    assert body["billing"]["items"] == []
    assert "987-65-4329" not in answer.text


def test_a_key_needs_the_scope(shared: Server) -> None:
    home = shared.home
    account = home.account()
    for scope, status in (("precheck", 403), ("idverify", 200)):
        with shared.client(home.key(account, "--scope", scope)) as one:
            assert idverify(one).status_code == status
            assert precheck(one).status_code == (403 if status == 200 else 200)


def test_without_enough_money_nothing_runs(home: Home) -> None:
    account = home.account("0.15")
    with home.server() as server, server.client(home.key(account)) as client:
        assert idverify(client).json()["billing"]["remainingBalance"]["amount"] == 0.05
        refused = idverify(client)
        assert refused.status_code == 402
        assert refused.json()["billing"]["remainingBalance"]["amount"] == 0.05
        assert precheck(client).json()["isSuccess"] is True
    assert home.ok("ledger", "verify", "--json").json["problems"] == []


# ---- Once, and never twice ---------------------------------------------------------------------


def test_a_repeat_gets_the_first_answer_again_and_is_free(home: Home) -> None:
    account = home.account("1")
    mine = {"Idempotency-Key": "order-1"}
    with home.server() as server, server.client(home.key(account)) as client:
        first = idverify(client, None, **mine)
        turned = dict(reversed(AMELIA.items()))
        again = idverify(client, turned, **mine)
        other = idverify(client, AMELIA | {"cardHolderPhoneNumber": "+1"}, **mine)
        elsewhere = precheck(client, None, **mine)
        assert again.content == first.content
        assert again.headers["idempotent-replayed"] == "true"
        assert other.status_code == 422
        assert elsewhere.json()["isSuccess"] is True, "a key belongs to its operation"
    assert home.balance(account) == 0.85


def test_a_silent_source_is_unknown_in_time_and_free(sqlite_home: Home) -> None:
    account = sqlite_home.account("1")
    with sqlite_home.server(GATEHOUSE_IDVERIFY_TIMEOUT_MS="200") as server:
        with server.client(sqlite_home.key(account)) as client:
            answer = idverify(client, AMELIA | {"cardNumber": SILENT_CARD})
            kept = record(client, answer)
    results = answer.json()[FIELD]
    assert (results[EMAIL], results[PHONE]) == ("UNKNOWN", "UNKNOWN")
    assert decisions(results) == ["UNKNOWN"] * 4
    assert results[NAME]["nameResult"] == "NOT_PERFORMED"
    assert set(results["idVerification"].values()) == {"UNKNOWN"}
    billing = answer.json()["billing"]
    assert billing["items"] == [{"feeType": "ID_VERIFY", "fee": FEE, "completed": False}]
    assert (billing["amountAuthorized"], billing["amountClosed"]) == (FEE, ZERO)
    assert kept["stages"][0]["completed"] is False
    assert kept["stages"][0]["result"]["reasons"] == ["source_unavailable"]
    assert sqlite_home.balance(account) == 1


# ---- The record --------------------------------------------------------------------------------


def test_the_record_says_why_and_holds_no_value(client: httpx.Client) -> None:
    answer = idverify(client, AMELIA | {"clientReferenceId": "order-77"})
    listed = client.get("/api/v1/decisions", params={"clientReferenceId": "order-77"}).json()
    [kept] = listed["decisionsResponse"]["decisions"]
    alone = record(client, answer)
    assert alone.pop("explanation")["changes"] == []
    assert kept == alone
    assert (kept["operation"], kept["pipelineStages"]) == ("idverify", ["IdVerify"])
    assert kept["card"]["lastFour"] == "4242"
    [stage] = kept["stages"]
    assert (stage["feeType"], stage["fee"], stage["completed"]) == ("ID_VERIFY", FEE, True)
    facts = stage["result"]
    assert {name: facts[name] for name in answer.json()[FIELD]} == answer.json()[FIELD]
    assert facts["why"] == {
        "email": "exact",
        "phone": "exact",
        "firstName": "exact",
        "middleName": "exact",
        "lastName": "exact",
        "name": "exact",
        "DRIVERLICENSE": "exact",
        "PASSPORT": "exact",
        "TAX": "exact",
    }
    assert (facts["holders"], facts["holder"], facts["ownerType"]) == (2, 1, "PRIMARY")
    assert (facts["emailDomain"], facts["phoneCountry"]) == ("example.com", "US")
    assert facts["reasons"] == []
    text = json.dumps(kept, ensure_ascii=False).lower()
    for value in ("amelia", "jane", "whitfield", "5550132", "543210987", "d1234562", "4329"):
        assert value not in text


# ---- Guessing ----------------------------------------------------------------------------------


def test_guessing_identifiers_ends_without_asking(home: Home) -> None:
    guess = AMELIA | {"cardHolderIds": {"PASSPORT": "000000000"}}
    no_ids = {key: value for key, value in AMELIA.items() if key != "cardHolderIds"}
    with home.server(GATEHOUSE_CARD_GUESS_LIMIT="3") as server:
        with server.client(sandbox_key(home)) as client:
            guesses = [idverify(client, guess) for _ in range(4)]
            right = idverify(client)
            without = idverify(client, no_ids).json()[FIELD]
            other = idverify(client, {**AMELIA, "cardNumber": "4111111111111111"}).json()[FIELD]
            code = precheck(client).json()["preCheckResponse"]
            kept = record(client, right)
    told = [answer.json()[FIELD]["idVerification"]["PASSPORT"] for answer in guesses]
    assert told == ["NO_MATCH"] * 3 + ["NOT_PROCESSED"]
    results = right.json()[FIELD]
    assert (results[EMAIL], results[PHONE]) == ("NOT_PROCESSED", "NOT_PROCESSED")
    assert decisions(results) == ["NOT_PROCESSED"] * 4
    assert set(results["idVerification"].values()) == {"NOT_PROCESSED"}
    assert right.json()["billing"]["amountClosed"] == FEE
    assert kept["stages"][0]["result"]["reasons"] == ["too_many_wrong_identifiers"]
    assert without[EMAIL] == "MATCH", "nothing to guess was sent"
    assert other["idVerification"]["PASSPORT"] == "UNKNOWN", "another card"
    assert code["advice"] == "FRAUD", "a card's secrets share one limit"
