"""PreCheck and ID Verify over ISO 8583: what is asked, and what is made of the answer."""

import msgspec
import pytest

from gatehouse.connectors.iso8583.connector import Iso8583Connector
from gatehouse.connectors.iso8583.dialect import Dialect
from gatehouse.connectors.iso8583.link.pool_options import Host, PoolOptions
from gatehouse.connectors.iso8583.payments import PaymentCodes
from gatehouse.connectors.iso8583.reading import shipped_dialect
from gatehouse.connectors.iso8583.roles import MessageKind, Role
from gatehouse.core.cards.numbers import CardNumber, ExpiryDate, SecurityCode
from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.stages.case import ValuesByType
from gatehouse.idverify.people import ALL_IDENTIFIER_TYPES
from gatehouse.idverify.request import CardHolderName, IdVerifyRequest
from gatehouse.idverify.response import NameResult, Result
from gatehouse.idverify.source import HolderResults, IdentityEnquiry
from gatehouse.precheck.issuer import CardEnquiry, IssuerAnswer
from tests.connectors.iso8583.playhost import PlayHost, with_host

NUMBER = CardNumber.parse("4242424242424242")
EXPIRY = ExpiryDate.parse("2031-07")
NAME = CardHolderName("Amelia", "Jane", "Whitfield")
NAME_RESULTS = {
    "name_result": "00",
    "name_match": "50",
    "first_name_match": "01",
    "middle_name_match": "99",
    "last_name_match": "01",
}
COMPARED = HolderResults(
    email=Result.NOT_SUPPORTED,
    phone=Result.NOT_SUPPORTED,
    first_name=Result.MATCH,
    middle_name=Result.NO_MATCH,
    last_name=Result.MATCH,
    name=Result.PARTIAL_MATCH,
    name_result=NameResult.PERFORMED,
    identifiers=dict.fromkeys(ALL_IDENTIFIER_TYPES, Result.NOT_SUPPORTED),
)


def claim(number: CardNumber = NUMBER, name: CardHolderName = NAME) -> IdVerifyRequest:
    return IdVerifyRequest(number, EXPIRY, card_holder_name=name)


def identity(request: IdVerifyRequest) -> IdentityEnquiry:
    return IdentityEnquiry("req_1", "acct_1", request.card_number, "inner", request)


def enquiry(**fields: object) -> CardEnquiry:
    values: dict[str, object] = {
        "request_id": "req_1",
        "number": NUMBER,
        "expiry": EXPIRY,
        "security_code": None,
        "postal_code": None,
        "street": None,
    }
    return CardEnquiry(**(values | fields))  # type: ignore[arg-type]  # of several types


def test_a_check_asks_for_nothing_and_says_all_that_was_sent() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        assert connector.issuer is not None
        host.behave = lambda side, asked: side.answer(asked, avs_result="Y", cvv2_result="M")
        answer = await connector.issuer.check(
            enquiry(security_code=SecurityCode.parse("123"), postal_code="94105", street="1 Main")
        )
        assert answer == IssuerAnswer("00", "Y", "M")
        [asked] = host.asked
        assert asked.kind is MessageKind.CHECK
        values = asked.values
        assert values[Role.NUMBER] == "4242424242424242"
        assert values[Role.EXPIRY] == "3107"
        assert int(values[Role.AMOUNT]) == 0
        assert values[Role.SECURITY_CODE] == "123"
        assert values[Role.POSTAL_CODE] == "94105"
        assert values[Role.STREET] == "1 Main"
        assert values[Role.TRANSMITTED_AT] == "1114221320"
        assert len(values[Role.STAN]) == 6
        assert len(values[Role.RRN]) == 12

    with_host(play)


def test_a_name_is_asked_about_in_the_same_message_when_id_verify_will_want_it() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        assert connector.issuer is not None
        host.behave = lambda side, asked: side.answer(asked, **NAME_RESULTS)
        answer = await connector.issuer.check(enquiry(inputs=ValuesByType.of(claim())))
        assert answer.also is not None
        assert answer.also.find(HolderResults) == COMPARED
        assert host.asked[0].values[Role.HOLDER_NAME] == "Amelia Jane Whitfield"
        assert host.asked[0].values[Role.MIDDLE_NAME] == "Jane"

    with_host(play)


def test_a_name_that_belongs_to_another_card_is_not_sent() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        assert connector.issuer is not None
        other = claim(number=CardNumber.parse("5555555555554444"))
        answer = await connector.issuer.check(enquiry(inputs=ValuesByType.of(other)))
        assert answer.also is None
        assert Role.HOLDER_NAME not in host.asked[0].values

    with_host(play)


def test_an_issuer_that_says_nothing_of_the_name_leaves_it_to_id_verify() -> None:
    async def play(_host: PlayHost, connector: Iso8583Connector) -> None:
        assert connector.issuer is not None
        answer = await connector.issuer.check(enquiry(inputs=ValuesByType.of(claim())))
        assert answer == IssuerAnswer("00")

    with_host(play)


def test_id_verify_compares_the_name_alone() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        assert connector.identities is not None
        host.behave = lambda side, asked: side.answer(asked, **NAME_RESULTS)
        assert await connector.identities.find(identity(claim())) == COMPARED
        assert int(host.asked[0].values[Role.AMOUNT]) == 0

    with_host(play)


def test_without_a_last_name_nobody_is_asked() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        assert connector.identities is not None
        found = await connector.identities.find(identity(claim(name=CardHolderName("Amelia"))))
        assert found.email is Result.NOT_SUPPORTED
        assert found.name_result is None
        assert host.asked == []

    with_host(play)


def test_an_issuer_that_could_not_be_asked_is_no_answer_about_a_name() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        async def host_works(code: str) -> bool:
            host.behave = lambda side, asked: side.answer(asked, response_code=code)
            assert connector.identities is not None
            with pytest.raises(ConnectorFailed) as failed:
                await connector.identities.find(identity(claim()))
            return failed.value.answered

        assert await host_works("91")
        assert not await host_works("96")

    with_host(play)


def test_a_value_that_does_not_fit_is_refused_before_anything_is_sent() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        assert connector.issuer is not None
        with pytest.raises(ConnectorFailed, match="cannot be made") as failed:
            await connector.issuer.check(enquiry(expiry=ExpiryDate(20311, 7777)))
        assert not failed.value.sent
        assert "4242" not in str(failed.value)
        assert host.asked == []

    with_host(play)


def test_a_dialect_without_names_offers_no_identities() -> None:
    definition = shipped_dialect("reference")
    entries = definition.fields["48"].tags
    assert entries is not None
    kept = {tag: each for tag, each in entries.entries.items() if tag not in ("03", "06")}
    tags = msgspec.structs.replace(entries, entries=kept)
    field = msgspec.structs.replace(definition.fields["48"], tags=tags)
    plain = msgspec.structs.replace(definition, fields=definition.fields | {"48": field})
    options = PoolOptions(hosts=[Host("127.0.0.1", 1)])
    connector = Iso8583Connector(Dialect(plain), options, PaymentCodes(), lambda: 0)
    assert connector.issuer is not None
    assert connector.identities is None
