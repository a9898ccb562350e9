"""Features of the ring that a request belongs to: what its entities are linked with over others.

The request's own user, card, contacts, device and address are left out of every number, so a ring
tells nothing about somebody whom nobody else is linked with. All numbers have a largest value: one
that grows with the age of an installation would say more about that than about the request.
"""

from typing import Final

from gatehouse.sentry.features.feature import LEAST, Collection, Group
from gatehouse.sentry.memory.memory import DAY_S
from gatehouse.sentry.memory.rings import Ring
from gatehouse.sentry.request_view import RequestView

_MOST_PEOPLE: Final = 50
_MOST_DAYS: Final = 90.0
_MOST_GROWN: Final = 100.0
_MOST_NEAR: Final = 20
_HONEST: Final = 12
"""Entities without fraud that are taken for granted: about three people's."""


def fraud_share(ring: Ring) -> float:
    """The share of entities with a known fraud, drawn towards none where there are few."""
    return ring.frauds / (ring.entities + _HONEST)


def _measures(view: RequestView, found: dict[str, float]) -> None:
    history = view.history
    ring = None if history is None else history.ring
    if ring is None:
        return
    found["RING_SIZE"] = float(min(ring.people, _MOST_PEOPLE))
    found["RING_AGE"] = max(min(ring.age_s(view.at_s) / DAY_S, _MOST_DAYS), LEAST)
    if ring.grown:
        found["RING_GROWTH"] = min(ring.grown, _MOST_GROWN)
    if ring.frauds:
        found["RING_FRAUD_SHARE"] = 100 * fraud_share(ring)
    if ring.near:
        found["RING_FRAUD_NEAR"] = float(min(ring.near, _MOST_NEAR))


RING: Final = Collection(Group.RING, _measures)
RING.describe(
    "RING_SIZE",
    meaning="Other people are linked with the order by cards, contacts, devices or addresses.",
    computation="Users or mailboxes, cards where neither is known, in the ring of the request, up"
    f" to {_MOST_PEOPLE}, without its own.",
    says="Shared cards, contacts, devices or addresses link the order with {value} other people.",
)
RING.describe(
    "RING_AGE",
    meaning="How long ago the first order was placed that the order is linked with.",
    computation="Days since the ring of the request began, up to 90.",
    says="The first order that this one is linked with was placed {value} days ago.",
)
RING.describe(
    "RING_GROWTH",
    meaning="Many users, cards, contacts and devices that are linked with the order are new.",
    computation="Entities of the ring that were first seen within 24 hours, up to 100, less as many"
    " as the request has itself.",
    says="{value} users, cards, contacts or devices linked with the order are less than a day old.",
)
RING.describe(
    "RING_FRAUD_SHARE",
    meaning="Orders of others that the order is linked with turned out to be fraud.",
    computation="Percentage of entities of the ring with a known fraud, without the request's own,"
    f" as if {_HONEST} more had none.",
    says="Orders of others that this one is linked with turned out to be fraud.",
)
RING.describe(
    "RING_FRAUD_NEAR",
    meaning="What the order's user, card, contacts or device were seen with has known frauds.",
    computation="Users, cards, contacts and devices with a known fraud that were in one request"
    f" with one of this request's, up to {_MOST_NEAR}, without its own.",
    says="{value} users, cards, contacts or devices with fraud were used together with this one's.",
)
