"""Features that compare different sources with each other."""

from typing import Any

import msgspec
import pytest

from tests.sentry.visits import (
    CARD,
    ENGLISH,
    GERMAN,
    HOME,
    HOSTING,
    NOW,
    RELAY,
    TOR,
    VPN,
    device,
    measure,
    order,
)

GERMAN_CARD = msgspec.structs.replace(CARD, country="DE")
AUSTRIAN_CARD = msgspec.structs.replace(CARD, country="AT")
UNKNOWN_CARD = msgspec.structs.replace(CARD, country=None)
HIDDEN = [TOR, VPN, HOSTING]


@pytest.mark.parametrize(
    ("ip", "languages", "mismatch", "fit"),
    [
        (HOME, ENGLISH, 0, 1),
        (GERMAN, "de", 0.1, 0.9),
        (GERMAN, "de-DE,de;q=0.9", 0, 1),
        (GERMAN, "vi-VN,vi;q=0.9", 1, 0),
        (GERMAN, "en", 0, 0),
        (GERMAN, None, 0, 0),
        ("10.0.0.1", "de", 0, 0),
        (RELAY, "en-US", 0, 1),
        *[(ip, "vi-VN", 0, 0) for ip in HIDDEN],
    ],
)
def test_languages_fit_a_country_or_not(
    ip: str, languages: str | None, mismatch: float, fit: float
) -> None:
    body = device(ip=ip, languages=languages)
    assert measure("LANG_COUNTRY_MISMATCH", body) == pytest.approx(mismatch, abs=0.1)
    assert measure("LANG_COUNTRY_FIT", body) == pytest.approx(fit, abs=0.1)


@pytest.mark.parametrize(
    ("ip", "currency", "mismatch", "fit"),
    [
        (HOME, "USD", 0, 1),
        (HOME, "EUR", 0, 0),
        (HOME, "JPY", 1, 0),
        (GERMAN, "EUR", 0, 1),
        (GERMAN, "GBP", 1, 0),
        (GERMAN, "XYZ", 0, 0),
        (GERMAN, None, 0, 0),
        (RELAY, "USD", 0, 1),
        *[(ip, "JPY", 0, 0) for ip in HIDDEN],
    ],
)
def test_a_currency_fits_a_country_or_not(
    ip: str, currency: str | None, mismatch: float, fit: float
) -> None:
    body = device(ip=ip) | order(50.0, currency)
    assert measure("CURRENCY_COUNTRY_MISMATCH", body) == mismatch
    assert measure("CURRENCY_COUNTRY_FIT", body) == fit


@pytest.mark.parametrize(
    ("ip", "card", "mismatch", "fit"),
    [
        (HOME, CARD, 0, 1),
        (GERMAN, CARD, 1, 0),
        (GERMAN, GERMAN_CARD, 0, 1),
        (GERMAN, AUSTRIAN_CARD, 0.5, 0),
        (HOME, UNKNOWN_CARD, 0, 0),
        (HOME, None, 0, 0),
        (RELAY, GERMAN_CARD, 0, 0),
        *[(ip, GERMAN_CARD, 0, 0) for ip in HIDDEN],
    ],
)
def test_a_card_fits_a_country_or_not(ip: str, card: Any, mismatch: float, fit: float) -> None:
    assert measure("IP_CARD_COUNTRY_MISMATCH", device(ip=ip), NOW, card) == mismatch
    assert measure("IP_CARD_COUNTRY_FIT", device(ip=ip), NOW, card) == fit


@pytest.mark.parametrize(
    ("ip", "zone", "least", "most"),
    [
        (HOME, "America/New_York", 0, 0),
        (GERMAN, "Europe/Berlin", 0, 0),
        (GERMAN, "Europe/Vienna", 0, 200),
        (GERMAN, "Asia/Ho_Chi_Minh", 5_000, 12_000),
        (GERMAN, "Asia/Tokyo", 6_000, 12_000),
    ],
)
def test_a_clock_is_set_for_somewhere(ip: str, zone: str, least: float, most: float) -> None:
    found = measure("TIMEZONE_MISMATCH", device(ip=ip) | {"customInputs": {"timezone": zone}})
    assert least <= found <= most


@pytest.mark.parametrize("zone", ["UTC", "Nowhere/Nothing", 7, ["Asia/Tokyo"], ""])
def test_a_clock_that_is_set_for_nowhere_says_nothing(zone: object) -> None:
    body = device(ip=GERMAN) | {"customInputs": {"timezone": zone}}
    assert measure("TIMEZONE_MISMATCH", body) == 0


@pytest.mark.parametrize("ip", [*HIDDEN, RELAY, "10.0.0.1"])
def test_where_the_buyer_is_unknown_clocks_say_nothing(ip: str) -> None:
    body = device(ip=ip) | {"customInputs": {"timezone": "Asia/Tokyo"}}
    assert measure("TIMEZONE_MISMATCH", body) == 0


def test_without_custom_inputs_clocks_say_nothing() -> None:
    assert measure("TIMEZONE_MISMATCH", device(ip=GERMAN)) == 0
