"""All features, and the one function that measures them on a request."""

from itertools import chain
from typing import Final

from gatehouse.sentry.features.account import ACCOUNT
from gatehouse.sentry.features.address import ADDRESS
from gatehouse.sentry.features.cart import CART
from gatehouse.sentry.features.consistency import CONSISTENCY
from gatehouse.sentry.features.device import DEVICE
from gatehouse.sentry.features.feature import Collection, Feature, Measure, Need
from gatehouse.sentry.features.measures import CARTS, SPENDING
from gatehouse.sentry.features.order import ORDER
from gatehouse.sentry.features.reputation import REPUTATION
from gatehouse.sentry.features.session import SESSION
from gatehouse.sentry.features.velocity import VELOCITY
from gatehouse.sentry.request_view import RequestView

_COLLECTIONS: Final = (
    *(ADDRESS, DEVICE, SESSION, ACCOUNT, ORDER, SPENDING, CART, CARTS),
    *(VELOCITY, CONSISTENCY, REPUTATION),
)

ALL: Final[tuple[Feature, ...]] = tuple(
    chain.from_iterable(collection.features for collection in _COLLECTIONS)
)
BY_CODE: Final = {feature.code: feature for feature in ALL}

_Measures = tuple[tuple[str, Measure], ...]


def _plan(collection: Collection) -> tuple[tuple[Need | None, _Measures], ...]:
    together: dict[Need | None, list[tuple[str, Measure]]] = {}
    for feature in collection.features:
        together.setdefault(feature.needs, []).append((feature.code, feature.measure))
    return tuple((needs, tuple(measures)) for needs, measures in together.items())


_ONE_BY_ONE: Final = tuple((each.needs, _plan(each)) for each in _COLLECTIONS if not each.measures)
_TOGETHER: Final = tuple((each.needs, each.measures) for each in _COLLECTIONS if each.measures)


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
