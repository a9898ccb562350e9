"""Servers that share a store grant together what one of them would grant alone."""

import asyncio
import time

import pytest

from gatehouse.access.limits import SharedRateLimiter
from gatehouse.connectors.valkey.address import StoreAddress
from gatehouse.connectors.valkey.client import Word
from gatehouse.connectors.valkey.store import ValkeyStore
from gatehouse.operations import shared_limits
from gatehouse.operations.shared_limits import SharedLimits
from gatehouse.sentry.shared.keys import StableKeys

RATE = 2
BURST = 2 * RATE


class _Server:
    """The limits of one server."""

    def __init__(self, url: str, secret: bytes) -> None:
        self.limiter = SharedRateLimiter()
        self._store = ValkeyStore(StoreAddress.parse(url), timeout_s=5, keep_s=1)
        self.limits = SharedLimits(self.limiter, self._store, StableKeys(secret))

    def grants(self, key: str) -> bool:
        return self.limiter.take(key, RATE, time.monotonic()).granted


def test_what_some_servers_granted_the_others_do_not_grant_again(valkey: str) -> None:
    async def scenario() -> None:
        # Each hears of the others when it has granted its burst; all of that is owed then.
        others = [_Server(valkey, b"shared limits") for _ in range(5)]
        for server in others:
            assert sum(server.grants("key_a") for _ in range(3 * BURST)) == BURST
            await server.limits.tell()
        one = _Server(valkey, b"shared limits")
        # It has not heard of it when its first request comes.
        assert one.grants("key_a")
        await one.limits.tell()
        refused = one.limiter.take("key_a", RATE, time.monotonic())
        assert not refused.granted
        assert refused.reset_s > 2
        assert one.grants("key_b")
        for server in (one, *others):
            await server.limits.stop()

    asyncio.run(scenario())


def test_all_that_many_servers_granted_is_owed(valkey: str) -> None:
    async def scenario() -> None:
        many = [_Server(valkey, b"many servers") for _ in range(20)]
        started = time.monotonic()
        for server in many:
            assert sum(server.grants("key_a") for _ in range(3 * BURST)) == BURST
            await server.limits.tell()
        refused = many[-1].limiter.take("key_a", RATE, time.monotonic())
        passed = time.monotonic() - started
        # All but one burst, without what the bucket has gained since.
        assert refused.reset_s >= (len(many) - 1) * BURST / RATE - passed
        for server in many:
            await server.limits.stop()

    asyncio.run(scenario())


class _Noting(ValkeyStore):
    """A store that notes how many tokens it is told of each bucket."""

    def __init__(self) -> None:
        super().__init__(StoreAddress.parse("redis://host"), timeout_s=1, keep_s=1)
        self.tokens: list[tuple[Word, Word]] = []

    async def command(self, *words: Word) -> bytes:
        _command, _script, _keys, name, tokens, *_ = words
        self.tokens.append((name, tokens))
        return b"0"


def test_tokens_of_more_buckets_than_are_told_at_once_are_told_the_next_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shared_limits, "_MOST_AT_ONCE", 2)
    limiter, store, keys = SharedRateLimiter(), _Noting(), StableKeys(b"many buckets")
    buckets = [f"key_{number}" for number in range(5)]

    async def scenario() -> None:
        limits = SharedLimits(limiter, store, keys)
        for number, bucket in enumerate(buckets):
            for _ in range(1 + number % BURST):
                assert limiter.take(bucket, RATE, 100.0).granted
        for told in (2, 4, 5, 5):
            await limits.tell()
            assert len(store.tokens) == told

    asyncio.run(scenario())
    names = [keys.account(bucket).other + b"rate" for bucket in buckets]
    assert store.tokens == list(zip(names, (1, 2, 3, 4, 1), strict=True))


def test_tokens_taken_while_the_store_is_asked_still_count() -> None:
    limiter, now = SharedRateLimiter(), 100.0
    for _ in range(2):
        limiter.take("key_a", RATE, now)
    assert limiter.drain(1)["key_a"].tokens == 2
    limiter.take("key_a", RATE, now)
    limiter.learn("key_a", 2 / RATE, now)
    assert limiter.look("key_a", RATE, now).remaining == BURST - 3


def test_without_the_store_each_server_limits_what_it_serves(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def scenario() -> None:
        for _ in range(2):
            server = _Server("unix:///nowhere/valkey.sock", b"gone")
            assert sum(server.grants("key_a") for _ in range(3 * BURST)) == BURST
            await server.limits.tell()
            assert not server.limits.answers

    asyncio.run(scenario())
    assert "each server limits rates by itself" in caplog.text
