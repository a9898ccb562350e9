"""The price list: exact in minor units, from a day on, and no currency pays what it has not."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatehouse.billing.fees import DEFAULT_FEES
from gatehouse.billing.price_list import FeeTier, PriceList, read_price_list
from gatehouse.billing.statement import DAY_MS, Period
from gatehouse.intel.places import minor_digits

FILE = """
[[prices]]
currency = "EUR"
since = 2027-01-01
fees = { PRECHECK = 4, SENTRY = 1.5 }
[prices.tiers]
PRECHECK = [ { above = 1000, fee = 3 }, { above = 5000, fee = 2.25 } ]

[[prices]]
currency = "JPY"
since = 2027-01-01
fees = { PRECHECK = 8 }

[[prices]]
currency = "EUR"
since = 2027-03-15
fees = { PRECHECK = 5 }
"""
NEW_YEAR = date(2027, 1, 1)


def _ms(day: date) -> int:
    return Period(day, day).start_ms


@pytest.mark.parametrize(("currency", "precheck"), [("USD", 0.05), ("JPY", 5), ("KWD", 0.05)])
def test_without_a_list_a_currency_without_decimals_pays_whole_units(
    currency: str, precheck: float
) -> None:
    fees = PriceList(minor_digits).at(currency, 0).fees
    assert fees["PRECHECK"] == precheck * 1_000_000
    unit = 10 ** (6 - (minor_digits(currency) or 0))
    assert all(fee % unit == 0 for fee in fees.values())


def test_a_price_holds_from_the_first_millisecond_of_its_day() -> None:
    prices = read_price_list(FILE, minor_digits)
    before, since = _ms(NEW_YEAR) - 1, _ms(NEW_YEAR)
    assert prices.at("EUR", before).fees == dict(DEFAULT_FEES)
    assert prices.at("EUR", since).fees == {**DEFAULT_FEES} | {"PRECHECK": 40_000, "SENTRY": 15_000}
    # Each list stands for itself: what it does not name costs the default.
    later = prices.at("EUR", _ms(date(2027, 3, 15)))
    assert later.fees == {**DEFAULT_FEES} | {"PRECHECK": 50_000}
    assert not later.tiers
    # A clock that goes back finds the earlier prices again.
    assert prices.at("EUR", before).fees == dict(DEFAULT_FEES)
    assert prices.at("JPY", since).fees["PRECHECK"] == 8_000_000
    assert prices.at("USD", since).fees == dict(DEFAULT_FEES)


def test_tiers_are_exact_fractions_of_minor_units() -> None:
    in_force = read_price_list(FILE, minor_digits).at("EUR", _ms(NEW_YEAR))
    assert in_force.tiers == {"PRECHECK": (FeeTier(1000, 30_000), FeeTier(5000, 22_500))}


def test_an_accounts_own_fees_come_before_the_list() -> None:
    prices = read_price_list(FILE, minor_digits)
    schedule = prices.schedule("EUR", {"PRECHECK": 1}, _ms(NEW_YEAR))
    assert (schedule["PRECHECK"], schedule["SENTRY"]) == (1, 15_000)


@given(st.dates(date(2026, 1, 1), date(2028, 1, 1)), st.integers(1, 400))
def test_the_parts_of_a_period_have_one_price_each_and_leave_no_gap(first: date, days: int) -> None:
    prices = read_price_list(FILE, minor_digits)
    period = Period(first, date.fromordinal(first.toordinal() + days))
    parts = prices.within("EUR", period)
    bounds = [part.start_ms for part, _ in parts] + [period.end_ms]
    assert [part.end_ms for part, _ in parts] == bounds[1:]
    assert bounds[0] == period.start_ms
    assert bounds == sorted(set(bounds))
    for at_ms in range(period.start_ms, period.end_ms, DAY_MS):
        [fees] = [each.fees for part, each in parts if part.start_ms <= at_ms < part.end_ms]
        assert fees == PriceList.at(prices, "EUR", at_ms).fees


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ('currency = "EUR"', "missing required field `since`"),
        ('currency = "EUX"\nsince = 2027-01-01\nfees = {}', "no currency"),
        ('currency = "EUR"\nsince = 2027-01-01\nfees = { CHECK = 1 }', "no fee type CHECK"),
        ('currency = "EUR"\nsince = 2027-01-01\nfees = { SENTRY = -1 }', "matching regex"),
        ('currency = "EUR"\nsince = 2027-01-01\nfees = { SENTRY = 1.00001 }', "millionth"),
        ('currency = "EUR"\nsince = 2027-01-01\nfees = { SENTRY = 1e3 }', "matching regex"),
        ('currency = "EUR"\nsince = 2027-01-01\nfees = {}\n' * 2, "overwrite"),
        (
            'currency = "EUR"\nsince = 2027-01-01\nfees = { SENTRY = 1 }\n'
            "tiers.SENTRY = [ { above = 10, fee = 2 } ]",
            "prices fall",
        ),
        (
            'currency = "EUR"\nsince = 2027-01-01\nfees = { SENTRY = 2 }\n'
            "tiers.SENTRY = [ { above = 10, fee = 1 }, { above = 10, fee = 1 } ]",
            "must grow",
        ),
        (
            'currency = "EUR"\nsince = 2027-01-01\nfees = {}\n'
            "tiers.SENTRY = [ { above = 10, fee = 1 } ]",
            "has tiers and no price",
        ),
        (
            'currency = "EUR"\nsince = 2027-01-01\nfees = { RULES = 3, "RULES/entry" = 2 }\n'
            'tiers."RULES/entry" = [ { above = 10, fee = 1 } ]',
            "a fee with a name has no tiers",
        ),
    ],
)
def test_a_list_that_cannot_be_meant_is_refused_with_its_reason(wrong: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read_price_list(f"[[prices]]\n{wrong}", minor_digits)


def test_one_currency_has_one_list_from_a_day_on() -> None:
    twice = '[[prices]]\ncurrency = "EUR"\nsince = 2027-01-01\nfees = {}\n' * 2
    with pytest.raises(ValueError, match="two lists"):
        read_price_list(twice, minor_digits)
