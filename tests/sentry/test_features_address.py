"""Features of the address that a request came from."""

from typing import Any

import pytest

from gatehouse.intel.networks import AddressFacts
from tests.sentry.visits import (
    ALLOWED,
    BLOCKED,
    FACTS,
    FORBIDDEN,
    HOME,
    HOSTING,
    PHONE,
    PROXY,
    RELAY,
    TOR,
    VPN,
    device,
    measure,
)


@pytest.mark.parametrize(
    ("code", "address", "expected"),
    [
        ("IP_INVALID", "not an address", 1),
        ("IP_INVALID", "", 1),
        ("IP_INVALID", HOME, 0),
        ("IP_BOGON", "10.1.2.3", 1),
        ("IP_BOGON", "::1", 1),
        ("IP_BOGON", HOME, 0),
        ("IP_BOGON", "nonsense", 0),
        ("IP_TOR_EXIT", TOR, 1),
        ("IP_TOR_EXIT", HOME, 0),
        ("IP_TOR_EXIT", "nonsense", 0),
        ("IP_VPN", VPN, 1),
        ("IP_VPN", HOSTING, 0),
        ("IP_VPN", "nonsense", 0),
        ("IP_HOSTING", HOSTING, 1),
        ("IP_HOSTING", HOME, 0),
        ("IP_HOSTING", "nonsense", 0),
        ("IP_PUBLIC_PROXY", PROXY, 1),
        ("IP_PUBLIC_PROXY", HOME, 0),
        ("IP_PUBLIC_PROXY", "nonsense", 0),
        ("IP_PRIVACY_RELAY", RELAY, 1),
        ("IP_PRIVACY_RELAY", VPN, 0),
        ("IP_PRIVACY_RELAY", "nonsense", 0),
        ("IP_BLOCKED", BLOCKED, 1),
        ("IP_BLOCKED", HOME, 0),
        ("IP_BLOCKED", "nonsense", 0),
        ("IP_COUNTRY_BLOCKED", FORBIDDEN, 1),
        ("IP_COUNTRY_BLOCKED", HOME, 0),
        ("IP_COUNTRY_BLOCKED", "nonsense", 0),
        ("IP_ALLOWED", ALLOWED, 1),
        ("IP_ALLOWED", HOME, 0),
        ("IP_ALLOWED", "nonsense", 0),
        ("IP_CONSUMER", HOME, 1),
        ("IP_CONSUMER", PHONE, 1),
        ("IP_CONSUMER", "nonsense", 0),
        ("IP_CONSUMER", "10.1.2.3", 0),
    ],
)
def test_each_signal_asks_its_own_question(code: str, address: str, expected: float) -> None:
    assert measure(code, device(ip=address)) == expected


@pytest.mark.parametrize("address", [TOR, VPN, HOSTING, PROXY, RELAY, BLOCKED, FORBIDDEN])
def test_an_address_to_hide_behind_is_not_an_ordinary_one(address: str) -> None:
    assert measure("IP_CONSUMER", device(ip=address)) == 0


def test_a_relay_is_not_a_vpn_though_lists_of_vpns_hold_it() -> None:
    assert FACTS[RELAY].vpn == 1
    assert measure("IP_VPN", device(ip=RELAY)) == 0


@pytest.mark.parametrize("code", ["IP_HOSTING", "IP_TOR_EXIT", "IP_VPN", "IP_COUNTRY_BLOCKED"])
def test_the_operator_s_word_beats_that_of_the_feeds(code: str) -> None:
    assert FACTS[ALLOWED].hosting == FACTS[ALLOWED].tor == 1
    assert measure(code, device(ip=ALLOWED)) == 0


def test_an_old_feed_is_believed_less(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FACTS, TOR, AddressFacts(country="DE", tor=0.3))
    assert measure("IP_TOR_EXIT", device(ip=TOR)) == 0.3


def test_an_address_inside_another_is_the_one_that_counts() -> None:
    assert measure("IP_TOR_EXIT", device(ip=f"::ffff:{TOR}")) == 1
    assert measure("IP_BOGON", device(ip="::ffff:10.0.0.1")) == 1


@pytest.mark.parametrize("body", [{}, device(agent="curl/8.0"), {"order": {"amount": 1}}])
def test_without_an_address_nothing_is_said(body: dict[str, Any]) -> None:
    assert measure("IP_TOR_EXIT", body) == 0
    assert measure("IP_INVALID", body) == 0


RENEWAL = {"event": {"type": "RECURRING_PURCHASE"}}


@pytest.mark.parametrize(("code", "ip"), [("IP_HOSTING", HOSTING), ("IP_BOGON", "10.0.0.1")])
def test_a_renewal_comes_from_the_merchant_s_own_server(code: str, ip: str) -> None:
    assert measure(code, device(ip=ip)) == 1
    assert measure(code, device(ip=ip) | RENEWAL) == 0


@pytest.mark.parametrize(("code", "ip"), [("IP_TOR_EXIT", TOR), ("IP_BLOCKED", BLOCKED)])
def test_no_merchant_s_server_hides(code: str, ip: str) -> None:
    assert measure(code, device(ip=ip) | RENEWAL) == 1
