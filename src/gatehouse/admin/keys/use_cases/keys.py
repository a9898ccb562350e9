"""API keys of an account: issuing, listing, rotating and revoking them."""

from typing import Final

import msgspec

from gatehouse.access.keys import OF_PLAYGROUND, ApiKey, check_networks, check_scopes
from gatehouse.core.errors import InvalidInput
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.accounts import keys
from gatehouse.store.accounts.keys import LONGEST_REASON, IssuedKey, KeyTerms, RotatedKey
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.scopes import account_change, account_reading

_RATE_LIMIT: Final = Phrase("refused.rate_limit", "a rate limit is 0 to {most} requests per second")

# What the store takes, for faces.
__all__ = ["LONGEST_REASON", "KeyTerms"]

_KEY_OF_PLAYGROUND: Final = Phrase(
    "refused.key_of_playground", "{name} is the console's own key; take another name"
)

MAX_RATE_LIMIT: Final = 1_000_000


def issue(
    session: AdminSession, account_id: str, terms: KeyTerms, lifetime_ms: int | None = None
) -> IssuedKey:
    """Issue a key; its text is in the result and cannot be had again."""
    terms = checked_terms(terms)
    with account_change(session, account_id) as change:
        if lifetime_ms is not None:
            terms = msgspec.structs.replace(terms, expires_at_ms=change.now_ms + lifetime_ms)
        return keys.issue(change, account_id, terms)


def checked_terms(terms: KeyTerms) -> KeyTerms:
    """Terms that a key can have, in canonical form."""
    limit = terms.rate_limit_per_second
    if limit is not None and not 0 <= limit <= MAX_RATE_LIMIT:
        raise InvalidInput(_RATE_LIMIT(most=MAX_RATE_LIMIT))
    if terms.name.strip() == OF_PLAYGROUND:
        raise InvalidInput(_KEY_OF_PLAYGROUND(name=OF_PLAYGROUND))
    scopes, networks = check_scopes(terms.scopes), check_networks(terms.networks)
    return msgspec.structs.replace(terms, scopes=scopes, networks=networks)


def issue_for_playground(
    session: AdminSession, account_id: str, scopes: tuple[str, ...], lifetime_ms: int
) -> IssuedKey:
    """The key with which the console's playground calls the API, good for a short time."""
    with account_change(session, account_id) as change:
        return keys.issue_for_playground(change, account_id, check_scopes(scopes), lifetime_ms)


def listing(session: AdminSession, account_id: str) -> list[ApiKey]:
    """The keys of an account, oldest first, without their text."""
    with account_reading(session, account_id) as connection:
        return keys.of_account(connection, account_id)


def rotate(session: AdminSession, account_id: str, key_id: str, overlap_ms: int) -> RotatedKey:
    """Issue a successor on the same terms and let the old key end after the overlap."""
    with account_change(session, account_id) as change:
        return keys.rotate(change, account_id, key_id, overlap_ms)


def revoke(
    session: AdminSession, account_id: str, key_id: str, reason: str, *, children: bool = False
) -> ApiKey:
    """End a key at once; with `children`, also the keys that it issued."""
    with account_change(session, account_id) as change:
        return keys.revoke(change, account_id, key_id, reason, children=children)


def issued_by(session: AdminSession, account_id: str, key_id: str) -> list[ApiKey]:
    """The active keys that a key issued, and those that these issued."""
    with account_reading(session, account_id) as connection:
        key = keys.get(connection, account_id, key_id)
        return keys.issued_by(connection, key, session.clock())
