"""Labels add up exactly, whatever was taken back meanwhile, and fade with the days."""

import math
from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatehouse.sentry.memory.reputation import (
    HALF_LIFE_DAYS,
    HORIZON_DAYS,
    SLOW_HALF_LIFE_DAYS,
    LabelCounts,
    LabelTable,
    LabelTrend,
)

TODAY = 20_772
LONG_AGO = TODAY - HORIZON_DAYS - 30

Label = tuple[int, bool]
"""The day of an event, and whether it was fraud."""
DAYS = st.integers(TODAY - HORIZON_DAYS, TODAY)
ANY_DAYS = st.integers(-10, 4_000_000) | st.integers(TODAY - 500, TODAY)
LABELS = st.lists(st.tuples(DAYS, st.booleans()), max_size=30)


def labels_of(*labels: Label) -> LabelCounts:
    made = LabelCounts()
    for day, fraud in labels:
        made.add(day, fraud=fraud, times=1)
    return made


def frauds(*days: int) -> list[Label]:
    return [(day, True) for day in days]


def goods(*days: int) -> list[Label]:
    return [(day, False) for day in days]


def same(one: LabelCounts, other: LabelCounts) -> bool:
    sums = ((each.frauds, each.known, each.slow_frauds, each.slow_known) for each in (one, other))
    return len(set(sums)) == 1 and list(one.days or ()) == list(other.days or ())


# ---- Adding up ---------------------------------------------------------------------------------


def test_labels_of_today_count_one_each() -> None:
    made = labels_of(*frauds(TODAY), *goods(TODAY, TODAY))
    assert made.recent(TODAY) == pytest.approx((1.0, 3.0))


def test_a_label_counts_half_after_the_half_life_and_less_from_day_to_day() -> None:
    made = labels_of(*frauds(TODAY), *goods(TODAY))
    half, whole = made.recent(TODAY + int(HALF_LIFE_DAYS))
    assert half == pytest.approx(0.5)
    assert whole == pytest.approx(1.0)
    worth = [made.recent(TODAY + days)[0] for days in range(400)]
    assert worth == sorted(worth, reverse=True)
    assert len(set(worth)) == len(worth)
    assert worth[-1] < 0.0001


def test_of_years_a_label_counts_half_after_one() -> None:
    made = labels_of(*frauds(TODAY), *goods(TODAY, TODAY))
    assert made.sums(TODAY)[2:] == pytest.approx((1.0, 3.0))
    assert made.sums(TODAY + SLOW_HALF_LIFE_DAYS)[2:] == pytest.approx((0.5, 1.5), rel=1e-5)
    assert made.sums(TODAY + HALF_LIFE_DAYS)[2] > 0.9
    assert made.sums(TODAY - 7)[2:] == made.sums(TODAY)[2:]


@pytest.mark.parametrize(
    ("labels", "share"),
    [
        ([], 0.0),
        (frauds(TODAY - 300), 1.0),
        ([*goods(*[TODAY - 3] * 50), *frauds(TODAY - 2, TODAY - 2)], 0.1),
        # Of a day with more labels than are asked for, its share counts.
        ([*frauds(*[TODAY] * 25), *goods(*[TODAY] * 75), *frauds(*[TODAY - 1] * 9)], 0.25),
    ],
)
def test_the_latest_labels_tell_whether_fraud_comes_in_a_wave(
    labels: list[Label], share: float
) -> None:
    assert labels_of(*labels).latest_share(20) == pytest.approx(share)


def test_no_label_counts_more_than_one_however_late_the_question_is_about() -> None:
    made = labels_of(*frauds(TODAY - 3, TODAY), *goods(TODAY))
    assert made.recent(TODAY - 7) == made.recent(TODAY)
    assert made.recent(0) == made.recent(TODAY)


@given(LABELS, LABELS, st.randoms(use_true_random=False))
def test_labels_that_were_taken_back_leave_no_trace_in_any_order(
    kept: list[Label], withdrawn: list[Label], order: Random
) -> None:
    told = list(enumerate([*kept, *withdrawn]))
    order.shuffle(told)
    steps = [(number, label, 1) for number, label in told]
    for number, label in told:
        if number >= len(kept):
            # Anywhere behind the label itself.
            place = steps.index((number, label, 1)) + 1
            steps.insert(order.randint(place, len(steps)), (number, label, -1))
    made = LabelCounts()
    for _, (day, fraud), times in steps:
        made.add(day, fraud=fraud, times=times)
    assert same(made, labels_of(*kept))


@given(st.lists(st.tuples(ANY_DAYS, st.booleans(), st.sampled_from([1, -1])), max_size=40))
def test_whatever_is_told_the_sums_stay_possible(
    steps: Sequence[tuple[int, bool, int]],
) -> None:
    """Also of what was never told, and of days that no calendar has."""
    made = LabelCounts()
    for day, fraud, times in steps:
        made.add(day, fraud=fraud, times=times)
        assert 0 <= made.frauds <= made.known
        for seen, known in (made.recent(day), made.sums(day)[2:]):
            assert 0 <= seen <= known < math.inf
        assert 0 <= made.latest_share(20) <= 1
        course = made.trend(day)
        assert 0 <= course.latest <= 1
        assert 0 <= course.run <= len(steps)


@given(LABELS, st.randoms(use_true_random=False))
def test_the_order_in_which_labels_come_in_makes_no_difference(
    labels: list[Label], order: Random
) -> None:
    shuffled = list(labels)
    order.shuffle(shuffled)
    assert same(labels_of(*labels), labels_of(*shuffled))


# ---- The horizon -------------------------------------------------------------------------------


def test_days_beyond_the_horizon_stay_in_the_sums_alone() -> None:
    made = labels_of(*frauds(LONG_AGO, LONG_AGO + 1, LONG_AGO + 2), *goods(TODAY))
    assert made.recent(TODAY)[0] > 0
    assert made.trend(TODAY).days_since_fraud is None
    late = labels_of(*goods(TODAY), *frauds(LONG_AGO + 2, LONG_AGO, LONG_AGO + 1))
    assert same(made, late)


def test_the_last_day_within_the_horizon_is_known() -> None:
    made = labels_of(*frauds(TODAY - HORIZON_DAYS), *goods(TODAY))
    assert made.trend(TODAY).days_since_fraud == HORIZON_DAYS
    assert labels_of(*frauds(TODAY - HORIZON_DAYS - 1), *goods(TODAY)).trend(TODAY)[0] is None


def test_a_later_label_that_is_taken_back_leaves_the_course_as_it_was() -> None:
    made = labels_of(*frauds(LONG_AGO))
    before = made.trend(LONG_AGO + 30)
    made.add(TODAY, fraud=False, times=1)
    made.add(TODAY, fraud=False, times=-1)
    assert made.trend(LONG_AGO + 30) == before
    assert before.run == 1


def test_a_label_from_beyond_the_horizon_can_be_taken_back() -> None:
    made = labels_of(*frauds(LONG_AGO), *goods(TODAY))
    made.add(LONG_AGO, fraud=True, times=-1)
    assert same(made, labels_of(*goods(TODAY)))


def test_what_comes_after_a_forgotten_day_is_not_mistaken_for_it() -> None:
    made = labels_of(*frauds(LONG_AGO), *goods(TODAY))
    # The only later label goes, and the forgotten day gets a label of the other kind.
    made.add(TODAY, fraud=False, times=-1)
    made.add(LONG_AGO, fraud=False, times=1)
    made.add(LONG_AGO, fraud=True, times=-1)
    assert same(made, labels_of(*goods(LONG_AGO)))


def test_what_was_never_told_cannot_be_taken_back() -> None:
    for label in ((TODAY, True), (TODAY - 1, False), (LONG_AGO, True)):
        made = labels_of(*goods(TODAY), *frauds(TODAY - 1))
        made.add(label[0], fraud=label[1], times=-1)
        assert same(made, labels_of(*goods(TODAY), *frauds(TODAY - 1)))


# ---- How it went on ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "course"),
    [
        ([], LabelTrend(None, 0, 0.0, 0.0)),
        (goods(TODAY - 5), LabelTrend(None, 0, 0.0, 0.0)),
        (frauds(TODAY - 5), LabelTrend(5.0, 1, 5.0, 1.0)),
        (frauds(TODAY - 9, TODAY - 5, TODAY - 5), LabelTrend(5.0, 3, 9.0, 1.0)),
        ([*frauds(TODAY - 9), *goods(TODAY - 7), *frauds(TODAY)], LabelTrend(0.0, 1, 0.0, 2 / 3)),
        ([*frauds(TODAY - 9), *goods(TODAY - 7)], LabelTrend(9.0, 0, 0.0, 1 / 2)),
        # Nobody knows what came first on one day.
        ([*frauds(TODAY - 2), *goods(TODAY - 2)], LabelTrend(2.0, 0, 0.0, 1 / 2)),
        ([*frauds(TODAY), *goods(*[TODAY] * 5)], LabelTrend(0.0, 0, 0.0, 1 / 6)),
        ([*frauds(TODAY - 50), *goods(*range(TODAY - 10, TODAY))], LabelTrend(50.0, 0, 0.0, 0.0)),
    ],
)
def test_the_course_of_labels(labels: list[Label], course: LabelTrend) -> None:
    found = labels_of(*labels).trend(TODAY)
    assert found[:3] == course[:3]
    assert found.latest == pytest.approx(course.latest)


def test_what_happened_after_the_question_counts_as_of_today() -> None:
    assert labels_of(*frauds(TODAY + 2)).trend(TODAY).days_since_fraud == 0


# ---- All entities ------------------------------------------------------------------------------


def test_a_label_counts_for_everything_it_touches_and_can_be_taken_back() -> None:
    outcomes = LabelTable(10)
    outcomes.add({1: None, 2: None}, TODAY, fraud=True, times=1)
    outcomes.add({2: None, 3: None}, TODAY, fraud=False, times=1)
    two = outcomes.get(2)
    assert two is not None
    assert two.recent(TODAY) == pytest.approx((1.0, 2.0))
    outcomes.add({1: None, 2: None}, TODAY, fraud=True, times=-1)
    assert two.recent(TODAY) == pytest.approx((0.0, 1.0))
    # What nothing is known of any more takes no place.
    assert (outcomes.get(1), len(outcomes)) == (None, 2)


def test_the_entity_longest_without_a_label_is_dropped_first() -> None:
    outcomes = LabelTable(3)
    for key in (1, 2, 3, 1, 4):
        outcomes.add({key: None}, TODAY, fraud=True, times=1)
    assert [key for key in range(1, 5) if outcomes.get(key) is not None] == [1, 3, 4]
    assert len(outcomes) == 3


def test_a_label_of_a_ledger_that_was_dropped_is_not_taken_from_the_next_one() -> None:
    outcomes = LabelTable(1)
    outcomes.add({1: None}, TODAY, fraud=True, times=1)
    outcomes.add({2: None}, TODAY, fraud=True, times=1)
    outcomes.add({1: None}, TODAY, fraud=True, times=-1)
    assert len(outcomes) == 1
    outcomes.add({1: None}, TODAY, fraud=False, times=1)
    outcomes.add({1: None}, TODAY, fraud=True, times=-1)
    left = outcomes.get(1)
    assert left is not None
    assert same(left, labels_of(*goods(TODAY)))


def test_who_told_is_known_as_long_as_a_label_of_theirs_counts() -> None:
    outcomes = LabelTable(10)
    for own_key, times in ((7, 1), (8, 1), (7, 1), (7, -1)):
        outcomes.add({1: own_key}, TODAY, fraud=True, times=times)
    shared = outcomes.get(1)
    assert shared is not None
    assert shared.reporters == {7: 1, 8: 1}
    outcomes.add({1: 7}, TODAY, fraud=True, times=-1)
    assert shared.reporters == {8: 1}


TOUCHED = st.dictionaries(st.integers(1, 4), st.none() | st.integers(5, 6), min_size=1)


@given(
    st.lists(st.tuples(TOUCHED, DAYS, st.booleans()), max_size=12),
    st.lists(st.tuples(TOUCHED, DAYS, st.booleans()), max_size=12),
    st.randoms(use_true_random=False),
)
def test_what_remains_is_what_the_labels_that_remain_make(
    kept: list[tuple[dict[int, int | None], int, bool]],
    withdrawn: list[tuple[dict[int, int | None], int, bool]],
    order: Random,
) -> None:
    outcomes, expected = LabelTable(10), LabelTable(10)
    told = [*kept, *withdrawn]
    order.shuffle(told)
    for keys, day, fraud in told:
        outcomes.add(keys, day, fraud=fraud, times=1)
    order.shuffle(withdrawn)
    for keys, day, fraud in withdrawn:
        outcomes.add(keys, day, fraud=fraud, times=-1)
    for keys, day, fraud in kept:
        expected.add(keys, day, fraud=fraud, times=1)
    assert len(outcomes) == len(expected)
    for key in range(1, 5):
        one, other = outcomes.get(key), expected.get(key)
        assert (one is None) is (other is None)
        if one is not None and other is not None:
            assert same(one, other)
            assert (one.reporters or {}) == (other.reporters or {})


# ---- What it says ------------------------------------------------------------------------------
