"""Features of the user agent and the languages."""

from typing import Any

import pytest

from tests.sentry.visits import (
    CHROME,
    DAY,
    ENGLISH,
    HEADLESS,
    HOUR,
    IPHONE,
    NOW,
    OLD_CHROME,
    Merchant,
    device,
    measure,
    visit,
)

GOOGLE = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
FUTURE = CHROME.replace("156", "400")
RENEWAL = {"event": {"type": "RECURRING_PURCHASE"}}


@pytest.mark.parametrize(
    ("code", "agent", "expected"),
    [
        ("UA_MISSING", "", 1),
        ("UA_MISSING", "  ", 1),
        ("UA_MISSING", "-", 1),
        ("UA_MISSING", CHROME, 0),
        ("UA_MISSING", None, 0),
        ("UA_BOT", GOOGLE, 1),
        ("UA_BOT", CHROME, 0),
        ("UA_BOT", None, 0),
        ("UA_HTTP_LIBRARY", "python-requests/2.32.3", 1),
        ("UA_HTTP_LIBRARY", "curl/8.5.0", 1),
        ("UA_HTTP_LIBRARY", CHROME, 0),
        ("UA_HTTP_LIBRARY", None, 0),
        ("UA_HEADLESS", HEADLESS, 1),
        ("UA_HEADLESS", CHROME, 0),
        ("UA_HEADLESS", None, 0),
        ("UA_MALFORMED", "\x00\x01", 1),
        ("UA_MALFORMED", "", 0),
        ("UA_MALFORMED", CHROME, 0),
        ("UA_MALFORMED", None, 0),
        ("UA_IMPOSSIBLE", FUTURE, 1),
        ("UA_IMPOSSIBLE", CHROME, 0),
        ("UA_IMPOSSIBLE", None, 0),
        ("UA_OUTDATED", "curl/8.5.0", 0),
        ("UA_OUTDATED", None, 0),
        ("UA_CURRENT", CHROME, 1),
        ("UA_CURRENT", IPHONE, 1),
        ("UA_CURRENT", OLD_CHROME, 0),
        ("UA_CURRENT", FUTURE, 0),
        ("UA_CURRENT", HEADLESS, 0),
        ("UA_CURRENT", "curl/8.5.0", 0),
        ("UA_CURRENT", "", 0),
        ("UA_CURRENT", None, 0),
    ],
)
def test_each_signal_asks_its_own_question(code: str, agent: str | None, expected: float) -> None:
    assert measure(code, device(agent=agent)) == expected


def test_an_old_browser_is_as_old_as_its_successor() -> None:
    old = measure("UA_OUTDATED", device(agent=OLD_CHROME))
    new = measure("UA_OUTDATED", device(agent=CHROME))
    assert old > 1_500
    assert new < 60


def test_a_browser_grows_old_with_the_day_of_the_event() -> None:
    a_year_later = NOW + 365 * DAY
    assert measure("UA_CURRENT", device(agent=OLD_CHROME.replace("90", "150")), a_year_later) == 0


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (device(agent=CHROME, languages=""), 1),
        (device(agent=CHROME, languages=" "), 1),
        (device(agent=CHROME), 0.5),
        (device(agent=CHROME, languages=ENGLISH), 0),
        (device(agent="curl/8.5.0"), 0),
        (device(languages=ENGLISH), 0),
        (device(agent=CHROME) | RENEWAL, 0),
    ],
)
def test_a_browser_without_languages(body: dict[str, Any], expected: float) -> None:
    assert measure("LANG_MISSING", body) == expected


@pytest.mark.parametrize(
    ("languages", "expected"),
    [(ENGLISH, 0), ("*", 1), ("?!", 1), ("", 0), (None, 0)],
)
def test_languages_that_are_none(languages: str | None, expected: float) -> None:
    assert measure("LANG_INVALID", device(agent=CHROME, languages=languages)) == expected


def test_languages_without_a_user_agent_are_half_a_sign() -> None:
    assert measure("UA_MISSING", device(languages=ENGLISH)) == 0.5


@pytest.mark.parametrize(
    ("code", "agent"),
    [
        ("UA_BOT", GOOGLE),
        ("UA_HTTP_LIBRARY", "curl/8.5.0"),
        ("UA_MALFORMED", "\x00\x01"),
        ("UA_OUTDATED", OLD_CHROME),
        ("LANG_INVALID", CHROME),
    ],
)
def test_a_renewal_comes_from_the_merchant_s_own_program(code: str, agent: str) -> None:
    body = device(agent=agent, languages="?!")
    assert (measure(code, body) or 0) > 0
    assert measure(code, body | RENEWAL) == 0


def test_no_merchant_s_program_pretends_to_be_a_browser() -> None:
    assert measure("UA_HEADLESS", device(agent=HEADLESS) | RENEWAL) == 1
    assert measure("UA_IMPOSSIBLE", device(agent=FUTURE) | RENEWAL) == 1


def test_a_renewal_has_no_browser() -> None:
    assert measure("UA_MISSING", device(agent="") | RENEWAL) == 0
    assert measure("UA_MISSING", device(languages=ENGLISH) | RENEWAL) == 0


def _new_device(agent: str, earlier: int = 3) -> float:
    merchant = Merchant()
    for day in range(earlier):
        merchant.view(visit(), NOW - (9 - day) * DAY)
    return merchant.measure("DEVICE_NEW_FOR_ACCOUNT", visit(agent=agent))


def test_a_known_user_with_another_device_is_noticed() -> None:
    assert _new_device(IPHONE) == 1
    assert _new_device(CHROME) == 0


def test_an_update_is_hardly_another_device() -> None:
    assert _new_device(CHROME.replace("156", "155")) == 0.5


def test_everything_is_new_for_a_new_user() -> None:
    assert _new_device(IPHONE, earlier=1) == 0
    assert measure("DEVICE_NEW_FOR_ACCOUNT", visit()) == 0


def test_a_known_user_on_a_device_of_theirs_is_recognised() -> None:
    merchant = Merchant()
    found = [
        merchant.measure("DEVICE_ID_KNOWN", visit(device_id="laptop"), NOW + turn * 4 * DAY)
        for turn in range(4)
    ]
    assert found == [0, 1, 2, 3]
    assert merchant.measure("DEVICE_ID_KNOWN", visit("other", device_id="laptop"), NOW + DAY) == 0


def test_a_device_is_not_known_within_minutes() -> None:
    merchant = Merchant()
    found = [
        merchant.measure("DEVICE_ID_KNOWN", visit(device_id="laptop"), NOW + turn * HOUR)
        for turn in range(6)
    ]
    assert set(found) == {0}


def _new_device_id(**second: Any) -> float:
    merchant = Merchant()
    merchant.view(visit(device_id="laptop"), NOW - 3 * DAY)
    return merchant.measure("DEVICE_ID_NEW_FOR_ACCOUNT", visit(**second))


def test_a_device_that_is_new_for_its_user_is_noticed() -> None:
    assert _new_device_id(device_id="phone", agent=IPHONE) == 1
    assert _new_device_id(device_id="laptop", agent=IPHONE) == 0
    assert _new_device_id(device_id="phone", user="user-2") == 0


def test_a_cleared_browser_is_hardly_another_device() -> None:
    assert _new_device_id(device_id="laptop-again") == 0.5


def test_no_device_is_new_where_identifiers_were_not_sent_before() -> None:
    merchant = Merchant()
    merchant.view(visit(), NOW - DAY)
    body = visit(device_id="phone", agent=IPHONE)
    assert merchant.measure("DEVICE_ID_NEW_FOR_ACCOUNT", body) == 0


def test_the_device_of_a_renewal_is_the_merchant_s() -> None:
    merchant = Merchant()
    body = visit(device_id="server") | {"event": {"type": "RECURRING_PURCHASE"}}
    merchant.view(body, NOW - DAY)
    assert merchant.measure("DEVICE_ID_KNOWN", body) == 0


@pytest.mark.parametrize("placeholder", ["unknown", "null", "0"])
def test_a_placeholder_is_no_device(placeholder: str) -> None:
    merchant = Merchant()
    merchant.view(visit(device_id=placeholder), NOW - DAY)
    assert merchant.measure("DEVICE_ID_KNOWN", visit(device_id=placeholder)) == 0
