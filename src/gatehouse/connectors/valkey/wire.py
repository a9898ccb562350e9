"""One connection to a store: bytes out, parsed replies in, nothing between.

The usual client takes 150 µs of a core for a call (measured; see decision 0022), most of it for
streams and tasks that a request does not need.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, cast

import hiredis

from gatehouse.connectors.valkey.address import StoreAddress
from gatehouse.core.errors import ConnectorFailed

Word = bytes | str | int
"""A part of a command."""


class Wire(asyncio.Protocol):
    """A connection; calls follow one another."""

    def __init__(self, lost: Callable[["Wire"], None]) -> None:
        self._lost = lost
        self._reader = hiredis.Reader()
        self._transport: asyncio.Transport | None = None
        self._replies: list[Any] = []
        self._expected = 0
        self._done: Callable[[list[Any]], None] | None = None

    def ask(self, packed: bytes, replies: int, done: Callable[[list[Any]], None]) -> None:
        """Send commands; `done` gets their replies, some of which can be errors."""
        assert self._transport is not None
        self._replies, self._expected, self._done = [], replies, done
        self._transport.write(packed)

    def close(self) -> None:
        """Close at once; a reply that still comes belongs to nobody."""
        self._done = None
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See `asyncio.Protocol`."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        reader, replies = self._reader, self._replies
        reader.feed(data)
        while (reply := reader.gets()) is not False:
            replies.append(reply)
        if len(replies) >= self._expected and self._done is not None:
            done, self._done = self._done, None
            done(replies)

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.Protocol`."""
        self._lost(self)

    async def command(self, *words: Word) -> Any:
        """The reply to one command; raises `ConnectorFailed` when it is an error."""
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

        def take(replies: list[Any]) -> None:
            if not future.done():
                future.set_result(replies[0])

        self.ask(packed(words), 1, take)
        reply = await future
        if isinstance(reply, Exception):
            raise ConnectorFailed(f"the shared memory refuses a command: {reply}")
        return reply


async def connect(address: StoreAddress, script: str, lost: Callable[[Wire], None]) -> Wire:
    """A connection that is ready for calls of a script; its errors are those of the system."""
    loop = asyncio.get_running_loop()

    def make() -> Wire:
        return Wire(lost)

    if address.path:
        _, wire = await loop.create_unix_connection(make, address.path)
    else:
        _, wire = await loop.create_connection(make, address.host, address.port, ssl=address.tls)
    try:
        if address.password:
            user = (address.user,) if address.user else ()
            await wire.command("AUTH", *user, address.password)
        if address.database:
            await wire.command("SELECT", address.database)
        await wire.command("SCRIPT", "LOAD", script)
    except BaseException:
        wire.close()
        raise
    return wire


def packed(words: Sequence[Word]) -> bytes:
    """A command as the store reads it."""
    # Its annotation speaks of a tuple with one element.
    return cast("bytes", hiredis.pack_command(cast("Any", tuple(words))))
