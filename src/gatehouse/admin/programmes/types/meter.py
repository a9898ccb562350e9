"""How far a merchant is from a programme: exact ratios, and how many more events it may have.

Everything is a whole number or a fraction. A ratio is rounded by the face that shows it.
"""

import datetime
from collections.abc import Mapping
from enum import StrEnum
from fractions import Fraction
from typing import Final

import msgspec

from gatehouse.admin.programmes.types.counting import MeteredPart, MeteredScope, MonthCounts
from gatehouse.admin.programmes.types.thresholds import (
    Programme,
    ProgrammeLevel,
    ProgrammeSubject,
    ProgrammeTable,
)

_BP: Final = 10_000
STEPS: Final = (50, 75, 90, 100)
"""Percents of the way to a level at which an account is told; at 100 the level is met."""


class OtherCondition(StrEnum):
    """What a level asks for besides a ratio and a number of events."""

    SALES = "SALES"
    AMOUNT = "AMOUNT"
    THREE_D_SECURE = "THREE_D_SECURE"


class ProgrammeStanding(msgspec.Struct, frozen=True):
    """How a month stands against one level of a programme."""

    programme: Programme
    level: ProgrammeLevel
    events: int
    sales: int
    needed: int
    """The fewest events with which both the number and the ratio are reached, with these sales."""
    amount: int = 0
    """What the events come to, in the level's currency, in millionths."""
    uncounted: Mapping[str, int] = {}
    """What they come to in currencies that the table has no rate for."""
    missing: tuple[OtherCondition, ...] = ()
    """What else the level asks for and does not hold: it keeps the level from being met."""
    three_ds: Fraction | None = None
    """The share of sales with 3-D Secure, where the level asks for it and there are sales."""

    @property
    def met(self) -> bool:
        """Whether everything holds that the level asks for: the merchant is in it."""
        return not self.missing and self.events >= self.needed

    @property
    def events_left(self) -> int | None:
        """How many more events until it is met; None where another condition is missing."""
        return None if self.missing else max(self.needed - self.events, 0)

    @property
    def ratio(self) -> Fraction | None:
        """Events per sale; None without sales."""
        return Fraction(self.events, self.sales) if self.sales else None

    @property
    def reached(self) -> int:
        """How far on the way to the level, in whole percent: the condition that is furthest away.

        Both the number and the ratio must be met, so the way is as long as the longer of the two.
        A missing amount is a way, too. Too few sales, or enough of them with 3-D Secure, keep the
        level away altogether.
        """
        if {*self.missing} - {OtherCondition.AMOUNT}:
            return 0
        ways = [Fraction(self.events, self.needed)]
        if self.level.amount_micros:
            ways.append(Fraction(self.amount, self.level.amount_micros))
        return min(100, int(min(ways) * 100))


def step_of(standing: ProgrammeStanding) -> int:
    """The last of the steps that was reached; 0 before the first."""
    return max((each for each in STEPS if standing.reached >= each), default=0)


def standings_of(
    table: ProgrammeTable,
    month: datetime.date,
    part: MeteredPart,
    now: MonthCounts,
    before: MonthCounts,
) -> list[ProgrammeStanding]:
    """How a month of one part stands against all levels of its network that are in force."""
    return [
        standing
        for programme in table.programmes
        if programme.network == part.network
        for standing in standings(programme, month, part, now, before, table)
    ]


def standings(
    programme: Programme,
    month: datetime.date,
    part: MeteredPart,
    now: MonthCounts,
    before: MonthCounts,
    table: ProgrammeTable,
) -> list[ProgrammeStanding]:
    """How a month stands against the levels of one programme that are in force."""
    against = now if programme.sales_of == "same month" else before
    return [
        _standing(programme, level, month, now, against, table)
        for level in programme.levels
        if level.holds_in(part.region, month)
        # An acquirer is judged by all of its merchants, so one merchant id says nothing.
        and (level.of is ProgrammeSubject.MERCHANT or part.scope is MeteredScope.ACCOUNT)
    ]


def _standing(
    programme: Programme,
    level: ProgrammeLevel,
    month: datetime.date,
    now: MonthCounts,
    against: MonthCounts,
    table: ProgrammeTable,
) -> ProgrammeStanding:
    amount, uncounted = 0, dict[str, int]()
    if level.currency is not None and level.amount_micros:
        rates = table.rates_to(level.currency, month)
        micros = now.micros(programme.counts)
        amount = _converted(micros, rates)
        uncounted = {code: sum_ for code, sum_ in micros.items() if code not in rates}
    missing = [OtherCondition.SALES] * (against.sales < max(level.sales, 1))
    missing += [OtherCondition.AMOUNT] * (amount < level.amount_micros)
    share = None
    if level.three_ds_below is not None and against.sales:
        share = Fraction(against.sales_three_ds, against.sales)
        missing += [OtherCondition.THREE_D_SECURE] * (share * _BP >= level.three_ds_below)
    needed = max(level.events, events_for(level.basis_points, against.sales), 1)
    return ProgrammeStanding(
        programme=programme,
        level=level,
        events=now.events(programme.counts),
        sales=against.sales,
        needed=needed,
        amount=amount,
        uncounted=uncounted,
        missing=tuple(missing),
        three_ds=share,
    )


def events_for(basis_points: int, sales: int) -> int:
    """The fewest events with which so many sales have the ratio."""
    return -(-basis_points * sales // _BP)


def _converted(micros: Mapping[str, int], rates: Mapping[str, Fraction]) -> int:
    """Amounts in one currency; what is less than a millionth is dropped once, at the end."""
    return int(
        sum((sum_ * rates[code] for code, sum_ in micros.items() if code in rates), Fraction())
    )
