"""Replacing the key that seals identity records: seal them anew, then drop the older keys."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.core.errors import Conflict
from gatehouse.core.secrets.keyring import CARD_FINGERPRINTS, IDENTITIES
from gatehouse.store import tables
from gatehouse.store.identities.identities import (
    ROW_KEY,
    THIS_ROW,
    HolderKey,
    open_or_explain,
    overwrite_deleted,
    row_parameters,
)
from gatehouse.store.identities.identity_sealer import (
    IdentitySealer,
    StoredHolder,
    UnreadableHolder,
)
from gatehouse.store.tables import KEY_RING

_ROWS: Final = tables.IDENTITIES


class Resealed(msgspec.Struct, frozen=True):
    """How many of the next rows were read and sealed anew, and which could not be opened."""

    until: HolderKey | None
    """The last row; None at the end."""
    seen: int
    done: int
    unreadable: Sequence[UnreadableHolder]


def check_keys(connection: sa.Connection, sealer: IdentitySealer) -> None:
    """Refuse to write with keys that were replaced meanwhile: such rows could not be read."""
    newest = sa.func.max(KEY_RING.c.version)
    query = sa.select(KEY_RING.c.purpose, newest).group_by(KEY_RING.c.purpose)
    found = {row[0]: row[1] for row in connection.execute(query)}
    known = {IDENTITIES: sealer.version, CARD_FINGERPRINTS: sealer.card_version}
    if {purpose: found.get(purpose) for purpose in known} != known:
        raise Conflict("a key was renewed meanwhile; run the command again")


def reseal(
    after: HolderKey | None,
    connection: sa.Connection,
    sealer: IdentitySealer,
    limit: int,
) -> Resealed:
    """Seal the next rows with the newest key, and leave out those that cannot be opened."""
    query = sa.select(_ROWS).order_by(*ROW_KEY).limit(limit)
    if after is not None:
        query = query.where(sa.tuple_(*ROW_KEY) > sa.tuple_(*map(sa.literal, after)))
    rows = connection.execute(query).all()
    older = [
        (row, open_or_explain(row, sealer)) for row in rows if row.key_version < sealer.version
    ]
    values = [
        {**row_parameters(row), **sealer.reseal(stored)}
        for row, stored in older
        if isinstance(stored, StoredHolder)
    ]
    if values:
        overwrite_deleted(connection)
        columns = ("key_version", "sealed", "content")
        changed: dict[str, Any] = {column: sa.bindparam(column) for column in columns}
        connection.execute(_ROWS.update().where(THIS_ROW).values(changed), values)
    last = (rows[-1].card, rows[-1].scope, rows[-1].person) if len(rows) == limit else None
    unreadable = [one for _, one in older if isinstance(one, UnreadableHolder)]
    return Resealed(last, len(rows), len(values), unreadable)


def drop_old_keys(connection: sa.Connection, sealer: IdentitySealer) -> int:
    """Take the keys off the ring that seal nothing any more; returns how many."""
    check_keys(connection, sealer)
    remaining = sa.select(_ROWS.c.person).where(_ROWS.c.key_version < sealer.version).limit(1)
    if connection.execute(remaining).first() is not None:
        raise Conflict("records sealed with an older key have come in; run the command again")
    overwrite_deleted(connection)
    older = (KEY_RING.c.purpose == IDENTITIES) & (KEY_RING.c.version < sealer.version)
    return connection.execute(KEY_RING.delete().where(older)).rowcount
