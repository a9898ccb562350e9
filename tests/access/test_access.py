"""Keys and limits: shapes, refusals and rates."""

import ipaddress
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatehouse.access.keys import (
    ApiKey,
    KeyRefusal,
    check_networks,
    check_scopes,
    examine_key_text,
    key_hash,
    new_key_text,
)
from gatehouse.access.limits import RateLimiter
from gatehouse.core.errors import InvalidInput


def _key(**changes: object) -> ApiKey:
    fields: dict[str, object] = {
        "key_id": "key_1",
        "account_id": "acct_1",
        "name": "default",
        "scopes": (),
        "networks": (),
        "rate_limit_per_second": None,
        "created_at_ms": 0,
        "expires_at_ms": None,
        "revoked_at_ms": None,
    }
    return ApiKey(**(fields | changes))  # type: ignore[arg-type]  # any field


def test_a_key_tells_its_environment_and_holds_256_bits() -> None:
    sandbox, live = (new_key_text(e, os.urandom) for e in ("sandbox", "production"))
    assert sandbox.startswith("gh_sandbox_")
    assert live.startswith("gh_live_")
    assert len(sandbox.removeprefix("gh_sandbox_")) == 43
    assert examine_key_text(sandbox, "sandbox") is None
    assert examine_key_text(live, "sandbox") is KeyRefusal.OTHER_ENVIRONMENT
    assert examine_key_text("gh_sandbox_short", "sandbox") is KeyRefusal.INVALID


def test_a_hash_depends_on_the_ring_and_does_not_hold_the_key() -> None:
    text = new_key_text("sandbox", os.urandom)
    assert key_hash(text, b"a" * 32) != key_hash(text, b"b" * 32)
    assert text not in key_hash(text, b"a" * 32)


def test_a_key_ends_when_it_expires_or_is_revoked() -> None:
    assert _key().status(10) == "active"
    assert _key(expires_at_ms=10).status(9) == "active"
    assert _key(expires_at_ms=10).status(10) == "expired"
    assert _key(revoked_at_ms=10).status(10) == "revoked"


def test_a_key_with_networks_is_for_those_addresses() -> None:
    key = _key(networks=("203.0.113.0/24", "2001:db8::/32"))
    allowed = ("203.0.113.7", "2001:db8::1")
    assert all(key.allows_address(ipaddress.ip_address(a)) for a in allowed)
    assert not key.allows_address(ipaddress.ip_address("198.51.100.1"))
    assert not key.allows_address(None)


def test_wrong_scopes_and_networks_are_refused_with_what_there_is() -> None:
    with pytest.raises(InvalidInput, match="precheck"):
        check_scopes(["everything"])
    with pytest.raises(InvalidInput, match=r"203\.0\.113\.0/24"):
        check_networks(["10.0.0.1/8"])


@given(st.integers(1, 50), st.lists(st.floats(0, 0.5), max_size=300))
def test_no_key_ever_gets_more_than_burst_plus_rate(rate: int, gaps: list[float]) -> None:
    limiter = RateLimiter()
    now, granted = 0.0, 0
    for gap in gaps:
        now += gap
        allowance = limiter.take("key", rate, now)
        granted += allowance.granted
        assert 0 <= allowance.remaining < allowance.limit
        assert allowance.reset_s >= 1
    assert granted <= 2 * rate + now * rate + 1


def test_a_refused_caller_who_waits_as_told_gets_in() -> None:
    limiter = RateLimiter()
    while (allowance := limiter.take("key", 2, 100.0)).granted:
        pass
    assert limiter.take("key", 2, 100.0 + allowance.reset_s).granted


def test_keys_have_buckets_of_their_own_and_full_ones_are_forgotten() -> None:
    limiter = RateLimiter(most_buckets=10)
    for number in range(1000):
        assert limiter.take(f"key_{number}", 1, float(number)).granted
    assert len(limiter._full_at) <= 11
