"""The client of a store, which is one server or a cluster of them: redis-py, and little around it.

Replies come as the store sent them: what the client would make of them, most calls do not need.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any, Final, Protocol

from redis.asyncio import Redis, RedisCluster
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as Disconnected
from redis.exceptions import RedisError, ResponseError

from gatehouse.connectors.valkey.address import StoreAddress

Word = bytes | str | int
"""A part of a command."""
Command = tuple[Word, ...]
DISCONNECTED: Final = Disconnected
FAILURES: Final = (RedisError, OSError, TimeoutError)
"""What a client raises when a store does not answer."""


class StoreClient(Protocol):
    """Asks a store."""

    async def ask(self, commands: Sequence[Command]) -> list[Any]:
        """The reply to each command, in one round trip; an error of the store is a reply, too."""

    def keys(self, at_once: int) -> AsyncIterator[list[bytes]]:
        """The names of all keys, some at a time."""

    async def close(self) -> None:
        """Close all connections."""


class _OneServer:
    def __init__(self, client: Any) -> None:
        self._client = client

    async def ask(self, commands: Sequence[Command]) -> list[Any]:
        if len(commands) == 1:
            try:
                return [await self._client.execute_command(*commands[0])]
            except ResponseError as error:
                return [error]
        pipeline = self._client.pipeline(transaction=False)
        for command in commands:
            pipeline.execute_command(*command)
        replies: list[Any] = await pipeline.execute(raise_on_error=False)
        return replies

    async def keys(self, at_once: int) -> AsyncIterator[list[bytes]]:
        async for names in _scan(self._client, at_once):
            yield names

    async def close(self) -> None:
        await self._client.aclose()


class _Cluster:
    def __init__(self, client: Any) -> None:
        self._client = client

    async def ask(self, commands: Sequence[Command]) -> list[Any]:
        # All keys of a command belong to one account, so each goes to one server.
        asked = [self._client.execute_command(*command) for command in commands]
        replies = await asyncio.gather(*asked, return_exceptions=True)
        for reply in replies:
            if isinstance(reply, BaseException) and not isinstance(reply, ResponseError):
                raise reply
        return replies

    async def keys(self, at_once: int) -> AsyncIterator[list[bytes]]:
        for node in self._client.get_primaries():
            async for names in _scan(self._client, at_once, target_nodes=node):
                yield names

    async def close(self) -> None:
        await self._client.aclose()


async def connect(address: StoreAddress) -> StoreClient:
    """A client that has reached the store; raises one of `FAILURES`."""
    # One try, and no time limit here: both are the store's own, for a whole call.
    options: dict[str, Any] = {
        "retry": Retry(NoBackoff(), 0),
        "protocol": 2,
        "socket_timeout": None,
    }
    client: Any = Redis.from_url(address.url, single_connection_client=True, **options)
    client.response_callbacks.clear()
    try:
        told = await client.execute_command("INFO", "cluster")
    except BaseException:
        await client.aclose()
        raise
    if b"cluster_enabled:1" not in told:
        return _OneServer(client)
    await client.aclose()
    cluster: Any = RedisCluster.from_url(address.url, **options)
    try:
        await cluster.initialize()
    except BaseException:
        await cluster.aclose()
        raise
    cluster.response_callbacks.clear()
    return _Cluster(cluster)


async def _scan(client: Any, at_once: int, **where: Any) -> AsyncIterator[list[bytes]]:
    cursor = b"0"
    while True:
        cursor, names = await client.execute_command("SCAN", cursor, "COUNT", at_once, **where)
        yield names
        if cursor == b"0":
            return
