"""How far a merchant is from a programme, at the edges of every threshold."""

import datetime
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatehouse.admin.programmes.types.counting import MeteredPart, MeteredScope, MonthCounts
from gatehouse.admin.programmes.types.meter import (
    STEPS,
    OtherCondition,
    ProgrammeStanding,
    standings,
    step_of,
)
from gatehouse.admin.programmes.types.thresholds import (
    CountedEvents,
    ProgrammeSubject,
    ProgrammeTable,
    read_table,
)
from gatehouse.admin.programmes.use_cases.tables import shipped_table
from gatehouse.core.months import CalendarMonth

NONE = MonthCounts()
ENOUGH = {"USD": 75_000_010_000}
MARCH, APRIL = datetime.date(2026, 3, 1), datetime.date(2026, 4, 1)


@dataclass
class Case:
    """A month of a merchant or an account, and the level that it is judged by."""

    name: str
    now: MonthCounts
    before: MonthCounts = NONE
    month: datetime.date = APRIL
    region: str | None = None
    of: ProgrammeSubject = ProgrammeSubject.MERCHANT
    scope: MeteredScope = MeteredScope.ACCOUNT
    table: ProgrammeTable = field(default_factory=shipped_table)

    def levels(self) -> list[ProgrammeStanding]:
        [programme] = [each for each in self.table.programmes if each.name == self.name]
        merchant = None if self.scope is MeteredScope.ACCOUNT else "M"
        part = MeteredPart(programme.network, self.scope, merchant, self.region)
        found = standings(programme, self.month, part, self.now, self.before, self.table)
        return [each for each in found if each.level.of is self.of]


def standing(name: str, now: MonthCounts, before: MonthCounts = NONE, **more: Any) -> Any:
    [found] = Case(name, now, before, **more).levels()
    return found


@pytest.mark.parametrize(("events", "met"), [(1499, False), (1500, True)])
@pytest.mark.parametrize("name", ["VAMP", "VAMP_WITHOUT_DOUBLES"])
def test_visas_programme_needs_so_many_events(name: str, events: int, met: bool) -> None:
    found = standing(name, MonthCounts(sales=50_000, disputes=events))
    assert (found.met, found.events_left) == (met, 0 if met else 1)


@pytest.mark.parametrize("name", ["VAMP", "VAMP_WITHOUT_DOUBLES"])
@pytest.mark.parametrize(
    ("month", "region", "basis_points"),
    [(MARCH, None, 220), (APRIL, None, 150), (APRIL, "MENA", 220), (MARCH, "MENA", 220)],
)
def test_visas_ratio_is_met_exactly_at_its_threshold(
    name: str, month: datetime.date, region: str | None, basis_points: int
) -> None:
    sales = 1_000_000
    at = sales * basis_points // 10_000
    for reports, met in ((at - 1, False), (at, True)):
        counts = MonthCounts(sales=sales, fraud_reports=reports, report_micros=ENOUGH)
        found = standing(name, counts, month=month, region=region)
        assert (found.met, found.events_left) == (met, 0 if met else 1)


@pytest.mark.parametrize(
    ("reports", "disputes", "amounts", "met"),
    [
        (60, 41, (30_000_010_000, 25_000_000_000, 20_000_000_000), True),
        (60, 40, (30_000_010_000, 25_000_000_000, 20_000_000_000), False),
        (60, 41, (30_000_000_000, 25_000_000_000, 20_000_000_000), False),
    ],
)
def test_visa_asks_for_more_than_100_events_and_75000_in_the_middle_east(
    reports: int, disputes: int, amounts: tuple[int, int, int], met: bool
) -> None:
    reported, fraud, other = ({"USD": micros} for micros in amounts)
    counts = MonthCounts(
        sales=4000,
        fraud_reports=reports,
        disputes=disputes,
        fraud_disputes=20,
        report_micros=reported,
        fraud_micros=fraud,
        other_micros=other,
    )
    assert standing("VAMP", counts, region="MENA").met is met
    assert not standing("VAMP", counts, region="EU").met


def test_each_threshold_has_two_sources_or_says_what_one_states_alone() -> None:
    table = shipped_table()
    levels = [(one.sources, one.alone) for each in table.programmes for one in each.levels]
    for sources, alone in [*levels, *((each.sources, each.alone) for each in table.unmetered)]:
        assert len(sources) >= 2 or alone, sources


def test_latin_america_and_acquirers_have_dates_of_their_own() -> None:
    counts = MonthCounts(sales=100_000, disputes=1500)
    assert standing("VAMP", counts, region="LAC", month=MARCH).met
    assert not standing("VAMP", counts, region="EU", month=MARCH).met
    case = Case("VAMP", counts, month=datetime.date(2025, 12, 1), of=ProgrammeSubject.ACQUIRER)
    assert [each.level.name for each in case.levels()] == ["excessive"]


@pytest.mark.parametrize(
    ("name", "events", "basis_points"), [("ECM", 100, 150), ("HECM", 300, 300)]
)
def test_mastercards_chargebacks_are_met_exactly_at_both_edges(
    name: str, events: int, basis_points: int
) -> None:
    # As many sales as make the ratio exactly what it must be.
    sales = events * 10_000 // basis_points
    for disputes, sold, met in (
        (events, sales, True),
        (events - 1, sales, False),
        (events - 1, sales // 2, False),
        (events, sales + 1, False),
        (events + 1, sales + 1, True),
    ):
        found = standing(name, MonthCounts(disputes=disputes), MonthCounts(sales=sold))
        assert found.met is met, (disputes, sold)


def test_99_100_299_and_300_chargebacks() -> None:
    before = MonthCounts(sales=6_000)
    met = {
        number: [
            standing(name, MonthCounts(disputes=number), before).met for name in ("ECM", "HECM")
        ]
        for number in (99, 100, 299, 300)
    }
    assert met == {
        99: [False, False],
        100: [True, False],
        299: [True, False],
        300: [True, True],
    }


@pytest.mark.parametrize(("name", "basis_points"), [("above standard", 50), ("excessive", 70)])
def test_an_acquirers_levels_need_1500_events_and_judge_no_single_merchant_id(
    name: str, basis_points: int
) -> None:
    at = basis_points * 100
    for disputes, sales, met in ((at - 1, 10**6, False), (at, 10**6, True), (1499, 1499, False)):
        case = Case("VAMP", MonthCounts(sales=sales, disputes=disputes))
        case.of = ProgrammeSubject.ACQUIRER
        [found] = [each for each in case.levels() if each.level.name == name]
        assert found.met is met
        case.scope = MeteredScope.MERCHANT
        assert case.levels() == []


def test_a_fraud_that_is_disputed_counts_twice_in_one_reading_and_once_in_the_other() -> None:
    counts = MonthCounts(sales=1000, fraud_reports=10, disputes=15, fraud_disputes=8)
    assert standing("VAMP", counts).events == 25
    assert standing("VAMP_WITHOUT_DOUBLES", counts).events == 17


def test_mastercard_divides_by_the_sales_of_the_month_before() -> None:
    now, before = MonthCounts(sales=1_000_000, disputes=150), MonthCounts(sales=10_000)
    found = standing("ECM", now, before)
    assert (found.met, found.sales) == (True, 10_000)
    assert not standing("HECM", now, before).met


def test_without_sales_nothing_is_met_and_there_is_no_ratio() -> None:
    found = standing("ECM", MonthCounts(sales=5, disputes=500))
    assert (found.met, found.ratio, found.events_left) == (False, None, None)
    assert (found.reached, found.missing) == (0, (OtherCondition.SALES,))


@pytest.mark.parametrize(
    ("region", "currency", "amount", "basis_points", "below"),
    [
        (None, "USD", 50_000, 50, 1000),
        ("EU", "EUR", 50_000, 50, 5000),
        ("AU", "USD", 15_000, 20, 1000),
    ],
)
def test_mastercards_fraud_programme_asks_for_four_things_at_once(
    region: str | None, currency: str, amount: int, basis_points: int, below: int
) -> None:
    frauds, micros = basis_points, {currency: amount * 1_000_000}
    now = MonthCounts(disputes=frauds, fraud_disputes=frauds, fraud_micros=micros)
    before = MonthCounts(sales=10_000, sales_three_ds=below - 1)
    assert standing("EFM", now, before, region=region).met
    few = MonthCounts(disputes=frauds, fraud_disputes=frauds - 1, fraud_micros=micros)
    assert standing("EFM", few, before, region=region).events_left == 1
    less = MonthCounts(fraud_disputes=frauds, fraud_micros={currency: amount * 1_000_000 - 1})
    for one, other, missing in (
        (now, MonthCounts(sales=10_000, sales_three_ds=below), OtherCondition.THREE_D_SECURE),
        (now, MonthCounts(sales=999), OtherCondition.SALES),
        (less, before, OtherCondition.AMOUNT),
    ):
        found = standing("EFM", one, other, region=region)
        assert (found.met, found.missing, found.events_left) == (False, (missing,), None)
    # Exactly 1,000 sales are enough.
    assert standing("EFM", now, MonthCounts(sales=1000), region=region).met


@pytest.mark.parametrize("region", ["DE", "CH", "LI", "IN", "SH"])
def test_mastercards_fraud_programme_does_not_hold_everywhere(region: str) -> None:
    assert Case("EFM", NONE, region=region).levels() == []


def test_amounts_without_a_rate_are_told_and_not_counted() -> None:
    now = MonthCounts(fraud_disputes=50, fraud_micros={"GBP": 7, "USD": 49_999_000_001})
    found = standing("EFM", now, MonthCounts(sales=10_000))
    assert (found.amount, found.uncounted) == (49_999_000_001, {"GBP": 7})


def test_a_dated_rate_converts_exactly_in_its_months_only() -> None:
    rate = '[[rate]]\nfrom = "GBP"\nto = "USD"\nrate = "1.25"\nsince = 2026-04-01\n'
    table = read_table(f"{SMALL}\n{rate}until = 2026-05-01\n")
    now = MonthCounts(fraud_disputes=1, fraud_micros={"GBP": 7, "USD": 1})
    for month, amount, uncounted in (
        (MARCH, 1, {"GBP": 7}),
        (APRIL, 9, {}),
        (datetime.date(2026, 5, 1), 1, {"GBP": 7}),
    ):
        found = standing("EFM", now, MonthCounts(sales=9), month=month, table=table)
        assert (found.amount, found.uncounted) == (amount, uncounted)


SMALL = """
as_of = 2026-01-01
[enumeration]
source = "ours"
basis_points = 2000
events = 10
burst_minutes = 60
burst_cards = 20
burst_amounts = 3
[[programme]]
name = "EFM"
network = "MASTERCARD"
counts = "FRAUD_CHARGEBACKS"
sales_of = "month before"
[[programme.level]]
name = "excessive"
source = "ours"
since = 2020-01-01
events = 1
amount_micros = 8
currency = "USD"
"""


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


@given(
    name=st.sampled_from(["VAMP", "VAMP_WITHOUT_DOUBLES", "ECM", "HECM"]),
    sales=st.integers(1, 2_000_000),
    events=st.integers(0, 60_000),
    month=st.sampled_from([MARCH, APRIL]),
    region=st.sampled_from([None, "EU", "MENA"]),
)
def test_a_level_is_met_when_number_and_ratio_are_and_not_before(
    name: str, sales: int, events: int, month: datetime.date, region: str | None
) -> None:
    counts = MonthCounts(sales=sales, disputes=events, other_micros=ENOUGH)
    found = standing(name, counts, counts, month=month, region=region)
    level = found.level
    both = events >= level.events and events * 10_000 >= level.basis_points * sales
    assert found.met is both
    assert (found.reached == 100) is both
    # The step is the last whose share of the needed events is reached.
    assert step_of(found) == max(
        (step for step in STEPS if events * 100 >= step * found.needed), default=0
    )


def test_a_step_is_reached_exactly_at_its_share() -> None:
    for step in STEPS:
        at = 1500 * step // 100
        assert step_of(standing("VAMP", MonthCounts(sales=10, disputes=at))) == step
        assert step_of(standing("VAMP", MonthCounts(sales=10, disputes=at - 1))) < step


def test_a_missing_amount_is_a_way_and_the_longer_way_counts() -> None:
    now = MonthCounts(fraud_disputes=1000, fraud_micros={"USD": 26_000_000_000})
    assert standing("EFM", now, MonthCounts(sales=10_000)).reached == 52


@given(st.integers(0, 4_102_444_800_000 - 1))
def test_every_moment_is_in_one_month(at_ms: int) -> None:
    month = CalendarMonth.at(at_ms)
    assert month.since_ms <= at_ms < month.until_ms
    assert CalendarMonth.at(month.until_ms) == month.after
    assert CalendarMonth.at(month.since_ms - 1) == month.before
    assert CalendarMonth.named(str(month)) == month


def test_a_table_that_cannot_be_used_says_what_is_wrong() -> None:
    for wrong, said in (
        (SMALL.replace('currency = "USD"', ""), "EFM .excessive. has an amount without a currency"),
        (SMALL.replace("events = 1\n", ""), "asks for neither a ratio nor a number of events"),
        (SMALL.replace("2020-01-01", "2020-01-01\nuntil = 2020-01-01"), "ends before it begins"),
        (SMALL.replace("FRAUD_CHARGEBACKS", "ALL"), r"mine\.toml: Invalid enum value 'ALL'"),
        (f'{SMALL}[[rate]]\nfrom="A"\n', "mine.toml: "),
        ("as_of = ", "mine.toml: "),
    ):
        with pytest.raises(ValueError, match=said):
            read_table(wrong, "mine.toml")
    assert read_table(SMALL).programmes[0].counts is CountedEvents.FRAUD_CHARGEBACKS
