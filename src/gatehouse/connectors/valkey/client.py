"""The client of a store, which is one server or a cluster of them: redis-py, and little around it.

Replies come as the store sent them: what the client would make of them, most calls do not need.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any, Final, Protocol, cast

import hiredis
from redis.asyncio import ConnectionPool, RedisCluster
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as Disconnected
from redis.exceptions import (
    MasterDownError,
    ReadOnlyError,
    RedisClusterException,
    RedisError,
    ResponseError,
)

from gatehouse.connectors.valkey.address import StoreAddress

Word = bytes | str | int
"""A part of a command."""
Command = tuple[Word, ...]
DISCONNECTED: Final = Disconnected
FAILURES: Final = (RedisError, RedisClusterException, OSError, TimeoutError)
"""What a client raises when a store does not answer."""
_ISOLATED: Final = "NOREPLICAS "
"""How a primary refuses that too few replicas follow; the client has no type for it."""
_NEEDED_CALLBACKS: Final = ("COMMAND",)
"""Replies that the client of a cluster reads itself, each time it initialises."""


class StoreClient(Protocol):
    """Asks a store."""

    async def ask(self, commands: Sequence[Command]) -> list[Any]:
        """The reply to each command, in one round trip; an error of the store is a reply, too."""

    def keys(self, at_once: int) -> AsyncIterator[list[bytes]]:
        """The names of all keys, some at a time."""

    async def close(self) -> None:
        """Close all connections."""


class _OneServer:
    """Asks over one connection, without a pool and pipelines: both cost as much as the rest."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def ask(self, commands: Sequence[Command]) -> list[Any]:
        connection = self._connection
        # The client's own packing takes six times as long for many words.
        packed = [hiredis.pack_command(cast("Any", command)) for command in commands]
        await connection.send_packed_command(packed, check_health=False)
        replies = [await self._reply() for _ in commands]
        if any(map(_is_no_primary, replies)):
            # A failover can leave this connection open, to a server that takes nothing any more.
            # Connecting again looks the name up again, and finds the new primary.
            await self.close()
            raise Disconnected("the server is not the primary any more")
        return replies

    async def _reply(self) -> Any:
        try:
            return await self._connection.read_response()
        except ResponseError as error:
            return error

    async def keys(self, at_once: int) -> AsyncIterator[list[bytes]]:
        cursor = b"0"
        while True:
            [found] = await self.ask([("SCAN", cursor, "COUNT", at_once)])
            if isinstance(found, ResponseError):
                raise found
            cursor, names = found
            yield names
            if cursor == b"0":
                return

    async def close(self) -> None:
        await self._connection.disconnect(nowait=True)


class _Cluster:
    def __init__(self, client: Any) -> None:
        self._client = client

    async def ask(self, commands: Sequence[Command]) -> list[Any]:
        # After a failure the client has to learn again which server has what. Commands that are
        # begun before it knows go to any server, and many that are redirected make it learn again.
        await self._client.initialize()
        # All keys of a command belong to one account, so each goes to one server.
        asked = [self._client.execute_command(*command) for command in commands]
        replies = await asyncio.gather(*asked, return_exceptions=True)
        for reply in replies:
            if isinstance(reply, BaseException) and not isinstance(reply, ResponseError):
                raise reply
        return replies

    async def keys(self, at_once: int) -> AsyncIterator[list[bytes]]:
        for node in self._client.get_primaries():
            cursor = b"0"
            while True:
                # Of the server itself: the client would put a cursor for each server in one.
                cursor, names = await node.execute_command("SCAN", cursor, "COUNT", at_once)
                yield names
                if cursor == b"0":
                    break

    async def close(self) -> None:
        await self._client.aclose()
        # After a failure the client is about to initialise again, and then closes nothing itself.
        for nodes in ("nodes_cache", "startup_nodes"):
            await self._client.nodes_manager.aclose(nodes)


def _is_no_primary(reply: Any) -> bool:
    """Whether a server refuses what only a primary does."""
    if isinstance(reply, ReadOnlyError | MasterDownError):
        return True
    return isinstance(reply, ResponseError) and str(reply).startswith(_ISOLATED)


async def connect(address: StoreAddress) -> StoreClient:
    """A client that has reached the store; raises one of `FAILURES`."""
    # One try, and no time limit here: both are the store's own, for a whole call.
    options: dict[str, Any] = {
        "retry": Retry(NoBackoff(), 0),
        "socket_timeout": None,
        "protocol": 2,
    }
    pool: Any = ConnectionPool.from_url(address.url, **options)
    server = _OneServer(pool.make_connection())
    try:
        # Every user may say hello, and few may ask for more.
        [told] = await server.ask([("HELLO",)])
        if isinstance(told, ResponseError):
            raise told
        is_cluster = b"cluster" in told
    except BaseException:
        await server.close()
        raise
    if not is_cluster:
        return server
    await server.close()
    cluster: Any = RedisCluster.from_url(address.url, **options)
    try:
        await cluster.initialize()
    except BaseException:
        await cluster.aclose()
        raise
    callbacks = cluster.response_callbacks
    kept = {name: callbacks[name] for name in _NEEDED_CALLBACKS}
    callbacks.clear()
    callbacks.update(kept)
    return _Cluster(cluster)
