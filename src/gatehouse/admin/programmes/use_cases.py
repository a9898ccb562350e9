"""How far an account is from the networks' programmes."""

import datetime
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from importlib import resources
from typing import Final

from gatehouse.access.roles import Permission
from gatehouse.admin.outcomes.use_cases.counting import count_between
from gatehouse.admin.programmes.types.meter import (
    MeteredPart,
    MonthCounts,
    ProgrammeStanding,
    month_counts,
    standings,
)
from gatehouse.admin.programmes.types.report import MeteredProgramme, MeterFilter, ProgrammeReport
from gatehouse.admin.programmes.types.thresholds import FILE, Programme, ProgrammeTable, read_table
from gatehouse.core.clock import Moment
from gatehouse.store.admin.admin_session import Reading
from gatehouse.store.admin.use_case import use_case

_UTC: Final = datetime.UTC
_NOTHING: Final = MonthCounts()


@use_case(
    "GET /programmes",
    scope="manage:feedback",
    permission=Permission.SEE_MONEY,
    operation="getProgrammes",
    answers="programmesResponse",
)
def get_programmes(reading: Reading, account_id: str, wanted: MeterFilter) -> ProgrammeReport:
    """Meter the networks' programmes.

    How a month stands against the thresholds of Visa and Mastercard, for each merchant id, network
    and region that outcomes were told for. Visa divides by the sales of the same month, Mastercard
    by those of the month before.
    """
    now_ms = reading.session.clock()
    month = _month(wanted.month, now_ms)
    before = _first_of(month - datetime.timedelta(days=1))
    after = _first_of(month + datetime.timedelta(days=31))
    counts = month_counts(count_between(reading, account_id, _ms(month), _ms(after)))
    earlier = month_counts(count_between(reading, account_id, _ms(before), _ms(month)))
    table = shipped_table()
    found = [
        _shown(part, programme, one, month if programme.sales_of == "same month" else before)
        for part in sorted({*counts, *earlier}, key=str)
        for programme, one in _standings(
            table, part, month, counts.get(part, _NOTHING), earlier.get(part, _NOTHING)
        )
    ]
    found.sort(key=lambda each: (not each.met, each.events_left is None, each.events_left or 0))
    return ProgrammeReport(f"{month:%Y-%m}", Moment(now_ms), table.as_of.isoformat(), found)


@cache
def shipped_table() -> ProgrammeTable:
    """The table that comes with the program."""
    file = resources.files("gatehouse.admin.programmes.types") / FILE
    return read_table(file.read_text(encoding="utf-8"))


def _standings(
    table: ProgrammeTable,
    part: MeteredPart,
    month: datetime.date,
    now: MonthCounts,
    before: MonthCounts,
) -> Iterator[tuple[Programme, ProgrammeStanding]]:
    for programme in table.programmes:
        if programme.network == part.network:
            for one in standings(programme, month, part.region, now, before):
                yield programme, one


def _shown(
    part: MeteredPart, programme: Programme, one: ProgrammeStanding, sales_month: datetime.date
) -> MeteredProgramme:
    return MeteredProgramme(
        programme=programme.name,
        level=one.level.name,
        network=part.network,
        merchant_id=part.merchant_id,
        region=part.region,
        events=one.events,
        sales=one.sales,
        sales_month=f"{sales_month:%Y-%m}",
        basis_points=None if one.ratio is None else _basis_points(one.ratio),
        limit_basis_points=one.level.basis_points,
        limit_events=one.level.events,
        met=one.met,
        events_left=one.events_left,
        source=one.level.source,
    )


def _basis_points(ratio: Fraction) -> str:
    """With two decimals, rounded half up; exact until then."""
    hundredths = (ratio * 2_000_000 + 1) // 2
    return f"{hundredths // 100}.{hundredths % 100:02d}"


def _month(text: str | None, now_ms: int) -> datetime.date:
    if text is None:
        return _first_of(datetime.datetime.fromtimestamp(now_ms / 1000, _UTC).date())
    return datetime.date.fromisoformat(f"{text}-01")


def _first_of(day: datetime.date) -> datetime.date:
    return day.replace(day=1)


def _ms(day: datetime.date) -> int:
    return int(datetime.datetime(day.year, day.month, day.day, tzinfo=_UTC).timestamp()) * 1000
