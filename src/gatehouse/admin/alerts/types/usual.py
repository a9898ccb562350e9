"""What is usual for an account at an hour of a weekday, out of the hours of the weeks before.

Requests: how many came at this hour of the day, times how busy this weekday is. As an hour of the
week has more requests, it counts more for itself. Shares: those of this hour of the day, and where
it has few requests those of all hours. How far the hours themselves are from that says how much the
account varies anyway.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from statistics import fmean
from typing import Final

from gatehouse.admin.alerts.types.hours import (
    HOUR_MS,
    MOST_PLACES,
    HourCounts,
    Measure,
    place_of,
    size_of,
)
from gatehouse.admin.alerts.types.observing import SeenRequest, ValueKind

LEAST_HOURS: Final = 24
"""Before a day has passed nobody knows what is usual."""
LEAST_REQUESTS: Final = 100
_HOURS_A_DAY: Final = 24
_HOURS_A_WEEK: Final = 168
_OWN_HOUR: Final = 200
"""With so many requests, an hour of the week counts as much for itself as the model of it."""
_OWN_SHARE: Final = 300
_MOST_VARIED: Final = 40.0
_SMALL: Final = 0.1
"""The smallest tenth of an account's amounts are small ones."""

_Shares = tuple[float, dict[int, tuple[int, int]]]
"""The share of all hours, and of each hour of the day how many count of how many."""


class UsualTraffic:
    """The normal of one account, worked out once for an hour."""

    def __init__(self, hours: Mapping[int, HourCounts]) -> None:
        """`hours` by when they began, in milliseconds since 1970, UTC."""
        self._hours = {start // HOUR_MS: counts for start, counts in hours.items()}
        self._read = sum(each.read for each in hours.values())
        self._requests = sum(each.requests for each in hours.values())
        self._kept_spreads: dict[tuple[Measure, bool], float] = {}
        self._kept_shares: dict[tuple[Measure, bool], _Shares] = {}

    @property
    def is_known(self) -> bool:
        """Whether there is enough to compare with."""
        return len(self._hours) >= LEAST_HOURS and self._requests >= LEAST_REQUESTS

    def requests(self, since_ms: int, until_ms: int) -> float:
        """How many requests come in a span of some hours."""
        total, at_ms = 0.0, since_ms
        while at_ms < until_ms:
            end_ms = min(until_ms, (at_ms // HOUR_MS + 1) * HOUR_MS)
            total += self._expected(at_ms // HOUR_MS) * (end_ms - at_ms) / HOUR_MS
            at_ms = end_ms
        return total

    @cached_property
    def variation(self) -> float:
        """How much more than by chance the number of requests varies: 1 is chance alone."""
        gaps = [
            (counts.requests - expected) ** 2 / max(expected, 1.0)
            for hour, counts in self._hours.items()
            if (expected := self._expected(hour)) or counts.requests
        ]
        return min(max(1.0, fmean(gaps)), _MOST_VARIED) if gaps else 1.0

    def share(self, measure: Measure, at_ms: int, *, fresh: bool = False) -> float:
        """Which share of requests counts as something at an hour of the day."""
        whole, by_hour = self._shares(measure, fresh)
        count, read = by_hour.get(at_ms // HOUR_MS % _HOURS_A_DAY, (0, 0))
        return (count + _OWN_SHARE * whole) / (read + _OWN_SHARE)

    def spread(self, measure: Measure, *, fresh: bool = False) -> float:
        """How much more than by chance that share varies from hour to hour."""
        key = (measure, fresh)
        if key not in self._kept_spreads:
            self._kept_spreads[key] = self._spread(measure, fresh)
        return self._kept_spreads[key]

    def _spread(self, measure: Measure, fresh: bool) -> float:
        whole, _ = self._shares(measure, fresh)
        gaps = []
        for counts in self._hours.values():
            if counts.read:
                mean = counts.read * whole
                count = (counts.fresh if fresh else counts.measures).get(measure.value, 0)
                gaps.append((count - mean) ** 2 / max(mean * (1 - whole), 0.5))
        return min(max(1.0, fmean(gaps)), _MOST_VARIED) if gaps else 1.0

    def value_share(self, kind: ValueKind, value: str) -> float:
        """Which share of requests has a value; one that was never seen has next to none."""
        count = self._values[kind.value].get(place_of(value), 0)
        return (count + 0.5) / (self._read + 1)

    def shared(self, address: str, others: int) -> float:
        """How likely somebody else of so many came from an address, too; rather more than less."""
        return 1 - self._nobody_else(place_of(address), others) * (1 - self._comes_again)

    def _nobody_else(self, place: int, others: int) -> float:
        share = (self._values[ValueKind.ADDRESS.value].get(place, 0) + 0.5) / (self._read + 1)
        return (1 - share) ** others

    @cached_property
    def _comes_again(self) -> float:
        """Which share of requests has one before it in the hour that only their address explains.

        Most are of people who try again. Of rarer addresses than are kept, as many as can be.
        """
        again = 0.5
        for counts in self._hours.values():
            kept = counts.values.get(ValueKind.ADDRESS.value, {})
            for place, count in kept.items():
                if count > 1:
                    again += (count - 1) * self._nobody_else(place, counts.read - 1)
            if len(kept) >= MOST_PLACES:
                again += (counts.read - sum(kept.values())) * (1 - 1 / min(kept.values()))
        return again / (self._read + 1)

    def is_small(self, seen: SeenRequest) -> bool:
        """Whether an amount is among the smallest of the account."""
        size, border = size_of(seen.amount_micros), self._borders.get(seen.currency or "")
        return size is not None and border is not None and size < border

    def small_share(self) -> float:
        """Which share of requests has such an amount; never more than a tenth."""
        return _SMALL

    def _expected(self, hour: int) -> float:
        """Requests of one hour."""
        by_hour, by_weekday, mean, own = self._model
        expected = by_hour.get(hour % _HOURS_A_DAY, mean)
        expected *= by_weekday.get(_weekday(hour), 1.0)
        total, times = own.get(hour % _HOURS_A_WEEK, (0, 0))
        if times < 2:
            return expected
        weight = total / (total + _OWN_HOUR)
        return weight * total / times + (1 - weight) * expected

    @cached_property
    def _model(
        self,
    ) -> tuple[dict[int, float], dict[int, float], float, dict[int, tuple[int, int]]]:
        hours: dict[int, list[int]] = defaultdict(list)
        weekdays: dict[int, list[float]] = defaultdict(list)
        own: dict[int, tuple[int, int]] = {}
        for hour, counts in self._hours.items():
            hours[hour % _HOURS_A_DAY].append(counts.requests)
            total, times = own.get(hour % _HOURS_A_WEEK, (0, 0))
            own[hour % _HOURS_A_WEEK] = (total + counts.requests, times + 1)
        means = {hour: fmean(found) for hour, found in hours.items()}
        for day, total, expected in self._days(means):
            if expected:
                weekdays[_weekday(day * _HOURS_A_DAY)].append(total / expected)
        mean = fmean(means.values()) if means else 0.0
        return means, {day: fmean(found) for day, found in weekdays.items()}, mean, own

    def _days(self, means: Mapping[int, float]) -> Iterator[tuple[int, int, float]]:
        """Each day with its requests, and how many there would be without weekdays."""
        totals: dict[int, tuple[int, float]] = {}
        for hour, counts in self._hours.items():
            total, expected = totals.get(hour // _HOURS_A_DAY, (0, 0.0))
            more = means[hour % _HOURS_A_DAY]
            totals[hour // _HOURS_A_DAY] = (total + counts.requests, expected + more)
        for day, (total, expected) in totals.items():
            yield day, total, expected

    def _shares(self, measure: Measure, fresh: bool) -> _Shares:
        key = (measure, fresh)
        if key not in self._kept_shares:
            by_hour: dict[int, tuple[int, int]] = {}
            total = 0
            for hour, counts in self._hours.items():
                found = (counts.fresh if fresh else counts.measures).get(measure.value, 0)
                count, read = by_hour.get(hour % _HOURS_A_DAY, (0, 0))
                by_hour[hour % _HOURS_A_DAY] = (count + found, read + counts.read)
                total += found
            self._kept_shares[key] = ((total + 0.5) / (self._read + 1), by_hour)
        return self._kept_shares[key]

    @cached_property
    def _values(self) -> dict[str, Counter[int]]:
        found: dict[str, Counter[int]] = defaultdict(Counter)
        for counts in self._hours.values():
            for kind, places in counts.values.items():
                found[kind].update(places)
        return found

    @cached_property
    def _borders(self) -> dict[str, int]:
        """The size below which amounts of a currency are small."""
        sizes: dict[str, Counter[int]] = defaultdict(Counter)
        for counts in self._hours.values():
            for currency, found in counts.amounts.items():
                sizes[currency].update(found)
        return {currency: _border(found) for currency, found in sizes.items()}


def _border(sizes: Counter[int]) -> int:
    """The first size that has more than a tenth below it or in it."""
    least, count = math.ceil(_SMALL * sizes.total()), 0
    for size in sorted(sizes):
        count += sizes[size]
        if count > least:
            return size
    return max(sizes)


def _weekday(hour: int) -> int:
    return hour // _HOURS_A_DAY % 7
