"""Messages to the memories of running servers: which events of erased requests to forget, and which
of an imported past to remember.

The first say what the record no longer does. So messages are sealed, and deleted after the time in
which every server that works has read it.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.core.errors import KeyMissing, SealBroken
from gatehouse.core.ids import Randomness
from gatehouse.core.secrets.hidden import Personal
from gatehouse.core.secrets.keyring import ERASURES, KeyRing
from gatehouse.core.secrets.sealing import Sealer
from gatehouse.sentry.memory.memory import MemoryEvent
from gatehouse.store.identities.identities import overwrite_deleted
from gatehouse.store.notices import ChangeNotice, notify
from gatehouse.store.tables import FORGOTTEN_EVENTS

KEPT_MS: Final = 3_600_000
_LABEL: Final = b"forgotten events"
_AT_ONCE: Final = 20
_C: Final = FORGOTTEN_EVENTS.c


class ForgottenEvent(Personal, frozen=True, array_like=True):
    """An event as its record told it, and what is known of its request."""

    received_ms: int
    """When its request came in; the event itself can be of an earlier time."""
    event: MemoryEvent
    counted: bool
    declined: bool
    fraud: bool | None = None
    """Its label, if it has one that counts."""
    imported: bool = False
    """Whether it is to be remembered instead; it does not count then for an earlier version."""


class Message(msgspec.Struct, frozen=True):
    """Some events, and the number of the message."""

    seq: int
    events: list[ForgottenEvent]


_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(list[ForgottenEvent]).decode


class ForgottenEvents:
    """Writes and reads the messages."""

    def __init__(self, ring: KeyRing) -> None:
        self._sealer = Sealer(ring, ERASURES)

    def add(
        self,
        connection: sa.Connection,
        events: Sequence[ForgottenEvent],
        now_ms: int,
        randomness: Randomness,
    ) -> None:
        """Send a message; the transaction must hold the lock on changes."""
        if not events:
            return
        version, sealed = self._sealer.seal(_encode(list(events)), _LABEL, randomness)
        row: dict[str, Any] = {"seq": max(newest(connection) + 1, now_ms), "at_ms": now_ms}
        row |= {"key_version": version, "sealed": sealed}
        connection.execute(FORGOTTEN_EVENTS.insert(), row)
        notify(connection, ChangeNotice.ERASED)

    def after(self, connection: sa.Connection, seq: int) -> list[Message]:
        """Some messages above a number, in order; one that cannot be opened has no events."""
        query = sa.select(FORGOTTEN_EVENTS).where(_C.seq > seq).order_by(_C.seq).limit(_AT_ONCE)
        return [Message(row.seq, self._opened(row)) for row in connection.execute(query)]

    def _opened(self, row: Any) -> list[ForgottenEvent]:
        try:
            return _decode(self._sealer.open(row.key_version, row.sealed, _LABEL))
        except (KeyMissing, SealBroken, msgspec.DecodeError):
            return []


def newest(connection: sa.Connection) -> int:
    """The number of the newest message, 0 when there is none."""
    return connection.scalar(sa.select(sa.func.max(_C.seq))) or 0


def any_old(connection: sa.Connection, now_ms: int) -> bool:
    """Whether there are messages that every server has read."""
    query = sa.select(_C.seq).where(_C.at_ms <= now_ms - KEPT_MS).limit(1)
    return connection.scalar(query) is not None


def delete_old(connection: sa.Connection, now_ms: int) -> int:
    """Delete the messages that every server has read."""
    overwrite_deleted(connection)
    old = FORGOTTEN_EVENTS.delete().where(_C.at_ms <= now_ms - KEPT_MS)
    return connection.execute(old).rowcount
