"""Keys that a key may issue, rotate and revoke: none that can do more than this key itself.

A key that manages keys can give out every operation, because that is what it is for. It cannot
give away a scope of managing that it does not have, leave its networks, outrun its rate limit, or
have its keys live on after its own end.
"""

import ipaddress
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from gatehouse.access.keys import MANAGE_SCOPES, ApiKey
from gatehouse.admin.keys.use_cases.keys import KeyTerms, checked_terms
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import InvalidInput
from gatehouse.core.ip_networks import is_inside
from gatehouse.store.accounts import keys as kept
from gatehouse.store.accounts.keys import IssuedKey, RotatedKey
from gatehouse.store.admin.admin_session import AdminSession, Change
from gatehouse.store.admin.scopes import account_change

# What the store returns, for faces.
__all__ = ["ApiKey", "IssuedKey", "RotatedKey"]


class IssuingKey(NamedTuple):
    """A key that issues others, and the rate limit of keys without one of their own."""

    key: ApiKey
    default_rate: int

    def rate_of(self, own: int | None) -> int:
        """The rate that a key's limit comes to; 0 is without limit."""
        return self.default_rate if own is None else own


def issue_by(
    session: AdminSession, issuer: IssuingKey, terms: KeyTerms, lifetime_ms: int | None
) -> IssuedKey:
    """Issue a key in the name of another, with which it ends at the latest."""
    terms = checked_terms(terms)
    with account_change(session, issuer.key.account_id) as change:
        issuer = _current(change, issuer)
        key, rate = issuer.key, terms.rate_limit_per_second
        expires_at_ms = key.expires_at_ms if lifetime_ms is None else change.now_ms + lifetime_ms
        terms = msgspec.structs.replace(
            terms,
            networks=terms.networks or key.networks,
            rate_limit_per_second=key.rate_limit_per_second if rate is None else rate,
            expires_at_ms=expires_at_ms,
            parent=key.key_id,
        )
        _check_grant(issuer, terms)
        return kept.issue(change, key.account_id, terms)


def rotate_by(
    session: AdminSession, issuer: IssuingKey, key_id: str, overlap_ms: int
) -> RotatedKey:
    """Issue a successor of a key in the name of another, which is told the text of it."""
    account_id = issuer.key.account_id
    with account_change(session, account_id) as change:
        issuer = _current(change, issuer)
        _check_grant(issuer, _terms_of(kept.get(change.connection, account_id, key_id)))
        # A key that rotates itself does not put off its own end.
        return kept.rotate(change, account_id, key_id, overlap_ms, issuer.key.expires_at_ms)


def revoke_by(
    session: AdminSession, issuer: IssuingKey, key_id: str, reason: str, *, children: bool = False
) -> ApiKey:
    """End a key in the name of another, which could have issued it."""
    account_id = issuer.key.account_id
    with account_change(session, account_id) as change:
        issuer = _current(change, issuer)
        _check_grant(issuer, _terms_of(kept.get(change.connection, account_id, key_id)))
        return kept.revoke(change, account_id, key_id, reason, children=children)


def _current(change: Change, issuer: IssuingKey) -> IssuingKey:
    """The issuing key as it is now: it may have ended since the call came in."""
    key = kept.get_active(change, issuer.key.account_id, issuer.key.key_id)
    return issuer._replace(key=key)


def _terms_of(key: ApiKey) -> KeyTerms:
    return KeyTerms(
        key.name, key.scopes, key.networks, key.rate_limit_per_second, key.expires_at_ms
    )


def _check_grant(issuer: IssuingKey, terms: KeyTerms) -> None:
    """Refuse terms under which a key could do more than its issuer, or outlive it."""
    key = issuer.key
    missing = [
        scope
        for scope in terms.scopes
        if scope in MANAGE_SCOPES and not key.allows_operation(scope)
    ]
    if missing:
        raise InvalidInput(
            "this key cannot issue, rotate or revoke keys with what it does not have itself: "
            f"{', '.join(missing)}"
        )
    most = issuer.rate_of(key.rate_limit_per_second)
    if most and not 1 <= issuer.rate_of(terms.rate_limit_per_second) <= most:
        raise InvalidInput(f"this key may make {most} requests per second, and so may its keys")
    if key.networks and not (
        terms.networks and all(_is_inside(one, key.networks) for one in terms.networks)
    ):
        raise InvalidInput(
            "this key is bound to networks, so that its keys must be bound to these or to parts "
            f"of them: {', '.join(key.networks)}"
        )
    ends_ms = key.expires_at_ms
    if ends_ms is not None and (terms.expires_at_ms is None or terms.expires_at_ms > ends_ms):
        raise InvalidInput(f"this key ends at {iso_time(ends_ms)}, and so must its keys")


def _is_inside(network: str, allowed: Sequence[str]) -> bool:
    return is_inside(ipaddress.ip_network(network), map(ipaddress.ip_network, allowed))
