"""Payments go to one connector, and are reversed at every one that may have heard of them."""

import asyncio
import contextlib

import pytest

from gatehouse.connectors.definition import Route
from gatehouse.connectors.routing.payments import RoutedGateway
from gatehouse.core.errors import ConnectorFailed
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


def reversals(fakes: FakeRoster, name: str) -> list[str | None]:
    return [each.payment.reference for each in fakes[name].reversed]


@in_a_loop
async def test_the_reference_names_everyone_who_may_get_the_payment() -> None:
    _, gateway = await two()
    assert gateway.refer(authorization()) == BOTH


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
    assert gateway.refer(authorization()) == '{"connectors":{"a":null,"b":null}}'


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
async def test_a_payment_in_doubt_is_reversed_where_it_was_sent_alone() -> None:
    fakes, gateway = await two()
    fakes["a"].failure = ConnectorFailed("no answer")
    with pytest.raises(ConnectorFailed):
        await gateway.authorize(authorization(BOTH))
    fakes["a"].failure = None
    await gateway.reverse(reversal(BOTH))
    assert (reversals(fakes, "a"), reversals(fakes, "b")) == (["a:req_1"], [])


@in_a_loop
async def test_a_payment_that_was_given_up_is_reversed_where_it_was_sent() -> None:
    fakes, gateway = await two()
    fakes["a"].failure, fakes["b"].hold = unsent(), asyncio.Event()
    paying = asyncio.create_task(gateway.authorize(authorization(BOTH)))
    await until(lambda: bool(fakes["b"].given))
    paying.cancel()
    await asyncio.gather(paying, return_exceptions=True)
    await gateway.reverse(reversal(BOTH))
    assert (reversals(fakes, "a"), reversals(fakes, "b")) == ([], ["b:req_1"])


@in_a_loop
async def test_a_payment_that_was_sent_to_nobody_does_not_stand() -> None:
    fakes, gateway = await two()
    fakes["a"].failure = fakes["b"].failure = unsent()
    with pytest.raises(ConnectorFailed) as failed:
        await gateway.authorize(authorization(BOTH))
    assert failed.value.sent is False
    await gateway.reverse(reversal(BOTH))


@in_a_loop
async def test_after_a_crash_everyone_who_may_have_it_is_asked() -> None:
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
async def test_a_connector_that_the_stored_reference_does_not_name_gets_no_payment() -> None:
    fakes, gateway = await two()
    await fakes.use(Route(("c", "b")))
    answer = await gateway.authorize(authorization(BOTH))
    assert answer.approval_code == "b"


@in_a_loop
async def test_without_any_connector_nothing_is_paid_or_reversed() -> None:
    gateway = RoutedGateway(FakeRoster().roster)
    assert gateway.refer(authorization()) is None
    with pytest.raises(ConnectorFailed):
        await gateway.authorize(authorization())
    with pytest.raises(ConnectorFailed, match="no route tells"):
        await gateway.reverse(reversal(None, "req_2"))


@in_a_loop
async def test_failed_payments_are_remembered_in_a_bounded_number() -> None:
    fakes, gateway = await two()
    fakes["a"].failure = fakes["b"].failure = unsent()
    for count in range(10_001):
        with pytest.raises(ConnectorFailed):
            await gateway.authorize(authorization(None, f"req_{count}"))
    assert len(gateway._asked) == 10_000


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
