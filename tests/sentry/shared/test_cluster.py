"""A cluster is a store as well: all keys of an account are on one of its servers."""

import asyncio

import msgspec
from redis import Redis

from gatehouse.core.keyring import ENTITIES, KeyRing
from gatehouse.operations.shared_memory import open_shared_memory
from gatehouse.settings import load_settings
from tests.sentry.shared.servers import servers
from tests.sentry.shared.test_same_answers import answers
from tests.sentry.streams import stream
from tests.valkeys import start_cluster

VISITS = 60
ACCOUNTS = 20


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
