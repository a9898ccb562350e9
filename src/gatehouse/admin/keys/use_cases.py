"""What can be done with API keys: listing, issuing, rotating and revoking them.

A key that manages keys can give out every operation, because that is what it is for. It cannot
give away a scope of managing that it does not have, leave its networks, outrun its rate limit, or
have its keys live on after its own end.
"""

import ipaddress
from typing import Final

from gatehouse.access.actors import Actor, ActorKind
from gatehouse.access.keys import (
    MANAGE_SCOPES,
    OF_PLAYGROUND,
    ApiKey,
    check_networks,
    check_scopes,
)
from gatehouse.access.roles import Permission
from gatehouse.admin.keys.types import (
    LONGEST_REASON,
    MAX_RATE_LIMIT,
    KeyId,
    KeyPage,
    KeyRevocation,
    KeyRotation,
    KeyShown,
    KeyTold,
    NewKey,
    shown,
)
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import InvalidInput
from gatehouse.core.ip_networks import is_inside
from gatehouse.core.rights import Right
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.accounts import keys
from gatehouse.store.accounts.keys import IssuedKey, KeyTerms
from gatehouse.store.admin.admin_session import AdminSession, Change, Reading
from gatehouse.store.admin.use_case import use_case

_RATE_LIMIT: Final = Phrase("refused.rate_limit", "a rate limit is 0 to {most} requests per second")
_KEY_OF_PLAYGROUND: Final = Phrase(
    "refused.key_of_playground", "{name} is the console's own key; take another name"
)
_KEY_REASON: Final = Phrase("refused.key_reason", "a reason has at most {most} characters")
_GRANT_SCOPES: Final = Phrase(
    "refused.grant_scopes",
    "this key cannot issue, rotate or revoke keys with what it does not have itself: {missing}",
)
_GRANT_RATE: Final = Phrase(
    "refused.grant_rate", "this key may make {most} requests per second, and so may its keys"
)
_GRANT_NETWORKS: Final = Phrase(
    "refused.grant_networks",
    "this key is bound to networks, so that its keys must be bound to these or to parts of them: "
    "{networks}",
)
_GRANT_END: Final = Phrase("refused.grant_end", "this key ends at {at}, and so must its keys")
_SCOPE: Final = "manage:keys"
_MAY: Final = Permission.ACCESS


@use_case("GET /keys", scope=_SCOPE, permission=_MAY, answers="keysResponse")
def list_keys(reading: Reading, account_id: str) -> KeyPage:
    """List keys.

    The account's keys, oldest first, without their text.
    """
    found = keys.of_account(reading.connection, account_id)
    return KeyPage([shown(each, reading.now_ms) for each in found])


@use_case(
    "POST /keys",
    scope=_SCOPE,
    permission=_MAY,
    operation="issueKey",
    answers="keyIssuedResponse",
)
def issue(change: Change, account_id: str, given: NewKey) -> KeyTold:
    """Issue a key.

    Issues a key. It can be for every operation that reads no more than the issuing key may, for
    scopes of management that this has, within its networks, up to its rate limit and up to its end.
    """
    terms = _terms(given, change.now_ms)
    issuer = _issuer(change)
    if issuer is not None:
        terms = _within(issuer, terms)
        _check_grant(change, issuer, terms)
    _check_rights(change, account_id, terms.scopes)
    key, text = keys.issue(change, account_id, terms)
    return KeyTold(text, shown(key, change.now_ms))


@use_case(
    "POST /keys/{keyId}/rotate",
    scope=_SCOPE,
    permission=_MAY,
    operation="rotateKey",
    answers="keyIssuedResponse",
)
def rotate(change: Change, account_id: str, key_id: KeyId, given: KeyRotation) -> KeyTold:
    """Rotate a key.

    Issues a successor on the same terms; the old key ends after the overlap, and the keys that it
    issued belong to the successor. A key can rotate itself, and keys that it could issue. The
    successor ends with the calling key at the latest.
    """
    issuer = _issuer_of(change, account_id, key_id)
    _check_rights(change, account_id, keys.get(change.connection, account_id, key_id).scopes)
    # A key that rotates itself does not put off its own end.
    latest_ms = None if issuer is None else issuer.expires_at_ms
    made = keys.rotate(change, account_id, key_id, given.overlap_s * 1000, latest_ms)
    return KeyTold(made.text, shown(made.key, change.now_ms))


@use_case(
    "POST /keys/{keyId}/revoke",
    scope=_SCOPE,
    permission=_MAY,
    operation="revokeKey",
    answers="keyResponse",
)
def revoke(change: Change, account_id: str, key_id: KeyId, given: KeyRevocation) -> KeyShown:
    """Revoke a key.

    Ends a key at once, on every server within a second. A key can revoke itself, and keys that it
    could issue.
    """
    if len(given.reason) > LONGEST_REASON:
        raise InvalidInput(_KEY_REASON(most=LONGEST_REASON))
    _issuer_of(change, account_id, key_id)
    ended = keys.revoke(change, account_id, key_id, given.reason, children=given.children)
    return shown(ended, change.now_ms)


def issue_for_playground(
    session: AdminSession, account_id: str, scopes: tuple[str, ...], lifetime_ms: int
) -> IssuedKey:
    """The key with which the console's playground calls the API, good for a short time."""
    with session.account_change(account_id) as change:
        return keys.issue_for_playground(change, account_id, check_scopes(scopes), lifetime_ms)


def issued_by(session: AdminSession, account_id: str, key_id: str) -> list[ApiKey]:
    """The active keys that a key issued, and those that these issued."""
    with session.account_reading(account_id) as connection:
        key = keys.get(connection, account_id, key_id)
        return keys.issued_by(connection, key, session.clock())


def _terms(given: NewKey, now_ms: int) -> KeyTerms:
    """Terms that a key can have, in canonical form."""
    limit = given.rate_limit_per_second
    if limit is not None and not 0 <= limit <= MAX_RATE_LIMIT:
        raise InvalidInput(_RATE_LIMIT(most=MAX_RATE_LIMIT))
    if given.name.strip() == OF_PLAYGROUND:
        raise InvalidInput(_KEY_OF_PLAYGROUND(name=OF_PLAYGROUND))
    lasts_s = given.expires_in_s
    return KeyTerms(
        given.name,
        check_scopes(given.scopes),
        check_networks(given.networks),
        limit,
        None if lasts_s is None else now_ms + lasts_s * 1000,
    )


def _issuer(change: Change) -> ApiKey | None:
    """The key that asks, as it is now: it may have ended since the call came in."""
    actor = change.actor
    if actor.kind is not ActorKind.KEY:
        return None
    assert actor.account_id is not None, "a key speaks for its account"
    return keys.get_active(change, actor.account_id, actor.name)


def _issuer_of(change: Change, account_id: str, key_id: str) -> ApiKey | None:
    """The key that asks, which must be one that could have issued another; None for a person."""
    issuer = _issuer(change)
    if issuer is not None:
        key = keys.get(change.connection, account_id, key_id)
        limits = key.rate_limit_per_second, key.expires_at_ms
        _check_grant(change, issuer, KeyTerms(key.name, key.scopes, key.networks, *limits))
    return issuer


def _check_rights(change: Change, account_id: str, scopes: tuple[str, ...]) -> None:
    """Refuse to hand out a key with a right that the actor does not have."""
    given = Actor.key("", account_id, scopes=scopes)
    change.actor.check(*filter(given.may, Right))


def _within(issuer: ApiKey, terms: KeyTerms) -> KeyTerms:
    """Terms of a key that another one issues: what they leave open is as that one has it."""
    rate, ends_ms = terms.rate_limit_per_second, terms.expires_at_ms
    return KeyTerms(
        terms.name,
        terms.scopes,
        terms.networks or issuer.networks,
        issuer.rate_limit_per_second if rate is None else rate,
        issuer.expires_at_ms if ends_ms is None else ends_ms,
        issuer.key_id,
    )


def _check_grant(change: Change, key: ApiKey, terms: KeyTerms) -> None:
    """Refuse terms under which a key could do more than its issuer, or outlive it."""
    missing = [
        scope
        for scope in terms.scopes
        if scope in MANAGE_SCOPES and not key.allows_operation(scope)
    ]
    if missing:
        raise InvalidInput(_GRANT_SCOPES(missing=", ".join(missing)))
    most = _rate(change, key.rate_limit_per_second)
    if most and not 1 <= _rate(change, terms.rate_limit_per_second) <= most:
        raise InvalidInput(_GRANT_RATE(most=most))
    if key.networks and not (
        terms.networks and all(_is_inside(one, key.networks) for one in terms.networks)
    ):
        raise InvalidInput(_GRANT_NETWORKS(networks=", ".join(key.networks)))
    ends_ms = key.expires_at_ms
    if ends_ms is not None and (terms.expires_at_ms is None or terms.expires_at_ms > ends_ms):
        raise InvalidInput(_GRANT_END(at=iso_time(ends_ms)))


def _rate(change: Change, own: int | None) -> int:
    """The rate that a key's limit comes to; 0 is without limit."""
    return change.session.settings.rate_limit_per_second if own is None else own


def _is_inside(network: str, allowed: tuple[str, ...]) -> bool:
    return is_inside(ipaddress.ip_network(network), map(ipaddress.ip_network, allowed))
