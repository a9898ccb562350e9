"""Counting an event in the store, and moving this server's histories on to it."""

from typing import cast

from gatehouse.sentry.memory.history_changes import facts_of
from gatehouse.sentry.shared.entries import count_in, pack_facts
from gatehouse.sentry.shared.following import LONG_REPLIES, FollowedHistories, FollowedHistory
from gatehouse.sentry.shared.operations import Arguments, Asked, AwaitedOperation, EventSubject
from gatehouse.sentry.shared.packing import ENTITY, TOTALS, UNKNOWN, EntityParts, Marks, pack_count
from gatehouse.sentry.shared.spreads import FollowedAmounts


class CountEvent(AwaitedOperation):
    """Counts an event and asks what is known of its entities."""

    def __init__(
        self,
        subject: EventSubject,
        marks: Marks,
        followed: FollowedHistories,
        amounts: FollowedAmounts,
    ) -> None:
        super().__init__()
        self.names = subject.names
        self._subject = subject
        self._facts = facts_of(subject.event)
        self._packed = pack_facts(subject.event)
        self._marks = marks
        self._followed = followed
        self._amounts = amounts
        self._asked: list[Asked] = []
        self.long: list[tuple[int, FollowedHistory]] = []
        """Histories whose logs are long, by key; known when they are followed."""

    def arguments(self) -> Arguments:
        """See `StoreOperation`."""
        event, _, (layout, numbers, names) = self._subject
        find = self._followed.find
        asked: list[Asked] = []
        keys: list[bytes] = []
        packed: list[bytes] = []
        for place, _, partners in layout.remembered:
            met = partners(numbers)
            known = find(numbers[place])
            epoch, position = UNKNOWN, 0
            if known is not None:
                epoch, position = known.epoch, known.position
            asked.append(None if known is None else (known, position))
            keys.append(names[place])
            packed.append(ENTITY[len(met)].pack(len(met), epoch, position, *met))
        self._asked = asked
        sold = list(dict.fromkeys(layout.sold(numbers)))
        parts = EntityParts(self._packed, keys, packed, layout.tallied(numbers), sold)
        amount = self._facts.logarithm, self._amounts.wanted
        return pack_count(event, self.names, parts, self._marks, amount)

    @property
    def counted(self) -> bool:
        """Whether this call has counted the event."""
        return bool(self.reply[0] == 1)

    @property
    def repeated(self) -> bool:
        """Whether the transaction was counted before, for another request."""
        return bool(self.reply[0] == 0)

    @property
    def totals(self) -> tuple[float, float, float, float]:
        """Events and users of the account, recent events, and as of when."""
        events, users, recent, recent_s = TOTALS.unpack(self.reply[1])
        return events, users, recent, recent_s

    @property
    def amounts(self) -> bytes:
        """Amounts in the event's currency, if a new spread is due."""
        return cast("bytes", self.reply[2])

    def follow(self) -> list[FollowedHistory | None]:
        """The histories of the event's entities, moved on to this event."""
        layout, numbers, _ = self._subject.keyed
        facts, followed = self._facts, self._followed
        # An entry is one byte, the facts and the partners.
        bare = 1 + len(self._packed)
        found: list[FollowedHistory | None] = []
        replies = zip(layout.remembered, self._asked, self.reply[3:], strict=False)
        for (place, kind, partners), asked, reply in replies:
            key = numbers[place]
            if not isinstance(reply, int):
                known = followed.follow_to(key, asked, reply)
                if known is not None and reply[:1] in LONG_REPLIES:
                    self.long.append((key, known))
            elif reply == 0:
                met = partners(numbers)
                position = bare + 8 * len(met)
                known = FollowedHistory(self.epoch, position, count_in(None, kind, facts, met))
                followed.keep(key, known, instead=asked is not None)
            else:
                # Nothing is new but the event's own entry, or not even that.
                assert asked is not None
                known = asked[0]
                if known.position < abs(reply):
                    known.history = count_in(known.history, kind, facts, partners(numbers))
                    known.position = abs(reply)
                known.events += 1
                if reply < 0:
                    self.long.append((key, known))
            found.append(known)
        return found

    def counts(self) -> tuple[dict[int, int], dict[int, int]]:
        """How often entities without a history were seen, and goods bought, by key."""
        layout, numbers, _ = self._subject.keyed
        tallied = layout.tallied(numbers)
        after = 3 + len(layout.remembered)
        times = self.reply[after:]
        sold = dict.fromkeys(layout.sold(numbers))
        return (
            dict(zip(tallied, times, strict=False)),
            dict(zip(sold, times[len(tallied) :], strict=True)),
        )
