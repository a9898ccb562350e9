"""After a failover the old primary may still hold connections open: servers leave it."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from redis import Redis

from gatehouse.access.limits import SharedRateLimiter
from gatehouse.connectors.valkey.address import StoreAddress
from gatehouse.connectors.valkey.store import ValkeyStore
from gatehouse.core.errors import ConnectorFailed
from gatehouse.operations.shared_limits import SharedLimits
from gatehouse.sentry import kinds
from gatehouse.sentry.shared.keys import StableKeys
from tests.harness.server import free_port
from tests.sentry.shared.servers import PATIENCE_S, Servers
from tests.sentry.shared.test_memory_shared import event, run, seen
from tests.sentry.visits import NOW
from tests.valkeys import start_valkey

REPLICA = ("REPLICAOF", "127.0.0.1", str(free_port()))
DEMOTIONS = {
    "it is a replica": (REPLICA,),
    "it is a replica that answers nothing": (
        ("CONFIG", "SET", "replica-serve-stale-data", "no"),
        REPLICA,
    ),
    "no replica follows it": (("CONFIG", "SET", "min-replicas-to-write", "1"),),
}


class Pair:
    """Two servers, and an address that leads to one of them."""

    def __init__(self, old: str, new: str, address: Path) -> None:
        self.old = old
        self._new = new
        self._address = address
        self.url = f"unix://{address}"
        self._lead_to(old)

    def demote(self, commands: tuple[tuple[str, ...], ...]) -> None:
        """Let the old primary refuse what it is told; connections to it stay open."""
        with Redis.from_url(self.old) as server:
            for command in commands:
                server.execute_command(*command)

    def promote(self) -> None:
        """Let the address lead to the other server."""
        self._lead_to(self._new)

    def _lead_to(self, url: str) -> None:
        self._address.unlink(missing_ok=True)
        self._address.symlink_to(url.removeprefix("unix://"))


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    with ExitStack() as stack:
        old, new = (stack.enter_context(start_valkey()) for _ in range(2))
        yield Pair(old, new, tmp_path / "primary")


@pytest.mark.parametrize("demotion", DEMOTIONS)
def test_a_server_finds_the_new_primary_while_the_old_one_holds_its_connection(
    pair: Pair, demotion: str
) -> None:
    async def fail_over(them: Servers) -> None:
        memory = them.start()
        for at_s in (NOW, NOW + 1):
            await memory.record_and_recall(event(at_s))
        pair.demote(DEMOTIONS[demotion])
        pair.promote()
        # The new primary has none of what the old one kept.
        assert (await seen(memory, event(NOW + 2), kinds.USER)).events == 1
        assert False not in them.calls

    run(pair.url, fail_over)


@pytest.mark.parametrize("demotion", DEMOTIONS)
def test_a_server_asks_again_when_the_address_moves_after_the_old_primary_refused(
    pair: Pair, demotion: str
) -> None:
    async def fail_over_slowly(them: Servers) -> None:
        memory = them.start()
        await memory.record_and_recall(event(NOW))
        pair.demote(DEMOTIONS[demotion])
        with pytest.raises(ConnectorFailed):
            await memory.record_and_recall(event(NOW + 1))
        assert not them.calls[-1]
        pair.promote()
        assert (await memory.record_and_recall(event(NOW + 2))).counted

    run(pair.url, fail_over_slowly)


def test_rate_limits_are_shared_through_the_new_primary(pair: Pair) -> None:
    async def fail_over() -> None:
        limiter = SharedRateLimiter()
        store = ValkeyStore(StoreAddress.parse(pair.url), timeout_s=PATIENCE_S, keep_s=1)
        limits = SharedLimits(limiter, store, StableKeys(b"k" * 32))
        limiter.take("key_a", 2, time.monotonic())
        await limits.tell()
        pair.demote((REPLICA,))
        pair.promote()
        limiter.take("key_a", 2, time.monotonic())
        await limits.tell()
        assert limits.answers
        await limits.stop()

    asyncio.run(fail_over())
