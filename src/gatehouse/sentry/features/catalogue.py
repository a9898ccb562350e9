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


def _has_address(view: RequestView) -> bool:
    return view.device.ip_address is not None


def _has_device(view: RequestView) -> bool:
    return view.agent is not None or view.device.accept_language is not None


def _has_session(view: RequestView) -> bool:
    return view.device.session_id is not None or view.device.session_age is not None


def _has_account(view: RequestView) -> bool:
    return view.request.account is not None


def _has_order(view: RequestView) -> bool:
    return view.request.order is not None or view.request.event is not None


def _has_cart(view: RequestView) -> bool:
    return view.request.shopping_cart is not None


def _has_history(view: RequestView) -> bool:
    return view.history is not None


def _has_reputation(view: RequestView) -> bool:
    return bool(view.reputation())


def _has_lines(view: RequestView) -> bool:
    return view.cart is not None


def _has_amount(view: RequestView) -> bool:
    return view.order.amount is not None


_NEEDS: Final[tuple[tuple[Collection, Need], ...]] = (
    (ADDRESS, _has_address),
    (DEVICE, _has_device),
    (SESSION, _has_session),
    (ACCOUNT, _has_account),
    (ORDER, _has_order),
    (SPENDING, _has_amount),
    (CART, _has_cart),
    (CARTS, _has_lines),
    (VELOCITY, _has_history),
    (CONSISTENCY, with_country),
    (REPUTATION, _has_reputation),
)
"""Each group, and what all of its features need."""

ALL: Final[tuple[Feature, ...]] = tuple(
    chain.from_iterable(collection.features for collection, _ in _NEEDS)
)
BY_CODE: Final = {feature.code: feature for feature in ALL}

_Measures = tuple[tuple[str, Measure], ...]


def _plan(collection: Collection) -> tuple[tuple[Need | None, _Measures], ...]:
    """The measures of a group, by what they need."""
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
