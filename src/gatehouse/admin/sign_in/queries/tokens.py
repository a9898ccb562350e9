"""Tokens that work once and for a while: links, second steps of a sign-in, challenges."""

from typing import Any, TypeVar

import msgspec
import sqlalchemy as sa

from gatehouse.admin.people.queries import sealed
from gatehouse.core.ids import Randomness
from gatehouse.core.secrets.keyring import KeyRing
from gatehouse.store.people.tables import ONE_TIME_TOKENS

T = TypeVar("T")


class NewToken(msgspec.Struct, frozen=True, kw_only=True):
    """What a token is for."""

    kind: str
    user_id: str | None
    expires_at_ms: int
    content: Any
    """What the use of it will need; it is sealed."""


def add(
    connection: sa.Connection, ring: KeyRing, random_bytes: Randomness, token: str, new: NewToken
) -> None:
    """Store a token by its hash."""
    columns = {
        "hash": _hash(ring, new.kind, token),
        "kind": new.kind,
        "user_id": new.user_id,
        "expires_at_ms": new.expires_at_ms,
    }
    cells = sealed.seal(ring, random_bytes, new.content, "one_time_tokens", *columns.values())
    connection.execute(ONE_TIME_TOKENS.insert(), {**columns, **cells})


class FoundToken(msgspec.Struct, frozen=True):
    """A token that still works."""

    user_id: str | None
    expires_at_ms: int
    content: Any


def find(
    connection: sa.Connection, ring: KeyRing, now_ms: int, kind: str, token: str
) -> FoundToken | None:
    """A token of this kind that still works, without using it."""
    this = ONE_TIME_TOKENS.c.hash == _hash(ring, kind, token)
    row = connection.execute(sa.select(ONE_TIME_TOKENS).where(this)).first()
    if row is None or row.expires_at_ms <= now_ms:
        return None
    bound = ("one_time_tokens", row.hash, row.kind, row.user_id, row.expires_at_ms)
    content = sealed.open_sealed(ring, row, dict[str, Any], *bound)
    return FoundToken(row.user_id, row.expires_at_ms, content)


def use(connection: sa.Connection, ring: KeyRing, kind: str, token: str) -> bool:
    """Use a token up; False when somebody else was first."""
    this = ONE_TIME_TOKENS.c.hash == _hash(ring, kind, token)
    return connection.execute(ONE_TIME_TOKENS.delete().where(this)).rowcount == 1


def forget_of(connection: sa.Connection, user_id: str, *kinds: str) -> None:
    """Let earlier tokens of a person work no more."""
    c = ONE_TIME_TOKENS.c
    these = (c.user_id == user_id) & c.kind.in_(kinds)
    connection.execute(ONE_TIME_TOKENS.delete().where(these))


def forget_old(connection: sa.Connection, now_ms: int) -> int:
    """Delete tokens that have expired; how many."""
    old = ONE_TIME_TOKENS.c.expires_at_ms <= now_ms
    return connection.execute(ONE_TIME_TOKENS.delete().where(old)).rowcount


def _hash(ring: KeyRing, kind: str, token: str) -> str:
    return sealed.hashed(ring, f"token {kind}", token)
