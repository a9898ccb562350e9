"""How far an account is from the networks' programmes."""

import datetime
import math
from fractions import Fraction
from typing import Final

from gatehouse.access.roles import Permission
from gatehouse.admin.programmes.types.counting import NOTHING, MeteredPart
from gatehouse.admin.programmes.types.forecast import Forecast, ratio_range
from gatehouse.admin.programmes.types.formulas import FORECAST, ratio_formula, sales_month
from gatehouse.admin.programmes.types.meter import OtherCondition, ProgrammeStanding, events_for
from gatehouse.admin.programmes.types.report import (
    MeteredProgramme,
    MeterFilter,
    Outlook,
    ProgrammeForecast,
    ProgrammeReport,
    ShownRate,
    ShownThreshold,
    ShownUnmetered,
    ThresholdTable,
)
from gatehouse.admin.programmes.types.thresholds import (
    Programme,
    ProgrammeLevel,
    ProgrammeSubject,
    UnmeteredProgramme,
)
from gatehouse.admin.programmes.use_cases.alerts import alerts_of_month
from gatehouse.admin.programmes.use_cases.causes import causes_in
from gatehouse.admin.programmes.use_cases.measuring import Learnt, Metered, measure
from gatehouse.admin.programmes.use_cases.tables import table_in_force
from gatehouse.admin.programmes.use_cases.warnings import warnings_of
from gatehouse.core.clock import Moment
from gatehouse.core.filling import filled
from gatehouse.core.money import format_amount
from gatehouse.core.months import CalendarMonth
from gatehouse.store.admin.admin_session import Reading
from gatehouse.store.admin.use_case import use_case

_SCOPE: Final = "manage:feedback"
_FINAL_MS: Final = 120 * 86_400_000
"""After so long a month has all that it will have."""


@use_case(
    "GET /programmes",
    scope=_SCOPE,
    permission=Permission.SEE_MONEY,
    answers="programmesResponse",
)
def get_programmes(reading: Reading, account_id: str, wanted: MeterFilter) -> ProgrammeReport:
    """Meter the networks' programmes.

    How a month stands against the thresholds of Visa and Mastercard, for the account and for each
    merchant id, by network and region. Visa divides by the sales of the same month, Mastercard by
    those of the month before. A forecast says what the month will come to, by what earlier months
    of the account were like. Causes say which rules and decisions let the orders through.
    """
    now_ms = reading.now_ms
    month = CalendarMonth.at(now_ms) if wanted.month is None else CalendarMonth.named(wanted.month)
    table = table_in_force(reading.session.settings)
    metered = measure(reading, account_id, month)
    learnt = None
    if metered.parts and month.since_ms <= now_ms < month.until_ms + _FINAL_MS:
        learnt = Learnt(reading, account_id, metered, now_ms)
    found = [
        _shown(part, one, metered, learnt)
        for part in metered.parts
        for one in metered.standings(table, part)
    ]
    found.sort(
        key=lambda each: (
            each.of is not ProgrammeSubject.MERCHANT,
            -each.reached_percent,
            each.events_left is None,
            each.events_left or 0,
        )
    )
    alerts = alerts_of_month(reading.connection, account_id, month)
    causes = causes_in(reading, account_id, month)
    as_of = table.as_of.isoformat()
    places = {(part.network, part.region) for part in metered.parts}
    unmetered = [
        _unmetered(each)
        for each in table.unmetered
        if each.is_in_force(month.first) and places & {(each.network, one) for one in each.regions}
    ]
    return ProgrammeReport(
        *(str(month), Moment(now_ms), as_of, found, alerts, causes),
        *(unmetered, warnings_of(metered)),
    )


@use_case(
    "GET /programmes/thresholds",
    scope=_SCOPE,
    permission=Permission.SEE_MONEY,
    operation="getProgrammeThresholds",
    answers="programmeThresholdsResponse",
)
def thresholds_in_force(reading: Reading, account_id: str) -> ThresholdTable:
    """Show the thresholds of programmes.

    The table that months are metered by: which ratio, how many events and what else each level
    asks for, since when, where the figures are from, and which are only from memory.
    """
    del account_id  # The table is the same for all.
    settings = reading.session.settings
    table = table_in_force(settings)
    return ThresholdTable(
        table.as_of.isoformat(),
        settings.programmes_file is not None,
        [_threshold(each, level) for each in table.programmes for level in each.levels],
        [
            filled(ShownRate, each, since=each.since.isoformat(), until=_day(each.until))
            for each in table.rates
        ],
        [_unmetered(each) for each in table.unmetered],
    )


def _threshold(programme: Programme, level: ProgrammeLevel) -> ShownThreshold:
    return filled(
        ShownThreshold,
        level,
        programme=programme.name,
        level=level.name,
        network=programme.network,
        since=level.since.isoformat(),
        until=_day(level.until),
        counts=programme.counts,
        sales_of=programme.sales_of,
        amount=format_amount(level.amount_micros) if level.amount_micros else None,
        three_d_secure_below=level.three_ds_below,
        regions=list(level.regions),
        except_regions=list(level.except_regions),
        source=level.said_by,
        sources=list(level.sources),
    )


def _unmetered(one: UnmeteredProgramme) -> ShownUnmetered:
    return filled(
        ShownUnmetered,
        one,
        programme=one.name,
        since=one.since.isoformat(),
        until=_day(one.until),
        regions=list(one.regions),
        sources=list(one.sources),
    )


def _day(day: datetime.date | None) -> str | None:
    return None if day is None else day.isoformat()


def _shown(
    part: MeteredPart, one: ProgrammeStanding, metered: Metered, learnt: Learnt | None
) -> MeteredProgramme:
    level, month = one.level, metered.month
    has_amount = bool(level.amount_micros)
    return filled(
        MeteredProgramme,
        one,
        programme=one.programme.name,
        level=level.name,
        of=level.of,
        network=part.network,
        scope=part.scope,
        merchant_id=part.merchant_id,
        region=part.region,
        sales_month=str(sales_month(one.programme, month)),
        basis_points=None if one.ratio is None else basis_points_text(one.ratio),
        formula=ratio_formula(one.programme, month),
        limit_basis_points=level.basis_points,
        limit_events=level.events,
        needed_events=one.needed,
        reached_percent=one.reached,
        missing=list(one.missing),
        amount=format_amount(one.amount) if has_amount else None,
        limit_amount=format_amount(level.amount_micros) if has_amount else None,
        currency=level.currency if has_amount else None,
        uncounted={code: format_amount(sum_) for code, sum_ in one.uncounted.items()},
        three_d_secure_basis_points=(
            None if one.three_ds is None else basis_points_text(one.three_ds)
        ),
        limit_three_d_secure=level.three_ds_below,
        forecast=None if learnt is None else _forecast(part, one, metered, learnt),
        source=level.said_by,
        alone=level.alone,
        unverified=level.unverified,
    )


def _forecast(
    part: MeteredPart, one: ProgrammeStanding, metered: Metered, learnt: Learnt
) -> ProgrammeForecast | None:
    now = metered.now.get(part, NOTHING)
    events = learnt.events(part, one.programme.counts, now)
    sales = Forecast(one.sales, one.sales, one.sales, 0.0) if one.sales else None
    if one.programme.sales_of == "same month":
        sales = learnt.sales(part, now)
    if events is None or sales is None:
        return None
    ratio = ratio_range(events, sales)
    middle, low, high = (None, None, None) if ratio is None else map(_of_float, ratio)
    return ProgrammeForecast(
        events=round(events.mean),
        events_low=events.low,
        events_high=events.high,
        sales=round(sales.mean),
        basis_points=middle,
        basis_points_low=low,
        basis_points_high=high,
        outlook=_outlook(one, events, sales),
        months=learnt.months,
        formula=FORECAST(count=learnt.months),
    )


def _outlook(one: ProgrammeStanding, events: Forecast, sales: Forecast) -> Outlook:
    if one.met and one.programme.sales_of != "same month":
        return Outlook.MET
    needed = max(one.level.events, events_for(one.level.basis_points, math.ceil(sales.mean)), 1)
    for bound, outlook in ((events.low, Outlook.LIKELY), (events.high, Outlook.POSSIBLE)):
        # Amounts grow with the number of events; the other conditions are about months before.
        grown = one.amount * bound // one.events if one.events else 0
        others = {*one.missing} - {OtherCondition.AMOUNT}
        if bound >= needed and not others and grown >= one.level.amount_micros:
            return outlook
    return Outlook.UNLIKELY


def basis_points_text(ratio: Fraction) -> str:
    """With two decimals, rounded half up; exact until then."""
    hundredths = (ratio * 2_000_000 + 1) // 2
    return f"{hundredths // 100}.{hundredths % 100:02d}"


def _of_float(ratio: float) -> str:
    return basis_points_text(Fraction(ratio))
