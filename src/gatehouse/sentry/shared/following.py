"""Histories as far as this server has followed their logs, and how replies move them on."""

from struct import Struct, error
from typing import Final

from gatehouse.sentry.memory.entity_history import EntityHistory
from gatehouse.sentry.memory.history_table import Shard
from gatehouse.sentry.memory.memory import EntityKind
from gatehouse.sentry.shared.entries import apply_entries
from gatehouse.sentry.shared.snapshot import unpack_history

HEADER: Final = Struct("<6s5s3s4s")
LONG: Final = 4096
"""Entries of so many bytes, some 70 events, are replaced by a snapshot."""
_UNREADABLE: Final = (ValueError, IndexError, error)
_SHARDS: Final = 64
_FULL: Final = b"Ff"
LONG_REPLIES: Final = (b"t", b"f")
"""What opens a reply about a log that is long."""


class FollowedHistory:
    """The history of an entity up to a position of its log. Entries are applied to it once."""

    __slots__ = ("compacted", "epoch", "events", "history", "position", "spared")

    def __init__(self, epoch: bytes, position: int, history: EntityHistory | None) -> None:
        self.epoch = epoch
        self.position = position
        self.history = history
        self.compacted = 0
        """The position of the last snapshot that this server has made."""
        self.events = 1
        """How often it was asked for; see `Shard`."""
        self.spared = 0

    def wants_snapshot(self) -> bool:
        """Whether a log that is long has grown since this server's last snapshot."""
        return self.position - self.compacted > LONG // 2


class FollowedHistories:
    """The histories that this server keeps, by key; the others are read again from the store."""

    def __init__(self, limit: int) -> None:
        cap = max(limit // _SHARDS, 1)
        self._shards: list[Shard[FollowedHistory]] = [Shard(cap) for _ in range(_SHARDS)]

    def __len__(self) -> int:
        return sum(map(len, self._shards))

    def find(self, key: int) -> FollowedHistory | None:
        """The history of an entity that is seen again, if it is kept."""
        shard = self._shards[key >> 5 & 63]
        return shard.known.get(key) or shard.promote(key)

    def keep(self, key: int, followed: FollowedHistory, *, instead: bool = True) -> None:
        """Keep a history, instead of one of another epoch if there is one."""
        shard = self._shards[key >> 5 & 63]
        if instead:
            shard.drop(key)
        shard.add(key, followed)

    def drop(self, key: int) -> None:
        """Keep a history no longer."""
        self._shards[key >> 5 & 63].drop(key)

    def follow_to(
        self, key: int, asked: tuple[FollowedHistory, int] | None, reply: bytes
    ) -> FollowedHistory | None:
        """Apply what the store said came after the position that was asked for.

        That of another request can have been applied in the meantime: positions tell.
        """
        if not reply:
            self.drop(key)
            return None
        kind = EntityKind(key & 31)
        if reply[0] in _FULL:
            return self._read_whole(key, kind, reply)
        assert asked is not None
        followed, position = asked
        known = followed.position - position
        if known < len(reply) - 1:
            followed.history = _applied(followed.history, kind, reply, 1 + known)
            followed.position = position + len(reply) - 1
        followed.events += 1
        return followed

    def _read_whole(self, key: int, kind: EntityKind, reply: bytes) -> FollowedHistory:
        epoch, base_, snapshot_, _ = HEADER.unpack_from(reply, 1)
        base, length = int.from_bytes(base_, "little"), int.from_bytes(snapshot_, "little")
        start = 1 + HEADER.size + length
        finish = base + len(reply) - start
        known = self.find(key)
        if known is None or known.epoch != epoch or known.position < base:
            known = FollowedHistory(epoch, base, _unpacked(kind, reply[1 + HEADER.size : start]))
            self.keep(key, known)
        if known.position < finish:
            from_here = start + known.position - base
            known.history = _applied(known.history, kind, reply, from_here)
            known.position = finish
        return known


def _unpacked(kind: EntityKind, snapshot: bytes) -> EntityHistory | None:
    try:
        return unpack_history(kind, snapshot)
    except _UNREADABLE:
        return None


def _applied(
    history: EntityHistory | None, kind: EntityKind, log: bytes, start: int
) -> EntityHistory | None:
    """The history after some entries. One that cannot be read begins anew, for all servers."""
    try:
        return apply_entries(history, kind, log, start)
    except _UNREADABLE:
        return None
