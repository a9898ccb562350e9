"""Features of the order: amount, currency, discount codes, referrer and time."""

import math
from typing import Final

from gatehouse.intel.referrers import suspicion
from gatehouse.sentry import kinds
from gatehouse.sentry.amounts import can_be_paid, is_tiny
from gatehouse.sentry.features.feature import Collection, Group
from gatehouse.sentry.features.surprise import (
    is_crowded,
    is_repeating,
    surprise_of_events,
    surprise_of_partners,
)
from gatehouse.sentry.memory import DAY_S, HOUR_S, EntityKind
from gatehouse.sentry.request_view import HABIT_AMOUNTS, RequestView, Spending

ORDER: Final = Collection(
    Group.ORDER, lambda view: view.request.order is not None or view.request.event is not None
)
_feature = ORDER.feature
_add = ORDER.add


# Makes the median absolute deviation of a normal distribution its standard deviation.
_DEVIATIONS: Final = 1.4826
_LEAST_DEVIATION: Final = 0.25
"""A merchant who sells one thing has amounts that do not spread at all."""
USUAL_RATIO: Final = 2.0
_LARGEST_AGAIN: Final = 1.1
_LARGEST_RATIO: Final = 1_000.0
_CODE_USERS: Final = 10.0
KNOWN_DAYS: Final = 7
"""For so long small orders must have been known before a burst of them can be told."""
_SMALL_ORDERS: Final = 3.0
_ONE_EACH: Final = 7.9
"""The most for a burst of small orders of a buyer who may have nothing to do with it."""
_ANNOUNCED: Final = 7.9
"""The most for a code whose users come each from a network of their own: it was announced."""


def _with_codes(view: RequestView) -> bool:
    return bool(view.order.discount_codes)


def _with_currency(view: RequestView) -> bool:
    return view.currency is not None


@_feature(
    "ORDER_PLAUSIBLE",
    meaning="Amount and currency are such that they can be paid.",
    computation="1 when the currency exists and the amount is above 0, not absurd, and has no more"
    " decimals than the currency.",
    says="Amount and currency are plausible.",
    needs=_with_currency,
)
def _plausible(view: RequestView) -> float | None:
    amount, digits = view.order.amount, view.currency_digits
    if amount is None or view.currency is None:
        return None
    return float(digits is not None and can_be_paid(amount, view.currency, digits))


@_feature(
    "ORDER_AMOUNT_INVALID",
    meaning="Nobody can pay such an amount.",
    computation="1 when the amount is 0 or less, has more decimals than its currency, or would be"
    " above about ten million dollars. 0 for a free order: an amount of 0 with a discount code,"
    " with a cart that comes to 0, or as a recurring purchase.",
    says="The amount cannot be true.",
)
def _amount_invalid(view: RequestView) -> float | None:
    amount = view.order.amount
    if amount is None:
        return None
    if amount == 0 and _may_be_free(view):
        return 0.0
    return float(not can_be_paid(amount, view.currency, view.currency_digits))


_add(
    "CURRENCY_INVALID",
    lambda view: None if view.currency is None else float(view.currency_digits is None),
    meaning="There is no such currency.",
    computation="1 when ISO 4217 does not know the code.",
    says="The currency does not exist.",
    needs=_with_currency,
)


@_feature(
    "ORDER_AMOUNT_HIGH",
    meaning="The amount is far above what this merchant's orders usually are.",
    computation="How many robust deviations the amount's logarithm lies above the median of the"
    " merchant's orders in this currency. 0 when it is usual for the user.",
    says="The amount is far above the merchant's usual ones.",
)
def _amount_high(view: RequestView) -> float | None:
    amount = view.amount
    if amount is None or view.history is None:
        return None
    usual = view.history.usual_amounts()
    if usual is None:
        return None
    deviation = max(usual.deviation * _DEVIATIONS, _LEAST_DEVIATION)
    above = max((math.log(amount) - usual.median) / deviation, 0.0)
    return 0.0 if above > 0 and _is_usual(amount, view.spending) else above


@_feature(
    "ORDER_AMOUNT_ABOVE_USER",
    meaning="The amount is far above what this user usually spends.",
    computation=f"Amount over the median of the user's earlier ones, from {HABIT_AMOUNTS} of them"
    " on; 1 when the user has spent as much before.",
    says="The amount is {value} times what this user usually spends.",
)
def _amount_above_user(view: RequestView) -> float | None:
    amount, habit = view.amount, view.spending
    if amount is None or habit is None:
        return None
    if amount <= habit.largest * _LARGEST_AGAIN:
        return 1.0
    return min(amount / habit.median, _LARGEST_RATIO)


@_feature(
    "ORDER_AMOUNT_USUAL",
    meaning="The user spends about as much as on earlier orders.",
    computation="1 when the amount is at most twice the median of the user's earlier ones and at"
    f" least half of it, from {HABIT_AMOUNTS} of them on.",
    says="The amount is usual for this user.",
)
def _amount_usual(view: RequestView) -> float | None:
    amount, habit = view.amount, view.spending
    if amount is None or habit is None:
        return None
    return float(_is_usual(amount, habit))


@_feature(
    "ORDER_AMOUNT_TESTING",
    meaning="Tiny amounts in a row: this is how stolen cards are tried out.",
    computation="When the amount is below about two dollars: the most events within an hour of the"
    " card, the session or the address. An address that many people share does not count, and of a"
    " recurring purchase only the card does.",
    says="{value} orders within an hour, and the amount is tiny.",
)
def _amount_testing(view: RequestView) -> float | None:
    amount = view.amount
    if amount is None or view.history is None:
        return None
    if not is_tiny(amount, view.currency):
        return 0.0
    found = [view.recall(kind) for kind in _tried_at(view)]
    return max([entity.count(HOUR_S) for entity in found if entity is not None], default=0.0)


@_feature(
    "ORDER_SMALL_BURST",
    meaning="Far more small orders than usual reach the merchant: cards are being tried out,"
    " wherever they come from.",
    computation="When the amount is about five dollars or less: zeros of the probability of so many"
    " small orders in the last hour and day, against their month, as a Poisson tail. Only once"
    f" small orders have been known for {KNOWN_DAYS} days. Below 8 for a user or a card that"
    " was known a day before, and as long as the address has no more cards, or orders where there"
    " is no card, than one buyer tries. Not for recurring purchases.",
    says="Unusually many small orders reach the merchant.",
)
def _small_burst(view: RequestView) -> float | None:
    if view.amount is None or view.history is None or view.is_renewal:
        return None
    small = view.recall(kinds.SMALL)
    if small is None or view.at_s - small.first_s < KNOWN_DAYS * DAY_S:
        return 0.0
    found = surprise_of_events(small, _SMALL_ORDERS, view.at_s)
    if found <= _ONE_EACH or (not _is_known(view) and is_repeating(view)):
        return found
    return _ONE_EACH


@_feature(
    "DISCOUNT_STACKING",
    meaning="More discount codes than an honest buyer would have at hand.",
    computation="Number of different codes.",
    says="{value} discount codes were used together.",
    needs=_with_codes,
)
def _discount_stacking(view: RequestView) -> float | None:
    codes = view.order.discount_codes
    return None if codes is None else float(len(set(codes)))


@_feature(
    "DISCOUNT_CODE_BURST",
    meaning="Far more users than usual use a discount code; it may have leaked.",
    computation="Zeros of the probability of so many different users in the last hour and day,"
    " against the code's month, as a Poisson tail; the largest of all codes. Below 8 when no"
    " unusual number of users comes from the buyer's own network.",
    says="Unusually many users use one of the discount codes.",
    needs=_with_codes,
)
def _discount_code_burst(view: RequestView) -> float | None:
    found = () if view.history is None else view.history.all_of(kinds.DISCOUNT)
    if not found:
        return None
    most = max([surprise_of_partners(code, kinds.USER, _CODE_USERS, view.at_s) for code in found])
    return most if most <= _ANNOUNCED or is_crowded(view) else _ANNOUNCED


@_feature(
    "REFERRER_SUSPICIOUS",
    meaning="The buyer came from where no buyer comes from.",
    computation="1 when the referrer is no web address, or one of a bare IP address, of a local"
    " machine, or in disguised letters.",
    says="The referrer is suspicious.",
    needs=lambda view: bool(view.order.referrer_url),
)
def _referrer_suspicious(view: RequestView) -> float | None:
    url = view.order.referrer_url
    return None if not url else float(suspicion(url) is not None)


_add(
    "EVENT_TIME_INVALID",
    lambda view: None if view.event.timestamp is None else float(not view.time_is_plausible),
    meaning="The event is said to have happened when it cannot have.",
    computation="1 when the timestamp is more than seven days before, or five minutes after, the"
    " request. The time of the request then stands for it.",
    says="The event's time cannot be true.",
)
_add(
    "EVENT_RENEWAL",
    lambda view: None if view.event.type is None else float(view.is_renewal),
    meaning="A recurring purchase: the customer has paid like this before.",
    computation="1 for a recurring purchase.",
    says="The order renews an earlier one.",
)


def _may_be_free(view: RequestView) -> bool:
    """Whether something explains that nothing is paid."""
    if view.order.discount_codes or view.is_renewal:
        return True
    return view.cart is not None and view.cart.total == 0


def _tried_at(view: RequestView) -> tuple[EntityKind, ...]:
    """The kinds of entities that belong to one person, who might be trying out cards."""
    if view.is_renewal:
        return (kinds.CARD,)
    shared = view.facts.mobile or view.facts.relay or view.facts.allowed
    return (kinds.CARD, kinds.SESSION) if shared else (kinds.CARD, kinds.SESSION, kinds.ADDRESS)


def _is_known(view: RequestView) -> bool:
    """Whether the user or the card was seen a day ago or earlier."""
    found = (view.recall(kinds.USER), view.recall(kinds.CARD))
    return any(each is not None and view.at_s - each.first_s >= DAY_S for each in found)


def _is_usual(amount: float, habit: Spending | None) -> bool:
    if habit is None:
        return False
    return habit.median / USUAL_RATIO <= amount <= habit.median * USUAL_RATIO
