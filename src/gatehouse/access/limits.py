"""Rate limits: a token bucket per key, refilled continuously."""

import math
from typing import Final

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
