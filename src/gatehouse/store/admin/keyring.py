"""Stores the ring of keys, each wrapped by the root secret."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from gatehouse.core.clock import Clock
from gatehouse.core.errors import SettingsError
from gatehouse.core.ids import Randomness
from gatehouse.core.secrets.keyring import AUDIT, PURPOSES, KeyRing, RootSecret
from gatehouse.store.admin import audit
from gatehouse.store.database import Database
from gatehouse.store.state import lock_changes
from gatehouse.store.tables import KEY_RING


class NewKeyVersion(NamedTuple):
    """The next key for a purpose."""

    purpose: str
    version: int
    created_at_ms: int


def open_ring(
    database: Database, roots: Sequence[RootSecret], clock: Clock, randomness: Randomness
) -> KeyRing:
    """Unwrap the ring with whichever root secret it is wrapped; purposes without a key get one."""
    ring = _load(database, roots)
    if {purpose for purpose, _ in ring.versions()} >= set(PURPOSES):
        return ring
    with database.writing() as connection:
        lock_changes(connection)
        root = in_force(connection, roots)
        present = set(connection.scalars(sa.select(KEY_RING.c.purpose)))
        made = {purpose: randomness(32) for purpose in PURPOSES if purpose not in present}
        rows = [
            _row(root, NewKeyVersion(purpose, 1, clock()), key, randomness)
            for purpose, key in made.items()
        ]
        if rows:
            connection.execute(KEY_RING.insert(), rows)
        if AUDIT in made:
            audit.start(connection, made[AUDIT])
    return _load(database, roots)


def insert_key(
    connection: sa.Connection, root: RootSecret, new: NewKeyVersion, randomness: Randomness
) -> bytes:
    """Add a fresh key to the ring."""
    key = randomness(32)
    connection.execute(KEY_RING.insert(), _row(root, new, key, randomness))
    return key


def _row(
    root: RootSecret, new: NewKeyVersion, key: bytes, randomness: Randomness
) -> dict[str, Any]:
    """A key as it is stored: wrapped."""
    wrapped = root.wrap(new.purpose, new.version, key, randomness(12))
    return {**new._asdict(), "wrapped": wrapped}


def rewrap(
    connection: sa.Connection, old: RootSecret, new: RootSecret, randomness: Randomness
) -> int:
    """Wrap every key with a new root secret; nothing else changes."""
    rows = connection.execute(sa.select(KEY_RING)).all()
    for row in rows:
        key = old.unwrap(row.purpose, row.version, row.wrapped)
        wrapped = new.wrap(row.purpose, row.version, key, randomness(12))
        this = (KEY_RING.c.purpose == row.purpose) & (KEY_RING.c.version == row.version)
        connection.execute(KEY_RING.update().where(this).values(wrapped=wrapped))
    return len(rows)


def in_force(connection: sa.Connection, roots: Sequence[RootSecret]) -> RootSecret:
    """The one of the root secrets that wraps the ring; the first one, if there is no ring yet."""
    row = connection.execute(sa.select(KEY_RING).limit(1)).first()
    if row is None:
        return roots[0]
    for root in roots[:-1]:
        try:
            root.unwrap(row.purpose, row.version, row.wrapped)
        except SettingsError:
            continue
        return root
    return roots[-1]


def _load(database: Database, roots: Sequence[RootSecret]) -> KeyRing:
    with database.reading() as connection:
        root = in_force(connection, roots)
        rows = connection.execute(sa.select(KEY_RING)).all()
    return KeyRing(
        {(r.purpose, r.version): root.unwrap(r.purpose, r.version, r.wrapped) for r in rows}
    )
