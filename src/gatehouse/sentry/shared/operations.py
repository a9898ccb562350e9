"""What a server tells the store and asks it, one object for each; they go in common calls."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from gatehouse.core.errors import ConnectorFailed
from gatehouse.sentry.memory.history_changes import REFUSED
from gatehouse.sentry.memory.memory import MemoryEvent
from gatehouse.sentry.shared.entries import LogEntry, pack_facts
from gatehouse.sentry.shared.following import FollowedHistories, FollowedHistory
from gatehouse.sentry.shared.keys import AccountNames, KeyedEntities
from gatehouse.sentry.shared.packing import (
    COMPACT,
    COMPACTED,
    ENTITY,
    READ,
    UNKNOWN,
    EntityParts,
    Marks,
    pack_change,
)
from gatehouse.sentry.shared.snapshot import pack_history

Arguments = tuple[Sequence[bytes], bytes]
Asked = tuple[FollowedHistory, int] | None
"""How far a log was followed when it was asked for."""


class StoreOperation(Protocol):
    """One thing to tell the store."""

    names: AccountNames
    """Operations of one account go in one call."""

    def arguments(self) -> Arguments:
        """Its keys and its packed argument, as of the moment at which it is sent."""

    def answered(self, reply: Any, epoch: bytes) -> None:
        """The store has answered; logs that were begun are of this epoch."""

    def failed(self, error: ConnectorFailed) -> None:
        """The store has not answered, or could not be asked."""


class EventSubject(NamedTuple):
    """The event of an operation, with the keys of its account and entities."""

    event: MemoryEvent
    names: AccountNames
    keyed: KeyedEntities


class AwaitedOperation:
    """An operation whose answer somebody waits for, and reads in their own turn."""

    def __init__(self) -> None:
        self.future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when there is an answer, or an error."""
        self.reply: list[Any] = []
        self.epoch = UNKNOWN
        self.error: ConnectorFailed | None = None

    async def wait(self) -> None:
        """Wait for the answer; raises `ConnectorFailed`."""
        await self.future
        if self.error is not None:
            raise self.error

    def answered(self, reply: Any, epoch: bytes) -> None:
        """See `StoreOperation`."""
        self.reply, self.epoch = reply, epoch
        if not self.future.done():
            self.future.set_result(None)

    def failed(self, error: ConnectorFailed) -> None:
        """See `StoreOperation`."""
        self.error = error
        if not self.future.done():
            self.future.set_result(None)


class ReadHistories(AwaitedOperation):
    """Asks for histories of one account, and counts nothing."""

    def __init__(
        self, names: AccountNames, keys: Sequence[int], followed: FollowedHistories
    ) -> None:
        super().__init__()
        self.names = names
        self._keys = keys
        self._followed = followed
        self._asked: list[Asked] = []

    def arguments(self) -> Arguments:
        """See `StoreOperation`."""
        names = [self.names.entity + key.to_bytes(8, "big") for key in self._keys]
        packed: list[bytes] = []
        self._asked = []
        for key in self._keys:
            known = self._followed.find(key)
            self._asked.append(None if known is None else (known, known.position))
            epoch, position = (UNKNOWN, 0) if known is None else (known.epoch, known.position)
            packed.append(ENTITY[0].pack(0, epoch, position))
        event = MemoryEvent(self.names.account_id, 0.0, ())
        return pack_change(READ, event, EntityParts(b"", names, packed))

    def follow(self) -> dict[int, FollowedHistory]:
        """The histories that there are, by key."""
        found: dict[int, FollowedHistory] = {}
        for key, asked, reply in zip(self._keys, self._asked, self.reply, strict=True):
            if isinstance(reply, int):
                assert asked is not None
                known: FollowedHistory | None = asked[0]
            else:
                known = self._followed.follow_to(key, asked, reply)
            if known is not None:
                found[key] = known
        return found


class ChangeEvent:
    """Takes an event back, or notes that its payment was refused; nothing is asked."""

    def __init__(
        self,
        subject: EventSubject,
        what: LogEntry,
        marks: Marks,
        lost: Callable[[MemoryEvent], None],
    ) -> None:
        self.names = subject.names
        self._subject = subject
        self._what = what
        self._marks = marks
        self._lost = lost

    def arguments(self) -> Arguments:
        """See `StoreOperation`."""
        event, _, (layout, numbers, names) = self._subject
        what = self._what
        card = layout.card(numbers)
        keys: list[bytes] = []
        packed: list[bytes] = []
        for place, kind, partners in layout.remembered:
            if what is LogEntry.RETRACT:
                met = partners(numbers)
            elif kind in REFUSED:
                met = () if card is None else (card,)
            else:
                continue
            keys.append(names[place])
            packed.append(ENTITY[len(met)].pack(len(met), UNKNOWN, 0.0, *met))
        parts = EntityParts(pack_facts(event), keys, packed)
        if what is LogEntry.RETRACT:
            sold = list(dict.fromkeys(layout.sold(numbers)))
            parts = parts._replace(tallied=layout.tallied(numbers), sold=sold)
        return pack_change(what, event, parts, self._marks)

    def answered(self, reply: Any, epoch: bytes) -> None:
        """See `StoreOperation`."""

    def failed(self, error: ConnectorFailed) -> None:
        """See `StoreOperation`."""
        self._lost(self._subject.event)


class Compact:
    """Replaces the entries of a log by a snapshot of the history that they make."""

    def __init__(self, names: AccountNames, key: int, followed: FollowedHistory) -> None:
        self.names = names
        self._key = key
        self._followed = followed
        followed.compacted = followed.position

    def arguments(self) -> Arguments:
        """See `StoreOperation`."""
        known = self._followed
        known.compacted = known.position
        head = COMPACTED.pack(COMPACT, known.epoch, known.position)
        name = self.names.entity + self._key.to_bytes(8, "big")
        return [name], head + pack_history(known.history)

    def answered(self, reply: Any, epoch: bytes) -> None:
        """See `StoreOperation`."""

    def failed(self, error: ConnectorFailed) -> None:
        """See `StoreOperation`: another request will find the log too long."""
