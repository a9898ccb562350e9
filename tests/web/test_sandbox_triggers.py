"""Every row of the sandbox's trigger table and every one of its people, on a real server."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from gatehouse.connectors.sandbox.people import SandboxHolder, all_holders
from gatehouse.connectors.sandbox.triggers import Trigger, all_triggers
from gatehouse.idverify.identifiers import has_wrong_checksum
from gatehouse.idverify.people import PersonName
from tests.harness import (
    BODY,
    PURCHASE,
    Home,
    idverify,
    pipeline,
    precheck,
    rules,
    sandbox_key,
    sentry,
)

AMEX = "378282246310005"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    home = Home(tmp_path_factory.mktemp("triggers") / "home")
    quick = {"GATEHOUSE_PRECHECK_TIMEOUT_MS": "150", "GATEHOUSE_GATEWAY_TIMEOUT_MS": "150"}
    with home.server(**quick) as server:
        with server.client(sandbox_key(home)) as one:
            yield one


def _with(field: str, value: str) -> dict[str, Any]:
    if field.startswith("cardAddress."):
        part = field.partition(".")[2]
        return BODY | {"cardAddress": BODY["cardAddress"] | {part: value}}
    card = {"cardNumber": AMEX} if field == "cardCvv2Value" and len(value) == 4 else {}
    return BODY | card | {field: value}


ADDRESSES = [row for row in all_triggers() if row.field == "device.ipAddress"]
RULES_ADDRESSES = [row for row in all_triggers() if row.field == "rulesRequest.customerIp"]
CARDS = [row for row in all_triggers() if row not in (*ADDRESSES, *RULES_ADDRESSES)]
GATEWAY = "gatewayResponse."


@pytest.mark.parametrize("row", ADDRESSES, ids=lambda row: row.value)
def test_every_address_gives_the_reason_the_table_says(client: httpx.Client, row: Trigger) -> None:
    for written in (row.value, f"::ffff:{row.value}", f"{row.value}:443"):
        answer = sentry(client, {"device": {"ipAddress": written}}).json()["sentryResponse"]
        codes = [reason["code"] for reason in answer["reasons"]]
        assert codes[0] == row.gives["reasons"]
        known = {other.gives["reasons"] for other in ADDRESSES}
        assert known & set(codes) == {row.gives["reasons"]}


@pytest.mark.parametrize("row", RULES_ADDRESSES, ids=lambda row: row.value)
def test_every_address_is_for_rules_what_the_table_says(client: httpx.Client, row: Trigger) -> None:
    asked = rules(client, {"customerIp": row.value}).json()["requestId"]
    record = client.get(f"/api/v1/decisions/{asked}").json()["decisionResponse"]
    kinds = {other.gives["signals"] for other in RULES_ADDRESSES} - {"ip.public"}
    true = {name for name in (*kinds, "ip.public") if record["signals"][name]}
    assert true == {row.gives["signals"], "ip.public"}


PAYING = [row for row in CARDS if any(name.startswith(GATEWAY) for name in row.gives)]


@pytest.mark.parametrize("row", PAYING, ids=lambda row: row.value)
def test_every_card_does_at_the_gateway_what_the_table_says(
    client: httpx.Client, row: Trigger
) -> None:
    body = {**PURCHASE, "rulesRequest": {}, "preCheckRequest": BODY | {row.field: row.value}}
    found = pipeline(client, body).json()["pipelineResponse"]["gatewayResponse"]
    assert found["status"] == row.gives[f"{GATEWAY}status"]


def test_a_tor_exit_is_worse_than_a_data_centre_and_that_worse_than_a_home(
    client: httpx.Client,
) -> None:
    scores = [
        sentry(client, {"device": {"ipAddress": row.value}}).json()["sentryResponse"]
        for row in ADDRESSES
    ]
    confidences = [score["requestConfidence"] for score in scores]
    assert confidences == sorted(confidences)
    assert len(set(confidences)) == 3


@pytest.mark.parametrize("row", CARDS, ids=lambda row: f"{row.field}={row.value}")
def test_every_trigger_gives_what_the_table_says(client: httpx.Client, row: Trigger) -> None:
    answer = precheck(client, _with(row.field, row.value)).json()
    found = answer["preCheckResponse"]
    gives = {name: given for name, given in row.gives.items() if not name.startswith(GATEWAY)}
    assert {name: found[name] for name in gives} == gives
    assert answer["billing"]["items"][0]["completed"] is (not row.silent)


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        # A field's own trigger beats the card's.
        ({"cardNumber": "4000000000000010", "postalCode": "30001"}, "RETRY"),
        ({"cardNumber": "4000000000000028", "postalCode": "20000"}, "NO_MATCH"),
        # One part alone gives that part's word.
        ({"street": None}, "POSTCODE_MATCH"),
        ({"postalCode": None}, "STREET_MATCH"),
        ({"street": None, "postalCode": "20000"}, "NO_MATCH"),
        ({"street": None, "postalCode": "30000"}, "UNVERIFIABLE"),
        # Parts combine.
        ({"street": "200 Main", "postalCode": "20000"}, "NO_MATCH"),
        ({"street": "201 Main", "postalCode": "30000"}, "UNVERIFIABLE"),
        ({"street": "200 Main", "postalCode": "30001"}, "RETRY"),
        ({"street": "Main Street 200"}, "POSTCODE_MATCH"),
        # Brands with letters of their own end in the same words.
        ({"cardNumber": "6011111111111117"}, "FULL_MATCH"),
        ({"cardNumber": "6011111111111117", "street": "200 Main"}, "POSTCODE_MATCH"),
        ({"cardNumber": "6011111111111117", "postalCode": "20000"}, "STREET_MATCH"),
        ({"cardNumber": AMEX, "postalCode": "20000"}, "STREET_MATCH"),
    ],
)
def test_address_triggers_combine(
    client: httpx.Client, sent: dict[str, Any], expected: str
) -> None:
    address = BODY["cardAddress"] | {k: v for k, v in sent.items() if k != "cardNumber"}
    number = sent.get("cardNumber", BODY["cardNumber"])
    code = "1234" if number == AMEX else "123"
    body = BODY | {"cardNumber": number, "cardAddress": address, "cardCvv2Value": code}
    assert precheck(client, body).json()["preCheckResponse"]["avsResult"] == expected


def test_the_codes_trigger_beats_the_cards(client: httpx.Client) -> None:
    body = BODY | {"cardNumber": "4000000000000101", "cardCvv2Value": "201"}
    assert precheck(client, body).json()["preCheckResponse"]["cvv2Result"] == "NOT_PROCESSED"


def _asked(holder: SandboxHolder, name: PersonName | None) -> dict[str, Any]:
    """Everything that is on record about a holder, with one of the names."""
    person = holder.person
    named = {} if name is None else {
        "cardHolderName": {
            "firstName": name.first_name,
            "middleName": name.middle_name,
            "lastName": name.last_name,
            "ownerType": person.owner_type.value,
        }
    }  # fmt: skip
    contacts = {
        "cardHolderEmailAddress": next(iter(person.emails), None),
        "cardHolderPhoneNumber": next(iter(person.phones), None),
        "cardHolderIds": {one.type.value: one.value for one in person.identifiers},
    }
    return {"cardNumber": holder.card, "cardExpiryDate": "2035-12", **named, **contacts}


@pytest.mark.parametrize("holder", all_holders(), ids=lambda one: f"{one.card}-{one.about}")
def test_every_person_matches_what_is_on_record(
    client: httpx.Client, holder: SandboxHolder
) -> None:
    for name in holder.person.names or (None,):
        body = _asked(holder, name)
        answer = idverify(client, body).json()
        found = answer["idVerifyResponse"]
        results = {
            "cardHolderEmailAddress": found["cardHolderEmailAddressVerificationResults"],
            "cardHolderPhoneNumber": found["cardHolderPhoneNumberVerificationResults"],
        }
        for field, result in results.items():
            assert result == ("NOT_PROCESSED" if body[field] is None else "MATCH"), field
        assert found["idVerification"] == dict.fromkeys(body["cardHolderIds"], "MATCH")
        if name is not None:
            told = found["cardHolderNameVerificationResult"]
            assert told == {
                "firstNameAccountMatchDecision": "MATCH",
                "middleNameAccountMatchDecision": "MATCH" if name.middle_name else "NOT_PROCESSED",
                "lastNameAccountMatchDecision": "MATCH",
                "nameMatchDecision": "MATCH",
                "nameResult": "PERFORMED",
            }
        assert answer["billing"]["items"][0]["completed"] is True


def test_the_people_show_what_can_be_tried() -> None:
    people = [holder.person for holder in all_holders()]
    assert len({holder.card for holder in all_holders()}) < len(people), "two holders of a card"
    assert any(len(person.names) > 1 for person in people)
    assert any(not person.phones for person in people)
    kinds = {one.type for person in people for one in person.identifiers}
    assert len(kinds) == 4
    held = [one for person in people for one in person.identifiers]
    assert not any(has_wrong_checksum(one.type, one.value, [one]) for one in held)
    letters = "".join(name.last_name or "" for person in people for name in person.names)
    for script in ("Petrova", "П", "王", "ا"):
        assert (script in letters) is (script != "Petrova")
