"""Sentry's memory inside one process: histories by key, bounded, the longest unseen forgotten."""

import math
from array import array
from collections.abc import Sequence
from typing import Final

from gatehouse.sentry import kinds
from gatehouse.sentry.account_stats import AccountStats
from gatehouse.sentry.entity_history import KIND_BITS, EntityHistory, new_links
from gatehouse.sentry.event_layout import EventLayout, layout_of
from gatehouse.sentry.history_table import Shard
from gatehouse.sentry.memory import EntityKind, MemoryEvent, MemoryState
from gatehouse.sentry.recalled import History
from gatehouse.sentry.reputation_store import KeyedEvent, LabelTarget, ReputationStore
from gatehouse.sentry.user_history import UserHistory

# Many small tables instead of a large one: a table of a million entries that grows holds up every
# request for 86 ms, one of 64 parts for 0.2 ms (measured).
_SHARDS: Final = 64
_KEY_BITS: Final = 0x7FFF_FFFF_FFFF_FFFF ^ KIND_BITS
_REFUSED: Final = frozenset(
    (kinds.CARD, kinds.BIN, kinds.ADDRESS, kinds.PLACE, kinds.SESSION, kinds.USER, kinds.EMAIL)
)
"""The kinds whose refused payments are remembered."""
_OF_A_PERSON: Final = frozenset((kinds.USER, kinds.CARD, kinds.EMAIL, kinds.PHONE, kinds.SESSION))
"""The kinds by which it is seen whether an event of a person was noted."""


class LocalMemory:
    """Implements `Memory` in this process."""

    def __init__(self, limit: int, *, shared_reputation: bool = True) -> None:
        self._limit = limit
        self._reputations = ReputationStore(limit // 2, self._peek, shared=shared_reputation)
        cap = max(limit // _SHARDS, 16)
        self._shards = [Shard(cap) for _ in range(_SHARDS)]
        self._accounts: dict[str, AccountStats] = {}
        self._events = 0
        self.rebuilt = False
        """Whether events from before this process are known, too."""

    def state(self) -> MemoryState:
        """How full the memory is."""
        return MemoryState(sum(map(len, self._shards)), self._limit, self.rebuilt, self._events)

    async def record_and_recall(self, event: MemoryEvent) -> History:
        """Count an event, unless its transaction was counted before, and recall its history."""
        return self.note(event)

    def note(self, event: MemoryEvent) -> History:
        """The same as a plain function: this memory never waits."""
        stats = self._accounts.get(event.account_id)
        if stats is None:
            stats = self._accounts[event.account_id] = AccountStats()
        layout, keys = _keyed(event)
        recalled = History(KeyedEvent(event, keys, stats), self._reputations)
        if layout.transaction is not None:
            transaction = keys[layout.transaction]
            recalled.counted = self._shard(transaction).is_new(transaction)
        recalled.keys = dict(zip(layout.kinds, layout.first(keys), strict=True))
        recalled.kinds = layout.remembered_kinds
        if recalled.counted:
            recalled.paid = _logarithm(event.amount) is not None
            recalled.histories = self._count(event, layout, keys, stats)
        else:
            recalled.histories = [
                self._peek(keys[place]) or _new_history(kind, event)
                for place, kind, _ in layout.remembered
            ]
        # Backwards, so that the first of several entities of one kind stays.
        backwards = zip(reversed(recalled.kinds), reversed(recalled.histories), strict=True)
        recalled.first = dict(backwards)
        return recalled

    def _count(
        self, event: MemoryEvent, layout: EventLayout, keys: list[int], stats: AccountStats
    ) -> list[EntityHistory]:
        """The histories of the event's entities with the event added to each."""
        at_s, currency = event.at_s, event.currency
        self._events += 1
        stats.count(at_s)
        logarithm = _logarithm(event.amount)
        if logarithm is not None:
            stats.add(currency, logarithm)
        stats.tally(layout.tallied(keys))
        stats.sell(layout.sold(keys))
        row = array("d", (at_s, 1.0, event.amount or 0.0))
        whole_s = int(at_s)
        shards, histories = self._shards, []
        for place, kind, partners in layout.remembered:
            key = keys[place]
            shard = shards[key >> 5 & 63]
            history = shard.known.get(key) or shard.promote(key)
            if history is None:
                # As `see` would make it, but in one step: many entities of an event are new.
                history = (UserHistory if kind is kinds.USER else EntityHistory)(
                    at_s, at_s, currency, 1, 0, None, row[:], new_links(partners(keys), whole_s)
                )
                shard.add(key, history)
            else:
                history.see(row, currency, partners(keys), whole_s)
            histories.append(history)
            if isinstance(history, UserHistory):
                stats.users += history.events == 1
                if logarithm is not None:
                    history.pay(logarithm, currency, at_s)
                if event.whereabouts is not None:
                    history.arrive(event.whereabouts, at_s)
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
        for place, kind, partners in layout.remembered:
            key = keys[place]
            history = self._peek(key)
            if history is None:
                continue
            if history.events > 1:
                _take_back(history, event, partners(keys))
                continue
            stats.users -= kind is kinds.USER and history.events == 1
            self._shard(key).drop(key)
            if history.refused is not None:
                # Refusals stay, and nothing else of the history does.
                self._add_new(key, kind, event).refused = history.refused

    def forget(self, event: MemoryEvent, *, counted: bool, declined: bool) -> bool:
        """Forget an event whose person was erased, with its refused payment; whether it was known.

        What it did to entities that others share is taken back. An entity that had no other event
        is forgotten.
        """
        layout, keys = _keyed(event)
        own = [keys[place] for place, kind, _ in layout.remembered if kind in _OF_A_PERSON]
        if all(self._peek(key) is None for key in own):
            return False
        if counted:
            self.retract(event)
        cards = [keys[place] for place, kind, _ in layout.remembered if kind is kinds.CARD]
        for place, kind, _ in layout.remembered:
            key = keys[place]
            history = self._peek(key)
            if history is None or history.refused is None or kind not in _REFUSED:
                continue
            if declined:
                history.take_refusal_back(event.at_s, cards[0] if cards else None)
            if not history.events and (history.refused is None or key in own):
                self._shard(key).drop(key)
        return True

    def note_decline(self, event: MemoryEvent) -> None:
        """Note that the payment of an event was refused."""
        layout, keys = _keyed(event)
        cards = [keys[place] for place, kind, _ in layout.remembered if kind is kinds.CARD]
        card = cards[0] if cards else None
        for place, kind, _ in layout.remembered:
            if kind in _REFUSED:
                key = keys[place]
                # Only peeked at: a flood of refused cards must not push out frequent entities.
                history = self._peek(key) or self._add_new(key, kind, event)
                history.refuse(event.at_s, None if kind is kinds.CARD else card)

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
        if previous is not None:
            self._reputations.note(target, fraud=previous, times=-1)
        if fraud is not None:
            self._reputations.note(target, fraud=fraud, times=1)

    def _shard(self, key: int) -> Shard:
        return self._shards[key >> 5 & 63]

    def _peek(self, key: int) -> EntityHistory | None:
        return self._shards[key >> 5 & 63].peek(key)

    def _add_new(self, key: int, kind: EntityKind, event: MemoryEvent) -> EntityHistory:
        history = _new_history(kind, event)
        self._shard(key).add(key, history)
        return history


def _keyed(event: MemoryEvent) -> tuple[EventLayout, list[int]]:
    """How the event is remembered, and each entity's key, whose lowest bits are its kind."""
    account_id, entities = event.account_id, event.entities
    keys = [hash((account_id, kind, value)) & _KEY_BITS | kind for kind, value in entities]
    return layout_of(tuple([kind for kind, _ in entities])), keys


def _new_history(kind: EntityKind, event: MemoryEvent) -> EntityHistory:
    at_s = event.at_s
    return (UserHistory if kind is kinds.USER else EntityHistory)(at_s, at_s, event.currency)


def _take_back(history: EntityHistory, event: MemoryEvent, partners: Sequence[int]) -> None:
    """Undo what counting an event did to a history that has others."""
    at_s, amount = event.at_s, event.amount
    history.events -= 1
    history.take_back(at_s, amount or 0.0 if history.currency == event.currency else 0.0)
    if history.first_s == at_s and history.timeline is not None:
        history.first_s = history.timeline[0]
    if history.last_s == at_s and history.previous_s is not None:
        history.last_s = history.previous_s
    for key in partners:
        history.part(key, int(at_s))
    if isinstance(history, UserHistory):
        logarithm = _logarithm(amount)
        if logarithm is not None:
            history.take_payment_back(logarithm, event.currency, at_s)
        if event.whereabouts is not None:
            history.leave(event.whereabouts, at_s)


def _logarithm(amount: float | None) -> float | None:
    return math.log(amount) if amount is not None and 0 < amount < math.inf else None
