"""Amounts become exact integers, or are refused with what to do."""

from decimal import Decimal

import pytest

from gatehouse.core.money import Payment
from gatehouse.gateway.payment import LARGEST_PAYMENT, UnfitPayment, read_payment


@pytest.mark.parametrize(
    ("amount", "currency", "minor"),
    [
        (59.9, "USD", 5990),
        (0.1, "USD", 10),
        (0.29, "USD", 29),
        (1.1, "USD", 110),
        (4.35, "EUR", 435),
        (1000000.01, "USD", 100000001),
        (0.01, "USD", 1),
        (100, "USD", 10000),
        (100.0, "JPY", 100),
        (1e3, "JPY", 1000),
        (1.005, "BHD", 1005),
        (0.001, "BHD", 1),
        (10_000_000_000.0, "USD", LARGEST_PAYMENT),
        (9_999_999_999.99, "USD", LARGEST_PAYMENT - 1),
        (Decimal("59.90"), "USD", 5990),
        (Decimal("5E+2"), "USD", 50000),
        (Decimal("1." + "0" * 5000), "JPY", 1),
    ],
)
def test_an_amount_is_read_to_the_last_unit(
    amount: float | Decimal, currency: str, minor: int
) -> None:
    assert read_payment(amount, currency) == Payment(minor, currency)


def test_no_number_of_cents_gathers_binary_dust() -> None:
    assert all(read_payment(cents / 100, "USD").amount_minor == cents for cents in range(1, 20_000))


@pytest.mark.parametrize(
    ("amount", "currency", "said"),
    [
        (10.005, "USD", "must have at most 2 decimals for USD"),
        (0.1 + 0.2, "USD", "must have at most 2 decimals for USD"),
        (1e-7, "USD", "must have at most 2 decimals for USD"),
        (Decimal("1e-999999"), "USD", "must have at most 2 decimals for USD"),
        (10.5, "JPY", "must have no decimals for JPY"),
        (1.0005, "BHD", "must have at most 3 decimals for BHD"),
        (0.0, "USD", "must be more than 0"),
        (-0.0, "USD", "must be more than 0"),
        (-59.9, "USD", "must be more than 0"),
        (10_000_000_000.01, "USD", "must be at most 10000000000 USD"),
        (10_000_000_001, "USD", "must be at most 10000000000 USD"),
        (1e308, "USD", "must be at most 10000000000 USD"),
        (10.0**12 + 1, "JPY", "must be at most 1000000000000 JPY"),
        (Decimal("1e999999"), "USD", "must be at most 10000000000 USD"),
        (float("nan"), "USD", "must be a number"),
        (float("inf"), "USD", "must be a number"),
        (Decimal("sNaN"), "USD", "must be a number"),
    ],
)
def test_an_amount_that_cannot_be_paid_is_refused(
    amount: float | Decimal, currency: str, said: str
) -> None:
    with pytest.raises(UnfitPayment) as refused:
        read_payment(amount, currency)
    assert str(refused.value) == said
    assert refused.value.field == "amount"


@pytest.mark.parametrize(
    "currency", ["", "usd", "US", "DOLLARS", "XXQ", "\x00", "\ud800", "U" * 9999]
)
def test_what_is_not_a_currency_is_refused_under_its_own_name(currency: str) -> None:
    with pytest.raises(UnfitPayment, match="is not a currency") as refused:
        read_payment(10.0, currency)
    assert refused.value.field == "currency"
