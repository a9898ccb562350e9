"""How far a merchant is from a programme, at the edges of every threshold."""

import datetime
from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatehouse.admin.programmes.types.meter import MonthCounts, ProgrammeStanding, standings
from gatehouse.admin.programmes.types.thresholds import ProgrammeTable, read_table
from gatehouse.core.errors import InvalidInput

NONE = MonthCounts()
MARCH, APRIL = datetime.date(2026, 3, 1), datetime.date(2026, 4, 1)


def shipped() -> ProgrammeTable:
    file = resources.files("gatehouse.admin.programmes.types") / "thresholds.toml"
    return read_table(file.read_text(encoding="utf-8"))


def standing(
    name: str,
    now: MonthCounts,
    before: MonthCounts = NONE,
    *,
    month: datetime.date = APRIL,
    region: str | None = None,
    level: int = 0,
) -> ProgrammeStanding:
    [programme] = [each for each in shipped().programmes if each.name == name]
    return standings(programme, month, region, now, before)[level]


@pytest.mark.parametrize(("events", "met"), [(1499, False), (1500, True)])
def test_visas_programme_needs_so_many_events(events: int, met: bool) -> None:
    found = standing("VAMP", MonthCounts(sales=50_000, disputes=events))
    assert (found.met, found.events_left) == (met, 0 if met else 1)


@pytest.mark.parametrize(
    ("month", "region", "basis_points"),
    [(MARCH, None, 220), (APRIL, None, 150), (APRIL, "MENA", 220), (MARCH, "MENA", 220)],
)
def test_the_ratio_is_met_exactly_at_its_threshold(
    month: datetime.date, region: str | None, basis_points: int
) -> None:
    sales = 1_000_000
    at = sales * basis_points // 10_000
    for disputes, met in ((at - 1, False), (at, True)):
        counts = MonthCounts(sales=sales, disputes=disputes)
        found = standing("VAMP", counts, month=month, region=region)
        assert (found.met, found.events_left) == (met, 0 if met else 1)


def test_a_fraud_that_is_disputed_counts_twice_in_one_reading_and_once_in_the_other() -> None:
    counts = MonthCounts(sales=1000, fraud_reports=10, disputes=15, fraud_disputes=8)
    assert standing("VAMP", counts).events == 25
    assert standing("VAMP_WITHOUT_DOUBLES", counts).events == 17


def test_mastercard_divides_by_the_sales_of_the_month_before() -> None:
    now, before = MonthCounts(sales=1_000_000, disputes=150), MonthCounts(sales=10_000)
    found = standing("ECM", now, before)
    assert (found.met, found.sales) == (True, 10_000)
    assert not standing("ECM", now, before, level=1).met


def test_without_sales_nothing_is_met_and_there_is_no_ratio() -> None:
    found = standing("ECM", MonthCounts(sales=5, disputes=500))
    assert (found.met, found.ratio, found.events_left) == (False, None, None)


def test_mastercards_fraud_programme_asks_for_four_things_at_once() -> None:
    now = MonthCounts(disputes=60, fraud_disputes=50, fraud_micros={"USD": 50_000_000_000})
    before = MonthCounts(sales=10_000, sales_three_ds=999)
    assert standing("EFM", now, before).met
    for other in (
        MonthCounts(sales=10_000, sales_three_ds=1000),
        MonthCounts(sales=999, sales_three_ds=0),
    ):
        assert not standing("EFM", now, other).met
    less = MonthCounts(disputes=60, fraud_disputes=50, fraud_micros={"USD": 49_999_999_999})
    assert not standing("EFM", less, before).met


@given(
    sales=st.integers(1, 3_000_000),
    disputes=st.integers(0, 50_000),
    reports=st.integers(0, 50_000),
)
def test_one_event_fewer_than_are_left_is_never_enough(
    sales: int, disputes: int, reports: int
) -> None:
    found = standing("VAMP", MonthCounts(sales=sales, disputes=disputes, fraud_reports=reports))
    assert found.events_left is not None
    for more in {max(found.events_left - 1, 0), found.events_left}:
        counts = MonthCounts(sales=sales, disputes=disputes + more, fraud_reports=reports)
        assert standing("VAMP", counts).met is (more >= found.events_left)


def test_a_table_that_cannot_be_used_says_what_is_wrong() -> None:
    with pytest.raises(InvalidInput, match=r"mine\.toml"):
        read_table("as_of = 2026-01-01\n[[programme]]\nname = 'X'\n", "mine.toml")
