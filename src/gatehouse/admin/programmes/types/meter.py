"""How far a merchant is from a programme: exact ratios, and how many more events it may have.

Everything is a whole number or a fraction. A ratio is rounded by the face that shows it.
"""

import datetime
from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction
from typing import Final, NamedTuple

import msgspec

from gatehouse.admin.outcomes.types.counts import OutcomeGroup
from gatehouse.admin.outcomes.types.outcome import OutcomeKind
from gatehouse.admin.programmes.types.thresholds import CountedEvents, Programme, ProgrammeLevel

_BP: Final = 10_000


class MonthCounts(msgspec.Struct, frozen=True):
    """What happened in one month: to one merchant id, brand and region of an account."""

    sales: int = 0
    sales_three_ds: int = 0
    """Those that were authenticated."""
    fraud_reports: int = 0
    disputes: int = 0
    """All, those about fraud included; without those that a tool settled before."""
    fraud_disputes: int = 0
    fraud_micros: dict[str, int] = {}
    """What the disputes about fraud come to, by currency."""

    def plus(self, other: "MonthCounts") -> "MonthCounts":
        """Both together."""
        names = [name for name in self.__struct_fields__ if name != "fraud_micros"]
        sums = {name: getattr(self, name) + getattr(other, name) for name in names}
        amounts = {
            code: self.fraud_micros.get(code, 0) + other.fraud_micros.get(code, 0)
            for code in sorted({*self.fraud_micros, *other.fraud_micros})
        }
        return MonthCounts(**sums, fraud_micros=amounts)

    def events(self, counted: CountedEvents) -> int:
        """The numerator of a programme's ratio."""
        match counted:
            case CountedEvents.FRAUD_AND_DISPUTES:
                return self.fraud_reports + self.disputes
            case CountedEvents.FRAUD_AND_OTHER_DISPUTES:
                return self.fraud_reports + self.disputes - self.fraud_disputes
            case CountedEvents.CHARGEBACKS:
                return self.disputes
            case CountedEvents.FRAUD_CHARGEBACKS:
                return self.fraud_disputes


class ProgrammeStanding(msgspec.Struct, frozen=True):
    """How a month stands against one level of a programme."""

    level: ProgrammeLevel
    events: int
    sales: int
    met: bool
    """Whether everything holds that the level asks for: the merchant is in it."""
    events_left: int | None
    """How many more events until it is met; None where another condition keeps it from being met.
    """

    @property
    def ratio(self) -> Fraction | None:
        """Events per sale; None without sales."""
        return Fraction(self.events, self.sales) if self.sales else None


class MeteredPart(NamedTuple):
    """What is metered by itself."""

    network: str
    merchant_id: str | None
    region: str | None


def month_counts(groups: Iterable[OutcomeGroup]) -> dict[MeteredPart, MonthCounts]:
    """What happened to each part of an account, out of the outcomes of a month."""
    found: defaultdict[MeteredPart, MonthCounts] = defaultdict(MonthCounts)
    for group in groups:
        part = MeteredPart(group.network, group.merchant_id, group.region)
        found[part] = found[part].plus(_counts(group))
    return dict(found)


def _counts(group: OutcomeGroup) -> MonthCounts:
    number = group.number
    if group.kind == OutcomeKind.SETTLED:
        return MonthCounts(sales=number, sales_three_ds=group.authenticated)
    if group.kind == OutcomeKind.FRAUD_REPORT:
        return MonthCounts(fraud_reports=number)
    if not group.is_counted_dispute:
        return MonthCounts()
    if not group.is_fraud:
        return MonthCounts(disputes=number)
    amounts = {} if group.currency is None else {group.currency: group.micros}
    return MonthCounts(disputes=number, fraud_disputes=number, fraud_micros=amounts)


def standings(
    programme: Programme,
    month: datetime.date,
    region: str | None,
    now: MonthCounts,
    before: MonthCounts,
) -> list[ProgrammeStanding]:
    """How a month stands against the levels that are in force."""
    against = now if programme.sales_of == "same month" else before
    events = now.events(programme.counts)
    return [
        _standing(level, events, now, against)
        for level in programme.levels
        if level.holds_in(region, month)
    ]


def _standing(
    level: ProgrammeLevel, events: int, now: MonthCounts, against: MonthCounts
) -> ProgrammeStanding:
    needed = max(level.events, _events_for(level.basis_points, against.sales))
    others = (
        against.sales >= max(level.sales, 1)
        and now.fraud_micros.get(level.currency or "", 0) >= level.amount_micros
        and (level.three_ds_below is None or _below(against, level.three_ds_below))
    )
    left = max(needed - events, 0)
    return ProgrammeStanding(
        level, events, against.sales, others and not left, left if others else None
    )


def _events_for(basis_points: int, sales: int) -> int:
    """The fewest events with which so many sales have the ratio."""
    return -(-basis_points * sales // _BP)


def _below(counts: MonthCounts, basis_points: int) -> bool:
    """Whether the share of sales with 3-D Secure is below."""
    return counts.sales_three_ds * _BP < basis_points * counts.sales
