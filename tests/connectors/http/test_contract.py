"""Our own contract over HTTPS: what the connector sends, and what it makes of the answers."""

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from gatehouse.connectors.http.connector import HttpConnector
from gatehouse.connectors.http.options import HttpDefinition, shipped_mappings
from gatehouse.connectors.tls import TlsOptions
from gatehouse.core.cards.numbers import CardNumber
from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.money import Payment
from gatehouse.gateway.hosted_pages import StoredCardCharge, StoredCardId
from gatehouse.gateway.port import ReferringGateway
from gatehouse.idverify.people import IdentifierType
from gatehouse.idverify.response import NameResult, Result
from gatehouse.idverify.source import HolderResults
from tests.connectors.http.asking import (
    HOLDER,
    authorization,
    bare_enquiry,
    connected,
    definition,
    enquiry,
    identity_enquiry,
    reversal,
)
from tests.connectors.http.certificates import Authority
from tests.connectors.http.party import Answer, Party, Reply, serving

T = TypeVar("T")
MAPPING = Path("src/gatehouse/connectors/http/mappings/gatehouse.yaml")
RESULTS = {
    "email": "MATCH",
    "phone": "NO_MATCH",
    "name": {
        "first": "PARTIAL_MATCH",
        "middle": "NOT_PROCESSED",
        "last": "MATCH",
        "whole": "MATCH",
        "result": "PERFORMED",
    },
    "identifiers": {"PASSPORT": "MATCH"},
}


class Ground:
    """A party of the contract and a connector to it, for one piece of work."""

    def __init__(self, context: ssl.SSLContext, authority: Authority, secret: Path) -> None:
        self._context = context
        self._authority = authority
        self._secret = secret
        self._content = MAPPING.read_bytes()

    def ask(self, answer: Answer, work: Callable[[HttpConnector], Awaitable[T]]) -> tuple[T, Party]:
        async def run() -> tuple[T, Party]:
            async with serving(answer, self._context) as party:
                async with connected(self.definition(party.url)) as connector:
                    return await work(connector), party

        return asyncio.run(run())

    def definition(self, url: str) -> HttpDefinition:
        return definition(
            self._content,
            url,
            secrets={"token": f"file:{self._secret}"},
            tls=TlsOptions(ca_file=str(self._authority.ca_file)),
        )


@pytest.fixture(scope="module")
def ground(server_context: ssl.SSLContext, authority: Authority, secret_file: Path) -> Ground:
    return Ground(server_context, authority, secret_file)


def always(json: Any, status: int = 200) -> Answer:
    return lambda _heard: Reply(json, status)


def issuer(connector: HttpConnector) -> Any:
    assert connector.issuer is not None
    return connector.issuer


def gateway(connector: HttpConnector) -> Any:
    assert connector.gateway is not None
    return connector.gateway


def test_the_contract_ships() -> None:
    assert "gatehouse" in shipped_mappings()


@pytest.mark.parametrize(
    ("told", "end"),
    [
        ({}, "SUCCEEDED"),
        ({"amountMinor": 5000, "currency": "eur"}, "SUCCEEDED"),
        ({"amountMinor": 5001, "currency": "EUR"}, "OTHER_AMOUNT"),
        ({"amountMinor": 5000, "currency": "USD"}, "OTHER_AMOUNT"),
    ],
)
def test_a_charge_is_believed_about_its_own_amount_and_currency(
    ground: Ground, told: dict[str, object], end: str
) -> None:
    payment, card = Payment(5000, "EUR"), StoredCardId.of("card_1")
    charge = StoredCardCharge(reference="top_1", account_id="acct_1", payment=payment, card=card)

    async def charged(connector: HttpConnector) -> Any:
        assert connector.pages is not None
        return await connector.pages.charge(charge)

    found, _ = ground.ask(always({"result": "succeeded", "id": "pay_1", **told}), charged)
    assert found.end == end


def test_a_card_is_checked_with_everything_that_was_sent(ground: Ground) -> None:
    found, party = ground.ask(
        always({"responseCode": "00", "avs": "Y", "cvv2": "M"}),
        lambda connector: issuer(connector).check(enquiry()),
    )
    assert (found.response_code, found.avs_letter, found.cvv2_letter) == ("00", "Y", "M")
    assert found.also is None
    [heard] = party.heard
    assert (heard.method, heard.path) == ("POST", "/v1/cards/check")
    assert heard.headers["authorization"] == "Bearer t0ken-of-the-test"
    assert heard.headers["content-type"] == "application/json"
    assert heard.json == {
        "requestId": "req_1",
        "cardNumber": "4242424242424242",
        "expiry": "2030-07",
        "securityCode": "123",
        "address": {"postalCode": "94105", "street": "1 Market Street"},
    }


def test_what_was_not_sent_is_left_out(ground: Ground) -> None:
    found, party = ground.ask(
        always({"responseCode": "05"}), lambda connector: issuer(connector).check(bare_enquiry())
    )
    assert (found.response_code, found.avs_letter, found.cvv2_letter) == ("05", None, None)
    assert party.heard[0].json == {
        "requestId": "req_1",
        "cardNumber": "4242424242424242",
        "expiry": "2030-07",
    }


def test_one_call_answers_for_the_holder_as_well(ground: Ground) -> None:
    found, party = ground.ask(
        always({"responseCode": "00", "holder": RESULTS}),
        lambda connector: issuer(connector).check(enquiry(holder=HOLDER)),
    )
    assert party.heard[0].json["holder"] == {
        "name": {"first": "Ann", "last": "Archer", "ownerType": "PRIMARY"},
        "email": "ann@example.com",
        "phone": "+1 415 555 0132",
        "identifiers": {"PASSPORT": "543210987"},
    }
    results = found.also.find(HolderResults)
    assert (results.email, results.phone) == (Result.MATCH, Result.NO_MATCH)
    assert (results.first_name, results.name) == (Result.PARTIAL_MATCH, Result.MATCH)
    assert results.name_result is NameResult.PERFORMED
    assert results.identifiers == {IdentifierType.PASSPORT: Result.MATCH}


def test_the_holder_of_another_card_is_not_sent(ground: Ground) -> None:
    other = CardNumber.parse("5555555555554444")
    found, party = ground.ask(
        always({"responseCode": "00", "holder": RESULTS}),
        lambda connector: issuer(connector).check(enquiry(other, HOLDER)),
    )
    assert "holder" not in party.heard[0].json
    assert found.also is None


def test_an_answer_without_a_word_about_the_holder_answers_for_the_card_alone(
    ground: Ground,
) -> None:
    found, _ = ground.ask(
        always({"responseCode": "00"}),
        lambda connector: issuer(connector).check(enquiry(holder=HOLDER)),
    )
    assert found.also is None


def test_a_holder_is_verified(ground: Ground) -> None:
    async def find(connector: HttpConnector) -> HolderResults:
        assert connector.identities is not None
        return await connector.identities.find(identity_enquiry())

    results, party = ground.ask(always(RESULTS), find)
    assert party.heard[0].path == "/v1/identities/verify"
    assert party.heard[0].json["cardNumber"] == "4242424242424242"
    assert results.last_name is Result.MATCH
    results, _ = ground.ask(always({"email": "SOMETHING_NEW"}), find)
    assert results.email is Result.UNKNOWN


def test_a_payment_is_authorized_and_its_id_is_kept_for_the_reversal(ground: Ground) -> None:
    def answer(heard: Any) -> Reply:
        if heard.path.endswith("/reversals"):
            return Reply({"reversed": True})
        return Reply(
            {"approved": True, "responseCode": "00", "approvalCode": "123456", "id": "pay_9"}
        )

    async def pay_and_reverse(connector: HttpConnector) -> Any:
        assert isinstance(gateway(connector), ReferringGateway)
        assert gateway(connector).refer(authorization()) is None
        answer = await gateway(connector).authorize(authorization())
        await gateway(connector).reverse(reversal(answer.reference))
        await gateway(connector).reverse(reversal())
        return answer

    found, party = ground.ask(answer, pay_and_reverse)
    assert (found.approved, found.approval_code, found.reference) == (True, "123456", "pay_9")
    paid, reversed_by_id, reversed_alone = (heard.json for heard in party.heard)
    assert (paid["reference"], paid["amountMinor"], paid["currency"]) == ("req_1", 1050, "USD")
    assert (reversed_by_id["id"], reversed_by_id["reference"]) == ("pay_9", "req_1")
    assert reversed_alone == {"reference": "req_1", "amountMinor": 1050, "currency": "USD"}


def test_a_payment_is_declined_with_its_code(ground: Ground) -> None:
    found, _ = ground.ask(
        always({"approved": False, "responseCode": "51"}),
        lambda connector: gateway(connector).authorize(authorization()),
    )
    assert (found.approved, found.response_code, found.reference) == (False, "51", None)


def test_a_reversal_that_is_not_confirmed_fails(ground: Ground) -> None:
    with pytest.raises(ConnectorFailed, match="not confirmed"):
        ground.ask(
            always({"reversed": False}),
            lambda connector: gateway(connector).reverse(reversal()),
        )


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "it answered 400: our mistake"),
        (401, "it answered 401: our mistake"),
        (422, "it answered 422: our mistake"),
        (429, "it answered 429: try later"),
        (503, "it answered 503: try later"),
        (302, "it answered 302: our mistake (it sends us elsewhere, which is not followed)"),
    ],
)
def test_errors_are_classed_by_their_status(ground: Ground, status: int, message: str) -> None:
    with pytest.raises(ConnectorFailed) as caught:
        ground.ask(
            lambda _heard: Reply({"error": "x"}, status, {"Location": "https://example.com/"}),
            lambda connector: issuer(connector).check(enquiry()),
        )
    assert str(caught.value) == f"party: {message}"
    assert caught.value.sent
    # A party that refuses one request still works, and must not be taken for one that is down.
    assert caught.value.answered is (status in (400, 422))


def test_the_party_says_whether_it_is_there(ground: Ground) -> None:
    _, party = ground.ask(lambda _: Reply(body=b"fine"), lambda connector: connector.check_health())
    assert (party.heard[0].method, party.heard[0].path) == ("GET", "/v1/health")
    assert "content-length" not in party.heard[0].headers
