"""Features of the lines of the cart."""

from typing import Final

from gatehouse.sentry import kinds
from gatehouse.sentry.amounts import magnitude
from gatehouse.sentry.carts import Cart
from gatehouse.sentry.features.feature import Collection, Group
from gatehouse.sentry.features.surprise import is_crowded, surprise_of_partners
from gatehouse.sentry.request_view import RequestView

# Shipping and tax come on top: a share of the goods, and for small carts a sum of its own. Codes
# may take off most of the price; without any, a sale may still take off a part.
_ON_TOP_SHARE: Final = 0.35
_ON_TOP_DOLLARS: Final = 30.0
_OFF_WITH_CODES: Final = 0.95
_OFF_WITHOUT: Final = 0.35
_SAME_CART_USERS: Final = 0.3
_SAME_ARTICLE_USERS: Final = 10.0
"""One article alone is in many carts when it is new or on sale."""
_ANNOUNCED: Final = 3.9
"""The most for a cart whose users come each from a network of their own: it was announced."""


def _measures(view: RequestView, found: dict[str, float]) -> None:
    cart = view.cart
    if cart is None:
        if view.request.shopping_cart is not None:
            found["CART_EMPTY"] = 1.0
        return
    amount = view.amount
    gap = None if amount is None or cart.total is None else _gap(view, amount, cart.total)
    invalid = cart.invalid_lines
    if cart.lowering_lines and (cart.total is None or gap):
        invalid += cart.lowering_lines
    if invalid:
        found["CART_INVALID"] = float(invalid)
    if gap and amount is not None and cart.sum_of_prices is not None:
        # Some write the price of a line where the price of one article belongs.
        gap = min(gap, _gap(view, amount, cart.sum_of_prices))
        if gap:
            found["CART_TOTAL_MISMATCH"] = gap
    total = None if cart.invalid_lines else cart.total
    if amount is not None and total is not None and abs(amount - total) <= total / 3:
        found["CART_ADDS_UP"] = 1.0
    if cart.resold:
        found["CART_HIGH_RISK_ITEM"] = cart.resold
    if cart.most_of_one:
        found["CART_QUANTITY_HIGH"] = cart.most_of_one
    same = _same_cart(view, cart)
    if same:
        found["CART_DUPLICATE"] = same


def _same_cart(view: RequestView, cart: Cart) -> float:
    """How surprising the number of users is who order exactly this cart."""
    history = view.history
    seen = None if history is None else history.lately(kinds.CART)
    if seen is None:
        return 0.0
    # Only by chance do two people fill the same cart of several lines.
    allowed = _SAME_CART_USERS if cart.lines > 1 else _SAME_ARTICLE_USERS
    found = surprise_of_partners(seen, kinds.USER, allowed, view.at_s)
    return found if found <= _ANNOUNCED or is_crowded(view) else _ANNOUNCED


def _gap(view: RequestView, amount: float, total: float) -> float:
    """The part of the difference that shipping, tax and discounts do not explain."""
    if amount >= total:
        on_top = _ON_TOP_SHARE * total + _ON_TOP_DOLLARS * (magnitude(view.currency) or 1.0)
        return max(amount - total - on_top, 0.0) / amount
    off = total * (_OFF_WITH_CODES if view.order.discount_codes else _OFF_WITHOUT)
    return max(total - amount - off, 0.0) / total


CART: Final = Collection(Group.CART, _measures)
_describe = CART.describe

_describe(
    "CART_EMPTY",
    meaning="Something is ordered, but the cart holds nothing.",
    computation="1 when a cart without a line was sent.",
    says="The cart is empty.",
)
_describe(
    "CART_INVALID",
    meaning="The cart holds what no shop sells: prices below nothing, quantities beyond measure.",
    computation="Number of lines whose price or quantity is absurd or below 0. Lines below 0 are"
    " taken for discounts where the cart as a whole is not below 0 and fits the order's amount.",
    says="Prices or quantities in the cart cannot be true.",
)
_describe(
    "CART_TOTAL_MISMATCH",
    meaning="The cart's lines do not come to the order's amount: one of them was tampered with.",
    computation="What cannot be explained by shipping and tax (35 % and about 30 dollars) or by"
    " discounts (35 %, with codes 95 %), as a share of the larger of the two.",
    says="The cart does not add up to the order's amount.",
)
_describe(
    "CART_ADDS_UP",
    meaning="The cart's lines come to the order's amount, give or take shipping and discounts.",
    computation="1 when the amount is within a third of the cart's total.",
    says="The cart adds up to the order's amount.",
)
_describe(
    "CART_HIGH_RISK_ITEM",
    meaning="Much of the cart is what thieves buy because it sells again at once.",
    computation="Share of the cart's value in categories such as gift cards and crypto-currency;"
    " phones, consoles, jewellery and the like count half. Categories are told by their words:"
    " English ones, and the commonest in German, French, Spanish, Portuguese, Italian and Dutch.",
    says="The cart holds things that are easily sold again.",
)
_describe(
    "CART_QUANTITY_HIGH",
    meaning="More of one article than a household needs.",
    computation="The largest quantity of one line.",
    says="The cart holds {value} of one article.",
)
_describe(
    "CART_DUPLICATE",
    meaning="Several users order exactly the same cart at the same time.",
    computation="Zeros of the probability of so many different users of one cart in the last hour"
    " and day, against its month, as a Poisson tail. Carts of one line may have more. Below 4 when"
    " no unusual number of users comes from the buyer's own network.",
    says="Several users have ordered exactly this cart.",
)
