"""Reads the months that a meter needs, and what earlier months tell about this one."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from gatehouse.admin.outcomes.types.counts import OutcomeGroup
from gatehouse.admin.outcomes.types.outcome import OutcomeKind
from gatehouse.admin.outcomes.use_cases.counting import count_between
from gatehouse.admin.outcomes.use_cases.day_sums import events_of_month
from gatehouse.admin.programmes.types.counting import (
    NOTHING,
    MeteredPart,
    MonthCounts,
    Regions,
    month_counts,
    told_regions,
)
from gatehouse.admin.programmes.types.forecast import (
    ArrivalShare,
    Forecast,
    PastMonth,
    arrival_share,
    forecast,
)
from gatehouse.admin.programmes.types.meter import ProgrammeStanding, standings_of
from gatehouse.admin.programmes.types.thresholds import CountedEvents, ProgrammeTable
from gatehouse.core.limits.lru_cache import LruCache
from gatehouse.core.months import CalendarMonth
from gatehouse.store.admin.admin_session import Reading

PAST_MONTHS: Final = 6
"""What months before that were like says little about this one."""
_HOUR_MS: Final = 3_600_000
_MOST_KEPT: Final = 600
Parts = Mapping[MeteredPart, MonthCounts]


class Metered(NamedTuple):
    """A month and the one before, by parts of the account."""

    month: CalendarMonth
    now: Parts
    before: Parts
    regions: Regions
    groups: Sequence[OutcomeGroup]
    """What the month consists of."""

    @property
    def parts(self) -> list[MeteredPart]:
        """All parts of both months, in a fixed order."""
        return sorted({*self.now, *self.before}, key=str)

    def standings(self, table: ProgrammeTable, part: MeteredPart) -> list[ProgrammeStanding]:
        """How a part stands against the levels of its network."""
        now, before = self.now.get(part, NOTHING), self.before.get(part, NOTHING)
        return standings_of(table, self.month.first, part, now, before)


def measure(reading: Reading, account_id: str, month: CalendarMonth) -> Metered:
    """Count a month and the one before."""
    both = [events_of_month(reading, account_id, each) for each in (month, month.before)]
    regions = told_regions(group for groups in both for group in groups)
    now, before = (month_counts(groups, regions) for groups in both)
    return Metered(month, now, before, regions, both[0])


class _EarlierMonth(NamedTuple):
    """What a month came to, and what of it had arrived by the same part of it."""

    totals: Parts
    arrived: Parts


class Learnt:
    """What earlier months of an account tell about one."""

    def __init__(self, reading: Reading, account_id: str, metered: Metered, now_ms: int) -> None:
        # To the hour, so that earlier months need not be read again for every look.
        now_ms = now_ms // _HOUR_MS * _HOUR_MS
        self._over = metered.month.part_over(now_ms)
        self._months: list[_EarlierMonth] = []
        each = metered.month
        for _ in range(PAST_MONTHS):
            each = each.before
            found = _counted(reading, account_id, each, each.like(metered.month, now_ms))
            if found:
                self._months.append(_earlier(found, metered.regions))

    @property
    def months(self) -> int:
        """How many there are."""
        return len(self._months)

    def events(self, part: MeteredPart, counts: CountedEvents, now: MonthCounts) -> Forecast | None:
        """How many events a part will have; None where nothing tells it."""
        if not self._months and not now.events(counts):
            return None
        past = [
            PastMonth(
                _network(each.totals, part).events(counts),
                _network(each.arrived, part).events(counts),
            )
            for each in self._months
        ]
        totals = [each.totals.get(part, NOTHING).events(counts) for each in self._months]
        return forecast(now.events(counts), self._share(past), totals)

    def sales(self, part: MeteredPart, now: MonthCounts) -> Forecast | None:
        """How many sales a part will have; None where none was told."""
        past = [
            PastMonth(_network(each.totals, part).sales, _network(each.arrived, part).sales)
            for each in self._months
        ]
        totals = [each.totals.get(part, NOTHING).sales for each in self._months]
        if not now.sales and not any(totals):
            return None
        return forecast(now.sales, self._share(past), totals)

    def _share(self, past: Sequence[PastMonth]) -> ArrivalShare:
        return arrival_share(past, self._over)


_kept: Final = LruCache[tuple[str, str, CalendarMonth, int], list[OutcomeGroup]](_MOST_KEPT)
"""Earlier months, for an hour: what is told of them meanwhile hardly changes a forecast."""


def _counted(
    reading: Reading, account_id: str, month: CalendarMonth, by_ms: int
) -> list[OutcomeGroup]:
    key = (str(reading.connection.engine.url), account_id, month, by_ms)
    found = _kept.find(key)
    if found is None:
        found = count_between(reading, account_id, month.since_ms, month.until_ms, by_ms)
        _kept.put(key, found)
    return found


def _earlier(groups: Sequence[OutcomeGroup], regions: Regions) -> _EarlierMonth:
    sales = [each for each in groups if each.kind == OutcomeKind.SETTLED]
    events = [each for each in groups if each.kind != OutcomeKind.SETTLED]
    arrived = {**_arrived(sales, regions)}
    for part, counts in _arrived(events, regions).items():
        arrived[part] = arrived.get(part, NOTHING).plus(counts)
    return _EarlierMonth(month_counts(groups, regions), arrived)


def _arrived(groups: Sequence[OutcomeGroup], regions: Regions) -> Parts:
    """What had arrived by then: told, or where a month was told long after, happened.

    A past that was imported at once says nothing about how late its outcomes were told.
    """
    in_time, number = sum(each.in_time for each in groups), sum(each.number for each in groups)
    if in_time * 2 >= number:
        return month_counts(groups, regions, lambda each: each.told)
    return month_counts(groups, regions, lambda each: each.happened)


def _network(parts: Parts, part: MeteredPart) -> MonthCounts:
    """All of the account with the network of a part: how late outcomes are told is alike."""
    found = NOTHING
    for each, counts in parts.items():
        if each.network == part.network and each.merchant_id is None:
            found = found.plus(counts)
    return found
