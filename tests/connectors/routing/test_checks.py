"""Checks go to the connector of their route, and to the next one when that cannot answer."""

import asyncio

import pytest

from gatehouse.connectors.definition import Route
from gatehouse.connectors.routing.checks import RoutedIdentities, RoutedIssuer
from gatehouse.core.cards.numbers import CardNumber
from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.money import Payment
from gatehouse.core.stages.case import ValuesByType
from gatehouse.gateway.port import GatewayInput
from gatehouse.idverify.people import Person
from gatehouse.idverify.request import IdVerifyRequest
from gatehouse.idverify.source import HolderResults, Holders, IdentityEnquiry
from tests.connectors.fakes import (
    EXPIRY,
    MASTERCARD,
    VISA,
    FakeRoster,
    enquiry,
    identity_enquiry,
    in_a_loop,
    until,
)

ANY = Route(("a", "b"))


async def served_by(
    fakes: FakeRoster, number: CardNumber = VISA, account_id: str = "acct_1"
) -> str | None:
    issuer = RoutedIssuer(fakes.roster, routes_identities=False)
    answer = await issuer.check(enquiry(number, account_id))
    return answer.avs_letter


@pytest.mark.parametrize(
    ("route", "fits"),
    [
        (Route(("a",)), True),
        (Route(("a",), brands=("VISA", "AMEX")), True),
        (Route(("a",), brands=("AMEX",)), False),
        (Route(("a",), bins=("424242",)), True),
        (Route(("a",), bins=("400000-424241", "42424242-42424242")), True),
        (Route(("a",), bins=("400000-424241", "424243-499999")), False),
        (Route(("a",), countries=("US", "GB")), True),
        (Route(("a",), countries=("US",)), False),
        (Route(("a",), accounts=("acct_1",)), True),
        (Route(("a",), accounts=("acct_2",)), False),
        (Route(("a",), ("VISA",), ("424242",), ("GB",), ("acct_1",)), True),
        (Route(("a",), ("VISA",), ("424242",), ("GB",), ("acct_2",)), False),
    ],
    ids=str,
)
@in_a_loop
async def test_the_first_route_that_fits_decides(route: Route, fits: bool) -> None:
    fakes = await FakeRoster(country="GB").use(route, Route(("b",)))
    assert await served_by(fakes) == ("a" if fits else "b")


@in_a_loop
async def test_without_a_route_nobody_is_asked() -> None:
    fakes = await FakeRoster().use(Route(("a",), brands=("VISA",)))
    with pytest.raises(ConnectorFailed) as failed:
        await served_by(fakes, MASTERCARD)
    assert failed.value.sent is False
    assert fakes["a"].given == []


@in_a_loop
async def test_after_a_failure_the_next_one_is_asked() -> None:
    fakes = await FakeRoster().use(ANY)
    fakes["a"].failure = ConnectorFailed("down")
    assert await served_by(fakes) == "b"
    assert fakes.seen == [("a", "precheck", "failed"), ("b", "precheck", "answered")]


@in_a_loop
async def test_after_a_defect_too_and_its_words_go_nowhere(
    caplog: pytest.LogCaptureFixture,
) -> None:
    fakes = await FakeRoster().use(ANY)
    fakes["a"].failure = KeyError(VISA.reveal())
    assert await served_by(fakes) == "b"
    assert "a connector is defective" in caplog.text
    assert VISA.reveal() not in caplog.text


@in_a_loop
async def test_when_all_fail_the_last_failure_is_told() -> None:
    fakes = await FakeRoster().use(ANY)
    fakes["a"].failure = ConnectorFailed("one")
    fakes["b"].failure = ConnectorFailed("two")
    with pytest.raises(ConnectorFailed, match="two"):
        await served_by(fakes)


@in_a_loop
async def test_beyond_its_limit_the_next_one_is_asked_and_then_nobody_waits() -> None:
    fakes = await FakeRoster().use(ANY, limit=2)
    fakes["a"].hold = fakes["b"].hold = asyncio.Event()
    waiting = [asyncio.create_task(served_by(fakes)) for _ in range(4)]
    await until(lambda: len(fakes["b"].given) == 2)
    with pytest.raises(ConnectorFailed) as failed:
        await served_by(fakes)
    assert failed.value.sent is False
    fakes["a"].hold.set()
    assert await asyncio.gather(*waiting) == ["a", "a", "b", "b"]


@in_a_loop
async def test_a_connector_that_keeps_failing_is_not_asked_for_a_while() -> None:
    fakes = await FakeRoster().use(ANY)
    fakes["a"].failure = ConnectorFailed("down")
    for _ in range(5):
        assert await served_by(fakes) == "b"
    assert len(fakes["a"].given) == 3
    state = fakes.roster.states()["a"]
    assert (state.up, state.breaker_open) == (False, True)


@in_a_loop
async def test_time_outs_count_as_failures() -> None:
    fakes = await FakeRoster().use(ANY)
    fakes["a"].hold = asyncio.Event()
    for _ in range(3):
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(served_by(fakes), 0.001)
    assert await served_by(fakes) == "b"
    assert fakes.seen[0] == ("a", "precheck", "timeout")


@in_a_loop
async def test_a_party_that_refuses_one_request_is_not_down() -> None:
    fakes = await FakeRoster().use(ANY)
    fakes["a"].failure = ConnectorFailed("no such field", answered=True)
    for _ in range(5):
        assert await served_by(fakes) == "b"
    assert len(fakes["a"].given) == 5
    assert fakes.seen[0] == ("a", "precheck", "refused")


async def inputs_seen(idverify_first: str, *, routes_identities: bool) -> set[type]:
    """What connector a is given of other stages when ID Verify asks a connector first."""
    fakes = FakeRoster()
    await fakes.use(Route((idverify_first, "c")))
    issuer = RoutedIssuer(fakes.roster, routes_identities=routes_identities)
    payment = GatewayInput(Payment(1, "USD"), VISA, EXPIRY)
    inputs = ValuesByType.of(IdVerifyRequest(VISA, EXPIRY), payment)
    await issuer.check(enquiry(inputs=inputs))
    return set(fakes[idverify_first].given[0].inputs)


@in_a_loop
async def test_a_connector_may_answer_for_id_verify_when_that_asks_it_first() -> None:
    assert await inputs_seen("a", routes_identities=True) == {IdVerifyRequest, GatewayInput}


@in_a_loop
async def test_otherwise_it_is_not_told_who_is_claimed_to_hold_the_card() -> None:
    assert await inputs_seen("a", routes_identities=False) == {GatewayInput}


@in_a_loop
async def test_a_fallback_does_not_answer_for_id_verify() -> None:
    fakes = await FakeRoster().use(ANY)
    fakes["a"].failure = ConnectorFailed("down")
    inputs = ValuesByType.of(IdVerifyRequest(VISA, EXPIRY))
    await RoutedIssuer(fakes.roster, routes_identities=True).check(enquiry(inputs=inputs))
    assert set(fakes["a"].given[0].inputs) == {IdVerifyRequest}
    assert set(fakes["b"].given[0].inputs) == set()


class Records:
    """Imported records: they know one card, or none."""

    def __init__(self, *people: Person) -> None:
        self.holders = Holders(people)
        self.failure: Exception | None = None

    async def find(self, _enquiry: IdentityEnquiry) -> Holders:
        if self.failure is not None:
            raise self.failure
        return self.holders


RECORDS_FIRST = Route(("records", "a"))


@in_a_loop
async def test_records_answer_for_the_cards_they_know() -> None:
    records = Records(Person())
    fakes = await FakeRoster(records=records).use(RECORDS_FIRST)
    assert await RoutedIdentities(fakes.roster).find(identity_enquiry()) is records.holders
    assert fakes["a"].given == []


@in_a_loop
async def test_a_card_that_is_not_on_record_is_asked_about_elsewhere() -> None:
    fakes = await FakeRoster(records=Records()).use(RECORDS_FIRST)
    assert await RoutedIdentities(fakes.roster).find(identity_enquiry()) == HolderResults()
    assert len(fakes["a"].given) == 1


@in_a_loop
async def test_records_that_come_last_say_that_they_do_not_know_a_card() -> None:
    fakes = await FakeRoster(records=Records()).use(Route(("records",)))
    assert await RoutedIdentities(fakes.roster).find(identity_enquiry()) == Holders()


@in_a_loop
async def test_a_source_that_failed_is_not_hidden_by_records_that_know_nothing() -> None:
    fakes = await FakeRoster(records=Records()).use(RECORDS_FIRST)
    fakes["a"].failure = ConnectorFailed("down")
    with pytest.raises(ConnectorFailed, match="down"):
        await RoutedIdentities(fakes.roster).find(identity_enquiry())


@in_a_loop
async def test_a_source_that_was_not_asked_is_not_hidden_either() -> None:
    fakes = await FakeRoster(records=Records()).use(RECORDS_FIRST)
    fakes["a"].failure = ConnectorFailed("down")
    for _ in range(4):
        with pytest.raises(ConnectorFailed):
            await RoutedIdentities(fakes.roster).find(identity_enquiry())
    assert len(fakes["a"].given) == 3


@in_a_loop
async def test_another_source_answers_when_the_first_one_fails() -> None:
    fakes = await FakeRoster().use(ANY)
    fakes["a"].failure = ConnectorFailed("down")
    fakes["b"].people = Holders((Person(),))
    assert await RoutedIdentities(fakes.roster).find(identity_enquiry()) == fakes["b"].people
