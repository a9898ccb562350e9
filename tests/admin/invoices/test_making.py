"""Nothing is lost between the ledger and invoices, whatever the prices and the currencies are."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatehouse.admin.invoices.types.making import (
    counts_of,
    in_whole_units,
    minor_unit,
    tax_on,
    total_of,
    volume_credit,
    with_late,
)
from gatehouse.billing.price_list import FeeTier, PricesInForce
from gatehouse.billing.statement import ChargeLine

amounts = st.lists(st.integers(0, 10**9), max_size=6)


@given(st.lists(amounts, max_size=12), st.sampled_from([0, 2, 3]))
def test_invoices_add_up_to_what_was_charged_to_the_last_millionth(
    months: list[list[int]], digits: int
) -> None:
    unit, carried, invoiced = minor_unit(digits), 0, 0
    for month in months:
        made = in_whole_units(month, carried, unit)
        assert all(each % unit == 0 and each >= 0 for each in made.amounts)
        assert 0 <= made.left < unit
        invoiced, carried = invoiced + made.total, made.left
    assert invoiced + carried == sum(map(sum, months))


def _in_force(fee: int, *tiers: tuple[int, int]) -> PricesInForce:
    return PricesInForce(0, 1, {"RULES": fee}, {"RULES": tuple(FeeTier(*each) for each in tiers)})


def _one_by_one(parts: list[tuple[PricesInForce, int]]) -> int:
    """What tiers take off, use by use."""
    used = credit = 0
    for prices, count in parts:
        for _ in range(count):
            used += 1
            fee = prices.fees["RULES"]
            cheapest = [tier.fee for tier in prices.tiers["RULES"] if used > tier.above]
            credit += fee - (cheapest[-1] if cheapest else fee)
    return credit


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 9)), max_size=4), st.booleans())
def test_tiers_take_off_what_each_use_beyond_them_costs_less(
    months: list[tuple[int, int]], two: bool
) -> None:
    parts = [
        (_in_force(100 * fee, (10, 50 * fee), *([(25, 10 * fee)] if two else [])), count)
        for count, fee in months
    ]
    lines = [
        (prices, [ChargeLine(None, "RULES", prices.fees["RULES"], count)])
        for prices, count in parts
    ]
    assert volume_credit(lines) == _one_by_one(parts)


def test_uses_at_a_price_of_their_own_neither_count_nor_cost_less() -> None:
    lines = [ChargeLine(None, "RULES", 70, 1000), ChargeLine(None, "SENTRY", 100, 1000)]
    assert volume_credit([(_in_force(100, (10, 50)), lines)]) == 0


def test_what_comes_late_is_counted_once_in_the_month_after() -> None:
    closed = counts_of([ChargeLine(None, "RULES", 100, 5)])
    earlier_now = counts_of([ChargeLine(None, "RULES", 100, 7), ChargeLine(None, "RULES", 90, 1)])
    own = counts_of([ChargeLine(None, "RULES", 100, 2)])
    assert with_late(own, earlier_now, closed) == {"RULES=100": 4, "RULES=90": 1}
    assert total_of(with_late(own, closed, closed)) == total_of(own)


@given(st.integers(0, 10**9), st.integers(0, 9999), st.sampled_from([0, 2, 3]))
def test_tax_is_rounded_to_the_nearest_unit_halves_up(net: int, rate: int, digits: int) -> None:
    unit = minor_unit(digits)
    exact = Fraction(net * unit * rate, 10_000)
    difference = tax_on(net * unit, rate, unit) - exact
    assert -Fraction(unit, 2) < difference <= Fraction(unit, 2)


@pytest.mark.parametrize(("digits", "unit"), [(0, 1_000_000), (2, 10_000), (3, 10_000)])
def test_amounts_have_at_most_the_two_decimals_of_the_standard(digits: int, unit: int) -> None:
    assert minor_unit(digits) == unit
