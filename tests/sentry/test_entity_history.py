"""The history of one entity: exact while it is quiet, bounded when it is busy."""

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatehouse.sentry.memory.entity_history import (
    LONGEST_TIMELINE,
    MOST_AMOUNTS,
    MOST_PAIRS,
    TIME_SHIFT,
    EntityHistory,
    UserHistory,
)
from gatehouse.sentry.memory.memory import DAY_S, HOUR_S, MINUTE_S, MONTH_S, WEEK_S, EntityKind

NOW = 1_800_000_000.0
SPANS_S = (MINUTE_S, HOUR_S, DAY_S, WEEK_S, MONTH_S)


def history_of(*moments: float, amount: float = 1.0) -> EntityHistory:
    made = EntityHistory(NOW, NOW, "EUR")
    for moment in moments:
        made.add(moment, amount)
    return made


def counts(made: EntityHistory, now_s: float = NOW) -> tuple[float, ...]:
    return tuple(made.count(now_s - span, now_s) for span in SPANS_S)


def partners(made: EntityHistory, kind: EntityKind) -> list[int]:
    """When each partner of a kind was last there."""
    return [link >> TIME_SHIFT for link in made.links_to(kind)]


def key(number: int, kind: EntityKind) -> int:
    return number << 5 | kind


@given(st.lists(st.integers(0, 40 * 86_400), max_size=LONGEST_TIMELINE))
def test_the_counts_of_a_quiet_entity_are_exact_in_whatever_order_events_come(
    ages: list[int],
) -> None:
    made = history_of(*(NOW - age for age in ages))
    assert counts(made) == tuple(sum(NOW - (NOW - age) < span for age in ages) for span in SPANS_S)


def test_sums_are_of_the_same_events_as_counts() -> None:
    made = EntityHistory(NOW, NOW, "EUR")
    made.add(NOW - 100_000, 7.0)
    made.add(NOW - 4000, 5.0)
    made.add(NOW, 2.5)
    assert [made.total(NOW - span, NOW) for span in SPANS_S] == [2.5, 2.5, 7.5, 14.5, 14.5]


@pytest.mark.parametrize("gap_s", [0.1, 3, 60, 900, 20_000])
def test_a_busy_entity_stays_small_and_its_counts_are_right_up_to_the_edge_of_a_window(
    gap_s: float,
) -> None:
    moments = [NOW + n * gap_s for n in range(5000)]
    made = history_of(*moments)
    last = moments[-1]
    assert made.timeline is not None
    assert len(made.timeline) <= LONGEST_TIMELINE * 3
    for window, span in enumerate(SPANS_S):
        true = sum(last - moment < span for moment in moments)
        counted = counts(made, last)[window]
        assert true <= counted <= true * 7 / 6 + 2


def test_a_busy_entity_forgets_what_is_older_than_a_month() -> None:
    made = history_of(*(NOW + n * 43_200 for n in range(200)))
    assert made.timeline is not None
    assert made.timeline[0] > NOW + MONTH_S


def test_an_event_that_is_taken_back_leaves_the_counts_as_they_were() -> None:
    made = history_of(NOW - 50, NOW - 30, NOW - 10)
    made.add(NOW, 9.0)
    before = counts(history_of(NOW - 50, NOW - 30, NOW - 10))
    made.take_back(NOW, 9.0)
    assert counts(made) == before


def test_taking_back_from_joined_stretches_keeps_the_total() -> None:
    moments = [NOW + n for n in range(300)]
    made = history_of(*moments)
    total = counts(made, moments[-1])[-1]
    made.take_back(moments[120], 1.0)
    made.take_back(moments[-1], 1.0)
    assert counts(made, moments[-1])[-1] == total - 2


def test_taking_back_what_never_was_changes_nothing() -> None:
    made = EntityHistory(NOW, NOW, None)
    made.take_back(NOW, 1.0)
    made.part(key(1, EntityKind.USER))
    assert counts(made) == (0, 0, 0, 0, 0)


def test_partners_are_known_by_kind_and_by_when_they_were_last_seen() -> None:
    made = history_of()
    made.meet(key(1, EntityKind.USER), int(NOW) - 7200)
    made.meet(key(2, EntityKind.USER), int(NOW))
    made.meet(key(2, EntityKind.CARD), int(NOW))
    made.meet(key(2, EntityKind.USER), int(NOW) - 50)
    assert partners(made, EntityKind.USER) == [int(NOW) - 7200, int(NOW)]
    assert partners(made, EntityKind.CARD) == [int(NOW)]
    assert made.times_with(key(2, EntityKind.USER)) == 2
    assert made.times_with(key(3, EntityKind.USER)) == 0


def test_a_meeting_that_is_taken_back_did_not_happen() -> None:
    made = history_of()
    made.meet(key(1, EntityKind.USER), int(NOW))
    made.meet(key(1, EntityKind.USER), int(NOW))
    made.part(key(1, EntityKind.USER))
    assert made.times_with(key(1, EntityKind.USER)) == 1
    made.part(key(1, EntityKind.USER))
    assert partners(made, EntityKind.USER) == []


def test_many_partners_of_one_kind_push_out_their_oldest_but_none_of_another_kind() -> None:
    made = history_of()
    made.meet(key(1, EntityKind.CARD), int(NOW) - 1000)
    for number in range(500):
        made.meet(key(number, EntityKind.USER), int(NOW) + number)
    assert made.links is not None
    assert len(made.links) <= 3 * MOST_PAIRS
    assert len(partners(made, EntityKind.USER)) >= MOST_PAIRS
    assert made.times_with(key(499, EntityKind.USER)) == 1
    assert made.times_with(key(0, EntityKind.USER)) == 0
    assert made.times_with(key(1, EntityKind.CARD)) == 1


def test_only_the_last_amounts_make_a_habit() -> None:
    user = UserHistory(NOW, NOW, "EUR")
    for number in range(MOST_AMOUNTS + 5):
        user.pay(float(number), "EUR", float(number))
    assert user.amounts is not None
    assert list(user.amounts) == [float(n) for n in range(5, MOST_AMOUNTS + 5)]


def test_where_somebody_was_before_is_known_with_the_time() -> None:
    user = UserHistory(NOW, NOW, "EUR")
    user.arrive("DE", NOW)
    assert user.previous_country is None
    user.arrive("FR", NOW + 60)
    assert user.previous_country == ("DE", NOW)


def test_histories_stay_in_the_order_of_time() -> None:
    chance = random.Random(4)
    made = history_of(*(NOW + chance.uniform(-1000, 1000) for _ in range(400)))
    assert made.timeline is not None
    moments = made.timeline[::3]
    assert all(one <= other for one, other in pairwise(moments))
