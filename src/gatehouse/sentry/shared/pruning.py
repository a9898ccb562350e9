"""Bounds the counts of an account in the store, beside the requests and in small steps.

In one process rare entities are dropped when there are too many counts. Here the server that
counts every so many-th event of an account looks, and drops the same ones.
"""

from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any, Final, Protocol

from gatehouse.sentry.memory.account_stats import MOST_GOODS, MOST_TALLIES
from gatehouse.sentry.shared.keys import AccountNames

EVENTS_BETWEEN: Final = 1024
_AT_ONCE: Final = 500
Command = Callable[..., Awaitable[Any]]


class Commands(Protocol):
    """Runs plain commands of the store."""

    def generation(self, names: AccountNames) -> bytes:
        """What the keys of an account end with."""

    async def command(self, *words: bytes | str | int) -> Any:
        """The reply to a command; raises `ConnectorFailed`."""


async def prune(
    store: Commands, names: AccountNames, limits: tuple[int, int] = (MOST_TALLIES, MOST_GOODS)
) -> None:
    """Drop the rarest counts of an account if there are too many."""
    _, *counts = names.common
    command, generation = store.command, store.generation(names)
    for name, most in zip(counts, limits, strict=True):
        key = name + generation
        if await command("HLEN", key) > most:
            await _drop_up_to(command, key, await _threshold(command, key, most))


async def _threshold(command: Command, key: bytes, most: int) -> int:
    """The least count, doubled often enough, above which there are at most half of the limit."""
    by_power: Counter[int] = Counter()
    cursor = b"0"
    while True:
        cursor, found = await command("HSCAN", key, cursor, "COUNT", _AT_ONCE)
        # Counts above a power of two and not above the next one are of one class.
        by_power.update((int(times) - 1).bit_length() for times in found[1::2])
        if cursor == b"0":
            break
    power, left = 0, by_power.total() - by_power[0]
    while left > most // 2:
        power += 1
        left -= by_power[power]
    return 1 << power


async def _drop_up_to(command: Command, key: bytes, least: int) -> None:
    cursor = b"0"
    while True:
        cursor, found = await command("HSCAN", key, cursor, "COUNT", _AT_ONCE)
        counts = zip(found[::2], found[1::2], strict=True)
        rare = [field for field, times in counts if int(times) <= least]
        if rare:
            await command("HDEL", key, *rare)
        if cursor == b"0":
            return
