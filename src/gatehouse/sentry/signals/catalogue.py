"""All signals, and the one function that measures a request by them."""

from itertools import chain
from typing import Final

from gatehouse.sentry.look import Look
from gatehouse.sentry.signals.account import ACCOUNT
from gatehouse.sentry.signals.address import ADDRESS
from gatehouse.sentry.signals.cart import CART
from gatehouse.sentry.signals.consistency import CONSISTENCY
from gatehouse.sentry.signals.device import DEVICE
from gatehouse.sentry.signals.measures import CARTS, SPENDING
from gatehouse.sentry.signals.order import ORDER
from gatehouse.sentry.signals.reputation import REPUTATION
from gatehouse.sentry.signals.session import SESSION
from gatehouse.sentry.signals.signal import (
    Collection,
    Measure,
    Measures,
    Need,
    Signal,
    with_country,
)
from gatehouse.sentry.signals.velocity import VELOCITY


def _has_address(look: Look) -> bool:
    return look.device.ip_address is not None


def _has_device(look: Look) -> bool:
    return look.agent is not None or look.device.accept_language is not None


def _has_session(look: Look) -> bool:
    return look.device.session_id is not None or look.device.session_age is not None


def _has_account(look: Look) -> bool:
    return look.request.account is not None


def _has_order(look: Look) -> bool:
    return look.request.order is not None or look.request.event is not None


def _has_cart(look: Look) -> bool:
    return look.request.shopping_cart is not None


def _has_past(look: Look) -> bool:
    return look.past is not None


def _has_reputation(look: Look) -> bool:
    return bool(look.reputation())


def _has_lines(look: Look) -> bool:
    return look.cart is not None


def _has_amount(look: Look) -> bool:
    return look.order.amount is not None


_NEEDS: Final[tuple[tuple[Collection, Need], ...]] = (
    (ADDRESS, _has_address),
    (DEVICE, _has_device),
    (SESSION, _has_session),
    (ACCOUNT, _has_account),
    (ORDER, _has_order),
    (SPENDING, _has_amount),
    (CART, _has_cart),
    (CARTS, _has_lines),
    (VELOCITY, _has_past),
    (CONSISTENCY, with_country),
    (REPUTATION, _has_reputation),
)
"""Each group, and without what none of its signals can say anything."""

ALL: Final[tuple[Signal, ...]] = tuple(
    chain.from_iterable(collection.signals for collection, _ in _NEEDS)
)
BY_CODE: Final = {signal.code: signal for signal in ALL}

_Measures = tuple[tuple[str, Measure], ...]


def _plan(collection: Collection) -> tuple[tuple[Need | None, _Measures], ...]:
    """The signals of a group, those together that need the same."""
    together: dict[Need | None, list[tuple[str, Measure]]] = {}
    for signal in collection.signals:
        together.setdefault(signal.needs, []).append((signal.code, signal.measure))
    return tuple((needs, tuple(measures)) for needs, measures in together.items())


_ONE_BY_ONE: Final = tuple(
    (needed, _plan(collection)) for collection, needed in _NEEDS if collection.measures is None
)
_TOGETHER: Final[tuple[tuple[Need, Measures], ...]] = tuple(
    (needed, collection.measures)
    for collection, needed in _NEEDS
    if collection.measures is not None
)


def measure_all(look: Look) -> dict[str, float]:
    """What the signals found; a signal that found nothing is not among them."""
    values: dict[str, float] = {}
    for needed, parts in _ONE_BY_ONE:
        if needed(look):
            for needs, measures in parts:
                if needs is None or needs(look):
                    for code, measure in measures:
                        value = measure(look)
                        if value:
                            values[code] = value
    for needed, measures_together in _TOGETHER:
        if needed(look):
            measures_together(look, values)
    return values
