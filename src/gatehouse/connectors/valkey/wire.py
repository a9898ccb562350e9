"""One connection to a store: commands out, replies in, in the order of the calls."""

import asyncio
import math
from collections.abc import Callable, Sequence
from typing import Any, cast

import hiredis
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import RedisError, ResponseError

from gatehouse.connectors.valkey.address import StoreAddress

Word = bytes | str | int
"""A part of a command."""
Lost = Callable[["Wire", bool], None]
"""Hears that a connection is gone, and whether something was told."""


class Wire:
    """An open connection. One call is under way at a time."""

    def __init__(self, connection: AbstractConnection, lost: Lost) -> None:
        self._connection = connection
        self._lost = lost
        self._exchange: asyncio.Task[None] | None = None

    def ask(self, commands: bytes, replies: int, done: Callable[[list[Any]], None]) -> None:
        """Send commands; `done` gets their replies, some of which can be errors."""
        loop = asyncio.get_running_loop()
        self._exchange = loop.create_task(self._ask(commands, replies, done))

    async def _ask(self, commands: bytes, number: int, done: Callable[[list[Any]], None]) -> None:
        connection = self._connection
        replies: list[Any] = []
        told = False
        try:
            # A store that was restarted has closed the connection, and nothing was told yet.
            if not connection.is_connected or await connection.can_read():
                self._lost(self, told)
                return
            told = True
            await connection.send_packed_command([commands], check_health=False)
            for _ in range(number):
                try:
                    replies.append(await connection.read_response(timeout=math.inf))
                except ResponseError as error:
                    replies.append(error)
        except (RedisError, OSError):
            self._lost(self, told)
            return
        done(replies)

    async def close(self) -> None:
        """Close at once; a reply that still comes belongs to nobody."""
        if self._exchange is not None and self._exchange is not asyncio.current_task():
            self._exchange.cancel()
        await self._connection.disconnect(nowait=True)


async def connect(address: StoreAddress, script: str, lost: Lost, within_s: float) -> Wire:
    """A connection that is ready for calls of a script; raises `RedisError` and `OSError`."""
    connection = address.new_connection(within_s)
    try:
        await connection.connect()  # type: ignore[no-untyped-call]
        await connection.send_command("SCRIPT", "LOAD", script, check_health=False)
        await connection.read_response(timeout=within_s)
    except BaseException:
        await connection.disconnect(nowait=True)
        raise
    return Wire(connection, lost)


def packed(words: Sequence[Word]) -> bytes:
    """A command as the store reads it."""
    # The library's own packing for asyncio is written in Python and takes six times as long.
    # The annotation of this one speaks of a tuple with one element.
    return cast("bytes", hiredis.pack_command(cast("Any", tuple(words))))
