"""What a value looks like, and what the name of its key says."""

import pytest

from gatehouse.sentry.found.shapes import NameHint, Shape, hint_of, is_personal, shape_of

SHAPES = {
    Shape.WORD: (
        *("plus", "M-1234", "d1f0a9c3", "New York", "00123", "ada@example.com", "742XYZ"),
        *("+49 170 1234567", "192.0.2.7", "1.2.3-rc1", "DE89 3704 0044 0532 0130 00"),
    ),
    Shape.NUMBER: (7, 3_700_000_000, "10423", -5, 12.0),
    Shape.MEASURE: (
        *(12.5, 0.93, "12.50", "-3,5", "1,234.00", "$ 12", "12 EUR", "40%", "12.50 EUR"),
        *(float("inf"), float("nan")),
    ),
    Shape.MOMENT: (
        *("2026-11-18", "2026-11-18T09:30:00Z", "18.11.2026", "11/18/26 9:30", "09:30:00"),
        *("2026/11/18 10:00", 1_794_735_000, "1794735000", 1_794_735_000_123, 1_794_735_000.0),
    ),
    Shape.FLAG: (True, False, "yes", "NO", "true", "off"),
    Shape.TEXT: ("please leave it at the back door", "x" * 100, "a\n" * 60),
}


@pytest.mark.parametrize(
    ("value", "shape"), [(value, shape) for shape, values in SHAPES.items() for value in values]
)
def test_a_value_has_a_shape(value: object, shape: Shape) -> None:
    assert shape_of(value) is shape


def test_lists_and_objects_have_none() -> None:
    assert shape_of(["a"]) is None
    assert shape_of({"a": 1}) is None


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("merchantId", NameHint.IDENTIFIER),
        ("terminal_id", NameHint.IDENTIFIER),
        ("TERMINAL_ID", NameHint.IDENTIFIER),
        ("customerNumber", NameHint.IDENTIFIER),
        ("store", NameHint.IDENTIFIER),
        ("accountAgeDays", NameHint.MEASURE),
        ("order_total", NameHint.MEASURE),
        ("deviceScore", NameHint.MEASURE),
        ("merchant.count", NameHint.MEASURE),
        ("f1", NameHint.NOTHING),
        ("großhändler", NameHint.NOTHING),
    ],
)
def test_a_name_may_say_whether_numbers_measure(key: str, hint: NameHint) -> None:
    assert hint_of(key) is hint


def test_a_name_may_say_that_each_value_is_one_persons() -> None:
    assert all(map(is_personal, ("deviceId", "loyalty_number", "CUSTOMER_ID", "visitor")))
    assert not any(map(is_personal, ("merchantId", "terminal", "plan", "f1")))
