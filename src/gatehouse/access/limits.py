"""Rate limits: a token bucket per key, refilled continuously."""

import math
from itertools import islice
from typing import Final, NamedTuple

import msgspec

_BURST_SECONDS: Final = 2


class Allowance(msgspec.Struct, frozen=True):
    """Whether a token was granted, and the figures of the RateLimit headers."""

    granted: bool
    limit: int
    remaining: int
    reset_s: int
    """Seconds until the bucket is full again, or, when refused, until the next token."""


class RateLimiter:
    """The token buckets of this process; full ones are not stored."""

    def __init__(self, most_buckets: int = 100_000) -> None:
        self._full_at: dict[str, float] = {}
        self._most = most_buckets

    def look(self, bucket: str, rate: int, now_s: float) -> Allowance:
        """The state of a bucket, without taking a token."""
        burst = rate * _BURST_SECONDS
        missing = max(self._full_at.get(bucket, now_s) - now_s, 0) * rate
        return Allowance(True, burst, int(burst - missing), math.ceil(missing / rate))

    def take(self, bucket: str, rate: int, now_s: float) -> Allowance:
        """Take one token from a bucket that refills at `rate` tokens per second."""
        burst = rate * _BURST_SECONDS
        full_at = max(self._full_at.get(bucket, now_s), now_s)
        missing = (full_at - now_s) * rate
        if missing + 1 > burst:
            wait = math.ceil((missing + 1 - burst) / rate)
            return Allowance(False, burst, 0, max(wait, 1))
        if len(self._full_at) >= self._most:
            self._drop_full(now_s)
        self._full_at[bucket] = full_at + 1 / rate
        return Allowance(True, burst, int(burst - missing - 1), math.ceil((missing + 1) / rate))

    def _drop_full(self, now_s: float) -> None:
        self._full_at = {key: at for key, at in self._full_at.items() if at > now_s}


class TakenTokens(NamedTuple):
    """How many tokens were taken of a bucket, and how many it gains in a second."""

    tokens: int
    rate: int


class SharedRateLimiter(RateLimiter):
    """Buckets that several processes share: each tells what it took, and learns what all took.

    That happens between requests, so one process can grant what others have just taken. The bucket
    owes it then, and grants nothing until it is paid back.
    """

    def __init__(self, most_buckets: int = 100_000) -> None:
        super().__init__(most_buckets)
        self._taken: dict[str, TakenTokens] = {}

    def take(self, bucket: str, rate: int, now_s: float) -> Allowance:
        """Take one token, and note it for the others."""
        allowance = super().take(bucket, rate, now_s)
        if allowance.granted:
            before = self._taken.get(bucket)
            self._taken[bucket] = TakenTokens(1 if before is None else before.tokens + 1, rate)
        return allowance

    def drain(self, most: int) -> dict[str, TakenTokens]:
        """What was taken of so many buckets since this was asked last; the next time, of others."""
        taken = dict(islice(self._taken.items(), most))
        for bucket in taken:
            del self._taken[bucket]
        return taken

    def learn(self, bucket: str, full_in_s: float, now_s: float) -> None:
        """Note when a bucket is full again, by what all processes have told until a moment ago."""
        untold = self._taken.get(bucket)
        more = 0.0 if untold is None else untold.tokens / untold.rate
        self._full_at[bucket] = now_s + full_in_s + more
