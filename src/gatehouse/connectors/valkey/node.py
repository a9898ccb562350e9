"""One server of a store: gathers what a turn of the event loop has to tell it into one call.

While a call is under way the next one gathers by itself; nothing waits on purpose.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from secrets import token_bytes
from typing import Any, Final, NamedTuple, Protocol

from redis.exceptions import MovedError, RedisError

from gatehouse.connectors.valkey.address import StoreAddress
from gatehouse.connectors.valkey.call import ScriptCall, StoreCommand, Told
from gatehouse.connectors.valkey.wire import Wire, Word, connect
from gatehouse.core.errors import ConnectorFailed
from gatehouse.sentry.shared.operations import StoreOperation
from gatehouse.sentry.shared.packing import SCRIPT

MOST_AT_ONCE: Final = 64
"""Operations in one call: the store serves nobody else meanwhile."""
MOST_WAITING: Final = 10_000
_LAST_TURNS: Final = 4
"""If it was the event loop that was late, an answer that is there is read in so many turns."""
_CONNECT_S: Final = 1.0
"""The least time for a connection, which takes several round trips."""


class CallBreaker(Protocol):
    """Says whether to ask at all, from how it went before."""

    def allows(self) -> bool:
        """Whether to ask."""

    def succeeded(self) -> None:
        """The store has answered."""

    def failed(self) -> None:
        """It has not."""


class CallOptions(NamedTuple):
    """How servers of a store are asked."""

    timeout_s: float
    """For one call."""
    keep_s: int
    """Entities are forgotten so long after they were last seen."""
    breaker: CallBreaker | None
    observe: Callable[[float, bool], None]
    """Hears of every call how long it took, and whether it succeeded."""


class ValkeyNode:
    """One server, with one connection."""

    def __init__(
        self,
        address: StoreAddress,
        options: CallOptions,
        moved: Callable[[Sequence[StoreOperation], MovedError], None],
    ) -> None:
        """`moved` hears of operations that another server of the cluster must be told."""
        self._address = address
        self._timeout_s, self._keep_s, self._breaker, self._observe = options
        self._moved = moved
        self._wire: Wire | None = None
        self._waiting: deque[Told] = deque()
        self._call: ScriptCall | None = None
        self._busy = False
        """Whether a call is under way or about to be."""
        self._connecting: asyncio.Task[None] | None = None
        self._is_slow = False
        """Whether connecting takes longer than a call may: nobody waits for it any more."""
        self._closing: set[asyncio.Task[None]] = set()
        self._process = token_bytes(3)
        self._numbers = count()
        self.lost = 0
        """Operations that were not told, or of which that is not known."""

    def submit(self, operation: Told) -> None:
        """Tell an operation with the next call."""
        if self._is_slow or len(self._waiting) >= MOST_WAITING:
            self._lose([operation], "the shared memory is slow to answer")
            return
        self._waiting.append(operation)
        if not self._busy:
            self._busy = True
            asyncio.get_running_loop().call_soon(self._next)

    async def flush(self) -> None:
        """Wait until all operations were told; raises `ConnectorFailed` if some were lost."""
        before = self.lost
        await self.command("PING")
        if self.lost != before:
            raise ConnectorFailed("some of what was told to the shared memory is lost")

    async def command(self, *words: Word) -> Any:
        """The reply to a plain command, after all that was submitted before it.

        Raises `MovedError` when another server has the keys.
        """
        command = StoreCommand(words)
        self.submit(command)
        reply = await command.future
        if isinstance(reply, ConnectorFailed | MovedError):
            raise reply
        if isinstance(reply, Exception):
            raise ConnectorFailed(f"the shared memory refuses {words[0]!s}: {reply}")
        return reply

    async def close(self) -> None:
        """Tell what waits, and close the connection."""
        with suppress(ConnectorFailed):
            if self._busy:
                await self.command("PING")
        if self._connecting is not None:
            self._connecting.cancel()
        if self._wire is not None:
            wire, self._wire = self._wire, None
            await wire.close()

    def _next(self) -> None:
        """Make the next call, or rest."""
        self._busy = bool(self._waiting)
        if not self._waiting:
            return
        if self._breaker is not None and not self._breaker.allows():
            self._busy = False
            self._lose_waiting("the shared memory does not answer; it is not asked for a while")
            return
        loop = asyncio.get_running_loop()
        if self._wire is None:
            self._connecting = loop.create_task(self._connect())
            return
        most = min(len(self._waiting), MOST_AT_ONCE)
        told = [self._waiting.popleft() for _ in range(most)]
        epoch = self._process + (next(self._numbers) & 0xFF_FFFF).to_bytes(3, "big")
        call = self._call = ScriptCall(told, epoch, self._keep_s, loop.time())
        call.timer = loop.call_later(self._timeout_s, self._give_up, call)
        self._wire.ask(*call.packed(), self._answered)

    def _answered(self, replies: list[Any]) -> None:
        call = self._call
        assert call is not None
        if not call.take(replies):
            assert self._wire is not None
            self._wire.ask(*call.packed(), self._answered)
            return
        try:
            refused = call.answer()
        except ValueError:
            self._fail("the shared memory has answered something else than was asked")
            return
        self._call = None
        for operations, error in call.moved():
            self._moved(operations, error)
        self.lost += len(refused)
        self._end(call, succeeded=not refused)
        # After the requests that were just answered had their turn.
        asyncio.get_running_loop().call_soon(self._next)

    def _end(self, call: ScriptCall, *, succeeded: bool) -> None:
        call.end()
        self._judge(asyncio.get_running_loop().time() - call.started, succeeded=succeeded)

    def _judge(self, seconds: float, *, succeeded: bool) -> None:
        self._observe(seconds, succeeded)
        if self._breaker is not None:
            (self._breaker.succeeded if succeeded else self._breaker.failed)()

    async def _connect(self) -> None:
        loop = asyncio.get_running_loop()
        started, within_s = loop.time(), max(self._timeout_s, _CONNECT_S)
        slow = loop.call_later(self._timeout_s, self._stop_waiting)
        try:
            async with asyncio.timeout(within_s):
                self._wire = await connect(self._address, SCRIPT, self._connection_lost, within_s)
        except (RedisError, OSError, TimeoutError) as error:
            self._judge(loop.time() - started, succeeded=False)
            why = type(error).__name__
            self._fail(f"the shared memory at {self._address.shown} cannot be reached ({why})")
        else:
            # A probe that connected has asked for more than a ping.
            self._judge(loop.time() - started, succeeded=True)
            self._next()
        finally:
            slow.cancel()
            self._is_slow = False

    def _stop_waiting(self) -> None:
        self._is_slow = True
        self._lose_waiting("the shared memory is slow to connect")

    def _connection_lost(self, wire: Wire, told: bool) -> None:
        if wire is not self._wire:
            return
        if told or self._call is None:
            self._fail("the shared memory has closed the connection")
            return
        self._drop_wire()
        call, self._call = self._call, None
        call.end()
        self._waiting.extendleft(reversed(call.told))
        self._next()

    def _give_up(self, call: ScriptCall, turns: int = _LAST_TURNS) -> None:
        if call is not self._call:
            return
        if turns:
            asyncio.get_running_loop().call_soon(self._give_up, call, turns - 1)
        else:
            self._fail("the shared memory did not answer in time")

    def _fail(self, why: str) -> None:
        """Give up what is under way and what waits: later is too late for a request."""
        self._drop_wire()
        call, self._call = self._call, None
        if call is not None:
            self._end(call, succeeded=False)
            self._lose(call.told, why)
        self._lose_waiting(why)
        self._busy = False

    def _drop_wire(self) -> None:
        wire, self._wire = self._wire, None
        if wire is not None:
            # An answer that still comes must not be taken for that of another call.
            closing = asyncio.get_running_loop().create_task(wire.close())
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    def _lose_waiting(self, why: str) -> None:
        waiting = list(self._waiting)
        self._waiting.clear()
        self._lose(waiting, why)

    def _lose(self, operations: Sequence[Told], why: str) -> None:
        self.lost += len(operations)
        for operation in operations:
            operation.failed(ConnectorFailed(why))
