"""The store of a shared memory: gathers what a turn of the event loop has to tell into one call.

While a call is under way the next one gathers by itself; nothing waits on purpose.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from itertools import count
from secrets import token_bytes
from typing import Any, Final, Protocol

from gatehouse.connectors.valkey.address import StoreAddress
from gatehouse.connectors.valkey.call import ScriptCall, StoreCommand, Told
from gatehouse.connectors.valkey.client import (
    DISCONNECTED,
    FAILURES,
    Command,
    StoreClient,
    Word,
    connect,
)
from gatehouse.core.errors import ConnectorFailed
from gatehouse.sentry.shared.keys import AccountNames

MOST_AT_ONCE: Final = 64
"""Operations in one call: the store serves nobody else meanwhile."""
MOST_WAITING: Final = 10_000
_LAST_TURNS: Final = 4
"""If it was the event loop that was late, an answer that is there is read in so many turns."""
_CLOSED: Final = "the shared memory is closed"
_CONNECT_S: Final = 1.0
"""The least time for a connection, which takes several round trips, or for names of keys."""


class CallBreaker(Protocol):
    """Says whether to ask at all, from how it went before."""

    def allows(self) -> bool:
        """Whether to ask."""

    def succeeded(self) -> None:
        """The store has answered."""

    def failed(self) -> None:
        """It has not."""


class ValkeyStore:
    """Implements `SharedStore` with Valkey or Redis, one server or a cluster."""

    def __init__(
        self,
        address: StoreAddress,
        *,
        timeout_s: float,
        keep_s: int,
        breaker: CallBreaker | None = None,
        observe: Callable[[float, bool], None] = lambda _seconds, _succeeded: None,
    ) -> None:
        """`timeout_s` is for one call; entities are forgotten `keep_s` after they were last seen.

        `observe` hears of every call how long it took, and whether it succeeded.
        """
        self._address = address
        self._timeout_s = timeout_s
        self._keep_s = keep_s
        self._breaker = breaker
        self._observe = observe
        self._client: StoreClient | None = None
        self._waiting: deque[Told] = deque()
        self._busy = False
        """Whether a call is under way or about to be."""
        self._task: asyncio.Task[None] | None = None
        """The call, or the connecting."""
        self._telling: ScriptCall | None = None
        self._is_slow = False
        """Whether connecting takes longer than a call may: nobody waits for it any more."""
        self.is_held = False
        """Whether nothing but plain commands may be told; it may be another's memory."""
        self._is_closed = False
        self._generations: dict[bytes, bytes] = {}
        """What the keys of accounts end with; nothing before the first rebuild."""
        self._process = token_bytes(3)
        self._numbers = count()
        self.lost = 0
        """Operations that were not told, or of which that is not known."""

    @property
    def waiting(self) -> int:
        """Operations that wait for the next call."""
        return len(self._waiting)

    def submit(self, operation: Told) -> None:
        """Tell an operation with the next call."""
        if self._is_closed:
            self._lose([operation], _CLOSED)
            return
        if self.is_held and not isinstance(operation, StoreCommand):
            self._lose([operation], "it is not known yet whose shared memory this is")
            return
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
        """The reply to a plain command, after all that was submitted before it."""
        command = StoreCommand(words)
        self.submit(command)
        reply = await command.future
        if isinstance(reply, ConnectorFailed):
            raise reply
        if isinstance(reply, Exception):
            raise ConnectorFailed(f"the shared memory refuses {words[0]!s}: {reply}")
        return reply

    def generation(self, names: AccountNames) -> bytes:
        """What the keys of an account end with, as far as this server has heard."""
        return self._generations.get(names.entity, b"")

    async def keys(self, at_once: int) -> AsyncIterator[list[bytes]]:
        """The names of all keys of the store, some at a time, over a connection of its own.

        Each part of them has a time limit: the store can go away without a word.
        """
        limit_s = max(self._timeout_s, _CONNECT_S)
        try:
            async with asyncio.timeout(limit_s):
                client = await connect(self._address)
            try:
                parts = client.keys(at_once)
                while True:
                    async with asyncio.timeout(limit_s):
                        names = await anext(parts, None)
                    if names is None:
                        break
                    yield names
            finally:
                await client.close()
        except FAILURES as error:
            raise ConnectorFailed(
                f"the names in the shared memory cannot be read: {type(error).__name__}"
            ) from None

    async def close(self) -> None:
        """Tell what waits, and close the connection."""
        with suppress(ConnectorFailed):
            if self._busy:
                await self.command("PING")
        self._is_closed = True
        self._lose_waiting(_CLOSED)
        if self._task is not None and not self._task.done():
            self._task.cancel()
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    def _next(self) -> None:
        """Make the next call, or rest."""
        self._busy = bool(self._waiting)
        if not self._waiting:
            return
        if self._breaker is not None and not self._breaker.allows():
            self._busy = False
            self._lose_waiting("the shared memory does not answer; it is not asked for a while")
            return
        if self._client is None:
            self._task = asyncio.get_running_loop().create_task(self._connect())
            return
        self._begin_call(self._client)

    def _begin_call(self, client: StoreClient) -> None:
        """Send what waits, as much of it as one call holds."""
        loop = asyncio.get_running_loop()
        most = min(len(self._waiting), MOST_AT_ONCE)
        told = [self._waiting.popleft() for _ in range(most)]
        epoch = self._process + (next(self._numbers) & 0xFF_FFFF).to_bytes(3, "big")
        call = ScriptCall(told, epoch, self._keep_s, loop.time(), self._generations)
        self._telling = call
        self._task = loop.create_task(self._tell(client, call))

    async def _tell(self, client: StoreClient, call: ScriptCall) -> None:
        """Make one call, and pass on what the store says."""
        loop = asyncio.get_running_loop()
        limit = loop.call_later(self._timeout_s, self._give_up_waiting, call, _LAST_TURNS)
        try:
            while not call.take(await self._ask(client, call.commands())):
                pass
            self._telling = None
            refused = call.answer()
        except asyncio.CancelledError:
            if not call.is_late:
                self._lose(call.told, _CLOSED)
                raise
            await self._fail(call, "the shared memory did not answer in time")
        except FAILURES as error:
            await self._fail(call, f"the shared memory cannot be asked: {type(error).__name__}")
        except Exception:
            # After any failure, the next call still has to be made.
            await self._fail(call, "the shared memory has answered something else than was asked")
        else:
            self._judge(call.started, succeeded=not refused)
            # After the requests that were just answered had their turn.
            loop.call_soon(self._next)
        finally:
            limit.cancel()

    def _give_up_waiting(self, call: ScriptCall, turns: int) -> None:
        """End a call that takes too long, unless only this event loop was late to read."""
        if turns:
            loop = asyncio.get_running_loop()
            loop.call_soon(self._give_up_waiting, call, turns - 1)
        elif self._task is not None and self._telling is call:
            call.is_late = True
            self._task.cancel()

    async def _ask(self, client: StoreClient, commands: list[Command]) -> list[Any]:
        try:
            return await client.ask(commands)
        except DISCONNECTED:
            # The store was restarted since the last call. What it has done already for a request,
            # it does not do again, so the client may connect and ask once more.
            return await client.ask(commands)

    def _judge(self, started: float, *, succeeded: bool) -> None:
        self._observe(asyncio.get_running_loop().time() - started, succeeded)
        if self._breaker is not None:
            (self._breaker.succeeded if succeeded else self._breaker.failed)()

    async def _connect(self) -> None:
        loop = asyncio.get_running_loop()
        started, slow = loop.time(), loop.call_later(self._timeout_s, self._stop_waiting)
        try:
            async with asyncio.timeout(max(self._timeout_s, _CONNECT_S)):
                client = self._client = await connect(self._address)
        except Exception as error:
            self._judge(started, succeeded=False)
            self._give_up(
                f"the shared memory at {self._address.shown} cannot be reached: "
                f"{type(error).__name__}"
            )
        else:
            # The breaker does not hear of it: a store that answers no call, such as one whose
            # writes are paused, may take connections. The call is what the breaker has allowed.
            self._observe(loop.time() - started, True)
            self._busy = bool(self._waiting)
            if self._busy:
                self._begin_call(client)
        finally:
            slow.cancel()
            self._is_slow = False

    def _stop_waiting(self) -> None:
        self._is_slow = True
        self._lose_waiting("the shared memory is slow to connect")

    async def _fail(self, call: ScriptCall, why: str) -> None:
        """Give up what is under way and what waits: later is too late for a request."""
        # The time limit of this call may be about to end it, and would end what comes next.
        self._telling = None
        client, self._client = self._client, None
        self._judge(call.started, succeeded=False)
        self._lose(call.told, why)
        self._give_up(why)
        if client is not None:
            # An answer that still comes must not be taken for that of another call.
            with suppress(*FAILURES):
                await client.close()

    def _give_up(self, why: str) -> None:
        self._lose_waiting(why)
        self._busy = False

    def _lose_waiting(self, why: str) -> None:
        waiting = list(self._waiting)
        self._waiting.clear()
        self._lose(waiting, why)

    def _lose(self, operations: Sequence[Told], why: str) -> None:
        self.lost += len(operations)
        for operation in operations:
            operation.failed(ConnectorFailed(why))
