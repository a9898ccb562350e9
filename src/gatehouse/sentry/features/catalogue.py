"""All features, and the one function that measures them on a request."""

from itertools import chain
from typing import Final

from gatehouse.sentry.features.account import ACCOUNT
from gatehouse.sentry.features.address import ADDRESS
from gatehouse.sentry.features.cart import CART
from gatehouse.sentry.features.consistency import CONSISTENCY
from gatehouse.sentry.features.device import DEVICE
from gatehouse.sentry.features.feature import (
    Collection,
    Feature,
    Measure,
    Measures,
    Need,
    with_country,
)
from gatehouse.sentry.features.measures import CARTS, SPENDING
from gatehouse.sentry.features.order import ORDER
from gatehouse.sentry.features.reputation import REPUTATION
from gatehouse.sentry.features.session import SESSION
from gatehouse.sentry.features.velocity import VELOCITY
from gatehouse.sentry.request_view import RequestView

_NEEDS: Final[tuple[tuple[Collection, Need], ...]] = (
    (ADDRESS, lambda view: view.device.ip_address is not None),
    (DEVICE, lambda view: view.agent is not None or view.device.accept_language is not None),
    (
        SESSION,
        lambda view: view.device.session_id is not None or view.device.session_age is not None,
    ),
    (ACCOUNT, lambda view: view.request.account is not None),
    (ORDER, lambda view: view.request.order is not None or view.request.event is not None),
    (SPENDING, lambda view: view.order.amount is not None),
    (CART, lambda view: view.request.shopping_cart is not None),
    (CARTS, lambda view: view.cart is not None),
    (VELOCITY, lambda view: view.history is not None),
    (CONSISTENCY, with_country),
    (REPUTATION, lambda view: bool(view.reputation())),
)
"""Each group, and what all of its features need."""

ALL: Final[tuple[Feature, ...]] = tuple(
    chain.from_iterable(collection.features for collection, _ in _NEEDS)
)
BY_CODE: Final = {feature.code: feature for feature in ALL}

_Measures = tuple[tuple[str, Measure], ...]


def _plan(collection: Collection) -> tuple[tuple[Need | None, _Measures], ...]:
    together: dict[Need | None, list[tuple[str, Measure]]] = {}
    for feature in collection.features:
        together.setdefault(feature.needs, []).append((feature.code, feature.measure))
    return tuple((needs, tuple(measures)) for needs, measures in together.items())


_ONE_BY_ONE: Final = tuple(
    (needed, _plan(collection)) for collection, needed in _NEEDS if collection.measures is None
)
_TOGETHER: Final[tuple[tuple[Need, Measures], ...]] = tuple(
    (needed, collection.measures)
    for collection, needed in _NEEDS
    if collection.measures is not None
)


def measure_features(view: RequestView) -> dict[str, float]:
    """The value of every feature that found something, by code."""
    values: dict[str, float] = {}
    for needed, parts in _ONE_BY_ONE:
        if needed(view):
            for needs, measures in parts:
                if needs is None or needs(view):
                    for code, measure in measures:
                        value = measure(view)
                        if value:
                            values[code] = value
    for needed, measures_together in _TOGETHER:
        if needed(view):
            measures_together(view, values)
    return values
