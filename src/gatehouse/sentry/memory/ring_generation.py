"""A union-find over entities in flat arrays: a million of them in some 45 MB, and no objects.

Entities that one event names join one ring. Which ones may join is said here, so that what many
honest people share is no link between them: an entity joins a limited number of times, and a large
ring grows only by what belongs to one person. Keys carry their kind in the lowest bits.
"""

from array import array
from collections.abc import Callable, Sequence
from mmap import MAP_ANONYMOUS, MAP_PRIVATE, mmap
from typing import Final

import msgspec

from gatehouse.sentry import kinds
from gatehouse.sentry.memory.entity_history import KIND_BITS
from gatehouse.sentry.memory.memory import EntityKind

STRONG: Final = (kinds.USER, kinds.CARD, kinds.EMAIL, kinds.PHONE, kinds.DEVICE_ID)
"""Kinds that are one person's, the most certain first."""
WEAK: Final = (kinds.CUSTOM, kinds.ADDRESS)
"""Kinds that a household, an office or a shop can share."""
MOST_JOINS: Final[dict[EntityKind, int]] = {
    kinds.USER: 24,
    kinds.CARD: 12,
    kinds.EMAIL: 12,
    kinds.PHONE: 12,
    kinds.DEVICE_ID: 12,
    kinds.CUSTOM: 4,
    kinds.ADDRESS: 4,
}
"""How many events may make the ring of an entity larger; after that it is shared by too many."""
LARGEST: Final = 1000
"""No ring has more entities."""
LARGEST_BY_WEAK: Final = 60
"""A ring does not grow beyond this by an entity of a weak kind."""
MOMENT_SHIFT: Final = 20
"""The lower bits of a ring's birth tell apart what began in the same millisecond."""

_DAY_MS: Final = 86_400_000
_GONE: Final = -1
_ROOM: Final = 4096
"""For how many entities room is made at once."""
_IS_WEAK: Final = bytes(kind in WEAK for kind in range(KIND_BITS + 1))
_LIMITS: Final = bytearray(KIND_BITS + 1)
for _kind, _most in MOST_JOINS.items():
    _LIMITS[_kind] = _most
# The counts of a ring are one number, each of them in bits of its own, so that they are added at
# once: entities, users, mailboxes, cards, entities with a known fraud. None exceeds `LARGEST`.
_COUNT_BITS: Final = 12
_COUNT: Final = (1 << _COUNT_BITS) - 1
_USERS, _EMAILS, _CARDS, _FRAUDS = (_COUNT_BITS * place for place in range(1, 5))
_ONE_FRAUD: Final = 1 << _FRAUDS
_ONE_OF: Final = [1] * (KIND_BITS + 1)
_ONE_OF[kinds.USER] |= 1 << _USERS
_ONE_OF[kinds.EMAIL] |= 1 << _EMAILS
_ONE_OF[kinds.CARD] |= 1 << _CARDS
# The same for its growth: entities first seen on the day before, on a day, and which day that is.
_TODAY: Final = _COUNT_BITS
_DAY: Final = 2 * _COUNT_BITS


class RingTotals(msgspec.Struct, gc=False):
    """What the rings of some entities come to, without these entities themselves."""

    born: int
    """The earliest birth of these rings."""
    entities: int
    people: int
    frauds: int
    """Entities with a known fraud."""
    grown: float
    """Entities that were first seen within the last 24 hours."""


class Begun(msgspec.Struct, gc=False):
    """What a ring begins with, of which nothing was known."""

    born: int
    counts: int
    growth: int
    marks: bytes
    """Which of its entities have a known fraud; empty for none."""


class Joined(msgspec.Struct, gc=False):
    """What became of the entities of an event."""

    changed: bool
    new: Sequence[int]
    """The keys that were not known before."""
    places: list[int]
    root: int
    """The one root of all of them, or -1 if there may be several."""
    begun: Begun | None = None
    """The ring that they are, where none of them was known."""


class RingGeneration:
    """The rings of what was seen together since some moment."""

    __slots__ = (
        *("_born", "_counts", "_growth", "_index", "_joins", "_keys", "_limit", "_marked"),
        *("_mask", "_parent"),
    )

    def __init__(self, limit: int) -> None:
        """`limit` is the largest number of entities."""
        self._limit = limit
        bits = max(limit + limit // 2, 16).bit_length()
        self._mask = (1 << bits) - 1
        # Pages of a mapping take room when they are first written to. It is private, or a process
        # that was forked would write into the index of its parent. 0 stands for no entity.
        self._index = memoryview(mmap(-1, 4 << bits, MAP_PRIVATE | MAP_ANONYMOUS)).cast("i")
        self._keys = array("q")
        self._parent = array("i")
        self._joins = bytearray()
        self._marked = bytearray()
        """Whether a fraud of the entity is known."""
        # From here on, what holds for a ring stands at the place of its root.
        self._born = array("q")
        self._counts = array("q")
        self._growth = array("q")

    def __len__(self) -> int:
        """How many places are taken, also by entities that were removed."""
        return len(self._keys)

    def copy(self) -> "RingGeneration":
        """Another one with the same rings."""
        other = RingGeneration(self._limit)
        other._index[:] = self._index
        for name in _COPIED:
            setattr(other, name, getattr(self, name)[:])
        return other

    def find(self, key: int) -> int:
        """The place of an entity; -1 for one that is not known."""
        return self.places((key,))[0]

    def root(self, place: int) -> int:
        """The place that stands for the ring of an entity."""
        parent = self._parent
        above = parent[place]
        while above != place:
            higher = parent[above]
            parent[place] = higher
            place, above = higher, parent[higher]
        return place

    def is_marked(self, key: int) -> bool:
        """Whether a fraud of an entity is known here."""
        place = self.find(key)
        return place >= 0 and self._marked[place] == 1

    def places(self, keys: Sequence[int]) -> list[int]:
        """The place of each entity."""
        index, known, mask = self._index, self._keys, self._mask
        found = []
        for key in keys:
            at = key >> 11 & mask
            while place := index[at]:
                if place > 0 and known[place - 1] == key:
                    break
                at = at + 1 & mask
            found.append(place - 1)
        return found

    def join(
        self,
        keys: Sequence[int],
        born: int,
        is_fraud: Callable[[int], bool] | None = None,
        like: "tuple[RingGeneration, Joined] | None" = None,
    ) -> Joined:
        """Let the entities of an event join; those of strong kinds stand first.

        `like` is another generation, which they have just joined: it tells when they began, which
        of them have a known fraud, and which are new. Without it all of them are.
        """
        start = len(self._keys)
        places = self._entered(keys)
        if len(self._keys) == start:
            parent = self._parent
            root = parent[places[0]]
            if parent[root] != root:
                root = self.root(root)
            for place in places:
                if parent[place] != root and self.root(place) != root:
                    return Joined(self._unite(keys, places, born), (), places, -1)
            return Joined(self._begin(root, born), (), places, root)
        if len(self._keys) > len(self._parent):
            self._make_room()
        if len(self._keys) == start + len(keys):
            begun = None if like is None else like[1].begun
            if begun is None:
                marks = b"" if is_fraud is None else bytes(map(is_fraud, keys))
                facts = (born, marks, len(keys)) if like is None else like[0]._told(like[1], born)
                begun = _begun(keys, born, facts)
            self._begin_ring(places, begun)
            return Joined(True, keys, places, start, begun)
        added = self._keys[start:]
        self._add(added, born, is_fraud, like)
        self._unite(keys, places, born, known_below=start)
        return Joined(True, added, places, -1)

    def mark(self, key: int, *, fraud: bool) -> None:
        """Note whether a fraud of an entity is known."""
        place = self.find(key)
        if place >= 0 and self._marked[place] != fraud:
            self._marked[place] = fraud
            self._counts[self.root(place)] += _ONE_FRAUD if fraud else -_ONE_FRAUD

    def remove(self, key: int) -> bool:
        """Take an entity out of its ring, which the others stay in; whether it was known."""
        index, keys, mask = self._index, self._keys, self._mask
        at = key >> 11 & mask
        while found := index[at]:
            if found > 0 and keys[found - 1] == key:
                break
            at = at + 1 & mask
        else:
            return False
        place = found - 1
        index[at] = _GONE
        # Others may hang on its place, which stays without a key.
        keys[place] = 0
        gone = _ONE_OF[key & KIND_BITS] + self._marked[place] * _ONE_FRAUD
        self._counts[self.root(place)] -= gone
        self._marked[place] = 0
        return True

    def is_alone(self, root: int, entities: int) -> bool:
        """Whether a ring has no more entities than so many, which all of them belong to."""
        return self._counts[root] & _COUNT <= entities

    def totals(self, keys: Sequence[int], places: Sequence[int], at_ms: int) -> RingTotals | None:
        """What the rings of an event's entities hold beside them; None if that is nobody else.

        An entity that too many share says nothing of others: its ring is left out.
        """
        found = dict(zip(places, keys, strict=True))
        found.pop(-1, None)
        joins, marked = self._joins, self._marked
        roots = list(map(self.root, found))
        own: dict[int, None] = {}
        for (place, key), root in zip(found.items(), roots, strict=True):
            if joins[place] < _LIMITS[key & KIND_BITS]:
                own[root] = None
        counts, owned = 0, 0
        for root in own:
            counts += self._counts[root]
        for (place, key), root in zip(found.items(), roots, strict=True):
            if root in own:
                owned += 1
                counts -= _ONE_OF[key & KIND_BITS] + marked[place] * _ONE_FRAUD
        # Users, mailboxes, or cards where neither is known.
        people = max(counts >> _USERS & _COUNT, counts >> _EMAILS & _COUNT)
        people = people or counts >> _CARDS & _COUNT
        if not people:
            return None
        # Which of the newest are the event's own is not kept: all of these could be.
        grown = max(sum([self._grown(root, at_ms) for root in own]) - owned, 0.0)
        born = min([self._born[root] for root in own])
        return RingTotals(born, counts & _COUNT, people, counts >> _FRAUDS & _COUNT, grown)

    def members(self, key: int) -> list[int]:
        """The keys of all entities in the ring of one; this looks at everything, for tests."""
        place = self.find(key)
        if place < 0:
            return []
        root = self.root(place)
        return [each for at, each in enumerate(self._keys) if each and self.root(at) == root]

    def _entered(self, keys: Sequence[int]) -> list[int]:
        """The place of each entity; those that are not known are entered into the index."""
        index, known, mask = self._index, self._keys, self._mask
        places = []
        for key in keys:
            at = key >> 11 & mask
            while place := index[at]:
                if place > 0 and known[place - 1] == key:
                    break
                at = at + 1 & mask
            else:
                known.append(key)
                index[at] = place = len(known)
            places.append(place - 1)
        return places

    def _make_room(self) -> None:
        """Make room for many more entities at once."""
        for each in (self._parent, self._joins, self._marked):
            each.extend(bytes(_ROOM))
        for each in (self._born, self._counts, self._growth):
            each.frombytes(bytes(each.itemsize * _ROOM))

    def _told(self, joined: Joined, born: int) -> tuple[int, bytes, int]:
        """Of entities that have joined: when they began, which have a fraud, how many are new."""
        places, root = joined.places, joined.root
        roots = (root,) if root >= 0 else map(self.root, places)
        marks = bytes([self._marked[place] for place in places])
        return min([self._born[each] for each in roots] + [born]), marks, len(joined.new)

    def _begin_ring(self, places: Sequence[int], begun: Begun) -> None:
        """Let entities that were just entered be one ring."""
        start = places[0]
        parent = self._parent
        for place in places:
            parent[place] = start
        # What holds for the ring stands at its root, and nobody reads it of the others.
        self._born[start] = begun.born
        self._counts[start] = begun.counts
        self._growth[start] = begun.growth
        if begun.marks:
            self._marked[start : start + len(places)] = begun.marks

    def _add(
        self,
        keys: Sequence[int],
        born: int,
        is_fraud: Callable[[int], bool] | None,
        like: "tuple[RingGeneration, Joined] | None",
    ) -> None:
        """Let entities that were just entered be a ring of its own each."""
        old = (born >> MOMENT_SHIFT) // _DAY_MS << _DAY
        for place, key in enumerate(keys, len(self._keys) - len(keys)):
            self._parent[place] = place
            began, is_new = born, True
            marked: int = is_fraud is not None and is_fraud(key)
            if like is not None:
                other, joined = like
                theirs = other.find(key)
                began, marked = min(other._born[other.root(theirs)], born), other._marked[theirs]
                is_new = key in joined.new
            self._born[place], self._marked[place] = began, marked
            self._counts[place] = _ONE_OF[key & KIND_BITS] + marked * _ONE_FRAUD
            self._growth[place] = old | is_new << _TODAY

    def _unite(
        self, keys: Sequence[int], places: Sequence[int], born: int, known_below: int | None = None
    ) -> bool:
        """Join the rings of an event's entities as far as they may; whether any were joined.

        Places from `known_below` on are new.
        """
        counts, joins = self._counts, self._joins
        ring, grew, joined = -1, False, []
        for key, place in zip(keys, places, strict=True):
            kind = key & KIND_BITS
            if joins[place] >= _LIMITS[kind]:
                continue
            root = self.root(place)
            if ring < 0:
                ring = root
            elif root != ring:
                most = LARGEST_BY_WEAK if _IS_WEAK[kind] else LARGEST
                if (counts[ring] & _COUNT) + (counts[root] & _COUNT) > most:
                    continue
                ring, grew = self._linked(ring, root), True
            joined.append(place)
        if grew:
            for place in joined:
                # A place is not above 255 joins, since it stops at its limit.
                if known_below is None or place < known_below:
                    joins[place] += 1
        return (ring >= 0 and self._begin(ring, born)) or grew

    def _begin(self, root: int, born: int) -> bool:
        """Let a ring begin with an event that is late, if it came before; whether it did."""
        if born >= self._born[root]:
            return False
        self._born[root] = born
        return True

    def _linked(self, one: int, other: int) -> int:
        """Make one ring of two; the root that stands for it."""
        counts = self._counts
        if counts[one] & _COUNT < counts[other] & _COUNT:
            one, other = other, one
        self._parent[other] = one
        self._born[one] = min(self._born[one], self._born[other])
        counts[one] += counts[other]
        day = max(self._growth[one], self._growth[other]) >> _DAY
        (today, before), (todays, befores) = self._on(one, day), self._on(other, day)
        self._growth[one] = day << _DAY | today + todays << _TODAY | before + befores
        return one

    def _on(self, root: int, day: int) -> tuple[int, int]:
        """How many entities of a ring were first seen on a day, and on the one before it."""
        growth = self._growth[root]
        behind, today = day - (growth >> _DAY), growth >> _TODAY & _COUNT
        if behind <= 0:
            return today, growth & _COUNT
        return 0, today if behind == 1 else 0

    def _grown(self, root: int, at_ms: int) -> float:
        """How many were first seen within 24 hours: of the day before, the part that is left."""
        day, within_ms = divmod(at_ms, _DAY_MS)
        today, before = self._on(root, day)
        return today + before * (1 - within_ms / _DAY_MS)


def _begun(keys: Sequence[int], born: int, facts: tuple[int, bytes, int]) -> Begun:
    """What a ring of entities begins with: when it began, their frauds, how many are new."""
    began, marks, new = facts
    counts = sum(marks) * _ONE_FRAUD if marks else 0
    for key in keys:
        counts += _ONE_OF[key & KIND_BITS]
    return Begun(began, counts, (born >> MOMENT_SHIFT) // _DAY_MS << _DAY | new << _TODAY, marks)


_COPIED: Final = tuple(
    name for name in RingGeneration.__slots__ if name not in ("_index", "_limit", "_mask")
)
