"""Forecasts of made-up months, beside what these came to in the end.

A shop grows or shrinks, has weekly rhythms, bad weeks in which cards are tried out, and an acquirer
that tells events some days late. Its months are known to the end, so that a forecast of any day can
be compared with the truth.
"""

import math
import random
from typing import Final, NamedTuple

from gatehouse.admin.programmes.types.forecast import (
    Forecast,
    PastMonth,
    arrival_share,
    forecast,
)

_PAST: Final = 6
_DAYS: Final = 30


class MadeEvent(NamedTuple):
    """On which day an event happened, and on which it was told, from the month's first on."""

    day: float
    told: float


class ForecastCase(NamedTuple):
    """A forecast and what it was about."""

    day: int
    now: int
    truth: int
    made: Forecast

    @property
    def is_within(self) -> bool:
        """Whether the truth lies between the bounds."""
        return self.made.low <= self.truth <= self.made.high

    @property
    def width(self) -> float:
        """How wide the bounds are, relative to the truth."""
        return (self.made.high - self.made.low) / max(self.truth, 1)


def forecast_cases(seed: int, number: int) -> list[ForecastCase]:
    """So many months of different shops, each forecast on one day."""
    return [_case(random.Random(f"{seed}/{each}")) for each in range(number)]


def _case(draw: random.Random) -> ForecastCase:
    usual = math.exp(draw.uniform(math.log(30), math.log(3000)))
    growth, delay = draw.uniform(0.95, 1.08), draw.uniform(0.5, 8)
    spread, weekend = draw.uniform(0.05, 0.3), draw.uniform(0.5, 1.2)
    months = [
        _month(draw, usual * growth**place * draw.lognormvariate(0, spread), delay, weekend)
        for place in range(_PAST + 1)
    ]
    day = draw.randrange(2, _DAYS)
    past = [PastMonth(len(each), _arrived(each, day)) for each in months[:-1]]
    now, truth = _arrived(months[-1], day), len(months[-1])
    share = arrival_share(past, day / _DAYS)
    return ForecastCase(day, now, truth, forecast(now, share, [each.total for each in past]))


def _month(draw: random.Random, mean: float, delay: float, weekend: float) -> list[MadeEvent]:
    number = max(0, round(draw.gauss(mean, math.sqrt(mean))))
    shift, events = draw.randrange(7), list[MadeEvent]()
    bad_week = draw.uniform(0, _DAYS) if draw.random() < 0.15 else None
    while len(events) < number:
        day = draw.uniform(0, _DAYS)
        if (int(day) + shift) % 7 >= 5 and draw.random() > weekend:
            continue
        if bad_week is not None and draw.random() < 0.1:
            day = min(_DAYS - 0.001, bad_week + draw.uniform(0, 5))
        events.append(MadeEvent(day, day + draw.expovariate(1 / delay)))
    return events


def _arrived(events: list[MadeEvent], day: int) -> int:
    return sum(each.day < day and each.told < day for each in events)
