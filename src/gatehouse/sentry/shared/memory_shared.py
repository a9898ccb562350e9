"""Sentry's memory in a store that several servers share: a log for each entity.

Servers keep histories, and the store tells each what the others have added since it last asked.
Every server applies the entries of a log in their order with the code of the memory in one
process, so all come to the same histories, and a known entity costs only what is new of it.

Bounds the counts of an account in the store, beside the requests and in small steps.

In one process rare entities are dropped when there are too many counts. Here the server that
counts every so many-th event of an account looks, and drops the same ones.
"""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final, Protocol

import msgspec

from gatehouse.core.clock import Clock
from gatehouse.core.errors import ConnectorFailed
from gatehouse.sentry.memory.account_stats import (
    MOST_CURRENCIES,
    MOST_GOODS,
    MOST_TALLIES,
    AccountStats,
    Amounts,
)
from gatehouse.sentry.memory.entity_history import EntityHistory
from gatehouse.sentry.memory.history_changes import OF_A_PERSON, empty_history
from gatehouse.sentry.memory.memory import MemoryEvent, MemoryState
from gatehouse.sentry.memory.recalled import History
from gatehouse.sentry.memory.reputation_store import KeyedEvent, LabelTarget, ReputationStore
from gatehouse.sentry.memory.rings import IsFraud, Rings, birth_of, joining, partners_in
from gatehouse.sentry.shared.counting import CountEvent
from gatehouse.sentry.shared.entries import LogEntry
from gatehouse.sentry.shared.following import FollowedHistories
from gatehouse.sentry.shared.keys import AccountNames, StableKeys
from gatehouse.sentry.shared.marks import CHANGE_S, EventMarks
from gatehouse.sentry.shared.operations import (
    ChangeEvent,
    Compact,
    EventSubject,
    ReadHistories,
    StoreOperation,
)
from gatehouse.sentry.shared.ring_log import RingLog
from gatehouse.sentry.shared.spreads import FollowedAmounts, new_amounts

EVENTS_BETWEEN: Final = 1024
_AT_ONCE: Final = 500
Command = Callable[..., Awaitable[Any]]


class Commands(Protocol):
    """Runs plain commands of the store."""

    def generation(self, names: AccountNames) -> bytes:
        """What the keys of an account end with."""

    async def command(self, *words: bytes | str | int) -> Any:
        """The reply to a command; raises `ConnectorFailed`."""


async def prune(
    store: Commands, names: AccountNames, limits: tuple[int, int] = (MOST_TALLIES, MOST_GOODS)
) -> None:
    """Drop the rarest counts of an account if there are too many."""
    _, *counts = names.common
    command, generation = store.command, store.generation(names)
    for name, most in zip(counts, limits, strict=True):
        key = name + generation
        if await command("HLEN", key) > most:
            await _drop_up_to(command, key, await _threshold(command, key, most))


async def _threshold(command: Command, key: bytes, most: int) -> int:
    """The least count, doubled often enough, above which there are at most half of the limit."""
    by_power: Counter[int] = Counter()
    cursor = b"0"
    while True:
        cursor, found = await command("HSCAN", key, cursor, "COUNT", _AT_ONCE)
        # Counts above a power of two and not above the next one are of one class.
        by_power.update((int(times) - 1).bit_length() for times in found[1::2])
        if cursor == b"0":
            break
    power, left = 0, by_power.total() - by_power[0]
    while left > most // 2:
        power += 1
        left -= by_power[power]
    return 1 << power


async def _drop_up_to(command: Command, key: bytes, least: int) -> None:
    cursor = b"0"
    while True:
        cursor, found = await command("HSCAN", key, cursor, "COUNT", _AT_ONCE)
        counts = zip(found[::2], found[1::2], strict=True)
        rare = [field for field, times in counts if int(times) <= least]
        if rare:
            await command("HDEL", key, *rare)
        if cursor == b"0":
            return


class SharedStore(Protocol):
    """Runs the script of `packing.py`, for many operations at once."""

    def submit(self, operation: StoreOperation) -> None:
        """Tell an operation with the next call. Operations are told in their order."""

    async def flush(self) -> None:
        """Wait until all operations were told; raises `ConnectorFailed` if some were lost."""

    async def command(self, *words: bytes | str | int) -> Any:
        """The reply to a plain command; raises `ConnectorFailed`."""

    def generation(self, names: AccountNames) -> bytes:
        """What the keys of an account end with, as far as this server has heard."""


class SharedMemory:
    """Implements `Memory` on a store that other servers use, too."""

    def __init__(
        self,
        store: SharedStore,
        keys: StableKeys,
        limit: int,
        *,
        clock: Clock,
        labels: int | None = None,
        shared_reputation: bool = True,
        on_lost: Callable[[MemoryEvent], None] = lambda _: None,
    ) -> None:
        """`limit` is the number of histories kept here; `on_lost` hears of changes not made.

        Labels of as many entities as `labels` are kept here, or of half as many as histories.
        """
        self._store = store
        self._keys = keys
        self._marks = EventMarks(keys)
        self._clock = clock
        self._limit = limit
        self._followed = FollowedHistories(limit)
        self._amounts: dict[str, dict[str, Amounts]] = {}
        self._most_labels = limit // 2 if labels is None else labels
        self._reputations = ReputationStore(self._most_labels, shared=shared_reputation)
        self._rings = Rings(2 * self._most_labels)
        self._ring_log = RingLog(store, self._rings, self._fraud_of, clock)
        self._reporters: OrderedDict[int, str] = OrderedDict()
        """The accounts of entities that were labelled and that other accounts can know, too."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._events = 0
        self._has_lost = False
        """Whether something was lost since the last flush."""
        self.on_lost = on_lost
        self.rebuilt = True
        """The store knows what was before this process."""

    def state(self) -> MemoryState:
        """How many histories are kept here, and how many events this server has told."""
        return MemoryState(len(self._followed), self._limit, self.rebuilt, self._events)

    async def flush(self) -> None:
        """Wait until all that was told so far is in the store; else `ConnectorFailed`."""
        while self._tasks:
            await asyncio.wait(self._tasks)
        await self._store.flush()
        await self.follow_rings()
        lost, self._has_lost = self._has_lost, False
        if lost:
            raise ConnectorFailed("some of what was told to the shared memory is lost")

    async def follow_rings(self, *, all_served: bool = False) -> None:
        """Exchange new links with other servers; `ConnectorFailed` if the store fails."""
        await self._ring_log.exchange(all_served=all_served)

    recall_now = None
    """Nothing is recalled without asking the store."""

    async def record_and_recall(self, event: MemoryEvent) -> History:
        """Count an event, unless it was counted before, and recall its history."""
        subject = self._subject(event)
        elsewhere = self._ask_elsewhere(subject)
        operation = self._count(subject)
        await operation.wait()
        histories: dict[int, EntityHistory] = {}
        for each in elsewhere:
            await each.wait()
            known = each.follow().items()
            histories |= {key: f.history for key, f in known if f.history is not None}
        return self._recalled(operation, subject, histories)

    def note(self, event: MemoryEvent, *, known_s: int | None = None) -> None:
        """Count an event and recall nothing; `flush` waits for it.

        `known_s` is for an event that nobody else tells: it need only be known again when the same
        call is made twice.
        """
        subject = self._subject(event)
        operation = self._count(subject, known_s)

        def follow(_: object) -> None:
            if operation.error is None:
                self._follow(operation, subject)
            else:
                self._lost(event)

        operation.future.add_done_callback(follow)

    def retract(self, event: MemoryEvent) -> None:
        """Forget an event: it failed through no fault of the customer."""
        self._events -= 1
        subject = self._subject(event)
        marks = self._marks.of_retraction(*subject, self._clock())
        self._store.submit(ChangeEvent(subject, LogEntry.RETRACT, marks, self._lost))

    def take_back(self, event: MemoryEvent) -> None:
        """Forget an event if its request has counted it; it can be told by several servers."""
        subject = self._subject(event)
        marks = self._marks.of_take_back(*subject)
        self._store.submit(ChangeEvent(subject, LogEntry.RETRACT, marks, self._lost))

    def note_decline(self, event: MemoryEvent, *, known_s: int | None = None) -> None:
        """Note that the payment of an event was refused; see `note`."""
        self._change(LogEntry.REFUSE, event, CHANGE_S if known_s is None else known_s)

    def forget(self, event: MemoryEvent, *, counted: bool, declined: bool) -> bool:
        """Forget an event whose person was erased; whether a label of the person is known here.

        Servers know labels each by itself, and the store what happened. It forgets once, however
        many servers say so.
        """
        self._do(self._forget(event, counted, declined))
        return self._reputations.knows(_of_a_person(self._subject(event)))

    def note_label(
        self, event: MemoryEvent, *, fraud: bool | None, previous: bool | None = None
    ) -> None:
        """Note an event's label in place of the previous one."""
        self.apply_label(self.label_target(event), fraud=fraud, previous=previous)

    def label_target(self, event: MemoryEvent) -> LabelTarget:
        """All that has to be kept of an event until its label is known."""
        return self._reputations.label_target(event, self._keys.keyed(event).numbers)

    def apply_label(
        self, target: LabelTarget, *, fraud: bool | None, previous: bool | None = None
    ) -> None:
        """The same as `note_label`, for a target that was made earlier."""
        self._reputations.replace(target, fraud=fraud, previous=previous)
        self._rings.mark(target.keys, self._reputations.has_fraud)
        for key in target.shared[1::2]:
            self._reporters[key] = target.account_id
            if len(self._reporters) > self._most_labels:
                self._reporters.popitem(last=False)

    def _subject(self, event: MemoryEvent) -> EventSubject:
        return EventSubject(event, self._keys.account(event.account_id), self._keys.keyed(event))

    def _count(self, subject: EventSubject, known_s: int | None = None) -> CountEvent:
        event, names, keyed = subject
        marks = self._marks.of_count(event, names, keyed, known_s)
        operation = CountEvent(subject, marks, self._followed, self._amounts_of(event))
        self._store.submit(operation)
        return operation

    def _change(self, what: LogEntry, event: MemoryEvent, known_s: int = CHANGE_S) -> None:
        subject = self._subject(event)
        marks = self._marks.of_change(what, *subject, known_s)
        self._store.submit(ChangeEvent(subject, what, marks, self._lost))

    def _lost(self, event: MemoryEvent) -> None:
        self._has_lost = True
        self.on_lost(event)

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something beside the requests."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _amounts_of(self, event: MemoryEvent) -> FollowedAmounts:
        known = self._amounts.setdefault(event.account_id, {})
        currency = event.currency or ""
        found = known.get(currency)
        if found is None:
            found = new_amounts()
            if len(known) < MOST_CURRENCIES:
                known[currency] = found
        assert isinstance(found, FollowedAmounts)
        return found

    def _follow(self, operation: CountEvent, subject: EventSubject) -> list[EntityHistory | None]:
        """Take in what the store has answered."""
        self._events += operation.counted
        followed = operation.follow()
        if operation.amounts:
            self._amounts_of(subject.event).follow(operation.amounts)
        for key, known in operation.long:
            if known.wants_snapshot():
                self._store.submit(Compact(subject.names, key, known))
        if operation.counted and operation.totals[0] % EVENTS_BETWEEN == 0:
            self._do(self._prune(subject.names))
        linked = None if operation.repeated else _joining(subject)
        if linked is not None:
            self._ring_log.join(subject.names, linked, birth_of(subject.event))
        return [None if each is None else each.history for each in followed]

    def _recalled(
        self, operation: CountEvent, subject: EventSubject, elsewhere: dict[int, EntityHistory]
    ) -> History:
        event, _, (layout, numbers, _) = subject
        found = self._follow(operation, subject)
        events, users, recent, recent_s = operation.totals
        tallies, sold = operation.counts()
        amounts = self._amounts[event.account_id]
        stats = AccountStats(int(events), int(users), recent, recent_s, amounts, tallies, sold)
        peeked = elsewhere
        if self._reputations.labelled:
            known = zip(layout.remembered, found, strict=True)
            peeked |= {numbers[at]: history for (at, _, _), history in known if history is not None}
        at_s, currency = event.at_s, event.currency
        histories = [
            history or empty_history(kind, at_s, currency)
            for history, kind in zip(found, layout.remembered_kinds, strict=True)
        ]
        recalled = History(
            KeyedEvent(event, numbers, stats, peeked.get),
            self._reputations,
            layout,
            histories,
            counted=not operation.repeated,
        )
        linked = _joining(subject)
        if linked is not None:
            partners = partial(partners_in, layout, histories)
            recalled.ring = self._rings.ring_of(linked, at_s, partners)
        return recalled

    def _fraud_of(self, account_id: str) -> IsFraud | None:
        """How to see whether a fraud of an entity is known; None for an account without labels."""
        reputations = self._reputations
        return reputations.has_fraud if account_id in reputations.labelled else None

    def _ask_elsewhere(self, subject: EventSubject) -> list[ReadHistories]:
        """Ask for what other accounts that reported an entity of the event have seen of it."""
        if not self._reputations.labelled:
            return []
        by_account: dict[str, list[int]] = {}
        for key in self._reputations.reporters(subject.event, subject.keyed.numbers):
            account_id = self._reporters.get(key)
            if account_id is not None:
                by_account.setdefault(account_id, []).append(key)
        return [self._ask(account_id, keys) for account_id, keys in by_account.items()]

    def _ask(self, account_id: str, keys: Sequence[int]) -> ReadHistories:
        asked = ReadHistories(self._keys.account(account_id), keys, self._followed)
        self._store.submit(asked)
        return asked

    async def _prune(self, names: AccountNames) -> None:
        with suppress(ConnectorFailed):
            await prune(self._store, names)

    async def _forget(self, event: MemoryEvent, counted: bool, declined: bool) -> None:
        if not event.request_id:
            # Several servers hear of the same erasure.
            event = msgspec.structs.replace(event, request_id=self._keys.content(event))
        subject = self._subject(event)
        account_id = event.account_id
        try:
            asked = self._ask(account_id, _of_a_person(subject))
            await asked.wait()
            if all(known.history is None for known in asked.follow().values()):
                return
            if counted:
                # The mark of its count can be over, or name a request whose id is not known.
                self._events -= 1
                self._change(LogEntry.RETRACT, event)
            self._change(LogEntry.FORGET_REFUSED if declined else LogEntry.FORGET, event)
            layout, numbers, _ = subject.keyed
            left = self._ask(account_id, [numbers[place] for place, _, _ in layout.remembered])
            await left.wait()
        except ConnectorFailed:
            self._lost(event)
            return
        # A log still holds what was taken back; a snapshot does not.
        found = left.follow()
        for key, known in found.items():
            self._store.submit(Compact(subject.names, key, known))
        for key in _joining(subject) or ():
            if key not in found or found[key].history is None:
                self._ring_log.remove(subject.names, key)


def _joining(subject: EventSubject) -> Sequence[int] | None:
    """The keys of an event's entities that join a ring."""
    event, _, (layout, numbers, _) = subject
    return joining(event, layout, numbers)


def _of_a_person(subject: EventSubject) -> list[int]:
    layout, numbers, _ = subject.keyed
    return [numbers[place] for place, kind, _ in layout.remembered if kind in OF_A_PERSON]
