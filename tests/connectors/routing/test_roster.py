"""The connectors in use change while requests go on."""

import asyncio
import logging

import pytest

from gatehouse.connectors.definition import Configuration, Route
from gatehouse.connectors.part_reader import Definition
from gatehouse.connectors.routing.checks import RoutedIssuer
from gatehouse.connectors.routing.roster import make_connector
from gatehouse.connectors.sandbox.connector import SandboxDefinition
from gatehouse.core.cards.numbers import CardNumber
from gatehouse.core.errors import ConnectorFailed
from tests.connectors.fakes import FakeDefinition, FakeRoster, enquiry, in_a_loop, until

ANY = Route(("a", "b"))


@in_a_loop
async def test_a_connector_that_did_not_change_is_kept() -> None:
    fakes = await FakeRoster().use(ANY)
    kept = fakes["a"]
    await fakes.use(Route(("a", "c")))
    assert fakes["a"] is kept
    await until(lambda: fakes["b"].stopped)
    assert not kept.stopped


@in_a_loop
async def test_one_that_changed_ends_what_it_has_in_flight_first() -> None:
    fakes = await FakeRoster().use(ANY)
    before = fakes["a"]
    before.hold = asyncio.Event()
    issuer = RoutedIssuer(fakes.roster, routes_identities=False)
    asking = asyncio.create_task(issuer.check(enquiry()))
    await until(lambda: bool(before.given))
    await fakes.use(ANY, version=2)
    assert fakes["a"] is not before
    assert (await issuer.check(enquiry())).avs_letter == "a"
    assert len(fakes["a"].given) == 1
    before.hold.set()
    assert (await asking).avs_letter == "a"
    await until(lambda: before.stopped)


@in_a_loop
async def test_a_fallback_after_a_change_goes_to_the_new_connector() -> None:
    fakes = await FakeRoster().use(ANY)
    old_a, old_b = fakes["a"], fakes["b"]
    old_a.hold, old_a.failure = asyncio.Event(), ConnectorFailed("down")
    issuer = RoutedIssuer(fakes.roster, routes_identities=False)
    asking = asyncio.create_task(issuer.check(enquiry()))
    await until(lambda: bool(old_a.given))
    await fakes.use(ANY, version=2)
    old_a.hold.set()
    await asking
    assert old_b.given == []
    assert len(fakes["b"].given) == 1


@in_a_loop
async def test_one_without_its_secrets_is_down_and_the_others_serve() -> None:
    fakes = await FakeRoster().use(Route(("keyless", "b")))
    issuer = RoutedIssuer(fakes.roster, routes_identities=False)
    assert (await issuer.check(enquiry())).avs_letter == "b"
    state = fakes.roster.states()["keyless"]
    assert (state.up, state.problem) == (False, "env:KEY is empty or not set")


@in_a_loop
async def test_it_serves_once_its_secrets_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    fakes = await FakeRoster().use(Route(("keyless", "b")))
    kept = fakes["b"]

    async def starts(_self: object) -> None:
        pass

    monkeypatch.setattr(type(kept), "start", starts)
    await fakes.roster.retry()
    assert fakes.roster.states()["keyless"].up
    assert fakes["b"] is kept


@in_a_loop
async def test_trying_again_never_brings_an_earlier_configuration_back() -> None:
    fakes = await FakeRoster().use(Route(("keyless", "b")))
    changing = asyncio.create_task(fakes.use(Route(("c",))))
    await asyncio.gather(changing, fakes.roster.retry())
    assert list(fakes.roster.states()) == ["c"]


@in_a_loop
async def test_down_and_up_again_are_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    fakes = await FakeRoster().use(Route(("a",)))
    seat = fakes.roster.seat("a")
    assert seat is not None
    for _ in range(3):
        seat.breaker.failed()
    assert [fakes.roster.log_changes() for _ in range(3)] == [True, False, False]
    seat.breaker.succeeded()
    assert [fakes.roster.log_changes() for _ in range(2)] == [True, False]
    said = [record.message for record in caplog.records]
    assert said == ["a connector is down", "a connector serves again"]


@in_a_loop
async def test_one_that_has_just_begun_is_not_called_down(
    caplog: pytest.LogCaptureFixture,
) -> None:
    fakes = await FakeRoster().use(Route(("a",)))
    seat = fakes.roster.seat("a")
    assert seat is not None
    for _ in range(3):
        seat.breaker.failed()
    fakes.roster.log_changes()
    seat.breaker.succeeded()
    fakes.roster.log_changes()
    assert caplog.records == []


@in_a_loop
async def test_stopping_ends_every_connector() -> None:
    fakes = await FakeRoster().use(ANY)
    await fakes.roster.stop()
    assert fakes["a"].stopped
    assert fakes["b"].stopped
    assert fakes.roster.states() == {}


@in_a_loop
async def test_equal_definitions_of_other_names_are_other_connectors() -> None:
    fakes = FakeRoster()
    both: dict[str, Definition] = {"a": FakeDefinition(), "b": FakeDefinition()}
    await fakes.roster.adopt(Configuration(both, {}))
    assert fakes["a"] is not fakes["b"]


@in_a_loop
async def test_a_connector_of_the_sandbox_gives_silent_cards_up() -> None:
    connector = make_connector("a", SandboxDefinition(timeout_ms=50))
    assert connector.issuer is not None
    assert (await connector.issuer.check(enquiry())).response_code == "00"
    silent = CardNumber.parse("4000000000000127")
    with pytest.raises(ConnectorFailed, match="in time"):
        await connector.issuer.check(enquiry(silent))
    assert connector.state().in_flight == 0
