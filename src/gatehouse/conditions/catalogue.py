"""Every signal that a condition can speak of: its type, what it means, and how it is read.

Signals travel as one flat dictionary by name; a key that is missing, or None, is NULL. Velocity
is the exception: one list of numbers for each group, in the order of `VELOCITY`, so that several
dozen counts cost a request no more than a handful of keys.
"""

import math
import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

import msgspec

from gatehouse.conditions.nodes import Type
from gatehouse.core.brands import BRAND_NAMES
from gatehouse.core.errors import InvalidInput


class SignalInfo(msgspec.Struct, frozen=True):
    """What an author needs to know about a signal."""

    name: str
    type: Type
    about: str
    group: str
    example: str = ""
    """A value as it is written in a condition."""
    values: tuple[str, ...] = ()
    """All texts it can have, where that is a closed set; comparing with another is a mistake."""


VELOCITY: Final[dict[str, tuple[str, ...]]] = {
    "card": (
        *("count_1m", "count_1h", "count_24h", "count_7d", "count_30d"),
        *("amount_24h", "days_30d", "age_days", "declines_1h", "declines_24h"),
        *("distinct_users_24h", "distinct_ips_24h", "distinct_emails_24h"),
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
        "distinct_countries_24h",
    ),
    "email": (
        *("count_1h", "count_24h", "count_7d", "days_30d", "age_days"),
        *("declines_1h", "declines_24h", "declined_cards_24h"),
        *("distinct_cards_24h", "distinct_cards_7d", "distinct_bins_24h"),
        *("distinct_card_countries_7d", "distinct_ips_24h", "distinct_users_24h"),
    ),
    "phone": (*("count_1h", "count_24h", "count_7d", "distinct_cards_24h", "distinct_users_24h"),),
}
"""The measures of each group, in the order in which its list holds them."""

LIST_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}", re.ASCII)
"""How a list can be called."""

LIST_KINDS: Final[dict[str, tuple[str, ...]]] = {
    "cards": ("card.fingerprint",),
    "bins": ("card.bin",),
    "networks": ("ip.address",),
    "emails": ("email.fingerprint",),
    "domains": ("email.domain",),
    "phones": ("phone.fingerprint",),
    "users": ("user.id",),
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

_ADVICE: Final = ("ACCEPT", "DECLINE", "RETRY", "FRAUD", "INPUT_ERROR")
_AVS: Final = (
    *("FULL_MATCH", "STREET_MATCH", "POSTCODE_MATCH", "NO_MATCH"),
    *("UNVERIFIABLE", "RETRY", "NOT_PROVIDED", "UNKNOWN"),
)
_CVV2: Final = (*("MATCH", "NO_MATCH", "NOT_PROCESSED", "NOT_PROVIDED", "UNVERIFIABLE", "UNKNOWN"),)
_COMPARED: Final = (
    *("MATCH", "PARTIAL_MATCH", "NO_MATCH", "NOT_PROCESSED", "NOT_SUPPORTED", "UNKNOWN"),
)
_KINDS_OF_AGENT: Final = (
    *("browser", "webview", "app", "bot", "library", "headless", "malformed", "unknown"),
)

_N, _T, _B, _W = Type.NUMBER, Type.TEXT, Type.BOOLEAN, Type.WORDS

_Row = tuple[str, Type, str, str] | tuple[str, Type, str, str, tuple[str, ...]]

# Name, type, what it means, an example, and the closed set of values if there is one.
_ROWS: Final[tuple[_Row, ...]] = (
    ("request.cards_differ", _B, "The inputs of the request name different cards.", ""),
    ("request.ips_differ", _B, "The Rules input names another address than the device's.", ""),
    ("request.hour", _N, "Hour of the day when the request came, 0 to 23, UTC.", "3"),
    ("request.weekday", _N, "Day of the week, 1 is Monday, 7 is Sunday, UTC.", "7"),
    ("order.amount", _N, "What is to be paid, in units of the currency.", "249.99"),
    ("order.currency", _T, "Currency of the amount (ISO 4217).", "'USD'"),
    ("order.items", _N, "Lines in the shopping cart.", "3"),
    ("order.discounts", _N, "Discount codes that were used.", "1"),
    ("order.affiliate", _T, "Who sent the customer.", "'partner-17'"),
    ("card.fingerprint", _T, "Same card, same fingerprint; for lists of cards.", ""),
    ("card.bin", _T, "First eight digits, six of a number below 16 digits.", "'42424242'"),
    ("card.brand", _T, "The card's brand.", "'VISA'", BRAND_NAMES),
    ("card.country", _T, "Country of the card's issuer (ISO 3166-1 alpha-2).", "'GB'"),
    ("card.funding", _T, "How the card is paid.", "'DEBIT'", ("CREDIT", "DEBIT", "CHARGE")),
    ("card.prepaid", _B, "The card is prepaid.", ""),
    ("card.months_left", _N, "Months until it expires: 0 in its last, negative after.", "1"),
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
    ("device.session_age", _N, "Seconds since the session began.", "20"),
    ("event.type", _T, "Kind of purchase.", "'PURCHASE'", ("PURCHASE", "RECURRING_PURCHASE")),
    ("sentry.requestConfidence", _N, "Confidence that the request is legitimate, 0 to 1.", "0.2"),
    ("sentry.ipScore", _N, "The same from what is known of the address alone.", "0.3"),
    (
        "sentry.reasons",
        _W,
        "Codes of what moved the score.",
        "HAS(sentry.reasons, 'IP_TOR_EXIT')",
    ),
    ("sentry.completed", _B, "Sentry ran to its end.", ""),
    ("precheck.advice", _T, "What PreCheck advises.", "'DECLINE'", _ADVICE),
    ("precheck.avsResult", _T, "How the address compares with the issuer's.", "'NO_MATCH'", _AVS),
    ("precheck.cvv2Result", _T, "How the security code compares.", "'NO_MATCH'", _CVV2),
    (
        "precheck.reasons",
        _W,
        "Codes that say why the advice is what it is.",
        "HAS(precheck.reasons, 'card_expired')",
    ),
    ("precheck.completed", _B, "PreCheck ran to its end.", ""),
    ("idverify.email", _T, "How the e-mail address compares.", "'NO_MATCH'", _COMPARED),
    ("idverify.phone", _T, "How the phone number compares.", "'NO_MATCH'", _COMPARED),
    ("idverify.name", _T, "How the name as a whole compares.", "'PARTIAL_MATCH'", _COMPARED),
    ("idverify.firstName", _T, "How the first name compares.", "'NO_MATCH'", _COMPARED),
    ("idverify.middleName", _T, "How the middle name compares.", "'NO_MATCH'", _COMPARED),
    ("idverify.lastName", _T, "How the last name compares.", "'NO_MATCH'", _COMPARED),
    ("idverify.driverLicense", _T, "How the driving licence compares.", "'MATCH'", _COMPARED),
    ("idverify.passport", _T, "How the passport compares.", "'MATCH'", _COMPARED),
    ("idverify.nationalIdentity", _T, "How the identity card compares.", "'MATCH'", _COMPARED),
    ("idverify.tax", _T, "How the tax number compares.", "'MATCH'", _COMPARED),
    (
        "idverify.level",
        _T,
        "How much was given to verify.",
        "'FULL'",
        ("MINIMAL", "PARTIAL", "FULL"),
    ),
    ("idverify.completed", _B, "ID Verify ran to its end.", ""),
    ("gateway.status", _T, "The answer.", "'DECLINED'", ("APPROVED", "DECLINED", "ERROR")),
    ("gateway.responseCode", _T, "The gateway's code for its answer.", "'05'"),
    ("gateway.completed", _B, "The gateway answered in time.", ""),
    (
        "rules.status",
        _T,
        "Strongest outcome of the Rules stages so far.",
        "'REVIEW'",
        ("ACCEPT", "REVIEW", "DECLINE"),
    ),
    (
        "rules.matched",
        _W,
        "Names of the rules that matched in Rules stages so far.",
        "HAS(rules.matched, 'foreign-card')",
    ),
    ("rules.completed", _B, "Every Rules stage so far ran to its end.", ""),
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
    "bin": "cards with this BIN",
    "ip": "this address",
    "device": "this device (user agent and languages on one network)",
    "session": "this session",
    "user": "this customer",
    "email": "this e-mail address",
    "phone": "this phone number",
}
_THINGS: Final = {
    "cards": "cards",
    "users": "customers",
    "ips": "addresses",
    "emails": "e-mail addresses",
    "bins": "BINs",
    "countries": "countries",
    "card_countries": "countries of card issuers",
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


def _all_signals() -> Iterator[SignalInfo]:
    for name, kind, about, example, *values in _ROWS:
        group = name.partition(".")[0]
        yield SignalInfo(name, kind, about, group, example, *values)
    for group, measures in VELOCITY.items():
        for measure in measures:
            name = f"velocity.{group}.{measure}"
            yield SignalInfo(name, _N, _measure_about(group, measure), "velocity", "5")


SIGNALS: Final[dict[str, SignalInfo]] = {each.name: each for each in _all_signals()}
"""Every signal of the house, by name; custom inputs come on top of these."""

CUSTOM: Final = "custom."
_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}", re.ASCII)
_EXAMPLES: Final = {_N: "10", _T: "'gold'", _B: ""}

_PLACES: Final[dict[str, tuple[str, int]]] = {
    f"velocity.{group}.{measure}": (f"velocity.{group}", place)
    for group, measures in VELOCITY.items()
    for place, measure in enumerate(measures)
}


class Catalogue:
    """The signals of the house and the custom inputs that a document declares."""

    def __init__(self, inputs: Mapping[str, Type] = MappingProxyType({})) -> None:
        """Take the declared inputs: their keys without `custom.`, and a type for each."""
        self._custom: dict[str, SignalInfo] = {}
        for key, kind in inputs.items():
            if _KEY.fullmatch(key) is None:
                raise InvalidInput(
                    f"{key[:80]!r} cannot name an input: use up to 64 letters, digits and"
                    " underscores, not beginning with a digit"
                )
            if kind not in _EXAMPLES:
                raise InvalidInput(f"input {key}: the type must be number, text or boolean")
            about = f"The custom input {key}."
            name = CUSTOM + key
            self._custom[name] = SignalInfo(name, kind, about, "custom", _EXAMPLES[kind])

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
