"""Article 18(2)(c): six things that an analysis of the risk must not have found, one by one."""

from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from typing import Final, NamedTuple


class RiskPoint(StrEnum):
    """What must not have been found."""

    ABNORMAL_BEHAVIOUR = "ABNORMAL_BEHAVIOUR"
    """Abnormal spending or behaviour of the payer."""
    UNUSUAL_DEVICE = "UNUSUAL_DEVICE"
    """Unusual information about the payer's device or software."""
    MALWARE = "MALWARE"
    """Signs of malware in any session of the authentication."""
    KNOWN_FRAUD = "KNOWN_FRAUD"
    """A known scenario of fraud."""
    ABNORMAL_LOCATION = "ABNORMAL_LOCATION"
    """An abnormal location of the payer."""
    HIGH_RISK_PAYEE = "HIGH_RISK_PAYEE"
    """A high-risk location of the payee."""


class RiskAnswer(StrEnum):
    """How a point was answered."""

    FOUND = "FOUND"
    NOT_FOUND = "NOT_FOUND"
    UNKNOWN = "UNKNOWN"
    """The request did not say what would have answered it, or the memory did not answer."""


class AnsweredPoint(NamedTuple):
    """One point, how it was answered, and by what."""

    point: RiskPoint
    answer: RiskAnswer
    by: tuple[str, ...] = ()
    """Codes of Sentry's reasons; a country for the location of the payee."""


class WhatWasSeen(NamedTuple):
    """What the points can be answered from."""

    memory: bool
    """Whether what was seen before could be looked up."""
    device: bool
    """Whether the request told the device: a user agent or an identifier."""
    address: bool
    """Whether it told an address that can be looked up."""


_DEVICE: Final = frozenset(
    (
        *("DEVICE_NEW_FOR_ACCOUNT", "DEVICE_ID_NEW_FOR_ACCOUNT", "UA_MISSING", "UA_MALFORMED"),
        *("UA_IMPOSSIBLE", "UA_OUTDATED", "UA_APP", "LANG_MISSING", "LANG_INVALID"),
    )
)
_MALWARE: Final = frozenset(
    (
        *("UA_BOT", "UA_HTTP_LIBRARY", "UA_HEADLESS", "SESSION_IP_CHANGED", "SESSION_UA_CHANGED"),
        "SESSION_MULTI_ACCOUNT",
    )
)
"""A program steers the session, or the session changed hands; malware itself is not seen here."""
_LOCATION: Final = frozenset(
    (
        *("ACCOUNT_COUNTRY_NEW", "ACCOUNT_IMPOSSIBLE_TRAVEL", "IP_CARD_COUNTRY_MISMATCH"),
        *("CURRENCY_COUNTRY_MISMATCH", "LANG_COUNTRY_MISMATCH", "TIMEZONE_MISMATCH"),
        *("IP_INVALID", "IP_LIST", "IP_BOGON", "IP_TOR_EXIT", "IP_PUBLIC_PROXY", "IP_VPN"),
        *("IP_HOSTING", "IP_COUNTRY_BLOCKED"),
    )
)
"""The payer is somewhere else than usual, or hides where."""
_KNOWN: Final = frozenset(
    ("IP_BLOCKED", "USERNAME_DISPOSABLE", "ORDER_AMOUNT_TESTING", "ORDER_SMALL_BURST")
)


# There are some hundred codes.
@lru_cache(1024)
def point_of(code: str) -> RiskPoint:
    """The point that a reason against a request answers; what has no other is behaviour."""
    if code in _DEVICE:
        return RiskPoint.UNUSUAL_DEVICE
    if code in _MALWARE:
        return RiskPoint.MALWARE
    if code in _LOCATION:
        return RiskPoint.ABNORMAL_LOCATION
    if code in _KNOWN or "_REPUTATION" in code or "_FRAUD" in code or code.startswith("RING_"):
        return RiskPoint.KNOWN_FRAUD
    return RiskPoint.ABNORMAL_BEHAVIOUR


def answered_points(
    reasons: Mapping[str, float],
    least: float,
    seen: WhatWasSeen,
    payee: tuple[str, bool],
) -> tuple[AnsweredPoint, ...]:
    """All six points, from Sentry's reasons with an effect of at least so much.

    `payee` is the country of the payee, and whether that is a high risk.
    """
    found: dict[RiskPoint, list[str]] = {}
    for code, effect in reasons.items():
        if effect <= -least and effect < 0:
            found.setdefault(point_of(code), []).append(code)
    can_tell = {
        RiskPoint.ABNORMAL_BEHAVIOUR: seen.memory,
        RiskPoint.UNUSUAL_DEVICE: seen.device,
        RiskPoint.MALWARE: seen.device,
        RiskPoint.KNOWN_FRAUD: seen.memory,
        RiskPoint.ABNORMAL_LOCATION: seen.address,
    }
    country, is_high_risk = payee
    last = RiskAnswer.FOUND if is_high_risk else RiskAnswer.NOT_FOUND
    return (
        *(_answered(point, found.get(point, ()), told=told) for point, told in can_tell.items()),
        AnsweredPoint(RiskPoint.HIGH_RISK_PAYEE, last, (country,)),
    )


def _answered(point: RiskPoint, by: "tuple[str, ...] | list[str]", *, told: bool) -> AnsweredPoint:
    if by:
        return AnsweredPoint(point, RiskAnswer.FOUND, tuple(by))
    return AnsweredPoint(point, RiskAnswer.NOT_FOUND if told else RiskAnswer.UNKNOWN)
