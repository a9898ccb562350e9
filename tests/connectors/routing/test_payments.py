"""Payments go to one connector, and are reversed at every one that may have heard of them."""

import asyncio
import contextlib

import msgspec
import pytest

from gatehouse.connectors.definition import Route
from gatehouse.connectors.routing.payments import RoutedGateway
from gatehouse.core.errors import AuthorizationLost, ConnectorFailed, StoreUnavailable
from gatehouse.core.limits.breaker import Breaker
from gatehouse.gateway.port import Authorization
from tests.connectors.fakes import (
    FakeRoster,
    authorization,
    in_a_loop,
    reversal,
    unsent,
    until,
)

ANY = Route(("a", "b"))
BOTH = '{"connectors":{"a":"a:req_1","b":"b:req_1"}}'
ONLY_A = '{"connectors":{"a":"a:req_1"}}'
ONLY_B = '{"connectors":{"b":"b:req_1"}}'


async def two(*, limit: int = 10) -> tuple[FakeRoster, RoutedGateway]:
    fakes = await FakeRoster().use(ANY, limit=limit)
    return fakes, RoutedGateway(fakes.roster)


def fail(fakes: FakeRoster, name: str) -> None:
    """Let the breaker of a connector know of a failure."""
    seat = fakes.roster.seat(name)
    assert seat is not None
    seat.breaker.failed()


def reversals(fakes: FakeRoster, name: str) -> list[str | None]:
    return [each.payment.reference for each in fakes[name].reversed]


class Noted:
    """Stores where a payment goes, as the engine does."""

    def __init__(self, *, failure: Exception | None = None) -> None:
        self.references: list[str] = []
        self._failure = failure

    async def redirect(self, reference: str) -> None:
        if self._failure is not None:
            raise self._failure
        self.references.append(reference)


def noted_authorization(reference: str, noted: Noted, request_id: str = "req_1") -> Authorization:
    given = authorization(reference, request_id)
    return msgspec.structs.replace(given, redirect=noted.redirect)


@in_a_loop
async def test_the_reference_names_the_connector_that_gets_the_payment() -> None:
    fakes, gateway = await two()
    noted = Noted()
    reference = gateway.refer(authorization())
    assert reference == ONLY_A
    await gateway.authorize(noted_authorization(reference, noted))
    assert (len(fakes["a"].given), noted.references) == (1, [])


@in_a_loop
async def test_the_reference_names_the_next_one_when_the_first_takes_no_payments() -> None:
    fakes, gateway = await two()
    for _ in range(3):
        fail(fakes, "a")
    noted = Noted()
    reference = gateway.refer(authorization())
    assert reference == ONLY_B
    await gateway.authorize(noted_authorization(reference, noted))
    assert (fakes["a"].given, noted.references) == ([], [])


@in_a_loop
async def test_the_reference_names_nobody_when_nobody_takes_payments() -> None:
    fakes, gateway = await two()
    for _ in range(3):
        fail(fakes, "a")
        fail(fakes, "b")
    reference = gateway.refer(authorization())
    assert reference == '{"connectors":{}}'
    await gateway.reverse(reversal(reference))
    assert (reversals(fakes, "a"), reversals(fakes, "b")) == ([], [])


@in_a_loop
async def test_one_payment_tries_a_connector_whose_breaker_is_open() -> None:
    fakes, gateway = await two()
    seat = fakes.roster.seat("a")
    assert seat is not None
    now = [0.0]
    seat.breaker = Breaker(lambda: now[0])
    for _ in range(3):
        fail(fakes, "a")
    now[0] = 2.0
    for count in range(100):
        assert gateway.refer(authorization(None, f"req_{count}")) != ONLY_B  # and never paid
    fakes["a"].hold, noted = asyncio.Event(), Noted()
    probe = asyncio.create_task(gateway.authorize(noted_authorization(ONLY_A, noted)))
    await until(lambda: bool(fakes["a"].given))
    assert gateway.refer(authorization()) == ONLY_B
    answer = await gateway.authorize(noted_authorization(ONLY_A, noted))
    assert (answer.approval_code, noted.references) == ("b", [ONLY_B])
    fakes["a"].hold.set()
    await probe
    assert (len(fakes["a"].given), seat.breaker.is_open) == (1, False)


@in_a_loop
async def test_another_connector_is_stored_before_it_gets_the_payment() -> None:
    fakes, gateway = await two()
    fakes["a"].failure = unsent()
    noted = Noted()
    answer = await gateway.authorize(noted_authorization(ONLY_A, noted))
    assert (noted.references, answer.reference) == ([ONLY_B], ONLY_B)


@pytest.mark.parametrize("failure", [StoreUnavailable("away"), AuthorizationLost("ended")])
@in_a_loop
async def test_a_connector_that_cannot_be_stored_gets_no_payment(failure: Exception) -> None:
    fakes, gateway = await two()
    fakes["a"].failure = unsent()
    with pytest.raises(ConnectorFailed) as failed:
        await gateway.authorize(noted_authorization(ONLY_A, Noted(failure=failure)))
    assert (failed.value.sent, fakes["b"].given) == (False, [])


@in_a_loop
async def test_the_answer_says_who_served_the_payment() -> None:
    fakes, gateway = await two()
    answer = await gateway.authorize(authorization(BOTH))
    assert answer.reference == '{"connectors":{"a":"a:req_1"}}'
    assert fakes["a"].given[0].payment.reference == "a:req_1"


@in_a_loop
async def test_a_gateway_without_references_of_its_own_has_none() -> None:
    fakes, gateway = await two()
    fakes["a"].refers = fakes["b"].refers = False
    assert gateway.refer(authorization()) == '{"connectors":{"a":null}}'


@in_a_loop
async def test_a_payment_that_was_not_sent_goes_to_the_next_one() -> None:
    fakes, gateway = await two()
    fakes["a"].failure = unsent()
    answer = await gateway.authorize(authorization(BOTH))
    assert (answer.approval_code, answer.reference) == ("b", ONLY_B)


@in_a_loop
async def test_a_payment_that_was_sent_goes_nowhere_else() -> None:
    fakes, gateway = await two()
    fakes["a"].failure = ConnectorFailed("no answer")
    with pytest.raises(ConnectorFailed, match="no answer"):
        await gateway.authorize(authorization(BOTH))
    assert fakes["b"].given == []


@in_a_loop
async def test_a_payment_that_was_sent_to_nobody_does_not_stand() -> None:
    fakes, gateway = await two()
    fakes["a"].failure = fakes["b"].failure = unsent()
    with pytest.raises(ConnectorFailed) as failed:
        await gateway.authorize(authorization(BOTH))
    assert failed.value.sent is False


@in_a_loop
async def test_a_reference_of_an_earlier_version_names_everyone_who_may_have_it() -> None:
    fakes, gateway = await two()
    await gateway.reverse(reversal(BOTH))
    assert (reversals(fakes, "a"), reversals(fakes, "b")) == (["a:req_1"], ["b:req_1"])


@in_a_loop
async def test_it_stands_until_all_of_them_have_confirmed() -> None:
    fakes, gateway = await two()
    fakes["a"].failure = ConnectorFailed("no answer")
    with pytest.raises(ConnectorFailed, match="no answer"):
        await gateway.reverse(reversal(BOTH))
    assert reversals(fakes, "b") == ["b:req_1"]


@in_a_loop
async def test_reversals_that_are_refused_do_not_keep_payments_away() -> None:
    fakes, gateway = await two()
    fakes["a"].failure = ConnectorFailed("it says no")
    for _ in range(5):
        with pytest.raises(ConnectorFailed):
            await gateway.reverse(reversal(BOTH))
    fakes["a"].failure = None
    assert (await gateway.authorize(authorization(BOTH, "req_2"))).approval_code == "a"


@in_a_loop
async def test_a_payment_is_reversed_where_its_reference_says() -> None:
    fakes, gateway = await two()
    await gateway.reverse(reversal(ONLY_B))
    assert (reversals(fakes, "a"), reversals(fakes, "b")) == ([], ["b:req_1"])


@pytest.mark.parametrize("reference", [None, "written by another gateway", '{"connectors": 1}'])
@in_a_loop
async def test_without_a_name_in_the_reference_everyone_of_the_account_is_asked(
    reference: str | None,
) -> None:
    fakes = FakeRoster()
    await fakes.use(Route(("a",)), Route(("b",), ("AMEX",)), Route(("c",), accounts=("acct_2",)))
    await RoutedGateway(fakes.roster).reverse(reversal(reference))
    assert [reversals(fakes, name) for name in "abc"] == [[reference], [reference], []]


@in_a_loop
async def test_a_connector_that_is_gone_cannot_confirm_anything(
    caplog: pytest.LogCaptureFixture,
) -> None:
    fakes, gateway = await two()
    await fakes.use(Route(("a",)))
    with pytest.raises(ConnectorFailed, match="connector b is not in use"):
        await gateway.reverse(reversal(BOTH))
    assert "a payment cannot be reversed: its connector is not in use" in caplog.text
    assert reversals(fakes, "a") == ["a:req_1"]


@in_a_loop
async def test_without_any_connector_nothing_is_paid_or_reversed() -> None:
    gateway = RoutedGateway(FakeRoster().roster)
    assert gateway.refer(authorization()) == '{"connectors":{}}'
    with pytest.raises(ConnectorFailed):
        await gateway.authorize(authorization())
    with pytest.raises(ConnectorFailed, match="no route tells"):
        await gateway.reverse(reversal(None, "req_2"))


@pytest.mark.parametrize(
    "reversing",
    [None, ConnectorFailed("it waits", sent=False, answered=True), ConnectorFailed("it says no")],
)
@in_a_loop
async def test_reversals_do_not_hide_that_payments_fail(reversing: ConnectorFailed | None) -> None:
    fakes, gateway = await two()
    for count in range(3):
        fakes["a"].failure = ConnectorFailed("it answered 500")
        with pytest.raises(ConnectorFailed):
            await gateway.authorize(authorization(BOTH, f"req_{count}"))
        fakes["a"].failure = reversing
        with contextlib.suppress(ConnectorFailed):
            await gateway.reverse(reversal(ONLY_A, f"req_{count}"))
    state = fakes.roster.states()["a"]
    assert (state.up, state.breaker_open) == (False, True)
    assert (await gateway.authorize(authorization(BOTH, "req_4"))).approval_code == "b"
    waits = reversing is not None and not reversing.sent
    assert (("a", "reverse", "unsent") in fakes.seen) == waits


@in_a_loop
async def test_payments_that_cannot_be_written_down_do_not_keep_others_away() -> None:
    fakes, gateway = await two()
    fakes["a"].failure = ConnectorFailed("no such currency", sent=False, answered=True)
    for count in range(5):
        await gateway.authorize(authorization(BOTH, f"req_{count}"))
    assert fakes.roster.states()["a"].up
