"""Rings: entities that events have linked, directly or over others, as long as links are seen.

What was seen together in this period or the one before is linked. `_kept` holds the links of both,
`_fresh` those of this period alone. When the next period begins, the fresh ones are kept, and all
that was not seen again is forgotten. So a link lasts between one period and two after it was seen.
"""

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Final
from zlib import crc32

import msgspec

from gatehouse.core.ids import derived_id
from gatehouse.sentry.memory.entity_history import KIND_BITS, EntityHistory
from gatehouse.sentry.memory.event_layout import EventLayout
from gatehouse.sentry.memory.memory import CATEGORY, DAY_S, MemoryEvent
from gatehouse.sentry.memory.ring_generation import MOMENT_SHIFT, STRONG, WEAK, RingGeneration

PERIOD_S: Final = 45 * DAY_S
_PERIOD_MS: Final = PERIOD_S * 1000
_ORDER_BITS: Final = (1 << MOMENT_SHIFT) - 1
_STRONG: Final = frozenset(STRONG)
_JOINED: Final = _STRONG | frozenset(WEAK)
_MOST_NEAR: Final = 64
"""How many partners of the event's entities are looked at for frauds."""
_NOBODY: Final[tuple[Sequence[int], list[int], int]] = ((), [], -1)

IsFraud = Callable[[int], bool]


class Ring(msgspec.Struct, frozen=True, gc=False):
    """The ring of an event, without the event's own entities."""

    born: int
    """The moment of its first event in milliseconds, and bits that tell it from others."""
    entities: int
    people: int
    """Different users or mailboxes, and cards where neither is known."""
    frauds: int
    """Entities with a known fraud."""
    grown: float
    """Entities that were first seen within 24 hours."""
    near: int
    """Entities with a known fraud that were themselves seen together with one of the event's."""

    @property
    def id(self) -> str:
        """The name of the ring, the same in every server that remembers its first event."""
        return derived_id("ring", self.born >> MOMENT_SHIFT, str(self.born & _ORDER_BITS))

    def age_s(self, at_s: float) -> float:
        """How long ago it began."""
        return max(at_s - (self.born >> MOMENT_SHIFT) / 1000, 0.0)


class Rings:
    """The rings of all accounts; keys of different accounts differ, and no event names two."""

    def __init__(self, limit: int) -> None:
        """`limit` is the largest number of entities in either generation."""
        self._limit = limit
        self._period = 0
        self._kept: RingGeneration | None = None
        self._fresh: RingGeneration | None = None
        """None as long as nothing is kept from an earlier period, and there is room."""
        self._last: tuple[Sequence[int], list[int], int] = _NOBODY
        """The last event that joined, its places and their one root, or -1 if there may be several:
        it is asked for right after that.
        """

    def __len__(self) -> int:
        return sum(len(each) for each in (self._kept, self._fresh) if each is not None)

    def join(self, keys: Sequence[int], born: int, is_fraud: IsFraud | None = None) -> bool:
        """Link the entities of an event, those of strong kinds first; whether that was new."""
        period = (born >> MOMENT_SHIFT) // _PERIOD_MS
        kept, limit = self._kept, self._limit
        if kept is None or period > self._period or len(kept) > limit:
            kept = self._turn(period)
        if period < self._period - 1:
            return False
        if self._fresh is None:
            if period < self._period:
                # All that is known is of this period, and a late event is not.
                self._fresh = kept.copy()
            elif 2 * len(kept) > limit:
                # When it is full, what was seen since then stays.
                self._fresh = RingGeneration(limit)
        joined = kept.join(keys, born, is_fraud)
        changed = joined.changed
        self._last = keys, joined.places, joined.root
        fresh = self._fresh
        # A late event is one of the earlier period.
        if fresh is not None and period == self._period:
            changed |= fresh.join(keys, born, like=(kept, joined)).changed
        return changed

    def ring_of(
        self,
        keys: Sequence[int],
        at_s: float,
        partners: Callable[[], Sequence[int]] = tuple,
    ) -> Ring | None:
        """The ring of an event with these entities, or None if nobody else is in it.

        `partners` are entities that were seen together with them.
        """
        kept = self._kept
        if kept is None:
            return None
        last, places, root = self._last
        if keys is not last:
            places = kept.places(keys)
        elif root >= 0 and kept.is_alone(root, len(keys)):
            return None  # As most people are, linked with nobody.
        totals = kept.totals(keys, places, int(at_s * 1000))
        if totals is None:
            return None
        near = 0
        if totals.frauds:
            others = dict.fromkeys(partners())
            for key in keys:
                others.pop(key, None)
            near = sum(map(kept.is_marked, islice(others, _MOST_NEAR)))
        of_others = totals.entities, totals.people, totals.frauds, totals.grown
        return Ring(totals.born, *of_others, near)

    def mark(self, keys: Sequence[int], is_fraud: IsFraud) -> None:
        """Note for each entity whether a fraud of it is known by now."""
        for generation in (self._kept, self._fresh):
            if generation is not None:
                for key in keys:
                    if key & KIND_BITS in _JOINED:
                        generation.mark(key, fraud=is_fraud(key))

    def remove(self, key: int) -> bool:
        """Forget an entity; whether it was known."""
        self._last = _NOBODY
        known = [each.remove(key) for each in (self._kept, self._fresh) if each is not None]
        return any(known)

    def members(self, key: int) -> list[int]:
        """The keys of everything in the ring of an entity, for tests: it looks at all of them."""
        return [] if self._kept is None else self._kept.members(key)

    def _turn(self, period: int) -> RingGeneration:
        """Begin another period, at its time or when there is no room left."""
        kept = self._kept
        if kept is not None and period <= self._period:
            # Full: what is known from this period alone takes less, or all of it came now.
            kept = self._fresh
            if kept is not None and len(kept) > self._limit:
                kept = None
        elif period == self._period + 1:
            kept = self._fresh or kept
        else:
            kept = None
        if kept is None:
            kept, self._fresh = RingGeneration(self._limit), None
        else:
            self._fresh = RingGeneration(self._limit)
        self._kept = kept
        self._period = max(period, self._period)
        return kept


def birth_of(event: MemoryEvent) -> int:
    """The birth of a ring that begins with an event: its moment, and a few bits of its request."""
    order = crc32(event.request_id.encode()) & _ORDER_BITS
    at_ms = round(event.at_s * 1000)
    if at_ms / 1000 != event.at_s:
        # As its record keeps the moment, or the ring would have another name after a restart.
        at_ms = round(round(event.at_s, 3) * 1000)
    return (at_ms if at_ms > 0 else 0) << MOMENT_SHIFT | order


def joining(event: MemoryEvent, layout: EventLayout, keys: Sequence[int]) -> Sequence[int] | None:
    """The keys of an event's entities that join each other; None if fewer than two do.

    The address of a carrier, a relay or a data centre is nobody's: it has no whereabouts. Strangers
    have a category in common.
    """
    pick = layout.ring if event.whereabouts is None else layout.ring_at_home
    if pick is None or not layout.inputs:
        return None if pick is None else pick(keys)
    named = [(keys[place], event.entities[place][1]) for place in layout.inputs]
    categories = {key for key, value in named if value.startswith(CATEGORY)}
    linked = [key for key in pick(keys) if key not in categories]
    return linked if len(linked) > 1 else None


def partners_in(layout: EventLayout, histories: Sequence[EntityHistory]) -> list[int]:
    """Entities of one person's that were seen together with those of an event."""
    return [
        key
        for kind, history in zip(layout.remembered_kinds, histories, strict=True)
        if kind in _STRONG and history.links
        for key in history.links
        if key & KIND_BITS in _STRONG
    ]
