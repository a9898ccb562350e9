"""How the entities of an event are remembered, worked out once for each combination of kinds.

The values of entities differ from request to request, the combinations of kinds hardly ever do.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any, Final, NamedTuple

from gatehouse.sentry import kinds
from gatehouse.sentry.memory.memory import EntityKind
from gatehouse.sentry.velocity import first_lists

PARTNERS: Final[dict[EntityKind, tuple[EntityKind, ...]]] = {
    kinds.ADDRESS: (kinds.USER, kinds.CARD, kinds.BIN, kinds.EMAIL),
    kinds.NETWORK: (kinds.USER,),
    kinds.PLACE: (kinds.USER, kinds.CARD),
    kinds.SESSION: (
        kinds.ADDRESS,
        kinds.COUNTRY,
        kinds.BROWSER,
        kinds.SYSTEM,
        kinds.USER,
        kinds.CARD,
    ),
    kinds.USER: (
        kinds.ADDRESS,
        kinds.OPERATOR,
        kinds.COUNTRY,
        kinds.DEVICE,
        kinds.AGENT,
        kinds.BROWSER,
        kinds.SYSTEM,
        kinds.CARD,
        kinds.DEVICE_ID,
    ),
    kinds.CARD: (
        *(kinds.USER, kinds.ADDRESS, kinds.EMAIL, kinds.DEVICE_ID),
        kinds.AUTHENTICATION,
    ),
    kinds.BIN: (kinds.CARD,),
    kinds.AFFILIATE: (),
    kinds.DISCOUNT: (kinds.USER,),
    kinds.CART: (kinds.USER,),
    kinds.CUSTOM: (kinds.USER, kinds.ADDRESS),
    kinds.EMAIL: (kinds.CARD, kinds.BIN, kinds.ISSUER, kinds.ADDRESS, kinds.USER),
    kinds.PHONE: (kinds.CARD, kinds.USER),
    kinds.SMALL: (),
    kinds.DEVICE_ID: (kinds.USER, kinds.CARD, kinds.EMAIL, kinds.ADDRESS),
}
"""The kinds that have a history, and with which partners."""
UNCOUNTED: Final = frozenset(
    (kinds.DEVICE, kinds.CATEGORY, kinds.TRANSACTION, kinds.AUTHENTICATION)
)
"""Kinds of which nobody asks how often they came. A user's links say which devices are known, and
the record shows the categories. All kinds that are in neither table are counted without a history.
"""
GOODS: Final = frozenset((kinds.ARTICLE, kinds.SHELF, kinds.MIX))
"""Kinds that are counted in a table of their own, because there can be very many of them."""

RING: Final = (kinds.USER, kinds.CARD, kinds.EMAIL, kinds.PHONE, kinds.DEVICE_ID, kinds.CUSTOM)
"""The kinds that join a ring, those of one person first; an address joins after all of them."""
_MOST_OF_RING: Final = 14

_NOT_TALLIED: Final = GOODS | UNCOUNTED | PARTNERS.keys()

Pick = Callable[[Sequence[int]], Sequence[int]]


class EventLayout(NamedTuple):
    """How the entities of an event are remembered, by their places in it."""

    transaction: int | None
    kinds: tuple[EntityKind, ...]
    """Every kind that is there, except the transaction."""
    first: Pick
    """The keys of the first entity of each of these kinds."""
    tallied: Pick
    """The keys of entities that are only counted."""
    sold: Pick
    """The keys of goods."""
    remembered: tuple[tuple[int, EntityKind, Pick], ...]
    """Place and kind of each entity with a history, and the keys of its partners."""
    remembered_kinds: tuple[EntityKind, ...]
    """The kinds of the same."""
    first_lists: dict[EntityKind, list[float]]
    """The velocity of entities that are seen for the first time."""
    inputs: tuple[int, ...]
    """The places of custom inputs."""
    ring: Pick | None
    """The keys of entities that join a ring; None when there are fewer than two."""
    ring_at_home: Pick | None
    """The same with the address."""

    def card(self, keys: Sequence[int]) -> int | None:
        """The key of the first card, if there is one."""
        cards = (keys[place] for place, kind, _ in self.remembered if kind is kinds.CARD)
        return next(cards, None)


# More layouts than an honest caller has; each costs little to work out again.
@lru_cache(maxsize=4096)
def layout_of(present: tuple[EntityKind, ...]) -> EventLayout:
    """The layout of an event whose entities are of these kinds, in this order."""
    first: dict[EntityKind, int] = {}
    for place, kind in enumerate(present):
        first.setdefault(kind, place)
    transaction = first.pop(kinds.TRANSACTION, None)
    return EventLayout(
        transaction,
        tuple(first),
        _picking(first.values()),
        _picking([place for kind, place in first.items() if kind not in _NOT_TALLIED]),
        _picking([place for place, kind in enumerate(present) if kind in GOODS]),
        tuple(
            (place, kind, _picking([first[each] for each in PARTNERS[kind] if each in first]))
            for place, kind in enumerate(present)
            if kind in PARTNERS
        ),
        tuple(kind for kind in present if kind in PARTNERS),
        first_lists(tuple(first)),
        tuple(place for place, kind in enumerate(present) if kind is kinds.CUSTOM),
        *_joining(present, first.get(kinds.ADDRESS)),
    )


def _joining(
    present: tuple[EntityKind, ...], address: int | None
) -> tuple[Pick | None, Pick | None]:
    """What picks the entities that join a ring, without the address and with it."""
    places = [at for kind in RING for at, each in enumerate(present) if each is kind]
    del places[_MOST_OF_RING:]
    at_home = places if address is None else [*places, address]
    return (
        _picking(places) if len(places) > 1 else None,
        _picking(at_home) if len(at_home) > 1 else None,
    )


def _picking(places: Iterable[int]) -> Pick:
    """A function that takes the items at some places out of a sequence."""
    wanted: list[Any] = list(places)
    if len(wanted) < 2:
        # For a single place an itemgetter returns the item itself, and not a sequence of one.
        wanted = [slice(wanted[0], wanted[0] + 1) if wanted else slice(0)]
    return itemgetter(*wanted)
