"""A shared memory on a cluster of two servers, each with half of the slots."""

import asyncio

from gatehouse.sentry import kinds
from gatehouse.sentry.memory import MemoryEvent
from tests.harness.waiting import PATIENCE_S
from tests.sentry.shared.servers import Servers, servers
from tests.sentry.visits import NOW
from tests.valkeys import ClusterPorts, start_cluster_server


async def join(one: ClusterPorts, other: ClusterPorts) -> None:
    """Let two servers form a cluster."""
    first, second = (Servers(f"valkey://127.0.0.1:{each.port}") for each in (one, other))
    for server, slots in ((first, ("0", "8191")), (second, ("8192", "16383"))):
        server.start()
        await server.ask("CLUSTER", "ADDSLOTSRANGE", *slots)
    await first.ask("CLUSTER", "MEET", "127.0.0.1", *other)
    async with asyncio.timeout(PATIENCE_S):
        for server in (first, second):
            while b"cluster_state:ok" not in await server.ask("CLUSTER", "INFO"):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
            await server.stop()


def test_each_merchant_is_remembered_by_the_server_that_has_its_slot() -> None:
    async def eight_merchants(one: ClusterPorts, other: ClusterPorts) -> None:
        await join(one, other)
        async with servers(f"valkey://127.0.0.1:{one.port}") as them:
            two = them.start(), them.start()
            for number in range(4):
                for merchant in map(str, range(8)):
                    told = MemoryEvent(merchant, NOW + number, [(kinds.USER, "ann")])
                    history = await two[number % 2].record_and_recall(told)
                    assert history.popularity(kinds.USER) == number + 1
            assert False not in them.calls
            # Eight merchants with totals, amounts, a user and no more; some are on the other one.
            assert 0 < await them.ask("DBSIZE") < 16
            await _delete_all(them)

    with start_cluster_server() as one, start_cluster_server() as other:
        asyncio.run(eight_merchants(one, other))


async def _delete_all(them: Servers) -> None:
    """Delete merchants wherever they are, and nothing else."""
    names = [them.keys().account(merchant) for merchant in map(str, range(7))]
    store = them.stores[0]
    assert await store.delete_all(names) > 7
    for each in names:
        assert await store.command("EXISTS", each.common[0], names=each) == 0
    kept = them.keys().account("7")
    assert await store.command("EXISTS", kept.common[0], names=kept) == 1
