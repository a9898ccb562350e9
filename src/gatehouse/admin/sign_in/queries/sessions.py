"""Browsers that are signed in: found by the hash of their token, and bound to their person."""

from typing import Final

import sqlalchemy as sa

from gatehouse.admin.people.queries import sealed
from gatehouse.core.errors import ConfigurationRefused
from gatehouse.core.ids import Randomness
from gatehouse.core.secrets.hidden import Personal
from gatehouse.core.secrets.keyring import KeyRing
from gatehouse.store.people.tables import ONE_TIME_TOKENS, USER_SESSIONS

# Run for every page, so it is made once.
_BY_HASH: Final = sa.select(USER_SESSIONS).where(USER_SESSIONS.c.hash == sa.bindparam("hash"))


class SessionOrigin(Personal, frozen=True, kw_only=True):
    """Where a session was begun, and how."""

    address: str = ""
    agent: str = ""
    """What the browser says it is."""
    method: str = ""


class UserSession(Personal, frozen=True, kw_only=True):
    """One browser of a person."""

    session_id: str
    user_id: str
    created_at_ms: int
    expires_at_ms: int
    seen_at_ms: int
    rights: int
    origin: SessionOrigin


def add(
    connection: sa.Connection,
    ring: KeyRing,
    random_bytes: Randomness,
    new: UserSession,
    token: str,
) -> None:
    """Store a session under the hash of its token."""
    columns = {
        "id": new.session_id,
        "hash": _hash(ring, token),
        "user_id": new.user_id,
        "created_at_ms": new.created_at_ms,
        "expires_at_ms": new.expires_at_ms,
        "rights": new.rights,
    }
    cells = sealed.seal(ring, random_bytes, new.origin, "user_sessions", *columns.values())
    row = {**columns, "seen_at_ms": new.seen_at_ms, **cells}
    connection.execute(USER_SESSIONS.insert(), row)


def find(connection: sa.Connection, ring: KeyRing, token: str) -> UserSession | None:
    """The session of a token, or None; one that somebody else wrote is refused."""
    row = connection.execute(_BY_HASH, {"hash": _hash(ring, token)}).first()
    return None if row is None else _session(ring, row)


def of_user(connection: sa.Connection, ring: KeyRing, user_id: str) -> list[UserSession]:
    """The sessions of a person, oldest first; those that cannot be opened are left out."""
    query = sa.select(USER_SESSIONS).where(USER_SESSIONS.c.user_id == user_id)
    found = []
    for row in connection.execute(query.order_by(USER_SESSIONS.c.id)):
        try:
            found.append(_session(ring, row))
        except ConfigurationRefused:
            continue
    return found


def note_seen(connection: sa.Connection, session_id: str, at_ms: int) -> None:
    """Remember when a session was last used."""
    this = USER_SESSIONS.c.id == session_id
    connection.execute(USER_SESSIONS.update().where(this).values(seen_at_ms=at_ms))


def end(connection: sa.Connection, user_id: str, session_id: str) -> bool:
    """End one session of a person; whether there was one."""
    this = (USER_SESSIONS.c.user_id == user_id) & (USER_SESSIONS.c.id == session_id)
    return connection.execute(USER_SESSIONS.delete().where(this)).rowcount > 0


def end_all(connection: sa.Connection, user_id: str, but: str | None = None) -> int:
    """End all sessions of a person, but perhaps one; how many."""
    these = USER_SESSIONS.c.user_id == user_id
    if but is not None:
        these &= USER_SESSIONS.c.id != but
    return connection.execute(USER_SESSIONS.delete().where(these)).rowcount


def end_everything(connection: sa.Connection) -> None:
    """End all sessions, and let no link work any more: the data is another one now."""
    for table in (USER_SESSIONS, ONE_TIME_TOKENS):
        connection.execute(table.delete())


def forget_ended(connection: sa.Connection, now_ms: int) -> int:
    """Delete sessions that are over; how many."""
    over = USER_SESSIONS.c.expires_at_ms <= now_ms
    return connection.execute(USER_SESSIONS.delete().where(over)).rowcount


def _hash(ring: KeyRing, token: str) -> str:
    return sealed.hashed(ring, "session", token)


def _session(ring: KeyRing, row: sa.Row[tuple[object, ...]]) -> UserSession:
    c = row._mapping
    bound = [c[name] for name in ("id", "hash", "user_id", "created_at_ms", "expires_at_ms")]
    origin = sealed.open_sealed(ring, row, SessionOrigin, "user_sessions", *bound, c["rights"])
    return UserSession(
        session_id=c["id"],
        user_id=c["user_id"],
        created_at_ms=c["created_at_ms"],
        expires_at_ms=c["expires_at_ms"],
        seen_at_ms=c["seen_at_ms"],
        rights=c["rights"],
        origin=origin,
    )
