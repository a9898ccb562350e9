"""Replays a rule set over recorded requests, and takes away what became of those it declines."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Final

import msgspec

from gatehouse.admin.outcomes.types.counts import OutcomePlace
from gatehouse.admin.outcomes.types.outcome import OutcomeKind
from gatehouse.admin.outcomes.use_cases.counting import outcomes_of
from gatehouse.admin.programmes.types.counting import (
    NOTHING,
    MeteredPart,
    MonthCounts,
    counts_of,
    parts_of,
)
from gatehouse.admin.programmes.types.formulas import ratio_formula
from gatehouse.admin.programmes.types.meter import ProgrammeStanding
from gatehouse.admin.programmes.types.thresholds import ProgrammeTable
from gatehouse.admin.programmes.types.what_if import WhatIfMonth, WhatIfReport
from gatehouse.admin.programmes.use_cases.measuring import Metered, measure
from gatehouse.admin.programmes.use_cases.metering import basis_points_text
from gatehouse.admin.programmes.use_cases.tables import table_in_force
from gatehouse.admin.rule_sets.use_cases.rule_backtest import (
    BacktestOptions,
    Reached,
    prepare_trial,
)
from gatehouse.backtest.judging import ColumnTrial, judge_columns
from gatehouse.backtest.reading import RecordSource, judge_records
from gatehouse.backtest.report import BacktestReport
from gatehouse.backtest.run import ShiftedRequest
from gatehouse.core.clock import iso_time
from gatehouse.core.filling import filled
from gatehouse.core.money import format_amount
from gatehouse.core.months import CalendarMonth
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.figures.account_columns import ROWS, AccountColumns
from gatehouse.rules.ruleset import RuleSet
from gatehouse.store.admin.admin_session import AdminSession, Reading
from gatehouse.store.decisions import records
from gatehouse.store.decisions.records import RecordSpan

_AT_ONCE: Final = 500
_EVENTS: Final = (OutcomeKind.FRAUD_REPORT, OutcomeKind.DISPUTE)


def replay(
    session: AdminSession, rule_set: RuleSet, span: RecordSpan, reached: Reached
) -> WhatIfReport:
    """Judge every record of the span, and take away what became of those that are declined."""
    replayed = _Replayed(session, rule_set, span)
    with session.reading() as connection:
        total = records.count(connection, span)
    source = RecordSource(session.database, session.fingerprints, span)
    report = judge_records(source, replayed.trial, {}, lambda done: reached(done, total))
    return _report(session, report, replayed, span)


def replay_columns(
    session: AdminSession, columns: AccountColumns, rule_set: RuleSet, span: RecordSpan
) -> WhatIfReport:
    """The same on the console's copy, within the time in which a person waits."""
    session.actor.check_reads(columns.account_id)
    replayed = _Replayed(session, rule_set, span)
    with columns.reading() as asking:
        report = judge_columns(asking, replayed.trial, ROWS)
    return _report(session, report, replayed, span)


class _Replayed:
    """A rule set that is tried, and the requests that it decides differently."""

    def __init__(self, session: AdminSession, rule_set: RuleSet, span: RecordSpan) -> None:
        self.shifted: list[ShiftedRequest] = []
        trial, self.warnings = prepare_trial(session, rule_set, span, BacktestOptions(examples=0))
        told = self.shifted.extend
        self.trial: ColumnTrial = msgspec.structs.replace(trial, costs=None, shifted=told)


class _Taken:
    """What would not have happened, by month and part."""

    def __init__(self) -> None:
        self.months: defaultdict[CalendarMonth, list[OutcomePlace]] = defaultdict(list)
        self.sales = 0
        self.events = 0
        self.amounts: Counter[str] = Counter()

    def add(self, place: OutcomePlace) -> None:
        self.months[CalendarMonth.at(place.at_ms)].append(place)
        group = place.group
        if group.kind in _EVENTS:
            self.events += 1
            return
        self.sales += 1
        if group.currency is not None:
            self.amounts[group.currency] += group.micros

    def of(self, metered: Metered, month: CalendarMonth) -> dict[MeteredPart, MonthCounts]:
        """What is taken away from each part in a month."""
        found: dict[MeteredPart, MonthCounts] = {}
        for place in self.months.get(month, ()):
            for part in parts_of(place.group, metered.regions):
                found[part] = found.get(part, NOTHING).plus(counts_of(place.group, 1))
        return found


def _report(
    session: AdminSession,
    judged: BacktestReport,
    replayed: _Replayed,
    span: RecordSpan,
) -> WhatIfReport:
    shifted = replayed.shifted
    declined = [each.request_id for each in shifted if each.after == Outcome.DECLINE]
    accepted = sum(each.before == Outcome.DECLINE for each in shifted)
    table, account_id = table_in_force(session.settings), span.account_id
    taken, joined = _Taken(), 0
    months: list[WhatIfMonth] = []
    with session.account_reading(account_id) as connection:
        for start in range(0, len(declined), _AT_ONCE):
            ids = declined[start : start + _AT_ONCE]
            found = outcomes_of(connection, account_id, ids)
            joined += len({each.request_id for each in found})
            for place in found:
                taken.add(place)
        reading, month = Reading(session, connection), CalendarMonth.at(span.since_ms)
        while month.since_ms <= session.clock():
            metered = measure(reading, account_id, month)
            months += _months(table, metered, taken)
            month = month.after
    return WhatIfReport(
        rule_set=judged.rule_set,
        since=iso_time(span.since_ms),
        until=iso_time(span.until_ms),
        records=judged.records,
        declined=len(declined),
        accepted=accepted,
        sales_lost=taken.sales,
        amounts_lost={code: format_amount(sum_) for code, sum_ in sorted(taken.amounts.items())},
        disputed=taken.events,
        joined=joined,
        months=months,
        warnings=[*replayed.warnings, *judged.warnings],
    )


def _months(table: ProgrammeTable, metered: Metered, taken: _Taken) -> list[WhatIfMonth]:
    """Every level of a month, as it was and without what is taken away."""
    now, before = taken.of(metered, metered.month), taken.of(metered, metered.month.before)
    after = metered._replace(
        now=_without(metered.now, now), before=_without(metered.before, before)
    )
    return [
        _shown(metered.month, part, was, would_be)
        for part in metered.parts
        for was, would_be in zip(
            metered.standings(table, part), after.standings(table, part), strict=True
        )
    ]


def _without(
    counts: Mapping[MeteredPart, MonthCounts], taken: Mapping[MeteredPart, MonthCounts]
) -> dict[MeteredPart, MonthCounts]:
    return {part: each.plus(taken.get(part, NOTHING), -1) for part, each in counts.items()}


def _shown(
    month: CalendarMonth, part: MeteredPart, was: ProgrammeStanding, would_be: ProgrammeStanding
) -> WhatIfMonth:
    return filled(
        WhatIfMonth,
        was,
        month=str(month),
        programme=was.programme.name,
        level=was.level.name,
        network=part.network,
        scope=part.scope,
        merchant_id=part.merchant_id,
        region=part.region,
        events_after=would_be.events,
        sales_after=would_be.sales,
        basis_points=None if was.ratio is None else basis_points_text(was.ratio),
        basis_points_after=None if would_be.ratio is None else basis_points_text(would_be.ratio),
        formula=ratio_formula(was.programme, month),
        met_after=would_be.met,
    )
