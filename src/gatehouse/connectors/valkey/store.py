"""The store of a shared memory on Valkey or Redis: one server, or several that form a cluster."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from redis.exceptions import MovedError

from gatehouse.connectors.valkey.address import StoreAddress
from gatehouse.connectors.valkey.node import CallBreaker, CallOptions, ValkeyNode
from gatehouse.connectors.valkey.wire import Word
from gatehouse.sentry.shared.keys import AccountNames
from gatehouse.sentry.shared.operations import StoreOperation

_KEYS_AT_ONCE: Final = 1000


class ValkeyStore:
    """Implements `SharedStore`.

    A cluster keeps each account on one of its servers. Which one, the first answer says.
    """

    def __init__(
        self,
        address: StoreAddress,
        *,
        timeout_s: float,
        keep_s: int,
        breaker: CallBreaker | None = None,
        observe: Callable[[float, bool], None] = lambda _seconds, _succeeded: None,
    ) -> None:
        """See `CallOptions`."""
        self._address = address
        self._options = CallOptions(timeout_s, keep_s, breaker, observe)
        self._first = ValkeyNode(address, self._options, self._moved)
        self._others: dict[tuple[str, int], ValkeyNode] = {}
        self._homes: dict[bytes, ValkeyNode] = {}
        """By what the keys of an account begin with: the server that has them, if not the first."""

    @property
    def lost(self) -> int:
        """Operations that were not told, or of which that is not known."""
        return sum(node.lost for node in self._nodes())

    def submit(self, operation: StoreOperation) -> None:
        """Tell an operation with the next call."""
        self._home(operation.names).submit(operation)

    async def flush(self) -> None:
        """Wait until all operations were told; raises `ConnectorFailed` if some were lost."""
        for node in self._nodes():
            await node.flush()

    async def command(self, *words: Word, names: AccountNames | None = None) -> Any:
        """The reply to a plain command, about the keys of an account or any server."""
        if names is None:
            return await self._first.command(*words)
        try:
            return await self._home(names).command(*words)
        except MovedError as moved:
            node = self._homes[names.entity] = self._node_at(moved)
            return await node.command(*words)

    async def delete_all(self, accounts: Sequence[AccountNames]) -> int:
        """Delete all keys of some accounts; returns how many there were."""
        for names in accounts:
            # Finds the server of a cluster that has the account.
            await self.command("EXISTS", names.common[0], names=names)
        tags = frozenset(_tag(names.entity) for names in accounts)
        return sum([await _delete_from(node, tags) for node in self._nodes()])

    async def close(self) -> None:
        """Tell what waits, and close the connections."""
        for node in self._nodes():
            await node.close()

    def _nodes(self) -> list[ValkeyNode]:
        return [self._first, *self._others.values()]

    def _home(self, names: AccountNames) -> ValkeyNode:
        return self._homes.get(names.entity, self._first)

    def _moved(self, operations: Sequence[StoreOperation], error: MovedError) -> None:
        """Tell another server, and from now on all about this account."""
        node = self._node_at(error)
        for operation in operations:
            operation.moved = True
            self._homes[operation.names.entity] = node
            node.submit(operation)

    def _node_at(self, error: MovedError) -> ValkeyNode:
        where = error.host, error.port
        node = self._others.get(where)
        if node is None:
            address = self._address.at(*where)
            node = self._others[where] = ValkeyNode(address, self._options, self._moved)
        return node


async def _delete_from(node: ValkeyNode, tags: frozenset[bytes]) -> int:
    """Delete the keys with some tags from one server, whatever else it keeps."""
    cursor, deleted = b"0", 0
    while True:
        cursor, found = await node.command("SCAN", cursor, "COUNT", _KEYS_AT_ONCE)
        by_tag: dict[bytes, list[bytes]] = {}
        for name in found:
            by_tag.setdefault(_tag(name), []).append(name)
        # In a cluster, keys of one command must have one tag.
        for tag in tags & by_tag.keys():
            deleted += int(await node.command("UNLINK", *by_tag[tag]))
        if cursor == b"0":
            return deleted


def _tag(name: bytes) -> bytes:
    """The part of a key that says whose it is."""
    return name[: name.find(b"}") + 1]
