"""Plain measures of the order and the cart, for models that learn from a merchant's own labels.

The shipped scorecard gives them no weight: a large amount for one merchant is small for another.
"""

import math
from typing import Final

from gatehouse.sentry import kinds
from gatehouse.sentry.amounts import magnitude
from gatehouse.sentry.features.feature import LEAST, Collection, Group
from gatehouse.sentry.memory.memory import MONTH_S
from gatehouse.sentry.request_view import RequestView

_LARGEST: Final = 1_000_000.0
_LEAST_DEVIATION: Final = 0.2


def _spending(view: RequestView, found: dict[str, float]) -> None:
    amount = view.amount
    if amount is None:
        return
    found["ORDER_AMOUNT"] = _ratio(amount, magnitude(view.currency) or 1.0)
    user = view.recall(kinds.USER)
    if user is None or user.events < 2:
        return
    earlier = user.count(MONTH_S) - 1
    total = user.total(MONTH_S) - amount
    # Without earlier amounts in this currency, the sums are in another one.
    if earlier > 0 and 0 < total < math.inf and user.usual_amounts():
        found["ORDER_AMOUNT_TO_MEAN"] = _ratio(amount * earlier, total)
    habit = view.spending
    if habit is None:
        return
    found["ORDER_AMOUNT_TO_MEDIAN"] = _ratio(amount, habit.median)
    found["ORDER_AMOUNT_TO_LARGEST"] = _ratio(amount, habit.largest)
    above = (math.log(amount) - habit.usual) / (habit.deviation + _LEAST_DEVIATION)
    found["ORDER_AMOUNT_DEVIATIONS"] = above or LEAST
    high = user.high_amounts()
    if high:
        found["ACCOUNT_HIGH_AMOUNTS"] = float(high)


def _ratio(amount: float, other: float) -> float:
    """The ratio of two amounts, within bounds."""
    ratio = amount / other
    # Calling `min` and `max` would take five times as long.
    return LEAST if ratio < LEAST else _LARGEST if ratio > _LARGEST else ratio


SPENDING: Final = Collection(Group.ORDER, _spending)
SPENDING.describe(
    "ORDER_AMOUNT",
    meaning="How much is paid.",
    computation="The amount in about dollars: currencies count by their order of magnitude.",
    says="The amount is about {value} dollars.",
)
SPENDING.describe(
    "ORDER_AMOUNT_TO_MEAN",
    meaning="How the amount compares with what the user spent lately.",
    computation="Amount over the mean of the user's other orders within 30 days.",
    says="The amount is {value} times the user's mean of the last month.",
)
SPENDING.describe(
    "ORDER_AMOUNT_TO_MEDIAN",
    meaning="How the amount compares with the user's usual one.",
    computation="Amount over the median of the user's last 20, from three of them on.",
    says="The amount is {value} times what this user usually spends.",
)
SPENDING.describe(
    "ORDER_AMOUNT_TO_LARGEST",
    meaning="How the amount compares with the largest of the user.",
    computation="Amount over the largest of the user's last 20, from three of them on.",
    says="The amount is {value} times the largest that this user has spent.",
)
SPENDING.describe(
    "ORDER_AMOUNT_DEVIATIONS",
    meaning="How unusual the amount is for the user.",
    computation="How many standard deviations, and a little more, the amount's logarithm lies above"
    " the mean of the user's last 20, from three of them on.",
    says="The amount is {value} deviations above this user's usual one.",
)
SPENDING.describe(
    "ACCOUNT_HIGH_AMOUNTS",
    meaning="The user has spent far more than usual before, not long ago.",
    computation="How many amounts of the two weeks before were more than about two and a half times"
    " the user's usual one.",
    says="The user has spent far more than usual {value} times lately.",
)


def _cart(view: RequestView, found: dict[str, float]) -> None:
    cart = view.cart
    if cart is None:
        return
    found["CART_LINES"] = float(cart.lines)
    total = cart.total
    if total is not None and total > 0:
        found["CART_TOTAL"] = _ratio(total, magnitude(view.currency) or 1.0)
        # More than all of it where a discount is a line of its own.
        found["CART_TOP_SHARE"] = _ratio(cart.dearest, total)


CARTS: Final = Collection(Group.CART, _cart)
CARTS.describe(
    "CART_LINES",
    meaning="How many lines the cart has.",
    computation="Number of lines.",
    says="The cart has {value} lines.",
)
CARTS.describe(
    "CART_TOTAL",
    meaning="What the cart comes to.",
    computation="Price times quantity over all lines, in about dollars.",
    says="The cart comes to about {value} dollars.",
)
CARTS.describe(
    "CART_TOP_SHARE",
    meaning="How much of the cart is one thing.",
    computation="The dearest line's share of the total.",
    says="The dearest line is {value} of the cart.",
)
