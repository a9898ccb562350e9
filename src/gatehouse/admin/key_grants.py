"""Keys that a key may issue and rotate: never with more than the issuing key has itself.

A key that manages keys can give out every operation, because that is what it is for. It cannot
give away a scope of managing that it does not have, leave its networks, or outrun its rate limit.
"""

import ipaddress
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from gatehouse.access.keys import MANAGE_SCOPES, ApiKey, check_networks, check_scopes
from gatehouse.admin import keys
from gatehouse.admin.keys import KeyTerms
from gatehouse.admin.scopes import account_reading
from gatehouse.core.errors import InvalidInput
from gatehouse.core.ip_networks import is_inside
from gatehouse.store.accounts import keys as kept
from gatehouse.store.accounts.keys import IssuedKey, RotatedKey
from gatehouse.store.admin.admin_session import AdminSession

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
    """Issue a key in the name of another."""
    session.actor.check_account(issuer.key.account_id)
    rate = terms.rate_limit_per_second
    terms = msgspec.structs.replace(
        terms,
        scopes=check_scopes(terms.scopes),
        networks=check_networks(terms.networks) or issuer.key.networks,
        rate_limit_per_second=issuer.key.rate_limit_per_second if rate is None else rate,
    )
    _check_grant(issuer, terms)
    return keys.issue(session, issuer.key.account_id, terms, lifetime_ms)


def rotate_by(
    session: AdminSession, issuer: IssuingKey, key_id: str, overlap_ms: int
) -> RotatedKey:
    """Issue a successor of a key in the name of another, which is told the text of it."""
    account_id = issuer.key.account_id
    with account_reading(session, account_id) as connection:
        old = kept.get(connection, account_id, key_id)
    _check_grant(issuer, KeyTerms(old.name, old.scopes, old.networks, old.rate_limit_per_second))
    return keys.rotate(session, account_id, key_id, overlap_ms)


def _check_grant(issuer: IssuingKey, terms: KeyTerms) -> None:
    """Refuse terms under which a key could do more than its issuer."""
    key = issuer.key
    missing = [
        scope
        for scope in terms.scopes
        if scope in MANAGE_SCOPES and not key.allows_operation(scope)
    ]
    if missing:
        raise InvalidInput(f"this key cannot give away what it does not have: {', '.join(missing)}")
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


def _is_inside(network: str, allowed: Sequence[str]) -> bool:
    return is_inside(ipaddress.ip_network(network), map(ipaddress.ip_network, allowed))
