"""The store of a shared memory on Valkey or Redis: one server, or several that form a cluster."""

from collections.abc import Callable, Sequence
from typing import Any

from redis.exceptions import MovedError

from gatehouse.connectors.valkey.address import StoreAddress
from gatehouse.connectors.valkey.node import CallBreaker, CallOptions, ValkeyNode
from gatehouse.connectors.valkey.wire import Word
from gatehouse.sentry.shared.keys import AccountNames
from gatehouse.sentry.shared.operations import StoreOperation


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
        node = self._first if names is None else self._home(names)
        return await node.command(*words)

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
        where = error.host, error.port
        node = self._others.get(where)
        if node is None:
            address = self._address.at(*where)
            node = self._others[where] = ValkeyNode(address, self._options, self._moved)
        for operation in operations:
            operation.moved = True
            self._homes[operation.names.entity] = node
            node.submit(operation)
