"""Forecasts hold about as often as they say, and say nothing about what is over."""

from hypothesis import given
from hypothesis import strategies as st
from scripts.programme_truth.forecasts import forecast_cases

from gatehouse.admin.programmes.types.forecast import (
    PastMonth,
    arrival_share,
    forecast,
    ratio_range,
)

STEADY = [PastMonth(100, 50)] * 6


def test_at_least_75_of_100_months_are_within_their_interval() -> None:
    cases = forecast_cases(7, 100)
    assert sum(each.is_within for each in cases) >= 75


def test_bounds_are_not_so_wide_that_they_always_hold() -> None:
    late = [each.width for each in forecast_cases(7, 100) if each.day >= 20]
    assert sorted(late)[len(late) // 2] < 0.6


def test_a_month_like_the_others_is_expected_to_end_like_them() -> None:
    share = arrival_share(STEADY, 0.5)
    found = forecast(50, share, [each.total for each in STEADY])
    assert 95 <= found.mean <= 105
    assert found.low < 100 < found.high


def test_what_is_told_late_is_learnt() -> None:
    """Half of the month is over, but only a tenth of its events is told by then."""
    late = arrival_share([PastMonth(200, 20)] * 6, 0.5)
    assert late.mean < 0.15
    assert forecast(20, late, [200] * 6).mean > 150


def test_without_earlier_months_events_are_taken_to_come_evenly() -> None:
    found = forecast(30, arrival_share([], 0.5), [])
    assert 50 < found.mean < 75
    assert (found.low < 50, found.high > 75) == (True, True)


def test_a_month_that_is_over_and_told_in_time_is_what_it_is() -> None:
    share = arrival_share([PastMonth(80, 80)] * 3, 1.4)
    assert forecast(91, share, [80, 80, 80])[:3] == (91, 91, 91)
    assert forecast(0, arrival_share([], 1.0), [])[:3] == (0, 0, 0)


@given(
    number=st.integers(0, 10**7),
    over=st.floats(0, 3),
    months=st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), max_size=8),
)
def test_bounds_lie_around_the_mean_and_never_below_what_has_arrived(
    number: int, over: float, months: list[tuple[int, int]]
) -> None:
    past = [PastMonth(max(pair), min(pair)) for pair in months]
    found = forecast(number, arrival_share(past, over), [each.total for each in past])
    assert number <= found.low <= found.high
    assert number <= found.mean
    ratio = ratio_range(found, found)
    assert ratio is None or ratio[1] <= ratio[0] <= ratio[2]
