"""Every signal that a condition can speak of: its type, what it means, and how it is read.

Signals travel as one flat dictionary by name; a key that is missing, or None, is NULL. Velocity
is the exception: one list of numbers for each group, in the order of `VELOCITY`, so that several
dozen counts cost a request no more than a handful of keys.
"""

import math
import re
from collections import ChainMap
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from gatehouse.core.cards.brands import BRAND_NAMES
from gatehouse.core.cards.three_d_secure import Eci, ScaExemption, ThreeDSStatus, ThreeDSVersion
from gatehouse.core.errors import InvalidInput
from gatehouse.core.secrets.credentials import CredentialType
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.core.stages.signal import SignalInfo, Type, describe_signal
from gatehouse.core.wording.sentences import Phrase

_INPUT_NAME: Final = Phrase(
    "condition.input_name",
    "{key!r} cannot name an input: use up to 64 letters, digits and underscores, not "
    "beginning with a digit",
)
_INPUT_TYPE: Final = Phrase(
    "condition.input_type", "input {key}: the type must be number, text or boolean"
)

VELOCITY: Final[dict[str, tuple[str, ...]]] = {
    "card": (
        *("count_1m", "count_1h", "count_24h", "count_7d", "count_30d"),
        *("amount_24h", "days_30d", "age_days", "declines_1h", "declines_24h"),
        *("distinct_users_24h", "distinct_ips_24h", "distinct_emails_24h"),
        "distinct_devices_24h",
    ),
    "bin": (
        *("count_1m", "count_1h", "count_24h", "distinct_cards_1h", "distinct_cards_24h"),
        *("declines_1h", "declines_24h", "declined_cards_1h"),
    ),
    "ip": (
        *("count_1m", "count_1h", "count_24h", "count_7d", "days_30d", "age_days"),
        *("declines_1h", "declines_24h", "declined_cards_1h", "declined_cards_24h"),
        *("distinct_cards_1h", "distinct_cards_24h", "distinct_users_1h", "distinct_users_24h"),
        *("distinct_bins_24h", "distinct_emails_24h"),
    ),
    "device": (
        *("count_1m", "count_1h", "count_24h", "declines_1h", "declines_24h"),
        *("declined_cards_24h", "distinct_cards_24h", "distinct_users_24h"),
    ),
    "session": (
        *("count_1h", "declines_1h", "declined_cards_1h", "distinct_cards_1h"),
        "distinct_users_1h",
    ),
    "user": (
        *("count_1m", "count_1h", "count_24h", "count_7d", "count_30d"),
        *("amount_24h", "days_30d", "age_days", "declines_1h", "declines_24h"),
        *("declined_cards_24h", "distinct_cards_24h", "distinct_cards_7d", "distinct_ips_24h"),
        *("distinct_countries_24h", "distinct_devices_24h"),
    ),
    "email": (
        *("count_1h", "count_24h", "count_7d", "days_30d", "age_days"),
        *("declines_1h", "declines_24h", "declined_cards_24h"),
        *("distinct_cards_24h", "distinct_cards_7d", "distinct_bins_24h"),
        *("distinct_card_countries_7d", "distinct_ips_24h", "distinct_users_24h"),
    ),
    "phone": (*("count_1h", "count_24h", "count_7d", "distinct_cards_24h", "distinct_users_24h"),),
    "device_id": (
        *("count_1m", "count_1h", "count_24h", "count_7d", "days_30d", "age_days"),
        *("declines_1h", "declines_24h", "declined_cards_24h"),
        *("distinct_users_24h", "distinct_users_7d", "distinct_cards_24h", "distinct_cards_7d"),
        *("distinct_emails_24h", "distinct_emails_7d", "distinct_ips_24h"),
    ),
}
"""The measures of each group, in the order in which its list holds them."""

LIST_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}", re.ASCII)

LIST_KINDS: Final[dict[str, tuple[str, ...]]] = {
    "cards": ("card.fingerprint", "card.accountFingerprint"),
    "bins": ("card.bin",),
    "networks": ("ip.address",),
    "emails": ("email.fingerprint",),
    "domains": ("email.domain",),
    "phones": ("phone.fingerprint",),
    "users": ("user.id",),
    "devices": ("device.id",),
    "countries": (
        *("card.country", "ip.country", "billing.country", "shipping.country"),
        "phone.country",
    ),
    "words": (
        *("custom.*", "device.kind", "device.browser", "device.system", "device.language"),
        *("order.affiliate", "ip.organisation"),
    ),
}
"""Which signals can be looked up on a list of each kind; `custom.*` is every custom text."""

_KINDS_OF_AGENT: Final = (
    *("browser", "webview", "app", "bot", "library", "headless", "malformed", "unknown"),
)

_N, _T, _B = Type.NUMBER, Type.TEXT, Type.BOOLEAN

_Row = tuple[str, Type, str, str] | tuple[str, Type, str, str, tuple[str, ...]]

# Name, type, what it means, an example, and the closed set of values if there is one.
_ROWS: Final[tuple[_Row, ...]] = (
    ("request.cards_differ", _B, "The inputs of the request name different cards.", ""),
    ("request.ips_differ", _B, "The Rules input names another address than the device's.", ""),
    ("request.amounts_differ", _B, "The inputs tell different amounts or currencies.", ""),
    ("request.hour", _N, "Hour of the day when the request came, 0 to 23, UTC.", "3"),
    ("request.weekday", _N, "Day of the week, 1 is Monday, 7 is Sunday, UTC.", "7"),
    ("order.amount", _N, "What is to be paid, in units of the currency.", "249.99"),
    ("order.currency", _T, "Currency of the amount (ISO 4217).", "'USD'"),
    ("order.items", _N, "Lines in the shopping cart.", "3"),
    ("order.discounts", _N, "Discount codes that were used.", "1"),
    ("order.affiliate", _T, "Who sent the customer.", "'partner-17'"),
    ("card.fingerprint", _T, "Same card, same fingerprint; for lists of cards.", ""),
    (
        *("card.accountFingerprint", _T),
        *("Same account behind the card, same fingerprint: of all its tokens.", ""),
    ),
    ("card.bin", _T, "First eight digits, six of a number below 16 digits.", "'42424242'"),
    ("card.brand", _T, "The card's brand.", "'VISA'", BRAND_NAMES),
    ("card.country", _T, "Country of the card's issuer (ISO 3166-1 alpha-2).", "'GB'"),
    ("card.funding", _T, "How the card is paid.", "'DEBIT'", ("CREDIT", "DEBIT", "CHARGE")),
    ("card.prepaid", _B, "The card is prepaid.", ""),
    ("card.months_left", _N, "Months until it expires: 0 in its last, negative after.", "1"),
    (
        *("card.credentialType", _T, "What kind of number the card number is.", "'DEVICE_TOKEN'"),
        tuple(CredentialType),
    ),
    ("ip.address", _T, "The customer's address; for lists of networks.", "'203.0.113.1'"),
    ("ip.network", _T, "The network that the address belongs to.", "'203.0.113.0/24'"),
    ("ip.country", _T, "Country of the address (ISO 3166-1 alpha-2).", "'GB'"),
    ("ip.asn", _N, "Number of the autonomous system.", "64500"),
    ("ip.organisation", _T, "Who runs the autonomous system.", "'Example Net'"),
    ("ip.hosting", _B, "The address belongs to a hosting network.", ""),
    ("ip.vpn", _B, "The address is an exit of a VPN.", ""),
    ("ip.tor", _B, "The address is an exit of Tor.", ""),
    ("ip.proxy", _B, "The address is an open proxy.", ""),
    ("ip.relay", _B, "The address is a privacy relay of a large maker.", ""),
    ("ip.mobile", _B, "The address belongs to a mobile network.", ""),
    ("ip.blocked", _B, "The address is on a block feed.", ""),
    ("ip.allowed", _B, "The address is on an allow feed.", ""),
    ("ip.public", _B, "The address is one that the public internet uses.", ""),
    ("email.domain", _T, "Domain of the e-mail address.", "'example.com'"),
    ("email.fingerprint", _T, "Same mailbox, same fingerprint; for lists of e-mails.", ""),
    ("email.valid", _B, "The e-mail address is well-formed.", ""),
    ("email.disposable", _B, "The domain gives out throw-away addresses.", ""),
    ("email.relay", _B, "The address is an alias of a forwarding service.", ""),
    ("phone.country", _T, "Country of the phone number (ISO 3166-1 alpha-2).", "'GB'"),
    ("phone.fingerprint", _T, "Same number, same fingerprint; for lists of phones.", ""),
    ("phone.valid", _B, "The phone number can exist.", ""),
    ("user.id", _T, "The customer as your shop knows them.", "'u-1001'"),
    ("billing.country", _T, "Country of the billing address.", "'GB'"),
    ("shipping.country", _T, "Country of the shipping address.", "'GB'"),
    ("device.kind", _T, "What sent the request.", "'browser'", _KINDS_OF_AGENT),
    ("device.browser", _T, "Name of the browser or program.", "'Firefox'"),
    ("device.system", _T, "Name of the operating system.", "'Android'"),
    ("device.language", _T, "First language of the device, without its region.", "'en'"),
    ("device.id", _T, "The device as your page names it; for lists of devices.", "'gd_kqzh'"),
    ("device.new_for_user", _B, "The customer ordered before, and not with this device.", ""),
    ("device.session_age", _N, "Seconds since the session began.", "20"),
    ("event.type", _T, "Kind of purchase.", "'PURCHASE'", ("PURCHASE", "RECURRING_PURCHASE")),
    ("ring.people", _N, "Other people whom cards, contacts, devices, addresses link with it.", "3"),
    ("ring.age_days", _N, "Days since the first request that it is linked with.", "2"),
    ("ring.growth_24h", _N, "Linked users, cards, contacts and devices new within 24 hours.", "10"),
    ("ring.frauds", _N, "Linked users, cards, contacts, devices, addresses with known fraud.", "4"),
    ("ring.fraud_share", _N, "Share of them among all that are linked, 0 to 1.", "0.5"),
    ("ring.near_frauds", _N, "Of these, the ones that were used together with its own.", "2"),
    ("threeDS.version", _T, "Version of 3-D Secure.", "'2.2.0'", tuple(ThreeDSVersion)),
    ("threeDS.eci", _T, "Electronic commerce indicator.", "'05'", tuple(Eci)),
    ("threeDS.status", _T, "Result of 3-D Secure (transStatus).", "'Y'", tuple(ThreeDSStatus)),
    (
        *("threeDS.exemption", _T, "Why authentication was not needed.", "'LOW_VALUE'"),
        tuple(ScaExemption),
    ),
    ("threeDS.authenticated", _B, "3-D Secure authenticated the cardholder.", ""),
    ("experiment.id", _T, "The live experiment that it takes part in.", "'exp_01kabc'"),
    (
        *("experiment.arm", _T, "Which arm of it decides.", "'challenger'"),
        ("control", "challenger"),
    ),
)

_SPANS: Final = {
    "1m": "the last minute",
    "1h": "the last hour",
    "24h": "the last 24 hours",
    "7d": "the last 7 days",
    "30d": "the last 30 days",
}
_OWNERS: Final = {
    "card": "this card",
    "bin": "this BIN",
    "ip": "this address",
    "device": "this device (user agent and languages on one network)",
    "session": "this session",
    "user": "this customer",
    "email": "this e-mail address",
    "phone": "this phone number",
    "device_id": "this device (by its `deviceId`)",
}
_THINGS: Final = {
    "cards": "cards",
    "users": "customers",
    "ips": "addresses",
    "emails": "e-mail addresses",
    "bins": "BINs",
    "countries": "countries",
    "card_countries": "countries of card issuers",
    "devices": "devices (by `deviceId`)",
}


def _measure_about(group: str, measure: str) -> str:
    owner = _OWNERS[group]
    if measure == "age_days":
        return f"Days since {owner} was seen first."
    what, _, span = measure.rpartition("_")
    if what == "days":
        return f"Days among {_SPANS[span]} on which {owner} was seen."
    during = f"with {owner} in {_SPANS[span]}"
    if what == "count":
        return f"Requests {during}, this one included."
    if what == "amount":
        return (
            f"Sum of the amounts {during} in the currency of this one, which is included. Within 24"
            " hours only the first of several currencies is summed up; in another, this amount"
            " stands alone."
        )
    if what == "declines":
        return f"Earlier requests {during} that were refused."
    if what == "declined_cards":
        return f"Different cards {during} that were refused."
    return f"Different {_THINGS[what.removeprefix('distinct_')]} {during}."


_OF_REQUESTS: Final = {row[0]: describe_signal(*row) for row in _ROWS}
_OF_VELOCITY: Final = {
    name: describe_signal(name, _N, _measure_about(group, measure), "5")
    for group, measures in VELOCITY.items()
    for measure in measures
    for name in [f"velocity.{group}.{measure}"]
}

SIGNALS: Final[Mapping[str, SignalInfo]] = ChainMap(_OF_VELOCITY, REGISTRY.signals, _OF_REQUESTS)
"""Every signal but custom inputs, by name: of requests, of stages, of velocity."""

CUSTOM: Final = "custom."
_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}", re.ASCII)
_EXAMPLES: Final = {_N: "10", _T: "'gold'", _B: ""}

_PLACES: Final[dict[str, tuple[str, int]]] = {
    f"velocity.{group}.{measure}": (f"velocity.{group}", place)
    for group, measures in VELOCITY.items()
    for place, measure in enumerate(measures)
}


class Catalogue:
    """All built-in signals and the custom inputs that a document declares."""

    def __init__(self, inputs: Mapping[str, Type] = MappingProxyType({})) -> None:
        """Take the declared inputs: their keys without `custom.`, and a type for each."""
        self._custom: dict[str, SignalInfo] = {}
        for key, kind in inputs.items():
            if _KEY.fullmatch(key) is None:
                raise InvalidInput(_INPUT_NAME(key=key[:80]))
            if kind not in _EXAMPLES:
                raise InvalidInput(_INPUT_TYPE(key=key))
            about = f"The custom input {key}."
            name = CUSTOM + key
            self._custom[name] = describe_signal(name, kind, about, _EXAMPLES[kind])

    def find(self, name: str) -> SignalInfo | None:
        """What is known about a signal."""
        return SIGNALS.get(name) or self._custom.get(name)

    def names(self) -> list[str]:
        """The names of all signals, custom ones last."""
        return [*SIGNALS, *self._custom]


def place_of(name: str) -> tuple[str, int] | None:
    """Where a velocity signal is found: the key of its group's list and the place in it."""
    return _PLACES.get(name)


def read_signal(signals: Mapping[str, Any], name: str) -> Any:
    """The value of a signal, None when it is not known."""
    place = _PLACES.get(name)
    if place is None:
        return signals.get(name)
    measures = signals.get(place[0])
    if measures is None or len(measures) <= place[1]:
        return None
    value = measures[place[1]]
    return None if value is None or math.isnan(value) else value


def packed(flat: Mapping[str, Any]) -> dict[str, Any]:
    """Signals by name in the form in which they travel; a measure that is missing is NULL."""
    signals = {name: value for name, value in flat.items() if name not in _PLACES}
    for name in flat.keys() & _PLACES.keys():
        key, place = _PLACES[name]
        size = len(VELOCITY[key.removeprefix("velocity.")])
        measures = signals.setdefault(key, [math.nan] * size)
        if flat[name] is not None:
            measures[place] = flat[name]
    return signals


def kinds_for(signal: str) -> tuple[str, ...]:
    """The kinds of lists on which a signal can be looked up; its type is not looked at."""
    wanted = "custom.*" if signal.startswith(CUSTOM) else signal
    return tuple(kind for kind, signals in LIST_KINDS.items() if wanted in signals)
