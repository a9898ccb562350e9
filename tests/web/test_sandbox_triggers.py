"""Every row of the sandbox's trigger table, tried on a real server."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from gatehouse.connectors.sandbox.triggers import Trigger, all_triggers
from tests.harness import BODY, Home, precheck, sandbox_key

AMEX = "378282246310005"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    home = Home(tmp_path_factory.mktemp("triggers") / "home")
    with home.server(GATEHOUSE_PRECHECK_TIMEOUT_MS="150") as server:
        with server.client(sandbox_key(home)) as one:
            yield one


def _with(field: str, value: str) -> dict[str, Any]:
    if field.startswith("cardAddress."):
        part = field.partition(".")[2]
        return BODY | {"cardAddress": BODY["cardAddress"] | {part: value}}
    card = {"cardNumber": AMEX} if field == "cardCvv2Value" and len(value) == 4 else {}
    return BODY | card | {field: value}


@pytest.mark.parametrize("row", all_triggers(), ids=lambda row: f"{row.field}={row.value}")
def test_every_trigger_gives_what_the_table_says(client: httpx.Client, row: Trigger) -> None:
    answer = precheck(client, _with(row.field, row.value)).json()
    found = answer["preCheckResponse"]
    assert {name: found[name] for name in row.gives} == row.gives
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
