"""All features, and the one function that measures them on a request."""

from itertools import chain
from typing import Final

from gatehouse.sentry.features.account import ACCOUNT
from gatehouse.sentry.features.address import ADDRESS
from gatehouse.sentry.features.cart import CART
from gatehouse.sentry.features.consistency import CONSISTENCY
from gatehouse.sentry.features.device import DEVICE
from gatehouse.sentry.features.feature import Feature
from gatehouse.sentry.features.measures import CARTS, SPENDING
from gatehouse.sentry.features.order import ORDER
from gatehouse.sentry.features.reputation import REPUTATION
from gatehouse.sentry.features.ring import RING
from gatehouse.sentry.features.session import SESSION
from gatehouse.sentry.features.sightings import SIGHTINGS
from gatehouse.sentry.features.velocity import VELOCITY
from gatehouse.sentry.request_view import RequestView

_COLLECTIONS: Final = (
    *(ADDRESS, DEVICE, SESSION, ACCOUNT, ORDER, SPENDING, CART, CARTS),
    *(VELOCITY, SIGHTINGS, CONSISTENCY, REPUTATION, RING),
)

ALL: Final[tuple[Feature, ...]] = tuple(
    chain.from_iterable(collection.features for collection in _COLLECTIONS)
)
BY_CODE: Final = {feature.code: feature for feature in ALL}

_MEASURES: Final = tuple(
    collection.measures
    for collection in (
        *(ADDRESS, DEVICE, SESSION, ACCOUNT, ORDER, CART, VELOCITY, CONSISTENCY),
        *(SPENDING, CARTS, SIGHTINGS, REPUTATION, RING),
    )
)
"""In the order of reasons that are equally strong."""


def measure_features(view: RequestView) -> dict[str, float]:
    """The value of every feature that found something, by code."""
    values: dict[str, float] = {}
    for measures in _MEASURES:
        measures(view, values)
    return values
