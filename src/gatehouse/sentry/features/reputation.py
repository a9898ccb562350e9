"""Features from the labels of earlier events of the same people, devices and goods.

Only labels count that were known when the request came. A reputation is how much likelier
fraud is than usual for the account, in log-odds: above 0 is worse, below 0 better than usual.
There are two of each: one forgets within months and follows waves of fraud, the other within years
and knows those who come rarely.
"""

from typing import Final

from gatehouse.sentry import kinds
from gatehouse.sentry.features.feature import LEAST, Collection, Group
from gatehouse.sentry.memory.memory import EntityKind
from gatehouse.sentry.memory.reputation import SLOW_HALF_LIFE_DAYS, EntityReputation
from gatehouse.sentry.memory.reputation_store import CROWDS, NEIGHBOURS
from gatehouse.sentry.request_view import RequestView

_BY_KIND: Final[dict[EntityKind, tuple[str, str, str]]] = {
    kinds.ADDRESS: ("IP_REPUTATION", "from this address", "of the address"),
    kinds.NETWORK: ("IP_NETWORK_REPUTATION", "from this network", "of the network"),
    kinds.OPERATOR: (
        "IP_OPERATOR_REPUTATION",
        "from this network operator",
        "of the network's operator",
    ),
    kinds.COUNTRY: (
        "IP_COUNTRY_REPUTATION",
        "from the address's country",
        "of the country that the address is in",
    ),
    kinds.PLACE: (
        "DEVICE_REPUTATION",
        "with this device on this network",
        "of user agent, languages and network together",
    ),
    kinds.DEVICE_ID: (
        "DEVICE_ID_REPUTATION",
        "with this device",
        "of the device by its identifier",
    ),
    kinds.USER: ("ACCOUNT_REPUTATION", "of this user", "of the user"),
    kinds.CARD: ("CARD_REPUTATION", "with this card", "of the card"),
    kinds.BIN: ("CARD_BIN_REPUTATION", "with cards of this kind", "of the card's first digits"),
    kinds.ISSUER: (
        "CARD_COUNTRY_REPUTATION",
        "with cards of this country",
        "of the country of the card's issuer",
    ),
    kinds.EMAIL: ("EMAIL_REPUTATION", "with this e-mail address", "of the mailbox"),
    kinds.PHONE: ("PHONE_REPUTATION", "with this phone number", "of the phone number"),
    kinds.AFFILIATE: ("AFFILIATE_REPUTATION", "from this affiliate", "of the affiliate"),
    kinds.DISCOUNT: (
        "DISCOUNT_REPUTATION",
        "with this discount code",
        "of the discount code; of several, the worst",
    ),
    kinds.MIX: (
        "CART_MIX_REPUTATION",
        "of such carts",
        "of the cart's categories at about its total",
    ),
    kinds.CUSTOM: (
        "CUSTOM_REPUTATION",
        "with one of the custom inputs",
        "of a declared custom input; of several, the worst",
    ),
}
_LONG: Final = "_LONG"
_ADDED_UP: Final = "of a custom input that is remembered; of several, added up"
_CUSTOM: Final = kinds.CUSTOM
_ARTICLE: Final = kinds.ARTICLE
_CROWD_SHARE: Final = 0.5
"""What is known of a crowd counts half in the sum of all."""
_COUNTED: Final[dict[EntityKind, tuple[str, str, float]]] = {
    kind: (code, code + _LONG, _CROWD_SHARE if kind in CROWDS else 1.0)
    for kind, (code, _, _) in _BY_KIND.items()
}
"""How a kind is told, and what it counts in the sum. Articles are told as one cart; a shelf is not:
an article stands as it does where little is known of it.
"""


def _measures(view: RequestView, found: dict[str, float]) -> None:
    history = view.history
    if history is None:
        return
    latest = history.latest_outcomes()
    if latest is not None:
        found["MERCHANT_LATEST_OUTCOMES"] = _at_least(100 * latest)
    reputations, total = history.reputation(), 0.0
    for kind, known in reputations.items():
        counted = _COUNTED.get(kind)
        if counted is None:
            continue
        code, code_long, share = counted
        risk, slow = known[0].risk, known[0].slow_risk
        if len(known) > 1:
            risk = max([each.risk for each in known])
            # Several custom inputs are several witnesses.
            combined = sum if kind is _CUSTOM else max
            slow = combined([each.slow_risk for each in known])
        total += slow * share
        if risk:
            found[code] = risk
        if slow:
            found[code_long] = slow
    articles = reputations.get(_ARTICLE)
    if articles is not None:
        slow = sum([each.slow_risk for each in articles])
        total += slow
        _keep(found, "CART_REPUTATION", sum([each.risk for each in articles]))
        _keep(found, "CART_REPUTATION_LONG", slow)
    _keep(found, "REPUTATION_TOTAL", total)
    affiliate = reputations.get(kinds.AFFILIATE)
    if affiliate is not None:
        _trend(affiliate[0], found)


def _at_least(value: float) -> float:
    """The value, or the least that is kept."""
    return value if value > LEAST else LEAST


def _keep(found: dict[str, float], code: str, value: float) -> None:
    if value:
        found[code] = value


def _trend(affiliate: EntityReputation, found: dict[str, float]) -> None:
    """How an affiliate's labels developed: fraud comes through it in runs."""
    trend = affiliate.labels.trend(affiliate.day)
    found["AFFILIATE_LATEST_OUTCOMES"] = _at_least(100 * trend.latest)
    if trend.days_since_fraud is None:
        return
    found["AFFILIATE_FRAUDS"] = _at_least(affiliate.frauds)
    found["AFFILIATE_FRAUD_AGE"] = _at_least(trend.days_since_fraud)
    if trend.run:
        found["AFFILIATE_FRAUD_RUN"] = float(trend.run)
        found["AFFILIATE_FRAUD_RUN_AGE"] = _at_least(trend.run_days)


REPUTATION: Final = Collection(Group.REPUTATION, _measures)
for _code, _words, _whose in _BY_KIND.values():
    REPUTATION.describe(
        _code,
        meaning=f"Earlier orders {_words} turned out to be fraud, or turned out well.",
        computation=f"Log-odds of the smoothed fraud rate {_whose}, over the account's own rate.",
        says=f"Earlier orders {_words} turned out to be fraud.",
        says_in_favour=f"Earlier orders {_words} turned out well.",
    )
for _kind, (_code, _words, _whose) in _BY_KIND.items():
    _of_all = _ADDED_UP if _kind is kinds.CUSTOM else _whose
    REPUTATION.describe(
        _code + _LONG,
        meaning=f"Orders {_words}, lately or long ago, turned out to be fraud, or turned out well.",
        computation=f"Log-odds of the smoothed fraud rate {_of_all}, over the account's own rate,"
        f" where a label is worth half after {SLOW_HALF_LIFE_DAYS} days.",
        says=f"Orders {_words}, lately or long ago, turned out to be fraud.",
        says_in_favour=f"Orders {_words}, lately or long ago, turned out well.",
    )
REPUTATION.describe(
    "CART_REPUTATION_LONG",
    meaning="Orders of the same goods, lately or long ago, turned out to be fraud, or turned out"
    " well.",
    computation="The same as CART_REPUTATION, where a label is worth half after"
    f" {SLOW_HALF_LIFE_DAYS} days.",
    says="Orders of such goods, lately or long ago, turned out to be fraud.",
    says_in_favour="Orders of such goods, lately or long ago, turned out well.",
)
REPUTATION.describe(
    "REPUTATION_TOTAL",
    meaning="What is known of everything in the order speaks against it, or for it.",
    computation="All reputations that a label is worth half in after"
    f" {SLOW_HALF_LIFE_DAYS} days, added up; what strangers have in common counts half.",
    says="What earlier orders turned out to be speaks against this one, all in all.",
    says_in_favour="What earlier orders turned out to be speaks for this one, all in all.",
)
REPUTATION.describe(
    "MERCHANT_LATEST_OUTCOMES",
    meaning="How much fraud there was among the merchant's latest orders.",
    computation=f"Percentage of frauds among the last {NEIGHBOURS} orders that a label is known of,"
    " by days.",
    says="Of the merchant's last known orders, {value} % were fraud.",
)
REPUTATION.describe(
    "CART_REPUTATION",
    meaning="Earlier orders of the same goods turned out to be fraud, or turned out well.",
    computation="Log-odds of the smoothed rate of fraud of each article at about its price, over"
    " the account's own rate, added up over the lines. An article of which little is known stands"
    " as its category does at about that price.",
    says="Earlier orders of such goods turned out to be fraud.",
    says_in_favour="Earlier orders of such goods turned out well.",
)
REPUTATION.describe(
    "AFFILIATE_FRAUDS",
    meaning="Orders of the affiliate turned out to be fraud before.",
    computation="Known frauds of the affiliate, each worth half after 30 days.",
    says="Earlier orders of this affiliate turned out to be fraud.",
)
REPUTATION.describe(
    "AFFILIATE_FRAUD_AGE",
    meaning="How long ago the affiliate's last known fraud was.",
    computation="Days since the order that is known to be one.",
    says="The affiliate's last known fraud was {value} days ago.",
)
REPUTATION.describe(
    "AFFILIATE_FRAUD_RUN",
    meaning="All latest orders of the affiliate that are known turned out to be fraud.",
    computation="Known frauds since the last day with an order that turned out well.",
    says="The last {value} known orders of this affiliate were fraud.",
)
REPUTATION.describe(
    "AFFILIATE_FRAUD_RUN_AGE",
    meaning="For how long all known orders of the affiliate have been fraud.",
    computation="Days since the first of them.",
    says="All known orders of this affiliate since {value} days ago were fraud.",
)
REPUTATION.describe(
    "AFFILIATE_LATEST_OUTCOMES",
    meaning="What the last known orders of the affiliate turned out to be.",
    computation="Percentage of frauds among the last three that are known.",
    # A model can learn that either speaks for or against an order; this is true of both.
    says="Of the last known orders of this affiliate, {value} % were fraud.",
)
