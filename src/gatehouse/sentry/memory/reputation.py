"""The labels of an entity's earlier events, and what they say about the next one.

A label counts on the day of its event and less from day to day: by one pair of sums half after a
month, by another half after a year, because some fraud comes in waves and some entities are bad for
years. The sums are whole numbers whose unit grows with time instead of the sums shrinking, so a
label that is taken back leaves exactly what was there before, even when other labels came in
between.
"""

from array import array
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple

import msgspec

HALF_LIFE_DAYS: Final = 30
SLOW_HALF_LIFE_DAYS: Final = 365
HORIZON_DAYS: Final = 120
"""How far back single days count; in the sums, labels of that age are worth a sixteenth."""
_KEPT_DAYS: Final = 400
"""How long single days are kept: the latest label of all can be taken back."""

_FIRST_DAY: Final = 16_436
"""1 January 2015; earlier events count as events of that day."""
_LAST_DAY: Final = _FIRST_DAY + 30_000
_UNIT_BITS: Final = 40
_SLOW_UNIT_BITS: Final = 20
"""Sums of years hold few doublings, and these digits are enough: both take a word or two."""
_DAY_SHIFT: Final = 46
_FRAUD_SHIFT: Final = 23
"""A day of one entity has room for eight million labels of each kind."""
_LATEST: Final = 3
_MOST: Final = (1 << _FRAUD_SHIFT) - 1
_COUNTS: Final = (1 << _DAY_SHIFT) - 1
_LEFT_DAYS: Final = 1000
_LEFT: Final = tuple(0.5 ** (days / HALF_LIFE_DAYS) for days in range(-_LEFT_DAYS, _LEFT_DAYS + 1))
"""What is left of a label after so many days, from as many days before on."""


def _within(day: int) -> int:
    return min(max(day, _FIRST_DAY), _LAST_DAY)


@lru_cache(maxsize=4096)
def _weight(day: int) -> int:
    """What a label of a day counts, in the unit of the first day."""
    return _grown(day, HALF_LIFE_DAYS, _UNIT_BITS)


@lru_cache(maxsize=4096)
def slow_weight(day: int) -> int:
    """The same for the sums that forget slowly."""
    return _grown(day, SLOW_HALF_LIFE_DAYS, _SLOW_UNIT_BITS)


def _grown(day: int, half_life: int, bits: int) -> int:
    power = (_within(day) - _FIRST_DAY) / half_life
    whole = int(power)
    part: float = 2.0 ** (power - whole)
    return round(part * (1 << bits)) << whole


Sums = tuple[float, float, float, float]
"""Frauds and all labels, of months and then of years."""
_MANY: Final = 8.0
"""With so many labels an entity is worth remembering what was worked out."""


class LabelTrend(NamedTuple):
    """How the labels of an entity developed lately."""

    days_since_fraud: float | None
    """Since the last event with a label of fraud."""
    run: int
    """Frauds since the last day with a label of legitimate."""
    run_days: float
    """Days since the first of these."""
    latest: float
    """The share of frauds among the last three labels."""


class LabelCounts(msgspec.Struct, gc=False):
    """The labels of one entity's events."""

    frauds: int = 0
    """Labels of fraud, weighted."""
    known: int = 0
    """All labels, weighted."""
    slow_frauds: int = 0
    """The same two sums of labels that are worth half after a year."""
    slow_known: int = 0
    days: "array[int] | None" = None
    """Day, frauds and others in one number each, the latest day last."""
    latest_day: int = _FIRST_DAY
    """The last of these days."""
    as_of: int = _FIRST_DAY
    frauds_then: float = 0.0
    """The same sums in labels of that day; every request reads them, so they are kept ready."""
    known_then: float = 0.0
    known_trend: tuple[int, LabelTrend] | None = None
    """The trend as of a day, until the next label; busy entities are asked for it all the time."""
    known_sums: "tuple[int, Sums] | None" = None
    """The sums as of a day, too, of an entity with many labels."""
    reporters: dict[int, int] | None = None
    """Of a shared entity: each reporting account's own key of it, and how many labels it gave."""

    def add(self, day: int, *, fraud: bool, times: int) -> None:
        """Count the labels of some events of a day; with times below 0, take them back.

        A label that was never counted here was dropped with earlier counts, and stays away.
        """
        day = _within(day)
        days = self.days
        if days is None:
            days = self.days = array("q")
        # Labels mostly come in the order of their events.
        is_last = bool(days) and days[-1] >> _DAY_SHIFT == day
        place = len(days) - 1 if is_last else bisect_left(days, day << _DAY_SHIFT)
        is_there = is_last or (place < len(days) and days[place] >> _DAY_SHIFT == day)
        step = times << _FRAUD_SHIFT if fraud else times
        if times > 0:
            if is_there:
                days[place] += step
            else:
                days.insert(place, (day << _DAY_SHIFT) + step)
                oldest = (days[-1] >> _DAY_SHIFT) - _KEPT_DAYS
                if days[0] >> _DAY_SHIFT < oldest:
                    del days[: bisect_left(days, oldest << _DAY_SHIFT)]
        elif is_there and _labels(days[place], fraud=fraud) >= -times:
            days[place] += step
            if not days[place] & _COUNTS:
                del days[place]
        elif not self._has_older(day, -times, fraud=fraud):
            return
        self.known_trend = self.known_sums = None
        weight, slow_weighed = _weight(day) * times, slow_weight(day) * times
        self.known += weight
        self.slow_known += slow_weighed
        if fraud:
            self.frauds += weight
            self.slow_frauds += slow_weighed
        self.latest_day = days[-1] >> _DAY_SHIFT if days else _FIRST_DAY
        # The day follows from the sums alone, so equal sums read the same in any order of labels.
        half_lives = max(self.known.bit_length() - _UNIT_BITS - 1, 0)
        self.as_of = _FIRST_DAY + half_lives * HALF_LIFE_DAYS
        unit = 1 << _UNIT_BITS + half_lives
        self.frauds_then, self.known_then = self.frauds / unit, self.known / unit

    def note_reporter(self, key: int, times: int) -> None:
        """Note which account gave the label, by that account's own key of the entity."""
        reporters = self.reporters
        if reporters is None:
            reporters = self.reporters = {}
        said = reporters.get(key, 0) + times
        if said > 0:
            reporters[key] = said
        else:
            reporters.pop(key, None)

    def _has_older(self, day: int, times: int, *, fraud: bool) -> bool:
        """Whether labels of a day that is no longer kept can be among what both sums hold."""
        rows = [(row >> _DAY_SHIFT, _labels(row, fraud=fraud)) for row in self.days or ()]
        total, slow = self.frauds, self.slow_frauds
        if not fraud:
            total, slow = self.known - total, self.slow_known - slow
        older = total - sum([labels * _weight(at) for at, labels in rows])
        slow_older = slow - sum([labels * slow_weight(at) for at, labels in rows])
        return older >= times * _weight(day) and slow_older >= times * slow_weight(day)

    def trend(self, day: int) -> LabelTrend:
        """How the labels developed lately, as of a day."""
        if self.known_trend is None or self.known_trend[0] != day:
            self.known_trend = (day, self._trend(_within(day)))
        return self.known_trend[1]

    def _trend(self, day: int) -> LabelTrend:
        since: float | None = None
        run, run_days, unbroken = 0, 0.0, True
        wanted, latest = _LATEST, 0.0
        for row in reversed(self.days or ()):
            frauds, others = row >> _FRAUD_SHIFT & _MOST, row & _MOST
            days_ago = max(day - (row >> _DAY_SHIFT), 0)
            if days_ago > HORIZON_DAYS:
                break
            if wanted > 0:
                taken = min(wanted, frauds + others)
                latest += taken * frauds / (frauds + others)
                wanted -= taken
            unbroken = unbroken and not others
            if unbroken:
                run, run_days = run + frauds, float(days_ago)
            if frauds and since is None:
                since = float(days_ago)
            if since is not None and not unbroken and wanted <= 0:
                break
            if not self.frauds and wanted <= 0:
                break
        return LabelTrend(since, run, run_days, latest / max(_LATEST - wanted, 1))

    def recent(self, day: int) -> tuple[float, float]:
        """Frauds and all labels, each worth less the older its event is, and none more than one."""
        return self.sums(day)[:2]

    def sums(self, day: int) -> Sums:
        """The same, and then both when labels are forgotten slowly, as a request asks for them."""
        known_sums = self.known_sums
        if known_sums is not None and known_sums[0] == day:
            return known_sums[1]
        sums = self._sums(day)
        if sums[3] > _MANY:
            self.known_sums = day, sums
        return sums

    def _sums(self, day: int) -> Sums:
        # The event can be late, or the clock was set back.
        day = self.latest_day if self.latest_day > day else day
        later = day - self.as_of
        near = -_LEFT_DAYS <= later <= _LEFT_DAYS
        left = _LEFT[later + _LEFT_DAYS] if near else 0.5 ** (later / HALF_LIFE_DAYS)
        unit = slow_weight(day)
        frauds, known = self.slow_frauds / unit, self.slow_known / unit
        return self.frauds_then * left, self.known_then * left, frauds, known

    def latest_share(self, number: int) -> float:
        """The share of frauds among about so many labels of the latest days."""
        wanted, frauds = number, 0.0
        for row in reversed(self.days or ()):
            of_day, others = row >> _FRAUD_SHIFT & _MOST, row & _MOST
            labels = of_day + others
            taken = labels if labels < wanted else wanted
            # Labels have days and no hours, so of a day with more of them its share counts.
            frauds += taken * of_day / labels
            wanted -= taken
            if wanted <= 0:
                break
        return frauds / max(number - wanted, 1)


def _labels(row: int, *, fraud: bool) -> int:
    return row >> _FRAUD_SHIFT & _MOST if fraud else row & _MOST


class LabelTable(OrderedDict[int, LabelCounts]):
    """The label counts of all entities, by key; the longest without a label is dropped first."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self._limit = limit

    def add(self, keys: Mapping[int, int | None], day: int, *, fraud: bool, times: int) -> None:
        """Count the label of an event for everything it touched.

        A shared key comes with the reporting account's own key of the entity.
        """
        for key, own_key in keys.items():
            counts = self.get(key)
            if counts is None:
                if times < 0:
                    continue  # The counts were dropped, and the label with them.
                counts = self[key] = LabelCounts()
                if len(self) > self._limit:
                    self.popitem(last=False)
            else:
                self.move_to_end(key)
            counts.add(day, fraud=fraud, times=times)
            if own_key is not None:
                counts.note_reporter(own_key, times)
            if not counts.known:
                del self[key]


class EntityReputation(msgspec.Struct, frozen=True, gc=False):
    """What is known of an entity as of a day."""

    labels: LabelCounts
    day: int
    risk: float
    """How much likelier fraud is than usual for the account, in log-odds."""
    slow_risk: float
    """The same when labels are worth half after a year."""
    frauds: float
    """Known frauds, each worth less the older it is."""
