"""Memories of servers that share a store, for tests."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from secrets import token_bytes
from typing import Any

from gatehouse.connectors.valkey.address import StoreAddress
from gatehouse.connectors.valkey.store import ValkeyStore
from gatehouse.sentry.memory.memory import MemoryEvent
from gatehouse.sentry.shared.keys import StableKeys
from gatehouse.sentry.shared.memory_shared import SharedMemory
from tests.sentry.visits import NOW

PATIENCE_S = 60.0
KEEP_S = 90 * 86_400


class Servers:
    """Servers of one installation, whose keys are those of no other test."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.secret = token_bytes(32)
        self.calls: list[bool] = []
        """Whether each call succeeded."""
        self.lost: list[MemoryEvent] = []
        self.stores: list[ValkeyStore] = []
        self.now_s = NOW

    def start(self, limit: int = 10_000, labels: int | None = None, **options: Any) -> SharedMemory:
        """The memory of one more server."""
        store = ValkeyStore(
            StoreAddress.parse(self.url),
            timeout_s=PATIENCE_S,
            keep_s=KEEP_S,
            observe=lambda _, succeeded: self.calls.append(succeeded),
            **options,
        )
        self.stores.append(store)
        return SharedMemory(
            store,
            self.keys(),
            limit,
            clock=lambda: int(self.now_s * 1000),
            labels=labels,
            on_lost=self.lost.append,
        )

    def keys(self) -> StableKeys:
        """The keys that all of them use."""
        return StableKeys(self.secret)

    async def ask(self, *words: bytes | str | int) -> Any:
        """The reply to a plain command."""
        return await self.stores[0].command(*words)

    def be_impatient(self, timeout_s: float) -> None:
        """Let the first server give up soon, now that it is connected."""
        self.stores[0]._timeout_s = timeout_s

    def socket(self) -> Any:
        """The first server's connection."""
        client: Any = self.stores[0]._client
        connection = client._connection
        return connection._writer.get_extra_info("socket")

    async def stop(self) -> None:
        """Close all connections."""
        for store in self.stores:
            await store.close()


@asynccontextmanager
async def servers(url: str) -> AsyncIterator[Servers]:
    """Servers that are stopped in the end."""
    started = Servers(url)
    try:
        yield started
    finally:
        await started.stop()
