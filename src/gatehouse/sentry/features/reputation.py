"""Features from the labels of earlier events of the same people, devices and goods.

Only labels count that were known when the request came. A reputation is how much likelier
fraud is than usual for the account, in log-odds: above 0 is worse, below 0 better than usual.
"""

from typing import Final

from gatehouse.sentry import kinds
from gatehouse.sentry.features.feature import LEAST, Collection, Group
from gatehouse.sentry.memory.memory import EntityKind
from gatehouse.sentry.memory.reputation import EntityReputation
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
_CODES: Final = {kind: code for kind, (code, _, _) in _BY_KIND.items()}


def _measures(view: RequestView, found: dict[str, float]) -> None:
    history = view.history
    if history is None:
        return
    reputations = history.reputation()
    for kind, known in reputations.items():
        code = _CODES.get(kind)
        if code is not None:
            risk = known[0].risk if len(known) == 1 else max([each.risk for each in known])
            if risk:
                found[code] = risk
    articles = reputations.get(kinds.ARTICLE)
    if articles is not None:
        risk = sum([each.risk for each in articles])
        if risk:
            found["CART_REPUTATION"] = risk
    affiliate = reputations.get(kinds.AFFILIATE)
    if affiliate is not None:
        _trend(affiliate[0], found)


def _trend(affiliate: EntityReputation, found: dict[str, float]) -> None:
    """How an affiliate's labels developed: fraud comes through it in runs."""
    trend = affiliate.labels.trend(affiliate.day)
    found["AFFILIATE_LATEST_OUTCOMES"] = max(100 * trend.latest, LEAST)
    if trend.days_since_fraud is None:
        return
    found["AFFILIATE_FRAUDS"] = max(affiliate.frauds, LEAST)
    found["AFFILIATE_FRAUD_AGE"] = max(trend.days_since_fraud, LEAST)
    if trend.run:
        found["AFFILIATE_FRAUD_RUN"] = float(trend.run)
        found["AFFILIATE_FRAUD_RUN_AGE"] = max(trend.run_days, LEAST)


REPUTATION: Final = Collection(Group.REPUTATION, _measures)
for _code, _words, _whose in _BY_KIND.values():
    REPUTATION.describe(
        _code,
        meaning=f"Earlier orders {_words} turned out to be fraud, or turned out well.",
        computation=f"Log-odds of the smoothed fraud rate {_whose}, over the account's own rate.",
        says=f"Earlier orders {_words} turned out to be fraud.",
        says_in_favour=f"Earlier orders {_words} turned out well.",
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
