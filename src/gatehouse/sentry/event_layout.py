"""How the entities of an event are remembered, worked out once for each combination of kinds.

The values of entities differ from request to request, the combinations of kinds hardly ever do.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any, Final, NamedTuple

from gatehouse.sentry.memory import EntityKind

_ALONE: Final[tuple[EntityKind, ...]] = ()
PARTNERS: Final[dict[EntityKind, tuple[EntityKind, ...]]] = {
    EntityKind.ADDRESS: (EntityKind.USER, EntityKind.CARD, EntityKind.BIN, EntityKind.EMAIL),
    EntityKind.NETWORK: (EntityKind.USER,),
    EntityKind.DEVICE: _ALONE,
    EntityKind.PLACE: (EntityKind.USER, EntityKind.CARD),
    EntityKind.SESSION: (
        EntityKind.ADDRESS,
        EntityKind.COUNTRY,
        EntityKind.BROWSER,
        EntityKind.SYSTEM,
        EntityKind.USER,
        EntityKind.CARD,
    ),
    EntityKind.USER: (
        EntityKind.ADDRESS,
        EntityKind.OPERATOR,
        EntityKind.COUNTRY,
        EntityKind.DEVICE,
        EntityKind.AGENT,
        EntityKind.BROWSER,
        EntityKind.SYSTEM,
        EntityKind.CARD,
    ),
    EntityKind.CARD: (EntityKind.USER, EntityKind.ADDRESS, EntityKind.EMAIL),
    EntityKind.BIN: (EntityKind.CARD,),
    EntityKind.AFFILIATE: _ALONE,
    EntityKind.DISCOUNT: (EntityKind.USER,),
    EntityKind.CATEGORY: _ALONE,
    EntityKind.CART: (EntityKind.USER,),
    EntityKind.CUSTOM: (EntityKind.USER, EntityKind.ADDRESS),
    EntityKind.EMAIL: (
        EntityKind.CARD,
        EntityKind.BIN,
        EntityKind.ISSUER,
        EntityKind.ADDRESS,
        EntityKind.USER,
    ),
    EntityKind.PHONE: (EntityKind.CARD, EntityKind.USER),
}
"""The kinds that have a history, and with which partners. All other kinds are only counted."""
GOODS: Final = frozenset((EntityKind.ARTICLE, EntityKind.SHELF, EntityKind.MIX))
"""Kinds that are counted in a table of their own, because there can be very many of them."""

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


# More layouts than an honest caller has; each costs little to work out again.
@lru_cache(maxsize=4096)
def layout_of(kinds: tuple[EntityKind, ...]) -> EventLayout:
    """The layout of an event whose entities are of these kinds, in this order."""
    first: dict[EntityKind, int] = {}
    for place, kind in enumerate(kinds):
        first.setdefault(kind, place)
    transaction = first.pop(EntityKind.TRANSACTION, None)
    return EventLayout(
        transaction,
        tuple(first),
        _picking(first.values()),
        _picking(
            [place for kind, place in first.items() if kind not in PARTNERS and kind not in GOODS]
        ),
        _picking([place for place, kind in enumerate(kinds) if kind in GOODS]),
        tuple(
            (place, kind, _picking([first[each] for each in PARTNERS[kind] if each in first]))
            for place, kind in enumerate(kinds)
            if kind in PARTNERS
        ),
        tuple(kind for kind in kinds if kind in PARTNERS),
    )


def _picking(places: Iterable[int]) -> Pick:
    """A function that takes the items at some places out of a sequence."""
    wanted: list[Any] = list(places)
    if len(wanted) < 2:
        # For a single place an itemgetter returns the item itself, and not a sequence of one.
        wanted = [slice(wanted[0], wanted[0] + 1) if wanted else slice(0)]
    return itemgetter(*wanted)
