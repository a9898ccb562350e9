"""The memory of one process: traces by key, bounded, the longest unseen forgotten first."""

import math
from collections.abc import Sequence
from typing import Final

from gatehouse.sentry.houses import House
from gatehouse.sentry.memory import (
    WINDOW_S,
    Kind,
    Seen,
    Sighting,
    Spread,
    State,
    Window,
)
from gatehouse.sentry.shards import Shard
from gatehouse.sentry.traces import KIND_BITS, Habits, Trace

# Many small tables instead of a large one: when one of them grows, the pause is too short to
# notice, where a table of a million entries would hold up every request for as long as it moves.
_SHARDS: Final = 64
_KEY_BITS: Final = 0x7FFF_FFFF_FFFF_FFFF ^ KIND_BITS

# Python looks a member of an enumeration up every time it is named, which is ten times as slow.
_USER: Final = Kind.USER
_TRANSACTION: Final = Kind.TRANSACTION


_ALONE: Final[tuple[Kind, ...]] = ()
_PARTNERS: Final[dict[Kind, tuple[Kind, ...]]] = {
    Kind.ADDRESS: (Kind.USER, Kind.CARD),
    Kind.NETWORK: (Kind.USER,),
    Kind.DEVICE: _ALONE,
    Kind.PLACE: (Kind.USER,),
    Kind.SESSION: (Kind.ADDRESS, Kind.COUNTRY, Kind.BROWSER, Kind.SYSTEM, Kind.USER, Kind.CARD),
    Kind.USER: (
        Kind.ADDRESS,
        Kind.OPERATOR,
        Kind.COUNTRY,
        Kind.DEVICE,
        Kind.AGENT,
        Kind.BROWSER,
        Kind.SYSTEM,
        Kind.CARD,
    ),
    Kind.CARD: (Kind.USER, Kind.ADDRESS),
    Kind.AFFILIATE: _ALONE,
    Kind.DISCOUNT: (Kind.USER,),
    Kind.CATEGORY: _ALONE,
    Kind.CART: (Kind.USER,),
    Kind.CUSTOM: (Kind.USER, Kind.ADDRESS),
}
"""With which others each kind is remembered."""
_TALLIED: Final = frozenset(
    (Kind.OPERATOR, Kind.COUNTRY, Kind.AGENT, Kind.BROWSER, Kind.SYSTEM, Kind.BIN)
)
"""What is merely counted."""


class _Seen:
    """One entity's past as of an event; implements `Seen`."""

    __slots__ = ("_currency", "_keys", "_last_seen", "_now_s", "_paid", "_trace")

    def __init__(self, trace: Trace, past: "_Past") -> None:
        # Not the past itself: two things that hold each other are freed late.
        self._trace = trace
        self._now_s = past.at_s
        self._currency = past.currency
        self._keys = past.keys
        self._paid = past.paid
        self._last_seen: dict[Kind, list[int]] = {}

    @property
    def events(self) -> int:
        """How often it was ever seen."""
        return self._trace.events

    @property
    def first_s(self) -> float:
        """When it was first seen."""
        return self._trace.first_s

    @property
    def previous_s(self) -> float | None:
        """When it was last seen before this event."""
        return self._trace.previous_s

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

    def distinct(self, kind: Kind, window: Window) -> int:
        """With how many different entities of a kind it was seen lately."""
        now_s = self._now_s
        since_s = now_s - WINDOW_S[window]
        return len([1 for last_s in self._partners(kind) if since_s < last_s <= now_s])

    def times_with(self, kind: Kind) -> int:
        """How often it was seen with this event's entity of a kind."""
        key = self._keys.get(kind)
        return 0 if key is None else self._trace.times_with(key)

    def pairs(self, kind: Kind) -> int:
        """With how many different entities of a kind it was ever seen."""
        return len(self._partners(kind))

    def _partners(self, kind: Kind) -> list[int]:
        found = self._last_seen.get(kind)
        if found is None:
            found = self._last_seen[kind] = self._trace.partners(kind)
        return found

    def previous_country(self) -> tuple[str, float] | None:
        """Where it was last seen before this event."""
        trace = self._trace
        return trace.previous_country if isinstance(trace, Habits) else None

    def usual_amounts(self) -> Sequence[float]:
        """Earlier amounts in this event's currency."""
        trace = self._trace
        if not isinstance(trace, Habits) or trace.amounts is None:
            return ()
        if trace.currency != self._currency:
            return ()
        return trace.amounts[:-1] if self._paid else trace.amounts


class _Past:
    """What is known about everything an event touches; implements `Past`."""

    __slots__ = (
        *("_house", "_seen", "at_s", "counted", "currency", "first", "keys", "paid", "traces"),
    )

    def __init__(self, sighting: Sighting, house: House) -> None:
        self._house = house
        self._seen: dict[Kind, _Seen] = {}
        self.at_s = sighting.at_s
        self.currency = sighting.currency
        self.counted = True
        self.keys: dict[Kind, int] = {}
        self.first: dict[Kind, Trace] = {}
        self.traces: list[tuple[Kind, Trace]] = []
        self.paid = False

    @property
    def events(self) -> int:
        """Events of the account so far."""
        return self._house.events

    @property
    def users(self) -> int:
        """Different users of the account so far."""
        return self._house.users

    def of(self, kind: Kind) -> Seen | None:
        """The past of this event's entity of a kind."""
        found = self._seen.get(kind)
        if found is None and kind in self.first:
            found = self._seen[kind] = _Seen(self.first[kind], self)
        return found

    def popularity(self, kind: Kind) -> int:
        """How often this event's entity of a kind was seen, whoever came with it."""
        trace = self.first.get(kind)
        if trace is not None:
            return trace.events
        key = self.keys.get(kind)
        return 0 if key is None else self._house.tallies.get(key, 0)

    def all_of(self, kind: Kind) -> Sequence[Seen]:
        """The past of all of them."""
        if kind not in self.keys:
            return ()
        return [_Seen(trace, self) for each, trace in self.traces if each is kind]

    def usual_amounts(self) -> Spread | None:
        """How the account's amounts in this currency spread."""
        return self._house.usual_amounts(self.currency)


class Rings:
    """Implements `Memory` in this process."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        cap = max(limit // _SHARDS, 16)
        self._shards = [Shard(cap) for _ in range(_SHARDS)]
        self._houses: dict[str, House] = {}
        self._events = 0
        self.rebuilt = False
        """Whether the past before this process is known, too."""

    def state(self) -> State:
        """How full the memory is."""
        return State(sum(map(len, self._shards)), self._limit, self.rebuilt, self._events)

    async def witness(self, sighting: Sighting) -> _Past:
        """Note an event, unless its transaction was noted before, and recall what it touches."""
        return self.note(sighting)

    def note(self, sighting: Sighting) -> _Past:
        """The same without waiting, which this memory never does."""
        house = self._houses.get(sighting.account_id)
        if house is None:
            house = self._houses[sighting.account_id] = House()
        past = _Past(sighting, house)
        keyed = _keyed(sighting)
        for kind, key in keyed:
            if kind is _TRANSACTION:
                past.counted = self._shards[key >> 5 & 63].is_new(key)
        self._recall(sighting, keyed, past)
        if past.counted:
            self._events += 1
            self._count(sighting, house, past)
        return past

    def _recall(self, sighting: Sighting, keyed: list[tuple[Kind, int]], past: _Past) -> None:
        """Find what the event touches; what is new is kept only if the event counts."""
        keys, first, traces, shards = past.keys, past.first, past.traces, self._shards
        at_s, currency, counted = sighting.at_s, sighting.currency, past.counted
        for kind, key in keyed:
            if kind is _TRANSACTION:
                continue
            if kind in _TALLIED:
                keys[kind] = key
                continue
            shard = shards[key >> 5 & 63]
            trace = shard.touch(key) if counted else shard.peek(key)
            if trace is None:
                trace = (Habits if kind is _USER else Trace)(at_s, at_s, currency)
                if counted:
                    shard.add(key, trace)
            traces.append((kind, trace))
            if kind not in keys:
                keys[kind] = key
                first[kind] = trace

    def _count(self, sighting: Sighting, house: House, past: _Past) -> None:
        """Add an event to everything it touches."""
        at_s, amount, currency = sighting.at_s, sighting.amount or 0.0, sighting.currency
        whole_s = int(at_s)
        keys = past.keys
        house.events += 1
        logarithm = _logarithm(sighting.amount)
        if logarithm is not None:
            past.paid = True
            house.add(currency, logarithm)
        for kind, key in keys.items():
            if kind in _TALLIED:
                house.tally(key)
        for kind, trace in past.traces:
            trace.events += 1
            if trace.events > 1:
                trace.previous_s = trace.last_s
                if at_s >= trace.last_s:
                    trace.last_s = at_s
                elif at_s < trace.first_s:
                    trace.first_s = at_s
            trace.add(at_s, amount if trace.currency == currency else 0.0)
            partners = _PARTNERS[kind]
            if partners:
                met = [keys[partner] for partner in partners if partner in keys]
                if trace.links is None:
                    trace.meet_first(met, whole_s)
                else:
                    for key in met:
                        trace.meet(key, whole_s)
            if kind is _USER:
                assert isinstance(trace, Habits)
                house.users += trace.events == 1
                _note_habits(trace, sighting, logarithm)

    def retract(self, sighting: Sighting) -> None:
        """Forget an event: it failed through no fault of the customer."""
        house = self._houses.get(sighting.account_id)
        if house is None:
            return
        self._events -= 1
        house.events -= 1
        keyed = _keyed(sighting)
        keys = dict(reversed(keyed))
        for kind, key in keyed:
            shard = self._shards[key >> 5 & 63]
            if kind is _TRANSACTION:
                shard.transactions.discard(key)
                shard.earlier.discard(key)
                continue
            if kind in _TALLIED:
                house.take_back(key)
                continue
            trace = shard.peek(key)
            if trace is None:
                continue
            if trace.events <= 1:
                house.users -= kind is _USER
                shard.drop(key)
                continue
            _take_back(trace, sighting)
            for partner in _PARTNERS[kind]:
                if partner in keys:
                    trace.part(keys[partner])


def _take_back(trace: Trace, sighting: Sighting) -> None:
    """Undo what counting an event did to a trace that has others."""
    trace.events -= 1
    trace.take_back(sighting.at_s, _same_currency(trace, sighting))
    if trace.last_s == sighting.at_s and trace.previous_s is not None:
        trace.last_s = trace.previous_s
    if isinstance(trace, Habits):
        logarithm = _logarithm(sighting.amount)
        if logarithm is not None and trace.currency == sighting.currency:
            trace.take_payment_back(logarithm)
        if sighting.whereabouts is not None:
            trace.leave(sighting.whereabouts, sighting.at_s)


def _keyed(sighting: Sighting) -> list[tuple[Kind, int]]:
    """Every entity's key, which says its kind in the lowest bits."""
    account_id = sighting.account_id
    return [
        (kind, hash((account_id, kind, value)) & _KEY_BITS | kind)
        for kind, value in sighting.entities
    ]


def _note_habits(trace: Habits, sighting: Sighting, logarithm: float | None) -> None:
    if logarithm is not None:
        if trace.currency != sighting.currency:
            # Somebody who moved to another currency has other habits from now on.
            trace.currency, trace.amounts = sighting.currency, None
        trace.pay(logarithm)
    if sighting.whereabouts is not None:
        trace.arrive(sighting.whereabouts, sighting.at_s)


def _same_currency(trace: Trace, sighting: Sighting) -> float:
    if sighting.amount is None or trace.currency != sighting.currency:
        return 0.0
    return sighting.amount


def _logarithm(amount: float | None) -> float | None:
    return math.log(amount) if amount is not None and 0 < amount < math.inf else None
