"""Generated traffic of a shop with its seasons, of which it is known what is usual and what not."""

import math
import random
from collections.abc import Callable, Sequence

from gatehouse.admin.drift.types.comparing import DriftJudgement, judge_rules, judge_signals
from gatehouse.admin.drift.types.profile import (
    PARTS_A_DAY,
    PARTS_A_WEEK,
    TrafficProfile,
    added,
    place_of,
)

WEEKS = 4
COUNTRIES = ("DE", "AT", "CH", "FR", "NL", "PL", "IT", "ES")
SCORES = frozenset({"sentry.requestConfidence"})
OF_PART = (120, 420, 700, 540)
"""Usual requests from midnight, from six, from noon, and from six in the evening."""


class Day:
    """How requests of one part are; a test changes what it wants."""

    def __init__(self, part: int) -> None:
        hours, weekday = part % PARTS_A_DAY, part // PARTS_A_DAY % 7
        self.is_weekend = weekday >= 5
        self.volume = OF_PART[hours] * (0.6 if self.is_weekend else 1.0)
        self.abroad = (0.10, 0.15, 0.20, 0.3)[hours] + (0.15 if self.is_weekend else 0.0)
        self.amount = 60.0 * (1.5 if self.is_weekend else 1.0) * (0.8 if hours == 0 else 1.0)
        self.risk = 0.05
        self.hits = 0.04 * (2.0 if self.is_weekend else 1.0)
        self.lacks_email = 0.08
        self.version = 1


Change = Callable[[int, Day], None]


def part_of(number: int, change: Change, dice: random.Random) -> TrafficProfile:
    """The profile of one part of six hours."""
    day = Day(number)
    change(number, day)
    requests = max(0, round(dice.gauss(day.volume, day.volume * 0.08)))
    made = TrafficProfile(requests, {}, {}, {f"shop/{day.version}": requests})
    for _ in range(requests):
        country = dice.choice(COUNTRIES[1:]) if dice.random() < day.abroad else COUNTRIES[0]
        _count(made, "ip.country", country)
        _count(made, "order.amount", round(dice.lognormvariate(math.log(day.amount), 0.7), 2))
        if dice.random() >= day.lacks_email:
            _count(made, "email.valid", dice.random() < 0.97)
        _count(made, "sentry.requestConfidence", round(dice.betavariate(1, 1 / day.risk), 3))
        if dice.random() < day.hits:
            made.rules["shop/abroad"] = made.rules.get("shop/abroad", 0) + 1
    return made


def _count(made: TrafficProfile, name: str, value: object) -> None:
    place = place_of(value)
    assert place is not None
    counts = made.signals.setdefault(name, {})
    counts[place] = counts.get(place, 0) + 1


def parts(
    days: int, change: Change = lambda number, day: None, seed: int = 1
) -> list[TrafficProfile]:
    """All parts of some days, in order."""
    dice = random.Random(seed)
    return [part_of(number, change, dice) for number in range(days * PARTS_A_DAY)]


def judged(made: Sequence[TrafficProfile], last: int) -> list[DriftJudgement]:
    """What is judged after a part, as the watch does it."""

    def day(week: int) -> TrafficProfile:
        end = last + 1 - week * PARTS_A_WEEK
        return added(made[end - PARTS_A_DAY : end])

    before = [day(week) for week in range(1, WEEKS + 1)]
    return [*judge_signals(day(0), before, SCORES), *judge_rules(day(0), before)]


def drifts(
    made: Sequence[TrafficProfile], first: int = WEEKS * PARTS_A_WEEK + PARTS_A_DAY
) -> set[str]:
    """What drifts after any part from the first one on that has four weeks before it."""
    return {
        each.name for last in range(first, len(made)) for each in judged(made, last) if each.drifts
    }
