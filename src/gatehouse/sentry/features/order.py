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
from gatehouse.sentry.memory.memory import DAY_S, HOUR_S, EntityKind
from gatehouse.sentry.memory.recalled import History
from gatehouse.sentry.request_view import HABIT_AMOUNTS, TRUST_DAYS, RequestView, Spending

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


def _measures(view: RequestView, found: dict[str, float]) -> None:
    order, currency, digits = view.order, view.currency, view.currency_digits
    amount = order.amount
    is_payable = amount is not None and can_be_paid(amount, currency, digits)
    if currency is not None:
        if digits is None:
            found["CURRENCY_INVALID"] = 1.0
        elif is_payable:
            found["ORDER_PLAUSIBLE"] = 1.0
    if amount is not None:
        if not is_payable and not (amount == 0 and _may_be_free(view)):
            found["ORDER_AMOUNT_INVALID"] = 1.0
        _measure_amount(view, found)
    if not view.time_is_plausible:
        found["EVENT_TIME_INVALID"] = 1.0
    if view.is_renewal:
        found["EVENT_RENEWAL"] = 1.0
    if order.discount_codes:
        found["DISCOUNT_STACKING"] = float(len(set(order.discount_codes)))
        burst = 0.0 if view.history is None else _code_burst(view, view.history)
        if burst:
            found["DISCOUNT_CODE_BURST"] = burst
    if order.referrer_url and suspicion(order.referrer_url) is not None:
        found["REFERRER_SUSPICIOUS"] = 1.0


def _measure_amount(view: RequestView, found: dict[str, float]) -> None:
    """How the amount compares with others of the merchant and of the user."""
    amount, history = view.amount, view.history
    if amount is None or history is None:
        return
    habit, spread = view.spending, history.usual_amounts()
    is_usual = habit is not None and _is_usual(amount, habit)
    if spread is not None and not is_usual:
        usual = spread.deviation * _DEVIATIONS
        deviation = usual if usual > _LEAST_DEVIATION else _LEAST_DEVIATION
        above = (math.log(amount) - spread.median) / deviation
        if above > 0:
            found["ORDER_AMOUNT_HIGH"] = above
    if habit is not None:
        if amount <= habit.largest * _LARGEST_AGAIN:
            found["ORDER_AMOUNT_ABOVE_USER"] = 1.0
        else:
            found["ORDER_AMOUNT_ABOVE_USER"] = min(amount / habit.median, _LARGEST_RATIO)
        if is_usual and view.trust:
            found["ORDER_AMOUNT_USUAL"] = view.trust
    if is_tiny(amount, view.currency):
        tried = [history.of(kind) for kind in _tried_at(view)]
        most = max([each.count(HOUR_S) for each in tried if each is not None], default=0.0)
        if most:
            found["ORDER_AMOUNT_TESTING"] = most
    burst = 0.0 if view.is_renewal else _small_burst(view, history)
    if burst:
        found["ORDER_SMALL_BURST"] = burst


def _small_burst(view: RequestView, history: History) -> float:
    small = history.of(kinds.SMALL)
    if small is None or view.at_s - small.first_s < KNOWN_DAYS * DAY_S:
        return 0.0
    found = surprise_of_events(small, _SMALL_ORDERS, view.at_s)
    if found <= _ONE_EACH or (not _is_known(history, view.at_s) and is_repeating(view)):
        return found
    return _ONE_EACH


def _code_burst(view: RequestView, history: History) -> float:
    codes = history.all_of(kinds.DISCOUNT)
    if not codes:
        return 0.0
    most = max([surprise_of_partners(code, kinds.USER, _CODE_USERS, view.at_s) for code in codes])
    return most if most <= _ANNOUNCED or is_crowded(view) else _ANNOUNCED


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


def _is_known(history: History, at_s: float) -> bool:
    """Whether the user or the card was seen a day ago or earlier."""
    found = (history.of(kinds.USER), history.of(kinds.CARD))
    return any(each is not None and at_s - each.first_s >= DAY_S for each in found)


def _is_usual(amount: float, habit: Spending) -> bool:
    return habit.median / USUAL_RATIO <= amount <= habit.median * USUAL_RATIO


ORDER: Final = Collection(Group.ORDER, _measures)
_describe = ORDER.describe

_describe(
    "ORDER_PLAUSIBLE",
    meaning="Amount and currency are such that they can be paid.",
    computation="1 when the currency exists and the amount is above 0, not absurd, and has no more"
    " decimals than the currency.",
    says="Amount and currency are plausible.",
)
_describe(
    "ORDER_AMOUNT_INVALID",
    meaning="Nobody can pay such an amount.",
    computation="1 when the amount is 0 or less, has more decimals than its currency, or would be"
    " above about ten million dollars. 0 for a free order: an amount of 0 with a discount code,"
    " with a cart that comes to 0, or as a recurring purchase.",
    says="The amount cannot be true.",
)
_describe(
    "CURRENCY_INVALID",
    meaning="There is no such currency.",
    computation="1 when ISO 4217 does not know the code.",
    says="The currency does not exist.",
)
_describe(
    "ORDER_AMOUNT_HIGH",
    meaning="The amount is far above what this merchant's orders usually are.",
    computation="How many robust deviations the amount's logarithm lies above the median of the"
    " merchant's orders in this currency. 0 when it is usual for the user.",
    says="The amount is far above the merchant's usual ones.",
)
_describe(
    "ORDER_AMOUNT_ABOVE_USER",
    meaning="The amount is far above what this user usually spends.",
    computation=f"Amount over the median of the user's earlier ones, from {HABIT_AMOUNTS} of them"
    " on; 1 when the user has spent as much before.",
    says="The amount is {value} times what this user usually spends.",
)
_describe(
    "ORDER_AMOUNT_USUAL",
    meaning="The user spends about as much as on earlier orders.",
    computation="1 when the amount is at most twice the median of the user's earlier ones and at"
    f" least half of it, from {HABIT_AMOUNTS} of them on. In the user's first {TRUST_DAYS} days it"
    " is less in proportion, and 0 after a known fraud.",
    says="The amount is usual for this user.",
)
_describe(
    "ORDER_AMOUNT_TESTING",
    meaning="Tiny amounts in a row: this is how stolen cards are tried out.",
    computation="When the amount is below about two dollars: the most events within an hour of the"
    " card, the session or the address. An address that many people share does not count, and of a"
    " recurring purchase only the card does.",
    says="{value} orders within an hour, and the amount is tiny.",
)
_describe(
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
_describe(
    "DISCOUNT_STACKING",
    meaning="More discount codes than an honest buyer would have at hand.",
    computation="Number of different codes.",
    says="{value} discount codes were used together.",
)
_describe(
    "DISCOUNT_CODE_BURST",
    meaning="Far more users than usual use a discount code; it may have leaked.",
    computation="Zeros of the probability of so many different users in the last hour and day,"
    " against the code's month, as a Poisson tail; the largest of all codes. Below 8 when no"
    " unusual number of users comes from the buyer's own network.",
    says="Unusually many users use one of the discount codes.",
)
_describe(
    "REFERRER_SUSPICIOUS",
    meaning="The buyer came from where no buyer comes from.",
    computation="1 when the referrer is no web address, or one of a bare IP address, of a local"
    " machine, or in disguised letters.",
    says="The referrer is suspicious.",
)
_describe(
    "EVENT_TIME_INVALID",
    meaning="The event is said to have happened when it cannot have.",
    computation="1 when the timestamp is more than seven days before, or five minutes after, the"
    " request. The time of the request then stands for it.",
    says="The event's time cannot be true.",
)
_describe(
    "EVENT_RENEWAL",
    meaning="A recurring purchase: the customer has paid like this before.",
    computation="1 for a recurring purchase.",
    says="The order renews an earlier one.",
)
