"""The signals that a request itself gives, before any stage has run.

What may not be kept is never a signal: a record holds the same values that rules saw.
"""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final

from gatehouse.core.cards.numbers import KeptCard
from gatehouse.core.cards.redaction import is_card_like, recordable_start
from gatehouse.core.cards.three_d_secure import ThreeDSecure
from gatehouse.core.limits.short_cache import cache_short
from gatehouse.intel.addresses import Address
from gatehouse.intel.emails import Email, is_disposable, is_relay
from gatehouse.intel.networks import AddressFacts
from gatehouse.intel.phones import Phone
from gatehouse.rules.list_entries import is_about_somebody
from gatehouse.sentry.features.ring import fraud_share
from gatehouse.sentry.memory.memory import DAY_S
from gatehouse.sentry.memory.rings import Ring
from gatehouse.sentry.request_view import RequestView

_HOUR_MS: Final = 3_600_000
_DAY_MS: Final = 86_400_000
_LARGEST: Final = 2.0**53
"""Below this every whole number is exact in both engines that compare."""

_MOST_CUSTOM: Final = 50
_LONGEST_TEXT: Final = 128
_CUSTOM_KEY: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_LONGEST_EXAMINED: Final = 4096
_LONG_NUMBER: Final = 10**9
_LONGEST_VISIT_S: Final = 366 * 86_400

Signals = dict[str, Any]


# Most texts are the same few names: of countries, browsers, networks, plans.
@cache_short(20_000)
def text_of(value: str) -> str:
    """A text as it may be compared and kept."""
    return recordable_start(value, _LONGEST_TEXT)


def own_text(value: str, hashed: Callable[[str], str]) -> str:
    """A text of the caller's own; one that could be somebody's address or number is hashed."""
    return hashed(value) if is_about_somebody(value[:_LONGEST_EXAMINED]) else text_of(value)


def time_signals(at_ms: int) -> Signals:
    """When the request came, in UTC."""
    # The first of January 1970 was a Thursday.
    weekday = (at_ms // _DAY_MS + 3) % 7 + 1
    return {"request.hour": at_ms // _HOUR_MS % 24, "request.weekday": weekday}


# What follows adds to the signals found so far: a request has some fifty of them, and each is
# entered once.


def note_card(found: Signals, card: KeptCard, at_ms: int) -> None:
    """The card that will be charged."""
    found["card.fingerprint"] = card.fingerprint
    found["card.bin"] = card.bin
    found["card.brand"] = card.brand
    found["card.country"] = card.country
    found["card.funding"] = card.funding
    found["card.prepaid"] = card.prepaid
    if card.account_fingerprint is not None:
        found["card.accountFingerprint"] = card.account_fingerprint
    if card.credential_type is not None:
        found["card.credentialType"] = card.credential_type.value
    if card.expiry is not None:
        year, month = int(card.expiry[:4]), int(card.expiry[5:])
        this_year, this_month = _month_of(at_ms // _DAY_MS)
        found["card.months_left"] = (year - this_year) * 12 + month - this_month


def note_authentication(found: Signals, authentication: ThreeDSecure) -> None:
    """What 3-D Secure found."""
    for name in ("version", "eci", "status", "exemption"):
        word = getattr(authentication, name)
        if word is not None:
            found[f"threeDS.{name}"] = word.value
    found["threeDS.authenticated"] = authentication.is_authenticated


@lru_cache(maxsize=64)
def _month_of(day: int) -> tuple[int, int]:
    moment = datetime.fromtimestamp(day * 86_400, UTC)
    return moment.year, moment.month


def note_address(found: Signals, address: Address, facts: AddressFacts) -> None:
    """Where the request came from. What the feeds half believe counts from one half on."""
    organisation = facts.organisation
    found["ip.address"] = address.text
    found["ip.network"] = address.network
    found["ip.country"] = facts.country
    found["ip.asn"] = facts.asn
    found["ip.organisation"] = None if organisation is None else text_of(organisation)
    found["ip.hosting"] = facts.hosting >= 0.5
    found["ip.vpn"] = facts.vpn >= 0.5
    found["ip.tor"] = facts.tor >= 0.5
    found["ip.proxy"] = facts.proxy >= 0.5
    found["ip.relay"] = facts.relay >= 0.5
    found["ip.mobile"] = facts.mobile
    found["ip.blocked"] = facts.blocked or facts.country_blocked
    found["ip.allowed"] = facts.allowed
    found["ip.public"] = address.is_public or facts.country is not None


def note_ring(found: Signals, ring: Ring, at_s: float) -> None:
    """What the request is linked with over others."""
    found["ring.people"] = ring.people
    found["ring.age_days"] = round(ring.age_s(at_s) / DAY_S, 4)
    found["ring.growth_24h"] = round(ring.grown, 4)
    found["ring.frauds"] = ring.frauds
    found["ring.fraud_share"] = round(fraud_share(ring), 4)
    found["ring.near_frauds"] = ring.near


def note_order(
    found: Signals, amount: float | None, currency: str | None, view: RequestView
) -> None:
    """What is bought."""
    if view.items is not None:
        found["order.items"] = len(view.items)
    if amount is not None and -_LARGEST < amount < _LARGEST and not is_card_like(amount):
        found["order.amount"] = amount
    if currency is not None:
        found["order.currency"] = text_of(currency.strip().upper()[:8])
    if view.order.discount_codes is not None:
        found["order.discounts"] = len(view.order.discount_codes)


def note_device(found: Signals, view: RequestView) -> None:
    """The browser and the visit."""
    agent, languages, age = view.agent, view.languages, view.device.session_age
    if agent is not None:
        found["device.kind"] = agent.kind
        if agent.family is not None:
            found["device.browser"] = text_of(agent.family)
        if agent.system is not None:
            found["device.system"] = text_of(agent.system)
    if languages is not None and languages.tags:
        found["device.language"] = languages.tags[0][0]
    if age is not None and 0 <= age <= _LONGEST_VISIT_S:
        found["device.session_age"] = age
    if view.event.type is not None:
        found["event.type"] = view.event.type.value


_is_disposable: Final = lru_cache(maxsize=20_000)(is_disposable)
_is_relay: Final = lru_cache(maxsize=20_000)(is_relay)


def note_email(found: Signals, email: Email | None, fingerprint: str | None) -> None:
    """An e-mail address that was sent; None when it is none."""
    found["email.valid"] = email is not None
    if email is not None:
        found["email.domain"] = text_of(email.domain)
        found["email.fingerprint"] = fingerprint
        found["email.disposable"] = _is_disposable(email.domain)
        found["email.relay"] = _is_relay(email.domain)


def note_phone(found: Signals, phone: Phone | None, fingerprint: str | None) -> None:
    """A phone number that was sent; None when it is none."""
    found["phone.valid"] = phone is not None
    if phone is not None:
        found["phone.country"] = phone.country
        found["phone.fingerprint"] = fingerprint


@cache_short(4096)
def _custom_name(key: str) -> str | None:
    """The signal that a key of the caller's gives, if it can give one."""
    fit = _CUSTOM_KEY.fullmatch(key) is not None and not is_about_somebody(key)
    return f"custom.{key}" if fit else None


def _is_plain(number: float) -> bool:
    """Whether a number is one to reckon with: a long whole one may be a phone's, or a card's."""
    if abs(number) < _LONG_NUMBER:
        return True
    return -_LARGEST < number < _LARGEST and number != int(number) and not is_card_like(number)


def custom_signals(inputs: Mapping[str, Any], hashed: Callable[[str], str]) -> Signals:
    """The caller's own scalars."""
    found: Signals = {}
    for key, value in inputs.items():
        name = _custom_name(key)
        if name is None or len(found) >= _MOST_CUSTOM:
            continue
        if isinstance(value, str):
            found[name] = own_text(value, hashed)
        elif isinstance(value, bool):
            found[name] = value
        elif isinstance(value, int | float) and _is_plain(value):
            found[name] = float(value)
    return found
