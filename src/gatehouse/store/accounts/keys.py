"""API keys: issuing, rotating, revoking, and finding the caller behind one."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import msgspec
import sqlalchemy as sa

from gatehouse.access.keys import OF_PLAYGROUND, ApiKey, key_hash, new_key_text
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import Conflict, NotFound
from gatehouse.core.events import EventName
from gatehouse.core.secrets import keyring
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import Change
from gatehouse.store.configured.account_signature import refused
from gatehouse.store.configured.signing import Signer
from gatehouse.store.database import struct_from
from gatehouse.store.tables import API_KEYS

_KEY_OVER: Final = Phrase("refused.key_over", "key {key} is {state}; issue a new one instead")
_ENDED: Final = {
    state: Phrase(f"refused.key_is_{state}", state) for state in ("revoked", "expired")
}

_PLAYGROUND_KEY: Final = Phrase(
    "refused.playground_key", "key {key_id} is the playground's, which replaces it by itself"
)
_KEY_ROTATED: Final = Phrase(
    "refused.key_rotated",
    "key {key_id} was rotated already; rotate its successor {successor} instead",
)

_NO_KEY: Final = Phrase("refused.no_key", "account {account} has no key {key}")
_KEY_REVOKED: Final = Phrase("refused.key_revoked", "key {key} is revoked already")


class KeyTerms(msgspec.Struct, frozen=True):
    """What an operator decides about a key."""

    name: str = "default"
    scopes: tuple[str, ...] = ()
    networks: tuple[str, ...] = ()
    rate_limit_per_second: int | None = None
    expires_at_ms: int | None = None
    parent: str | None = None
    """The key that issues it."""


class IssuedKey(NamedTuple):
    """A new key, with the text that is not kept."""

    key: ApiKey
    text: str


class RotatedKey(NamedTuple):
    """A successor, with its text, and the key that it replaces."""

    key: ApiKey
    text: str
    old: ApiKey


def issue(change: Change, account_id: str, terms: KeyTerms) -> IssuedKey:
    """Make a key; its text is returned here and can never be had again."""
    accounts.get_open(change.connection, account_id)
    terms = msgspec.structs.replace(terms, name=recordable(terms.name))
    issued = _insert(change, account_id, terms)
    given = {name: value for name, value in msgspec.to_builtins(terms).items() if value}
    change.audit("key.issue", account_id, keyId=issued.key.key_id, **given)
    _tell_created(change, issued.key)
    return issued


def issue_for_playground(
    change: Change, account_id: str, scopes: tuple[str, ...], lifetime_ms: int
) -> IssuedKey:
    """The key of the playground with a new text; its account is not told of it.

    There is one for an account: its text and its end are replaced each time, until somebody
    revokes it.
    """
    accounts.get_open(change.connection, account_id)
    found = [each for each in of_account(change.connection, account_id) if each.is_of_playground]
    kept = next((each for each in found if each.revoked_at_ms is None), None)
    expires_at_ms = change.now_ms + lifetime_ms
    if kept is None:
        terms = KeyTerms(OF_PLAYGROUND, scopes, expires_at_ms=expires_at_ms)
        issued = _insert(change, account_id, terms)
    else:
        text, hashed = _new_text(change)
        values = {"created_at_ms": change.now_ms, "expires_at_ms": expires_at_ms}
        allowed = " ".join(scopes)
        _set(change, kept, hash=hashed, scopes=allowed, **values)
        issued = IssuedKey(msgspec.structs.replace(kept, scopes=scopes, **values), text)
    change.audit("key.playground", account_id, keyId=issued.key.key_id)
    return issued


def rotate(
    change: Change, account_id: str, key_id: str, overlap_ms: int, latest_ms: int | None = None
) -> RotatedKey:
    """Issue a successor with the same terms and lifetime; the old key ends after the overlap.

    The successor ends with the key that issued the old one, or at `latest_ms`, if that is earlier.
    The keys that the old one issued belong to the successor.
    """
    accounts.get_open(change.connection, account_id)
    old = get_active(change, account_id, key_id)
    if old.is_of_playground:
        raise Conflict(_PLAYGROUND_KEY(key_id=key_id))
    if old.successor is not None:
        raise Conflict(_KEY_ROTATED(key_id=key_id, successor=old.successor))
    issued = [each for each in of_account(change.connection, account_id) if each.parent == key_id]
    key, text = _insert(change, account_id, _terms_again(change, old, latest_ms))
    ends_ms = _earliest(change.now_ms + overlap_ms, old.expires_at_ms)
    _set(change, old, expires_at_ms=ends_ms, successor=key.key_id)
    for each in issued:
        _set(change, each, parent=key.key_id)
    ended = msgspec.structs.replace(old, expires_at_ms=ends_ms, successor=key.key_id)
    change.audit(
        "key.rotate", account_id, keyId=key_id, successor=key.key_id, oldExpiresAtMs=ends_ms
    )
    _tell_created(change, key, replaces=key_id)
    return RotatedKey(key, text, ended)


def _terms_again(change: Change, old: ApiKey, latest_ms: int | None) -> KeyTerms:
    """The terms of a successor."""
    ends_ms = None
    if old.expires_at_ms is not None:
        ends_ms = change.now_ms + old.expires_at_ms - old.created_at_ms
    if old.parent is not None:
        parent = get(change.connection, old.account_id, old.parent)
        ends_ms = _earliest(ends_ms, parent.expires_at_ms)
    return KeyTerms(
        old.name,
        old.scopes,
        old.networks,
        old.rate_limit_per_second,
        _earliest(ends_ms, latest_ms),
        old.parent,
    )


def _earliest(*times_ms: int | None) -> int | None:
    """The first of some moments; None stands for never."""
    return min((each for each in times_ms if each is not None), default=None)


def revoke(
    change: Change, account_id: str, key_id: str, reason: str, *, children: bool = False
) -> ApiKey:
    """End a key at once; with `children`, also the keys that it issued."""
    key = get(change.connection, account_id, key_id)
    issued = issued_by(change.connection, key, change.now_ms) if children else []
    if key.revoked_at_ms is not None and not issued:
        raise Conflict(_KEY_REVOKED(key=key_id))
    for each in (key, *issued):
        if each.revoked_at_ms is None:
            change.audit("key.revoke", account_id, keyId=each.key_id, reason=recordable(reason))
            said = {"keyId": each.key_id, "name": each.name, "reason": recordable(reason)}
            change.event(EventName.KEY_REVOKED, account_id, each.key_id, said)
            _set(change, each, revoked_at_ms=change.now_ms)
    return get(change.connection, account_id, key_id)


def issued_by(connection: sa.Connection, key: ApiKey, now_ms: int) -> list[ApiKey]:
    """The active keys that a key issued, and those that these issued."""
    found, parents = [], {key.key_id}
    others = of_account(connection, key.account_id)
    while children := [each for each in others if each.parent in parents]:
        found += children
        parents = {each.key_id for each in children}
        others = [each for each in others if each.key_id not in parents]
    return [each for each in found if each.status(now_ms) == "active"]


def get_active(change: Change, account_id: str, key_id: str) -> ApiKey:
    """The account's key; `Conflict` when it has ended."""
    key = get(change.connection, account_id, key_id)
    state = key.status(change.now_ms)
    if state != "active":
        raise Conflict(_KEY_OVER(key=key_id, state=_ENDED[state]()))
    return key


def get(connection: sa.Connection, account_id: str, key_id: str) -> ApiKey:
    """The account's key, or `NotFound`."""
    query = sa.select(API_KEYS).where(API_KEYS.c.account_id == account_id, API_KEYS.c.id == key_id)
    row = connection.execute(query).first()
    if row is None:
        raise NotFound(_NO_KEY(account=recordable(account_id), key=recordable(key_id)))
    return _key(row)


def of_account(connection: sa.Connection, account_id: str) -> list[ApiKey]:
    """All keys of the account, oldest first."""
    accounts.get(connection, account_id)
    query = sa.select(API_KEYS).where(API_KEYS.c.account_id == account_id)
    rows = connection.execute(query.order_by(API_KEYS.c.id))
    return [_key(row) for row in rows]


def find(connection: sa.Connection, hashed: str, signer: Signer) -> ApiKey | None:
    """The key with this hash, which may be revoked or expired; or `ConfigurationRefused`."""
    row = connection.execute(sa.select(API_KEYS).where(API_KEYS.c.hash == hashed)).first()
    if row is None:
        return None
    _check(signer, row._mapping)
    return _key(row)


def note_uses(connection: sa.Connection, uses: Mapping[str, int]) -> None:
    """Remember when keys were last used."""
    rows = [{"key": key_id, "at": at_ms} for key_id, at_ms in sorted(uses.items())]
    update = (
        API_KEYS.update()
        .where(API_KEYS.c.id == sa.bindparam("key"))
        .values(last_used_at_ms=sa.bindparam("at"))
    )
    connection.execute(update, rows)


def _insert(change: Change, account_id: str, terms: KeyTerms) -> IssuedKey:
    text, hashed = _new_text(change)
    key = ApiKey(
        key_id=change.new_id("key"),
        account_id=account_id,
        created_at_ms=change.now_ms,
        revoked_at_ms=None,
        **msgspec.structs.asdict(terms),
    )
    row = msgspec.structs.asdict(key)
    row["id"] = row.pop("key_id")
    row["hash"] = hashed
    row["scopes"] = " ".join(key.scopes)
    row["networks"] = " ".join(key.networks)
    change.connection.execute(API_KEYS.insert(), change.signer.signed(API_KEYS, row))
    return IssuedKey(key, text)


def _new_text(change: Change) -> tuple[str, str]:
    """The text of a new key, and what is kept of it."""
    text = new_key_text(change.environment, change.random_bytes)
    return text, key_hash(text, change.ring.current(keyring.API_KEYS)[1])


def _tell_created(change: Change, key: ApiKey, **more: str) -> None:
    said = {"keyId": key.key_id, "name": key.name, "scopes": key.scopes, **more}
    if key.expires_at_ms is not None:
        said["expiresAt"] = iso_time(key.expires_at_ms)
    change.event(EventName.KEY_CREATED, key.account_id, key.key_id, said)


def _check(signer: Signer, row: Any) -> None:
    if not signer.is_genuine(API_KEYS, row):
        raise refused(row["account_id"], f"key {row['id']} was changed")


def _set(change: Change, key: ApiKey, **values: int | str | None) -> None:
    this = API_KEYS.c.id == key.key_id
    row = dict(change.connection.execute(sa.select(API_KEYS).where(this)).one()._mapping)
    _check(change.signer, row)
    signed = change.signer.signed(API_KEYS, row | values)
    change.connection.execute(API_KEYS.update().where(this).values(signed))


def _key(row: Any) -> ApiKey:
    lists = {"scopes": row.scopes.split(), "networks": row.networks.split()}
    return struct_from(row, ApiKey, key_id=row.id, **lists)
