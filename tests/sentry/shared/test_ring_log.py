"""How servers tell each other of links: at once to those that start, and never twice counted."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from gatehouse.core.errors import ConnectorFailed
from gatehouse.sentry import kinds
from gatehouse.sentry.memory.memory import Entity, MemoryEvent
from gatehouse.sentry.memory.rings import PERIOD_S, Ring
from gatehouse.sentry.shared.memory_shared import SharedMemory
from tests.sentry.shared.servers import Servers, servers
from tests.sentry.visits import NOW

ANN: Entity = (kinds.USER, "ann")
BOB: Entity = (kinds.USER, "bob")
EVE: Entity = (kinds.USER, "eve")
DEVICE: Entity = (kinds.DEVICE_ID, "d-1")
OTHER: Entity = (kinds.DEVICE_ID, "d-2")


def event(*entities: Entity, at_s: float = NOW) -> MemoryEvent:
    return MemoryEvent("shop", at_s, entities, request_id=f"req_{entities}_{at_s}")


async def ring(memory: SharedMemory, *entities: Entity, at_s: float = NOW) -> Ring | None:
    return (await memory.record_and_recall(event(*entities, at_s=at_s))).ring


def run(url: str, scenario: Callable[[Servers], Awaitable[None]]) -> None:
    async def started() -> None:
        async with servers(url) as many:
            await scenario(many)

    asyncio.run(started())


def test_a_server_knows_what_another_has_linked(valkey: str) -> None:
    async def scenario(many: Servers) -> None:
        one, other = many.start(), many.start()
        await ring(one, ANN, DEVICE)
        await one.follow_rings()
        # It has not served the account before, and hears of it afterwards.
        assert await ring(other, EVE, OTHER) is None
        await other.follow_rings()
        found = await ring(other, BOB, DEVICE)
        assert found is not None
        await other.follow_rings()
        await one.follow_rings(all_served=True)
        back = await ring(one, ANN, DEVICE)
        assert back is not None
        assert back.id == found.id

    run(valkey, scenario)


def test_a_server_that_starts_reads_two_periods(valkey: str) -> None:
    async def scenario(many: Servers) -> None:
        one = many.start()
        await ring(one, ANN, DEVICE)
        await one.follow_rings()
        many.now_s = NOW + PERIOD_S
        await ring(one, BOB, OTHER, at_s=many.now_s)
        await one.follow_rings()
        other = many.start()
        await ring(other, EVE, (kinds.CARD, "x"), at_s=many.now_s)
        await other.follow_rings()
        assert await ring(other, EVE, DEVICE, at_s=many.now_s) is not None

    run(valkey, scenario)


def test_what_comes_back_is_no_news(valkey: str) -> None:
    async def scenario(many: Servers) -> None:
        one = many.start()
        for at in range(20):
            await ring(one, ANN, DEVICE, at_s=NOW + at)
            await one.follow_rings()
        name = b"%brings:%d" % (many.keys().account("shop").other, NOW // PERIOD_S)
        # One entry: what it is, when it was, and two keys.
        assert await many.ask("STRLEN", name) == 1 + 8 + 2 * 8
        assert await many.ask("TTL", name) > 2 * PERIOD_S

    run(valkey, scenario)


def test_an_erased_person_is_out_of_the_ring_in_every_server(valkey: str) -> None:
    async def scenario(many: Servers) -> None:
        one = many.start()
        await ring(one, ANN, DEVICE)
        assert await ring(one, BOB, DEVICE) is not None
        one.forget(event(ANN, DEVICE), counted=True, declined=False)
        await one.flush()
        assert await ring(one, BOB, DEVICE, at_s=NOW + 1) is None
        other = many.start()
        await ring(other, EVE, OTHER)
        await other.follow_rings()
        assert await ring(other, BOB, DEVICE, at_s=NOW + 2) is None

    run(valkey, scenario)


def test_what_cannot_be_told_is_told_later(valkey: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(many: Servers) -> None:
        one, other = many.start(), many.start()
        await ring(other, EVE, OTHER)
        await ring(one, ANN, DEVICE)

        async def away(*_: object) -> None:
            raise ConnectorFailed("away")

        with monkeypatch.context() as broken:
            broken.setattr(many.stores[0], "command", away)
            with pytest.raises(ConnectorFailed):
                await one.follow_rings()
        await one.follow_rings()
        await other.follow_rings()
        assert await ring(other, BOB, DEVICE) is not None

    run(valkey, scenario)


def test_bytes_that_are_no_entries_harm_nobody(valkey: str) -> None:
    async def scenario(many: Servers) -> None:
        one = many.start()
        await ring(one, ANN, DEVICE)
        await one.follow_rings()
        name = b"%brings:%d" % (many.keys().account("shop").other, NOW // PERIOD_S)
        await many.ask("APPEND", name, b"\xff" * 40)
        other = many.start()
        await ring(other, EVE, OTHER)
        await other.follow_rings()
        assert await ring(other, BOB, DEVICE) is not None

    run(valkey, scenario)
