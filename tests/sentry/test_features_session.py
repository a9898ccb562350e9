"""Features of the session."""

from typing import Any

import pytest

from tests.sentry.visits import (
    CHROME,
    DAY,
    GERMAN,
    HOME,
    HOUR,
    IPHONE,
    MINUTE,
    NOW,
    OTHER_HOME,
    PHONE,
    RELAY,
    Merchant,
    device,
    measure,
    visit,
)


@pytest.mark.parametrize(
    ("code", "age", "expected"),
    [
        ("SESSION_TOO_YOUNG", 2, 2),
        ("SESSION_TOO_YOUNG", 0, 0.001),
        ("SESSION_TOO_YOUNG", -1, 0),
        ("SESSION_TOO_YOUNG", None, 0),
        ("SESSION_ORDINARY", 340, 1),
        ("SESSION_ORDINARY", 29, 0),
        ("SESSION_ORDINARY", 50_000, 0),
        ("SESSION_ORDINARY", -5, 0),
        ("SESSION_ORDINARY", None, 0),
        ("SESSION_AGE_INVALID", -0.5, 1),
        ("SESSION_AGE_INVALID", 1e12, 1),
        ("SESSION_AGE_INVALID", 0, 0),
        ("SESSION_AGE_INVALID", 86_400, 0),
        ("SESSION_AGE_INVALID", None, 0),
    ],
)
def test_the_age_of_a_session(code: str, age: float | None, expected: float) -> None:
    assert measure(code, device(sessionAge=age)) == expected


def test_a_renewal_needs_no_visit() -> None:
    body = device(sessionAge=0) | {"event": {"type": "RECURRING_PURCHASE"}}
    assert measure("SESSION_TOO_YOUNG", body) == 0


def _after_home(code: str, ip: str = HOME, agent: str = CHROME) -> float:
    merchant = Merchant()
    merchant.view(visit(session="s"), NOW - MINUTE)
    return merchant.measure(code, visit(session="s", ip=ip, agent=agent))


@pytest.mark.parametrize(
    ("ip", "expected"), [(HOME, 0), (OTHER_HOME, 1), (GERMAN, 2), (PHONE, 0), (RELAY, 0)]
)
def test_a_session_that_moves(ip: str, expected: float) -> None:
    assert _after_home("SESSION_IP_CHANGED", ip=ip) == expected


def test_a_session_that_changes_its_browser() -> None:
    firefox = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:152.0) Gecko/20100101 Firefox/152.0"
    assert _after_home("SESSION_UA_CHANGED", agent=IPHONE) == 2
    assert _after_home("SESSION_UA_CHANGED", agent=firefox) == 1
    assert _after_home("SESSION_UA_CHANGED", agent=CHROME.replace("156.0.0", "156.0.1")) == 0
    assert _after_home("SESSION_UA_CHANGED") == 0


def test_a_session_with_one_browser_after_another() -> None:
    merchant = Merchant()
    found = [
        merchant.measure(
            "SESSION_UA_CHANGED", visit(session="s", agent=CHROME.replace("156", version))
        )
        for version in ("154", "155", "156")
    ]
    assert found == [0, 1, 2]


@pytest.mark.parametrize(
    ("code", "then", "unchanged"),
    [
        ("SESSION_IP_CHANGED", visit(session="s", ip=GERMAN), 0),
        ("SESSION_IP_CHANGED", visit(session="s", ip=OTHER_HOME), 0),
        ("SESSION_UA_CHANGED", visit(session="s", agent=CHROME.replace("156", "157")), 0),
        ("SESSION_UA_CHANGED", visit(session="s", agent=IPHONE), 0),
        ("SESSION_MULTI_ACCOUNT", visit("user-2", session="s"), 1),
    ],
)
def test_what_changed_more_than_a_day_ago_is_not_held_against_a_session(
    code: str, then: dict[str, Any], unchanged: float
) -> None:
    for passed, expected in ((HOUR, True), (2 * DAY, False)):
        merchant = Merchant()
        merchant.view(visit(session="s"), NOW)
        found = merchant.measure(code, then, NOW + passed)
        assert (found > unchanged) is expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [("SESSION_IP_CHANGED", 0), ("SESSION_UA_CHANGED", 0), ("SESSION_MULTI_ACCOUNT", 1)],
)
def test_a_session_that_goes_on_forgets_what_it_was_two_days_ago(
    code: str, expected: float
) -> None:
    merchant = Merchant()
    merchant.view(visit("user-2", GERMAN, IPHONE, session="s"), NOW - 40 * HOUR)
    merchant.view(visit(session="s"), NOW - 20 * HOUR)
    assert merchant.measure(code, visit(session="s")) == expected


@pytest.mark.parametrize(
    "code", ["SESSION_IP_CHANGED", "SESSION_UA_CHANGED", "SESSION_MULTI_ACCOUNT"]
)
def test_renewals_may_share_a_session(code: str) -> None:
    merchant, renewal = Merchant(), {"type": "RECURRING_PURCHASE"}
    merchant.view(visit(session="batch", event=renewal))
    later = visit("user-2", GERMAN, IPHONE, session="batch", event=renewal)
    assert merchant.measure(code, later) == 0


def test_a_session_with_several_users() -> None:
    merchant = Merchant()
    found = [merchant.measure("SESSION_MULTI_ACCOUNT", visit(user, session="s")) for user in "aab"]
    assert found == [1, 1, 2]


@pytest.mark.parametrize(
    "code", ["SESSION_IP_CHANGED", "SESSION_UA_CHANGED", "SESSION_MULTI_ACCOUNT"]
)
def test_without_a_session_or_a_memory_nothing_is_said(code: str) -> None:
    assert Merchant().measure(code, visit()) == 0
    assert measure(code, visit(session="s")) == 0


@pytest.mark.parametrize("code", ["SESSION_IP_CHANGED", "SESSION_UA_CHANGED"])
def test_the_first_event_of_a_session_has_changed_nothing(code: str) -> None:
    assert Merchant().measure(code, visit(session="s")) == 0
