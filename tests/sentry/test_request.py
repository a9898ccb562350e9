"""Reading Sentry requests: what is refused, and the much larger part that is not."""

from typing import Any

import msgspec
import pytest

from gatehouse.core.errors import RequestRefused
from gatehouse.core.reading.request_reader import RequestReader
from gatehouse.sentry.request import EventTime, SentryRequest

READER = RequestReader(SentryRequest)


def read(body: dict[str, Any]) -> SentryRequest:
    return READER.read(msgspec.json.encode(body))


def refusal(body: dict[str, Any]) -> dict[str, list[str]]:
    with pytest.raises(RequestRefused) as caught:
        read(body)
    assert caught.value.fields is not None
    return caught.value.fields


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("2026-11-15T09:30:00Z", 1794735000),
        ("2026-11-15T10:30:00+01:00", 1794735000),
        ("2026-11-15t09:30:00z", 1794735000),
        ("2026-11-15 09:30:00Z", 1794735000),
        ("2026-11-15T09:30:00.5Z", 1794735000.5),
        ("2026-11-15T09:30:00.123456789Z", 1794735000.123456),
        ("2026-11-15T09:30:00.123456789-00:00", 1794735000.123456),
        ("2016-12-31T23:59:60Z", 1483228799),
        ("2199-01-01T00:00:00Z", 7226582400),
        ("0001-01-01T00:00:00Z", -62135596800),
        ("9999-12-31T23:59:59Z", 253402300799),
    ],
)
def test_a_time_in_the_words_of_rfc_3339_is_read(text: str, seconds: float) -> None:
    assert EventTime.parse(text).seconds == pytest.approx(seconds, abs=1e-6)


@pytest.mark.parametrize(
    "text",
    [
        *("", "yesterday", "2026-11-15", "2026-11-15T09:30:00", "2026-13-15T09:30:00Z"),
        *("2026-11-15T25:30:00Z", "2026-02-30T00:00:00Z", "1794735000", "2026-11-15T09:30Z"),
        *("2026-11-15T09:30:00+0100", "2026-11-15T09:30:00Z ", "２０２６-11-15T09:30:00Z"),
        *("0001-01-01T00:00:00+14:00", "2026-11-15T09:30:00.Z", "2026-W46-7T09:30:00Z"),
        *("9999-12-31T23:59:59-23:59", "2026-11-15T09:30:00." + "1" * 90_000 + "Z"),
    ],
)
def test_anything_else_is_refused_with_what_to_write(text: str) -> None:
    with pytest.raises(ValueError, match="such as 2026-11-15T09:30:00Z"):
        EventTime.parse(text)


def test_an_empty_object_is_a_request() -> None:
    request = read({})
    assert request.device is None
    assert request.custom_inputs is None


def test_identifiers_can_be_words_or_numbers() -> None:
    request = read({"account": {"userId": 17}, "event": {"transactionId": "t-1"}})
    assert request.account is not None
    assert request.account.user_id == 17


def test_all_problems_are_named_at_once_by_the_paths_the_caller_wrote() -> None:
    body = {
        "device": {"ipAddress": 7, "sessionAge": "long"},
        "event": {"type": "REFUND", "timestamp": "soon"},
        "order": {"amount": "12", "discountCodes": "SAVE"},
        "shoppingCart": {"items": [{"price": 1}, {}, {"price": "2"}]},
        "customInputs": {"tier": None, "note": "fine"},
    }
    assert refusal(body) == {
        "device.ipAddress": ["must be a string"],
        "device.sessionAge": ["must be a number"],
        "event.type": ["must be one of PURCHASE, RECURRING_PURCHASE"],
        "event.timestamp": ["must be a date and time as in RFC 3339, such as 2026-11-15T09:30:00Z"],
        "order.amount": ["must be a number"],
        "order.discountCodes": ["must be an array"],
        "shoppingCart.items[2].price": ["must be a number"],
        "customInputs.tier": ["must not be null"],
    }


@pytest.mark.parametrize(
    "value", ["", 0, -1.5, True, [], {}, [None], {"deep": None}, "x" * 5000, 10**30]
)
def test_a_custom_input_may_be_anything_but_null(value: object) -> None:
    assert read({"customInputs": {"any": value}}).custom_inputs == {"any": value}


def test_a_custom_key_that_could_be_a_card_number_is_not_repeated() -> None:
    (path,) = refusal({"customInputs": {"4242424242424242": None}})
    assert "4242" not in path


@pytest.mark.parametrize(
    "body",
    [
        {"device": {"ipAddress": "x" * 20_000, "userAgent": "y" * 8192, "sessionAge": -1e300}},
        {"device": {"ipAddress": "", "userAgent": "", "acceptLanguage": "", "sessionId": ""}},
        {"order": {"amount": -1e308, "currency": "???", "discountCodes": [""] * 1000}},
        {"shoppingCart": {"items": [{"price": 1e308, "quantity": -5}] * 32}},
        {"event": {"type": None, "timestamp": None}, "account": {"userId": None}},
        {"unknown": {"field": 1}, "device": {"colour": "blue"}},
    ],
)
def test_what_is_hard_to_believe_is_no_error(body: dict[str, Any]) -> None:
    read(body)


def test_a_request_does_not_print_whose_it_is() -> None:
    request = read({"device": {"ipAddress": "203.0.113.9"}, "account": {"username": "amelia"}})
    assert "203" not in repr(request)
    assert "amelia" not in repr(request)
