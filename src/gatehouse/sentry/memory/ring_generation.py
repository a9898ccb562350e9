"""A union-find over entities in flat arrays: a million of them in some 45 MB, and no objects.

Entities that one event names join one ring. Which ones may join is said here, so that what many
honest people share is no link between them: an entity joins a limited number of times, and a large
ring grows only by what belongs to one person. Keys carry their kind in the lowest bits.
"""

from array import array
from collections.abc import Callable, Container, Sequence
from mmap import mmap
from typing import Final, NamedTuple

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
_IS_WEAK: Final = bytes(kind in WEAK for kind in range(KIND_BITS + 1))
_LIMITS: Final = bytearray(KIND_BITS + 1)
for _kind, _most in MOST_JOINS.items():
    _LIMITS[_kind] = _most
_USER, _EMAIL, _CARD = kinds.USER, kinds.EMAIL, kinds.CARD


class RingTotals(NamedTuple):
    """What the rings of some entities come to, without these entities themselves."""

    born: int
    """The earliest birth of these rings."""
    entities: int
    people: int
    frauds: int
    """Entities with a known fraud."""
    grown: float
    """Entities that were first seen within the last 24 hours."""


class RingGeneration:
    """The rings of what was seen together since some moment."""

    __slots__ = (
        *("_before", "_born", "_cards", "_day", "_emails", "_frauds", "_index", "_joins"),
        *("_keys", "_limit", "_marked", "_mask", "_parent", "_size", "_today", "_users"),
    )

    def __init__(self, limit: int) -> None:
        """`limit` is the largest number of entities."""
        self._limit = limit
        bits = max(limit + limit // 2, 16).bit_length()
        self._mask = (1 << bits) - 1
        # Pages of a mapping take room when they are first written to. 0 stands for no entity.
        self._index = memoryview(mmap(-1, 4 << bits)).cast("i")
        self._keys = array("q")
        self._parent = array("i")
        self._joins = bytearray()
        self._marked = bytearray()
        """Whether a fraud of the entity is known."""
        # From here on, what holds for a ring stands at the place of its root.
        self._born = array("q")
        self._size = array("H")
        self._users = array("H")
        self._emails = array("H")
        self._cards = array("H")
        self._frauds = array("H")
        self._day = array("H")
        self._today = array("H")
        """Entities that were first seen on that day, and on the day before it."""
        self._before = array("H")

    def __len__(self) -> int:
        """How many places are taken, also by entities that were removed."""
        return len(self._keys)

    @property
    def _sums(self) -> "tuple[array[int], ...]":
        """What is added up when two rings become one."""
        return self._size, self._users, self._emails, self._cards, self._frauds

    def copy(self) -> "RingGeneration":
        """Another one with the same rings."""
        other = RingGeneration(self._limit)
        other._index[:] = self._index
        for name in _COPIED:
            setattr(other, name, getattr(self, name)[:])
        return other

    def find(self, key: int) -> int:
        """The place of an entity; -1 for one that is not known."""
        index, keys, mask = self._index, self._keys, self._mask
        at = key >> 11 & mask
        while found := index[at]:
            if found > 0 and keys[found - 1] == key:
                return found - 1
            at = at + 1 & mask
        return -1

    def root(self, place: int) -> int:
        """The place that stands for the ring of an entity."""
        parent = self._parent
        above = parent[place]
        while above != place:
            higher = parent[above]
            parent[place] = higher
            place, above = higher, parent[higher]
        return place

    def born_of(self, key: int) -> int | None:
        """When the ring of an entity began, as its birth; None for one that is not known."""
        place = self.find(key)
        return None if place < 0 else self._born[self.root(place)]

    def is_marked(self, key: int) -> bool:
        """Whether a fraud of an entity is known here."""
        place = self.find(key)
        return place >= 0 and self._marked[place] == 1

    def places(self, keys: Sequence[int]) -> list[int]:
        """The place of each entity, as `find` tells it, without a call for each of them."""
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
        places: list[int],
        born: int,
        like: "RingGeneration | None" = None,
        is_fraud: Callable[[int], bool] | None = None,
        new: "Container[int] | None" = None,
    ) -> tuple[bool, Sequence[int]]:
        """Let the entities of an event join; whether that changed anything, and which are new.

        Those of strong kinds stand first. `places` are theirs, and get those of new ones. Of
        entities that another generation knows already, `like` tells the birth, and `new` names
        those that it has not known.
        """
        if -1 not in places:
            parent, root = self._parent, self.root(places[0])
            for place in places:
                if parent[place] != root and self.root(place) != root:
                    return self._unite(keys, places, born), ()
            return self._begin(root, born), ()
        unknown = [key for key, place in zip(keys, places, strict=True) if place < 0]
        start = len(self._keys)
        at = {key: place for place, key in enumerate(dict.fromkeys(unknown), start)}
        self._add(list(at), born, new, like, is_fraud)
        places[:] = [
            at[key] if place < 0 else place for key, place in zip(keys, places, strict=True)
        ]
        if len(at) == len(keys):
            self._gather(start)
        else:
            self._unite(keys, places, born, known_below=start)
        return True, list(at)

    def mark(self, key: int, *, fraud: bool) -> None:
        """Note whether a fraud of an entity is known."""
        place = self.find(key)
        if place >= 0 and self._marked[place] != fraud:
            self._marked[place] = fraud
            self._frauds[self.root(place)] += 1 if fraud else -1

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
        root = self.root(place)
        self._size[root] -= 1
        self._frauds[root] -= self._marked[place]
        self._marked[place] = 0
        of_kind = self._counts_of(key & KIND_BITS)
        if of_kind is not None:
            of_kind[root] -= 1
        return True

    def totals(self, keys: Sequence[int], places: Sequence[int], at_ms: int) -> RingTotals | None:
        """What the rings of an event's entities hold beside them; None if that is nobody else.

        An entity that too many share says nothing of others: its ring is left out.
        """
        parent, root = self._parent, self.root(places[0]) if places[0] >= 0 else -1
        if root >= 0 and self._size[root] <= len(keys):
            # Most people are linked with nobody, and all that they have has one root.
            for place in places:
                if place < 0 or (parent[place] != root and self.root(place) != root):
                    break
            else:
                return None
        found = [
            (key & KIND_BITS, place) for key, place in zip(keys, places, strict=True) if place >= 0
        ]
        roots = [self.root(place) for _, place in found]
        joins, marked = self._joins, self._marked
        own = {
            root
            for root, (kind, place) in zip(roots, found, strict=True)
            if joins[place] < _LIMITS[kind]
        }
        owned = frauds = users = emails = cards = 0
        for root, (kind, place) in zip(roots, found, strict=True):
            if root in own:
                owned += 1
                frauds -= marked[place]
                users -= kind == _USER
                emails -= kind == _EMAIL
                cards -= kind == _CARD
        entities = -owned
        for root in own:
            entities += self._size[root]
            frauds += self._frauds[root]
            users += self._users[root]
            emails += self._emails[root]
            cards += self._cards[root]
        people = max(users, emails) or cards
        if people <= 0 or entities <= 0:
            return None
        # Which of the newest are the event's own is not kept: all of these could be.
        grown = sum([self._grown(root, at_ms) for root in own]) - owned
        born = min([self._born[root] for root in own])
        return RingTotals(born, entities, people, frauds, max(grown, 0.0))

    def members(self, key: int) -> list[int]:
        """The keys of all entities in the ring of one; this looks at everything, for tests."""
        place = self.find(key)
        if place < 0:
            return []
        root = self.root(place)
        return [each for at, each in enumerate(self._keys) if each and self.root(at) == root]

    def _add(
        self,
        keys: list[int],
        born: int,
        new: "Container[int] | None",
        like: "RingGeneration | None",
        is_fraud: Callable[[int], bool] | None,
    ) -> None:
        """Add entities, each as a ring of its own."""
        count, start = len(keys), len(self._keys)
        index, mask = self._index, self._mask
        for place, key in enumerate(keys, start + 1):
            at = key >> 11 & mask
            while index[at] > 0:
                at = at + 1 & mask
            index[at] = place
        self._keys.extend(keys)
        self._parent.extend(range(start, start + count))
        self._joins.extend(bytes(count))
        births, marks = [born] * count, bytes(count)
        if like is not None:
            births = [min(like.born_of(key) or born, born) for key in keys]
            marks = bytes([like.is_marked(key) for key in keys])
        elif is_fraud is not None:
            marks = bytes([is_fraud(key) for key in keys])
        self._born.extend(births)
        self._marked.extend(marks)
        self._frauds.extend(marks)
        self._size.extend(_ONES[:count])
        present = [key & KIND_BITS for key in keys]
        self._users.extend([kind == _USER for kind in present])
        self._emails.extend([kind == _EMAIL for kind in present])
        self._cards.extend([kind == _CARD for kind in present])
        self._day.extend([(born >> MOMENT_SHIFT) // _DAY_MS] * count)
        self._today.extend(_ONES[:count] if new is None else [key in new for key in keys])
        self._before.extend(_ZEROS[:count])

    def _gather(self, start: int) -> None:
        """Make one ring of the entities from a place on, which are alone and began together."""
        count = len(self._keys) - start
        self._parent[start:] = array("i", [start]) * count
        self._born[start] = min(self._born[start:])
        for counts in (*self._sums, self._today):
            counts[start] = sum(counts[start:])

    def _unite(
        self, keys: Sequence[int], places: Sequence[int], born: int, known_below: int | None = None
    ) -> bool:
        """Join the rings of an event's entities as far as they may; whether any were joined.

        Places from `known_below` on are new.
        """
        size, joins = self._size, self._joins
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
                if size[ring] + size[root] > most:
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
        size = self._size
        if size[one] < size[other]:
            one, other = other, one
        self._parent[other] = one
        self._born[one] = min(self._born[one], self._born[other])
        for counts in self._sums:
            counts[one] += counts[other]
        day = max(self._day[one], self._day[other])
        (today, before), (todays, befores) = self._on(one, day), self._on(other, day)
        self._day[one] = day
        self._today[one] = today + todays
        self._before[one] = before + befores
        return one

    def _on(self, root: int, day: int) -> tuple[int, int]:
        """How many entities of a ring were first seen on a day, and on the one before it."""
        behind = day - self._day[root]
        if behind <= 0:
            return self._today[root], self._before[root]
        return 0, self._today[root] if behind == 1 else 0

    def _grown(self, root: int, at_ms: int) -> float:
        """How many were first seen within 24 hours: of the day before, the part that is left."""
        day, within_ms = divmod(at_ms, _DAY_MS)
        today, before = self._on(root, day)
        return today + before * (1 - within_ms / _DAY_MS)

    def _counts_of(self, kind: int) -> "array[int] | None":
        if kind == _USER:
            return self._users
        if kind == _EMAIL:
            return self._emails
        return self._cards if kind == _CARD else None


_COPIED: Final = tuple(
    name for name in RingGeneration.__slots__ if name not in ("_index", "_limit", "_mask")
)
_ONES: Final = array("H", [1] * 64)
_ZEROS: Final = array("H", bytes(2 * 64))
