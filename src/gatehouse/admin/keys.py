"""API keys of an account: issuing, listing, rotating and revoking them."""

from collections.abc import Sequence
from typing import Final

import msgspec

from gatehouse.access.keys import ApiKey, check_networks, check_scopes
from gatehouse.admin.scopes import account_change, account_reading
from gatehouse.core.errors import InvalidInput
from gatehouse.store.accounts import keys
from gatehouse.store.accounts.keys import IssuedKey, KeyTerms, RotatedKey
from gatehouse.store.admin.admin_session import AdminSession

MAX_RATE_LIMIT: Final = 1_000_000


class NewKey(msgspec.Struct, frozen=True):
    """What a key is for, what it may do, and how long it lives."""

    name: str = "default"
    scopes: Sequence[str] = ()
    networks: Sequence[str] = ()
    rate_limit_per_second: int | None = None
    lifetime_ms: int | None = None


def issue(session: AdminSession, account_id: str, new: NewKey) -> IssuedKey:
    """Issue a key; its text is in the result and cannot be had again."""
    limit = new.rate_limit_per_second
    if limit is not None and not 0 <= limit <= MAX_RATE_LIMIT:
        raise InvalidInput(f"a rate limit is 0 to {MAX_RATE_LIMIT} requests per second")
    scopes, networks = check_scopes(list(new.scopes)), check_networks(list(new.networks))
    with account_change(session, account_id) as change:
        expires_at_ms = None if new.lifetime_ms is None else change.now_ms + new.lifetime_ms
        terms = KeyTerms(new.name, scopes, networks, limit, expires_at_ms)
        return keys.issue(change, account_id, terms)


def listing(session: AdminSession, account_id: str) -> list[ApiKey]:
    """The keys of an account, oldest first, without their text."""
    with account_reading(session, account_id) as connection:
        return keys.of_account(connection, account_id)


def rotate(session: AdminSession, account_id: str, key_id: str, overlap_ms: int) -> RotatedKey:
    """Issue a successor on the same terms and let the old key end after the overlap."""
    with account_change(session, account_id) as change:
        return keys.rotate(change, account_id, key_id, overlap_ms)


def revoke(session: AdminSession, account_id: str, key_id: str, reason: str) -> ApiKey:
    """End a key at once."""
    with account_change(session, account_id) as change:
        return keys.revoke(change, account_id, key_id, reason)
