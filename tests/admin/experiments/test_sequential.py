"""The test of two arms may be looked at after every event, and still raises few false alarms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatehouse.admin.experiments.types.sequential import (
    ALPHA,
    MeasureVerdict,
    compare,
    log_evidence,
)

EVENTS = st.integers(0, 3000)
SHARES = st.integers(1, 99).map(lambda percent: percent / 100)


@pytest.mark.parametrize("share", [0.05, 0.5, 0.9])
def test_equal_arms_are_seldom_told_apart_however_often_one_looks(share: float) -> None:
    runs, events = 4000, 1500
    given_to = np.random.default_rng(7).random((runs, events)) < share
    challenger = given_to.cumsum(axis=1)
    # What is seen depends on two counts only, so it is worked out once for each pair of them.
    alarm = np.zeros(runs, dtype=bool)
    for seen in range(1, events + 1):
        counts = challenger[:, seen - 1]
        refuted = {
            int(each): log_evidence(seen - int(each), int(each), share, share) >= -np.log(ALPHA)
            for each in np.unique(counts)
        }
        alarm |= np.array([refuted[int(each)] for each in counts])
    # Two measures are looked at: together 5 %.
    assert 2 * alarm.mean() <= 0.05


def test_a_real_difference_is_found_before_as_many_events_as_were_said_to_be_needed() -> None:
    share, part = 0.5, 2 / 3
    said = compare(10, 20, share).needed
    assert said is not None
    found = np.random.default_rng(3).random((200, 30 + 3 * said)) < part
    verdicts = [compare(int((~one).sum()), int(one.sum()), share).verdict for one in found]
    assert verdicts.count(MeasureVerdict.HIGHER) / len(verdicts) > 0.95


@given(EVENTS, EVENTS, SHARES)
def test_arms_that_are_exchanged_give_the_opposite_answer(
    one: int, other: int, share: float
) -> None:
    there, back = compare(one, other, share), compare(other, one, 1 - share)
    opposite = {
        MeasureVerdict.HIGHER: MeasureVerdict.LOWER,
        MeasureVerdict.LOWER: MeasureVerdict.HIGHER,
    }
    assert back.verdict is opposite.get(there.verdict, there.verdict)
    assert there.p_value == pytest.approx(back.p_value)


@given(EVENTS, EVENTS, SHARES)
def test_a_verdict_agrees_with_the_interval_and_needs_no_more(
    one: int, other: int, share: float
) -> None:
    found = compare(one, other, share)
    assert (found.verdict is MeasureVerdict.OPEN) is (found.needed != 0)
    assert found.least <= (found.ratio if found.ratio is not None else found.most) <= found.most
    if found.verdict is MeasureVerdict.HIGHER:
        assert found.least > 1
    if found.verdict is MeasureVerdict.LOWER:
        assert found.most < 1


def test_more_of_the_same_makes_the_interval_narrower() -> None:
    widths = [compare(n, n, 0.5).most - compare(n, n, 0.5).least for n in (5, 50, 500, 5000)]
    assert widths == sorted(widths, reverse=True)
