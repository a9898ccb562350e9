"""A merchant with a memory and an address book, for the tests of Sentry's signals and scores."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from gatehouse.core.cards.numbers import KeptCard, MaskedCard
from gatehouse.core.reading.request_reader import RequestReader
from gatehouse.intel.addresses import Address
from gatehouse.intel.networks import AddressFacts
from gatehouse.sentry.entities import EntityHasher, event_of
from gatehouse.sentry.features.catalogue import BY_CODE, measure_features
from gatehouse.sentry.found.found_inputs import NOTHING_FOUND, FoundInputs
from gatehouse.sentry.memory.local import LocalMemory
from gatehouse.sentry.policy import SentryPolicy
from gatehouse.sentry.request import SentryRequest
from gatehouse.sentry.request_view import RequestView, view_request
from gatehouse.sentry.scorecard import Scored, load_scorecard

READER = RequestReader(SentryRequest)
NOW = datetime(2026, 11, 15, 12, tzinfo=UTC).timestamp()
MINUTE, HOUR, DAY = 60.0, 3_600.0, 86_400.0

CHROME = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)"
    " Chrome/156.0.0.0 Safari/537.36"
)
OLD_CHROME = CHROME.replace("156", "90")
IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15"
    " (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1"
)
HEADLESS = CHROME.replace("Chrome", "HeadlessChrome")
ENGLISH = "en-US,en;q=0.9"

HOME, OTHER_HOME, GERMAN, NIGERIAN = "24.1.2.3", "70.1.2.3", "84.1.2.3", "105.112.1.1"
TOR, VPN, HOSTING, PROXY, RELAY = "185.1.2.3", "185.2.2.3", "34.1.2.3", "45.1.2.3", "172.224.1.2"
PHONE, BLOCKED, ALLOWED, FORBIDDEN = "172.56.1.2", "45.2.2.3", "34.2.2.3", "46.1.2.3"

FACTS = {
    GERMAN: AddressFacts(country="DE", asn=3320),
    NIGERIAN: AddressFacts(country="NG", asn=29465),
    TOR: AddressFacts(country="DE", asn=24940, tor=1.0, hosting=1.0),
    VPN: AddressFacts(country="US", asn=9009, vpn=1.0),
    HOSTING: AddressFacts(country="US", asn=15169, hosting=1.0),
    PROXY: AddressFacts(country="US", asn=62904, proxy=1.0),
    # Careless lists of VPNs hold the relays of phones as well.
    RELAY: AddressFacts(country="US", asn=36183, relay=1.0, vpn=1.0),
    PHONE: AddressFacts(country="US", asn=21928, mobile=True),
    BLOCKED: AddressFacts(country="US", asn=7922, blocked=True),
    ALLOWED: AddressFacts(country="US", asn=15169, hosting=1.0, tor=1.0, allowed=True),
    FORBIDDEN: AddressFacts(country="RU", asn=12389, country_blocked=True),
}
ORDINARY = AddressFacts(country="US", asn=7922, organisation="An ordinary provider")
UNKNOWN = AddressFacts()

CARD = KeptCard(
    brand="visa",
    bin="42424242",
    last_four="4242",
    expiry="2030-12",
    country="US",
    funding="CREDIT",
    prepaid=False,
    fingerprint="card-1",
)


class Book:
    """Knows the addresses above; every other public address is an ordinary one in the US."""

    def look(self, address: Address, day: int) -> AddressFacts:
        return FACTS.get(address.text, ORDINARY if address.is_public else UNKNOWN)


class Merchant:
    """One merchant's requests, with a memory of their own."""

    def __init__(self, *entities: str, found: FoundInputs = NOTHING_FOUND) -> None:
        self.memory = LocalMemory(limit=50_000)
        self._found = found
        self._policy = SentryPolicy(entities=entities)
        self._hasher = EntityHasher(b"k" * 32)

    def view(
        self, body: Mapping[str, Any], at_s: float = NOW, card: KeptCard | None = None
    ) -> RequestView:
        """The request as the features see it, noted in the memory."""
        view = first_view(body, at_s, card)
        noted = event_of("shop", view, self._policy, self._hasher, (), self._found)
        view.history = self.memory.note(noted)
        return view

    def measure(
        self, code: str, body: Mapping[str, Any], at_s: float = NOW, card: KeptCard | None = None
    ) -> float:
        """What one signal says about a request; 0 when it says nothing."""
        return _value(code, self.view(body, at_s, card))

    def score(
        self, body: Mapping[str, Any], at_s: float = NOW, card: KeptCard | None = None
    ) -> Scored:
        """What a request's measurements come to."""
        return load_scorecard().score(measure_features(self.view(body, at_s, card)))


def first_view(
    body: Mapping[str, Any], at_s: float = NOW, card: KeptCard | None = None
) -> RequestView:
    """The request as the features see it when there is no memory."""
    masked = None
    if card is not None:
        account = card.account_fingerprint
        masked = MaskedCard(card, f"inner {card.fingerprint}", account and f"inner {account}")
    return view_request(READER.read(json.dumps(body).encode()), at_s, Book(), masked)


def measure(
    code: str, body: Mapping[str, Any], at_s: float = NOW, card: KeptCard | None = None
) -> float:
    """What one signal says about a request when there is no memory."""
    return _value(code, first_view(body, at_s, card))


def _value(code: str, view: RequestView) -> float:
    assert code in BY_CODE
    return measure_features(view).get(code, 0.0)


def score(body: Mapping[str, Any], card: KeptCard | None = None) -> Scored:
    """What a request's measurements come to when there is no memory."""
    return load_scorecard().score(measure_features(first_view(body, NOW, card)))


def effect_of(scored: Scored, code: str) -> float | None:
    """What a signal was worth, if it is among the reasons."""
    return dict(scored.effects).get(code)


def device(**fields: Any) -> dict[str, Any]:
    """A request with nothing but a device."""
    long_names = {"ip": "ipAddress", "agent": "userAgent", "languages": "acceptLanguage"}
    return {"device": {long_names.get(key, key): value for key, value in fields.items()}}


def order(amount: float | None = 59.9, currency: str | None = "USD", **more: Any) -> dict[str, Any]:
    """A request with nothing but an order."""
    return {"order": {"amount": amount, "currency": currency, **more}}


def cart(*items: Mapping[str, Any], **order_fields: Any) -> dict[str, Any]:
    """A request with a cart, and an order when something is said about it."""
    body: dict[str, Any] = {"shoppingCart": {"items": list(items)}}
    return body | (order(**order_fields) if order_fields else {})


def visit(
    user: str | None = "user-1",
    ip: str = HOME,
    agent: str = CHROME,
    languages: str = ENGLISH,
    amount: float = 59.9,
    session: str | None = None,
    device_id: str | None = None,
    **more: Any,
) -> dict[str, Any]:
    """An ordinary order by somebody at home, apart from what is said otherwise."""
    body = device(ip=ip, agent=agent, languages=languages, sessionAge=340)
    if session is not None:
        body["device"]["sessionId"] = session
    if device_id is not None:
        body["device"]["deviceId"] = device_id
    if user is not None:
        body["account"] = {"userId": user}
    return body | {"event": {"type": "PURCHASE"}} | order(amount) | more
