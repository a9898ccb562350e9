"""Periods are days in UTC, half-open; a statement that does not add up is never given."""

from datetime import date

import msgspec
import pytest

from gatehouse.billing.ledger import EntryKind
from gatehouse.billing.statement import (
    ChargeLine,
    EndedRequests,
    Movement,
    Period,
    PeriodRefused,
    Statement,
    charge_lines,
    read_period,
)
from gatehouse.core.errors import Conflict

NOW_MS = 1_793_577_600_000  # 2026-11-02


def test_a_month_reaches_from_its_first_to_before_the_next_first() -> None:
    december = read_period("2026-12", None, None, NOW_MS)
    assert (december.start_ms, december.end_ms) == (1_796_083_200_000, 1_798_761_600_000)
    assert december == Period(date(2026, 12, 1), date(2027, 1, 1))


def test_without_a_word_it_is_this_month_and_without_an_end_through_today() -> None:
    assert read_period(None, None, None, NOW_MS) == Period(date(2026, 11, 1), date(2026, 12, 1))
    since = read_period(None, "2026-10-30", None, NOW_MS)
    assert since == Period(date(2026, 10, 30), date(2026, 11, 3))


@pytest.mark.parametrize(
    ("asked", "part"),
    [
        (("2026-13", None, None), "month"),
        (("2026-1", None, None), "month"),
        (("1969-12", None, None), "month"),
        (("9999-12", None, None), "month"),
        (("2026-10", "2026-10-01", None), "month"),
        ((None, None, "2026-10-01"), "from"),
        ((None, "20261001", None), "from"),
        ((None, "2026-10-01", "2026-10-32"), "to"),
        ((None, "2026-10-01", "2026-10-01"), "to"),
        ((None, "1990-01-01", "2026-01-01"), "to"),
        ((None, "1990-01-01", None), "from"),
        ((None, "2026-11-03", None), "from"),
    ],
)
def test_what_is_no_period_is_refused_by_its_part(
    asked: tuple[str | None, str | None, str | None], part: str
) -> None:
    with pytest.raises(PeriodRefused) as refused:
        read_period(*asked, NOW_MS)
    assert refused.value.part == part


def test_charges_are_counted_by_day_fee_type_and_fee() -> None:
    first, second = date(2026, 10, 1), date(2026, 10, 2)
    ended = [
        EndedRequests(3, -210, "PRECHECK=50 SENTRY=20", first),
        EndedRequests(2, -100, "PRECHECK=50", first),
        EndedRequests(1, -40, "PRECHECK=40", first),
        EndedRequests(4, 0, None, first),
        EndedRequests(1, -20, "SENTRY=20", second),
    ]
    assert charge_lines(ended) == [
        ChargeLine(first, "PRECHECK", 40, 1),
        ChargeLine(first, "PRECHECK", 50, 5),
        ChargeLine(first, "SENTRY", 20, 3),
        ChargeLine(second, "SENTRY", 20, 1),
    ]


def test_a_statement_that_does_not_add_up_is_refused() -> None:
    movements = [
        Movement("pay_1", 0, EntryKind.TOP_UP, 100),
        Movement("adj_1", 1, EntryKind.ADJUST, -7),
    ]
    period = Period(date(2026, 10, 1), date(2026, 11, 1))
    charges = [ChargeLine(None, "PRECHECK", 5, 3)]
    made = Statement(period, 0, 10, 88, movements, charges, 0)
    made.check()
    assert (made.top_ups, made.adjustments, made.charged) == (100, -7, 15)
    with pytest.raises(Conflict, match="add up to 88 and not to"):
        msgspec.structs.replace(made, closing=89).check()
