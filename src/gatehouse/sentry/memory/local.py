"""Sentry's memory inside one process: histories by key, bounded, the longest unseen forgotten."""

from collections.abc import Callable
from typing import Final

from gatehouse.sentry import kinds
from gatehouse.sentry.memory.account_stats import AccountStats
from gatehouse.sentry.memory.entity_history import KIND_BITS, EntityHistory, UserHistory
from gatehouse.sentry.memory.event_layout import EventLayout, layout_of
from gatehouse.sentry.memory.history_changes import (
    OF_A_PERSON,
    REFUSED,
    empty_history,
    facts_of,
    first_history,
    note_habits,
    with_refusal,
    without_event,
    without_refusal,
)
from gatehouse.sentry.memory.history_table import Shard
from gatehouse.sentry.memory.memory import MemoryEvent, MemoryState
from gatehouse.sentry.memory.recalled import History
from gatehouse.sentry.memory.reputation_store import KeyedEvent, LabelTarget, ReputationStore
from gatehouse.sentry.memory.rings import Rings, birth_of, joining, partners_in

# Many small tables instead of a large one: a table of a million entries that grows holds up every
# request for 86 ms, one of 64 parts for 0.2 ms (measured).
_SHARDS: Final = 64
_KEY_BITS: Final = 0x7FFF_FFFF_FFFF_FFFF ^ KIND_BITS


class LocalMemory:
    """Implements `Memory` in this process."""

    def __init__(self, limit: int, *, shared_reputation: bool = True) -> None:
        self._limit = limit
        self._reputations = ReputationStore(limit // 2, shared=shared_reputation)
        self._rings = Rings(limit)
        cap = max(limit // _SHARDS, 16)
        self._shards: list[Shard[EntityHistory]] = [Shard(cap) for _ in range(_SHARDS)]
        self._accounts: dict[str, AccountStats] = {}
        self._events = 0
        self.rebuilt = False
        """Whether events from before this process are known, too."""

    def state(self) -> MemoryState:
        """How full the memory is."""
        return MemoryState(sum(map(len, self._shards)), self._limit, self.rebuilt, self._events)

    @property
    def recall_now(self) -> Callable[[MemoryEvent], History] | None:
        """Here nothing ever has to be waited for."""
        return self.note

    async def record_and_recall(self, event: MemoryEvent) -> History:
        """Count an event, unless its transaction was counted before, and recall its history."""
        return self.note(event)

    def note(self, event: MemoryEvent) -> History:
        """The same as a plain function."""
        stats = self._accounts.get(event.account_id)
        if stats is None:
            stats = self._accounts[event.account_id] = AccountStats()
        layout, keys = _keyed(event)
        counted = True
        if layout.transaction is not None:
            transaction = keys[layout.transaction]
            counted = self._shard(transaction).is_new(transaction)
        if counted:
            histories = self._count(event, layout, keys, stats)
        else:
            at_s, currency = event.at_s, event.currency
            histories = [
                self._peek(keys[place]) or empty_history(kind, at_s, currency)
                for place, kind, _ in layout.remembered
            ]
        keyed = KeyedEvent(event, keys, stats, self._peek)
        recalled = History(keyed, self._reputations, layout, histories, counted=counted)
        linked = joining(event, layout, keys)
        if linked is not None:
            if counted:
                reports = event.account_id in self._reputations.labelled
                is_fraud = self._reputations.has_fraud if reports else None
                self._rings.join(linked, birth_of(event), is_fraud)
            recalled.ring = self._rings.ring_of(
                linked, event.at_s, lambda: partners_in(layout, histories)
            )
        return recalled

    def _count(
        self, event: MemoryEvent, layout: EventLayout, keys: list[int], stats: AccountStats
    ) -> list[EntityHistory]:
        """The histories of the event's entities with the event added to each."""
        facts = facts_of(event)
        row, whole_s, currency, logarithm, _ = facts
        self._events += 1
        stats.count(event.at_s)
        if logarithm is not None:
            stats.add(currency, logarithm)
        stats.tally(layout.tallied(keys))
        stats.sell(layout.sold(keys))
        shards, histories = self._shards, []
        for place, kind, partners in layout.remembered:
            key = keys[place]
            shard = shards[key >> 5 & 63]
            history = shard.known.get(key) or shard.promote(key)
            if history is None:
                history = first_history(kind, facts, partners(keys))
                shard.add(key, history)
            else:
                history.see(row, currency, partners(keys), whole_s)
            histories.append(history)
            if isinstance(history, UserHistory):
                stats.users += history.events == 1
                note_habits(history, facts)
        return histories

    def retract(self, event: MemoryEvent) -> None:
        """Forget an event: it failed through no fault of the customer."""
        stats = self._accounts.get(event.account_id)
        if stats is None:
            return
        self._events -= 1
        stats.uncount(event.at_s)
        layout, keys = _keyed(event)
        if layout.transaction is not None:
            transaction = keys[layout.transaction]
            self._shard(transaction).forget_transaction(transaction)
        for key in dict.fromkeys((*layout.tallied(keys), *layout.sold(keys))):
            stats.take_back(key)
        facts = facts_of(event)
        for place, kind, partners in layout.remembered:
            key = keys[place]
            history = self._peek(key)
            if history is not None:
                stats.users -= kind is kinds.USER and history.events == 1
                self._replace(key, history, without_event(history, kind, facts, partners(keys)))

    def forget(self, event: MemoryEvent, *, counted: bool, declined: bool) -> bool:
        """Forget an event whose person was erased, with its refused payment; whether it was known.

        What it did to entities that others share is taken back. An entity that had no other event
        is forgotten.
        """
        layout, keys = _keyed(event)
        own = [keys[place] for place, kind, _ in layout.remembered if kind in OF_A_PERSON]
        if all(self._peek(key) is None for key in own):
            return False
        if counted:
            self.retract(event)
        facts, card = facts_of(event), layout.card(keys)
        for place, kind, _ in layout.remembered:
            key = keys[place]
            history = self._peek(key)
            if history is not None and kind in REFUSED:
                left = without_refusal(history, kind, facts, card, declined=declined)
                self._replace(key, history, left)
        self._leave_rings(event, layout, keys)
        return True

    def _leave_rings(self, event: MemoryEvent, layout: EventLayout, keys: list[int]) -> None:
        """Take those of an event's entities out of their ring that are not remembered any more."""
        for key in joining(event, layout, keys) or ():
            if self._peek(key) is None:
                self._rings.remove(key)

    def note_decline(self, event: MemoryEvent) -> None:
        """Note that the payment of an event was refused."""
        layout, keys = _keyed(event)
        facts, card = facts_of(event), layout.card(keys)
        for place, kind, _ in layout.remembered:
            if kind in REFUSED:
                key = keys[place]
                # Only peeked at: a flood of refused cards must not push out frequent entities.
                history = self._peek(key)
                self._replace(key, history, with_refusal(history, kind, facts, card))

    def note_label(
        self, event: MemoryEvent, *, fraud: bool | None, previous: bool | None = None
    ) -> None:
        """Note an event's label in place of the previous one."""
        self.apply_label(self.label_target(event), fraud=fraud, previous=previous)

    def label_target(self, event: MemoryEvent) -> LabelTarget:
        """All that has to be kept of an event until its label is known."""
        return self._reputations.label_target(event, _keyed(event)[1])

    def apply_label(
        self, target: LabelTarget, *, fraud: bool | None, previous: bool | None = None
    ) -> None:
        """The same as `note_label`, for a target that was made earlier."""
        self._reputations.replace(target, fraud=fraud, previous=previous)
        self._rings.mark(target.keys, self._reputations.has_fraud)

    def _shard(self, key: int) -> Shard[EntityHistory]:
        return self._shards[key >> 5 & 63]

    def _peek(self, key: int) -> EntityHistory | None:
        return self._shards[key >> 5 & 63].peek(key)

    def _replace(self, key: int, old: EntityHistory | None, new: EntityHistory | None) -> None:
        if new is not old:
            if old is not None:
                self._shard(key).drop(key)
            if new is not None:
                self._shard(key).add(key, new)


def _keyed(event: MemoryEvent) -> tuple[EventLayout, list[int]]:
    """How the event is remembered, and each entity's key, whose lowest bits are its kind."""
    account_id, entities = event.account_id, event.entities
    keys = [hash((account_id, kind, value)) & _KEY_BITS | kind for kind, value in entities]
    return layout_of(tuple([kind for kind, _ in entities])), keys
