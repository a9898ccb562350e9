"""A cluster is a store as well: all keys of an account are on one of its servers."""

import asyncio
from collections.abc import Iterable

import msgspec
import pytest
from redis import Redis
from redis.crc import key_slot

from gatehouse.connectors.valkey.address import StoreAddress
from gatehouse.connectors.valkey.client import DISCONNECTED, Command, connect
from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.secrets.keyring import ENTITIES, KeyRing
from gatehouse.operations.shared_memory import open_shared_memory
from gatehouse.sentry.shared.memory_shared import SharedMemory
from gatehouse.settings.settings import load_settings
from tests.harness import until
from tests.sentry.shared.servers import Servers, servers
from tests.sentry.shared.test_memory_shared import event, run
from tests.sentry.shared.test_same_answers import answers
from tests.sentry.streams import stream
from tests.sentry.visits import NOW
from tests.valkeys import start_cluster

VISITS = 60
ACCOUNTS = 20
SECOND_HALF = (8192, 16383)


async def count_on_a_cluster(url: str) -> None:
    async with servers(url) as installed:
        one, other = installed.start(), installed.start()
        for number, step in enumerate(stream(VISITS)):
            if step.view is not None:
                account = f"shop-{number % ACCOUNTS}"
                event = msgspec.structs.replace(step.event, account_id=account)
                found = answers(step.view, await one.record_and_recall(event))
                # The same request again: it is recalled and not counted again.
                assert answers(step.view, await other.record_and_recall(event)) == found
        assert all(installed.calls)
        kept = [name async for some in installed.stores[0].keys(10) for name in some]
        assert len({name.partition(b"}")[0] for name in kept}) == ACCOUNTS
    memory = open_shared_memory(
        load_settings({"GATEHOUSE_MEMORY_URL": url}),
        KeyRing({(ENTITIES, 1): b"k" * 32}),
        timeout_ms=60_000,
    )
    assert (await memory.facts()).is_cluster
    assert await memory.lock("one")
    assert not await memory.lock("two")
    await memory.unlock("one")
    await memory.store.close()


def accounts_on(url: str) -> set[bytes]:
    with Redis.from_url(url) as server:
        return {name.partition(b"}")[0] for name in server.scan_iter(count=1000)}


def test_accounts_are_spread_over_the_servers_of_a_cluster() -> None:
    with start_cluster() as urls:
        asyncio.run(count_on_a_cluster(urls[0]))
        first, second = map(accounts_on, urls)
    assert len(first | second) == ACCOUNTS
    assert first
    assert second
    assert not first & second, "an account is on both servers"


def tell(url: str, *words: str | int) -> bytes:
    with Redis.from_url(url) as server:
        return bytes(server.execute_command(*words, NEVER_DECODE=True) or b"")


async def count_of_all_accounts(memory: SharedMemory, at_s: float) -> None:
    """Tell an event of every account in one call."""
    told = [event(at_s, merchant=f"shop-{number}") for number in range(ACCOUNTS)]
    found = await asyncio.gather(*map(memory.record_and_recall, told))
    assert all(each.counted for each in found)


def test_connections_to_a_cluster_that_were_closed_are_made_again() -> None:
    with start_cluster() as urls:

        async def close_connections(them: Servers) -> None:
            memory = them.start()
            await count_of_all_accounts(memory, NOW)
            for number, url in enumerate(urls):
                tell(url, "CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
                await count_of_all_accounts(memory, NOW + 1 + number)
            assert False not in them.calls

        run(urls[0], close_connections)


def connections(url: str) -> int:
    """How many a server has."""
    return tell(url, "CLIENT", "LIST", "TYPE", "normal").count(b"\n")


def test_a_client_of_a_cluster_that_has_failed_leaves_no_connection_open() -> None:
    with start_cluster() as urls:

        async def fail_and_close() -> None:
            before = connections(urls[0])
            client = await connect(StoreAddress.parse(urls[0]))
            commands: list[Command] = [("SET", f"key-{number}", 1) for number in range(ACCOUNTS)]
            await client.ask(commands)
            tell(urls[1], "CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
            with pytest.raises(DISCONNECTED):
                await client.ask(commands)
            assert connections(urls[0]) > before
            await client.close()
            await asyncio.to_thread(until, lambda: connections(urls[0]) == before)

        asyncio.run(fail_and_close())


def move(slots: Iterable[int], source: str, target: str) -> None:
    """Let another server of a cluster have slots that are empty."""
    old, new = (tell(url, "CLUSTER", "MYID").decode() for url in (source, target))
    for slot in slots:
        tell(target, "CLUSTER", "SETSLOT", slot, "IMPORTING", old)
        tell(target, "CLUSTER", "SETSLOT", slot, "NODE", new)
        tell(source, "CLUSTER", "SETSLOT", slot, "NODE", new)


def test_accounts_whose_slots_move_to_another_server_are_found_there() -> None:
    with start_cluster() as urls:

        async def move_slots(them: Servers) -> None:
            memory = them.start()
            keys = [them.keys().account(f"shop-{number}").entity for number in range(ACCOUNTS)]
            slots = set(map(key_slot, keys))
            move({slot for slot in slots if slot >= SECOND_HALF[0]}, urls[1], urls[0])
            for number in range(4):
                # The client learns where all of them are, and then they are moved.
                await count_of_all_accounts(memory, NOW + number)
                source, target = urls[number % 2], urls[1 - number % 2]
                tell(source, "FLUSHALL")
                move(slots, source, target)
            await count_of_all_accounts(memory, NOW + 4)
            assert False not in them.calls

        run(urls[0], move_slots)


def test_a_cluster_that_could_not_be_read_is_asked_again_when_it_can() -> None:
    with start_cluster() as urls:

        async def lose_half(them: Servers) -> None:
            memory = them.start()
            await count_of_all_accounts(memory, NOW)
            # Their owner first, or it would tell the other server that it still has them.
            for url in reversed(urls):
                tell(url, "CLUSTER", "DELSLOTSRANGE", *SECOND_HALF)
                tell(url, "CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
            with pytest.raises(ConnectorFailed):
                await count_of_all_accounts(memory, NOW + 1)
            with pytest.raises(ConnectorFailed, match="RedisClusterException"):
                assert [names async for names in them.stores[0].keys(10)]
            tell(urls[1], "CLUSTER", "ADDSLOTSRANGE", *SECOND_HALF)
            await asyncio.to_thread(until, lambda: are_ready(urls))
            await count_of_all_accounts(memory, NOW + 2)

        run(urls[0], lose_half)


def are_ready(urls: list[str]) -> bool:
    return all(b"cluster_state:ok" in tell(url, "CLUSTER", "INFO") for url in urls)
