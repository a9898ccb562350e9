"""The last day is compared with its own season: what is usual is told to nobody."""

import pytest

from gatehouse.admin.drift.types.comparing import DriftKind, stability_index
from gatehouse.admin.drift.types.label_delay import DELAY, NUMBER, WeekOfLabels, judge_labels
from gatehouse.admin.drift.types.profile import (
    PARTS_A_DAY,
    TrafficProfile,
    added,
    decode_profile,
    encode_profile,
    place_of,
)
from tests.admin.drift.traffic import Day, drifts, judged, parts

DAYS = 42
NEW = 35 * PARTS_A_DAY
"""The part from which on something is changed: the beginning of the sixth week."""


def test_two_weeks_of_honest_seasons_are_told_to_nobody() -> None:
    made = parts(DAYS)
    assert len(judged(made, len(made) - 1)) == 5
    assert drifts(made) == set()


@pytest.mark.parametrize("seed", [2, 3])
def test_a_feast_with_five_times_the_orders_is_told_to_nobody(seed: int) -> None:
    def feast(number: int, day: Day) -> None:
        if NEW <= number < NEW + 3 * PARTS_A_DAY:
            day.volume *= 5

    assert drifts(parts(DAYS, feast, seed)) == set()


def test_an_outage_is_told_to_nobody_neither_on_its_day_nor_in_the_weeks_after() -> None:
    def outage(number: int, day: Day) -> None:
        if 28 * PARTS_A_DAY <= number < 29 * PARTS_A_DAY:
            day.volume *= 0.02

    assert drifts(parts(DAYS, outage)) == set()


def test_a_feast_or_an_outage_in_a_week_before_hides_no_drift() -> None:
    def change(number: int, day: Day) -> None:
        if 21 * PARTS_A_DAY <= number < 28 * PARTS_A_DAY:
            day.volume *= 4
        if number >= NEW:
            day.abroad = 0.8

    assert drifts(parts(DAYS, change), NEW + PARTS_A_DAY - 1) == {"ip.country"}


@pytest.mark.parametrize(
    ("field", "value", "name"),
    [
        ("abroad", 0.8, "ip.country"),
        ("amount", 250.0, "order.amount"),
        ("lacks_email", 0.6, "email.valid"),
        ("risk", 0.3, "sentry.requestConfidence"),
        ("hits", 0.25, "shop/abroad"),
        ("hits", 0.0, "shop/abroad"),
    ],
)
def test_what_changes_for_good_is_told_within_a_day_and_nothing_else(
    field: str, value: float, name: str
) -> None:
    def change(number: int, day: Day) -> None:
        if number >= NEW:
            setattr(day, field, value)

    made = parts(37, change)
    assert drifts(made) == {name}
    [found] = [each for each in judged(made, NEW + PARTS_A_DAY - 1) if each.drifts]
    kinds = {"shop/abroad": DriftKind.RULE, "sentry.requestConfidence": DriftKind.SCORE}
    assert found.kind is kinds.get(name, DriftKind.SIGNAL)
    assert not found.is_calm


def test_a_rule_that_was_taken_out_is_told_to_nobody() -> None:
    def change(number: int, day: Day) -> None:
        if number >= NEW:
            day.hits, day.version = 0.0, 2

    assert drifts(parts(37, change), NEW + PARTS_A_DAY - 1) == set()


def test_a_change_that_stays_becomes_usual() -> None:
    def change(number: int, day: Day) -> None:
        if number >= 7 * PARTS_A_DAY:
            day.abroad = 0.8

    made = parts(DAYS, change)
    [country] = [each for each in judged(made, len(made) - 1) if each.name == "ip.country"]
    assert country.is_calm


def test_what_always_varies_is_told_to_nobody() -> None:
    """A shop whose customers come from elsewhere every week has no usual share."""

    def change(number: int, day: Day) -> None:
        day.abroad = (0.1, 0.7, 0.3, 0.9, 0.2, 0.8)[number // (7 * PARTS_A_DAY)]

    assert drifts(parts(DAYS, change)) == set()


def test_accounts_with_few_requests_are_not_judged() -> None:
    def change(number: int, day: Day) -> None:
        day.volume *= 0.1
        day.abroad = 0.9 if number >= NEW else 0.1

    made = parts(37, change)
    assert judged(made, len(made) - 1) == []


def test_the_index_of_equal_shares_is_nothing_and_grows_with_the_difference() -> None:
    usual = {1: 0.5, 2: 0.3, 3: 0.2}
    same = stability_index({1: 500, 2: 300, 3: 200}, usual)
    some = stability_index({1: 400, 2: 330, 3: 270}, usual)
    much = stability_index({1: 100, 2: 300, 3: 600}, usual)
    assert same == 0.0
    assert 0.01 < some < 0.1 < 0.25 < much
    assert stability_index({4: 1000}, usual) > 1
    assert stability_index({}, usual) == 0.0


def test_values_are_counted_by_size_and_texts_by_a_place_that_they_share() -> None:
    assert place_of(0) == 0
    assert place_of(True) != place_of(1)
    assert place_of(99.0) == place_of(101.0) != place_of(130.0)
    assert place_of(-99.0) == -(place_of(99.0) or 0)
    assert len({place_of(f"user-{number}") for number in range(5000)}) == 32
    assert place_of(["a", "list"]) is None


def test_profiles_add_up_and_are_kept_small() -> None:
    made = parts(2)
    whole = added(made)
    assert whole.requests == sum(each.requests for each in made)
    assert sum(whole.of_signal("email.valid").values()) == whole.requests
    assert decode_profile(encode_profile(whole)) == whole
    assert len(encode_profile(whole)) < 2000
    assert added([]) == TrafficProfile()


def _week(days: float, count: int = 60) -> WeekOfLabels:
    return WeekOfLabels([days * (0.5 + each / count) for each in range(count)])


USUAL = [_week(8), _week(9), _week(8.5), _week(9.5)]


@pytest.mark.parametrize(
    ("now", "name"),
    [
        (_week(9), None),
        (_week(9, count=200), None),
        (_week(11), None),
        (_week(20), DELAY),
        (_week(3), DELAY),
        (_week(9, count=2), NUMBER),
        (WeekOfLabels([]), NUMBER),
    ],
)
def test_labels_that_come_later_sooner_or_not_at_all_are_told(
    now: WeekOfLabels, name: str | None
) -> None:
    assert [each.name for each in judge_labels(now, USUAL) if each.drifts] == [
        each for each in (name,) if each
    ]


def test_labels_that_are_imported_once_a_month_have_no_usual_week() -> None:
    weeks = [WeekOfLabels([]), WeekOfLabels([]), WeekOfLabels([]), _week(20, count=300)]
    assert judge_labels(WeekOfLabels([]), weeks) == []
