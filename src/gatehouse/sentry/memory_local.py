"""The memory of one process: traces by key, bounded, the longest unseen forgotten first."""

import math
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

from gatehouse.sentry.account_stats import AccountStats
from gatehouse.sentry.entity_history import KIND_BITS, MOMENT, EntityHistory, Habits, linked
from gatehouse.sentry.event_layout import EventLayout, shape_of
from gatehouse.sentry.history_table import Shard
from gatehouse.sentry.memory import (
    WINDOW_S,
    EntityKind,
    EntityView,
    MemoryEvent,
    MemoryState,
    Spread,
    Window,
)
from gatehouse.sentry.reputation import EntityReputation
from gatehouse.sentry.reputation_store import Moment, Standings, Touched
from gatehouse.sentry.velocity import PLANS, measured

# Many small tables instead of a large one: when one of them grows, the pause is too short to
# notice, where a table of a million entries would hold up every request for as long as it moves.
_SHARDS: Final = 64
_KEY_BITS: Final = 0x7FFF_FFFF_FFFF_FFFF ^ KIND_BITS

# Python looks a member of an enumeration up every time it is named, which is ten times as slow.
_CARD: Final = EntityKind.CARD
_USER: Final = EntityKind.USER


_REFUSED: Final = frozenset(
    (
        EntityKind.CARD,
        EntityKind.BIN,
        EntityKind.ADDRESS,
        EntityKind.PLACE,
        EntityKind.SESSION,
        EntityKind.USER,
        EntityKind.EMAIL,
    )
)
"""Whose refusals are remembered."""


class _Seen:
    """One entity's past as of an event; implements `EntityView`."""

    __slots__ = (
        *("_currency", "_keys", "_now_s", "_paid", "_sorted", "_trace"),
        *("events", "first_s", "previous_s"),
    )

    def __init__(self, trace: EntityHistory, past: "_Past") -> None:
        # Not the past itself: two things that hold each other are freed late.
        self._trace = trace
        self._now_s = past.at_s
        self._currency = past.currency
        self._keys = past.keys
        self._paid = past.paid
        self._sorted: dict[EntityKind, list[int]] | None = None
        self.events = trace.events
        self.first_s = trace.first_s
        self.previous_s = trace.previous_s

    def count(self, window: Window) -> float:
        """How many events there were in a window."""
        now_s = self._now_s
        return self._trace.count(now_s - WINDOW_S[window], now_s)

    def total(self, window: Window) -> float:
        """What their amounts come to."""
        now_s = self._now_s
        return self._trace.total(now_s - WINDOW_S[window], now_s)

    def active_days(self) -> int:
        """On how many different days of the last month it was seen."""
        return self._trace.active_days(self._now_s)

    def distinct(self, kind: EntityKind, window: Window) -> int:
        """With how many different entities of a kind it was seen lately."""
        now_s, links = self._now_s, self._links(kind)
        # Links compare by time: those of a second lie below the least of the next one.
        since = int(now_s - WINDOW_S[window]) + 1 << MOMENT
        return bisect_left(links, int(now_s) + 1 << MOMENT) - bisect_left(links, since)

    def times_with(self, kind: EntityKind) -> int:
        """How often it was seen with this event's entity of a kind."""
        key = self._keys.get(kind)
        return 0 if key is None else self._trace.times_with(key)

    def pairs(self, kind: EntityKind) -> int:
        """With how many different entities of a kind it was ever seen."""
        return len(self._links(kind))

    def _links(self, kind: EntityKind) -> list[int]:
        """Its links to entities of a kind, in order of time."""
        known = self._sorted
        if known is None:
            known = self._sorted = {}
        found = known.get(kind)
        if found is None:
            found = known[kind] = self._trace.links_to(kind)
            found.sort()
        return found

    def previous_country(self) -> tuple[str, float] | None:
        """Where it was last seen before this event."""
        trace = self._trace
        return trace.previous_country if isinstance(trace, Habits) else None

    def high_amounts(self) -> int:
        """How many earlier amounts were far above the usual ones lately."""
        trace = self._trace
        return trace.high_before(self._now_s) if isinstance(trace, Habits) else 0

    def usual_amounts(self) -> Sequence[float]:
        """Earlier amounts in this event's currency."""
        trace = self._trace
        if not isinstance(trace, Habits) or trace.amounts is None:
            return ()
        if trace.paid_in != self._currency:
            return ()
        return trace.amounts[:-1] if self._paid else trace.amounts


class _Past:
    """What is known about everything an event touches; implements `Past`."""

    __slots__ = (
        *("_amount", "_moment", "_seen", "_standings", "at_s", "counted", "currency", "first"),
        *("house", "keys", "kinds", "paid", "traces"),
    )

    def __init__(self, moment: Moment, standings: Standings) -> None:
        event = moment.event
        self._moment = moment
        self._standings = standings
        self.house = moment.house
        self._seen: dict[EntityKind, _Seen] = {}
        self.at_s = event.at_s
        self.currency = event.currency
        self._amount = event.amount or 0.0
        self.counted = True
        self.keys: dict[EntityKind, int] = {}
        self.kinds: tuple[EntityKind, ...] = ()
        self.traces: list[EntityHistory] = []
        """Those of the entities that have one, whose kinds these are."""
        self.first: dict[EntityKind, EntityHistory] = {}
        self.paid = False

    @property
    def events(self) -> int:
        """Events of the account so far."""
        return self.house.events

    @property
    def users(self) -> int:
        """Different users of the account so far."""
        return self.house.users

    def of(self, kind: EntityKind) -> EntityView | None:
        """The past of this event's entity of a kind."""
        found = self._seen.get(kind)
        if found is None and kind in self.first:
            found = self._seen[kind] = _Seen(self.first[kind], self)
        return found

    def popularity(self, kind: EntityKind) -> int:
        """How often this event's entity of a kind was seen, whoever came with it."""
        trace = self.first.get(kind)
        if trace is not None:
            return trace.events
        key = self.keys.get(kind)
        return 0 if key is None else self.house.tallies.get(key, 0)

    def all_of(self, kind: EntityKind) -> Sequence[EntityView]:
        """The past of all of them."""
        if kind not in self.keys:
            return ()
        found = zip(self.kinds, self.traces, strict=True)
        return [_Seen(trace, self) for each, trace in found if each is kind]

    def usual_amounts(self) -> Spread | None:
        """How the account's amounts in this currency spread."""
        return self.house.usual_amounts(self.currency)

    def reputation(self) -> dict[EntityKind, list[EntityReputation]]:
        """How everything the event touches stands, as far as anything was said about it."""
        return self._standings.of(self._moment) if self._standings.labelled else {}

    def velocity(self) -> dict[str, list[float]]:
        """What rules can ask of the past."""
        last = dict(zip(self.kinds, self.traces, strict=True))
        at_s, keys, counted = self.at_s, self.keys, self.counted
        found = {}
        for plan in PLANS:
            trace = last.get(plan.kind)
            if trace is not None:
                alone = None if trace.currency == self.currency else self._amount
                found[plan.signal] = measured(plan, trace, at_s, keys, counted=counted, alone=alone)
        return found


class LocalMemory:
    """Implements `Memory` in this process."""

    def __init__(self, limit: int, *, shared_reputation: bool = True) -> None:
        self._limit = limit
        self._standings = Standings(limit // 2, self._peek, shared=shared_reputation)
        cap = max(limit // _SHARDS, 16)
        self._shards = [Shard(cap) for _ in range(_SHARDS)]
        self._houses: dict[str, AccountStats] = {}
        self._events = 0
        self.rebuilt = False
        """Whether the past before this process is known, too."""

    def state(self) -> MemoryState:
        """How full the memory is."""
        return MemoryState(sum(map(len, self._shards)), self._limit, self.rebuilt, self._events)

    async def record_and_recall(self, event: MemoryEvent) -> _Past:
        """Note an event, unless its transaction was noted before, and recall what it touches."""
        return self.note(event)

    def note(self, event: MemoryEvent) -> _Past:
        """The same without waiting, which this memory never does."""
        house = self._houses.get(event.account_id)
        if house is None:
            house = self._houses[event.account_id] = AccountStats()
        shape, keys = _keyed(event)
        past = _Past(Moment(event, keys, house), self._standings)
        if shape.transaction is not None:
            key = keys[shape.transaction]
            past.counted = self._shards[key >> 5 & 63].is_new(key)
        past.keys = dict(zip(shape.kinds, shape.first(keys), strict=True))
        past.kinds = shape.traced_kinds
        if past.counted:
            self._count(event, shape, keys, past)
        else:
            self._recall(event, shape, keys, past)
        # Backwards, so that of several of one kind the first one stays.
        past.first = dict(zip(reversed(past.kinds), reversed(past.traces), strict=True))
        return past

    def _recall(self, event: MemoryEvent, shape: EventLayout, keys: list[int], past: _Past) -> None:
        """Find what the event touches, and leave all of it as it is."""
        for place, kind, _ in shape.traced:
            key = keys[place]
            trace = self._shards[key >> 5 & 63].peek(key)
            past.traces.append(_new_trace(kind, event) if trace is None else trace)

    def _count(self, event: MemoryEvent, shape: EventLayout, keys: list[int], past: _Past) -> None:
        """Add an event to everything it touches."""
        at_s, currency, house = event.at_s, event.currency, past.house
        self._events += 1
        house.count(at_s)
        logarithm = _logarithm(event.amount)
        if logarithm is not None:
            past.paid = True
            house.add(currency, logarithm)
        house.tally(shape.tallied(keys))
        goods = shape.sold(keys)
        if goods:
            house.sell(goods)
        row = array("d", (at_s, 1.0, event.amount or 0.0))
        whole_s = int(at_s)
        shards, traces = self._shards, past.traces
        for place, kind, met in shape.traced:
            key = keys[place]
            shard = shards[key >> 5 & 63]
            trace = shard.known.get(key) or shard.promote(key)
            if trace is None:
                trace = (Habits if kind is _USER else EntityHistory)(
                    at_s, at_s, currency, 1, 0, None, row[:], linked(met(keys), whole_s)
                )
                shard.add(key, trace)
            else:
                trace.see(row, currency, met(keys), whole_s)
            traces.append(trace)
            if kind is _USER:
                assert isinstance(trace, Habits)
                house.users += trace.events == 1
                _note_habits(trace, event, logarithm)

    def retract(self, event: MemoryEvent) -> None:
        """Forget an event: it failed through no fault of the customer."""
        house = self._houses.get(event.account_id)
        if house is None:
            return
        self._events -= 1
        house.uncount(event.at_s)
        shape, keys = _keyed(event)
        if shape.transaction is not None:
            key = keys[shape.transaction]
            shard = self._shards[key >> 5 & 63]
            shard.transactions.discard(key)
            shard.earlier.discard(key)
        for key in dict.fromkeys((*shape.tallied(keys), *shape.sold(keys))):
            house.take_back(key)
        for place, kind, met in shape.traced:
            key = keys[place]
            shard = self._shards[key >> 5 & 63]
            trace = shard.peek(key)
            if trace is None:
                continue
            if trace.events > 1:
                _take_back(trace, event, met(keys))
                continue
            house.users -= kind is _USER and trace.events == 1
            shard.drop(key)
            if trace.refused is not None:
                # What was refused stays so, and nothing else is left.
                left = _new_trace(kind, event)
                left.refused = trace.refused
                shard.add(key, left)

    def note_decline(self, event: MemoryEvent) -> None:
        """Note that the payment of an event was refused."""
        shape, keys = _keyed(event)
        card = next((keys[place] for place, kind, _ in shape.traced if kind is _CARD), None)
        for place, kind, _ in shape.traced:
            if kind not in _REFUSED:
                continue
            key = keys[place]
            shard = self._shards[key >> 5 & 63]
            # Not touched: a flood of refused cards must not push out whoever comes again and again.
            trace = shard.peek(key)
            if trace is None:
                trace = _new_trace(kind, event)
                shard.add(key, trace)
            trace.refuse(event.at_s, None if kind is _CARD else card)

    def note_label(
        self, event: MemoryEvent, *, fraud: bool | None, previous: bool | None = None
    ) -> None:
        """Note what an event turned out to be, instead of what was known of it before."""
        self.note_touched(self.touched(event), fraud=fraud, previous=previous)

    def touched(self, event: MemoryEvent) -> Touched:
        """What a label of an event will count for: all that has to be kept until it is known."""
        return self._standings.touched(event, _keyed(event)[1])

    def note_touched(
        self, touched: Touched, *, fraud: bool | None, previous: bool | None = None
    ) -> None:
        """The same as `note_label`, of an event that was noted before."""
        if previous is not None:
            self._standings.note(touched, fraud=previous, times=-1)
        if fraud is not None:
            self._standings.note(touched, fraud=fraud, times=1)

    def _peek(self, key: int) -> EntityHistory | None:
        return self._shards[key >> 5 & 63].peek(key)


def _new_trace(kind: EntityKind, event: MemoryEvent) -> EntityHistory:
    at_s = event.at_s
    return (Habits if kind is _USER else EntityHistory)(at_s, at_s, event.currency)


def _take_back(trace: EntityHistory, event: MemoryEvent, met: Sequence[int]) -> None:
    """Undo what counting an event did to a trace that has others."""
    trace.events -= 1
    trace.take_back(event.at_s, _same_currency(trace, event))
    if trace.first_s == event.at_s and trace.history is not None:
        trace.first_s = trace.history[0]
    if trace.last_s == event.at_s and trace.previous_s is not None:
        trace.last_s = trace.previous_s
    for key in met:
        trace.part(key, int(event.at_s))
    if isinstance(trace, Habits):
        logarithm = _logarithm(event.amount)
        if logarithm is not None and trace.paid_in == event.currency:
            trace.take_payment_back(logarithm, event.at_s)
        if event.whereabouts is not None:
            trace.leave(event.whereabouts, event.at_s)


def _keyed(event: MemoryEvent) -> tuple[EventLayout, list[int]]:
    """Every entity's key, which says its kind in the lowest bits, and what becomes of each."""
    account_id, entities = event.account_id, event.entities
    keys = [hash((account_id, kind, value)) & _KEY_BITS | kind for kind, value in entities]
    return shape_of(tuple([kind for kind, _ in entities])), keys


def _note_habits(trace: Habits, event: MemoryEvent, logarithm: float | None) -> None:
    if logarithm is not None:
        if trace.paid_in != event.currency:
            # Somebody who moved to another currency has other habits from now on.
            trace.paid_in, trace.amounts = event.currency, None
        trace.pay(logarithm, event.at_s)
    if event.whereabouts is not None:
        trace.arrive(event.whereabouts, event.at_s)


def _same_currency(trace: EntityHistory, event: MemoryEvent) -> float:
    if event.amount is None or trace.currency != event.currency:
        return 0.0
    return event.amount


def _logarithm(amount: float | None) -> float | None:
    return math.log(amount) if amount is not None and 0 < amount < math.inf else None
