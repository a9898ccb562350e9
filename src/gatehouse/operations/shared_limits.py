"""Shares rate limits between servers through the store that they share a memory in.

Several times a second a server tells the store how many tokens it took of each bucket, and learns
how full the bucket is by what all servers took. Requests never wait for that. Without an answer
each server limits what it serves itself.
"""

import asyncio
import logging
import time
from typing import TYPE_CHECKING, Final

from gatehouse.access.limits import SharedRateLimiter, TakenTokens
from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.limits.breaker import Breaker
from gatehouse.settings.settings import Settings
from gatehouse.store.background import repeat

if TYPE_CHECKING:
    from gatehouse.connectors.valkey.store import ValkeyStore
    from gatehouse.sentry.shared.keys import StableKeys

_log: Final = logging.getLogger("gatehouse.memory")
_TELL_S: Final = 0.1
_MOST_AT_ONCE: Final = 1000
_MOST_OWED_MS: Final = 3_600_000
"""More than servers let through in a moment: each of them two seconds' worth. It is there so that
nonsense does not close a key for good."""
_TIMEOUT_S: Final = 0.5
# A bucket is a key that expires when the bucket is full; its value is what is left of a millisecond
# of that time. No clock is asked, and a full bucket takes no room.
_SCRIPT: Final = """
local ms, rest = redis.call('PTTL', KEYS[1]), 0
if ms > 0 then rest = tonumber(redis.call('GET', KEYS[1])) or 0 else ms = 0 end
local all = math.min(ms + rest + ARGV[1] * 1000 / ARGV[2], tonumber(ARGV[3]))
local whole = math.max(math.floor(all), 1)
redis.call('SET', KEYS[1], string.format('%.3f', math.max(all - whole, 0)), 'PX', whole)
return string.format('%.3f', all)
"""


class SharedLimits:
    """Tells the store and learns from it, in the background of a server."""

    def __init__(
        self, limiter: SharedRateLimiter, store: "ValkeyStore", keys: "StableKeys"
    ) -> None:
        self._limiter = limiter
        self._store = store
        self._keys = keys
        self.answers = True
        """Whether the store answered lately; without it, limits are those of each server."""

    async def run(self) -> None:
        """Tell and learn until cancelled."""
        await repeat(self.tell, _TELL_S, "could not share rate limits")

    async def tell(self) -> None:
        """Tell once what was taken since the last time; what is too much now, the next time."""
        taken = self._limiter.drain(_MOST_AT_ONCE)
        answered = await asyncio.gather(*[self._tell(*each) for each in taken.items()])
        if not taken or all(answered) is self.answers:
            return
        self.answers = not self.answers
        if self.answers:
            _log.info("rate limits are shared again")
        else:
            _log.warning("the shared memory does not answer; each server limits rates by itself")

    async def _tell(self, bucket: str, taken: TakenTokens) -> bool:
        # The name of the bucket is its hash tag, too: buckets spread over a cluster.
        name = self._keys.account(bucket).other + b"rate"
        try:
            reply = await self._store.command(
                "EVAL", _SCRIPT, 1, name, taken.tokens, taken.rate, _MOST_OWED_MS
            )
        except ConnectorFailed:
            return False
        self._limiter.learn(bucket, float(reply) / 1000, time.monotonic())
        return True

    async def stop(self) -> None:
        """Close the connection."""
        await self._store.close()


def open_shared_limits(
    settings: Settings, keys: "StableKeys", limiter: SharedRateLimiter
) -> SharedLimits:
    """The limits in the store that the settings name, over a connection of their own.

    `keys` are those of the memory, which can be renamed.
    """
    from gatehouse.connectors.valkey.address import StoreAddress
    from gatehouse.connectors.valkey.store import ValkeyStore

    store = ValkeyStore(
        StoreAddress.parse(settings.memory_url),
        timeout_s=_TIMEOUT_S,
        keep_s=1,
        breaker=Breaker(time.monotonic),
    )
    return SharedLimits(limiter, store, keys)
